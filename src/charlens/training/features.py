"""What a model sees of bytes: how often each pair of neighbours occurs, ASCII folded, one of them non-ASCII.

ASCII capitals are folded to two classes and ASCII signs to a few; pairs of two ASCII bytes are not
features, so markup says nothing.  The native kernel does the same with the table of pairs in the model.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from charlens.kernel.facts import CHARACTERS, FIRST_LEAD, FIRST_TRAIL

#: A feature that occurs once, twice, … counts 4 log2(1 + n), rounded; from 15 on it counts no more.
LEVELS = bytes(round(4 * float(np.log2(1 + count))) for count in range(1, 16))

#: The number of pairs of bytes.
PAIRS = 0x10000


def fold_table() -> NDArray[np.uint16]:
    """Return what each byte is folded to."""
    table = np.arange(256, dtype=np.uint16)
    for value in range(0x80):
        table[value] = ord(_fold(chr(value)))
    return table


def _fold(character: str) -> str:
    if character.isupper():
        # Not to lower case: 'levelsÑmay' is not a word, because of the capital in it. Of capitals two kinds are enough.
        return "A" if character in "AEIOUY" else "B"
    if character.isalpha() or character == "@":  # the space of EBCDIC
        return character
    for members, representative in ((" \t", " "), ("\r\n", "\n"), ("'\"`", "'"), (".,;:!?", "."), ("-", "-")):
        if character in members:
            return representative
    if character.isdigit():
        return "0"
    return "\x01" if character < " " else "("


_FOLD = fold_table()
_NUMBERS = np.arange(PAIRS)
#: Whether a pair has a non-ASCII byte.
_TELLING = (_NUMBERS >= 0x8000) | (_NUMBERS % 256 >= 0x80)


def folded_pairs() -> NDArray[np.int64]:
    """Return for each pair of bytes the pair that it is folded to, or -1 if it is not a feature."""
    first, second = _NUMBERS >> 8, _NUMBERS & 255
    folded = _FOLD[first].astype(np.int64) * 256 + _FOLD[second]
    return np.where(_TELLING, folded, -1)


def count_pairs(samples: Sequence[bytes]) -> sp.csr_matrix:
    """Return a row for each sample: how often each of the 65,536 folded pairs occurs in it."""
    rows = []
    for sample in samples:
        units = _FOLD[np.frombuffer(b" " + sample + b" ", np.uint8)]
        pairs = units[:-1] * 256 + units[1:]
        found, counts = np.unique(pairs[_TELLING[pairs]], return_counts=True)
        rows.append((found, np.minimum(counts, len(LEVELS))))
    return stack_rows(rows, PAIRS, np.uint8)


def find_characters(samples: Sequence[bytes]) -> sp.csr_matrix:
    """Return a row for each sample: 1 for each pair of bytes that can be a character, numbered as in the kernel."""
    rows = []
    for sample in samples:
        units = np.frombuffer(sample, np.uint8).astype(np.int32)
        first, second = units[:-1], units[1:]
        able = (first >= FIRST_LEAD) & (second >= FIRST_TRAIL)
        found = np.unique((first[able] - FIRST_LEAD) * (256 - FIRST_TRAIL) + second[able] - FIRST_TRAIL)
        rows.append((found, np.ones_like(found)))
    return stack_rows(rows, CHARACTERS, np.uint8)


def stack_rows(rows: Sequence[tuple[NDArray[Any], NDArray[Any]]], columns: int, kind: type) -> sp.csr_matrix:
    """Return a matrix of *rows*, each given as the columns that are not 0 and their values."""
    places, values = (
        np.concatenate([np.zeros(0, np.int32), *(row[part] for row in rows)]) for part in range(2)
    )
    ends = np.cumsum([0, *(len(found) for found, _ in rows)])
    return sp.csr_matrix((values.astype(kind), places.astype(np.int32), ends), shape=(len(rows), columns))
