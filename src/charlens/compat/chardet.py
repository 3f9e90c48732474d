"""A drop-in for chardet 7: `detect`, `detect_all`, `UniversalDetector`, and the output of `chardetect`.

Names, result types, keywords and errors are those of chardet; the answers and the confidence are those of charlens,
and the whole input is read.  docs/drop-ins.md lists the differences and their reasons.
`python -m charlens.compat.chardet FILE…` is `chardetect`.
"""

from __future__ import annotations

import codecs
import contextlib
import enum
import warnings
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import ClassVar, NamedTuple, TypedDict

from charlens.api import detect as _detect
from charlens.compat.chardet_wishes import DEFAULT_MAX_BYTES, EncodingEra, Wishes, check, deprecated
from charlens.compat.media import binary_type
from charlens.compat.tables import language_code, reads, same_text, table
from charlens.encodings import lookup, web_of
from charlens.inputs.controls import detect_text
from charlens.inputs.stream import Detector
from charlens.stages.declarations.claims import Declarations
from charlens.stages.declarations.sources import BY_NAME
from charlens.types import Outcome, Verdict

#: The version whose interface this module has; requests and others check it.
__version__ = "7.7.0"

MINIMUM_THRESHOLD = 0.20
_DEFAULT_CHUNK_SIZE = 65_536
#: The confidence of the default that the caller chose for empty input or no result.
_BY_REQUEST = 0.10
#: chardet's confidence if a declaration chose among names that give the same text.
_DECLARED = 0.95
#: Up to this share of NULs, chardet takes ASCII for text (the output of `find -print0`).
_NULS_IN_ASCII = 0.05
#: Bytes searched for a coding line, which is the first or second line of a file.
_CODING_LINES = 1024
#: The declarations for which chardet returns a MIME type.
_DECLARING = {"meta": "text/html", "xml": "text/xml", "python": "text/x-python"}
#: In this order, because the mark of UTF-32-LE begins with that of UTF-16-LE.
_WIDE_MARKS = {
    codecs.BOM_UTF32_LE: "utf-32-le",
    codecs.BOM_UTF32_BE: "utf-32-be",
    codecs.BOM_UTF16_LE: "utf-16-le",
    codecs.BOM_UTF16_BE: "utf-16-be",
}
_UNICODE = frozenset(("ascii", "utf-8", "utf-8-sig", "utf-16", "utf-32", *_WIDE_MARKS.values()))

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


class LanguageFilter(enum.IntFlag):
    """Accepted for old programs; it has no effect, as in chardet 7."""

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
        """Return the answer in the form of `detect`."""
        return _make(self.encoding, self.confidence, self.language, self.mime_type)


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
    """Return the most likely encoding of *byte_str*, with confidence, language and MIME type."""
    _warn_of_chunks(chunk_size)
    filters = (encoding_era, include_encodings, exclude_encodings)
    names = (should_rename_legacy, prefer_superset, compat_names)
    wishes = check(filters, names, no_match_encoding, empty_input_encoding, max_bytes)
    return _answers(*_head(byte_str, wishes), wishes)[0]


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
    """Return all likely encodings of *byte_str*, the most likely first.

    Those below `MINIMUM_THRESHOLD` are left out, unless *ignore_threshold* is true or there are no others.
    """
    _warn_of_chunks(chunk_size)
    filters = (encoding_era, include_encodings, exclude_encodings)
    names = (should_rename_legacy, prefer_superset, compat_names)
    wishes = check(filters, names, no_match_encoding, empty_input_encoding, max_bytes)
    answers = _answers(*_head(byte_str, wishes), wishes)
    likely = [answer for answer in answers if answer["confidence"] > MINIMUM_THRESHOLD]
    return answers if ignore_threshold or not likely else likely


class UniversalDetector:
    """Takes bytes in pieces; `close` returns the answer."""

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
            deprecated("lang_filter has no effect: use include_encodings", 2)
        filters = (encoding_era, include_encodings, exclude_encodings)
        names = (should_rename_legacy, prefer_superset, compat_names)
        self._wishes = check(filters, names, no_match_encoding, empty_input_encoding, max_bytes)
        self._detector = Detector(**self._wishes.keywords())
        self.reset()

    def reset(self) -> None:
        """Start again with an empty input."""
        self._detector.reset()
        self._head = bytearray()  # to check names
        self._input_truncated = False  # whether more than max_bytes arrived
        self._result = DetectionDict(encoding=None, confidence=0.0, language=None, mime_type=None)
        self._closed = False

    def feed(self, byte_str: bytes | bytearray) -> None:
        """Take the next bytes; an error after `close`, until `reset`."""
        if self._closed:
            raise ValueError("feed() after close(): call reset() first")
        data = memoryview(byte_str)[: max(self._wishes.most - self._detector.fed, 0)]
        self._input_truncated = self._input_truncated or len(data) < len(byte_str)
        self._head += data[: max(DEFAULT_MAX_BYTES - len(self._head), 0)]
        self._detector.feed(data)

    def close(self) -> DetectionDict:
        """Return the answer for all bytes."""
        if not self._closed:
            self._closed = True
            self._result = self._answer()
        return self._result

    def _answer(self) -> DetectionDict:
        head = bytes(self._head)
        if self._detector.fed > len(head):
            return _from_verdict(head, self._detector.verdict, self._wishes, whole=False)[0]
        return _answers(head, self._input_truncated, self._wishes)[0]

    @property
    def done(self) -> bool:
        """Whether the answer is decided, such as by a byte order mark."""
        return self._closed or self._has_answer or self._detector.fed >= self._wishes.most

    @property
    def _has_answer(self) -> bool:
        # Programs for chardet expect to be done at a mark; a `Detector` waits for the text behind it.
        return self._detector.done or self._detector.marked

    @property
    def result(self) -> DetectionDict:
        """The answer; before `close` its encoding is None, unless a byte order mark has decided it."""
        return self._answer() if self._has_answer and not self._closed else self._result


def _head(byte_str: bytes | bytearray, wishes: Wishes) -> tuple[bytes, bool]:
    """Return the first *max_bytes*, and whether there are more."""
    data = byte_str if isinstance(byte_str, bytes) else bytes(memoryview(byte_str))
    return (data[: wishes.most], True) if len(data) > wishes.most else (data, False)


def _whole_characters(data: bytes) -> bytes:
    """Return *data* without an incomplete Unicode character at its end."""
    for codec in [codec for mark, codec in _WIDE_MARKS.items() if data.startswith(mark)] or ["utf-8"]:
        decoder = codecs.getincrementaldecoder(codec)()
        with contextlib.suppress(UnicodeDecodeError):
            decoder.decode(data)
            unfinished: bytes = decoder.getstate()[0]
            return data[: len(data) - len(unfinished)]
    return data


def _answers(data: bytes, more: bool, wishes: Wishes) -> list[DetectionDict]:
    """Return all answers for *data* in the form of chardet, the most likely first.

    If there is *more* after it, the last character can be cut off; for chardet, its first byte is a sign of UTF-8.
    """
    if not data:
        return [_by_request(wishes.empty, "empty_input_encoding", wishes)]
    whole = _whole_characters(data) if more else data
    keywords = wishes.keywords()
    verdict = detect_text(whole, few_nuls=_NULS_IN_ASCII, beside_nuls=("ascii",), **keywords)
    if verdict.encoding == "ascii" and len(whole) < len(data):
        verdict = verdict._replace(encoding="utf-8")
    if verdict.encoding is not None and wishes.name_of(verdict) is None:
        keywords["never"] = {*(keywords["never"] or ()), verdict.encoding}
        verdict = _detect(whole, **keywords)
    return _from_verdict(whole, verdict, wishes)


def _from_verdict(data: bytes, verdict: Verdict, wishes: Wishes, whole: bool = True) -> list[DetectionDict]:
    """Return *verdict* and its alternatives in the form of chardet; if *whole*, names are checked against *data*."""
    if verdict.outcome is Outcome.BINARY:
        return [_make(None, verdict.confidence, None, binary_type(data))]
    name = wishes.name_of(verdict)
    if name is None:
        return [_by_request(wishes.no_match, "no_match_encoding", wishes)]
    checked = data if whole else None
    found, confidence, mime_type = _declared(checked, name, verdict, wishes)
    readings = [(found, confidence, verdict.language)]
    if found == name and name not in _UNICODE:
        # chardet lists encodings, not readings: encodings that give the same text have separate entries.
        readings += (
            (other, confidence, verdict.language) for other in verdict.equivalents if wishes.allows(other)
        )
    readings += ((other.encoding, other.confidence, other.language) for other in verdict.alternatives)
    answers: dict[str, DetectionDict] = {}
    for name, confidence, language in readings:
        shown = _display(checked, name, wishes)
        answers.setdefault(shown, _make(shown, confidence, language_code(language), mime_type))
    return list(answers.values())


class _Declared(NamedTuple):
    """An answer with the effect of a declaration."""

    name: str
    confidence: float
    mime_type: str


def _declared(data: bytes | None, name: str, verdict: Verdict, wishes: Wishes) -> _Declared:
    """Return the answer *name* with the declaration; the declared name wins if it decodes *data* in the same way."""
    for source, label in _claims(data, verdict):
        known = lookup(label)
        if known is None or not wishes.allows(known.name):
            continue
        confidence = min(verdict.confidence, _DECLARED)
        if same_text(data, name, known.name):
            return _Declared(known.name, confidence, _DECLARING[source])
        if web_of(known) == verdict.web_name:
            return _Declared(name, confidence, _DECLARING[source])
        if data is not None and reads(data, known.name):
            return _Declared(name, verdict.confidence, _DECLARING[source])
    # chardet is certain of a mark if the bytes after it decode.
    return _Declared(name, 1.0 if verdict.bom and not verdict.cut else verdict.confidence, "text/plain")


def _claims(data: bytes | None, verdict: Verdict) -> Iterator[tuple[str, str]]:
    """Yield the kind and label of each declaration, including the coding line of a program in ASCII."""
    found = next((each for each in verdict.findings if isinstance(each, Declarations)), None)
    if found is not None and not verdict.bom:
        yield from ((each.source, each.label) for each in found.charsets if each.source in _DECLARING)
    elif verdict.encoding == "ascii" and data and b"coding" in data[:_CODING_LINES]:
        head = data[:_CODING_LINES].decode("latin-1")
        yield from (("python", line.label) for line in BY_NAME["python"].find(head))


def _make(
    encoding: str | None, confidence: float, language: str | None, mime_type: str | None
) -> DetectionDict:
    return DetectionDict(encoding=encoding, confidence=confidence, language=language, mime_type=mime_type)


def _by_request(name: str, keyword: str, wishes: Wishes) -> DetectionDict:
    if wishes.allows(name):
        return _make(_display(b"", name, wishes), _BY_REQUEST, None, "text/plain")
    warnings.warn(
        f"{keyword} {name!r} is not among the encodings that may be the answer; encoding is None",
        UserWarning,
        stacklevel=5,
    )
    return _make(None, 0.0, None, "application/octet-stream")


def _display(data: bytes | None, name: str, wishes: Wishes) -> str:
    """Return chardet's name for *name*, if it decodes *data* in the same way, else Python's name."""
    if wishes.superset:
        wider = UniversalDetector.LEGACY_MAP.get(name)
        if wider and wishes.allows(wider) and same_text(data, name, wider):
            name = wider
    family = next((family for family in table("chardet_families") if name in family), (name,))
    shown: str = table("chardet").get(name, name) if wishes.compatible else family[0]
    return shown if same_text(data, name, shown) else name


def _warn_of_chunks(chunk_size: int) -> None:
    if chunk_size != _DEFAULT_CHUNK_SIZE:
        deprecated("chunk_size has no effect", 3)


if __name__ == "__main__":
    from charlens.compat.chardetect import main

    main()
