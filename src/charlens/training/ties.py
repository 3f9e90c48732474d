"""Tie weights that mean the same: a language likes a pair of characters as much in one encoding as in another.

Without ties, Greek in windows-1253 and in ISO 8859-7 learn their weights apart, and hundreds of small
differences, all of them chance, outvote the one letter by which the two differ.  With ties, a difference
between two encodings of one language comes only from bytes that they read differently.  Multi-byte encodings
have weights of their own.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from charlens.encodings import lookup
from charlens.encodings.maps import UNDEFINED, single_byte_map
from charlens.training.classes import Class


def tie_weights(classes: Sequence[Class], features: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return for each feature and class the number of its weight; equal numbers are one weight."""
    languages = sorted({member.language for member in classes})
    first, second = features >> 8, features & 255
    alone = np.arange(len(features), dtype=np.int64)
    keys = np.empty((len(features), len(classes)), np.int64)
    for number, member in enumerate(classes):
        own = (1 << 50) + (number << 20) + alone
        encoding = lookup(member.encoding)
        if encoding is None or encoding.kind != "single":
            keys[:, number] = own
            continue
        points = np.array(single_byte_map(member.encoding), np.int64)
        pair = (languages.index(member.language) << 32) + (points[first] << 16) + points[second]
        undefined = (points[first] == UNDEFINED) | (points[second] == UNDEFINED)
        keys[:, number] = np.where(undefined, own, pair)
    return np.unique(keys, return_inverse=True)[1].reshape(keys.shape).astype(np.int64)
