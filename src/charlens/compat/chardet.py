"""A drop-in for chardet 7: `detect`, `detect_all`, `UniversalDetector`, and the output of `chardetect`.

Names, shapes, keywords and errors are chardet's; the answers and the confidence are ours, and the whole input is
looked at.  What differs, and why, is in docs/drop-ins.md.  `python -m charlens.compat.chardet FILE…` is `chardetect`.
"""

from __future__ import annotations

import enum
import warnings
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple, TypedDict

from charlens.api import detect as _detect
from charlens.compat.tables import language_code, same_text, table
from charlens.encodings import lookup, squeeze
from charlens.inputs.stream import Detector
from charlens.types import Outcome, Verdict

#: The version whose interface this is; requests and others compare it.
__version__ = "7.7.0"

DEFAULT_MAX_BYTES = 200_000
MINIMUM_THRESHOLD = 0.20
_DEFAULT_CHUNK_SIZE = 65_536
#: The confidence of an answer that is no finding but what the caller wants for an empty input or none.
_BY_REQUEST = 0.10

__all__ = [
    "DEFAULT_MAX_BYTES",
    "MINIMUM_THRESHOLD",
    "DetectionDict",
    "DetectionResult",
    "EncodingEra",
    "LanguageFilter",
    "UniversalDetector",
    "__version__",
    "detect",
    "detect_all",
]


class EncodingEra(enum.IntFlag):
    """Groups of encodings, by where they come from."""

    MODERN_WEB = 1
    LEGACY_ISO = 2
    LEGACY_MAC = 4
    LEGACY_REGIONAL = 8
    DOS = 16
    MAINFRAME = 32
    ALL = 63


class LanguageFilter(enum.IntFlag):
    """Taken for the sake of old programs; it has no effect, in chardet 7 either."""

    CHINESE_SIMPLIFIED = 1
    CHINESE_TRADITIONAL = 2
    JAPANESE = 4
    KOREAN = 8
    NON_CJK = 16
    ALL = 31
    CHINESE = 3
    CJK = 15


class DetectionDict(TypedDict):
    """The answer of `detect`."""

    encoding: str | None
    confidence: float
    language: str | None
    mime_type: str | None


@dataclass(frozen=True, slots=True)
class DetectionResult:
    """The same answer as an object."""

    encoding: str | None
    confidence: float
    language: str | None
    mime_type: str | None = None

    def to_dict(self) -> DetectionDict:
        """Return the answer as `detect` gives it."""
        return _make(self.encoding, self.confidence, self.language, self.mime_type)


class _Wishes(NamedTuple):
    """The keywords that all three entries share, checked."""

    only: frozenset[str] | None
    never: frozenset[str]
    superset: bool
    compatible: bool
    no_match: str
    empty: str
    most: int

    def allows(self, encoding: str) -> bool:
        return (self.only is None or encoding in self.only) and encoding not in self.never

    def keywords(self) -> dict[str, Any]:
        """Return what `charlens.detect` is to be called with."""
        return {"only": self.only, "never": self.never or None}


def detect(
    byte_str: bytes | bytearray,
    should_rename_legacy: bool = False,
    encoding_era: EncodingEra = EncodingEra.ALL,
    chunk_size: int = _DEFAULT_CHUNK_SIZE,
    max_bytes: int = DEFAULT_MAX_BYTES,
    *,
    prefer_superset: bool = False,
    compat_names: bool = True,
    include_encodings: Iterable[str] | None = None,
    exclude_encodings: Iterable[str] | None = None,
    no_match_encoding: str = "cp1252",
    empty_input_encoding: str = "utf-8",
) -> DetectionDict:
    """Return the likeliest encoding of *byte_str*, with confidence, language and MIME type."""
    _warn_of_chunks(chunk_size)
    filters = (encoding_era, include_encodings, exclude_encodings)
    names = (should_rename_legacy, prefer_superset, compat_names)
    wishes = _check(filters, names, no_match_encoding, empty_input_encoding, max_bytes)
    return _answers(_head(byte_str, wishes), wishes)[0]


def detect_all(
    byte_str: bytes | bytearray,
    ignore_threshold: bool = False,
    should_rename_legacy: bool = False,
    encoding_era: EncodingEra = EncodingEra.ALL,
    chunk_size: int = _DEFAULT_CHUNK_SIZE,
    max_bytes: int = DEFAULT_MAX_BYTES,
    *,
    prefer_superset: bool = False,
    compat_names: bool = True,
    include_encodings: Iterable[str] | None = None,
    exclude_encodings: Iterable[str] | None = None,
    no_match_encoding: str = "cp1252",
    empty_input_encoding: str = "utf-8",
) -> list[DetectionDict]:
    """Return every reading of *byte_str* that is likely, the likeliest first.

    Those under `MINIMUM_THRESHOLD` are left out, unless *ignore_threshold* is true or no other is there.
    """
    _warn_of_chunks(chunk_size)
    filters = (encoding_era, include_encodings, exclude_encodings)
    names = (should_rename_legacy, prefer_superset, compat_names)
    wishes = _check(filters, names, no_match_encoding, empty_input_encoding, max_bytes)
    answers = _answers(_head(byte_str, wishes), wishes)
    likely = [answer for answer in answers if answer["confidence"] > MINIMUM_THRESHOLD]
    return answers if ignore_threshold or not likely else likely


class UniversalDetector:
    """Takes bytes as they come; `close` gives the answer."""

    MINIMUM_THRESHOLD = MINIMUM_THRESHOLD
    LEGACY_MAP: ClassVar[dict[str, str]] = dict(table("chardet_superset"))

    def __init__(
        self,
        lang_filter: LanguageFilter = LanguageFilter.ALL,
        should_rename_legacy: bool = False,
        encoding_era: EncodingEra = EncodingEra.ALL,
        max_bytes: int = DEFAULT_MAX_BYTES,
        *,
        prefer_superset: bool = False,
        compat_names: bool = True,
        include_encodings: Iterable[str] | None = None,
        exclude_encodings: Iterable[str] | None = None,
        no_match_encoding: str = "cp1252",
        empty_input_encoding: str = "utf-8",
    ) -> None:
        if lang_filter != LanguageFilter.ALL:
            _deprecated("lang_filter has no effect: use include_encodings", 2)
        filters = (encoding_era, include_encodings, exclude_encodings)
        names = (should_rename_legacy, prefer_superset, compat_names)
        self._wishes = _check(filters, names, no_match_encoding, empty_input_encoding, max_bytes)
        self._detector = Detector(**self._wishes.keywords())
        self.reset()

    def reset(self) -> None:
        """Forget what was fed."""
        self._detector.reset()
        self._head = bytearray()  # what names are checked against
        self._result = DetectionDict(encoding=None, confidence=0.0, language=None, mime_type=None)
        self._closed = False

    def feed(self, byte_str: bytes | bytearray) -> None:
        """Take the next bytes; after `close` it is an error, until `reset`."""
        if self._closed:
            raise ValueError("feed() after close(): call reset() first")
        data = memoryview(byte_str)[: max(self._wishes.most - self._detector.fed, 0)]
        self._head += data[: max(DEFAULT_MAX_BYTES - len(self._head), 0)]
        self._detector.feed(data)

    def close(self) -> DetectionDict:
        """Return the answer for what was fed."""
        if not self._closed:
            self._closed = True
            verdict = self._detector.close()
            whole = self._detector.fed == len(self._head)
            self._result = _from_verdict(bytes(self._head), verdict, self._wishes, whole)[0]
        return self._result

    @property
    def done(self) -> bool:
        """Whether more bytes would not change the answer; at a byte order mark at the latest."""
        return self._closed or self._detector.done or self._detector.fed >= self._wishes.most

    @property
    def result(self) -> DetectionDict:
        """The answer; before `close` its encoding is None."""
        return self._result


def _head(byte_str: bytes | bytearray, wishes: _Wishes) -> bytes:
    data = byte_str if isinstance(byte_str, bytes) else bytes(memoryview(byte_str))
    return data[: wishes.most] if len(data) > wishes.most else data


def _answers(data: bytes, wishes: _Wishes) -> list[DetectionDict]:
    return _from_verdict(data, _detect(data, **wishes.keywords()), wishes)


def _from_verdict(data: bytes, verdict: Verdict, wishes: _Wishes, whole: bool = True) -> list[DetectionDict]:
    """Put *verdict* and its alternatives the way chardet says them; names are checked against *data*, if *whole*."""
    if not data:
        return [_by_request(wishes.empty, "empty_input_encoding", wishes)]
    if verdict.outcome is Outcome.BINARY:
        return [_make(None, verdict.confidence, None, _magic(data))]
    name = verdict.codec
    if name is None:
        return [_by_request(wishes.no_match, "no_match_encoding", wishes)]
    readings = [(name, verdict.confidence, verdict.language)]
    readings += ((other.encoding, other.confidence, other.language) for other in verdict.alternatives)
    return [
        _make(
            _display(data if whole else None, name, wishes), confidence, language_code(language), "text/plain"
        )
        for name, confidence, language in readings
    ]


def _make(
    encoding: str | None, confidence: float, language: str | None, mime_type: str | None
) -> DetectionDict:
    return DetectionDict(encoding=encoding, confidence=confidence, language=language, mime_type=mime_type)


def _by_request(name: str, keyword: str, wishes: _Wishes) -> DetectionDict:
    if wishes.allows(name):
        return _make(_display(b"", name, wishes), _BY_REQUEST, None, "text/plain")
    warnings.warn(
        f"{keyword} {name!r} is not among the encodings that may be the answer; encoding is None",
        UserWarning,
        stacklevel=5,
    )
    return _make(None, 0.0, None, "application/octet-stream")


def _display(data: bytes | None, name: str, wishes: _Wishes) -> str:
    """Return the name that chardet has for *name*, if it reads *data* alike, else Python's."""
    if wishes.superset:
        wider = UniversalDetector.LEGACY_MAP.get(name)
        if wider and wishes.allows(wider) and same_text(data, name, wider):
            name = wider
    if not wishes.compatible:
        return name
    shown: str = table("chardet").get(name, name)
    return shown if same_text(data, name, shown) else name


def _magic(data: bytes) -> str:
    """Return the MIME type of a binary file by its first bytes."""
    if data[:4] == b"RIFF":
        return {b"WEBP": "image/webp", b"WAVE": "audio/wav"}.get(data[8:12], "application/octet-stream")
    if data[4:8] == b"ftyp":
        return "video/mp4"
    opening = data[:16].hex()
    return next(
        (mime for start, mime in table("magic") if opening.startswith(start)), "application/octet-stream"
    )


def _check(
    filters: tuple[EncodingEra, Iterable[str] | None, Iterable[str] | None],
    names: tuple[bool, bool, bool],
    no_match: str,
    empty: str,
    max_bytes: int,
) -> _Wishes:
    """Check the keywords; *filters* are era, include and exclude, *names* how the answer is to be called."""
    if isinstance(max_bytes, bool) or not isinstance(max_bytes, int) or max_bytes < 1:
        raise ValueError("max_bytes must be a positive integer")
    era, include, exclude = filters
    rename, superset, compatible = names
    if rename:
        _deprecated("should_rename_legacy is called prefer_superset now", 3)
    only = None if include is None else _names(include, "include_encodings")
    if only is not None and not only:
        raise ValueError("include_encodings must not be empty; leave it out to allow everything")
    if era != EncodingEra.ALL:
        eras = table("chardet_eras")
        of_era = frozenset(
            name for one, names_of in eras.items() if EncodingEra[one] & era for name in names_of
        )
        only = of_era if only is None else only & of_era
    return _Wishes(
        only,
        frozenset() if exclude is None else _names(exclude, "exclude_encodings"),
        rename or superset,
        compatible,
        _name(no_match, "no_match_encoding"),
        _name(empty, "empty_input_encoding"),
        # chardet's default would let an answer stand that cannot decode the rest; whoever names a limit gets it.
        max_bytes if max_bytes != DEFAULT_MAX_BYTES else 1 << 62,
    )


def _names(labels: Iterable[str], keyword: str) -> frozenset[str]:
    """Return our names for *labels*; what is one encoding to chardet can be several to us."""
    names: set[str] = set()
    for label in labels:
        name = _name(label, keyword)
        names.add(name)
        names.update(*(family for family in table("chardet_families") if name in family))
        if squeeze(label) in ("utf16", "utf32"):
            names.add(name.replace("-le", "-be"))
    return frozenset(names)


def _name(label: str, keyword: str) -> str:
    known = lookup("utf-8" if squeeze(label) in ("utf8sig", "utf8bom") else label)
    if known is None:
        raise ValueError(f"Unknown encoding {label!r} in {keyword}")
    return known.name


def _warn_of_chunks(chunk_size: int) -> None:
    if chunk_size != _DEFAULT_CHUNK_SIZE:
        _deprecated("chunk_size has no effect", 3)


def _deprecated(words: str, depth: int) -> None:
    warnings.warn(words, DeprecationWarning, stacklevel=depth + 1)


if __name__ == "__main__":
    from charlens.compat.chardetect import main

    raise SystemExit(main())
