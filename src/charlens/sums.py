"""Add floats one after the other.

From Python 3.12 on `sum` makes up for what is rounded away; the native lane adds plainly, and both must give the
same verdicts to the last digit.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import reduce
from operator import add


def add_up(values: Iterable[float]) -> float:
    """Return the sum of *values*, added from the first to the last."""
    return reduce(add, values, 0.0)
