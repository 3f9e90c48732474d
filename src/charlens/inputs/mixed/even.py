"""Check quickly whether all lines are in the encoding of the whole file, as in nearly all files.

For each unit, the kernel returns how much better the best of the other encodings fits.  If no run of units gains
as much as a change costs, the best path through the lines has no change, and `lines` need not check them in detail.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from charlens import kernel
from charlens.encodings import lookup, rank
from charlens.encodings.maps import difference_mask
from charlens.inputs.mixed.points import (
    MOST_AGAINST,
    POINT,
    against_legacy,
    against_partly,
    leaders,
    price_of,
)
from charlens.inputs.mixed.units import ASCII, OTHER, UTF8, Unit
from charlens.limits import check_time
from charlens.stages.structure.tables import window_tables

if TYPE_CHECKING:
    from charlens.models.format import Model

#: The number of windows that `kernel.compare` takes at once.
_WINDOWS = 64
#: Encodings that differ in more byte values than this are not similar: windows-1250 and 1252 differ in 56 of 128.
_MOST_DIFFERENT = 90
_ASCII = bytes(range(0x80))
#: Bytes of a unit that are counted first: above some hundred non-ASCII bytes, the number makes no difference.
_MOST_COUNTED = 1024
#: The classes of bytes in UTF-8, as letters: ASCII, continuation, lead.
_CLASSES = bytes(b"aFL"[(b >= 0x80) + (b >= 0xC0)] for b in range(256))
_SEQUENCE = b"LF"


class _Group(NamedTuple):
    """Other encodings, as a set, and the cost of a change to the cheapest of them."""

    members: int
    price: int


class Evenness:
    """Whether the units seen so far are all in the encoding *whole*; pieces of a text can be added one by one."""

    def __init__(self, whole: str, model: Model, same: Iterable[str] = ()) -> None:
        """*same* are encodings that give the same text: changing to one of them does not count as a change."""
        self._model = model
        self._same = sum(1 << rank(name) for name in same)
        self._own, self._others = _groups(model, whole) if whole in leaders(model) else (0, ())
        self._back = price_of(whole, model)
        #: For each group, the lead of the best path that ends in one of its encodings over the path without a change.
        self._ahead = [float(self._back - group.price) for group in self._others]
        self._lost = not self._others

    def __bool__(self) -> bool:
        return not self._lost and max(self._ahead) < 0

    def add(self, data: bytes, units: list[Unit]) -> None:
        """Check more *units* of *data*."""
        classes = data.translate(_CLASSES)
        if _SEQUENCE not in classes:
            classes = b""
        for at in range(0, len(units), _WINDOWS):
            if self._lost:
                return
            check_time()
            some = units[at : at + _WINDOWS]
            weights = [self._weight(data, unit, classes) for unit in some]
            places = tuple([place for unit in some if unit.form == OTHER for place in unit[:2]])
            sets = (*(group.members & ~self._same for group in self._others), self._own)
            model = self._model
            found = kernel.compare(data, places, window_tables()[0], model.parts, model.no_bias, sets)
            size = 2 * len(sets) + 1
            for number in range(len(self._others)):
                best, total = found[2 + 2 * number :: size], found[3 + 2 * number :: size]
                self._follow(number, weights, zip(best, total, found[size - 1 :: size], strict=True))

    def _weight(self, data: bytes, unit: Unit, classes: bytes) -> tuple[float, int]:
        """Return the points of one step of a score in *unit* (0: it has none), and the points of its UTF-8."""
        start, end, form = unit
        if form == ASCII:
            return 0.0, 0
        piece = data[start:end]
        if form != OTHER:
            return 0.0, against_legacy(piece, 0) if form == UTF8 else MOST_AGAINST
        against = 0
        if classes and classes.find(_SEQUENCE, start, end) >= 0:
            against = against_partly(piece) or 0
        beyond_ascii = len(piece[:_MOST_COUNTED].translate(None, _ASCII))
        # Beyond the last limit but one, more bytes change nothing.
        if end - start > _MOST_COUNTED and any(beyond_ascii <= limit for limit in self._model.amounts[-2:-1]):
            beyond_ascii = len(piece.translate(None, _ASCII))
        return POINT * self._model.factor(beyond_ascii), against

    def _follow(
        self, number: int, weights: list[tuple[float, int]], scores: Iterator[tuple[int, int, int]]
    ) -> None:
        """Follow the best path in a group, given for each unit its best class, the score of that, and our own score."""
        ahead, price = self._ahead[number], self._others[number].price
        for weight, against in weights:
            gain: float = against
            if weight:
                best, total, own = next(scores)
                gain = (total - own) * weight if best >= 0 else -MOST_AGAINST
                if against:
                    gain = max(gain, 0) + against
                gain = min(MOST_AGAINST, max(-MOST_AGAINST, gain))
            ahead = max(ahead, -price) + gain
            if ahead >= self._back:
                self._lost = True
        self._ahead[number] = ahead


@lru_cache(maxsize=256)
def _groups(model: Model, whole: str) -> tuple[int, tuple[_Group, ...]]:
    """Return the family of *whole*, and two groups of others: those that decode many bytes alike, and the rest.

    The scores of the first are close behind in every line, those of the rest are not; in one group, they would seem to
    gain more.
    """
    mine = leaders(model)[whole]
    alike: list[str] = []
    rest: list[str] = []
    for leader in model.families:
        one_byte = all(getattr(lookup(name), "kind", "") == "single" for name in (whole, leader))
        near = one_byte and difference_mask(whole, leader).bit_count() <= _MOST_DIFFERENT
        if leader != mine:
            (alike if near else rest).append(leader)
    groups = (
        _Group(_members(model, names), min(price_of(name, model) for name in names))
        for names in (alike, rest)
        if names
    )
    return _members(model, [mine]), tuple(groups)


def _members(model: Model, names: list[str]) -> int:
    return sum(1 << rank(member) for name in names for member in model.families[name])
