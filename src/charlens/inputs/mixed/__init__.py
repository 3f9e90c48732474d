"""Files in several encodings: where each part begins and ends, and its encoding.

`segments` covers the whole input without gaps; a file in one encoding is one segment, with the verdict of `detect`.
`pieces` separates UTF-16 and binary data from lines of text; `lines` finds where the encoding of lines changes.
Each segment is then detected separately.
"""

from __future__ import annotations

from collections.abc import Iterator
from mmap import mmap
from typing import TYPE_CHECKING, Any, NamedTuple

from charlens import kernel
from charlens.api import decodes_all, detect_with
from charlens.encodings import all_encodings, lookup
from charlens.findings import Uneven
from charlens.inputs.mixed.joined import keep_parts
from charlens.inputs.mixed.lines import Text, split_by_encoding
from charlens.inputs.mixed.pieces import TEXT, find_pieces
from charlens.inputs.mixed.units import MOST_UNITS, OTHER, join_lines, joins_lines
from charlens.limits import Limited, Limits, end_of_character, time_limit
from charlens.models import default_model
from charlens.options import Options, make_options
from charlens.pipeline import run
from charlens.source import CODEC_ERRORS, LARGEST, Bytes, as_buffer
from charlens.stages.evenness.narrow import find_narrow
from charlens.types import Outcome, Part, Verdict

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from charlens.keywords import Keywords

__all__ = ["Segment", "decode_mixed", "find_mixture", "look_closer", "segments", "share_of_lines"]

#: The fewest non-ASCII bytes of all legacy parts together: fewer would decode in any encoding, and are damage.
_LEAST_BYTES = 4

#: In longer input, some lines are checked first, unless the caller asks for all: checking every line of 100 KB takes
#: 100 times as long as the rest of `detect`.
_LONGEST = 1 << 14
#: Lines at each of the three places.
_LINES = 128

#: Without `parts=True`, this many units may be scored, and this many bytes in units that are neither ASCII nor UTF-8;
#: to both, a share of the size is added. A unit takes 30 µs or more, and `detect` has 200 ns per byte
#: (`python bench/worst.py`). If lines are very short, even finding the units takes too long.
_FEW_UNITS, _UNITS_SHARE = 448, 1 / 512
_FEW_BYTES, _BYTES_SHARE = 1 << 15, 1 / 8
_LINES_SHARE = 1 / 16

#: Segments of up to 64 bytes are too short to be judged alone; 32 and more of them in an encoding share a verdict.
_SHORT, _MANY = 64, 32

#: 7-bit encodings, which have no non-ASCII bytes.
_SHIFTED = frozenset(each.name for each in all_encodings() if each.name.startswith("iso2022"))
_WIDE = ("utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be")


class Segment(NamedTuple):
    """A range of the input in one encoding, or of binary data; *end* is exclusive."""

    start: int
    end: int
    verdict: Verdict

    @property
    def encoding(self) -> str | None:
        """The encoding of this part, or None if it is not text."""
        return self.verdict.encoding

    @property
    def confidence(self) -> float:
        """The confidence for this part."""
        return self.verdict.confidence

    @property
    def language(self) -> str | None:
        """The language of this part, or None."""
        return self.verdict.language

    def decode(self, data: bytes | bytearray | memoryview | mmap, errors: str = "replace") -> str:
        """Return the text of this part of *data*, without a byte order mark; binary data is returned as escapes."""
        piece = bytes(as_buffer(data, "Segment.decode")[self.start + len(self.verdict.bom) : self.end])
        if self.encoding is None:
            return piece.decode("latin-1").encode("unicode_escape").decode("ascii")
        return piece.decode(self.encoding, errors)


class _Part(Bytes):
    """A source that the pipeline must not split into parts, because this module does."""

    __slots__ = ()

    whole = False


class _Uniform(Bytes):
    """Input that was checked line by line and has one encoding."""

    __slots__ = ()

    uniform = True


def _verdict(data: bytes, options: Options) -> Verdict:
    """Return the verdict of `detect` for *data*, treated as one text."""
    return run(_Part(data), options) if len(data) <= LARGEST else detect_with(data, options)


def segments(
    data: bytes | bytearray | memoryview | mmap, **keywords: Unpack[Keywords]
) -> tuple[Segment, ...]:
    """Split *data* into parts with one encoding each, in order and without gaps; the keywords are those of `detect`.

    Parts end at line endings. Empty input has no segments. With *max_bytes*, the last segment goes on to the end of the
    input, if its encoding decodes the bytes after the limit; otherwise, all bytes are read.
    """
    view = bytes(as_buffer(data, "segments"))
    most = (make_options(**keywords).limits or Limits()).bytes
    with time_limit(keywords.get("max_seconds")):
        keywords = {**keywords, "max_bytes": None, "max_seconds": None}
        if most is None or len(view) <= most:
            return _segments(view, keywords)
        *before, last = _segments(view[: end_of_character(view, most)], keywords)
        limited = last.verdict._replace(findings=(*last.verdict.findings, Limited(most)))
        if not decodes_all(view[last.start :], limited):
            return _segments(view, keywords)
        return (*before, Segment(last.start, len(view), limited))


def _segments(view: bytes, keywords: Keywords) -> tuple[Segment, ...]:
    if not view:
        return ()
    options = make_options(**keywords)
    whole = _verdict(view, options)
    found = list(_split(view, whole, keywords))
    if len(found) <= 1:
        one = run(_Uniform(view), options) if len(view) <= LARGEST else detect_with(view, options)
        return (Segment(0, len(view), one),)
    return tuple(_named(view, found, keywords))


def decode_mixed(
    data: bytes | bytearray | memoryview | mmap, *, errors: str = "replace", **keywords: Unpack[Keywords]
) -> str:
    """Decode each segment of *data* in its own encoding and return the whole text.

    Binary segments become backslash escapes. To write the text back, use `segments`, which tells you the bytes of each
    part. The keywords are those of `detect`.
    """
    view = as_buffer(data, "decode_mixed")
    return "".join(segment.decode(view, errors) for segment in segments(view, **keywords))


def look_closer(uneven: Uneven, data: bytes, encoding: str | None, damaged: bool, options: Options) -> Uneven:
    """Return *uneven* with the parts of a text whose most likely encoding is *encoding*.

    Unless the options ask for parts, the time is limited: of a large text in a legacy encoding, lines at three places
    are checked first, and if all lines would take too long, only those.
    """
    if encoding in _WIDE:
        return uneven._replace(parts=_wide_parts(data, encoding, options))
    if options.parts:
        parts = find_parts(data, encoding, damaged, options)
        share = None if parts or not joins_lines(data) else _share_of_lines(data, encoding, damaged, options)
        return uneven._replace(parts=parts, share=None if share == 1 else share)
    long = _takes_long(data)
    # Damage in UTF-8 can be anywhere, so all lines are checked.
    if long or (len(data) > _LONGEST and encoding != "utf-8"):
        share = _share_of_lines(data, encoding, damaged, options)
        if long or share == 1:
            return uneven._replace(share=share)
    return uneven._replace(parts=find_parts(data, encoding, damaged, options))


def _share_of_lines(data: bytes, encoding: str | None, damaged: bool, options: Options) -> float:
    """Return the share of the lines at three places that are in *encoding*."""
    lines = _some_lines(data)
    parts = _mixed(lines, _lines(lines, encoding, damaged, options))
    return 1 - sum(part.end - part.start for part in parts if part.encoding != encoding) / max(len(lines), 1)


def _takes_long(data: bytes) -> bool:
    """Whether checking each line of *data* takes too long for `detect`."""
    size = len(data)
    if data.count(b"\n" if b"\n" in data else b"\r") > MOST_UNITS + size * _LINES_SHARE:
        return True
    units = join_lines(data, size // MOST_UNITS)
    if len(units) > min(_FEW_UNITS + size * _UNITS_SHARE, 2 * MOST_UNITS):
        return True
    others = sum(end - start for start, end, form in units if form == OTHER)
    return others > _FEW_BYTES + size * _BYTES_SHARE


def _some_lines(data: bytes) -> bytes:
    """Return lines at the beginning, in the middle and at the end of *data*."""
    size, middle = _LONGEST // 3, len(data) // 2
    places = (b"\n" + data[:size], data[middle : middle + size], data[-size:])
    whole = (piece[piece.find(b"\n") + 1 : piece.rfind(b"\n") + 1] for piece in places)
    return b"".join(b"".join(piece.splitlines(keepends=True)[:_LINES]) for piece in whole)


def _wide_parts(data: bytes, encoding: str, options: Options) -> tuple[Part, ...]:
    """Return the parts of a text that is in *encoding*, UTF-16 or UTF-32, only in part.

    () if it has one encoding, or if a part in UTF-16 or UTF-32 does not decode. What is not text belongs to the part
    before it.
    """
    parts: list[Part] = []
    for start, end, found in _split_pieces(data, {"model": options.model}):
        name = found or _verdict(data[start:end], options).encoding
        if parts and name in (None, parts[-1].encoding):
            parts[-1] = parts[-1]._replace(end=end)
        else:
            parts.append(Part(start, end, name or encoding))
    whole = all(_is_whole(data[start:end], name) for start, end, name in parts if name in _WIDE)
    return tuple(parts) if whole and len({part.encoding for part in parts}) > 1 else ()


def find_parts(data: bytes, encoding: str | None, damaged: bool, options: Options) -> tuple[Part, ...]:
    """Return the parts of a text whose most likely encoding is *encoding*; () if it has only one encoding."""
    parts = _mixed(data, _lines(data, encoding, damaged, options))
    # If several names decode all parts of an encoding in the same way, use the one that `detect` gives.
    names: dict[str, str] = {}
    for name in dict.fromkeys(part.encoding for part in parts):
        verdict = _verdict(b"".join(data[start:end] for start, end, own in parts if own == name), options)
        names[name] = verdict.encoding if verdict.encoding and name in verdict.equivalents else name
    if len({*names.values()}) < 2:
        return ()
    return keep_parts([part._replace(encoding=names[part.encoding]) for part in parts], {*names.values()})


def find_mixture(data: bytes, verdict: Verdict) -> tuple[Segment, ...]:
    """Return the segments of a file in several encodings, given its *verdict*; () if it has one."""
    if not verdict.mixed and (verdict.encoding in (None, *_WIDE) or _is_uniform(data, verdict)):
        return ()
    parts = verdict.mixed or find_parts(
        data, verdict.encoding, bool(verdict.damage), make_options(parts=True)
    )
    return tuple(_named(data, [*parts], {}))


def share_of_lines(data: bytes, verdict: Verdict) -> float:
    """Return the share of lines in the encoding of *verdict* if *data* has too many lines to check each; else 1."""
    if verdict.encoding in (None, *_WIDE) or not joins_lines(data) or _is_uniform(data, verdict):
        return 1.0
    return _share_of_lines(data, verdict.encoding, bool(verdict.damage), make_options(parts=True))


def _mixed(data: bytes, parts: list[Part]) -> tuple[Part, ...]:
    """Return *parts* if they have several encodings; parts that are too small are joined to a neighbour."""
    beyond: dict[str, int] = {}
    for start, end, name in parts:
        beyond[name] = beyond.get(name, 0) + kernel.scan(data[start:end]).non_ascii
    there = {name for name, count in beyond.items() if count >= _LEAST_BYTES or name in _SHIFTED}
    return keep_parts(parts, there) if len(there) > 1 else ()


def _lines(data: bytes, encoding: str | None, damaged: bool, options: Options) -> list[Part]:
    """Return the runs of lines of *data*; *encoding* is the best one for the whole."""
    # UTF-8 does not decode a damaged text, so it cannot be the encoding of the whole; a legacy encoding can.
    whole = None if damaged and encoding == "utf-8" else encoding
    text = Text(data, whole, damaged, options.model or default_model())
    return split_by_encoding(text, options)


#: A range and its encoding; None if `detect` is to find it.
_Range = tuple[int, int, str | None]


def _split(data: bytes, whole: Verdict, keywords: Keywords) -> Iterator[_Range]:
    """Yield the ranges of *data*; only one if it is uniform."""
    if whole.outcome is not Outcome.TEXT or (whole.encoding in _WIDE and find_narrow(data, whole.encoding) >= 0):
        yield from _split_pieces(data, keywords)
    elif whole.encoding in _WIDE or _is_uniform(data, whole):
        yield 0, len(data), whole.encoding
    else:
        yield from _split_text(data, 0, len(data), whole, keywords)


def _split_pieces(data: bytes, keywords: Keywords) -> Iterator[_Range]:
    """Yield the ranges of *data*, in which UTF-16, UTF-32 and binary data are separated from other text."""
    for piece in find_pieces(data):
        if piece.kind == TEXT:
            yield from _split_text(data, piece.start, piece.end, None, keywords)
        else:
            yield piece.start, piece.end, None


def _is_uniform(data: bytes, whole: Verdict) -> bool:
    """Whether the structure shows that there is one encoding: ASCII or UTF-8 without errors, EBCDIC, escapes."""
    if whole.encoding in ("ascii", "utf-8"):
        return not whole.damage and b"\x1b" not in data
    known = lookup(whole.encoding or "")
    return known is not None and known.kind not in ("single", "multi")


def _split_text(
    data: bytes, start: int, end: int, whole: Verdict | None, keywords: Keywords
) -> Iterator[_Range]:
    """Yield the ranges of lines from *start* to *end*; *whole* is the verdict for them, if known."""
    piece = data[start:end]
    whole = whole or _verdict(piece, make_options(**keywords))
    named: dict[str, Any] = {name: keywords.get(name) for name in ("only", "never", "model")}
    parts = _lines(piece, whole.encoding, bool(whole.damage), make_options(**named))
    if not parts:
        yield start, end, None
    for part in parts:
        yield start + part.start, start + part.end, part.encoding


def _named(data: bytes, ranges: list[_Range], keywords: Keywords) -> Iterator[Segment]:
    """Detect each range, limited to the encoding that was found for it; many short ones in an encoding together."""
    options = make_options(**keywords)
    known: dict[tuple[bytes, str | None], Verdict] = {}
    pools: dict[str, list[bytes]] = {}
    for start, end, encoding in ranges:
        if start and end - start <= _SHORT and encoding is not None:
            pools.setdefault(encoding, []).append(data[start:end])
    for encoding, pieces in pools.items():
        if len(pieces) >= _MANY:
            shared = _verdict_in(b"".join(pieces), encoding, options)
            if not shared.damage and not shared.cut:
                known.update(((piece, encoding), shared) for piece in pieces if _is_whole(piece, encoding))
    for start, end, encoding in ranges:
        piece = data[start:end]
        verdict = known.get((piece, encoding))
        if verdict is None or not start:
            verdict = known[piece, encoding] = _verdict_in(piece, encoding, options)
        yield Segment(start, end, verdict)


def _verdict_in(piece: bytes, encoding: str | None, options: Options) -> Verdict:
    """Return the verdict for *piece*; if it names another encoding, the one for *encoding* alone."""
    verdict = _verdict(piece, options)
    if encoding is None or encoding in (verdict.encoding, *verdict.equivalents):
        return verdict
    return _verdict(piece, options.replace(only=frozenset((encoding,))))


def _is_whole(piece: bytes, encoding: str) -> bool:
    try:
        piece.decode(encoding)
    except CODEC_ERRORS:
        return False
    return True
