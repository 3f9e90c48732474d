"""The public answer: `Verdict`, and what it is made of.

This module imports nothing of ours, so every part may import it.  What the stages tell each other is in `findings`.
"""

# Named tuples, not dataclasses, and annotations that are not strings: both for the import, which is 8 ms
# shorter for it (docs/decisions/0002).

from collections.abc import Iterable, Mapping
from enum import Enum
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from charlens.findings import Finding

#: What the stages read: `bytes`, or a flat `memoryview` of unsigned bytes over anything else.
Buffer = bytes | memoryview

#: The most damaged ranges that a verdict lists; hostile input could have millions.
MOST_SPANS = 1000
#: The most values of a field that `repr` shows.
_MOST_SHOWN = 3


class Outcome(Enum):
    """What the bytes are."""

    TEXT = "text"
    BINARY = "binary"
    UNDECIDED = "undecided"


class Span(NamedTuple):
    """A range of bytes, *end* not included."""

    start: int
    end: int


class Part(NamedTuple):
    """A range of bytes in one encoding, *end* not included: a part of an input in several encodings."""

    start: int
    end: int
    encoding: str


class Step(NamedTuple):
    """What one stage found, in words, with the offset that it speaks of where there is one."""

    stage: str
    words: str
    offset: int | None = None

    def __str__(self) -> str:
        return f"{self.stage}: {self.words}"


class Alternative(NamedTuple):
    """Another reading of the same bytes, with the probability that it is the right one.

    It decodes them, a character cut off at the end aside.
    """

    encoding: str
    confidence: float
    language: str | None = None


class Verdict(NamedTuple):
    """One answer about one input."""

    outcome: Outcome
    #: A name that `bytes.decode` takes; it decodes this input, unless there is `damage`.
    encoding: str | None
    #: A probability: of the answers given with 0.9, nine in ten are right.
    confidence: float
    #: BCP 47, such as 'ru', 'zh-Hant', 'sr-Latn'.
    language: str | None = None
    #: The byte order mark that the input opens with, or b"".
    bom: bytes = b""
    #: Other encodings that give exactly the same text for these bytes.
    equivalents: tuple[str, ...] = ()
    #: Readings that give another text, the likeliest first.
    alternatives: tuple[Alternative, ...] = ()
    #: Ranges of bytes that do not decode; only the first `MOST_SPANS` are listed.
    damage: tuple[Span, ...] = ()
    #: The number of bytes at the end that begin an unfinished character: a cut, not damage.
    cut: int = 0
    #: What the stages found, in their order; `steps` puts it into words.
    findings: "Iterable[Finding]" = ()
    #: The name of the encoding in the WHATWG standard ('Shift_JIS'), where it has one.
    web_name: str | None = None
    #: The format of a file that is more than plain text, by its first bytes ('application/pdf'); else None.
    media_type: str | None = None
    #: The parts of an input in several encodings, in order; () where it is in one, as far as a quick look can tell.
    mixed: tuple[Part, ...] = ()

    def __repr__(self) -> str:
        """Show what matters: ASCII has 80 equivalents, and the findings are for `steps`."""
        shown = {name: repr(value) for name, value in zip(self._fields, self, strict=True) if value}
        shown.pop("findings", None)
        for name in ("equivalents", "alternatives", "damage", "mixed"):
            values = getattr(self, name)
            if len(values) > _MOST_SHOWN:
                listed = ", ".join(map(repr, values[:_MOST_SHOWN]))
                shown[name] = f"({listed}, … {len(values) - _MOST_SHOWN} more)"
        shown["outcome"] = str(self.outcome)
        return "Verdict(" + ", ".join(f"{name}={value}" for name, value in shown.items()) + ")"

    @property
    def steps(self) -> tuple[Step, ...]:
        """What each stage found, in order: the explanation of the answer."""
        return tuple(finding.step() for finding in self.findings)

    def to_dict(self) -> dict[str, Any]:
        """Return the answer as plain data for JSON: the mark in hexadecimal, the steps in words."""
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
        """The codec that also takes the mark away: 'utf-8-sig' or 'utf-16' for a file with a mark.

        `open(path, encoding=verdict.codec)` reads the text without a U+FEFF in front of it.
        """
        return _MARK_EATING.get(self.encoding or "", self.encoding) if self.bom else self.encoding


_MARK_EATING: Mapping[str, str] = {
    "utf-8": "utf-8-sig",
    "utf-16-le": "utf-16",
    "utf-16-be": "utf-16",
    "utf-32-le": "utf-32",
    "utf-32-be": "utf-32",
}
