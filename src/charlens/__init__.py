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
    from charlens.document import Document, load

__version__ = "0.1.0"

__all__ = [
    "Alternative",
    "ChangedOnDiskError",
    "CharlensError",
    "Document",
    "NotTextError",
    "Outcome",
    "Span",
    "Step",
    "UnencodableError",
    "UnknownEncodingError",
    "Verdict",
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
    if name == "html":
        import charlens.html

        return charlens.html
    raise AttributeError(f"module 'charlens' has no attribute {name!r}")
