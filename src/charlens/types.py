"""The vocabulary: what the parts of charlens say to one another and to the user.

This module imports nothing of ours, so every part may import it.  A *finding* is what one
stage saw; it can put itself into words as a `Step`.  A `Verdict` is the answer.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Protocol

#: What the stages read: `bytes`, or a flat `memoryview` of unsigned bytes over anything else.
Buffer = bytes | memoryview


class Outcome(Enum):
    """What the bytes are."""

    TEXT = "text"
    BINARY = "binary"
    UNDECIDED = "undecided"


@dataclass(frozen=True, slots=True, order=True)
class Span:
    """A range of bytes, *end* not included."""

    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Step:
    """What one stage found, in words, with the offset that it speaks of where there is one."""

    stage: str
    words: str
    offset: int | None = None

    def __str__(self) -> str:
        return f"{self.stage}: {self.words}"


@dataclass(frozen=True, slots=True)
class Alternative:
    """Another reading of the same bytes, with the probability that it is the right one."""

    encoding: str
    confidence: float
    language: str | None = None


class Finding(Protocol):
    """What a stage returns: anything that can say itself in words."""

    def step(self) -> Step:
        """Put the finding into words."""


@dataclass(frozen=True, slots=True)
class Verdict:
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
    #: What the stages found, in their order; `steps` puts it into words.
    findings: tuple[Finding, ...] = field(default=(), repr=False, compare=False)
    #: The name of the encoding in the WHATWG standard ('Shift_JIS'), where it has one.
    web_name: str | None = None

    @property
    def steps(self) -> tuple[Step, ...]:
        """What each stage found, in order: the explanation of the answer."""
        return tuple(finding.step() for finding in self.findings)

    @property
    def is_text(self) -> bool:
        """Whether the outcome is `Outcome.TEXT`."""
        return self.outcome is Outcome.TEXT

    @property
    def codec(self) -> str | None:
        """The codec that also takes the mark away: 'utf-8-sig' or 'utf-16' for a file with a mark.

        `open(path, encoding=verdict.codec)` reads the text without a U+FEFF in front of it.
        """
        if self.bom and self.encoding in _MARK_EATING:
            return _MARK_EATING[self.encoding]
        return self.encoding


#: At most so many damaged ranges are listed in a verdict; hostile input could have millions.
MOST_SPANS = 1000

_MARK_EATING: Mapping[str, str] = {
    "utf-8": "utf-8-sig",
    "utf-16-le": "utf-16",
    "utf-16-be": "utf-16",
    "utf-32-le": "utf-32",
    "utf-32-be": "utf-32",
}


@dataclass(frozen=True, slots=True)
class Options:
    """The keywords of `detect` as they travel inside."""

    only: frozenset[str] | None = None
    never: frozenset[str] = frozenset()
    hints: Mapping[str, object] | None = None
    content_type: str | None = None
    declared: str = "verify"
    markup: str = "direct"
    model: object | None = None

    def allows(self, encoding: str) -> bool:
        """Whether the caller lets *encoding* be an answer."""
        return (self.only is None or encoding in self.only) and encoding not in self.never
