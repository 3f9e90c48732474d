"""The source for streams and for input that is too large to keep: pieces in, constant memory.

`StreamState` collects from every byte what the stages need: counts, damage, walks, units, shifts, and
windows of evidence.  None of its parts keeps more than a fixed number of bytes, and none depends on how the bytes are
cut into pieces.  `StreamState.source()` is the source for the pipeline.
"""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from copy import copy, deepcopy

from charlens import kernel
from charlens.encodings.sets import relatives
from charlens.encodings.walks import walked_encodings
from charlens.findings import UnicodeForm
from charlens.inputs.trackers import Damage, Faults, Shifts, Units, Values, Walks, Windows
from charlens.kernel.shapes import Scan
from charlens.limits import check_time
from charlens.options import Options
from charlens.pipeline import examine
from charlens.source import CONTROLS_READ, LARGEST, LARGEST_MIXED, SHAPES, Bytes, Source, Weighed, find_faults
from charlens.stages.content import classify_content
from charlens.stages.declarations import find_declarations
from charlens.stages.signature import find_signature
from charlens.stages.unicode import recognise_unicode
from charlens.types import Buffer, Span

#: A blocked byte in the first 64 KB decides "binary" for an input of any size, if its first megabyte is not text.
_GLANCE = 1 << 16
_PROBE = 1 << 20
#: Pieces up to this size are copied.
_SHORT = 4096
#: With this many non-ASCII bytes in the first 64 KB, an encoding that is unlikely there is not walked to the end:
#: 5 MB of German in windows-1252 take 1 ms instead of 6 (`bench/legacy.py`).
_ENOUGH = 1024
_NOT_WEIGHED: Weighed = (0, 0, 0, 1, 0)


def large_source(data: Buffer, options: Options) -> Source:
    """Return the source for large *data*, which is read once from start to end."""
    view = memoryview(data)
    glance = kernel.scan(view[:_GLANCE])
    if glance.utf8_error < 0 and glance.blocked < 0 and not options.restricts:
        whole = Bytes(view)
        if whole.scan.utf8_error < 0 and whole.scan.blocked < 0:
            whole.sample = view[:LARGEST]
            return whole  # ASCII or UTF-8: the scan is enough
    state = StreamState(view[:LARGEST], options)
    for start in range(LARGEST, len(data), LARGEST):
        check_time()
        state.add(view[start : start + LARGEST])
    source = state.source()
    if options.parts and len(data) <= LARGEST_MIXED and isinstance(source, StreamSource):
        source.head, source.whole = view, True
    return source


class StreamState:
    """The facts about all bytes of a stream that is too large to keep."""

    def __init__(self, head: Buffer, options: Options) -> None:
        self.head = head
        self.size = 0
        self._held = b""
        first, signature = Bytes(head[:_PROBE]), find_signature(head)
        form = recognise_unicode(first, signature) if signature or first.scan.blocked >= 0 else None
        #: The first bytes, if they decide "binary".
        self._settled = first if _is_binary(first, form) else None
        wide = form.encoding if form is not None and form.encoding in SHAPES else None
        self._scan = _empty_scan()
        self._controls = b""
        self._units = Units(wide, len(signature.mark) if signature else 0) if wide else None
        self._faults = self._find_obeyed(options)
        self._damage = Damage(signature is not None and signature.encoding == "utf-8")
        self._walks = Walks()
        self._values = Values()
        self._shifts = Shifts()
        self._windows = Windows()
        self.add(head[:_GLANCE])
        if self._scan.non_ascii >= _ENOUGH:
            self._walks.keep(_likely_encodings(head[:_GLANCE], options))
        self.add(head[_GLANCE:])

    def _find_obeyed(self, options: Options) -> Faults | None:
        """Count the errors in the encoding that a declaration in the first bytes fixes (`declared="obey"`)."""
        if options.declared != "obey":
            return None
        found = find_declarations(self.head, options.content_type, options.prescan, True)
        for declaration in found.charsets if found else ():
            if declaration.encoding is not None and options.allows(declaration.encoding):
                return Faults(declaration.encoding)
        return None

    def add(self, piece: Buffer) -> None:
        """Take the next bytes, except for a character that may be incomplete."""
        if self._settled is not None:
            return
        if self._held:
            if len(piece) < _SHORT:
                piece, self._held = self._held + bytes(piece), b""
            else:
                # Complete the held sequence with its continuation bytes only, so the rest need not be copied.
                more = next(at for at in range(4) if at == 3 or not 0x80 <= piece[at] < 0xC0)
                joined = self._held + bytes(piece[:more])
                self._take(joined, kernel.scan(joined))
                piece = piece[more:]
        whole = len(piece) - _unfinished(piece)
        self._held = bytes(piece[whole:])
        if whole:
            self._take(piece[:whole], kernel.scan(piece[:whole]))

    def _take(self, piece: Buffer, scan: Scan) -> None:
        start = self.size
        self._scan = join_scans(self._scan, scan, start)
        self.size += len(piece)
        if self._scan.blocked >= 0 and len(self._controls) < CONTROLS_READ:
            at = max(self._scan.blocked - start, 0)
            self._controls += bytes(piece[at : at + CONTROLS_READ - len(self._controls)])
        if self._faults is not None:
            self._faults.add(piece)
        if self._units is not None:
            self._units.add(piece)
            return
        self._walks.add(piece, start, self._scan)
        self._values.add(piece, start, scan.seen)
        self._windows.add(piece, start, bool(scan.non_ascii))
        if scan.non_ascii:
            self._damage.add(piece, start, scan)
        elif not self._scan.non_ascii:
            self._shifts.add(piece, start, scan.seen)

    def source(self) -> Source:
        """Return a source for the bytes so far."""
        if self._settled is not None:
            return self._settled
        ended = copy(self)
        for name in ("_units", "_faults", "_damage", "_walks", "_values", "_shifts", "_windows"):
            setattr(ended, name, deepcopy(getattr(self, name)))
        held, ended._held = self._held, b""
        if held:
            ended._take(held, kernel.scan(held))
        return StreamSource(ended)


def _is_binary(source: Bytes, form: UnicodeForm | None) -> bool:
    if not 0 <= source.scan.blocked < _GLANCE or source.scan.seen >> 0x40 & 1:
        return False
    return not classify_content(source.scan, form, source.size, source.controls()).is_text


def _likely_encodings(head: Buffer, options: Options) -> frozenset[str]:
    """Return the encodings that the statistics do not rule out for *head*."""
    found = examine(Bytes(head), options)
    if found.scores is None or found.candidates is None:
        return frozenset(walked_encodings())
    likely = {member for number in found.scores.numbers for member in found.scores.model.members[number]}
    names = {found.candidates.rules.names[number] for number in likely}
    return frozenset(names.union(*map(relatives, names)))


class StreamSource:
    """The facts of a `StreamState`, with the interface of a source."""

    declares = True
    whole = uniform = False
    quiet, surveyed = False, None
    given = ()

    def __init__(self, state: StreamState) -> None:
        self._state = state
        self.head: Buffer = state.head
        self.sample: Buffer = state.head
        self.words: Buffer = state._windows.words()
        self.size = state.size
        self.scan = state._scan

    def places(self) -> list[int]:
        """Return the offset of each byte of the words in the input, -1 between windows."""
        return self._state._windows.places()

    def controls(self) -> Buffer:
        return self._state._controls

    def damage(self, ratio: int, patience: int) -> tuple[int, int, Sequence[int], int]:
        found = self._state._damage
        return found.good, found.bad, found.spans, -1 if found.hopeless else found.cut

    def weigh(self, encoding: str, skip: int = 0) -> Weighed:
        units = self._state._units
        return units.weighed if units is not None and units.encoding == encoding else _NOT_WEIGHED

    def faults(self, encoding: str) -> tuple[tuple[Span, ...], int]:
        faults = self._state._faults
        if faults is None and self._state._units is not None:
            faults = self._state._units.faults
        if faults is None or faults.encoding != encoding:
            return find_faults(self.head, encoding)
        return tuple(faults.spans), len(faults.rest)

    def shifted(self, shift: bytes) -> tuple[int, Buffer]:
        return self._state._shifts.region(shift)

    def cut_of(self, encoding: str) -> int | None:
        return self._state._shifts.cut_of(encoding)

    def candidates(
        self, columns: bytes, tables: bytes, masks: bytes, owners: bytes
    ) -> tuple[int, int, int, bytes]:
        return join_candidates(self.scan.seen, columns, owners, self._state._walks.results())

    def strays(self, name: str, first: int, most: int, apart: int) -> tuple[int, ...]:
        offsets = self._state._walks.strays[walked_encodings().index(name)]
        return tuple(offsets) if len(offsets) <= most else ()

    def find_values(self, values: int, most: int) -> tuple[int, ...]:
        return self._state._values.find(values, most)


def join_candidates(
    seen: int, columns: bytes, owners: bytes, walked: tuple[int, ...]
) -> tuple[int, int, int, bytes]:
    """Return the result of `kernel.candidates` from known byte values and walks."""
    from charlens.kernel.pure_walks import cut_off  # here: rarely needed

    numbers, doubtful, _, _ = kernel.candidates(b"", seen, columns, b"", bytes(4 * (256 + 0x10000)), b"")
    whole = sum(1 << owner for owner, error in zip(owners, walked[::2], strict=True) if error == -1)
    return numbers | whole, doubtful, cut_off(owners, walked), array("q", walked).tobytes()


def _unfinished(piece: Buffer) -> int:
    """Return the length of an incomplete UTF-8 sequence at the end: 0 to 3."""
    for length in range(1, min(3, len(piece)) + 1):
        byte = piece[-length]
        if byte >= 0xC0:
            # C0 to DF start two bytes, E0 to EF three, F0 and above four.
            return length if length < 2 + (byte >= 0xE0) + (byte >= 0xF0) else 0
        if byte < 0x80:
            break
    return 0


def _empty_scan() -> Scan:
    return Scan(0, -1, 0, 0, -1, 0, 0, 0, 0, 0, array("q", [-1] * 32).tobytes())


def join_scans(left: Scan, right: Scan, start: int) -> Scan:
    """Join the scans of two neighbouring pieces; the second one begins at *start*."""
    error = left.utf8_error
    if error < 0 and left.utf8_cut:
        error = start - left.utf8_cut  # an incomplete sequence before the second piece is an error
    if error < 0 and right.utf8_error >= 0:
        error = start + right.utf8_error
    nuls = (right.nuls_even, right.nuls_odd)
    ends = (right.ends_even, right.ends_odd)
    odd = start & 1
    return Scan(
        left.seen | right.seen,
        left.blocked if left.blocked >= 0 or right.blocked < 0 else start + right.blocked,
        left.non_ascii + right.non_ascii,
        left.leads + right.leads,
        error,
        right.utf8_cut if error < 0 else 0,
        left.nuls_even + nuls[odd],
        left.nuls_odd + nuls[1 - odd],
        left.ends_even + ends[odd],
        left.ends_odd + ends[1 - odd],
        _join_first(left, right, start),
    )


def _join_first(left: Scan, right: Scan, start: int) -> bytes:
    """Return the first offset of each control in two neighbouring pieces."""
    new = right.seen & ~left.seen
    if not new:
        return left.first
    first = array("q", left.first)
    there = memoryview(right.first).cast("q")
    for value in range(len(first)):
        if new >> value & 1:
            first[value] = start + there[value]
    return first.tobytes()
