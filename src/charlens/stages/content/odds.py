"""How likely bytes are text that have blocked ones among them: a logistic model of counts (`bench/controls.py`)."""

from __future__ import annotations

from math import exp, log
from operator import mul

from charlens.kernel.facts import BLOCKED_BYTES

#: The log-odds of text: a constant, and the weights of what `measure` gives, as `bench/controls.py` fits them.
WEIGHTS = (3.89, -0.69, -1.91, -1.11, 1.09, -0.24, 0.23)
_HEAD = 512
#: Before anything is known, bytes with a blocked one are text once in ten times: of the files at hand 13 of 1,120 are,
#: but who asks for an encoding mostly has texts. Below `_LONG` bytes less often: binary data has such bytes anywhere,
#: and a text is the likelier to have one, the longer it is.
_PRIOR = -2.2
_LONG = 4096


def probability(sample: bytes, before: int) -> float:
    """Return how likely *sample*, which opens with a blocked byte, and the *before* bytes in front of it are text."""
    values = measure(sample, before)
    return 1 / (1 + exp(-(prior(values) + WEIGHTS[0] + sum(map(mul, WEIGHTS[1:], values)))))


def measure(sample: bytes, before: int) -> tuple[float, ...]:
    """Measure *sample*, which opens with a blocked byte, *before* being the number of bytes in front of it.

    How much of it is blocked, and how many kinds of that; how much is NUL; how much is spaces and line ends, which a
    tenth or more of most texts is; how many values its first bytes have, beside as many bytes at random; and how much
    there is.
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
    """Return the log-odds of text before anything but the size, the last of *values*, is known."""
    return _PRIOR + 0.5 * min(0.0, values[-1] - log(_LONG))
