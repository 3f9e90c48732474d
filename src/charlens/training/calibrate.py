"""Turn scores into log-odds: how sharp they are by the amount of evidence, measured on held-out sources.

A score is a log-odds for the texts of the fit; on new texts it is too cautious or too bold, and how much depends on the
number of non-ASCII bytes.  For each amount, the factor is chosen that makes the calibration samples most likely.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from charlens.training.fit import Bools, Classes, Floats, probabilities

#: Borders of the amounts, in non-ASCII bytes.
AMOUNTS = (1, 2, 4, 8, 16, 32, 64, 128, 1 << 30)
_FACTORS = np.exp(np.linspace(np.log(0.3), np.log(6.0), 61))
# Fewer samples than this do not set a separate factor.
_LEAST_SAMPLES = 100


def find_sharpness(
    scores: Floats, possible: Bools, right: Bools, classes: Classes, amounts: NDArray[np.int64]
) -> list[tuple[int, float]]:
    """Return (largest number of bytes, factor) for each amount of evidence."""
    found: list[tuple[int, float]] = []
    below = 0
    for limit in AMOUNTS:
        rows = np.flatnonzero((amounts > below) & (amounts <= limit))
        if len(rows) >= _LEAST_SAMPLES:
            losses = [
                _loss(scores[rows] * np.float32(f), possible[rows], right[rows], classes) for f in _FACTORS
            ]
            found.append((limit, round(float(_FACTORS[int(np.argmin(losses))]), 3)))
            below = limit
    return [*found[:-1], (AMOUNTS[-1], found[-1][1])] if found else [(AMOUNTS[-1], 1.0)]


def _loss(scores: Floats, possible: Bools, right: Bools, classes: Classes) -> float:
    probable = probabilities(scores, possible, classes)
    of_text = (probable * right[:, classes.encoding]).sum(axis=1)
    # A sure answer that is wrong must not cost without end: one in a thousand labels is doubtful.
    return float(-np.log(0.999 * of_text + 0.001 / 300).mean())
