"""Repair text that was decoded wrongly before it was saved: whole, or not at all.

`repair(text)` undoes UTF-8 that was read as a legacy encoding, up to three times, line by line; a line is
repaired whole, and only where the result is clearly likelier.  If something wrong were left, nothing is repaired.
A text in a legacy encoding of another script that was read as windows-1252 is undone as a whole.
"""

from __future__ import annotations

import math
import re
from collections import defaultdict
from typing import NamedTuple

from charlens.limits import check_time, time_limit
from charlens.mojibake.chains import CODECS, as_bytes, find_suspects, is_written, undo_line
from charlens.mojibake.damage import find_leftovers
from charlens.mojibake.oddness import PRIOR, evidence

__all__ = ["Part", "Repair", "repair"]

#: Evidence for which a text is repaired: with the prior, a probability of 0.95. With 0.9, 'Ăştia' would become 'útia'.
_ENOUGH = math.log(19) - PRIOR
#: With this much evidence in the whole text, a line of it needs none of its own.
_PLENTY = 3 * _ENOUGH
#: How sure `detect` must be of what was misread, and the evidence that it takes: the letters of another script have 20
#: and more in snippets of ten characters; of 55,000 clean snippets in Latin letters none has both.
_SURE = 0.99
_OTHER_SCRIPT = 20.0
#: And by this the best reading must be ahead of any other: '┼¢ao' is 'Žao' by cp850, and 'śao' by cp437.
_CLEARLY = 1.0


class Part(NamedTuple):
    """A range of the text, and what it should be; *end* is exclusive."""

    start: int
    end: int
    new: str


class Repair(NamedTuple):
    """The result of `repair`."""

    text: str
    #: The changes, as ranges of the original text; () if there are none.
    parts: tuple[Part, ...] = ()
    #: The wrong encodings that the text was decoded with, in the order in which they were undone.
    chain: tuple[str, ...] = ()
    #: The probability that the repair is right.
    probability: float = 0.0
    #: The encoding in which the text should have been decoded.
    encoding: str = "utf-8"
    #: Why nothing was repaired although the text looks wrong, or ''.
    refusal: str = ""

    @property
    def changed(self) -> bool:
        """Whether something was repaired."""
        return bool(self.parts)


def repair(text: str | bytes, *, max_seconds: float | None = None) -> Repair:
    """Repair mojibake in *text*: `repair("GrÃ¼ÃŸe").text` is "Grüße".

    Text that is fine, or that cannot be repaired completely, is returned unchanged. Bytes are decoded first, with
    `charlens.decode`. *max_seconds* limits the time; if it is exceeded, `LimitError` is raised.
    """
    with time_limit(max_seconds):
        return _repair(text)


def _repair(text: str | bytes) -> Repair:
    if not isinstance(text, str):
        from charlens.api import decode

        text = decode(text)
    if text.isascii():
        return Repair(text)
    search = _Search(text)
    search.run()
    found = search.result()
    return found if found.changed or found.refusal else _undo_reading(text)


def _undo_reading(text: str) -> Repair:
    """Undo a text in a legacy encoding that was read as windows-1252 or Latin-1: 'Ïðèâåò' is 'Привет' in windows-1251.

    What the bytes are in is for `detect` to say, as it is for any bytes; all of the text is concerned, or nothing.
    """
    from charlens.api import detect

    for codec in ("cp1252", "iso8859-1"):
        data = as_bytes(text, codec)
        verdict = detect(data) if data is not None else None
        if data is None or verdict is None or verdict.encoding is None or verdict.confidence < _SURE:
            continue
        if (
            verdict.damage
            or verdict.cut
            or verdict.mixed
            or codec in (verdict.encoding, *verdict.equivalents)
        ):
            continue
        new = data.decode(verdict.encoding, "replace")
        points = evidence(text, new)
        latin = sum("\x7f" < character < "\u0250" for character in new)
        if 2 * latin > sum(character > "\x7f" for character in new):
            continue  # windows-1252 that was read as Latin-1, pages that differ in a few letters: too much alike
        if points < _OTHER_SCRIPT or not is_written(new) or find_leftovers(new):
            continue
        odds = PRIOR + points
        sure = verdict.confidence / (1 + math.exp(-odds))
        return Repair(new, (Part(0, len(text), new),), (codec,), sure, verdict.encoding)
    return Repair(text)


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
            check_time()
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
