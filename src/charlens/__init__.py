"""charlens: are these bytes text, in which encoding, and what do they say?

>>> import charlens
>>> charlens.detect("Grüße aus Köln".encode()).encoding
'utf-8'
"""

from typing import TYPE_CHECKING

from charlens.api import decode, detect, detect_many, is_text
from charlens.errors import (
    ChangedOnDiskError,
    CharlensError,
    NotTextError,
    UnencodableError,
    UnknownEncodingError,
)
from charlens.inputs.paths import detect_path
from charlens.types import Alternative, Outcome, Span, Step, Verdict

if TYPE_CHECKING:
    from charlens import codec
    from charlens.explanation import Contribution, Explanation, explain
    from charlens.files.document import Document, load
    from charlens.inputs.mixed import Segment, decode_mixed, segments
    from charlens.inputs.pooled import detect_together
    from charlens.inputs.stream import Detector

__version__ = "0.1.0"

__all__ = [
    "Alternative",
    "ChangedOnDiskError",
    "CharlensError",
    "Contribution",
    "Detector",
    "Document",
    "Explanation",
    "NotTextError",
    "Outcome",
    "Segment",
    "Span",
    "Step",
    "UnencodableError",
    "UnknownEncodingError",
    "Verdict",
    "codec",
    "decode",
    "decode_mixed",
    "detect",
    "detect_many",
    "detect_path",
    "detect_together",
    "explain",
    "is_text",
    "load",
    "segments",
]


# Loaded when first asked for: who only detects does not pay for the rest at import.
_LATER = {
    "Detector": "inputs.stream",
    "Document": "files.document",
    "load": "files.document",
    "Contribution": "explanation",
    "Explanation": "explanation",
    "explain": "explanation",
    "detect_together": "inputs.pooled",
    "Segment": "inputs.mixed",
    "decode_mixed": "inputs.mixed",
    "segments": "inputs.mixed",
}


def __getattr__(name: str) -> object:
    if name in _LATER:
        from importlib import import_module

        return getattr(import_module(f"charlens.{_LATER[name]}"), name)
    if name in ("codec", "html"):
        from importlib import import_module

        return import_module(f"charlens.{name}")
    raise AttributeError(f"module 'charlens' has no attribute {name!r}")
