"""What has to be known of every byte of a stream, carried from piece to piece in flat memory.

One class for each thing that a stage would find out from the whole input: counts, damage, walks, units, shifts,
and windows of evidence.  Each takes pieces in order; none keeps more than a fixed number of bytes.  Putting them
together to a verdict is for `charlens.inputs.stream`.
"""

from __future__ import annotations

import codecs
import re
from copy import copy
from operator import add

from charlens import kernel
from charlens.detect import empty_scan, join_scans, scan_bytes
from charlens.encodings.walks import walk_table, walked_encodings
from charlens.models.characters import character_weights
from charlens.stages.structure import Walked
from charlens.stages.structure.strays import FIRST_FORGIVEN, TOLERANT, are_few, are_too_many
from charlens.stages.unicode import _GOOD_PER_BAD
from charlens.stages.unicode import _PATIENCE as _BAD_RANGES
from charlens.types import MOST_SPANS, Scan, Span

#: Windows of evidence; of these the statistics stage takes what it needs. Between 16 and 32 are kept.
_WINDOW = 4096
_MOST_WINDOWS = 32
#: The first stride: 16 windows in the 4 MB that a `Detector` keeps whole.
_FIRST_STRIDE = 1 << 18
#: So much is kept behind the first shift of each kind; 32 runs of UTF-7, which its recogniser reads, fit many times.
_REGION = 1 << 16

_PATIENCE = _GOOD_PER_BAD * _BAD_RANGES
#: More room than this needs no counting; the native kernel takes numbers up to 2^62.
_MOST_ROOM = 1 << 40

_BEYOND_ASCII = re.compile(rb"[\x80-\xff]")

_SHIFTED: dict[bytes, tuple[str, ...]] = {
    b"\x1b": (
        "iso2022_kr",
        "iso2022_jp",
        "iso2022_jp_1",
        "iso2022_jp_2",
        "iso2022_jp_3",
        "iso2022_jp_2004",
        "iso2022_jp_ext",
    ),
    b"~": ("hz",),
    b"+": ("utf-7",),
}


class CarriedScan:
    """The scan of everything so far.

    Pieces have to end between two characters, should they be UTF-8; `unfinished` tells how much to hold back.
    """

    def __init__(self) -> None:
        self.whole = empty_scan(b"")
        self.length = 0

    def add(self, piece: bytes) -> Scan:
        """Add *piece* and return its own scan."""
        scan = scan_bytes(piece)
        self.whole = join_scans(self.whole, scan, self.length)
        self.length += len(piece)
        return scan


def unfinished(piece: bytes) -> int:
    """Return how many bytes at the end may begin a UTF-8 sequence that goes on behind *piece*: 0 to 3."""
    for length in range(1, min(3, len(piece)) + 1):
        byte = piece[-length]
        if byte >= 0xC0:
            # C0 to DF open two bytes, E0 to EF three, F0 and over four.
            return length if length < 2 + (byte >= 0xE0) + (byte >= 0xF0) else 0
        if byte < 0x80:
            break
    return 0


class CarriedDamage:
    """The ranges that are not UTF-8, until there are too many; with a mark there are never too many."""

    def __init__(self, marked: bool) -> None:
        self.good = 0
        self.bad = 0
        self.spans: list[int] = []
        self.hopeless = False
        self._ratio = 0 if marked else _GOOD_PER_BAD

    def with_end(self, held: bytes, start: int) -> CarriedDamage:
        """Return the same with *held*, the end of the stream, counted in."""
        ended = copy(self)
        ended.spans = list(self.spans)
        ended._count(held, start)
        return ended

    def add(self, piece: bytes, start: int) -> None:
        """Count the good and the bad in *piece*, which begins at *start* and is not the end of the stream."""
        self._count(piece, start)
        tail = unfinished(piece)
        cut = kernel.scan(piece[-tail:])[5] if tail else 0
        if cut and not self.hopeless:
            # What was held back behind this piece begins with a lead, so this sequence is never finished.
            end = start + len(piece)
            self.bad += 1
            self.hopeless = self._ratio * self.bad > self.good + _PATIENCE
            if len(self.spans) < 2 * MOST_SPANS:
                self.spans += (end - cut, end)

    def _count(self, piece: bytes, start: int) -> None:
        if self.hopeless:
            return
        room = min(_PATIENCE + self.good - self._ratio * self.bad, _MOST_ROOM)
        listed = MOST_SPANS - len(self.spans) // 2
        good, bad, _, stopped, flat = kernel.damage(piece, 0, 0, self._ratio, room, listed)
        self.good += good
        self.bad += bad
        self.spans += (start + offset for offset in flat)
        self.hopeless = stopped >= 0


class CarriedWalks:
    """The walk of each multi-byte encoding, with the bytes that a sequence has behind the last border.

    A few stray bytes are forgiven as in `charlens.stages.structure.strays`; then the walk goes on behind them.
    """

    def __init__(self) -> None:
        self._tails: dict[str, bytes] = dict.fromkeys(walked_encodings(), b"")
        #: Where each encoding that was given up has its first wrong sequence.
        self._failed: dict[str, int] = {}
        self._strays: dict[str, list[Span]] = {}
        self._good: dict[str, int] = dict.fromkeys(walked_encodings(), 0)

    def add(self, piece: bytes, start: int, plain: bool) -> None:
        """Walk on through *piece*, which begins at *start*; *plain* says that it is all ASCII."""
        # No ASCII byte moves a walk away from the state between characters.
        if plain and not any(self._tails.values()):
            return
        for name, tail in list(self._tails.items()):
            self._walk(name, tail + piece if tail else piece, start - len(tail))

    def _walk(self, name: str, data: bytes, start: int) -> None:
        view = memoryview(data)
        at = 0
        while True:
            error, left, good = kernel.walk(view[at:], walk_table(name))
            self._good[name] += good
            if error < 0:
                self._tails[name] = data[len(data) - left :]
                return
            at += error
            strays = self._strays.setdefault(name, [])
            strays.append(Span(start + at, start + at + 1))
            if name not in TOLERANT or strays[0].start < FIRST_FORGIVEN or are_too_many(strays, self._good[name]):
                self._failed[name] = self._strays.pop(name)[0].start
                del self._tails[name]
                return
            at += 1

    def results(self, held: bytes, start: int) -> Walked:
        """Return how each encoding fared.

        *held* is what has come after all pieces, at *start*; it is looked at, but not taken.
        """
        ended = CarriedWalks()
        ended._tails, ended._failed, ended._good = dict(self._tails), dict(self._failed), dict(self._good)
        ended._strays = {name: list(spans) for name, spans in self._strays.items()}
        ended.add(held, start, plain=False)
        found = {name: (offset, 0) for name, offset in ended._failed.items()}
        for name, tail in ended._tails.items():
            spans = ended._strays.get(name)
            found[name] = (spans[0].start if spans else -1, len(tail))
        damaged = [
            (name, tuple(spans)) for name, spans in ended._strays.items() if are_few(spans, ended._good[name])
        ]
        return Walked(found, damaged)


class CarriedUnits:
    """The units of UTF-16 or UTF-32, for a stream whose head is in it."""

    def __init__(self, encoding: str) -> None:
        #: Characters, their weight, those of East Asia, faults, where the first fault is (or -1), bytes left over:
        #: what `kernel.weigh` would return for all pieces at once.
        self.weighed = (0, 0, 0, 0, -1, 0)
        self._length = 0
        self._rest = b""  # of a unit, or of a pair of surrogates, that is not whole yet
        self._shape = (2 if "16" in encoding else 4), int(encoding.endswith("be"))

    def add(self, piece: bytes) -> None:
        """Weigh *piece*."""
        data = self._rest + piece
        start = self._length - len(self._rest)
        *counts, first, left = kernel.weigh(data, *self._shape, character_weights())
        characters, weight, wide, faults = map(add, self.weighed[:4], counts)
        before = self.weighed[4]
        if before < 0 and first >= 0:
            before = start + first
        self.weighed = (characters, weight, wide, faults, before, left)
        self._length += len(piece)
        self._rest = data[len(data) - left :]

    def with_end(self, held: bytes) -> CarriedUnits:
        """Return the same with *held*, the end of the stream, weighed in."""
        ended = copy(self)
        ended.add(held)
        return ended


class CarriedShifts:
    """The 7-bit encodings whose decoders have refused nothing, and what stands behind the first shift of each."""

    def __init__(self) -> None:
        self._decoders: dict[str, codecs.IncrementalDecoder] = {}
        self._regions: dict[bytes, bytearray] = {}
        self._starts: dict[bytes, int] = {}

    def add(self, piece: bytes, start: int) -> None:
        """Decode on through *piece*, from the first shift on; what comes before a shift is ASCII to all of them."""
        for shift, names in _SHIFTED.items():
            part = piece
            if shift not in self._regions:
                at = piece.find(shift)
                if at < 0:
                    continue
                part = piece[at:]
                self._starts[shift] = start + at
                self._regions[shift] = bytearray()
                self._decoders.update((name, codecs.getincrementaldecoder(name)()) for name in names)
            region = self._regions[shift]
            region += part[: _REGION - len(region)]
            for name in names:
                self._decode(name, part)

    def _decode(self, name: str, part: bytes) -> None:
        decoder = self._decoders.get(name)
        if decoder is not None:
            try:
                decoder.decode(part)
            except UnicodeDecodeError:
                del self._decoders[name]

    def cut(self, name: str) -> int:
        """Return how many bytes at the end begin what is not finished there, for the encoding *name*."""
        decoder = self._decoders.get(name)
        return len(decoder.getstate()[0]) if decoder is not None else 0

    def regions(self) -> list[tuple[int, bytes, tuple[str, ...]]]:
        """Return, for each kind, where its first shift is, the bytes from there on, and who can still decode it."""
        return [
            (self._starts[shift], bytes(self._regions[shift]), tuple(n for n in names if n in self._decoders))
            for shift, names in _SHIFTED.items()
            if shift in self._regions
        ]


class CarriedEvidence:
    """Windows with bytes beyond ASCII from all over the stream, 16 to 32 of them.

    There is one for each stride; when there are too many, every second one goes and the stride doubles.
    """

    def __init__(self) -> None:
        self._stride = _FIRST_STRIDE
        self._windows: dict[int, bytearray] = {}

    def add(self, piece: bytes, start: int) -> None:
        """Take what *piece*, which begins at *start*, has for the windows of its strides."""
        end = start + len(piece)
        position = start
        while position < end:
            slot = position // self._stride
            border = min((slot + 1) * self._stride, end)
            self._fill(slot, piece, position - start, border - start)
            position = border
        if len(self._windows) > _MOST_WINDOWS:
            self._thin()

    def _fill(self, slot: int, piece: bytes, first: int, last: int) -> None:
        window = self._windows.get(slot)
        if window is None:
            match = _BEYOND_ASCII.search(piece, first, last)
            if match is None:
                return
            window = self._windows[slot] = bytearray()
            first = max(first, match.start() - 16)
        if len(window) < _WINDOW:
            window += piece[first : min(last, first + _WINDOW - len(window))]

    def _thin(self) -> None:
        self._stride *= 2
        kept: dict[int, bytearray] = {}
        for slot, window in self._windows.items():
            kept.setdefault(slot // 2, window)
        self._windows = kept

    def words(self) -> bytes:
        """Return the windows, in their order."""
        return b" ".join(bytes(window) for _, window in sorted(self._windows.items()))
