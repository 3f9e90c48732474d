"""What weights of their own for all pairs bring to the multi-byte classes, on top of the model that ships.

    python bench/ceiling_pairs.py FOLDER TEXTS [SAMPLES]    FOLDER as `bench/ceiling.py prepare` wrote it

The model that ships folds ASCII and has buckets for rare pairs.  In Big5, Shift_JIS and GBK a pair is a character, and
many second bytes are ASCII.  Here every pair of a byte from 0x80 on and one from 0x40 on gets a weight for each of the
nine multi-byte classes, 221 KB as bytes.  They are fitted to SAMPLES (12,000) samples of each such class and 150 of
each other one, all classes counting alike, with the scores of the model fixed.  The tables compare the statistics
alone, without the words around.
"""

from __future__ import annotations

import random
import sys
from bisect import bisect_left
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp
from ceiling import WITHOUT, Tests, _by_kind, _by_set, _right, read_tests, view
from numpy.typing import NDArray

from charlens.models import default_model
from charlens.training.competitors import Competitors
from charlens.training.corpora import find_languages, read_texts
from charlens.training.features import LEVELS, PAIRS
from charlens.training.recipe import _is_wide
from charlens.training.samples import Writer, make_samples

Floats = NDArray[np.float32]
_OTHERS, _PASSES, _BATCH, _RATE = 150, 6, 2048, 0.02
_LEVELS = np.frombuffer(b"\0" + LEVELS, np.uint8).astype(np.float32)
_PAIR = np.arange(PAIRS)
#: The numbers of the pairs themselves, where the first byte can open a character of two bytes and the second close it.
_UNFOLDED = np.where((_PAIR >> 8 >= 0x80) & (_PAIR & 255 >= 0x40), _PAIR, -1)


def main(folder: Path, texts: Path, samples: int) -> None:
    """Fit and print the tables."""
    tests, model = read_tests(folder), default_model()
    multi = np.array([n for n, (encoding, _) in enumerate(model.classes) if _is_wide(encoding)])
    made, classes = _draw(texts, set(multi.tolist()), samples)
    weights = _fit(tests, multi, made, classes)
    largest = float(np.quantile(np.abs(weights[weights != 0]), 0.999))
    weights = np.clip(np.rint(weights * (127 / largest)), -127, 127) * np.float32(largest / 127)
    before = _scores(tests.views)
    after = before.copy()
    after[:, multi] += _count(tests.views, _UNFOLDED) @ weights
    right = {
        name: _right(tests, _decide(tests, scores))
        for name, scores in (("ships", before), ("all pairs", after))
    }
    print(_by_set(tests.rows, right), "\n")
    print(_by_kind(tests.rows, right))


def _draw(texts: Path, multi: set[int], samples: int) -> tuple[list[bytes], NDArray[np.int64]]:
    found = find_languages(texts, WITHOUT)
    classes = default_model().classes
    made: list[bytes] = []
    numbers: list[int] = []
    for language in sorted({language for _, language in classes}):
        chance = random.Random(f"pairs {language}")
        writer = Writer(read_texts(language, found[language.lower()]).train, chance, language)
        for number, (encoding, tag) in enumerate(classes):
            if tag == language:
                count = samples if number in multi else _OTHERS
                some = make_samples(writer, encoding, count, chance, wide=number in multi)
                made += map(view, some)
                numbers += [number] * len(some)
    return made, np.array(numbers)


def _count(samples: Sequence[bytes], places: NDArray[np.int64]) -> sp.csr_matrix:
    """Return how much each feature counts; *places* has the feature of each pair, or -1."""
    indices, values, borders = [], [], [0]
    for sample in samples:
        units = np.frombuffer(b" " + sample + b" ", np.uint8).astype(np.int64)
        found = places[units[:-1] * 256 + units[1:]]
        distinct, counts = np.unique(found[found >= 0], return_counts=True)
        indices.append(distinct)
        values.append(_LEVELS[np.minimum(counts, len(LEVELS))])
        borders.append(borders[-1] + len(distinct))
    shape = (len(samples), PAIRS)
    return sp.csr_matrix((np.concatenate(values), np.concatenate(indices), borders), shape=shape)


def _scores(samples: Sequence[bytes]) -> Floats:
    """Return the scores of the model that ships as log-odds, without priors."""
    model = default_model()
    places = np.frombuffer(model.parts[0], "<u2").astype(np.int64)
    rows = np.frombuffer(model.parts[1], np.int8).reshape(-1, len(model.classes)).astype(np.float32)
    counts = _count(samples, np.where(places == 0xFFFF, -1, places))[:, : len(rows)]
    beyond = [sum(byte >= 0x80 for byte in sample) for sample in samples]
    factors = [model.factors[min(bisect_left(model.amounts, n), len(model.factors) - 1)] for n in beyond]
    scores: Floats = (counts @ rows) * np.array(factors, np.float32)[:, None]
    return scores


def _fit(tests: Tests, multi: NDArray[np.int64], made: list[bytes], classes: NDArray[np.int64]) -> Floats:
    """Return the weights of the pairs: logistic loss that asks for the right text, by Adam as in `fit`."""
    encoding = _encodings(tests)
    possible, right = Competitors(tests.encodings).judge(made, [tests.classes[n][0] for n in classes])
    features, fixed = _count(made, _UNFOLDED), _scores(made)
    share = (1 / np.bincount(classes, minlength=len(tests.classes)).clip(1))[classes].astype(np.float32)
    share /= share.mean()
    weights = np.zeros((PAIRS, len(multi)), np.float32)
    mean, square = np.zeros_like(weights), np.zeros_like(weights)
    order = np.random.default_rng(0)
    batches = [
        rows
        for _ in range(_PASSES)
        for rows in np.array_split(order.permutation(len(made)), len(made) // _BATCH)
    ]
    for step, rows in enumerate(batches, 1):
        part = features[rows] * np.float32(0.25)
        scores = fixed[rows]
        scores[:, multi] += part @ weights
        likely = _shares(scores, possible[rows][:, encoding])
        text = likely * right[rows][:, encoding]
        slope = (likely - text / text.sum(1, keepdims=True).clip(1e-9)) * share[rows][:, None] / len(rows)
        gradient = part.T @ slope[:, multi].astype(np.float32)
        mean += 0.1 * (gradient - mean)
        square += 0.01 * (gradient * gradient - square)
        rate = _RATE * 0.5 * (1 + np.cos(np.pi * step / len(batches)))
        weights -= np.float32(rate) * (mean / (1 - 0.9**step)) / (np.sqrt(square / (1 - 0.99**step)) + 1e-8)
    return weights * np.float32(0.25)


def _shares(scores: Floats, possible: Any) -> Floats:
    scores = np.where(possible, scores, np.float32(-1e9))
    likely = np.exp(scores - scores.max(1, keepdims=True))
    shares: Floats = likely / likely.sum(1, keepdims=True)
    return shares


def _encodings(tests: Tests) -> NDArray[np.int64]:
    return np.array([tests.encodings.index(name) for name, _ in tests.classes])


def _decide(tests: Tests, scores: Floats) -> NDArray[Any]:
    encoding = _encodings(tests)
    likely = _shares(scores + np.array(tests.priors, np.float32), tests.possible[:, encoding])
    return np.stack([likely[:, encoding == n].sum(1) for n in range(len(tests.encodings))], 1).argmax(1)


if __name__ == "__main__":
    if len(sys.argv) not in (3, 4):
        sys.exit(__doc__)
    main(Path(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3]) if len(sys.argv) > 3 else 12_000)
