"""Count byte unigrams, bigrams and trigrams, and lay the frequencies of all documents out as a matrix.

A frequency is the share that an n-gram has of the document's n-grams of the same length.  Which
n-grams are worth looking at is for `selection`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from scipy import sparse  # type: ignore[import-untyped, import-not-found, unused-ignore]

IntArray = npt.NDArray[np.int64]
FloatArray = npt.NDArray[np.float64]

# An n-gram is numbered by the number that its bytes make, after all shorter ones.
_BIGRAMS = 1 << 8
_TRIGRAMS = _BIGRAMS + (1 << 16)


def number(gram: bytes) -> int:
    """Return the number of an n-gram of one, two or three bytes."""
    return int.from_bytes(gram, "big") + (0, _BIGRAMS, _TRIGRAMS)[len(gram) - 1]


def gram(number: int) -> bytes:
    """Return the bytes of the n-gram with this number."""
    if number < _BIGRAMS:
        return bytes([number])
    if number < _TRIGRAMS:
        return (number - _BIGRAMS).to_bytes(2, "big")
    return (number - _TRIGRAMS).to_bytes(3, "big")


def beyond_ascii(numbers: IntArray) -> npt.NDArray[np.bool_]:
    """Say of each n-gram, by its number, whether it has a byte that ASCII text lacks: a high one, or NUL."""
    found = np.zeros(len(numbers), bool)
    # The number of bytes of the n-gram, and the place of its kind's first number.
    for width, first, end in (
        (1, 0, _BIGRAMS),
        (2, _BIGRAMS, _TRIGRAMS),
        (3, _TRIGRAMS, _TRIGRAMS + (1 << 24)),
    ):
        here = (numbers >= first) & (numbers < end)
        for place in range(width):
            value = (numbers - first) >> (8 * place) & 0xFF
            found |= here & ((value >= 0x80) | (value == 0))
    return found


def frequencies(data: bytes) -> tuple[IntArray, FloatArray]:
    """Return the numbers of the n-grams of *data*, ascending, and the frequency of each."""
    values = np.frombuffer(data, np.uint8).astype(np.int64)
    pairs = (values[:-1] << 8) | values[1:]
    triples = (pairs[:-1] << 8) | values[2:]
    numbers, counts = np.unique(
        np.concatenate([values, pairs + _BIGRAMS, triples + _TRIGRAMS]), return_counts=True
    )
    totals = np.where(
        numbers < _BIGRAMS, len(values), np.where(numbers < _TRIGRAMS, len(pairs), len(triples))
    )
    return numbers, counts / totals


def unit_frequencies(starts: IntArray, values: IntArray) -> tuple[IntArray, FloatArray]:
    """Return the n-grams of one and of two units, by their own numbers, and the frequency of each.

    A unit is what begins at one of *starts* and ends at the next; it has one byte or two.
    """
    ends = np.append(starts[1:], len(values))
    wide = ends - starts > 1
    firsts, seconds = values[starts], values[np.minimum(starts + 1, len(values) - 1)]
    units = np.where(wide, (firsts << 8 | seconds) + 256, firsts)
    pairs = (units[:-1] << 17 | units[1:]) + (1 << 17)
    numbers, counts = np.unique(np.concatenate([units, pairs]), return_counts=True)
    return numbers, counts / np.where(numbers < 1 << 17, max(len(units), 1), max(len(pairs), 1))


def aligned(data: bytes) -> tuple[IntArray, FloatArray]:
    """Count units of two bytes that begin at even places: the characters of UTF-16."""
    values = np.frombuffer(data, np.uint8).astype(np.int64)
    return unit_frequencies(np.arange(0, len(values), 2), values)


def by_lead(data: bytes) -> tuple[IntArray, FloatArray]:
    """Count units that begin where characters of East Asian encodings do: a high byte takes the next byte along."""
    values = np.frombuffer(data, np.uint8).astype(np.int64)
    starts = np.fromiter((found.start() for found in _LEADS.finditer(data)), np.int64)
    return unit_frequencies(starts, values)


# A high byte and whatever follows it, or one byte.
_LEADS = re.compile(rb"[\x80-\xff].|.", re.DOTALL)


class Matrix(NamedTuple):
    """A row for each document, a column for each n-gram."""

    #: The number of each column's n-gram, ascending.
    grams: IntArray
    #: The frequencies, as a sparse matrix by rows.
    values: Any


Count = Callable[[bytes], tuple[IntArray, FloatArray]]


def build_matrix(documents: Sequence[bytes], least: int, count: Count = frequencies) -> Matrix:
    """Count all *documents* by *count*; an n-gram that fewer than *least* of them have is left out.

    No choice of features is made by that: what fewer have in all, fewer have among those for training.
    """
    rows = [count(document) for document in documents]
    known, places = np.unique(np.concatenate([numbers for numbers, _ in rows]), return_counts=True)
    grams = known[places >= least]
    return Matrix(grams, _stack(rows, grams))


def project(documents: Iterable[bytes], grams: IntArray) -> Any:
    """Return the frequencies of *grams* (ascending) in *documents*, as a sparse matrix."""
    return _stack([frequencies(document) for document in documents], grams)


def _stack(rows: Sequence[tuple[IntArray, FloatArray]], grams: IntArray) -> Any:
    columns, values, ends = [], [], [0]
    for numbers, shares in rows:
        place = np.searchsorted(grams, numbers)
        place[place == len(grams)] = 0
        known = grams[place] == numbers if len(grams) else np.zeros(len(numbers), bool)
        columns.append(place[known].astype(np.int32))
        values.append(shares[known])
        ends.append(ends[-1] + len(columns[-1]))
    return sparse.csr_matrix(
        (np.concatenate(values), np.concatenate(columns), np.array(ends)), shape=(len(rows), len(grams))
    )
