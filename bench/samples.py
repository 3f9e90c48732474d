"""A row of the text-or-binary table, and tools to fill one: seeded random data, files found on the machine.

The rows themselves are in `text_samples.py` and `binary_samples.py`.
"""

from __future__ import annotations

import math
import os
import random
import sys
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple

_SEED = 20261

#: Where files of the machine are looked for; a folder that is not there is passed over.
_ROOTS = (sys.base_prefix, "/usr/bin", "/usr/lib", "/usr/share", "C:/Windows/System32", "/System/Library")
#: Files of at least this many bytes are looked at: below that, most are empty markers.
_LEAST = 40

HEADS = {"16 KB": 16_384, "64 KB": 65_536}


class Row(NamedTuple):
    """One row: samples that are all text, or all binary, in named parts."""

    name: str
    text: bool
    parts: dict[str, list[bytes]]


def chance(name: str) -> random.Random:
    """Return the random numbers of *name*: the same in every run."""
    return random.Random(f"{_SEED} {name}")


def some_size(rng: random.Random, least: int, most: int) -> int:
    """Draw a size: as many between 20 and 40 as between 2,000 and 4,000."""
    return round(math.exp(rng.uniform(math.log(least), math.log(most))))


def made(name: str, text: bool, makers: dict[str, Callable[[random.Random], bytes]], count: int) -> Row:
    """Fill a row with about *count* samples, the same number from each maker."""
    each = max(1, round(count / len(makers)))
    parts = {}
    for part, make in makers.items():
        rng = chance(f"{name}/{part}")
        parts[part] = [make(rng) for _ in range(each)]
    return Row(name, text, parts)


@cache
def machine_files() -> tuple[Path, ...]:
    """Return the files under the usual folders of a system, in a fixed order."""
    found = []
    for root in _ROOTS:
        for folder, folders, names in os.walk(root):
            folders.sort()
            found += [Path(folder, name) for name in sorted(names)]
    return tuple(found)


def spread(items: Sequence[Path], most: int) -> list[Path]:
    """Return at most *most* of *items*, evenly from all of them."""
    return list(items) if len(items) <= most else [items[i * len(items) // most] for i in range(most)]


def heads(paths: Iterable[Path], head: int) -> list[bytes]:
    """Read the first *head* bytes of each file, in the larger sizes only of files that have more."""
    smaller = max((size for size in HEADS.values() if size < head), default=_LEAST - 1)
    contents = []
    for path in paths:
        try:
            if path.stat().st_size > smaller:
                with path.open("rb") as file:
                    contents.append(file.read(head))
        except OSError:
            continue
    return contents
