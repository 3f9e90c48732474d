"""charlens: are these bytes text, in which encoding, and what do they say?

>>> import charlens
>>> charlens.detect("Grüße aus Köln".encode()).encoding
'utf-8'
"""

from typing import TYPE_CHECKING

from charlens.detect import decode, detect, detect_many, is_text
from charlens.errors import (
    ChangedOnDiskError,
    CharlensError,
    NotTextError,
    UnencodableError,
    UnknownEncodingError,
)
from charlens.files import detect_path
from charlens.types import Alternative, Outcome, Span, Step, Verdict

if TYPE_CHECKING:
    from charlens import codec
    from charlens.document import Document, load
    from charlens.stream import Detector

__version__ = "0.1.0"

__all__ = [
    "Alternative",
    "ChangedOnDiskError",
    "CharlensError",
    "Detector",
    "Document",
    "NotTextError",
    "Outcome",
    "Span",
    "Step",
    "UnencodableError",
    "UnknownEncodingError",
    "Verdict",
    "codec",
    "decode",
    "detect",
    "detect_many",
    "detect_path",
    "is_text",
    "load",
]


def __getattr__(name: str) -> object:
    # Loaded when first asked for: who only detects does not pay for the rest at import.
    if name in ("Document", "load"):
        from charlens import document

        return getattr(document, name)
    if name == "Detector":
        from charlens.stream import Detector

        return Detector
    if name == "codec":
        from importlib import import_module

        return import_module("charlens.codec")
    raise AttributeError(f"module 'charlens' has no attribute {name!r}")
