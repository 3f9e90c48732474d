"""One verdict for many short strings from one source: names in a ZIP file, tags of songs, a column of a table.

One string has too little evidence; together they have as much as one text of their length.  Strings are first sorted by
their structure (ASCII, UTF-8, other, with block-listed bytes); the larger group of UTF-8 and other gives the answer.
Strings that it does not decode, or that are UTF-8 where the answer is not, are reported as misfits.  Equal strings
count once, strings are separated by a space, and a character cut off at the end of a string is not an error.  The
stages are those of `detect`.
"""

from __future__ import annotations

import codecs
import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable
from functools import cache
from mmap import mmap
from typing import TYPE_CHECKING, NamedTuple

from charlens import kernel
from charlens.encodings.walks import walk_table, walked_encodings
from charlens.inputs.stream_state import join_candidates
from charlens.kernel.facts import BLOCKED_BYTES
from charlens.kernel.shapes import Scan
from charlens.limits import Limited, Limits, check_time, end_of_character, time_limit
from charlens.options import Options, make_options
from charlens.pipeline import run
from charlens.plural import count
from charlens.source import CODEC_ERRORS, Bytes, Weighed, as_buffer
from charlens.types import MOST_SPANS, Outcome, Span, Step, Verdict

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from charlens.keywords import Keywords

#: Bytes of each kind kept as evidence, from different strings; statistics use 64 KB of them. All strings are walked.
_MOST_KEPT = 1 << 20
#: The number of bytes checked for UTF-16 and binary.
_MOST_RAW = 1 << 16
#: Strings are walked in batches of about this size.
_BATCH = 1 << 18
#: A multi-byte encoding may fail on one string in this many (a broken name), and one string in this many may
#: be cut off: ID3 tags are cut at 30 bytes. The statistics decide whether such cuts are likely.
_MISFITS_IN = 50
_CUT_IN = 2
#: How many more may fail before an encoding is dropped while strings are still arriving.
_FREE = 3
#: If the share of strings with block-listed bytes reaches this, the whole list is binary.
_BINARY_SHARE = 0.1

_BLOCKED = re.compile(b"[" + re.escape(BLOCKED_BYTES) + b"]")
#: Bytes that shift, or are errors, in 7-bit encodings; text without them is plain ASCII.
_SHIFTS = re.compile(rb"[\x1b~+]")
_CUT = re.compile(rb"[\xc2-\xf4][\x80-\xbf]{0,2}\Z")


class Pool(NamedTuple):
    """The number of strings of each form: the first finding of a pooled verdict."""

    strings: int
    #: Different non-ASCII strings that were kept as evidence.
    different: int
    utf8: int
    other: int
    blocked: int
    #: The numbers, from 0, of the first `MOST_SPANS` strings that the answer does not decode, or that are UTF-8
    #: where the answer is not; of equal strings, the first is listed.
    misfits: tuple[int, ...] = ()
    #: How many strings do not fit, with those that are not listed.
    unfit: int = 0

    def step(self) -> Step:
        """Count the strings by their form, and name the first misfit."""
        words = f"{count(self.strings, 'string')}: {self.utf8:,} UTF-8, {self.other:,} in another encoding, "
        words += f"{self.blocked:,} with control bytes, the rest ASCII; {self.different:,} distinct ones are evidence"
        if self.misfits:
            words += f"; {self.unfit:,} cannot be decoded this way, the first is number {self.misfits[0]:,}"
        return Step("pool", words)


class _Place(NamedTuple):
    number: int
    start: int
    end: int


def detect_together(
    items: Iterable[bytes | bytearray | memoryview | mmap], **keywords: Unpack[Keywords]
) -> Verdict:
    """Detect the common encoding of many short strings from the same source; the keywords are those of `detect`.

    Strings that cannot be decoded in that encoding, or that are UTF-8 where the others are not, are listed by number in
    the first finding, a `Pool`, and in `damage` as ranges in the concatenated strings. *items* is read once, in
    constant memory; *max_bytes* limits the bytes of all strings together.
    """
    if isinstance(items, bytes | bytearray | memoryview | str):
        raise TypeError("charlens.detect_together() needs a list of byte strings, such as [b'one', b'two'].")
    options = make_options(**keywords)
    most, seconds = options.limits or Limits()
    lot = _Lot(options.replace(limits=None))
    with time_limit(seconds):
        for item in items:
            data = item if type(item) is bytes else bytes(as_buffer(item, "detect_together"))
            rest = len(data) if most is None else most - lot.length
            check_time()
            lot.add(data[: end_of_character(data, rest)])
            if len(data) > rest:
                break
        else:
            most = None
        lot.flush()
        verdict = lot.verdict()
    return verdict if most is None else verdict._replace(findings=(*verdict.findings, Limited(most)))


class PoolSource(Bytes):
    """Strings of one kind, joined; a declaration in one of them does not apply to the others."""

    __slots__ = ()

    declares = whole = uniform = False


class LegacySource(PoolSource):
    """Strings that are not UTF-8; each string was walked separately."""

    __slots__ = ("_walked",)

    def __init__(self, data: bytes, seen: int, walked: tuple[int, ...]) -> None:
        super().__init__(data)
        #: Of all strings, including those that are not kept.
        self.scan = Scan(seen | self.scan.seen, *self.scan[1:])
        self._walked = walked

    def damage(self, ratio: int, patience: int) -> tuple[int, int, tuple[int, ...], int]:
        """See `Source`; strings in UTF-8 are of another kind."""
        return 0, 1, (), -1

    def weigh(self, encoding: str, skip: int = 0) -> Weighed:
        """See `Source`; the strings were already checked for UTF-16."""
        return 0, 0, 0, 1, 0, 0

    def candidates(
        self, columns: bytes, tables: bytes, masks: bytes, owners: bytes
    ) -> tuple[int, int, int, bytes]:
        """See `Source`."""
        return join_candidates(self.scan.seen, columns, owners, self._walked)

    def strays(self, name: str, first: int, most: int, apart: int) -> tuple[int, ...]:
        """See `Source`; the pool counts strings that do not fit."""
        return ()

    def find_values(self, values: int, most: int) -> tuple[int, ...]:
        """See `Source`: a string that has such a byte is a misfit, not damaged."""
        return ()


class _Lot:
    """The strings so far by form, with those that are kept as evidence."""

    def __init__(self, options: Options) -> None:
        self.options = options
        self.strings = self.filled = self.length = 0
        self.raw = bytearray()
        self.even = True
        self.utf8, self.other, self.blocked, self.shifted, self.ascii, self.cut = (_Kind() for _ in range(6))
        self.walked = {name: _Walk(walk_table(name)) for name in walked_encodings()}
        #: The byte values in the ASCII strings, and in the strings that are walked.
        self.plain: set[int] = set()
        self.seen = 0
        self._batch: list[tuple[_Place, bytes]] = []
        self._batched = 0

    def add(self, data: bytes) -> None:
        """Sort one string."""
        place = _Place(self.strings, self.length, self.length + len(data))
        self.strings += 1
        self.length += len(data)
        if not data:
            return
        self.filled += 1
        if len(data) & 1:
            self.even = False
        if len(self.raw) < _MOST_RAW:
            self.raw += data
        if _BLOCKED.search(data):
            self.blocked.add(data, place)
        elif data.isascii():
            self.plain.update(data)
            self.ascii.add(data, place)
            if _SHIFTS.search(data):
                self.shifted.add(data, place)
        elif _is_utf8(data) and self.options.allows("utf-8"):
            if _is_cut(data):
                self.cut.add(data, place)
                data = _CUT.sub(b"", data)  # only complete characters are evidence
            self.utf8.add(data, place)
        elif self.other.add(data, place):
            self._batch.append((place, data))
            self._batched += len(data)
            if self._batched > _BATCH:
                self.flush()

    def flush(self) -> None:
        """Walk the strings of the batch with every multi-byte encoding that is still possible."""
        if not self._batch:
            return
        joined = b" ".join([data for _, data in self._batch])
        self.seen |= kernel.scan(joined).seen
        places = [place for place, _ in self._batch]
        starts = []
        at = 0
        for _, data in self._batch:
            starts.append(at)
            at += len(data) + 1
        for walk in self.walked.values():
            walk.over(joined, starts, places)
        self._batch.clear()
        self._batched = 0

    def verdict(self) -> Verdict:
        """Combine the kinds into one answer."""
        if self.blocked.strings or self.other.strings:
            wide = self._wide()
            if wide is not None:
                return self._with_pool(wide)
        if self.blocked.strings > _BINARY_SHARE * self.filled:
            return self._with_pool(self._run(bytes(self.raw)))
        if self.utf8.strings and self.utf8.strings >= self.other.strings:
            whole = self._run(self.utf8.joined())
            if whole.encoding in (None, "utf-8"):
                return self._with_pool(whole, all_of=[self.other, self.blocked])
            # The declaration decided.
            misfits = self._undecodable(whole.encoding, [self.utf8, self.cut, self.other])
            return self._with_pool(whole._replace(damage=()), misfits, all_of=[self.blocked])
        if self.other.strings:
            return self._legacy()
        # The byte values of ASCII are enough to find its equivalents.
        whole = self._run(self.shifted.joined(b"\n") or bytes(sorted(self.plain)))
        if whole.encoding is None:
            return self._with_pool(whole, all_of=[self.blocked])
        kinds = [self.shifted] if _decodes_ascii(whole.encoding) else [self.shifted, self.ascii]
        return self._with_pool(whole, self._undecodable(whole.encoding, kinds), all_of=[self.blocked])

    def _run(self, data: bytes) -> Verdict:
        return run(PoolSource(data), self.options)

    def _wide(self) -> Verdict | None:
        """Return UTF-16 or UTF-32 if the joined strings are in it."""
        if not self.even:
            return None
        verdict = self._run(bytes(self.raw))
        return verdict if (verdict.encoding or "").startswith(("utf-16", "utf-32")) else None

    def _legacy(self) -> Verdict:
        walked = []
        for walk in self.walked.values():
            walked += [-1 if walk.holds() else max(walk.first, 0), 0]
        verdict = run(LegacySource(self.other.joined(), self.seen, tuple(walked)), self.options)
        if verdict.outcome is not Outcome.TEXT or verdict.encoding is None:
            return self._with_pool(verdict)
        encoding = verdict.encoding
        best = self.walked.get(encoding)
        misfits = [*(best.failed if best else ()), *self._other_utf8(encoding)]
        kinds = [self.utf8, self.cut]
        if (
            verdict.damage or encoding == "utf-8"
        ):  # because of a mark; the ranges would refer to the kept strings
            kinds.append(self.other)
            verdict = verdict._replace(damage=())
        if not _decodes_ascii(encoding):
            kinds += [self.other, self.ascii]
        misfits += self._undecodable(encoding, kinds)
        return self._with_pool(verdict, misfits, all_of=[self.blocked])

    def _other_utf8(self, encoding: str) -> list[_Place]:
        """Return the places of the strings that are UTF-8, not by chance, where the others are in *encoding*."""
        if not self.utf8.kept or encoding == "utf-8":
            return []
        from charlens.inputs.mixed.doubt import find_utf8_strings  # here: it is seldom needed

        found = find_utf8_strings(self.utf8.kept, encoding, len(self.other.kept))
        return [self.utf8.kept[string] for string in found]

    def _undecodable(self, encoding: str, kinds: Iterable[_Kind]) -> list[_Place]:
        """Return the places of the strings of *kinds* that *encoding* does not decode."""
        tried = {data: place for kind in kinds for data, place in kind.kept.items()}
        return [place for data, place in tried.items() if not _decodes(data, encoding)]

    def _with_pool(
        self, verdict: Verdict, misfits: Iterable[_Place] = (), all_of: Iterable[_Kind] = ()
    ) -> Verdict:
        """Insert the pool as the first finding, and the misfits, with all strings of some kinds, as damage."""
        single = {*misfits}
        odd = sorted(single.union(*(kind.places for kind in all_of)))[:MOST_SPANS]
        unfit = sum(map(self._times, single)) + sum(kind.strings for kind in all_of)
        kinds = (self.utf8.strings, self.other.strings, self.blocked.strings)
        different = max(len(self.utf8.kept), len(self.other.kept))
        pool = Pool(self.strings, different, *kinds, tuple(place.number for place in odd), unfit)
        share = 1.0 - unfit / max(unfit, sum(kinds), 1)
        return verdict._replace(
            confidence=verdict.confidence * share if odd else verdict.confidence,
            damage=tuple(Span(place.start, place.end) for place in odd) if odd else verdict.damage,
            findings=(pool, *verdict.findings),
        )

    def _times(self, place: _Place) -> int:
        """Return how often the string at *place* occurred."""
        kinds = (self.utf8, self.other, self.ascii)
        return 1 + max(kind.repeats[place] for kind in kinds)


class _Kind:
    """Strings of one form: their number, and the different ones that are kept."""

    def __init__(self) -> None:
        self.strings = 0
        self.kept: dict[bytes, _Place] = {}
        #: How often the string that is kept for a place came again.
        self.repeats: Counter[_Place] = Counter()
        self.places: list[_Place] = []
        self._size = 0

    def add(self, data: bytes, place: _Place) -> bool:
        """Count a string; return whether it may be new."""
        self.strings += 1
        if len(self.places) < MOST_SPANS:
            self.places.append(place)
        if data in self.kept:
            self.repeats[self.kept[data]] += 1
            return False
        if self._size < _MOST_KEPT:
            self.kept[data] = place
            self._size += len(data)
        return True

    def joined(self, between: bytes = b" ") -> bytes:
        """Return the kept strings as one text."""
        return between.join(self.kept)


class _Walk:
    """How many strings one multi-byte encoding decodes."""

    def __init__(self, table: bytes) -> None:
        self._table = table
        self._walked = 0
        self._failures = 0
        self._cuts = 0
        self.failed: list[_Place] = []
        #: The offset of the first string that fails, or -1.
        self.first = -1

    def holds(self) -> bool:
        """Whether the encoding is still possible: few strings fail or end in the middle of a character."""
        return self._failures <= self._walked // _MISFITS_IN and self._cuts <= max(
            _FREE, self._walked // _CUT_IN
        )

    def _is_lost(self) -> bool:
        """Whether too many strings failed for the encoding to be checked further."""
        return (
            self._failures > _FREE + self._walked // _MISFITS_IN
            or self._cuts > _FREE + self._walked // _CUT_IN
        )

    def over(self, joined: bytes, starts: list[int], places: list[_Place]) -> None:
        """Walk a batch; after a fault, continue with the next string."""
        self._walked += len(starts)
        if self._is_lost():
            return
        view = memoryview(joined)
        at = 0
        while at < len(joined):
            error, left, _ = kernel.walk(view[at:], self._table)
            if error < 0:
                self._cuts += bool(left)
                return
            index = bisect_right(starts, at + error) - 1
            end = starts[index + 1] - 1 if index + 1 < len(starts) else len(joined)
            if kernel.walk(view[at + error : end], self._table)[0] < 0:
                self._cuts += 1
            else:
                self._failures += 1
                self.failed.append(places[index])
                self.first = places[index].start if self.first < 0 else self.first
            if self._is_lost():
                return
            at = end + 1


def _is_utf8(data: bytes) -> bool:
    """Whether *data* has a complete UTF-8 sequence and no error except a cut at the end."""
    try:
        text, _ = codecs.utf_8_decode(data, "strict", False)
    except UnicodeDecodeError:
        return False
    return not text.isascii()


def _is_cut(data: bytes) -> bool:
    return codecs.utf_8_decode(data, "ignore", False)[1] < len(data)


@cache
def _decodes_ascii(encoding: str) -> bool:
    """Whether *encoding* decodes ASCII strings as ASCII, which EBCDIC does not."""
    return _decodes(b"A", encoding) and b"A".decode(encoding) == "A"


def _decodes(data: bytes, encoding: str) -> bool:
    try:
        codecs.getincrementaldecoder(encoding)().decode(data)
    except CODEC_ERRORS:
        return False
    return True
