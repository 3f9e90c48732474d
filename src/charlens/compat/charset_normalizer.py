"""A drop-in for charset-normalizer 3: `from_bytes`, `from_path`, `from_fp`, `is_binary`, `detect` and their matches.

Names, result types and keywords are those of charset-normalizer; the answers are those of charlens.  `chaos` is one
minus the confidence.  docs/drop-ins.md lists the differences and their reasons.
"""

from __future__ import annotations

import logging
import os
import warnings
from collections.abc import Sequence
from typing import Any, BinaryIO, TypedDict

from charlens.compat.matches import CharsetMatch, CharsetMatches
from charlens.compat.normalizer_parts import TRACE, set_logging_handler
from charlens.compat.tables import language_name, same_text, table
from charlens.encodings import lookup, squeeze
from charlens.inputs.controls import FEW, detect_text
from charlens.types import Outcome, Verdict

#: The version whose interface this module has; requests and others check it.
__version__ = "3.5.2"
VERSION = __version__.split(".")

logger = logging.getLogger("charset_normalizer")
logger.addHandler(logging.NullHandler())
#: The handler that `explain=True` adds to the logger for one call.
explain_handler = logging.StreamHandler()
explain_handler.setFormatter(logging.Formatter("%(asctime)s | %(levelname)s | %(message)s"))

#: The position of `enable_fallback` among the arguments after the first; `is_binary` turns it off.
_FALLBACK = 9

_UTF7_MARKS = frozenset((b"+/v8", b"+/v9", b"+/v+", b"+/v/"))

__all__ = (
    "VERSION",
    "CharsetMatch",
    "CharsetMatches",
    "__version__",
    "detect",
    "from_bytes",
    "from_fp",
    "from_path",
    "is_binary",
    "set_logging_handler",
)


class ResultDict(TypedDict):
    """The answer of `detect`."""

    encoding: str | None
    language: str
    confidence: float | None


def from_bytes(
    sequences: bytes | bytearray,
    steps: int = 5,
    chunk_size: int = 512,
    threshold: float = 0.2,
    cp_isolation: list[str] | None = None,
    cp_exclusion: list[str] | None = None,
    preemptive_behaviour: bool = True,
    explain: bool = False,
    language_threshold: float = 0.1,
    enable_fallback: bool = True,
) -> CharsetMatches:
    """Return the readings of *sequences*, the most likely first; none for binary data.

    *cp_isolation* and *cp_exclusion* name encodings; *explain* logs our steps to standard error; with
    *enable_fallback*, ASCII and UTF-8 with NULs (`find -print0`) are `utf_8`.  The other keywords are for a method that
    charlens does not use; they have no effect.
    """
    if not isinstance(sequences, bytes | bytearray):
        raise TypeError(f"Expected object of type bytes or bytearray, got: {type(sequences)}")
    if not sequences:
        return CharsetMatches([CharsetMatch(sequences, "utf_8", 0.0, False, [], "")])
    only, never = _known(cp_isolation), _known(cp_exclusion)
    marked = _read_utf7_mark(sequences)
    if marked is not None and (only is None or "utf-7" in only) and "utf-7" not in (never or ()):
        verdict = Verdict(Outcome.TEXT, "utf-7", 1.0, bom=marked)
    else:
        nuls = 1.0 if enable_fallback else 0.0
        verdict = detect_text(bytes(sequences), few_nuls=nuls, only=only, never=never)
        narrow = not (verdict.encoding or "").startswith(("utf-16", "utf-32"))
        if not enable_fallback and narrow and sequences.count(0) > FEW * len(sequences):
            # For charset-normalizer this is not text.
            verdict = Verdict(Outcome.BINARY, None, verdict.confidence)
    matches = _from_verdict(sequences, verdict)
    _log(verdict, matches.best(), explain)
    return matches


def _read_utf7_mark(sequences: bytes | bytearray) -> bytes | None:
    """Return the UTF-7 mark at the start of *sequences*, if the rest is UTF-7; charset-normalizer trusts it."""
    mark = bytes(sequences[:4])
    if mark not in _UTF7_MARKS:
        return None
    try:
        return mark if bytes(sequences).decode("utf-7").startswith("\ufeff") else None
    except UnicodeDecodeError:
        return None


def _log(verdict: Verdict, best: CharsetMatch | None, explain: bool) -> None:
    """Log our steps to charset-normalizer's logger; with *explain*, also to standard error."""
    if not explain and not logger.isEnabledFor(logging.DEBUG):
        return
    level = logger.level
    if explain:
        logger.addHandler(explain_handler)
        logger.setLevel(TRACE)
    try:
        for step in verdict.steps:
            logger.log(TRACE, "%s", step)
        if best is None:
            logger.debug("Encoding detection: Unable to determine any suitable charset.")
        else:
            logger.debug("Encoding detection: %s is most likely the one.", best.encoding)
    finally:
        if explain:
            logger.removeHandler(explain_handler)
            logger.setLevel(level)


def from_fp(fp: BinaryIO, *arguments: Any, **keywords: Any) -> CharsetMatches:
    """Call `from_bytes` for the rest of a binary file."""
    return from_bytes(fp.read(), *arguments, **keywords)


def from_path(path: str | bytes | os.PathLike[Any], *arguments: Any, **keywords: Any) -> CharsetMatches:
    """Call `from_bytes` for the file at *path*."""
    with open(path, "rb") as fp:
        return from_fp(fp, *arguments, **keywords)


def is_binary(
    fp_or_path_or_payload: os.PathLike[Any] | str | BinaryIO | bytes | bytearray,
    *arguments: Any,
    **keywords: Any,
) -> bool:
    """Whether a file, a path or bytes are binary; a str is a path."""
    if len(arguments) < _FALLBACK:
        keywords.setdefault("enable_fallback", False)
    if isinstance(fp_or_path_or_payload, str | os.PathLike):
        return not from_path(fp_or_path_or_payload, *arguments, **keywords)
    if isinstance(fp_or_path_or_payload, bytes | bytearray):
        return not from_bytes(fp_or_path_or_payload, *arguments, **keywords)
    return not from_fp(fp_or_path_or_payload, *arguments, **keywords)


def detect(byte_str: bytes, should_rename_legacy: bool = False, **kwargs: Any) -> ResultDict:
    """Answer like chardet 5, with its names unless *should_rename_legacy*; without a result, None, '', None."""
    if kwargs:
        names = ", ".join(map(repr, kwargs))
        warnings.warn(f"detect() does not take {names}; it has no effect", UserWarning, stacklevel=2)
    best = from_bytes(byte_str).best()
    if best is None:
        return ResultDict(encoding=None, language="", confidence=None)
    name = best.encoding
    if name == "utf_8" and best.bom:
        name += "_sig"
    if not should_rename_legacy:
        name = table("charset_normalizer_legacy").get(name, name)
    language = "" if best.language == "Unknown" else best.language
    return ResultDict(encoding=name, language=language, confidence=1.0 - best.chaos)


def _known(labels: Sequence[str] | None) -> list[str] | None:
    """Return the labels that are encodings, as charset-normalizer does; an empty list is no restriction."""
    if not labels:
        return None
    return [known.name for label in labels if (known := lookup(label)) is not None]


def _python_name(name: str) -> str:
    """Return the name of Python's codec module: 'utf_8', 'iso8859_2', 'latin_1'."""
    return "latin_1" if squeeze(name) == "iso88591" else name.replace("-", "_")


def _their_name(payload: bytes | bytearray, verdict: Verdict) -> str:
    """Return charset-normalizer's name for the reading."""
    name = verdict.codec or ""
    if name == "utf-8-sig":
        return "utf_8"  # `bom` is true then; UTF-16 with a mark is 'utf_16'
    if name == "ascii":
        # With terminal escapes, or more than a few NULs, charset-normalizer does not call it ASCII.
        return "utf_8" if 0x1B in payload or payload.count(0) > len(payload) * FEW else "ascii"
    wider = table("charset_normalizer_alike").get(name)
    return _python_name(wider if wider and same_text(bytes(payload), name, wider) else name)


def _from_verdict(payload: bytes | bytearray, verdict: Verdict) -> CharsetMatches:
    if verdict.encoding is None or verdict.codec is None:
        return CharsetMatches()
    chaos = round(1.0 - verdict.confidence, 6)
    languages = [(language_name(verdict.language), verdict.confidence)] if verdict.language else []
    name = _their_name(payload, verdict)
    best = CharsetMatch(payload, name, chaos, bool(verdict.bom), languages)
    others = (_python_name(other) for other in (verdict.encoding, *verdict.equivalents))
    for other in dict.fromkeys(others):
        if other != name and not verdict.bom:
            best.add_submatch(CharsetMatch(payload, other, chaos, False, languages))
    matches = CharsetMatches([best])
    for reading in verdict.alternatives:
        spoken = [(language_name(reading.language), reading.confidence)] if reading.language else []
        unsure = round(1.0 - reading.confidence, 6)
        matches.append(CharsetMatch(payload, _python_name(reading.encoding), unsure, False, spoken))
    return matches


if __name__ == "__main__":
    from charlens.compat.normalizer import cli_detect

    raise SystemExit(cli_detect())
