"""Would charlens be better with other detectors as voters?  A measurement, no detector.

Each voter's word counts by its domain of expertise: how often it was right when it named this encoding, on the other
half of the pages.  charlens votes with its own confidence.  Answers that give the same text are one vote.
"""

from __future__ import annotations

import hashlib
import math
from collections import Counter, defaultdict
from collections.abc import Sequence

from charlens.evaluation.judge import read
from charlens.evaluation.names import resolve
from charlens.evaluation.results import Row, detected_name

#: Who votes beside charlens: detectors of different descent.
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


def _half(row: Row) -> int:
    """Return 0 or 1, the same for all encodings of one page."""
    page = row.sample.id.rpartition("@")[0] or row.sample.id
    return hashlib.sha256(page.encode()).digest()[0] & 1


def _experience(rows: Sequence[Row], voters: Sequence[str]) -> tuple[Counter[_Key], Counter[_Key]]:
    """Count how often each voter was right and wrong, by what it said."""
    right: Counter[_Key] = Counter()
    wrong: Counter[_Key] = Counter()
    for row in rows:
        for voter in voters:
            said = row.answers[voter].encoding
            if said:
                (right if row.right(voter) else wrong)[voter, detected_name(said)] += 1
    return right, wrong


def _elected(row: Row, voters: Sequence[str], right: Counter[_Key], wrong: Counter[_Key]) -> str | None:
    """Return a detector whose answer has the most votes; ``None`` where nobody has an answer."""
    data = row.sample.load()
    votes: dict[str, float] = defaultdict(float)
    speakers: dict[str, str] = {}
    for voter in (US, *voters):
        answer = row.answers[voter]
        name = resolve(answer.encoding) if answer.encoding else None
        text = read(data, name.codec) if name and name.codec else None
        if answer.encoding is None or text is None:
            continue
        if voter == US:
            sure = min(max(answer.confidence or 0.5, 0.01), 0.999)
            weight = math.log(sure / (1 - sure))
        else:
            key = (voter, detected_name(answer.encoding))
            # One right and one wrong more than were seen: who never said this before has no weight.
            weight = math.log((right[key] + 1) / (wrong[key] + 1))
        votes[text] += weight
        speakers.setdefault(text, voter)
    return speakers[max(votes, key=votes.__getitem__)] if votes else None
