"""Split samples by source: one part to choose settings on, and one part that is only for tests.

The rule is a hash of the source's name, so it needs no list and never changes.  Files of one source are similar;
splitting them would measure how well the source is known.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator

from charlens.evaluation.datasets import Sample

#: The names of the parts: settings are chosen on the first.
DEVELOPMENT, TEST = "development", "test"
PARTS = (DEVELOPMENT, TEST)


def part_of(source: str) -> str:
    """Return the part of the source called *source*: whether the first byte of its name's SHA-256 is even or odd."""
    return PARTS[hashlib.sha256(source.encode()).digest()[0] % 2]


def samples_in(samples: Iterable[Sample], part: str) -> Iterator[Sample]:
    """Yield the samples of *part*, or all of them where *part* is empty."""
    return (sample for sample in samples if not part or part_of(sample.source) == part)
