"""Features of the encoding itself, which no frequency of a single n-gram says.

The paper's last open idea; its example is the share of n-grams with the high bit set.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from charlens.training.sullivan.ngrams import FloatArray

NAMES = (
    "bytes with the high bit",
    "pairs with both high bits",
    "triples with all high bits",
    "NUL bytes",
    "bytes 80 to 9F",
    "high bytes in UTF-8 sequences",
    "high bytes in runs of even length",
    "high bytes before a digit",
)

_SEQUENCE = re.compile(rb"[\xc2-\xdf][\x80-\xbf]|[\xe0-\xef][\x80-\xbf]{2}|[\xf0-\xf4][\x80-\xbf]{3}")
_RUN = re.compile(rb"[\x80-\xff]+")
# Only GB18030 has them in text: the four-byte sequences are high, digit, high, digit.
_BEFORE_DIGIT = re.compile(rb"[\x81-\xfe](?=[0-9])")


def measure(data: bytes) -> tuple[float, ...]:
    """Return the traits of *data*, each a share from 0 to 1, in the order of `NAMES`."""
    values = np.frombuffer(data, np.uint8)
    high = values >= 0x80
    total, highs = max(len(values), 1), max(int(high.sum()), 1)
    pairs, triples = high[:-1] & high[1:], high[:-2] & high[1:-1] & high[2:]
    return (
        high.sum() / total,
        pairs.sum() / total,
        triples.sum() / total,
        (values == 0).sum() / total,
        ((values >= 0x80) & (values < 0xA0)).sum() / total,
        sum(map(len, _SEQUENCE.findall(data))) / highs,
        sum(len(run) for run in _RUN.findall(data) if len(run) % 2 == 0) / highs,
        len(_BEFORE_DIGIT.findall(data)) / highs,
    )


def measure_all(documents: Sequence[bytes]) -> FloatArray:
    """Return a row of traits for each document."""
    return np.array([measure(document) for document in documents], np.float64).reshape(-1, len(NAMES))
