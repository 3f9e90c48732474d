"""Find lines and their endings, and give edited text its old line endings.

Works on text and pieces of bytes, not on files or documents.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from codecs import getincrementaldecoder
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

_LINE = re.compile("([^\r\n]*)(\r\n|\r|\n|$)")
_RAW_LINE = re.compile(rb"[^\r\n]*(?:\r\n|\r|\n|$)")


class Line(NamedTuple):
    """A line and column, counted from 1."""

    line: int
    column: int

    @classmethod
    def place(cls, text: str, offset: int) -> Line:
        """Return the line and column of the character at *offset*; LF, CRLF and CR all end a line."""
        ends = text.count("\n", 0, offset) + text.count("\r", 0, offset) - text.count("\r\n", 0, offset)
        begin = max(text.rfind("\n", 0, offset), text.rfind("\r", 0, offset)) + 1
        return cls(ends + 1, min(offset, len(text)) - begin + 1)


def split_lines(text: str) -> list[tuple[str, str]]:
    """Return the lines of *text* with their endings; the last one has the ending ''."""
    lines = [(match[1], match[2]) for match in _LINE.finditer(text)]
    # Without a final newline, the pattern also matches the empty string at the end.
    if len(lines) > 1 and lines[-1] == ("", "") and lines[-2][1] == "":
        lines.pop()
    return lines


def split_raw(data: bytes, decode: Callable[[bytes], str]) -> list[tuple[str, bytes]]:
    """Return the lines of *data*, each as text and as bytes, with their endings."""
    return [(decode(match[0]), match[0]) for match in _RAW_LINE.finditer(data) if match[0]]


def restore_ends(old: list[tuple[str, str]], text: str, newline: str) -> str:
    """Return *text* with the line endings that its lines had in *old*; new lines get that of their neighbour."""
    new = text.split("\n")
    kept = match_lines([line for line, _ in old], new)
    out = []
    last = newline
    for index, line in enumerate(new):
        out.append(line)
        if index == len(new) - 1:
            break
        place = kept.get(index)
        end = (old[place][1] if place is not None else "") or last
        if end == "\n" and line == "" and last == "\r" and index:
            end = "\r"  # an LF after a single CR would be read as one CRLF
        out.append(end)
        last = end
    return "".join(out)


def match_lines(old: Sequence[str], new: Sequence[str]) -> dict[int, int]:
    """Return for each line of *new* its index in *old*; a line that replaces another one has the index of that line."""
    places: dict[int, int] = {}
    old_done = new_done = 0
    for change in (*find_changes(old, new), Change(len(old), len(old), len(new), len(new))):
        places.update(zip(range(new_done, change.new_start), range(old_done, change.old_start), strict=True))
        pairs = zip(
            range(change.new_start, change.new_end), range(change.old_start, change.old_end), strict=False
        )
        places.update(pairs)
        old_done, new_done = change.old_end, change.new_end
    return places


class Change(NamedTuple):
    """A range of old lines and the new lines that replace it; one of them may be empty."""

    old_start: int
    old_end: int
    new_start: int
    new_end: int


def find_changes(old: Sequence[str], new: Sequence[str]) -> Iterator[Change]:
    """Yield the ranges in which *new* differs from *old*, in order; between them the lines are equal.

    The time is that of sorting.  (`difflib` takes quadratic time, and cubic time if all lines are the same.)
    Lines that are equally frequent in both are matched in order, then equal lines next to them.
    """
    old_done = new_done = 0
    for old_at, new_at in (*_anchors(old, new), (len(old), len(new))):
        top = _equal(old, new, old_done, new_done, min(old_at - old_done, new_at - new_done), 1)
        old_start, new_start = old_done + top, new_done + top
        most = min(old_at - old_start, new_at - new_start)
        bottom = _equal(old, new, old_at - 1, new_at - 1, most, -1)
        change = Change(old_start, old_at - bottom, new_start, new_at - bottom)
        if change.old_start < change.old_end or change.new_start < change.new_end:
            yield change
        old_done, new_done = old_at, new_at


def _equal(old: Sequence[str], new: Sequence[str], old_at: int, new_at: int, most: int, step: int) -> int:
    """Count the equal lines, up to *most*, from two places on, downwards or upwards."""
    count = 0
    while count < most and old[old_at + step * count] == new[new_at + step * count]:
        count += 1
    return count


def _anchors(old: Sequence[str], new: Sequence[str]) -> list[tuple[int, int]]:
    """Return pairs of equal lines, among those equally frequent in both: the longest series that rises in both."""
    top = _equal(old, new, 0, 0, min(len(old), len(new)), 1)
    bottom = _equal(old, new, len(old) - 1, len(new) - 1, min(len(old), len(new)) - top, -1)
    before: defaultdict[str, list[int]] = defaultdict(list)
    after: defaultdict[str, list[int]] = defaultdict(list)
    for places, lines in ((before, old), (after, new)):
        for index in range(top, len(lines) - bottom):
            places[lines[index]].append(index)
    pairs = sorted(
        pair
        for line, places in after.items()
        if len(places) == len(before.get(line, ()))
        for pair in zip(before[line], places, strict=True)
    )
    # Longest increasing subsequence: for each length, the pair with the smallest end, and its predecessor.
    ends: list[int] = []
    row: list[int] = []
    came: list[int] = []
    for number, (_, place) in enumerate(pairs):
        length = bisect_left(ends, place)
        came.append(row[length - 1] if length else -1)
        ends[length : length + 1] = [place]
        row[length : length + 1] = [number]
    found = []
    number = row[-1] if row else -1
    while number >= 0:
        found.append(pairs[number])
        number = came[number]
    return found[::-1]


class Ends(NamedTuple):
    """The number of line endings of each kind."""

    lf: int = 0
    crlf: int = 0
    cr: int = 0

    @property
    def style(self) -> str:
        """'lf', 'crlf' or 'cr'; 'mixed' for several kinds, 'none' without a line ending."""
        kinds = [name for name, number in zip(self._fields, self, strict=True) if number]
        return kinds[0] if len(kinds) == 1 else "mixed" if kinds else "none"


#: Large input is read in pieces of this size.
_PIECE = 4 << 20


def count_ends(data: bytes | memoryview, encoding: str) -> Ends:
    """Count the line endings of *data*, text in *encoding*."""
    return count_ends_in(
        (bytes(data[start : start + _PIECE]) for start in range(0, len(data), _PIECE)), encoding
    )


def count_ends_in(pieces: Iterable[bytes], encoding: str) -> Ends:
    """Count the line endings of a text in *encoding*, given in *pieces*."""
    # The line endings of UTF-16, UTF-32 and EBCDIC are other bytes than those of ASCII.
    wide = not b"\r\n".decode(encoding, "replace").startswith("\r\n")
    decoder = getincrementaldecoder(encoding)("replace") if wide else None
    lf = crlf = cr = 0
    last = b""
    for raw in pieces:
        piece = raw if decoder is None else decoder.decode(raw).encode("utf-8", "replace")
        # An LF at the start of this piece belongs to the CR before it.
        joined = last == b"\r" and piece[:1] == b"\n"
        pairs = piece.count(b"\r\n") + joined
        crlf += pairs
        lf += piece.count(b"\n") - pairs
        cr += piece.count(b"\r") - pairs
        last = piece[-1:] or last
    return Ends(lf, crlf, cr)
