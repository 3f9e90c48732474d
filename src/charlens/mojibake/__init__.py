"""Repair text that was decoded wrongly before it was saved: whole, or not at all.

`repair(text)` undoes UTF-8 that was read as a legacy encoding, up to three times, line by line; a line is
repaired whole, and only where the result looks clearly more like text.  If something wrong were left, nothing
is repaired.
"""

from __future__ import annotations

import math
from collections import defaultdict
from typing import NamedTuple

from charlens.mojibake.chains import CODECS, find_suspects, undo_line
from charlens.mojibake.oddness import oddness, strangeness

__all__ = ["Part", "Repair", "repair"]

#: Points by which a text must look less odd. One sign inside a word is 4: 'one Ã© is chance' has 3, 'cafÃ©' has 6.
_ENOUGH = 4
#: With this much evidence in the whole text, a line of it needs none of its own.
_PLENTY = 12
#: Of texts that look equally good, the one that more levels lead to: a valid sequence is seldom there by chance.
_DEEPER = 0.95
#: And of those, the one by the commoner encoding.
_PER_CODEC = 0.02
#: What a point of oddness adds to the logarithm of the odds, and what they begin with: one text in some
#: thousand is such.
_PER_POINT, _PRIOR = 2.0, -7.0


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


class _Line:
    """A line that may have been read wrongly, and what it may have been."""

    __slots__ = ("chain", "end", "evidence", "new", "options", "ranks", "start")

    def __init__(self, start: int, end: int, text: str) -> None:
        self.start, self.end = start, end
        odd = oddness(text)
        #: From a chain of encodings to the text, and to how much less odd it is.
        self.options = {chain: (new, odd - oddness(new)) for chain, new in undo_line(text).items()}
        #: The chains by how good their text looks; the evidence counts first.
        self.ranks = {
            chain: points
            - strangeness(new)
            + sum(_DEEPER - _PER_CODEC * CODECS.index(codec) for codec in chain)
            for chain, (new, points) in self.options.items()
        }
        self.new = text
        self.chain: tuple[str, ...] = ()
        self.evidence = 0

    def take(self, chain: tuple[str, ...]) -> None:
        self.chain = chain
        self.new, self.evidence = self.options[chain]


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
        ranks: defaultdict[tuple[str, ...], float] = defaultdict(float)
        left = [line for line in self.lines.values() if not line.chain]
        for line in left:
            for chain, rank in line.ranks.items():
                ranks[chain] += rank
        if not ranks:
            return False
        chain = max(ranks, key=ranks.__getitem__)
        most = sum(line.options[chain][1] for line in left if chain in line.options)
        least = 0 if most >= _PLENTY else _ENOUGH
        taken = [line for line in left if chain in line.options and line.options[chain][1] >= least]
        for line in taken:
            line.take(chain)
        return bool(taken) and most >= _ENOUGH

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
        return Repair(text, parts, chain, 1 / (1 + math.exp(-(_PRIOR + _PER_POINT * evidence))))
