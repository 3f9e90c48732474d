"""Collect facts about all bytes of a stream: one class for each question of a stage.

Each class takes pieces in order and keeps no more than a fixed number of bytes; none depends on how the bytes are cut
into pieces.  `stream_state` combines them.
"""

from __future__ import annotations

import re
from codecs import IncrementalDecoder, getincrementaldecoder
from collections.abc import Container
from copy import copy
from itertools import islice
from operator import add

from charlens import kernel
from charlens.encodings.walks import packed_tables, pair_masks, walk_table, walked_encodings
from charlens.findings import NOT_WALKED
from charlens.kernel.facts import BEFORE_WINDOW, STRAYS_AHEAD
from charlens.kernel.shapes import Scan
from charlens.models.characters import character_weights
from charlens.source import CODEC_ERRORS, LARGEST, SHAPES, Weighed, cut_at_end, decode_whole, find_faults
from charlens.stages.escapes import JAPANESE_FAMILY
from charlens.stages.structure.strays import (
    BYTES_PER_FAULT,
    FIRST_FORGIVEN,
    MOST_UNDEFINED,
    TOLERANT,
    undefined_values,
)
from charlens.stages.unicode import GOOD_PER_BAD, PATIENCE
from charlens.types import MOST_SPANS, Buffer, Span

#: Windows of evidence for the statistics stage. Between 16 and 32 are kept.
_WINDOW = 4096
_MOST_WINDOWS = 32
#: The first stride: 16 windows in the bytes that are kept.
_FIRST_STRIDE = LARGEST // 16
#: Bytes kept after the first shift of each kind; enough for the 32 runs of UTF-7 that are checked.
_REGION = 1 << 16
#: Larger than any count; the native kernel accepts numbers up to 2^62.
_MOST_ROOM = 1 << 40

_BEYOND_ASCII = re.compile(rb"[\x80-\xff]")

#: The bytes that shift in 7-bit encodings, with their encodings.
_SHIFTED: dict[bytes, tuple[str, ...]] = {
    b"\x1b": ("iso2022_kr", *JAPANESE_FAMILY),
    b"~": ("hz",),
    b"+": ("utf-7",),
}


class Damage:
    """The ranges that are not UTF-8, until there are too many; after a byte order mark, there is no limit."""

    def __init__(self, marked: bool) -> None:
        self.good = 0
        self.bad = 0
        self.spans: list[int] = []
        self.hopeless = False
        #: The length of an incomplete sequence at the end.
        self.cut = 0
        self._ratio = 0 if marked else GOOD_PER_BAD
        self._slack = GOOD_PER_BAD * PATIENCE
        self._end = 0

    def add(self, piece: Buffer, start: int, scan: Scan) -> None:
        """Count good and bad sequences in *piece*, which begins at *start*; *scan* is its scan."""
        if self.hopeless:
            return
        if not self.cut and scan.utf8_error < 0 and not scan.utf8_cut:
            self.good += scan.leads
            self._end = start + len(piece)
            return
        if self.cut:
            # The held bytes begin with a lead byte, so this sequence is never completed.
            self._add_bad(self._end - self.cut, self._end)
            if self.hopeless:
                return
        room = min(self._slack + self.good - self._ratio * self.bad, _MOST_ROOM)
        listed = MOST_SPANS - len(self.spans) // 2
        good, bad, stopped, flat = kernel.damage(piece, 0, 0, self._ratio, room, listed)
        self.good += good
        self.bad += bad
        self.spans += (start + offset for offset in flat)
        self.hopeless = self.hopeless or stopped >= 0
        self.cut = cut_at_end(piece[-4:])
        self._end = start + len(piece)

    def _add_bad(self, start: int, end: int) -> None:
        self.bad += 1
        self.hopeless = self._ratio * self.bad > self.good + self._slack
        if len(self.spans) < 2 * MOST_SPANS:
            self.spans += (start, end)


class Walks:
    """The walks of all multi-byte encodings in one pass, with stray bytes for those that may have some."""

    def __init__(self) -> None:
        count = len(walked_encodings())
        #: The last bytes before the next piece, and for each encoding the length of its incomplete character.
        self._tail = b""
        self._cuts = [0] * count
        #: The first error of each encoding, and the encodings that are still walked, as a set of bits.
        self._errors = [-1] * count
        self._alive = (1 << count) - 1
        self.strays: list[list[int]] = [[] for _ in range(count)]

    def keep(self, likely: Container[str]) -> None:
        """Continue the walks of *likely* encodings only; the others cannot be the answer."""
        for table, name in enumerate(walked_encodings()):
            if name not in likely and self._alive >> table & 1:
                self._lose(table)
                if self._errors[table] < 0:
                    self._errors[table] = NOT_WALKED

    def add(self, piece: Buffer, start: int, scan: Scan) -> None:
        """Continue the walks through *piece*, which begins at *start*; *scan* is for all bytes up to its end."""
        if not self._alive or not scan.non_ascii:
            return
        tail = self._tail
        data = memoryview(tail + bytes(piece) if tail else piece)  # slicing a memoryview does not copy
        starts = sum(len(tail) - cut << 2 * table for table, cut in enumerate(self._cuts))
        walked = kernel.walk_all(data, packed_tables(), pair_masks(), starts, self._alive)
        for table in range(len(self._cuts)):
            if self._alive >> table & 1:
                error, self._cuts[table] = walked[2 * table : 2 * table + 2]
                if error >= 0:
                    self._go_on(table, data, start - len(tail), error, scan)
        self._tail = bytes(data[-max(self._cuts) :]) if any(self._cuts) else b""

    def _lose(self, table: int) -> None:
        self.strays[table].clear()
        self._alive &= ~(1 << table)
        self._cuts[table] = 0

    def _go_on(self, table: int, data: Buffer, start: int, error: int, scan: Scan) -> None:
        """Count a byte as stray and continue after it, if the encoding may have stray bytes."""
        name = walked_encodings()[table]
        if self._errors[table] < 0:
            self._errors[table] = start + error
        strays = self.strays[table]
        # Counted by offsets, which do not depend on how the bytes are cut into pieces.
        forgives = name in TOLERANT and 0 <= scan.utf8_error <= self._errors[table] - FIRST_FORGIVEN
        walked = walk_table(name)
        at = error
        while error >= 0:
            strays.append(start + at)
            most = min(STRAYS_AHEAD + (start + at) // BYTES_PER_FAULT, MOST_SPANS)
            if not forgives or len(strays) > most:
                self._lose(table)
                return
            at += 1
            error, self._cuts[table], _ = kernel.walk(data[at:], walked)
            at += error

    def results(self) -> tuple[int, ...]:
        """Return for each encoding the offset of its first error, or -1, and the length of a cut at the end."""
        return tuple(value for pair in zip(self._errors, self._cuts, strict=True) for value in pair)


class Values:
    """Where the byte values are that a page of Windows lacks, as long as each of them is rare."""

    def __init__(self) -> None:
        self._places: dict[int, list[int]] = {value: [] for value in undefined_values()}

    def add(self, piece: Buffer, start: int, seen: int) -> None:
        """Note the places in *piece*, which begins at *start* and has the values *seen*."""
        for value in [value for value in self._places if seen >> value & 1]:
            found = (match.start() for match in re.finditer(re.escape(bytes([value])), piece))
            self._places[value] += [start + at for at in islice(found, MOST_UNDEFINED + 1)]
            if len(self._places[value]) > MOST_UNDEFINED:
                del self._places[value]

    def find(self, values: int, most: int) -> tuple[int, ...]:
        """Return where bytes of these values are; () if there are more than *most*."""
        found: list[int] = []
        for value in undefined_values():
            if values >> value & 1:
                found += self._places.get(value, range(MOST_UNDEFINED + 1))
        return tuple(sorted(found)) if len(found) <= most else ()


class Faults:
    """The ranges that an encoding does not decode."""

    def __init__(self, encoding: str) -> None:
        self.encoding = encoding
        self.spans: list[Span] = []
        #: The bytes of an incomplete character.
        self.rest = b""
        self._size = 0

    def add(self, piece: Buffer) -> None:
        """Decode *piece*."""
        data = self.rest + bytes(piece)
        start = self._size - len(self.rest)
        self._size += len(piece)
        spans, left = find_faults(data, self.encoding) if len(self.spans) < MOST_SPANS else ((), 0)
        self.spans += (Span(start + span.start, start + span.end) for span in spans)
        self.rest = data[len(data) - left :]


class Units:
    """The units of UTF-16 or UTF-32, for a stream that starts in it."""

    def __init__(self, encoding: str, skip: int) -> None:
        self.encoding = encoding
        #: The result of `kernel.weigh` for all pieces together: characters, their weight, East Asian ones, errors,
        #: remaining bytes.
        self.weighed: Weighed = (0, 0, 0, 0, 0)
        self.faults: Faults | None = None
        self._skip = skip
        self._length = 0
        self._rest = b""  # an incomplete unit or pair of surrogates

    def add(self, piece: Buffer) -> None:
        """Weigh *piece*."""
        skipped = min(self._skip, len(piece))
        self._skip -= skipped
        data = self._rest + bytes(piece[skipped:])
        start = self._length + skipped - len(self._rest)
        *counts, left = kernel.weigh(data, *SHAPES[self.encoding], character_weights())
        characters, weight, wide, faults = map(add, self.weighed[:4], counts)
        if self.faults is not None:
            self.faults.add(piece[skipped:])
        elif faults:
            self.faults = Faults(self.encoding)
            self.faults._size = start
            self.faults.add(data)
        self.weighed = (characters, weight, wide, faults, left)
        self._length += len(piece)
        self._rest = data[len(data) - left :]


class Shifts:
    """The 7-bit encodings that have decoded everything so far, and the bytes after the first shift of each kind."""

    def __init__(self) -> None:
        self._decoders: dict[str, IncrementalDecoder] = {}
        self._regions: dict[bytes, bytes] = {}
        self._starts: dict[bytes, int] = {}

    def __deepcopy__(self, memo: object) -> Shifts:
        other = copy(self)
        other._regions, other._starts = dict(self._regions), dict(self._starts)
        other._decoders = {}
        for name, decoder in self._decoders.items():
            other._decoders[name] = getincrementaldecoder(name)()
            other._decoders[name].setstate(decoder.getstate())
        return other

    def add(self, piece: Buffer, start: int, seen: int) -> None:
        """Decode *piece* from the first shift on; before it, all of them are ASCII."""
        for shift, names in _SHIFTED.items():
            part = piece
            if shift not in self._regions:
                if not seen >> shift[0] & 1:
                    continue
                at = bytes(piece).find(shift)
                part = piece[at:]
                self._starts[shift] = start + at
                self._regions[shift] = b""
                self._decoders.update((name, getincrementaldecoder(name)()) for name in names)
            region = self._regions[shift]
            if len(region) < _REGION:
                self._regions[shift] = region + bytes(part[: _REGION - len(region)])
            for name in names:
                self._decode(name, part)

    def _decode(self, name: str, part: Buffer) -> None:
        decoder = self._decoders.get(name)
        if decoder is not None:
            try:
                for at in range(0, len(part), _REGION):
                    decode_whole(decoder, bytes(part[at : at + _REGION]))
            except CODEC_ERRORS:
                del self._decoders[name]

    def cut_of(self, name: str) -> int | None:
        """Return the length of a cut at the end; None for an encoding that failed."""
        decoder = self._decoders.get(name)
        return len(decoder.getstate()[0]) if decoder is not None else None

    def region(self, shift: bytes) -> tuple[int, bytes]:
        """Return the offset of the first *shift*, and the bytes from there on."""
        return self._starts.get(shift, 0), self._regions.get(shift, b"")


class Windows:
    """16 to 32 windows with non-ASCII bytes from the whole stream.

    There is one for each stride; if there are too many, every second one is dropped and the stride doubles.
    """

    def __init__(self) -> None:
        self._stride = _FIRST_STRIDE
        #: For each slot, the offset of its window and its bytes.
        self._windows: dict[int, tuple[int, bytearray]] = {}
        #: The windows that are not full yet, and the last bytes before the next piece.
        self._open: list[bytearray] = []
        self._before = b""

    def __deepcopy__(self, memo: object) -> Windows:
        """Return a copy whose windows do not grow."""
        other = copy(self)
        other._windows = dict(self._windows)
        other._open = []
        return other

    def add(self, piece: Buffer, start: int, beyond_ascii: bool) -> None:
        """Add the bytes of *piece*, which begins at *start*, to the windows of its strides."""
        for window in self._open:
            window += piece[: _WINDOW - len(window)]
        end = start + len(piece)
        position = start if beyond_ascii else end
        while position < end:
            slot = position // self._stride
            border = min((slot + 1) * self._stride, end)
            if slot not in self._windows:
                match = _BEYOND_ASCII.search(piece, position - start, border - start)
                if match is not None:
                    window = self._begin(piece, match.start())
                    self._windows[slot] = (
                        start + match.start() - min(BEFORE_WINDOW, start + match.start()),
                        window,
                    )
            position = border
        self._open = [window for window in self._open if len(window) < _WINDOW]
        self._before = (self._before + bytes(piece[-BEFORE_WINDOW:]))[-BEFORE_WINDOW:]
        while len(self._windows) > _MOST_WINDOWS:
            self._thin()

    def _begin(self, piece: Buffer, at: int) -> bytearray:
        window = bytearray(self._before[-(BEFORE_WINDOW - at) :] if at < BEFORE_WINDOW else b"")
        window += piece[max(0, at - BEFORE_WINDOW) : max(0, at - BEFORE_WINDOW) + _WINDOW - len(window)]
        self._open.append(window)
        return window

    def _thin(self) -> None:
        self._stride *= 2
        kept: dict[int, tuple[int, bytearray]] = {}
        for slot, window in sorted(self._windows.items()):
            kept.setdefault(slot // 2, window)
        self._windows = kept

    def words(self) -> bytes:
        """Return the windows, in their order."""
        return b" ".join(bytes(window) for _, (_, window) in sorted(self._windows.items()))

    def places(self) -> list[int]:
        """Return the offset of each byte of the words, -1 between windows."""
        found: list[int] = []
        for _, (start, window) in sorted(self._windows.items()):
            found += ([-1] if found else []) + list(range(start, start + len(window)))
        return found
