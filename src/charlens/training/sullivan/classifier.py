"""From frequencies to a plane: select, scale, reduce, solve; and the plane as weights of n-grams.

It learns one question, "these or those"; which documents these are is for `experiment`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse  # type: ignore[import-untyped, import-not-found, unused-ignore]

from charlens.training.sullivan.ngrams import (
    FloatArray,
    IntArray,
    Matrix,
    beyond_ascii,
    build_matrix,
    project,
)
from charlens.training.sullivan.selection import select
from charlens.training.sullivan.settings import Scaling, Settings
from charlens.training.sullivan.svm import Solution, default_cost, sides_of, solve
from charlens.training.sullivan.traits import measure


class Table:
    """All documents as numbers: their n-grams, and their traits, which are measured on request."""

    def __init__(self, matrix: Matrix, documents: Sequence[bytes]) -> None:
        self.matrix = matrix
        self._documents = documents
        self._traits: dict[int, FloatArray] = {}

    def scaled_traits(self, places: IntArray, factor: float) -> FloatArray:
        """Return the traits of the documents at *places* times *factor*; no column if it is 0."""
        if not factor:
            return np.zeros((len(places), 0))
        for place in places.tolist():
            if place not in self._traits:
                self._traits[place] = np.array(measure(self._documents[place]))
        rows: FloatArray = factor * np.array([self._traits[place] for place in places.tolist()])
        return rows


@dataclass(frozen=True, slots=True)
class Plane:
    """What was learned: a weight for each n-gram, and for each trait if there are any."""

    grams: IntArray
    scaling: Scaling
    weights: FloatArray
    trait_weights: FloatArray
    bias: float
    #: What the traits are multiplied by before all else; 0: there are none.
    trait_scale: float = 0.0

    def decide(self, documents: list[bytes]) -> FloatArray:
        """Return a number for each document, above 0 for yes."""
        table = Table(Matrix(self.grams, project(documents, self.grams)), documents)
        return decide(table, np.arange(len(documents)), self)

    def decide_rows(self, values: Any, traits: FloatArray) -> FloatArray:
        """Return a number for each row of frequencies of `grams` and of scaled traits, above 0 for yes."""
        rows = scale(values, traits, self.scaling)
        decided: FloatArray = rows @ np.concatenate([self.weights, self.trait_weights]) + self.bias
        return decided


class Fit(NamedTuple):
    """A plane, with what is needed to leave examples out."""

    plane: Plane
    solution: Solution
    gram: FloatArray
    sides: FloatArray
    cost: float


def tabulate(documents: list[bytes], least: int) -> Table:
    """Count the n-grams of *documents*; see `build_matrix` about *least*."""
    return Table(build_matrix(documents, least), documents)


def scale(values: Any, traits: FloatArray, scaling: Scaling) -> Any:
    """Return the rows that the SVM sees, sparse, the traits as the last columns."""
    rows = (
        sparse.hstack([values, sparse.csr_matrix(traits)], format="csr") if traits.shape[1] else values.copy()
    )
    if scaling is Scaling.FREQUENCY:
        return rows
    rows.data = np.sqrt(rows.data)
    if scaling is Scaling.UNIT:
        length = np.sqrt(np.asarray(rows.multiply(rows).sum(axis=1)).ravel())
        rows = sparse.diags(1 / np.where(length > 0, length, 1)) @ rows
    return rows


def fit(table: Table, places: IntArray, positive: Any, settings: Settings) -> Fit:
    """Learn to tell the documents at *places* that are *positive* from the others."""
    values = table.matrix.values[places]
    columns = _choose(table.matrix.grams, values, positive, settings)
    rows = scale(values[:, columns], table.scaled_traits(places, settings.traits), settings.scaling)
    back = None
    if settings.components:
        rows, back = _components(rows, settings.components)
        gram = rows @ rows.T
    else:
        gram = (rows @ rows.T).toarray()
    cost = settings.cost * default_cost(gram)
    sides = sides_of(positive)
    solution = solve(gram, sides, cost)
    weights, bias = rows.T @ solution.multipliers, solution.bias
    if back is not None:
        mean, components = back
        weights = components.T @ weights
        bias -= float(mean @ weights)
    count = len(columns)
    plane = Plane(
        table.matrix.grams[columns], settings.scaling, weights[:count], weights[count:], bias, settings.traits
    )
    return Fit(plane, solution, gram, sides, cost)


def _choose(grams: IntArray, values: Any, positive: Any, settings: Settings) -> IntArray:
    if not settings.beyond_ascii:
        return select(values, positive, settings)
    allowed = np.flatnonzero(beyond_ascii(grams))
    chosen: IntArray = allowed[select(values[:, allowed], positive, settings)]
    return chosen


def _components(rows: Any, most: int) -> tuple[FloatArray, tuple[FloatArray, FloatArray]]:
    """Return the principal components of *rows*, and the mean and axes that lead back."""
    dense = rows.toarray()
    mean = dense.mean(axis=0)
    dense -= mean
    # By the inner products of the examples: there are fewer of them than of features.
    values, vectors = np.linalg.eigh(dense @ dense.T)
    best = [place for place in np.argsort(-values)[:most] if values[place] > 1e-12]
    axes = (dense.T @ vectors[:, best] / np.sqrt(values[best])).T
    return dense @ axes.T, (mean, axes)


def decide(table: Table, places: IntArray, plane: Plane) -> FloatArray:
    """Return what *plane* says of the documents at *places*, above 0 for yes."""
    columns = np.searchsorted(table.matrix.grams, plane.grams)
    traits = table.scaled_traits(places, plane.trait_scale)
    return plane.decide_rows(table.matrix.values[places][:, columns], traits)
