"""Show bytes and characters side by side: 16 bytes per line, each character below its first byte.

The colour of a byte says what it is: non-ASCII, a line ending, a control, damage, or one of the pairs that decided.
"""

from __future__ import annotations

import codecs
from collections.abc import Collection, Iterator
from typing import NamedTuple

import click

from charlens.cli.terminal import coloured, width
from charlens.types import Buffer

ROW = 16
#: Decoding begins at a line ending, at most this many bytes before the view.
_FAR = 4096


class View(NamedTuple):
    """What to show, and what to highlight."""

    start: int
    length: int
    encoding: str | None
    damage: Collection[int] = ()
    decided: Collection[int] = ()


def hex_lines(data: Buffer, view: View) -> Iterator[str]:
    """Yield the lines of the *view*."""
    start = view.start - view.start % ROW
    end = min(len(data), view.start + view.length)
    signs = _signs(data, start, end, view.encoding)
    for row in range(start, end, ROW):
        cells, text = [], []
        for at in range(row, row + ROW):
            if at >= end:
                cells.append("  ")
                continue
            byte = data[at]
            cells.append(_paint(f"{byte:02x}", byte, at, view))
            text.append(_paint(signs.get(at, " "), byte, at, view))
        left, right = " ".join(cells[:8]), " ".join(cells[8:])
        yield f"{row:08x}  {left}  {right}  {''.join(text)}".rstrip()


def _paint(text: str, byte: int, at: int, view: View) -> str:
    if not coloured():
        return text
    if at in view.damage:
        return click.style(text, bg="red", fg="white")
    if at in view.decided:
        return click.style(text, fg="yellow", bold=True)
    if byte >= 0x80:
        return click.style(text, fg="cyan")
    if byte in (9, 10, 13):
        return click.style(text, fg="green")
    return click.style(text, fg="red") if byte < 32 or byte == 127 else text


def _signs(data: Buffer, start: int, end: int, encoding: str | None) -> dict[int, str]:
    """Return the characters by the place of their first byte, with '.' for those that cannot be shown."""
    if encoding is None:
        return {at: chr(data[at]) if 32 <= data[at] < 127 else "." for at in range(start, end)}
    decoder = codecs.getincrementaldecoder(encoding)("replace")
    begin = _line_start(data, start)
    signs: dict[int, str] = {}
    first = begin
    for at in range(begin, min(end + 8, len(data))):
        read = decoder.decode(bytes(data[at : at + 1]), at == len(data) - 1)
        if read:
            signs[first] = _one_column(read)
            first = at + 1
    return signs


def _line_start(data: Buffer, start: int) -> int:
    """Return where decoding can start: after a line ending, at a multiple of four."""
    lowest = max(0, start - _FAR)
    found = bytes(data[lowest:start]).rfind(b"\n")
    # In UTF-16 and UTF-32 the byte after 0x0A can belong to the same character; a multiple of four never splits one.
    return lowest - lowest % 4 if found < 0 or (lowest + found + 1) % 4 else lowest + found + 1


def _one_column(read: str) -> str:
    """Return *read* for one column, or '.'; a wide character also takes the column of its next byte."""
    if len(read) == 1 and read.isprintable() and width(read) >= 1:
        return read
    return "." if len(read) == 1 else read[0] if read[0].isprintable() and width(read[0]) == 1 else "."
