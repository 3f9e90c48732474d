"""Characters with their bytes, anywhere in a file, and how each is shown.

Decoding starts at a line ending nearby, so the bytes before it are not read.  Rows of text are in `rows`.
"""

from __future__ import annotations

import unicodedata
from codecs import getincrementaldecoder
from collections.abc import Iterator
from contextlib import suppress
from typing import Any, NamedTuple

from charlens.encodings import lookup, web_name
from charlens.inspector.contents import Content
from charlens.source import CODEC_ERRORS

#: Bytes in a row of the hex view.
ROW = 16
#: How far back to look for a line ending, and for a place where a character can begin.
_FAR, _NEAR = 4096, 64
#: Bytes below this are never part of a longer character in any multi-byte encoding.
_FIRST_TRAIL = 0x30
#: The longest character, including a shift to its character set.
LONGEST = 16
#: Replacements for controls where there is room for one character only.
_PICTURES = {"\t": "→", "\n": "↵", "\r": "←"}

#: A row as sent to the page.
Row = dict[str, Any]
#: A kind (see `kind_of`) and text of that kind.
Runs = list[list[str]]


class Sign(NamedTuple):
    """The text of a range of bytes; *bad* if it does not decode."""

    start: int
    end: int
    text: str
    bad: bool = False


def read_signs(data: bytes, encoding: str, *, last: bool = True) -> Iterator[Sign]:
    """Yield the characters of *data*; if it is the *last* piece, an incomplete character is bad."""
    if _is_single(encoding):
        text = data.decode(encoding, "replace")
        yield from (Sign(at, at + 1, sign, sign == "\ufffd") for at, sign in enumerate(text))
        return
    if encoding == "utf-8":
        with suppress(UnicodeDecodeError):
            yield from _whole_signs(getincrementaldecoder(encoding)().decode(data, last))
            return
    decoder = getincrementaldecoder(encoding)()
    first = at = 0
    while at < len(data):
        try:
            text = decoder.decode(data[at : at + 1], last and at == len(data) - 1)
        except CODEC_ERRORS as error:
            # The error includes all bytes since the last character.
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


def _whole_signs(text: str) -> Iterator[Sign]:
    """Yield the characters of *text*, decoded from valid UTF-8."""
    at = 0
    for char in text:
        end = at + (1 if char < "\x80" else 2 if char < "\u0800" else 3 if char < "\U00010000" else 4)
        yield Sign(at, end, char)
        at = end


def reads_ascii(encoding: str) -> bool:
    """Whether bytes under 0x80 are always ASCII characters in *encoding*."""
    known = lookup(encoding)
    return encoding == "utf-8" or (known is not None and known.kind in ("ascii", "single", "multi"))


def _is_single(encoding: str) -> bool:
    known = lookup(encoding)
    return known is not None and known.kind in ("ascii", "single", "ebcdic")


def width_of(encoding: str) -> int:
    """Return the bytes in a unit of *encoding*: 2 in UTF-16, 4 in UTF-32, else 1."""
    return {"utf-16": 2, "utf-32": 4}.get(encoding[:6], 1)


def line_start(content: Content, at: int, encoding: str) -> int:
    """Return where decoding for the byte *at* can start: after the line ending before it, or between two characters."""
    width = width_of(encoding)
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


def kind_of(sign: Sign) -> str:
    """Return 'bad', 'mark', 'control', or '' for a character that is shown unchanged."""
    if sign.bad:
        return "bad"
    if sign.text.isprintable():  # not a control, a direction character or a mark
        return ""
    if sign.text == "\ufeff":
        return "mark"
    return "control" if any(_is_control(char) for char in sign.text) else ""


def _is_control(char: str) -> bool:
    # Controls of C0 and C1, and characters that change the direction of writing.
    return (
        (char < " " and char != "\t")
        or "\x7f" <= char <= "\x9f"
        or char in "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
    )


def shape_of(sign: Sign, kind: str) -> str:
    """Return the text shown for a character: a name for controls, otherwise the character."""
    if sign.text.isprintable():
        return sign.text
    if kind == "mark":
        return "BOM"
    if kind == "control":
        return "".join(f"⟨{ord(char):02X}⟩" if _is_control(char) else char for char in sign.text)
    return "".join("\ufffd" if "\ud800" <= char <= "\udfff" else char for char in sign.text)


def add_run(runs: Runs, kind: str, text: str) -> None:
    """Append *text* to the last of *runs*, or to a new one if its kind differs."""
    if runs and runs[-1][0] == kind:
        runs[-1][1] += text
    else:
        runs.append([kind, text])


def hex_rows(content: Content, encoding: str | None, start: int, count: int) -> list[Row]:
    """Return up to *count* rows of sixteen bytes, with the characters that begin or continue in each."""
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
                # A character in two rows is marked in both.
                split = [True] if right - left < behind - first else []
                rows[(row - start) // ROW]["signs"].append([left - row, right - left, text, kind, *split])
                text = ""  # it is shown where it begins
    return rows


def sign_at(content: Content, encoding: str, offset: int) -> Row:
    """Return the character that the byte at *offset* is part of, with its bytes and Unicode names."""
    begin = line_start(content, offset, encoding)
    data = content.read(begin, offset + LONGEST)
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
