"""Find text or bytes in a file: one call searches a limited number of bytes and says where to continue."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

from charlens.inspector.characters import LONGEST, line_start, read_signs, width_of
from charlens.inspector.contents import Content
from charlens.inspector.rows import Parts, ranges_of
from charlens.source import CODEC_ERRORS

#: Bytes searched per call: a tenth of a second for text, less for bytes.
_LIMIT = 8 << 20
#: Bytes decoded at a time; those of a match are decoded character by character.
_PIECE = 64 << 10


def find_bytes(content: Content, needle: bytes, start: int, *, back: bool) -> dict[str, Any]:
    """Return the range of the next or previous *needle*, starting at *start*, or where to continue."""
    more = len(needle) - 1
    begin, end = (max(0, start - _LIMIT), start) if back else (start, min(content.size, start + _LIMIT))
    data = content.read(begin, end + more)
    at = data.rfind(needle) if back else data.find(needle)
    if at >= 0:
        return {"start": begin + at, "end": begin + at + len(needle)}
    return {"next": (begin or None) if back else end if end < content.size else None}


def find_text(
    content: Content, parts: Parts, text: str, start: int, *, back: bool, exact_case: bool
) -> dict[str, Any]:
    """Do the same as `find_bytes` for *text*, with each of *parts* in its own encoding."""
    pattern = re.compile(re.escape(text), 0 if exact_case else re.IGNORECASE)
    done, at = 0, start
    for begin, end, encoding in _pieces(content, parts, start, len(text), back=back):
        if done >= _LIMIT:
            return {"next": at if back else begin}
        data = content.read(begin, end)
        found = [
            (begin + left, begin + right)
            for left, right in _matches(pattern, data, encoding)
            if (begin + left < start if back else begin + left >= start)
        ]
        if found:
            first, last = found[-1 if back else 0]
            return {"start": first, "end": last}
        at = begin
        done += len(data)
    return {"next": None}


def _matches(pattern: re.Pattern[str], data: bytes, encoding: str) -> Iterator[tuple[int, int]]:
    """Yield the byte ranges of matches, found by decoding character by character."""
    with suppress(*CODEC_ERRORS):
        if not pattern.search(data.decode(encoding, "replace")):
            return
    signs = list(read_signs(data, encoding))
    owners = [number for number, sign in enumerate(signs) for _ in sign.text]
    for match in pattern.finditer("".join(sign.text for sign in signs)):
        yield signs[owners[match.start()]].start, signs[owners[match.end() - 1]].end


def _pieces(
    content: Content, parts: Parts, start: int, length: int, *, back: bool
) -> Iterator[tuple[int, int, str]]:
    """Yield ranges with their encoding, from *start* forwards or backwards; they overlap, so no match is cut."""
    shared = LONGEST * length
    ranges = ranges_of(content, parts)
    for first, last, encoding in reversed(ranges) if back else ranges:
        part = content.up_to(last)
        if back:
            at = min(last, start + shared)
            while at > first and first < start:
                begin = max(first, line_start(part, max(first, at - _PIECE), encoding))
                yield begin, at, encoding
                at = 0 if begin == first else min(at - width_of(encoding), begin + shared)
        else:
            at = max(first, line_start(part, start, encoding)) if first < start else first
            while at < last and start < last:
                end = min(last, at + _PIECE)
                yield at, end, encoding
                at = (
                    end
                    if end == last
                    else max(at + width_of(encoding), line_start(part, end - shared, encoding))
                )
