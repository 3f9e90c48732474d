"""A drop-in for charset-normalizer 3: `from_bytes`, `from_path`, `from_fp`, `is_binary`, `detect` and their matches.

Names, shapes and keywords are charset-normalizer's; the answers are ours.  `chaos` is what is missing to certainty,
one minus our confidence.  What differs, and why, is in docs/drop-ins.md.
"""

from __future__ import annotations

import logging
import os
import sys
import warnings
from collections.abc import Sequence
from typing import Any, BinaryIO, TypedDict

from charlens.api import detect as _detect
from charlens.compat.matches import CharsetMatch, CharsetMatches
from charlens.compat.tables import language_name, table
from charlens.encodings import lookup, squeeze
from charlens.types import Verdict

#: The version whose interface this is; requests and others compare it.
__version__ = "3.5.2"
VERSION = __version__.split(".")

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
    """Return the readings of *sequences*, the likeliest first; none where it is binary.

    *cp_isolation* and *cp_exclusion* name encodings; *explain* prints our steps to standard error.  The other
    keywords tune a method that is not ours, and have no effect.
    """
    if not isinstance(sequences, bytes | bytearray):
        raise TypeError(f"Expected object of type bytes or bytearray, got: {type(sequences)}")
    if not sequences:
        return CharsetMatches([CharsetMatch(sequences, "utf_8", 0.0, False, [], "")])
    verdict = _detect(sequences, only=_known(cp_isolation), never=_known(cp_exclusion))
    if explain:
        print(*verdict.steps, sep="\n", file=sys.stderr)
    return _from_verdict(sequences, verdict)


def from_fp(fp: BinaryIO, *arguments: Any, **keywords: Any) -> CharsetMatches:
    """Do `from_bytes` for what is left to read in a binary file."""
    return from_bytes(fp.read(), *arguments, **keywords)


def from_path(path: str | bytes | os.PathLike[Any], *arguments: Any, **keywords: Any) -> CharsetMatches:
    """Do `from_bytes` for the file at *path*."""
    with open(path, "rb") as fp:
        return from_fp(fp, *arguments, **keywords)


def is_binary(
    fp_or_path_or_payload: os.PathLike[Any] | str | BinaryIO | bytes | bytearray,
    *arguments: Any,
    **keywords: Any,
) -> bool:
    """Tell whether a file, a path or bytes are no text in any encoding; a str is a path."""
    if isinstance(fp_or_path_or_payload, str | os.PathLike):
        return not from_path(fp_or_path_or_payload, *arguments, **keywords)
    if isinstance(fp_or_path_or_payload, bytes | bytearray):
        return not from_bytes(fp_or_path_or_payload, *arguments, **keywords)
    return not from_fp(fp_or_path_or_payload, *arguments, **keywords)


def detect(byte_str: bytes, should_rename_legacy: bool = False, **kwargs: Any) -> ResultDict:
    """Answer as chardet 5 did, with its names unless *should_rename_legacy*; nothing found is None, '', None."""
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


def set_logging_handler(
    name: str = "charset_normalizer",
    level: int = logging.INFO,
    format_string: str = "%(asctime)s | %(levelname)s | %(message)s",
) -> None:
    """Add a handler to the logger *name*; nothing of ours logs there."""
    handler = logging.StreamHandler()
    handler.setFormatter(logging.Formatter(format_string))
    logger = logging.getLogger(name)
    logger.setLevel(level)
    logger.addHandler(handler)


def _known(labels: Sequence[str] | None) -> list[str] | None:
    """Return the labels that are encodings; the others are passed over, as charset-normalizer does."""
    if labels is None:
        return None
    return [label for label in labels if lookup(label) is not None]


def _python_name(name: str) -> str:
    """Return the name as Python's module for the codec has it: 'utf_8', 'iso8859_2', 'latin_1'."""
    return "latin_1" if squeeze(name) == "iso88591" else name.replace("-", "_")


def _from_verdict(payload: bytes | bytearray, verdict: Verdict) -> CharsetMatches:
    if verdict.encoding is None or verdict.codec is None:
        return CharsetMatches()
    chaos = round(1.0 - verdict.confidence, 6)
    languages = [(language_name(verdict.language), verdict.confidence)] if verdict.language else []
    # 'utf_8' with `bom` true, but 'utf_16': so charset-normalizer names what has a mark.
    name = "utf_8" if verdict.codec == "utf-8-sig" else _python_name(verdict.codec)
    best = CharsetMatch(payload, name, chaos, bool(verdict.bom), languages)
    for other in verdict.equivalents:
        best.add_submatch(CharsetMatch(payload, _python_name(other), chaos, False, languages))
    matches = CharsetMatches([best])
    for reading in verdict.alternatives:
        spoken = [(language_name(reading.language), reading.confidence)] if reading.language else []
        unsure = round(1.0 - reading.confidence, 6)
        matches.append(CharsetMatch(payload, _python_name(reading.encoding), unsure, False, spoken))
    return matches
