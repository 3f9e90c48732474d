"""Find mojibake in single cells of a table whose other cells are right.

In a file put together from several sources, one column can be misread and the others not.  A row is one line, and has
as many delimiters as the line before or after it.
"""

from __future__ import annotations

from collections.abc import Iterator

from charlens.mojibake.damage import MAYBE_LEFTOVER

_DELIMITERS = b"\t", b";", b"|", b","


def find_cells(data: bytes, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Yield the ranges of cells in *data*, in UTF-8, that seem to have mojibake, from *start* to *end*."""
    done, row, row_end, delimiter = start, start, start, b""
    for match in MAYBE_LEFTOVER.finditer(data, start, end):
        at = match.start()
        if at < done:
            continue
        if at >= row_end:
            row, row_end = data.rfind(b"\n", 0, at) + 1, _line_end(data, at)
            delimiter = _delimiter(data, row, row_end)
        if not delimiter:
            done = row_end
            continue
        before, after = data.rfind(delimiter, row, at), data.find(delimiter, at, row_end)
        done = row_end if after < 0 else after
        yield row if before < 0 else before + 1, done


def _line_end(data: bytes, at: int) -> int:
    found = data.find(b"\n", at)
    return len(data) if found < 0 else found


def _delimiter(data: bytes, start: int, end: int) -> bytes:
    """Return the delimiter of the row from *start* to *end*; b"" if this is not a row."""
    before = data[data.rfind(b"\n", 0, max(0, start - 1)) + 1 : max(0, start - 1)]
    after = data[end + 1 : _line_end(data, end + 1)]
    for delimiter in _DELIMITERS:
        count = data.count(delimiter, start, end)
        if count and count in (before.count(delimiter), after.count(delimiter)):
            return delimiter
    return b""
