"""The evidence for and against encodings, in points, and the cost of a change of encoding."""

from __future__ import annotations

import math
import re
from functools import lru_cache
from typing import TYPE_CHECKING

from charlens import kernel

if TYPE_CHECKING:
    from charlens.models.format import Model

# The costs were set with `python bench/mixed.py`: 2,956 labelled files of one encoding each, and generated mixtures.
#: Points are thousandths of log-odds: integers, so ties are exact.
POINT = 1000
#: The cost of a change of encoding, in addition to how rare the encoding is. With 10, files that change from line to
#: line are right in 85 % of their bytes, with 8 in 86 %.
CHANGE = 8 * POINT
#: The most points of one unit against an encoding that decodes it. With 24, a single line cannot pay for the change
#: to its encoding and back, and files that change from line to line are right in 75 %.
MOST_AGAINST = 40 * POINT
#: Points of one UTF-8 sequence against every legacy encoding: one in 50 occurs by chance.
PER_SEQUENCE = 4 * POINT

RUN_IN_CONTEXT = re.compile(rb"[\x00-\x7f]?[\x80-\xff]+[\x00-\x7f]?")
#: In a run of several sequences, one of two bytes counts half: East Asian and Thai text has some by chance.
_SEQUENCE = re.compile(rb"[\xc2-\xf4][\x80-\xbf]+")
#: A run with several sequences is at least this long, with a byte on each side.
_SEVERAL = 6


def against_legacy(unit: bytes, bad: int) -> int:
    """Return the points of the UTF-8 sequences in *unit*; equal runs count once, and so do equal ones in a run."""
    points = -2 * bad * PER_SEQUENCE
    seen = set()
    for match in RUN_IN_CONTEXT.finditer(unit):
        run = match[0]
        if run in seen:
            continue
        seen.add(run)
        points += PER_SEQUENCE
        if len(run) >= _SEVERAL:
            more = sorted(map(len, set(_SEQUENCE.findall(run))))[:-1]
            points += sum(PER_SEQUENCE if length > 2 else PER_SEQUENCE // 2 for length in more)
        if points >= MOST_AGAINST:
            return MOST_AGAINST
    return max(0, points)


def against_partly(unit: bytes) -> int | None:
    """Return the points of UTF-8 in *unit* against legacy encodings; None if it is not mostly UTF-8."""
    good, bad, stopped, _ = kernel.damage(unit, 0, 0, 2, 64, 1)
    return against_legacy(unit, bad) if stopped < 0 and good >= 2 * bad and good else None


def price_of(name: str, model: Model) -> int:
    """Return the cost of a change to *name*: rare encodings cost more."""
    leader = leaders(model).get(name)
    if leader is None:
        return CHANGE
    return CHANGE + round(POINT * math.log(max(model.priors.values()) / model.priors[leader]))


@lru_cache(maxsize=8)
def leaders(model: Model) -> dict[str, str]:
    """Return for each encoding of the model the one that its class is named after."""
    return {member: leader for leader, members in model.families.items() for member in members}
