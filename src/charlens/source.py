"""What the pipeline reads: one interface for bytes in memory, streams and pools of strings.

A stage asks its source for facts about all bytes (counts, damage, walks, what decodes) and decides; the stage does not
know how the source gets them.  `Bytes` has everything in memory.  `charlens.inputs` has the others.
"""

from __future__ import annotations

from codecs import IncrementalDecoder, getincrementaldecoder
from collections.abc import Sequence
from os import PathLike
from typing import TYPE_CHECKING, Any, Protocol

from charlens import kernel
from charlens.encodings.walks import walk_table
from charlens.models.characters import character_weights
from charlens.types import MOST_SPANS, Buffer, Span

if TYPE_CHECKING:
    from charlens.kernel.shapes import Scan, Surveyed

#: What `kernel.weigh` returns.
Weighed = tuple[int, int, int, int, int]

#: The width of a unit, and whether its high byte comes first.
SHAPES = {"utf-16-le": (2, 0), "utf-16-be": (2, 1), "utf-32-le": (4, 0), "utf-32-be": (4, 1)}

#: If the first bytes have more errors than one in this many characters, it is not UTF-16 or UTF-32, and the rest is not
#: read. A multiple of four.
_HEAD = 4096
CHARACTERS_PER_FAULT = 50
_CHUNK = 1 << 20
#: Larger inputs are read in pieces, like a stream: windows are evidence, and memory use stays constant.
LARGEST = 4 << 20
#: Input up to this size is checked line by line for other encodings; that takes about two seconds.
LARGEST_MIXED = 32 << 20
#: Bytes decoded at a time: after an error, only this piece is decoded again, not the rest.
_PIECE = 1 << 16
#: The number of bytes that are checked from the first blocked byte on.
CONTROLS_READ = 1 << 16
#: The longest incomplete character at the end: a surrogate pair in UTF-7 is '+' and up to six digits. It fits
#: into the tail.
_MOST_CUT = 7
_TAIL = 64


class Source(Protocol):
    """The questions that the stages may ask."""

    #: The first bytes, for signatures, declarations and markup: at least a megabyte, or all there is.
    head: Buffer
    #: Some or all of the bytes, for the statistics and for the language.
    words: Buffer
    sample: Buffer
    #: The length of the input.
    size: int
    scan: Scan
    #: Whether the input may declare something about itself; a pool of strings does not.
    declares: bool
    #: Whether `head` is all of the input, one text.
    whole: bool
    #: Whether the input is known to be in one encoding, so that it is not searched for parts.
    uniform: bool

    @property
    def quiet(self) -> bool:
        """Whether nothing in the bytes is for the stages for marks, formats, controls and declarations."""

    @property
    def surveyed(self) -> Surveyed | None:
        """What `kernel.survey` found, if no stage before the structure can find anything; else None."""

    @property
    def given(self) -> tuple[float, ...]:
        """The evidence of the caller that the survey knew."""

    def controls(self) -> Buffer:
        """Return up to `CONTROLS_READ` bytes from the first blocked byte on; no bytes if there is none."""

    def damage(self, ratio: int, patience: int) -> tuple[int, int, Sequence[int], int]:
        """Return the number of valid UTF-8 sequences and of invalid ranges, the ranges, and the cut (-1: too many)."""

    def weigh(self, encoding: str, skip: int = 0) -> Weighed:
        """Weigh the characters from *skip* on, in UTF-16 or UTF-32."""

    def faults(self, encoding: str) -> tuple[tuple[Span, ...], int]:
        """Return the ranges that do not decode, and the length of a character cut off at the end."""

    def shifted(self, shift: bytes) -> tuple[int, Buffer]:
        """Return an offset at or before the first *shift*, and the bytes from there on, or enough of them."""

    def cut_of(self, encoding: str) -> int | None:
        """Return the length of an incomplete character at the end in *encoding*; None if the rest does not decode."""

    def candidates(
        self, columns: bytes, tables: bytes, masks: bytes, owners: bytes
    ) -> tuple[int, int, int, bytes]:
        """Return what `kernel.candidates` returns for the whole input."""

    def strays(self, name: str, first: int, most: int, apart: int) -> tuple[int, ...]:
        """Return the offsets of the bytes that do not fit the encoding *name*, as `kernel.strays` finds them."""

    def find_values(self, values: int, most: int) -> tuple[int, ...]:
        """Return the offsets of these byte values; () if there are more than *most*, or if they are not known."""


class Bytes:
    """Bytes in memory; `Source` describes the methods."""

    __slots__ = ("given", "head", "quiet", "sample", "scan", "size", "surveyed", "words")

    declares = whole = True
    uniform = False

    def __init__(self, data: Buffer, survey: Any = None, how: int = 0, given: tuple[float, ...] = ()) -> None:
        self.head = self.words = self.sample = data
        self.given = given
        if survey is None:
            self.scan, self.quiet, self.surveyed = kernel.scan(data), False, None
        else:
            self.scan, self.quiet, self.surveyed = kernel.survey(survey, data, how, given)
        self.size = len(data)

    def controls(self) -> Buffer:
        first = self.scan.blocked
        return self.head[first : first + CONTROLS_READ] if first >= 0 else b""

    def damage(self, ratio: int, patience: int) -> tuple[int, int, Sequence[int], int]:
        data, start = self.head, self.scan.utf8_error
        before = kernel.scan(data[:start]).leads if start > 0 else 0
        good, bad, stopped, spans = kernel.damage(data, max(start, 0), before, ratio, ratio * patience, MOST_SPANS)
        return good, bad, spans, -1 if stopped >= 0 else cut_at_end(data)

    def weigh(self, encoding: str, skip: int = 0) -> Weighed:
        width, big = SHAPES[encoding]
        data = self.head[skip:] if skip else self.head
        table = character_weights()
        if len(data) > _HEAD and not skip:
            head = kernel.weigh(data[:_HEAD], width, big, table)
            if head[3] * CHARACTERS_PER_FAULT > head[0]:
                return head
        return kernel.weigh(data, width, big, table)

    def faults(self, encoding: str) -> tuple[tuple[Span, ...], int]:
        return find_faults(self.head, encoding)

    def shifted(self, shift: bytes) -> tuple[int, Buffer]:
        return 0, self.head

    def cut_of(self, encoding: str) -> int | None:
        data = self.head
        decoder = getincrementaldecoder(encoding)()
        body = max(0, len(data) - _TAIL)
        try:
            for start in range(0, body, _CHUNK):
                decode_whole(decoder, bytes(data[start : min(start + _CHUNK, body)]))
            state, tail = decoder.getstate(), bytes(data[body:])
            decode_whole(decoder, tail)  # an incomplete character at the end is accepted; an invalid one is an error
        except CODEC_ERRORS:
            return None
        for cut in range(min(_MOST_CUT, len(tail)) + 1):
            decoder.setstate(state)
            try:
                decode_whole(decoder, tail[: len(tail) - cut], True)
            except CODEC_ERRORS:
                continue
            return cut
        return None

    def candidates(
        self, columns: bytes, tables: bytes, masks: bytes, owners: bytes
    ) -> tuple[int, int, int, bytes]:
        return kernel.candidates(self.head, self.scan.seen, columns, tables, masks, owners)

    def strays(self, name: str, first: int, most: int, apart: int) -> tuple[int, ...]:
        return kernel.strays(self.head, walk_table(name), first, most, apart)

    def find_values(self, values: int, most: int) -> tuple[int, ...]:
        return kernel.find_values(self.head, values, most)


#: What a codec of the standard library raises for bytes that it does not decode. The ISO-2022 codecs have other errors,
#: too (`b"\x1b.J\x1bN\x1b.A"` raises RuntimeError, a very long escape sequence OverflowError).
CODEC_ERRORS = (UnicodeError, RuntimeError, OverflowError)


def decode_whole(decoder: IncrementalDecoder, data: bytes, final: bool = False) -> None:
    """Decode *data*; raise one of `CODEC_ERRORS`, also for half a surrogate pair, which UTF-7 can have ('+2AA-')."""
    decoder.decode(data, final).encode("utf-16-le")


def find_faults(data: Buffer, encoding: str) -> tuple[tuple[Span, ...], int]:
    """Return the ranges of *data* that do not decode, and the length of a character cut off at the end."""
    spans: list[Span] = []
    start = 0
    while len(spans) < MOST_SPANS:
        piece = bytes(data[start : start + _PIECE])
        decoder = getincrementaldecoder(encoding)()
        try:
            decoder.decode(piece)
            kept = len(decoder.getstate()[0])
        except UnicodeDecodeError as error:
            end = max(error.end, error.start + 1)
            spans.append(Span(start + error.start, start + end))
            start += end
            continue
        except CODEC_ERRORS:
            return (*spans, Span(start, len(data))), 0
        start += len(piece) - kept
        if start + kept >= len(data):
            return tuple(spans), kept
    return tuple(spans), 0


def cut_at_end(data: Buffer) -> int:
    """Return the length of an incomplete UTF-8 sequence at the end of *data*, which may be damaged elsewhere."""
    for length in range(1, min(4, len(data)) + 1):
        if data[len(data) - length] >= 0xC0:
            return kernel.scan(data[len(data) - length :]).utf8_cut
    return 0


def as_buffer(data: object, function: str) -> Buffer:
    """Return *data* as bytes or a flat view of bytes; anything else is an error that says what to pass."""
    if isinstance(data, bytes):
        return data
    if isinstance(data, str):
        raise TypeError(
            f"charlens.{function}() needs bytes; got str, which is already decoded. If it is the name of a file, pass "
            f"pathlib.Path(path).read_bytes(), or use charlens.detect_path(path) or charlens.load(path)."
        )
    if isinstance(data, PathLike):
        raise TypeError(
            f"charlens.{function}() needs bytes; got a path ({type(data).__name__}). Pass path.read_bytes(), or use "
            f"charlens.detect_path(path) or charlens.load(path)."
        )
    try:
        view = memoryview(data)  # type: ignore[arg-type]
    except TypeError:
        kinds = "str or bytes" if function == "repair" else "bytes, bytearray, memoryview or mmap"
        raise TypeError(
            f"charlens.{function}() needs {kinds}; got {type(data).__name__}."
            + (
                " Pass what its read() returns; it must be open in binary mode."
                if hasattr(data, "read")
                else ""
            )
        ) from None
    return view.cast("B") if view.c_contiguous else view.tobytes()
