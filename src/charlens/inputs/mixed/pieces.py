"""Separate UTF-16 and binary data from lines of text.

Both have block-listed bytes, which other text does not have.  Lines with such bytes, and short text between
them, are joined; each such piece is UTF-16 or UTF-32 if it decodes as that, otherwise binary.
`lines` splits the rest.
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
#: Shorter text between two binary pieces, or before the first, is part of them: a header, a name.
_LEAST_TEXT = 256
#: Between lines with NULs, a line of UTF-16 can have none; shorter ASCII is not a separate line either.
_LEAST_PLAIN = 16

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


def _hard_runs(data: bytes) -> Iterator[tuple[int, int]]:
    """Yield the ranges of lines with block-listed bytes, including short text between them."""
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
    """Whether the text between two such lines is too short to be separate."""
    size = end - start
    return size < _LEAST_PLAIN or (size < _LEAST_TEXT and not data[start:end].isascii())


def _kind(data: bytes, start: int, end: int, least: int) -> Piece:
    """Return the kind of a run, with its borders moved to where UTF-16 begins (not before *least*) and ends."""
    # A first line of Chinese can have a mark, but no NUL.
    before = max(data.rfind(mark, max(least, start - _LEAST_TEXT), start) for mark in UTF16_MARKS)
    if before >= 0 and (before == 0 or data[before - 1] == 0x0A):
        start = before
    # The NUL after the last LF is at the start of the next line, which is not in this piece.
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
    """Join small pieces of text to binary data next to them, and neighbours of the same kind."""
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
