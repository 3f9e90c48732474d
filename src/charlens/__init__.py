"""Detect the encoding and language of bytes and files, and read, edit and convert them without damage.

>>> import charlens
>>> charlens.detect("Grüße aus Köln".encode()).encoding
'utf-8'
"""

from typing import TYPE_CHECKING

from charlens.api import decode, detect, detect_many, is_text
from charlens.errors import (
    ChangedOnDiskError,
    CharlensError,
    LimitError,
    NotTextError,
    UnencodableError,
    UnknownEncodingError,
)
from charlens.forking import guard_forks as _guard_forks
from charlens.inputs.paths import detect_path
from charlens.types import Alternative, Outcome, Span, Step, Verdict

if TYPE_CHECKING:
    from charlens import batch, codec
    from charlens.explanation import Contribution, Explanation, explain
    from charlens.files.conversion import convert
    from charlens.files.document import Document, load
    from charlens.inputs.mixed import Segment, decode_mixed, segments
    from charlens.inputs.pooled import detect_together
    from charlens.inputs.stream import Detector
    from charlens.keywords import Hints, Keywords
    from charlens.mojibake import repair

__version__ = "0.1.0"

_guard_forks()

__all__ = [
    "Alternative",
    "ChangedOnDiskError",
    "CharlensError",
    "Contribution",
    "Detector",
    "Document",
    "Explanation",
    "Hints",
    "Keywords",
    "LimitError",
    "NotTextError",
    "Outcome",
    "Segment",
    "Span",
    "Step",
    "UnencodableError",
    "UnknownEncodingError",
    "Verdict",
    "batch",
    "codec",
    "convert",
    "decode",
    "decode_mixed",
    "detect",
    "detect_many",
    "detect_path",
    "detect_together",
    "explain",
    "is_text",
    "load",
    "repair",
    "segments",
]


#: Names that are loaded on first use, so that a program that only detects does not pay for them, and their modules.
_LATER = {
    "Contribution": "explanation",
    "Detector": "inputs.stream",
    "Document": "files.document",
    "Explanation": "explanation",
    "Hints": "keywords",
    "Keywords": "keywords",
    "Segment": "inputs.mixed",
    "convert": "files.conversion",
    "decode_mixed": "inputs.mixed",
    "detect_together": "inputs.pooled",
    "explain": "explanation",
    "load": "files.document",
    "repair": "mojibake",
    "segments": "inputs.mixed",
}
_MODULES = ("batch", "codec", "compat", "encodings", "html", "integrations")


def __getattr__(name: str) -> object:
    from importlib import import_module

    if name in _LATER:
        return getattr(import_module(f"charlens.{_LATER[name]}"), name)
    if name in _MODULES:
        return import_module(f"charlens.{name}")
    raise AttributeError(f"module 'charlens' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*__all__, *_MODULES, "__version__"})
