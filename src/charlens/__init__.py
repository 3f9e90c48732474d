"""charlens: are these bytes text, in which encoding, and what do they say?

    >>> import charlens
    >>> charlens.detect("Grüße aus Köln".encode()).encoding
    'utf-8'
"""

from charlens.detect import decode, detect, detect_many, is_text
from charlens.errors import (
    ChangedOnDiskError,
    CharlensError,
    NotTextError,
    UnencodableError,
    UnknownEncodingError,
)
from charlens.types import Alternative, Outcome, Span, Step, Verdict

__version__ = "0.1.0"

__all__ = [
    "Alternative",
    "ChangedOnDiskError",
    "CharlensError",
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
    "is_text",
]
