"""Characters with the bytes that they come from, in rows of text or of sixteen bytes, anywhere in a file.

A row is found from any offset without reading what is before it: reading begins at a line end nearby.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right
from codecs import getincrementaldecoder
from collections.abc import Iterator
from typing import Any, NamedTuple

from charlens.encodings import lookup, web_name
from charlens.files.line_ends import count_ends_in
from charlens.inspector.contents import Content
from charlens.source import CODEC_ERRORS

#: Bytes in a row of hexadecimal digits.
ROW = 16
#: Rows that one answer has at most, and with it the document of the page.
MOST_ROWS = 100
#: Characters of a line that one row shows; what is longer goes on in the next row.
_WIDEST = 400
#: Rows that a line end is never farther away than: `_FAR` bytes are fewer rows of `_WIDEST` characters.
_LEAST = 16
#: How far back a line end is looked for, and how far a place where a character can begin.
_FAR, _NEAR = 4096, 64
#: No byte under this one is part of a longer character, in any multi-byte encoding.
_FIRST_TRAIL = 0x30
#: No character is longer, a shift to its set included.
_LONGEST = 16
#: Bytes read at once for rows of text.
_PIECE = 32 << 10
#: Line ends are counted over this distance; farther away a row has no number, only its offset.
_COUNTED = 16 << 20
#: Places whose line is remembered.
_MOST_KNOWN = 1000
#: What stands for controls where each has the room of one character.
_PICTURES = {"\t": "→", "\n": "↵", "\r": "←"}
_HIGH = re.compile(rb"[\x80-\xff]")

Row = dict[str, Any]


class Sign(NamedTuple):
    """What a range of bytes reads as; *bad* where it does not decode."""

    start: int
    end: int
    text: str
    bad: bool = False


def read_signs(data: bytes, encoding: str, *, last: bool = True) -> Iterator[Sign]:
    """Yield the characters of *data*; *last* says that nothing follows, so that what is unfinished is bad."""
    if _is_single(encoding):
        text = data.decode(encoding, "replace")
        yield from (Sign(at, at + 1, sign, sign == "\ufffd") for at, sign in enumerate(text))
        return
    decoder = getincrementaldecoder(encoding)()
    first = at = 0
    while at < len(data):
        try:
            text = decoder.decode(data[at : at + 1], last and at == len(data) - 1)
        except CODEC_ERRORS as error:
            # The error speaks of all bytes since the last character.
            end = first + error.end if isinstance(error, UnicodeDecodeError) else at + 1
            end = min(max(end, first + 1), len(data))
            yield Sign(first, end, "\ufffd", True)
            decoder.reset()
            first = at = end
            continue
        at += 1
        if text:
            yield Sign(first, at, text)
            first = at
    if first < len(data) and last:
        yield Sign(first, len(data), "", False)


def reads_ascii(encoding: str) -> bool:
    """Whether bytes under 0x80 are always ASCII characters in *encoding*."""
    known = lookup(encoding)
    return encoding == "utf-8" or (known is not None and known.kind in ("ascii", "single", "multi"))


def _is_single(encoding: str) -> bool:
    known = lookup(encoding)
    return known is not None and known.kind in ("ascii", "single", "ebcdic")


def _width(encoding: str) -> int:
    return {"utf-16": 2, "utf-32": 4}.get(encoding[:6], 1)


def line_start(content: Content, at: int, encoding: str) -> int:
    """Return where reading for the byte *at* can begin: behind the line end before it, or between two characters."""
    width = _width(encoding)
    at = min(at, content.size)
    at -= at % width
    lowest = max(0, at - _FAR)
    before = content.read(lowest, at)
    end = "\n".encode(encoding) if width > 1 else b"\n"
    found = before.rfind(end)
    while found >= 0 and found % width:
        found = before.rfind(end, 0, found)
    if found >= 0:
        return lowest + found + len(end)
    if lowest == 0 or width > 1:
        return 0 if lowest == 0 else at
    for back in range(1, _NEAR):
        if before[-back] < _FIRST_TRAIL:
            return at - back + 1
    return at


def text_rows(content: Content, encoding: str, start: int, count: int, *, exact: bool = False) -> list[Row]:
    """Return up to *count* rows of text from *start* on; *exact* says that a row is known to begin there."""
    start = start if exact else line_start(content, start, encoding)
    rows: list[Row] = []
    wraps = not _begins_line(content, start, encoding)
    line = line_at(content, start, encoding)
    for row in _rows_from(content, encoding, start):
        row["line"] = None if wraps or line is None else line
        line = None if line is None else line + bool(row["ends"])
        wraps = not row["ends"]
        rows.append(row)
        if len(rows) == count:
            break
    return rows


def text_rows_before(content: Content, encoding: str, before: int, count: int) -> list[Row]:
    """Return up to *count* rows of text that end at *before*."""
    begin = line_start(content, max(0, before - max(_PIECE, 64 * count)), encoding)
    rows: list[Row] = []
    for row in _rows_from(content, encoding, begin):
        if row["start"] >= before:
            break
        rows.append(row)
    rows = rows[-count:]
    line = line_at(content, rows[0]["start"], encoding) if rows else None
    wraps = bool(rows) and not _begins_line(content, rows[0]["start"], encoding)
    for row in rows:
        row["line"] = None if wraps or line is None else line
        line = None if line is None else line + bool(row["ends"])
        wraps = not row["ends"]
    return rows


#: Where each part of a file in several encodings begins, and its encoding.
Parts = list[tuple[int, str]]


def part_rows(
    content: Content, parts: Parts, start: int, count: int, *, before: bool, exact: bool
) -> list[Row]:
    """Return rows of text as `text_rows` and `text_rows_before` do, each part in its own encoding."""
    rows: list[Row] = []
    ends = [begin for begin, _ in parts[1:]] + [content.size]
    numbers = range(len(parts))
    for number in reversed(numbers) if before else numbers:
        (begin, encoding), end = parts[number], ends[number]
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
    runs: list[list[str]] = []
    begin, length = start, 0
    returned: Sign | None = None
    for sign in _signs_from(content, encoding, start):
        if returned is not None:
            both = sign.text == "\n"
            yield {
                "start": begin,
                "end": sign.end if both else returned.end,
                "runs": runs,
                "ends": "crlf" if both else "cr",
            }
            begin, length, runs = sign.end if both else returned.end, 0, []
            returned = None
            if both:
                continue
        if sign.text == "\r":
            returned = sign
            continue
        if sign.text and sign.text in ends and not sign.bad:
            yield {
                "start": begin,
                "end": sign.end,
                "runs": runs,
                "ends": "lf" if sign.text == "\n" else "nel",
            }
            begin, length, runs = sign.end, 0, []
            continue
        if length >= _WIDEST:
            yield {"start": begin, "end": sign.start, "runs": runs, "ends": ""}
            begin, length, runs = sign.start, 0, []
        _add(runs, sign)
        length += len(sign.text)
    if returned is not None:
        yield {"start": begin, "end": returned.end, "runs": runs, "ends": "cr"}
    elif runs:
        yield {"start": begin, "end": content.size, "runs": runs, "ends": ""}


def _signs_from(content: Content, encoding: str, start: int) -> Iterator[Sign]:
    """Yield the characters from *start* to the end of the file, reading as they are asked for."""
    at = start
    while at < content.size:
        data = content.read(at, at + _PIECE)
        last = at + len(data) >= content.size
        # Behind a line end every encoding begins anew.
        data = data if last or _width(encoding) > 1 else data[: data.rfind(b"\n") + 1] or data
        done = 0
        for sign in read_signs(data, encoding, last=last):
            # At the end of a piece something can be bad because the piece ends: it is read again with what follows.
            if not last and done and sign.end > len(data) - _LONGEST and data[-1:] != b"\n":
                break
            yield Sign(at + sign.start, at + sign.end, sign.text, sign.bad)
            done = sign.end
        at += done or len(data)


def _add(runs: list[list[str]], sign: Sign) -> None:
    """Put the character into the last run, or into a new one where it is of another kind."""
    kind = kind_of(sign)
    text = shape_of(sign, kind)
    if runs and runs[-1][0] == kind:
        runs[-1][1] += text
    else:
        runs.append([kind, text])


def kind_of(sign: Sign) -> str:
    """Return 'bad', 'mark', 'control', or '' for what is shown as it is."""
    if sign.bad:
        return "bad"
    if sign.text == "\ufeff":
        return "mark"
    return "control" if any(_is_control(char) for char in sign.text) else ""


def _is_control(char: str) -> bool:
    # Controls of C0 and C1, and the signs that turn the direction of what follows.
    return (
        (char < " " and char != "\t")
        or "\x7f" <= char <= "\x9f"
        or char in "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
    )


def shape_of(sign: Sign, kind: str) -> str:
    """Return what is shown for a character: a name in place of a control, else itself."""
    if kind == "mark":
        return "BOM"
    if kind == "control":
        return "".join(f"⟨{ord(char):02X}⟩" if _is_control(char) else char for char in sign.text)
    return "".join("\ufffd" if "\ud800" <= char <= "\udfff" else char for char in sign.text)


def hex_rows(content: Content, encoding: str | None, start: int, count: int) -> list[Row]:
    """Return up to *count* rows of sixteen bytes, with the characters that begin in each, or go on there."""
    if start >= content.size:
        return []
    start -= start % ROW
    end = min(content.size, start + ROW * count)
    begin = line_start(content, start, encoding or "latin-1")
    data = content.read(begin, min(content.size, end + ROW))
    rows: list[Row] = [
        {
            "start": at,
            "end": min(at + ROW, end),
            "hex": data[at - begin : min(at + ROW, end) - begin].hex(),
            "signs": [],
        }
        for at in range(start, end, ROW)
    ]
    for sign in read_signs(data, encoding or "ascii", last=begin + len(data) >= content.size):
        first, behind = begin + sign.start, begin + sign.end
        kind = ("other" if encoding is None else "bad") if sign.bad else kind_of(sign)
        text = _PICTURES.get(sign.text, "·" if kind in ("control", "other") else shape_of(sign, kind))
        for row in range(max(first, start) // ROW * ROW, min(behind, end), ROW):
            left, right = max(first, row), min(behind, row + ROW)
            if left < right:
                rows[(row - start) // ROW]["signs"].append([left - row, right - left, text, kind])
                text = ""  # it stands where it begins
    return rows


def sign_at(content: Content, encoding: str, offset: int) -> Row:
    """Return the character that the byte at *offset* is part of, with its bytes and the names of Unicode."""
    begin = line_start(content, offset, encoding)
    data = content.read(begin, offset + _LONGEST)
    last = begin + len(data) >= content.size
    for sign in read_signs(data, encoding, last=last):
        if begin + sign.end > offset:
            kind = kind_of(sign)
            return {
                "encoding": encoding,
                "web": web_name(encoding),
                "text": shape_of(sign, kind),
                "kind": kind,
                "bytes": data[sign.start : sign.end].hex(" ").upper(),
                "names": ["does not decode"] if sign.bad else [_unicode_name(char) for char in sign.text],
            }
    return {"encoding": encoding, "web": web_name(encoding), "text": "", "kind": "", "bytes": "", "names": []}


def _unicode_name(char: str) -> str:
    return (
        f"U+{ord(char):04X} {unicodedata.name(char, 'control' if kind_of(Sign(0, 1, char)) else '')}".rstrip()
    )


def differing_rows(
    content: Content, encodings: list[str], start: int, count: int, *, everything: bool
) -> dict[str, Any]:
    """Return rows in the reading of the first encoding with what all others read there, and where to go on.

    Without *everything*, only rows in which they differ; a megabyte is looked through at most.
    """
    plain = all(map(reads_ascii, encodings)) and not everything
    limit = start + (1 << 20)
    rows: list[Row] = []
    at = start
    # Behind a row the next one begins; a byte beyond ASCII can be anywhere in its line.
    exact = start > 0
    while at < min(limit, content.size) and len(rows) < count:
        if plain:
            high = _next_high(content, at, limit)
            exact, at = exact and high == at, high
        for row in text_rows(content, encodings[0], at, max(count, _LEAST), exact=exact):
            if row["end"] <= at:
                continue  # a row of the same long line that was shown before
            at, exact = row["end"], True
            shown = _side_by_side(content, row, encodings)
            if everything or shown["differs"]:
                rows.append(shown)
            if len(rows) == count or at >= limit:
                break
    return {"rows": rows, "next": at if at < content.size else None}


def _next_high(content: Content, start: int, limit: int) -> int:
    """Return the next byte beyond ASCII, or where the search ended."""
    at = start
    while at < min(limit, content.size):
        found = _HIGH.search(content.read(at, at + _PIECE))
        if found:
            return at + found.start()
        at += _PIECE
    return at


def _side_by_side(content: Content, row: Row, encodings: list[str]) -> Row:
    """Return *row* with what each of *encodings* reads there; a run is marked where another reads otherwise."""
    data = content.read(row["start"], row["end"])
    readings = [list(read_signs(data, encoding)) for encoding in encodings]
    same = set(readings[0]).intersection(*readings[1:])
    texts = []
    for signs in readings:
        runs: list[list[str]] = []
        for sign in signs:
            if sign.text in ("\n", "\r") and not sign.bad:
                continue
            kind = kind_of(sign)
            mark = kind or ("" if sign in same else "differs")
            text = shape_of(sign, kind)
            if runs and runs[-1][0] == mark:
                runs[-1][1] += text
            else:
                runs.append([mark, text])
        texts.append(runs)
    return {
        "start": row["start"],
        "end": row["end"],
        "line": row["line"],
        "texts": texts,
        "differs": any(set(signs) - same for signs in readings),
    }


def line_at(content: Content, start: int, encoding: str) -> int | None:
    """Return the number of the line that the byte *start* is in, or None where it is too far to count."""
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
