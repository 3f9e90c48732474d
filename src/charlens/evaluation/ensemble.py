"""Measure whether charlens would be better with the votes of other detectors.

Each vote is weighted by how often the detector was right when it named this encoding, on the other
half of the pages.  charlens votes with its own confidence.  Answers that give the same text are one vote.
"""

from __future__ import annotations

import hashlib
import math
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence

from charlens.evaluation.judge import read
from charlens.evaluation.names import resolve
from charlens.evaluation.peers import Answer
from charlens.evaluation.results import Row, detected_name

#: The other voters: detectors with different methods.
VOTERS = ("uchardet", "icu", "chardet", "chardetng")
US = "charlens"

_Key = tuple[str, str]


def compare(rows: Sequence[Row]) -> list[list[str]]:
    """Return a table: how many pages charlens and the ensemble get right, and where they differ."""
    voters = [name for name in VOTERS if rows and name in rows[0].answers]
    halves = [[row for row in rows if _half(row) == half] for half in (0, 1)]
    alone = together = better = worse = 0
    for half in (0, 1):
        right, wrong = _experience(halves[1 - half], voters)
        for row in halves[half]:
            ours, chosen = row.right(US), _elected(row, voters, right, wrong)
            theirs = chosen is not None and row.right(chosen)
            alone, together = alone + ours, together + theirs
            better, worse = better + (theirs and not ours), worse + (ours and not theirs)
    total = max(1, len(rows))
    return [
        ["", f"right of {len(rows):,}", "better", "worse"],
        ["charlens alone", f"{100 * alone / total:.2f}", "", ""],
        [f"with {', '.join(voters) or 'nobody'}", f"{100 * together / total:.2f}", str(better), str(worse)],
    ]


#: The two detectors of the paper: Mozilla's on the page, ICU on its words.
PAIR = ("uchardet", "icu, words")
# The confidence of an answer counts by the class that it falls into.
_CLASSES = (0.2, 0.4, 0.6, 0.8, 0.95)
# Answers of the other half that the general experience with a detector counts as, and with a name of it.
_PRIOR = 2.0


def calibrated(sets: Mapping[str, Sequence[Row]]) -> list[list[str]]:
    """Return a table: the paper's two detectors, each alone, in its hybrid, and chosen by calibrated probability.

    This is future work in the paper: both detectors get a probability.  How often an answer of this
    detector, by this name and with this confidence, was right is counted on the other half of the pages.
    """
    if not all(rows and all(name in rows[0].answers for name in PAIR) for rows in sets.values()):
        return [["", "not measured: PyICU or faust-cchardet is not installed"]]
    columns = [_pair_column(rows) for rows in sets.values()]
    heads = [f"{name} ({len(rows):,})" for name, rows in sets.items()]
    return [["right, %", *heads], *([name, *(column[name] for column in columns)] for name in columns[0])]


def _pair_column(rows: Sequence[Row]) -> dict[str, str]:
    halves = [[row for row in rows if _half(row) == half] for half in (0, 1)]
    chosen: list[tuple[float, bool]] = []
    for half in (0, 1):
        odds = _Odds(halves[1 - half])
        chosen += [odds.choose(row) for row in halves[half]]
    right = {name: [row.right(name) for row in rows] for name in (*PAIR, "hybrid", US) if name in rows[0].answers}
    right[f"{' and '.join(PAIR)}, calibrated"] = [good for _, good in chosen]
    shares = {name: f"{100 * sum(found) / len(found):.2f}" for name, found in right.items()}
    return {**shares, "its error of calibration (ECE)": f"{100 * _ece(chosen):.2f}"}


class _Odds:
    """How often each of the pair was right, by its answer and confidence."""

    def __init__(self, rows: Sequence[Row]) -> None:
        self._counts: Counter[tuple[object, ...]] = Counter()
        for row in rows:
            for voter in PAIR:
                for key in self._keys(row, voter):
                    self._counts[(row.right(voter), *key)] += 1

    def _keys(self, row: Row, voter: str) -> list[tuple[object, ...]]:
        """Return the keys of the answer, from general to specific."""
        answer = row.answers[voter]
        if answer.encoding is None:
            return []
        sure = sum((answer.confidence or 0.0) >= limit for limit in _CLASSES)
        name = detected_name(answer.encoding)
        return [(voter,), (voter, name), (voter, name, sure)]

    def probability(self, row: Row, voter: str) -> float | None:
        """Return the probability that the answer of *voter* is right; ``None`` without an answer."""
        share = 0.5
        for key in self._keys(row, voter):
            right, wrong = self._counts[(True, *key)], self._counts[(False, *key)]
            share = (right + _PRIOR * share) / (right + wrong + _PRIOR)
        return share if row.answers[voter].encoding else None

    def choose(self, row: Row) -> tuple[float, bool]:
        """Return the probability of the more likely answer, and whether it is right."""
        odds: dict[str, float] = {}
        speakers: dict[str, str] = {}
        data = row.sample.load()
        for voter in PAIR:
            share, text = self.probability(row, voter), _text(data, row.answers[voter])
            if share is not None and text is not None:
                odds[text] = max(odds.get(text, 0.0), share)
                speakers.setdefault(text, voter)
        if not odds:
            return 0.0, False
        best = max(odds, key=odds.__getitem__)
        return odds[best], row.right(speakers[best])


def _text(data: bytes, answer: Answer) -> str | None:
    """Return the text of *data* in the encoding of the answer, if it decodes."""
    name = resolve(answer.encoding) if answer.encoding else None
    return read(data, name.codec) if name and name.codec else None


def _ece(answers: Sequence[tuple[float, bool]]) -> float:
    """Return the expected calibration error over ten classes."""
    classes: dict[int, list[tuple[float, bool]]] = defaultdict(list)
    for share, right in answers:
        classes[min(int(share * 10), 9)].append((share, right))
    gaps = (
        abs(sum(share for share, _ in each) - sum(right for _, right in each)) for each in classes.values()
    )
    return sum(gaps) / max(1, len(answers))


def _half(row: Row) -> int:
    """Return 0 or 1, the same for all encodings of one page."""
    page = row.sample.id.rpartition("@")[0] or row.sample.id
    return hashlib.sha256(page.encode()).digest()[0] & 1


def _experience(rows: Sequence[Row], voters: Sequence[str]) -> tuple[Counter[_Key], Counter[_Key]]:
    """Count how often each voter was right and wrong, by its answer."""
    right: Counter[_Key] = Counter()
    wrong: Counter[_Key] = Counter()
    for row in rows:
        for voter in voters:
            said = row.answers[voter].encoding
            if said:
                (right if row.right(voter) else wrong)[voter, detected_name(said)] += 1
    return right, wrong


def _elected(row: Row, voters: Sequence[str], right: Counter[_Key], wrong: Counter[_Key]) -> str | None:
    """Return a detector whose answer has the most votes; ``None`` if there are no answers."""
    data = row.sample.load()
    votes: dict[str, float] = defaultdict(float)
    speakers: dict[str, str] = {}
    for voter in (US, *voters):
        answer = row.answers[voter]
        text = _text(data, answer)
        if answer.encoding is None or text is None:
            continue
        if voter == US:
            sure = min(max(answer.confidence or 0.5, 0.01), 0.999)
            weight = math.log(sure / (1 - sure))
        else:
            key = (voter, detected_name(answer.encoding))
            # Add one right and one wrong answer: an answer that was never seen before has no weight.
            weight = math.log((right[key] + 1) / (wrong[key] + 1))
        votes[text] += weight
        speakers.setdefault(text, voter)
    return speakers[max(votes, key=votes.__getitem__)] if votes else None
