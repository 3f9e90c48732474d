"""Tie weights that mean the same: a pair of characters is as likely in a language in one encoding as in another.

Without ties, Greek in windows-1253 and in ISO 8859-7 learn separate weights, and hundreds of small
random differences outvote the one letter that distinguishes the two.  With ties, a difference
between two encodings of one language comes only from bytes that they decode differently.  A bucket is tied if all its
bytes that the language uses are decoded in the same way.  Multi-byte encodings have separate weights.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from charlens.encodings import lookup
from charlens.encodings.maps import UNDEFINED, single_byte_map
from charlens.training.buckets import Bucket, Features
from charlens.training.classes import Class

#: A byte of a bucket is used by a class if it has this part of the bucket's pairs in the samples of the class. Not
#: measured: it must be above the share of foreign names.
_USED = 0.02
#: What stands for a byte that is not used.
_UNUSED = -1


def tie_weights(
    classes: Sequence[Class], features: Features, counts: sp.csr_matrix, members: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Return for each feature and class the number of its weight; equal numbers are one weight.

    *counts* are the pairs of the samples, and *members* their classes.
    """
    languages = sorted({member.language for member in classes})
    alone = np.arange(len(features), dtype=np.int64)
    keys = np.empty((len(features), len(classes)), np.int64)
    shared: dict[Hashable, int] = {}
    own = len(features.chosen)
    used = np.flatnonzero(features.places >= own)
    for number, member in enumerate(classes):
        keys[:, number] = (1 << 50) + (number << 20) + alone
        encoding = lookup(member.encoding)
        if encoding is None or encoding.kind == "multi":
            continue
        points = np.array(single_byte_map(member.encoding), np.int64)
        keys[:own, number] = _pairs(points, features.chosen, languages.index(member.language), keys[:own, number])
        totals = np.asarray(counts[members == number].sum(axis=0), np.int64).ravel()[used]
        sides = [_shares(features, used, side, totals) for side in (used >> 8, used & 255)]
        for place, bucket in enumerate(features.buckets):
            key = (member.language, bucket.kind, *_letters(bucket, points, [side[place] for side in sides]))
            keys[own + place, number] = shared.setdefault(key, int(keys[own + place, number]))
    return np.unique(keys, return_inverse=True)[1].reshape(keys.shape).astype(np.int64)


def _shares(
    features: Features, pairs: NDArray[np.int64], values: NDArray[np.int64], totals: NDArray[np.int64]
) -> NDArray[np.float64]:
    """Return for each bucket the part of its *pairs* that each byte value has on one side; none if it has no pairs."""
    sums = np.zeros((len(features.buckets), 256))
    np.add.at(sums, (features.places[pairs] - len(features.chosen), values), totals)
    shares: NDArray[np.float64] = sums / np.maximum(sums.sum(axis=1, keepdims=True), 1)
    return shares


def _letters(
    bucket: Bucket, points: NDArray[np.int64], shares: Sequence[NDArray[np.float64]]
) -> tuple[tuple[int, ...], ...]:
    """Return the characters of both sides of *bucket*; if the class uses it, only those that it uses."""
    found = []
    for values, share in zip((bucket.first, bucket.second), shares, strict=True):
        every = points[[*values]]
        if share.any():
            every = np.where(share[[*values]] >= _USED, every, _UNUSED)
        found.append(tuple(every.tolist()))
    return tuple(found)


def _pairs(
    points: NDArray[np.int64], pairs: NDArray[np.int64], language: int, own: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Return the key of each pair of characters in a language; *own* where a byte has no character."""
    first, second = points[pairs >> 8], points[pairs & 255]
    undefined = (first == UNDEFINED) | (second == UNDEFINED)
    return np.where(undefined, own, (language << 32) + (first << 16) + second)
