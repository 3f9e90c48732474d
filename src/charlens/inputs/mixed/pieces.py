"""Find what is not a line of text in a file: pieces of UTF-16 and pieces of binary.

Both have bytes of the block list, and text in any other encoding has none.  Lines with such bytes, and what little
stands between them, are put together; each such piece is UTF-16 or UTF-32 if it reads as that, else
binary.  The lines between are for `lines`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from charlens.kernel.facts import BLOCKED_BYTES, UTF16_MARKS
from charlens.source import Bytes
from charlens.stages.signature import find_signature
from charlens.stages.unicode import recognise_unicode

_BLOCKED = re.compile(b"[" + re.escape(BLOCKED_BYTES) + b"]")
_LINE = re.compile(rb"[^\n]*\n|[^\n]+")
#: Less text than this between two pieces of binary, or before the first, is part of them: a header, a name.
_LEAST_TEXT = 256
#: Between lines with NULs, a line of UTF-16 can be without; ASCII as short as this is not a line by itself either.
_LEAST_PLAIN = 16
#: A tail of ASCII after UTF-16 of which less can be chance.
_LEAST_TAIL = 32

TEXT, WIDE, BINARY = "text", "wide", "binary"


class Piece(NamedTuple):
    """A range of the input: text, UTF-16 or UTF-32, or binary."""

    start: int
    end: int
    kind: str


def find_pieces(data: bytes) -> list[Piece]:
    """Return the pieces of *data*, which cover it, in order."""
    pieces: list[Piece] = []
    at = 0
    for start, end in _hard_runs(data):
        start, end, kind = _kind(data, max(start, at), end, at)
        if start > at:
            pieces.append(Piece(at, start, TEXT))
        if end > start:
            pieces.append(Piece(start, end, kind))
        at = max(at, end)
    if at < len(data):
        pieces.append(Piece(at, len(data), TEXT))
    return _swallow(pieces)


def split_tail(data: bytes) -> int:
    """Return where plain ASCII begins after UTF-16, or the length of *data*.

    Two ASCII characters read as one Chinese character, so such a tail hides in what is well-formed.
    """
    last = data.rfind(0)
    tail = data[last + 1 :]
    plain = last >= 0 and len(tail) >= _LEAST_TAIL and tail.isascii() and b"\n" in tail
    return last + 1 if plain else len(data)


def _hard_runs(data: bytes) -> Iterator[tuple[int, int]]:
    """Yield the ranges of lines with block-listed bytes, with what little stands between them."""
    start = end = -1
    for match in _LINE.finditer(data):
        if not _BLOCKED.search(data, match.start(), match.end()):
            continue
        if start >= 0 and not _is_gap(data, end, match.start()):
            yield start, end
            start = -1
        start = match.start() if start < 0 else start
        end = match.end()
    if start >= 0:
        yield start, end


def _is_gap(data: bytes, start: int, end: int) -> bool:
    """Whether what stands between two hard lines is too little to be text."""
    size = end - start
    return size < _LEAST_PLAIN or (size < _LEAST_TEXT and not data[start:end].isascii())


def _kind(data: bytes, start: int, end: int, least: int) -> Piece:
    """Say what a run is; the borders move to where UTF-16 begins, from *least* on, and ends."""
    # A first line of Chinese has a mark, but no NUL.
    before = max(data.rfind(mark, max(least, start - _LEAST_TEXT), start) for mark in UTF16_MARKS)
    if before >= 0 and (before == 0 or data[before - 1] == 0x0A):
        start = before
    # The NUL after the last line end stands at the head of the next line, which is not of this piece.
    last = data.rfind(0, start, end)
    limits = [end]
    if last > start and data[last - 1] == 0x0A and last + 1 < end:
        limits.insert(0, last + 1)
    for limit in limits:
        piece = data[start:limit]
        form = recognise_unicode(Bytes(piece), find_signature(piece))
        if form is not None and form.encoding.startswith(("utf-16", "utf-32")) and not form.damage:
            return Piece(start, limit, WIDE)
    return Piece(start, end, BINARY)


def _swallow(pieces: list[Piece]) -> list[Piece]:
    """Join small pieces of text to the binary beside them, and neighbours of one kind."""
    joined: list[Piece] = []
    for index, piece in enumerate(pieces):
        beside = [pieces[n].kind for n in (index - 1, index + 1) if 0 <= n < len(pieces)]
        small = piece.kind == TEXT and piece.end - piece.start < _LEAST_TEXT
        if small and beside and all(kind == BINARY for kind in beside):
            piece = piece._replace(kind=BINARY)
        if joined and joined[-1].kind == piece.kind != WIDE:
            joined[-1] = joined[-1]._replace(end=piece.end)
        else:
            joined.append(piece)
    return joined
