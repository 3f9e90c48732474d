"""A linear support vector machine, on the matrix of inner products, with its exact leave-one-out error.

The problem is that of SVM-light: hinge loss, C times its sum, half the squared length of the weights, a
bias that is not counted.  scikit-learn (libsvm) solves it.  Where the examples come from is not asked.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from sklearn.svm import SVC  # type: ignore[import-untyped, import-not-found, unused-ignore]

from charlens.training.sullivan.ngrams import FloatArray, IntArray

# A tenth of SVM-light's: the margins that decide about leaving out are then known to 1e-4.
_TOLERANCE = 1e-4


class Solution(NamedTuple):
    """The multipliers of the examples, each times its side (1 or -1), and the bias."""

    multipliers: FloatArray
    bias: float

    @property
    def support_vectors(self) -> int:
        """The number of examples that hold the plane."""
        return int(np.count_nonzero(self.multipliers))


def default_cost(gram: FloatArray) -> float:
    """Return SVM-light's own C: one over the mean of x·x, so that it is the same in any unit."""
    mean = float(np.diagonal(gram).mean())
    return 1.0 / mean if mean > 0 else 1.0


def solve(gram: FloatArray, sides: FloatArray, cost: float) -> Solution:
    """Find the plane for examples with the inner products *gram* and *sides* of 1 and -1."""
    machine = SVC(kernel="precomputed", C=cost, tol=_TOLERANCE)
    machine.fit(gram, sides)
    multipliers = np.zeros(len(sides))
    multipliers[machine.support_] = machine.dual_coef_[0]
    return Solution(multipliers, float(machine.intercept_[0]))


def leave_one_out(gram: FloatArray, sides: FloatArray, cost: float, solution: Solution) -> int:
    """Return how many examples are on the wrong side of the plane found without them.

    Exact, and yet most need no training: without an example that holds nothing the plane stays, so it
    is right; the loss of an example can only grow when it is left out, so one that is wrong already
    stays wrong; and one with 2αR² + ξ < 1 is right (Joachims's bound; R² is the most that two examples'
    products x·x - x·z differ by).  The rest are left out in turn.
    """
    margins = sides * (gram @ solution.multipliers + solution.bias)
    slack = np.maximum(1 - margins, 0)
    wrong = margins <= 0
    radius = float((np.diagonal(gram)[:, None] - gram).max())
    bound = 2 * np.abs(solution.multipliers) * radius + slack
    open_cases = np.flatnonzero((solution.multipliers != 0) & ~wrong & (bound >= 1))
    errors = int(np.count_nonzero(wrong))
    for case in open_cases:
        errors += not _right_without(int(case), gram, sides, cost, margins)
    return errors


# How far beyond the margin an example may be and yet take part at once; a bound on work, not on truth.
_NEAR = 1.3


def _right_without(case: int, gram: FloatArray, sides: FloatArray, cost: float, margins: FloatArray) -> bool:
    """Say whether *case* is on its side of the plane that all others make.

    Solved on those near the margin, then checked on all others; who falls short joins, until none does.
    """
    others = np.arange(len(sides)) != case
    taking_part = others & (margins < _NEAR)
    while True:
        members = np.flatnonzero(taking_part)
        if len(set(sides[members])) < 2:
            short = others & ~taking_part
        else:
            part = solve(gram[np.ix_(members, members)], sides[members], cost)
            held = members[part.multipliers != 0]
            values = gram[:, held] @ part.multipliers[part.multipliers != 0] + part.bias
            short = others & ~taking_part & (sides * values < 1 - _SHORT)
        if not short.any():
            return bool(sides[case] * values[case] > 0)
        taking_part |= short


# Margins are known to the solver's tolerance; what falls short by less does not count.
_SHORT = 1e-3


def sides_of(positive: Any) -> FloatArray:
    """Return 1 where *positive* is true, and -1 elsewhere."""
    return np.where(positive, 1.0, -1.0)


__all__ = ["IntArray", "Solution", "default_cost", "leave_one_out", "sides_of", "solve"]
