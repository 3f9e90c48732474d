"""The log-odds of languages by their sums of n-grams: one rule for the kernel in Python and for the language model."""

from __future__ import annotations

from collections.abc import Sequence
from math import sqrt


def class_odds(
    sharpness: Sequence[float], priors: Sequence[float], letters: tuple[int, ...], reach: float
) -> list[tuple[float, int]]:
    """Return the log-odds of the classes in *letters*, a result of `kernel.languages`, the best first.

    *sharpness* is the log-odds of a step of a sum by script, divided by the square root of the number of n-grams, and
    *priors* are those of the classes.  Classes more than *reach* behind the best are left out.
    """
    sharp = sharpness[letters[0] - 1] / sqrt(letters[3] or 1)
    least = letters[5] - reach / sharp
    found = []
    for at in range(4, len(letters), 2):
        if letters[at + 1] < least:
            break
        found.append((letters[at + 1] * sharp + priors[letters[at]], letters[at]))
    if len(found) > 1:
        found.sort(reverse=True)
    return found
