"""Lines and their ends: finding them, and giving changed text the line ends that it had.

Works on texts and pieces of bytes; it knows nothing of files or documents.
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
    """A place in a text, counted from 1."""

    line: int
    column: int

    @classmethod
    def place(cls, text: str, offset: int) -> Line:
        """Return the place of the character at *offset*; any of the three line ends counts."""
        ends = text.count("\n", 0, offset) + text.count("\r", 0, offset) - text.count("\r\n", 0, offset)
        begin = max(text.rfind("\n", 0, offset), text.rfind("\r", 0, offset)) + 1
        return cls(ends + 1, min(offset, len(text)) - begin + 1)


def split_lines(text: str) -> list[tuple[str, str]]:
    """Return the lines of *text* with their ends; the last has the end ''."""
    lines = [(match[1], match[2]) for match in _LINE.finditer(text)]
    # At the end of a text without a final newline the pattern matches once more, with nothing.
    if len(lines) > 1 and lines[-1] == ("", "") and lines[-2][1] == "":
        lines.pop()
    return lines


def split_raw(data: bytes, decode: Callable[[bytes], str]) -> list[tuple[str, bytes]]:
    """Return the lines of *data*, each as text and as bytes, ends included."""
    return [(decode(match[0]), match[0]) for match in _RAW_LINE.finditer(data) if match[0]]


def restore_ends(old: list[tuple[str, str]], text: str, newline: str) -> str:
    """Return *text* with the line ends that its lines had in *old*; new lines end like their neighbour."""
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
            end = "\r"  # behind a lone CR, an LF would make one line end of two
        out.append(end)
        last = end
    return "".join(out)


def match_lines(old: Sequence[str], new: Sequence[str]) -> dict[int, int]:
    """Return for each line of *new* its place in *old*; a line that took the place of another has that place."""
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
    """A range of old lines, and the range of new lines that took its place; one of them may be empty."""

    old_start: int
    old_end: int
    new_start: int
    new_end: int


def find_changes(old: Sequence[str], new: Sequence[str]) -> Iterator[Change]:
    """Yield the ranges in which *new* differs from *old*, in order; between them the lines are equal.

    The time is that of sorting.  (`difflib` takes the square of the lines, and the cube where they are all alike.)
    Lines that are equally frequent in both are matched by their order, then what is equal beside them.
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
    """Count the lines, *most* at most, that are equal from two places on, downwards or upwards."""
    count = 0
    while count < most and old[old_at + step * count] == new[new_at + step * count]:
        count += 1
    return count


def _anchors(old: Sequence[str], new: Sequence[str]) -> list[tuple[int, int]]:
    """Return the places of lines that are in both, as often in one as in the other: the longest rising row of them."""
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
    # The longest row in which both places rise: for each length the pair with the smallest end, and what came before.
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
    """How many line ends of each kind there are."""

    lf: int = 0
    crlf: int = 0
    cr: int = 0

    @property
    def style(self) -> str:
        """'lf', 'crlf' or 'cr'; 'mixed' where there are several kinds, 'none' where there is no line end."""
        kinds = [name for name, number in zip(self._fields, self, strict=True) if number]
        return kinds[0] if len(kinds) == 1 else "mixed" if kinds else "none"


#: A large input is looked at in pieces of this size, so that memory stays flat.
_PIECE = 4 << 20


def count_ends(data: bytes | memoryview, encoding: str) -> Ends:
    """Count the line ends of *data*, which is text in *encoding*."""
    return count_ends_in(
        (bytes(data[start : start + _PIECE]) for start in range(0, len(data), _PIECE)), encoding
    )


def count_ends_in(pieces: Iterable[bytes], encoding: str) -> Ends:
    """Count the line ends of a text in *encoding* that comes in *pieces*."""
    # UTF-16, UTF-32 and EBCDIC write a line end in other bytes than ASCII.
    wide = not b"\r\n".decode(encoding, "replace").startswith("\r\n")
    decoder = getincrementaldecoder(encoding)("replace") if wide else None
    lf = crlf = cr = 0
    last = b""
    for raw in pieces:
        piece = raw if decoder is None else decoder.decode(raw).encode("utf-8", "replace")
        # An LF in front of this piece belongs to the CR before it.
        joined = last == b"\r" and piece[:1] == b"\n"
        pairs = piece.count(b"\r\n") + joined
        crlf += pairs
        lf += piece.count(b"\n") - pairs
        cr += piece.count(b"\r") - pairs
        last = piece[-1:] or last
    return Ends(lf, crlf, cr)
