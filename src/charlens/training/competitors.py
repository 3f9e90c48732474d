"""Which encodings compete for a sample, and which of them are right: the same rules as at detection."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from charlens import kernel
from charlens.encodings import lookup
from charlens.encodings.maps import defined_mask, difference_mask
from charlens.encodings.walks import walk_table
from charlens.training.classes import family

_ALL_VALUES = (1 << 256) - 1


class Competitors:
    """Judges samples for the encodings of a model."""

    def __init__(self, encodings: Sequence[str]) -> None:
        self._numbers = {name: number for number, name in enumerate(encodings)}
        members = {name: family(name) for name in encodings}
        self._single = [name for name in encodings if _kind(name) in ("single", "ebcdic")]
        self._multi = [name for name in encodings if _kind(name) == "multi"]
        # A family decodes what any member decodes.
        self._undefined = {
            name: [_ALL_VALUES ^ defined_mask(member) for member in members[name]] for name in self._single
        }
        self._tables = {name: [walk_table(member) for member in members[name]] for name in self._multi}
        self._differences = {
            (one, other): difference_mask(one, other) for one in self._single for other in self._single
        }

    def judge(
        self, samples: Sequence[bytes], encodings: Sequence[str]
    ) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        """Return for each sample, written in its encoding, who can decode it and who gives its text."""
        possible = np.zeros((len(samples), len(self._numbers)), np.bool_)
        right = np.zeros_like(possible)
        for row, (sample, encoding) in enumerate(zip(samples, encodings, strict=True)):
            seen = kernel.scan(sample).seen
            decoders = [name for name in self._single if not all(seen & u for u in self._undefined[name])]
            same = [n for n in decoders if not seen & self._differences.get((encoding, n), _ALL_VALUES)]
            for name in self._multi:
                if any(kernel.walk(sample, table)[0] < 0 for table in self._tables[name]):
                    decoders.append(name)
            for name in {*decoders, encoding}:
                possible[row, self._numbers[name]] = True
            for name in {*same, encoding}:
                right[row, self._numbers[name]] = True
        return possible, right


def _kind(name: str) -> str:
    encoding = lookup(name)
    return encoding.kind if encoding else ""
