"""Fit the linear model: one row of weights per feature, one column per class.

The loss is the logistic one over the classes that can decode a sample at all, as at detection; every class
whose encoding gives the same text counts as right.  Three quarters of the loss ask for the right text in any
language, a quarter for the language as well.  Its scores are log-odds: priors and hints can be added to them, and
they can be calibrated (docs/decisions/0005).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

Bools = NDArray[np.bool_]
Floats = NDArray[np.float32]


class Examples(NamedTuple):
    """Samples as the fit needs them."""

    features: sp.csr_matrix
    #: Which pairs of bytes that can be a character each sample has.
    characters: sp.csr_matrix
    #: The class of each sample.
    classes: NDArray[np.int64]
    #: For each sample, the encodings that decode it, and those that give its text.
    possible: Bools
    right: Bools


class Classes(NamedTuple):
    """For each class, the number of its encoding and of its language; and the classes of multi-byte encodings."""

    encoding: NDArray[np.int64]
    language: NDArray[np.int64]
    wide: NDArray[np.int64]


class Weights(NamedTuple):
    """What was learned: features by classes, and characters by wide classes."""

    features: Floats
    characters: Floats


class Settings(NamedTuple):
    """How to fit. Found by search (docs/decisions/0005): slower learns less, faster or longer overfits."""

    passes: int = 6
    rate: float = 0.02
    batch: int = 2048
    #: Share of the loss that asks for the language, too.
    language_share: float = 0.25
    seed: int = 0


# Adam's constants.
_KEEP_MEAN, _KEEP_SQUARE, _TINY = 0.9, 0.99, 1e-8
# Levels are quarters of a bit or so; weights are learned for features of size 1.
_LEVEL_UNIT = 0.25


class _Adam:
    """Weights that are learned by Adam."""

    def __init__(self, shape: tuple[int, ...]) -> None:
        self.weights = np.zeros(shape, np.float32)
        self._mean, self._square = np.zeros_like(self.weights), np.zeros_like(self.weights)
        self._step = 0

    def learn(self, gradient: Floats, rate: np.float32) -> None:
        """Take one step against *gradient*."""
        self._step += 1
        self._mean += (1 - _KEEP_MEAN) * (gradient - self._mean)
        self._square += (1 - _KEEP_SQUARE) * (gradient * gradient - self._square)
        unbiased = np.sqrt(self._square / (1 - _KEEP_SQUARE**self._step)) + _TINY
        self.weights -= rate / np.float32(1 - _KEEP_MEAN**self._step) * self._mean / unbiased


def fit(
    examples: Examples,
    classes: Classes,
    ties: NDArray[np.int64],
    settings: Settings,
    progress: Callable[[int, int, float], None],
) -> Weights:
    """Return the weights; *progress* is called for every step: done, all, loss.

    *ties* has for each feature and class the number of its weight; those with one number learn together.
    """
    count = examples.features.shape[0]
    free, own = _Adam((int(ties.max()) + 1,)), _Adam((examples.characters.shape[1], len(classes.wide)))
    order = np.random.default_rng(settings.seed)
    steps = -(-count // settings.batch) * settings.passes
    scaled = examples.features * np.float32(_LEVEL_UNIT)
    characters = examples.characters.astype(np.float32)
    step = 0
    for _ in range(settings.passes):
        shuffled = order.permutation(count)
        for start in range(0, count, settings.batch):
            rows = shuffled[start : start + settings.batch]
            part, met = scaled[rows], characters[rows]
            scores = part @ free.weights[ties]
            scores[:, classes.wide] += met @ own.weights
            loss, slope = _loss(scores, examples, classes, rows, settings.language_share)
            step += 1
            rate = _rate(step, steps, settings.rate)
            apart = part.T @ slope
            free.learn(np.bincount(ties.ravel(), apart.ravel(), len(free.weights)).astype(np.float32), rate)
            own.learn(met.T @ slope[:, classes.wide], rate)
            progress(step, steps, loss)
    return Weights(free.weights[ties], own.weights)


def _rate(step: int, steps: int, peak: float) -> np.float32:
    """Warm up over a tenth of the way, then go down along a cosine."""
    done = step / steps
    if done < 0.1:
        return np.float32(peak * (0.04 + 0.96 * done / 0.1))
    return np.float32(peak * 0.5 * (1 + np.cos(np.pi * (done - 0.1) / 0.9)))


def probabilities(scores: Floats, possible: Bools, classes: Classes) -> Floats:
    """Return the probability of each class, none for those that cannot decode the sample."""
    masked = np.where(possible[:, classes.encoding], scores, np.float32(-1e9))
    masked -= masked.max(axis=1, keepdims=True)
    np.exp(masked, out=masked)
    masked /= masked.sum(axis=1, keepdims=True)
    return masked


def _loss(
    scores: Floats, examples: Examples, classes: Classes, rows: NDArray[np.int64], share: float
) -> tuple[float, Floats]:
    """Return the mean loss of some samples and its slope by the scores."""
    probable = probabilities(scores, examples.possible[rows], classes)
    text = probable * examples.right[rows][:, classes.encoding]
    language = classes.language[examples.classes[rows]]
    both = text * (classes.language[None, :] == language[:, None])
    of_text = np.maximum(text.sum(axis=1, keepdims=True), 1e-12)
    of_both = np.maximum(both.sum(axis=1, keepdims=True), 1e-12)
    loss = -(share * np.log(of_both) + (1 - share) * np.log(of_text)).mean()
    slope = (probable - share * both / of_both - (1 - share) * text / of_text) / len(rows)
    return float(loss), slope.astype(np.float32)
