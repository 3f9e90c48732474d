"""Repair text that was decoded wrongly before it was saved: whole, or not at all.

`repair(text)` undoes UTF-8 that was read as a legacy encoding, up to three times, line by line; a line is
repaired whole, and only where the result looks clearly more like text.  If something wrong were left, nothing
is repaired.
"""

from __future__ import annotations

import math
import re
from collections import defaultdict
from typing import NamedTuple

from charlens.mojibake.chains import CODECS, find_suspects, undo_line
from charlens.mojibake.oddness import PRIOR, evidence

__all__ = ["Part", "Repair", "repair"]

#: Evidence for which a text is repaired: with the prior, a probability of 0.95. With 0.9, 'Ăştia' would become 'útia'.
_ENOUGH = math.log(19) - PRIOR
#: With this much evidence in the whole text, a line of it needs none of its own.
_PLENTY = 3 * _ENOUGH
#: And by this the best reading must be ahead of any other: '┼¢ao' is 'Žao' by cp850, and 'śao' by cp437.
_CLEARLY = 1.0


class Part(NamedTuple):
    """A range of the text (*end* not included), and what it should be."""

    start: int
    end: int
    new: str


class Repair(NamedTuple):
    """A text, repaired where it had to be."""

    text: str
    #: What was changed, against the text as it was given; () where nothing was.
    parts: tuple[Part, ...] = ()
    #: What the text was read as, wrongly; the first to be undone first.
    chain: tuple[str, ...] = ()
    #: How likely it is that the repair is right.
    probability: float = 0.0
    #: Why nothing was repaired though something looks wrong, or ''.
    refusal: str = ""

    @property
    def changed(self) -> bool:
        """Whether something was repaired."""
        return bool(self.parts)


def repair(text: str | bytes) -> Repair:
    """Return *text* with what was decoded wrongly put right; bytes are decoded first, as `charlens.decode` does."""
    if not isinstance(text, str):
        from charlens.api import decode

        text = decode(text)
    if text.isascii():
        return Repair(text)
    found = _Search(text)
    found.run()
    return found.result()


_RUN = re.compile("[^\\x00-\\x7f]+")


class _Line:
    """A line that may have been read wrongly, and what it may have been."""

    __slots__ = ("chain", "end", "evidence", "new", "options", "runs", "start")

    def __init__(self, start: int, end: int, text: str) -> None:
        self.start, self.end = start, end
        #: From a chain of encodings to the text, and how much speaks for it.
        self.options = {chain: (new, evidence(text, new)) for chain, new in undo_line(text).items()}
        #: What the line has beyond ASCII; a word that comes often is evidence only once.
        self.runs = frozenset(_RUN.findall(text))
        self.new = text
        self.chain: tuple[str, ...] = ()
        self.evidence = 0.0

    def take(self, chain: tuple[str, ...]) -> None:
        self.chain = chain
        self.new, self.evidence = self.options[chain]

    def differs(self, chain: tuple[str, ...], others: list[tuple[str, ...]]) -> bool:
        """Whether one of the *others* gives another text than *chain*."""
        return any(
            other in self.options and self.options[other][0] != self.options[chain][0] for other in others
        )


class _Search:
    """Undoes the lines of one text: the chain with most evidence first, then the next for what is left."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.lines: dict[int, _Line] = {}

    def run(self) -> None:
        """Find the lines concerned, and undo those for which there is enough evidence."""
        for start, end in find_suspects(self.text):
            if start not in self.lines:
                self.lines[start] = _Line(start, end, self.text[start:end])
        while self._take_best():
            pass

    def _take_best(self) -> bool:
        left = [line for line in self.lines.values() if not line.chain]
        sums = self._sums(left)
        if not sums:
            return False
        ranks = {each: points + sum(CODECS[codec] for codec in each) for each, points in sums.items()}
        chain = max(ranks, key=ranks.__getitem__)
        if sums[chain] < _ENOUGH:
            return False
        least = 0 if sums[chain] >= _PLENTY else _ENOUGH
        taken = [line for line in left if chain in line.options and line.options[chain][1] >= least]
        rivals = [each for each, rank in ranks.items() if ranks[chain] - rank < _CLEARLY]
        if any(line.differs(chain, rivals) for line in taken):
            return False
        for line in taken:
            line.take(chain)
        return bool(taken)

    def _sums(self, lines: list[_Line]) -> dict[tuple[str, ...], float]:
        """Return the evidence for each chain: of all lines, each different run of characters once."""
        sums: defaultdict[tuple[str, ...], float] = defaultdict(float)
        seen: defaultdict[tuple[str, ...], set[str]] = defaultdict(set)
        for line in lines:
            for chain, (_, points) in line.options.items():
                new = line.runs - seen[chain]
                sums[chain] += points * len(new) / len(line.runs)
                seen[chain] |= new
        return sums

    def result(self) -> Repair:
        """Return the repair, or the text as it was where something wrong would be left."""
        lines = sorted((line for line in self.lines.values() if line.chain), key=lambda line: line.start)
        if not lines:
            return Repair(self.text)
        from charlens.mojibake.damage import find_leftovers

        pieces, done = [], 0
        for line in lines:
            pieces += [self.text[done : line.start], line.new]
            done = line.end
        text = "".join([*pieces, self.text[done:]])
        leftovers = find_leftovers(text)
        if leftovers:
            first = leftovers[0]
            return Repair(
                self.text, refusal=f"something wrong would be left: {text[first.start : first.end]!r}"
            )
        evidence = sum(line.evidence for line in lines)
        parts = tuple(Part(line.start, line.end, line.new) for line in lines)
        chain = max((line.chain for line in lines), key=len)
        return Repair(text, parts, chain, 1 / (1 + math.exp(-(PRIOR + evidence))))
