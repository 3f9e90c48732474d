"""Rows of text from any offset of a file: forwards, backwards, part by part, and readings side by side."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import deque
from collections.abc import Iterator
from itertools import islice
from typing import Any

from charlens.files.line_ends import count_ends_in
from charlens.inspector.characters import (
    LONGEST,
    Row,
    Runs,
    Sign,
    add_run,
    kind_of,
    line_start,
    read_signs,
    reads_ascii,
    shape_of,
    width_of,
)
from charlens.inspector.contents import Content

#: The most rows in one answer, and on the page.
MOST_ROWS = 100
#: Characters in a row; longer lines continue in the next row.
_WIDEST = 400
#: More rows than fit into 4,096 bytes, in which a line ending is searched (`characters._FAR`).
_LEAST = 16
#: Bytes read at a time.
_PIECE = 32 << 10
#: Line endings are counted over this distance; rows further away have no number, only an offset.
_COUNTED = 16 << 20
#: A search for a line covers this many times that distance per answer.
_STEPS = 8
#: The most places whose line number is kept.
_MOST_KNOWN = 1000
_HIGH = re.compile(rb"[\x80-\xff]")
_ENDS, _WIDE_ENDS = re.compile(rb"\r\n|\r|\n"), re.compile("\r\n|[\r\n\x85]")


def text_rows(content: Content, encoding: str, start: int, count: int, *, exact: bool = False) -> list[Row]:
    """Return up to *count* rows of text from *start* on; *exact* means that a row begins there."""
    start = start if exact else line_start(content, start, encoding)
    return _numbered(content, encoding, list(islice(_rows_from(content, encoding, start), count)))


def text_rows_before(content: Content, encoding: str, before: int, count: int) -> list[Row]:
    """Return up to *count* rows of text that end at *before*."""
    begin = line_start(content, max(0, before - 256 * count), encoding)
    return _numbered(
        content, encoding, list(deque(_rows_from(content.up_to(before), encoding, begin), count))
    )


def _numbered(content: Content, encoding: str, rows: list[Row]) -> list[Row]:
    """Add line numbers to *rows*; a row that continues a line has none."""
    line = line_at(content, rows[0]["start"], encoding) if rows else None
    wraps = bool(rows) and not _begins_line(content, rows[0]["start"], encoding)
    for row in rows:
        row["line"] = None if wraps or line is None else line
        line = None if line is None else line + bool(row["ends"])
        wraps = not row["ends"]
    return rows


#: The start and encoding of each part of a file in several encodings.
Parts = list[tuple[int, str]]


def ranges_of(content: Content, parts: Parts) -> list[tuple[int, int, str]]:
    """Return start, end and encoding of each of *parts*."""
    ends = [begin for begin, _ in parts[1:]] + [content.size]
    return [(begin, end, encoding) for (begin, encoding), end in zip(parts, ends, strict=True)]


def part_rows(
    content: Content, parts: Parts, start: int, count: int, *, before: bool, exact: bool
) -> list[Row]:
    """Return rows of text as `text_rows` and `text_rows_before` do, each part in its own encoding."""
    rows: list[Row] = []
    ranges = ranges_of(content, parts)
    for begin, end, encoding in reversed(ranges) if before else ranges:
        wanted = count - len(rows)
        if wanted <= 0 or (begin >= start if before else end <= start):
            continue
        part = content.up_to(end)
        if before:
            found = text_rows_before(part, encoding, min(start, end), wanted)
            rows = [row for row in found if row["start"] >= begin] + rows
        else:
            place, known = (start, exact) if start > begin else (begin, True)
            rows += text_rows(part, encoding, place, wanted, exact=known)
    return rows


def _begins_line(content: Content, start: int, encoding: str) -> bool:
    before = content.read(max(0, start - 4), start).decode(encoding, "replace")
    return not before or before[-1] in "\n\r\x85"


def _rows_from(content: Content, encoding: str, start: int) -> Iterator[Row]:
    """Yield the rows of text from *start* on, without numbers."""
    ends = "\r\n\x85" if not reads_ascii(encoding) else "\r\n"
    runs: Runs = []
    begin, length = start, 0
    returned: Sign | None = None
    for sign in _signs_from(content, encoding, start):
        if returned is not None:
            both = sign.text == "\n"
            end = sign.end if both else returned.end
            yield _row(begin, end, runs, "crlf" if both else "cr")
            begin, length, runs, returned = end, 0, [], None
            if both:
                continue
        if sign.text == "\r":
            returned = sign
            continue
        if sign.text and sign.text in ends and not sign.bad:
            yield _row(begin, sign.end, runs, "lf" if sign.text == "\n" else "nel")
            begin, length, runs = sign.end, 0, []
            continue
        if length >= _WIDEST:
            yield _row(begin, sign.start, runs, "")
            begin, length, runs = sign.start, 0, []
        kind = kind_of(sign)
        found = content.found[0] <= sign.start < content.found[1]
        add_run(runs, "found" if found else kind, shape_of(sign, kind))
        length += len(sign.text)
    if returned is not None:
        yield _row(begin, returned.end, runs, "cr")
    elif runs:
        yield _row(begin, content.size, runs, "")


def _row(start: int, end: int, runs: Runs, ends: str) -> Row:
    return {"start": start, "end": end, "runs": runs, "ends": ends}


def _signs_from(content: Content, encoding: str, start: int) -> Iterator[Sign]:
    """Yield the characters from *start* to the end of the file, reading as needed."""
    at = start
    while at < content.size:
        data = content.read(at, at + _PIECE)
        last = at + len(data) >= content.size
        # After a line ending, decoding can start fresh in every encoding.
        data = data if last or width_of(encoding) > 1 else data[: data.rfind(b"\n") + 1] or data
        done = 0
        for sign in read_signs(data, encoding, last=last):
            # A bad character at the end of a piece may only be cut off: read it again with the bytes that follow.
            if not last and done and sign.end > len(data) - LONGEST and data[-1:] != b"\n":
                break
            yield Sign(at + sign.start, at + sign.end, sign.text, sign.bad)
            done = sign.end
        at += done or len(data)


def differing_rows(
    content: Content, encodings: list[str], start: int, count: int, *, everything: bool
) -> dict[str, Any]:
    """Return rows in the first encoding with the text of all others there, and where to continue.

    Without *everything*, only rows in which they differ; at most a megabyte is searched.
    """
    plain = all(map(reads_ascii, encodings)) and not everything
    limit = start + (1 << 20)
    rows: list[Row] = []
    at = start
    # The position is the start of a row, or a non-ASCII byte anywhere in a line.
    exact = start > 0
    while at < min(limit, content.size) and len(rows) < count:
        if plain:
            high = _next_high(content, at, limit)
            exact, at = exact and high == at, high
        for row in text_rows(content, encodings[0], at, max(count, _LEAST), exact=exact):
            if row["end"] <= at:
                continue  # a row of a long line that was already shown
            at, exact = row["end"], True
            shown = _side_by_side(content, row, encodings)
            if everything or shown["differs"]:
                rows.append(shown)
            if len(rows) == count or at >= limit:
                break
    return {"rows": rows, "next": at if at < content.size else None}


def _next_high(content: Content, start: int, limit: int) -> int:
    """Return the next non-ASCII byte, or where the search ended."""
    at = start
    while at < min(limit, content.size):
        found = _HIGH.search(content.read(at, at + _PIECE))
        if found:
            return at + found.start()
        at += _PIECE
    return at


def _side_by_side(content: Content, row: Row, encodings: list[str]) -> Row:
    """Return *row* with the text in each of *encodings*; runs that differ are marked."""
    data = content.read(row["start"], row["end"])
    readings = [list(read_signs(data, encoding)) for encoding in encodings]
    same = set(readings[0]).intersection(*readings[1:])
    texts = []
    for signs in readings:
        runs: Runs = []
        for sign in signs:
            if sign.text in ("\n", "\r") and not sign.bad:
                continue
            kind = kind_of(sign)
            add_run(runs, kind or ("" if sign in same else "differs"), shape_of(sign, kind))
        texts.append(runs)
    return {
        "start": row["start"],
        "end": row["end"],
        "line": row["line"],
        "texts": texts,
        "differs": any(set(signs) - same for signs in readings),
    }


def line_at(content: Content, start: int, encoding: str) -> int | None:
    """Return the line number of the byte *start*, or None if it is too far away to count."""
    known = content.lines.setdefault(encoding, [(0, 1)])
    place = bisect_right(known, (start, 1 << 62)) - 1
    offset, line = known[place]
    if start - offset > _COUNTED:
        return None
    if start > offset:
        pieces = (content.read(at, min(at + (1 << 20), start)) for at in range(offset, start, 1 << 20))
        line += sum(count_ends_in(pieces, encoding))
        known.insert(place + 1, (start, line))
        del known[_MOST_KNOWN:]
    return line


def offset_of_line(content: Content, encoding: str, line: int, start: int) -> dict[str, Any]:
    """Return the offset of *line* (or of the last one), searching from *start* on, or where to continue."""
    for _ in range(_STEPS):
        first, end = line_at(content, start, encoding) or 1, content.size
        if start + _COUNTED < end:
            end = line_start(content, start + _COUNTED, encoding)
        there = line_at(content, end, encoding)
        if there is None or there >= line or end == content.size:
            at = start + _behind_ends(content.read(start, end), encoding, line - first)
            return {
                "start": at if at < content.size else line_start(content, at - width_of(encoding), encoding)
            }
        start = end
    return {"next": start}


def _behind_ends(data: bytes, encoding: str, ends: int) -> int:
    """Return the offset after a number of line endings of *data*, or after the last if there are fewer."""
    if reads_ascii(encoding):
        return max((match.end() for match in islice(_ENDS.finditer(data), max(0, ends))), default=0)
    text = data.decode(encoding, "replace")
    at = max((match.end() for match in islice(_WIDE_ENDS.finditer(text), max(0, ends))), default=0)
    return len(text[:at].encode(encoding, "replace"))
