"""The probability that input with blocked bytes is text: a logistic model of counts (`bench/controls.py`)."""

from __future__ import annotations

from math import exp, log
from operator import mul

from charlens.kernel.facts import BLOCKED_BYTES

#: The log-odds of text: a constant, and a weight for each value of `measure`. `bench/controls.py` fits them.
WEIGHTS = (3.89, -0.69, -1.91, -1.11, 1.09, -0.24, 0.23)
_HEAD = 512
#: One in ten inputs with a blocked byte is assumed to be text. In our files it is 13 of 1,120, but people mostly
#: check texts. Below `_LONG` bytes it is less: short texts hardly ever have such a byte, binary data nearly always.
_PRIOR = -2.2
_LONG = 4096


def probability(sample: bytes, before: int) -> float:
    """Return the probability of text: *sample* starts with a blocked byte, after *before* other bytes."""
    values = measure(sample, before)
    return 1 / (1 + exp(-(prior(values) + WEIGHTS[0] + sum(map(mul, WEIGHTS[1:], values)))))


def measure(sample: bytes, before: int) -> tuple[float, ...]:
    """Measure *sample*, which starts with a blocked byte, after *before* other bytes.

    The values, most of them logarithms of shares: blocked bytes, kinds of them, NULs, spaces and line endings (a tenth
    or more of most texts), distinct values in the first bytes compared with random bytes, and the size.
    """
    size = min(before, _LONG) + len(sample)
    controls = len(sample) - len(sample.translate(None, BLOCKED_BYTES))
    kinds = sum(value in sample for value in BLOCKED_BYTES)
    blanks = sum(map(sample.count, b" \n\r\t"))
    head = sample[:_HEAD]
    return (
        log(controls / size),
        log(kinds),
        log(1 + 100 * sample.count(0) / size),
        log((blanks + 1) / (len(sample) + 10)),
        log(len(set(head)) / (256 * (1 - (255 / 256) ** len(head)))),
        log(size),
    )


def prior(values: tuple[float, ...]) -> float:
    """Return the prior log-odds of text for the size, the last of *values*."""
    return _PRIOR + 0.5 * min(0.0, values[-1] - log(_LONG))
