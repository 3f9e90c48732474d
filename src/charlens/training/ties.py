"""Tie weights that mean the same: a pair of characters is as likely in a language in one encoding as in another.

Without ties, Greek in windows-1253 and in ISO 8859-7 learn separate weights, and hundreds of small
random differences outvote the one letter that distinguishes the two.  With ties, a difference
between two encodings of one language comes only from bytes that they decode differently.  A bucket is tied if all its
bytes are decoded in the same way.  Multi-byte encodings have separate weights.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence

import numpy as np
from numpy.typing import NDArray

from charlens.encodings import lookup
from charlens.encodings.maps import UNDEFINED, single_byte_map
from charlens.training.buckets import Features
from charlens.training.classes import Class


def tie_weights(classes: Sequence[Class], features: Features) -> NDArray[np.int64]:
    """Return for each feature and class the number of its weight; equal numbers are one weight."""
    languages = sorted({member.language for member in classes})
    alone = np.arange(len(features), dtype=np.int64)
    keys = np.empty((len(features), len(classes)), np.int64)
    shared: dict[Hashable, int] = {}
    for number, member in enumerate(classes):
        keys[:, number] = (1 << 50) + (number << 20) + alone
        encoding = lookup(member.encoding)
        if encoding is None or encoding.kind == "multi":
            continue
        points = np.array(single_byte_map(member.encoding), np.int64)
        own = len(features.chosen)
        keys[:own, number] = _pairs(points, features.chosen, languages.index(member.language), keys[:own, number])
        for place, bucket in enumerate(features.buckets, own):
            key = (
                member.language, bucket.kind, *map(tuple, (points[[*bucket.first]], points[[*bucket.second]]))
            )  # fmt: skip
            keys[place, number] = shared.setdefault(key, int(keys[place, number]))
    return np.unique(keys, return_inverse=True)[1].reshape(keys.shape).astype(np.int64)


def _pairs(
    points: NDArray[np.int64], pairs: NDArray[np.int64], language: int, own: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Return the key of each pair of characters in a language; *own* where a byte has no character."""
    first, second = points[pairs >> 8], points[pairs & 255]
    undefined = (first == UNDEFINED) | (second == UNDEFINED)
    return np.where(undefined, own, (language << 32) + (first << 16) + second)
