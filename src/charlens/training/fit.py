"""Fit the linear model: one row of weights per feature, one column per class.

The loss is the logistic one over the classes that can decode a sample at all, as at detection; every class
whose encoding gives the same text counts as right.  Three quarters of the loss ask for the right text in any
language, a quarter for the language as well.  Its scores are log-odds: priors and hints can be added to them, and
they can be calibrated (docs/decisions/0005).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
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
# The rate of the first step, as a share of the peak.
_START = 0.04
# Levels are quarters of a bit or so; weights are learned for features of size 1.
_LEVEL_UNIT = 0.25


class Adam:
    """Weights that are learned by Adam."""

    def __init__(self, shape: tuple[int, ...], keep_square: float) -> None:
        self.weights = np.zeros(shape, np.float32)
        self._mean, self._square = np.zeros_like(self.weights), np.zeros_like(self.weights)
        self._keep_square = keep_square
        self._step = 0

    def learn(self, gradient: Floats, rate: float | np.float32) -> None:
        """Take one step against *gradient*."""
        self._step += 1
        self._mean += (1 - _KEEP_MEAN) * (gradient - self._mean)
        self._square += (1 - self._keep_square) * (gradient * gradient - self._square)
        unbiased = np.sqrt(self._square / (1 - self._keep_square**self._step)) + _TINY
        self.weights -= np.float32(rate / (1 - _KEEP_MEAN**self._step)) * self._mean / unbiased


def batches(count: int, size: int, passes: int, seed: int) -> Iterator[tuple[float, NDArray[np.int64]]]:
    """Yield the rows of each batch, in random order, and which share of the way is done with it."""
    order = np.random.default_rng(seed)
    steps = -(-count // size) * passes
    step = 0
    for _ in range(passes):
        shuffled = order.permutation(count)
        for start in range(0, count, size):
            step += 1
            yield step / steps, shuffled[start : start + size]


def rate_at(done: float, start: float) -> float:
    """Return the rate as a share of its peak: up from *start* for a tenth of the way, then down along a cosine."""
    if done < 0.1:
        return start + (1 - start) * done / 0.1
    return 0.5 * (1 + float(np.cos(np.pi * (done - 0.1) / 0.9)))


def fit(
    examples: Examples,
    classes: Classes,
    ties: NDArray[np.int64],
    settings: Settings,
    progress: Callable[[float, float], None],
) -> Weights:
    """Return the weights; *progress* is called for every step: the share that is done, loss.

    *ties* has for each feature and class the number of its weight; those with one number learn together.
    """
    count = examples.features.shape[0]
    free = Adam((int(ties.max()) + 1,), _KEEP_SQUARE)
    own = Adam((examples.characters.shape[1], len(classes.wide)), _KEEP_SQUARE)
    scaled = examples.features * np.float32(_LEVEL_UNIT)
    characters = examples.characters.astype(np.float32)
    for done, rows in batches(count, settings.batch, settings.passes, settings.seed):
        part, met = scaled[rows], characters[rows]
        scores = part @ free.weights[ties]
        scores[:, classes.wide] += met @ own.weights
        loss, slope = _loss(scores, examples, classes, rows, settings.language_share)
        rate = np.float32(settings.rate * rate_at(done, _START))
        apart = part.T @ slope
        free.learn(np.bincount(ties.ravel(), apart.ravel(), len(free.weights)).astype(np.float32), rate)
        own.learn(met.T @ slope[:, classes.wide], rate)
        progress(done, loss)
    return Weights(free.weights[ties], own.weights)


def probabilities(scores: Floats, possible: Bools, classes: Classes) -> Floats:
    """Return the probability of each class, none for those that cannot decode the sample."""
    return softmax(np.where(possible[:, classes.encoding], scores, np.float32(-1e9)))


def softmax(scores: Floats) -> Floats:
    """Return the probabilities of the classes, row by row."""
    scores = scores - scores.max(axis=1, keepdims=True)
    np.exp(scores, out=scores)
    scores /= scores.sum(axis=1, keepdims=True)
    return scores


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
