"""The public answer: `Verdict`, and its parts.

This module imports nothing from charlens, so every module may import it.  What the stages pass to each other is in
`findings`.
"""

# Named tuples, not dataclasses, and annotations that are not strings: both make the import 8 ms faster
# (docs/decisions/0002).

from collections.abc import Iterable, Mapping
from enum import Enum
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from charlens.findings import Finding

#: The input of the stages: `bytes`, or a flat `memoryview` of unsigned bytes.
Buffer = bytes | memoryview

#: The most damaged ranges that a verdict lists; hostile input could have millions.
MOST_SPANS = 1000
#: The most values of a field that `repr` shows.
_MOST_SHOWN = 3


class Outcome(Enum):
    """Whether the input is text or binary; undecided if it is empty, or if no encoding is likely enough."""

    TEXT = "text"
    BINARY = "binary"
    UNDECIDED = "undecided"


class Span(NamedTuple):
    """A range of bytes; *end* is exclusive."""

    start: int
    end: int


class Part(NamedTuple):
    """A range of bytes in one encoding, in an input with several encodings; *end* is exclusive."""

    start: int
    end: int
    encoding: str


class Step(NamedTuple):
    """What one stage found, as a sentence, with the offset it is about, if any."""

    stage: str
    words: str
    offset: int | None = None

    def __str__(self) -> str:
        return f"{self.stage}: {self.words}"


class Alternative(NamedTuple):
    """Another encoding that decodes the same bytes to a different text, with its probability."""

    encoding: str
    confidence: float
    language: str | None = None

    def __repr__(self) -> str:
        """Show the confidence with a few digits."""
        return f"Alternative({self.encoding!r}, {self.confidence:.4g}, {self.language!r})"


class Verdict(NamedTuple):
    """The answer for one input."""

    outcome: Outcome
    #: A name that `bytes.decode` accepts. It decodes the whole input, except for the bytes in `damage` and `cut`.
    encoding: str | None
    #: A probability: of the answers with 0.9, nine in ten are right.
    confidence: float
    #: A BCP 47 tag such as 'ru', 'zh-Hant' or 'sr-Latn'.
    language: str | None = None
    #: The byte order mark at the start of the input, or b"".
    bom: bytes = b""
    #: Other encodings that decode these bytes to exactly the same text.
    equivalents: tuple[str, ...] = ()
    #: Encodings that decode them to a different text, most likely first.
    alternatives: tuple[Alternative, ...] = ()
    #: Ranges of bytes that do not decode; only the first `MOST_SPANS` are listed.
    damage: tuple[Span, ...] = ()
    #: The number of bytes of an incomplete character at the end of the input; it does not count as damage.
    cut: int = 0
    #: What the stages found, in order; `steps` has the same as sentences.
    findings: "Iterable[Finding]" = ()
    #: The name of the encoding in the WHATWG standard ('Shift_JIS'), if it has one.
    web_name: str | None = None
    #: The file format, recognised by its first bytes ('application/pdf'); None for plain text.
    media_type: str | None = None
    #: The parts of an input with several encodings, in order; () if no change of encoding was noticed.
    mixed: tuple[Part, ...] = ()

    def __repr__(self) -> str:
        """Show the important fields, with long lists shortened."""
        shown = {name: repr(value) for name, value in zip(self._fields, self, strict=True) if value}
        shown.pop("findings", None)
        shown["confidence"] = f"{self.confidence:.4g}"
        for name in ("equivalents", "alternatives", "damage", "mixed"):
            values = getattr(self, name)
            if len(values) > _MOST_SHOWN:
                listed = ", ".join(map(repr, values[:_MOST_SHOWN]))
                shown[name] = f"({listed}, … {len(values) - _MOST_SHOWN} more)"
        shown["outcome"] = str(self.outcome)
        return "Verdict(" + ", ".join(f"{name}={value}" for name, value in shown.items()) + ")"

    @property
    def steps(self) -> tuple[Step, ...]:
        """What each stage found, as sentences: the explanation of the answer."""
        return tuple(finding.step() for finding in self.findings)

    def to_dict(self) -> dict[str, Any]:
        """Return the verdict as a dictionary for JSON; the byte order mark is in hexadecimal."""
        return {
            "outcome": self.outcome.value,
            "encoding": self.encoding,
            "confidence": round(self.confidence, 4),
            "language": self.language,
            "bom": self.bom.hex(),
            "web_name": self.web_name,
            "media_type": self.media_type,
            "damage": [list(span) for span in self.damage],
            "cut": self.cut,
            "mixed": [list(part) for part in self.mixed],
            "equivalents": list(self.equivalents),
            "alternatives": [
                {**each._asdict(), "confidence": round(each.confidence, 4)} for each in self.alternatives
            ],
            "steps": [str(step) for step in self.steps],
        }

    @property
    def is_text(self) -> bool:
        """Whether the outcome is `Outcome.TEXT`."""
        return self.outcome is Outcome.TEXT

    @property
    def codec(self) -> str | None:
        """The encoding to use with `open`: 'utf-8-sig' or 'utf-16' for a file with a byte order mark.

        `open(path, encoding=verdict.codec)` reads the text without U+FEFF at the start.
        """
        return _MARK_EATING.get(self.encoding or "", self.encoding) if self.bom else self.encoding


_MARK_EATING: Mapping[str, str] = {
    "utf-8": "utf-8-sig",
    "utf-16-le": "utf-16",
    "utf-16-be": "utf-16",
    "utf-32-le": "utf-32",
    "utf-32-be": "utf-32",
}
