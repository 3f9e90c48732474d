"""A linear support vector machine, on the matrix of inner products, with its exact leave-one-out error.

The problem is that of SVM-light: hinge loss, C times its sum, half the squared length of the weights, a
bias that is not counted.  scikit-learn (libsvm) solves it.  Where the examples come from is not asked.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from sklearn.svm import SVC  # type: ignore[import-untyped, import-not-found, unused-ignore]

from charlens.training.sullivan.ngrams import FloatArray

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
    """Return SVM-light's own C: one over the squared mean length of the examples, so that it is the same in any unit.

    Its manual says one over the mean of x·x, which is smaller where lengths differ; what it computes is this.
    """
    mean = float(np.sqrt(np.diagonal(gram)).mean())
    return 1.0 / mean**2 if mean > 0 else 1.0


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
    products = gram @ solution.multipliers
    margins = sides * (products + solution.bias)
    slack = np.maximum(1 - margins, 0)
    wrong = margins <= 0
    radius = float((np.diagonal(gram)[:, None] - gram).max())
    bound = 2 * np.abs(solution.multipliers) * radius + slack
    open_cases = np.flatnonzero((solution.multipliers != 0) & ~wrong & (bound >= 1))
    errors = int(np.count_nonzero(wrong))
    problem = _Problem(gram, sides, cost)
    for case in open_cases:
        errors += not problem.right_without(int(case), solution.multipliers, products)
    return errors


class _Problem:
    """The examples of an SVM, solved again from a solution that is nearly right: one example has left."""

    def __init__(self, gram: FloatArray, sides: FloatArray, cost: float) -> None:
        self.gram, self.sides, self.cost = gram, sides, cost
        self.squares = np.diagonal(gram)

    def right_without(self, case: int, multipliers: FloatArray, products: FloatArray) -> bool:
        """Say whether *case* is on its side of the plane that all others make."""
        held, values = multipliers.copy(), products.copy()
        # The bounds of each multiplier times its side; the one that has left stays at zero.
        least, most = np.minimum(0, self.sides * self.cost), np.maximum(0, self.sides * self.cost)
        left = held[case]
        held[case] = least[case] = most[case] = 0.0
        values -= left * self.gram[:, case]
        self._hand_on(left, held, values, least, most)
        bias = self._settle(held, values, least, most)
        return bool(self.sides[case] * (values[case] + bias) > 0)

    def _hand_on(
        self, left: float, held: FloatArray, values: FloatArray, least: FloatArray, most: FloatArray
    ) -> None:
        """Give what *left* to those that fall short most, since the sum of all multipliers stays zero."""
        short = np.sign(left) * (self.sides - values)
        for other in np.argsort(-short):
            room = (most[other] if left > 0 else least[other]) - held[other]
            step = min(left, room) if left > 0 else max(left, room)
            if step:
                held[other] += step
                values += step * self.gram[:, other]
                left -= step
            if not left:
                return

    def _settle(self, held: FloatArray, values: FloatArray, least: FloatArray, most: FloatArray) -> float:
        """Move pairs of multipliers against each other until none falls short; return the bias.

        The pair is the one that falls short most and the one that gains most with it (Fan, Chen and Lin, 2005).
        """
        while True:
            short = self.sides - values
            up, down = np.where(held < most, short, -np.inf), np.where(held > least, short, np.inf)
            one = int(up.argmax())
            gap = up[one] - down
            if gap.max() < _TOLERANCE:
                return float(up[one] + down.min()) / 2
            curve = np.maximum(self.squares[one] + self.squares - 2 * self.gram[one], 1e-12)
            other = int(np.where(gap > 0, gap * gap / curve, -np.inf).argmax())
            step = min(gap[other] / curve[other], most[one] - held[one], held[other] - least[other])
            held[one] += step
            held[other] -= step
            values += step * (self.gram[one] - self.gram[other])


def sides_of(positive: Any) -> FloatArray:
    """Return 1 where *positive* is true, and -1 elsewhere."""
    return np.where(positive, 1.0, -1.0)
