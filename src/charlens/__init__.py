"""Detect the encoding and language of bytes and files, and read, edit and convert them without damage.

>>> import charlens
>>> data = "Съешь же ещё этих мягких французских булок.".encode("cp1251")
>>> charlens.detect(data).encoding
'cp1251'
>>> charlens.decode(data)
'Съешь же ещё этих мягких французских булок.'

- `detect(data)`, `detect_path(path)`: the encoding, the language and the confidence, as a `Verdict`
- `decode(data)`: the text
- `convert(data, "utf-8")`: the bytes in another encoding
- `load(path)`: a `Document`, to edit a file and save it in its own encoding
- `repair(text)`: the text without mojibake (`GrÃ¼ÃŸe` becomes `Grüße`)
- `explain(data)`: why the answer is what it is
- `detect_many`, `detect_together`, `Detector`, `decode_mixed`: many inputs, short strings from one source,
  streams, and files in several encodings
- `charlens.html`, `charlens.codec`, `charlens.integrations`, `charlens.compat`: web pages, `open(path,
  encoding="auto")`, other libraries, and replacements for chardet and others
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


#: Names that are imported on first use, with their modules. This keeps `import charlens` fast.
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
