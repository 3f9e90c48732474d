"""The four kernels of SVM-light side by side; the paper found "no difference" between them.

Each with SVM-light's own parameters and its own C.  The parameters do not know the unit of the features, so there are
two: frequencies as shares, which are small, and in percent, which the paper mentions.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
from sklearn.svm import SVC  # type: ignore[import-untyped, import-not-found, unused-ignore]

from charlens.training.sullivan.corpus import Plan, open_fold
from charlens.training.sullivan.ngrams import FloatArray
from charlens.training.sullivan.paper import LABELS
from charlens.training.sullivan.selection import select
from charlens.training.sullivan.settings import PLAIN
from charlens.training.sullivan.svm import sides_of
from charlens.training.sullivan.work import Crew, spread

UNITS = {"shares": 1.0, "percent": 100.0}


def _linear(products: FloatArray, squares: FloatArray, others: FloatArray) -> FloatArray:
    return products


def _polynomial(products: FloatArray, squares: FloatArray, others: FloatArray) -> FloatArray:
    cubes: FloatArray = (products + 1) ** 3
    return cubes


def _radial(products: FloatArray, squares: FloatArray, others: FloatArray) -> FloatArray:
    near: FloatArray = np.exp(-np.maximum(squares[:, None] + others[None, :] - 2 * products, 0))
    return near


def _sigmoid(products: FloatArray, squares: FloatArray, others: FloatArray) -> FloatArray:
    bent: FloatArray = np.tanh(products + 1)
    return bent


Kernel = Callable[[FloatArray, FloatArray, FloatArray], FloatArray]
#: Of inner products, and of the squared lengths on either side; d, s, c and gamma are SVM-light's defaults: 3, 1, 1, 1.
KERNELS: dict[str, Kernel] = {
    "linear": _linear,
    "polynomial": _polynomial,
    "radial": _radial,
    "sigmoid": _sigmoid,
}


class _Task(NamedTuple):
    plan: Plan
    number: int
    label: str


class Cell(NamedTuple):
    """How many test documents a kernel got right, and its support vectors."""

    right: int
    test: int
    support_vectors: int


def compare_kernels(plan: Plan, crew: Crew) -> Iterator[dict[tuple[str, str], Cell]]:
    """Measure every kernel in both units, label by label; figures of the splits are added up."""
    numbers = range(plan.splits)
    results = spread(_measure, [_Task(plan, number, label) for label in LABELS for number in numbers], crew)
    for _ in LABELS:
        found = [next(results) for _ in numbers]
        yield {way: _added([each[way] for each in found]) for way in found[0]}


def _added(cells: list[Cell]) -> Cell:
    columns: Any = zip(*cells, strict=True)
    return Cell(*map(sum, columns))


def _measure(task: _Task) -> dict[tuple[str, str], Cell]:
    fold = open_fold(task.plan, task.number)
    training, test = fold.training([task.label]), fold.test([task.label])
    values = fold.corpus.table.matrix.values
    columns = select(values[training.places], training.positive, PLAIN)
    taught, asked = (values[drawn.places][:, columns] for drawn in (training, test))
    sides = sides_of(training.positive)
    return {
        (kernel, unit): _cell(KERNELS[kernel], times * taught, times * asked, sides, test.positive)
        for kernel in KERNELS
        for unit, times in UNITS.items()
    }


def _cell(kernel: Kernel, taught: Any, asked: Any, sides: FloatArray, positive: Any) -> Cell:
    squares = np.asarray(taught.multiply(taught).sum(axis=1)).ravel()
    gram = kernel((taught @ taught.T).toarray(), squares, squares)
    machine = SVC(kernel="precomputed", C=_cost(kernel, gram, squares), tol=1e-3)
    machine.fit(gram, sides)
    lengths = np.asarray(asked.multiply(asked).sum(axis=1)).ravel()
    yes = machine.decision_function(kernel((asked @ taught.T).toarray(), lengths, squares)) > 0
    return Cell(int(np.count_nonzero(yes == positive)), len(yes), len(machine.support_))


def _cost(kernel: Kernel, gram: FloatArray, squares: FloatArray) -> float:
    """Return SVM-light's own C: one over the squared mean distance from zero, where the kernel puts the examples."""
    nought = np.zeros(1)
    beside = kernel(np.zeros((len(squares), 1)), squares, nought).ravel()
    middle = float(kernel(np.zeros((1, 1)), nought, nought)[0, 0])
    mean = float(np.sqrt(np.maximum(np.diagonal(gram) - 2 * beside + middle, 0)).mean())
    return 1.0 / mean**2 if mean > 0 else 1.0
