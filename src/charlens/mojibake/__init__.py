"""Repair text that was decoded with the wrong encoding and then saved: completely, or not at all.

`repair(text)` undoes UTF-8 that was read as a legacy encoding, up to three times, line by line; a line is
repaired as a whole, and only if the result is clearly more likely.  If mojibake would remain, nothing is repaired.
Text in a legacy encoding of another script that was read as windows-1252 is repaired as a whole.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable
from typing import NamedTuple

from charlens.limits import check_time, time_limit
from charlens.mojibake.chains import (
    CODECS,
    RUN,
    as_bytes,
    find_suspect_lines,
    is_written,
    undo_by,
    undo_line,
)
from charlens.mojibake.damage import find_leftovers
from charlens.mojibake.oddness import PRIOR, Remembered, evidence, measure

__all__ = ["Part", "Repair", "repair"]

#: Evidence needed for a repair: with the prior, a probability of 0.95. With 0.9, 'Ăştia' would become 'útia'.
_ENOUGH = math.log(19) - PRIOR
#: With this much evidence in the whole text, a single line needs none.
_PLENTY = 3 * _ENOUGH
#: Needed to repair text of another script: the confidence of `detect`, and the evidence. Such text has 20 and
#: more in snippets of ten characters; of 55,000 clean snippets in Latin letters, none has both.
_SURE = 0.99
_OTHER_SCRIPT = 20.0
#: The lead that the best repair must have over the next one with another text: '┼¢ao' is 'Žao' by cp850, and 'śao'
#: by cp437. With 1, five texts in 10,000 of the development part come out with another letter, with 3 one in 100 more
#: is not repaired (`bench/mojibake_unseen.py`). Repairs that are further behind than _FAR do not count.
_CLEARLY, _FAR = 2.0, 7.0
#: After this many lines with the same chain, the chain is tried first on the rest of the text.
_MANY = 500


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
        from charlens.api import decode_for

        text = decode_for("repair", text)
    if text.isascii():
        return Repair(text)
    search = Search()
    search.run(find_suspect_lines(text))
    found = _result(text, search)
    return found if found.changed or found.refusal else _undo_reading(text)


def _undo_reading(text: str) -> Repair:
    """Undo a text in a legacy encoding that was read as windows-1252 or Latin-1: 'Ïðèâåò' is 'Привет' in windows-1251.

    `detect` finds the encoding of the bytes.  The whole text is repaired, or nothing.
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
        points = evidence(measure(text), measure(new))
        latin = sum("\x7f" < character < "\u0250" for character in new)
        if 2 * latin > sum(character > "\x7f" for character in new):
            continue  # nearly the same encoding, such as windows-1252 read as Latin-1
        if points < _OTHER_SCRIPT or not is_written(new) or find_leftovers(new):
            continue
        sure = verdict.confidence * probability(points)
        return Repair(new, (Part(0, len(text), new),), (codec,), sure, verdict.encoding)
    return Repair(text)


#: For each chain of encodings, the repaired text and its evidence.
Options = dict[tuple[str, ...], tuple[str, float]]


def _options(text: str) -> Options:
    """Return the possible repairs of a line."""
    undone = undo_line(text)
    old, new = measure(text), {new: measure(new) for new in set(undone.values())}
    return {chain: (text, evidence(old, new[text])) for chain, text in undone.items()}


class Line:
    """A suspect line, and its possible repairs."""

    __slots__ = ("_runs", "chain", "end", "evidence", "new", "options", "start")

    def __init__(self, start: int, end: int, text: str, options: Options) -> None:
        self.start, self.end = start, end
        self.options = options
        self._runs: tuple[frozenset[str], int] | None = None
        self.new = text
        self.chain: tuple[str, ...] = ()
        self.evidence = 0.0

    @property
    def runs(self) -> tuple[frozenset[str], int]:
        """The non-ASCII runs of a line that was not repaired, and their number; repeated ones count once."""
        if self._runs is None:
            runs = RUN.findall(self.new)
            self._runs = frozenset(runs), len(runs)
        return self._runs

    def take(self, chain: tuple[str, ...]) -> None:
        self.chain = chain
        self.new, self.evidence = self.options[chain]
        self.options = {}  # a large text has many lines

    def differs(self, chain: tuple[str, ...], other: tuple[str, ...]) -> bool:
        """Whether *other* gives a different text than *chain*."""
        return other in self.options and self.options[other][0] != self.options[chain][0]


class Search:
    """Repairs the lines of one text: with the chain that has most evidence first, then the others with the next."""

    def __init__(self, habit: tuple[str, ...] = ()) -> None:
        self.lines: list[Line] = []
        #: The chain that repaired many lines; others are only tried on lines where it fails.
        self.habit = habit
        #: The probability left after subtracting that of other repairs.
        self.share = 1.0

    def run(self, suspects: Iterable[tuple[int, int, str]]) -> None:
        """Repair the lines that have enough evidence."""
        known = Remembered[str, Options](lambda text: self._usual(text) or _options(text))
        for start, end, text in suspects:
            check_time()
            line = Line(start, end, text, known[text])
            self.lines.append(line)
            if self.habit and self.habit in line.options and line.options[self.habit][1] >= 0:
                line.take(self.habit)
            elif len(self.lines) == _MANY:
                self._take_best()
        while self._take_best():
            pass

    def taken(self) -> list[Line]:
        """Return the repaired lines, in order."""
        return [line for line in self.lines if line.chain]

    @property
    def probability(self) -> float:
        """The probability that the repairs are right."""
        return self.share * probability(sum(line.evidence for line in self.taken()))

    def _usual(self, text: str) -> Options:
        """Repair a line with the usual chain of the text, if the result is likely."""
        new = undo_by(text, self.habit) if self.habit else None
        if new is None:
            return {}
        points = evidence(measure(text), measure(new))
        return {self.habit: (new, points)} if points >= 0 else {}

    def _take_best(self) -> bool:
        left = [line for line in self.lines if not line.chain]
        sums, ranks = self._sums(left)
        if not sums:
            return False
        chain = max(ranks, key=ranks.__getitem__)
        if sums[chain] < _ENOUGH:
            return False
        plenty = sums[chain] >= _PLENTY
        least = 0 if plenty else _ENOUGH
        taken = [line for line in left if chain in line.options and line.options[chain][1] >= least]
        behind = {each: ranks[chain] - rank for each, rank in ranks.items() if ranks[chain] - rank < _FAR}
        rivals = [gap for each, gap in behind.items() if any(line.differs(chain, each) for line in taken)]
        if min(rivals, default=_FAR) < _CLEARLY:
            return False
        self.share /= 1 + sum(math.exp(-gap) for gap in rivals)
        for line in taken:
            line.take(chain)
        if plenty and len(taken) >= _MANY // 2:
            self.habit = self.habit or chain
        return bool(taken)

    def _sums(self, lines: list[Line]) -> tuple[dict[tuple[str, ...], float], dict[tuple[str, ...], float]]:
        """Return the evidence for each chain, and its rank.

        Equal runs of characters count once: for the sum in the whole text, for the rank in each line.
        """
        sums: dict[tuple[str, ...], float] = {}
        ranks: dict[tuple[str, ...], float] = {}
        seen: defaultdict[tuple[str, ...], set[str]] = defaultdict(set)
        for line in lines:
            runs, count = line.runs
            for chain, (_, points) in line.options.items():
                new = runs - seen[chain]
                sums[chain] = sums.get(chain, 0.0) + points * len(new) / len(runs)
                rank = ranks[chain] if chain in ranks else sum(CODECS[codec] for codec in chain)
                ranks[chain] = rank + points * len(new) / count
                seen[chain] |= new
        return sums, ranks


def _result(old: str, search: Search) -> Repair:
    """Return the repair, or the unchanged text if mojibake would remain."""
    lines = search.taken()
    if not lines:
        return Repair(old)
    pieces, done = [], 0
    for line in lines:
        pieces += [old[done : line.start], line.new]
        done = line.end
    text = "".join([*pieces, old[done:]])
    refusal = refuse_leftovers(text)
    if refusal:
        return Repair(old, refusal=refusal)
    parts = tuple(Part(line.start, line.end, line.new) for line in lines)
    chain = max((line.chain for line in lines), key=len)
    return Repair(text, parts, chain, search.probability)


def refuse_leftovers(text: str) -> str:
    """Return why a repair with the result *text* is refused (mojibake would remain), or ''."""
    leftovers = find_leftovers(text)
    if not leftovers:
        return ""
    return f"mojibake would remain: {text[leftovers[0].start : leftovers[0].end]!r}"


def probability(evidence: float) -> float:
    """Return the probability that a repair with this much evidence is right."""
    return 1 / (1 + math.exp(-(PRIOR + evidence)))
