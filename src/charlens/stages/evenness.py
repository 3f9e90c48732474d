"""Notice that the encoding chosen for legacy text does not fit all of it: a few windows are scored by themselves.

Only a cheap look that decides whether a closer one is worth its time; which parts there are is for
`charlens.inputs.mixed`.  A change that none of the windows meets is not noticed here, but by `charlens.segments`.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable
from functools import lru_cache
from typing import TYPE_CHECKING

from charlens import kernel
from charlens.encodings import rank
from charlens.findings import Candidates, Findings, Scores, Uneven
from charlens.source import Bytes, Source
from charlens.types import Buffer

if TYPE_CHECKING:
    from charlens.models.format import Model

# Set with `python bench/mixed.py FOLDER`, which prints how many files of one encoding are looked at more closely (each
# costs milliseconds), and how many made mixtures are noticed.
#: The bytes of a window, of which there are three: the beginning, the middle and the end, each from a line's beginning
#: on. Two parts show at the two ends; four windows all over the input notice less, and cost more.
_WINDOW = 160
#: Fewer bytes beyond ASCII say too little: for the model in each of the windows, and for runs of UTF-8.
_LEAST = 24
_LEAST_RUNS = 2 * 3
#: Log-odds by which another encoding must fit a window better, and the different pairs of bytes it must have.
_CLEARLY = 3.0
_LEAST_PAIRS = 6
#: Runs of UTF-8 between ASCII, in all windows: legacy text has one or two by chance.
_RUNS = 3
#: In shorter input no windows are compared, and longer input is looked at more closely only where the caller asks for
#: it: each line takes a fraction of a millisecond.
_SHORTEST, _LONGEST = 256, 1 << 14
#: Bytes of damage in UTF-8: fewer are damage rather than a part in another encoding.
_LEAST_DAMAGE = 4

#: The classes of bytes in UTF-8, as letters: ASCII, trail, lead of two, lead of three, lead of four.
_CLASSES = bytes(b"aTLEF"[(b >= 0x80) + (b >= 0xC0) + (b >= 0xE0) + (b >= 0xF0)] for b in range(256))
_UTF8 = (b"aLTa", b"aLTLT", b"aETTa", b"aETTE")

#: Where the caller asked for the closer look.
EVERY_LINE = Uneven("every line was checked")


def find_unevenness(
    found: Findings, source: Source, find_candidates: Callable[[Source], Candidates]
) -> Uneven | None:
    """Return the first window that the encoding chosen does not fit; None where all are even, or too short.

    *find_candidates* tells which encodings decode a window.
    """
    form, scores = found.unicode, found.scores
    if source.size > _LONGEST:
        return None
    if form is not None:
        if form.damage and sum(end - start for start, end in form.damage) >= _LEAST_DAMAGE:
            return Uneven("utf-8 does not decode some bytes", form.damage[0].start)
        return None
    data = source.head
    beyond_ascii = found.scan.non_ascii
    if scores is None or beyond_ascii < _LEAST_RUNS or not found.scan.seen & _LINE_ENDS:
        return None
    windows = _windows(data)
    classes = b"\n".join([window for _, window in windows]).translate(_CLASSES)
    if (b"LT" in classes or b"ETT" in classes) and sum(map(classes.count, _UTF8)) >= _RUNS:
        return Uneven("some lines look like utf-8")
    if beyond_ascii < _LEAST or source.size < _SHORTEST:
        return None
    for at, window in windows:
        odd = _odd(at, window, find_candidates(Bytes(window)).numbers, found, scores)
        if odd is not None:
            return odd
    return None


_LINE_ENDS = 1 << 0x0A | 1 << 0x0D


def _windows(data: Buffer) -> list[tuple[int, bytes]]:
    """Return the windows of *data* that are not ASCII, with their offsets."""
    length = len(data)
    if length <= _WINDOW:
        starts: tuple[int, ...] = (0, length // 2)
    else:
        starts = (0, length // 2, length - _WINDOW)
    found = []
    for start in starts:
        window = bytes(data[start : start + 2 * _WINDOW])
        skip = window.find(b"\n") + 1 if start else 0
        window = window[skip : skip + _WINDOW]
        if not window.isascii():
            found.append((start + skip, window))
    return found


def _odd(at: int, window: bytes, possible: int, found: Findings, scores: Scores) -> Uneven | None:
    """Return what is odd about a window: that another of the encodings that decode it fits it clearly better."""
    model: Model = scores.model
    begin = (_no_bias(len(model.classes)), ())
    pairs, distinct, flat = kernel.score(window, model.parts, (possible, 0), begin, (0, 0), (1, 0, 0))
    own = rank(found.encoding or "")
    if distinct < _LEAST_PAIRS or not flat or own in model.members[flat[0]]:
        return None
    same = sum(1 << rank(name) for name in found.equivalents) | 1 << own
    if any(same >> number & 1 for number in model.members[flat[0]]):
        return None
    _, _, chosen = kernel.score(window, model.parts, (same, 0), begin, (0, 0), (1, 0, 0))
    factor = model.factors[min(bisect_left(model.amounts, pairs), len(model.factors) - 1)]
    if not chosen or (flat[1] - chosen[1]) * factor < _CLEARLY:
        return None
    return Uneven(f"the lines here look like {model.classes[flat[0]][0]}, not {found.encoding}", at)


@lru_cache(maxsize=8)
def _no_bias(classes: int) -> bytes:
    return bytes(4 * classes)
