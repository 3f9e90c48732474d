"""Choose n-grams by how far apart the two sides are: the Kullback-Leibler divergence of two Gaussians.

For each n-gram a Gaussian is fitted to its frequencies in the positive examples and one to those in
the negative examples.  It counts only if enough examples of both sides have it; the n-grams that one
side alone has are one of the paper's open ideas, and ranked in another way.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from charlens.training.sullivan.ngrams import FloatArray, IntArray
from charlens.training.sullivan.settings import Readings, Settings

#: Standard errors below the estimate: the lower end of a 95 % interval.
_Z = 1.96


class Moments(NamedTuple):
    """Of each n-gram on one side: in how many examples it is, and the Gaussian of its frequency."""

    present: IntArray
    #: The readings that the Gaussian is fitted to.
    readings: FloatArray
    mean: FloatArray
    variance: FloatArray
    examples: int

    @property
    def share(self) -> FloatArray:
        """The share of the examples that have the n-gram."""
        return self.present / max(self.examples, 1)


def moments(rows: Any, readings: Readings) -> Moments:
    """Fit a Gaussian to each column of the sparse matrix *rows*."""
    examples, columns = rows.shape
    place, values = rows.indices, rows.data
    present = np.bincount(place, minlength=columns)
    count = np.full(columns, float(examples)) if readings is Readings.ALL else present.astype(np.float64)
    at_least_one = np.maximum(count, 1)
    mean = np.bincount(place, values, columns) / at_least_one
    # From the deviations, not from the squares: frequencies are small, and their squares would cancel.
    squares = np.bincount(place, (values - mean[place]) ** 2, columns) + (count - present) * mean**2
    variance = squares / np.maximum(count - 1, 1)
    return Moments(present, count, mean, variance, examples)


def divergence(positive: Moments, negative: Moments) -> FloatArray:
    """Return KL(p‖q) = ln(σq/σp) + (σp² + (μp - μq)²) / 2σq² - ½ of each n-gram.

    If a variance is 0 there is no Gaussian, and the divergence is minus infinity.
    """
    fitted = (positive.variance > 0) & (negative.variance > 0)
    p, q = np.where(fitted, positive.variance, 1.0), np.where(fitted, negative.variance, 1.0)
    distance = (positive.mean - negative.mean) ** 2
    return np.where(fitted, 0.5 * np.log(q / p) + (p + distance) / (2 * q) - 0.5, -np.inf)


def standard_error(positive: Moments, negative: Moments) -> FloatArray:
    """Return the standard error of the divergence, to first order in the errors of the four parameters.

    The mean of n readings has the variance σ²/n, the logarithm of σ has 1/2(n - 1).
    """
    # 1e-30: the smallest variance of a frequency in these pages is 1e-14; smaller still, a square would overflow.
    p, q = np.maximum(positive.variance, 1e-30), np.maximum(negative.variance, 1e-30)
    n, m = np.maximum(positive.readings, 2), np.maximum(negative.readings, 2)
    gap = positive.mean - negative.mean
    by_means = (gap / q) ** 2 * (p / n + q / m)
    by_p = (p / q - 1) ** 2 / (2 * (n - 1))
    by_q = (1 - (p + gap**2) / q) ** 2 / (2 * (m - 1))
    error: FloatArray = np.sqrt(by_means + by_p + by_q)
    return error


def rank_by_divergence(positive: Moments, negative: Moments, settings: Settings) -> IntArray:
    """Return the columns that both sides have often enough, the highest divergence first."""
    enough = (positive.present >= settings.threshold) & (negative.present >= settings.threshold)
    score = divergence(positive, negative)
    if settings.confident:
        score = score - _Z * standard_error(positive, negative)
        enough &= score > 0
    return _best(np.where(enough, score, -np.inf))


def rank_by_presence(positive: Moments, negative: Moments, settings: Settings) -> IntArray:
    """Return the columns that only one side has often enough, the widest spread in that side first."""
    one = (positive.present >= settings.threshold) != (negative.present >= settings.threshold)
    return _best(np.where(one, np.abs(positive.share - negative.share), -np.inf))


def _best(score: FloatArray) -> IntArray:
    order = np.argsort(-score, kind="stable")
    return order[: np.count_nonzero(np.isfinite(score))]


def select(rows: Any, positive: Any, settings: Settings) -> IntArray:
    """Return the columns of the sparse matrix *rows* to train on, ascending; *positive* marks the examples."""
    sides = moments(rows[positive], settings.readings), moments(rows[~positive], settings.readings)
    chosen = rank_by_divergence(*sides, settings)[: settings.features]
    if settings.one_sided:
        chosen = np.concatenate([chosen, rank_by_presence(*sides, settings)[: settings.one_sided]])
    return np.sort(chosen)
