"""Lines and their ends: finding them, and giving changed text the line ends that it had.

Works on texts and pieces of bytes; it knows nothing of files or documents.
"""

from __future__ import annotations

import re
from codecs import getincrementaldecoder
from collections.abc import Callable, Iterable
from difflib import SequenceMatcher
from typing import NamedTuple

_LINE = re.compile("([^\r\n]*)(\r\n|\r|\n|$)")
_RAW_LINE = re.compile(rb"[^\r\n]*(?:\r\n|\r|\n|$)")

#: Comparing more lines than this by pairs takes too long (it is quadratic); then only what is equal at the
#: top and at the bottom keeps its ends.
_MOST_COMPARED = 3000


class Line(NamedTuple):
    """A place in a text, counted from 1."""

    line: int
    column: int

    @classmethod
    def place(cls, text: str, offset: int) -> Line:
        """Return the place of the character at *offset*; any of the three line ends counts."""
        before = split_lines(text[:offset])
        return cls(len(before), len(before[-1][0]) + 1)


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


def match_lines(old: list[str], new: list[str]) -> dict[int, int]:
    """Return for each line of *new* that was in *old* its place there."""
    top = 0
    while top < min(len(old), len(new)) and old[top] == new[top]:
        top += 1
    bottom = 0
    while bottom < min(len(old), len(new)) - top and old[-1 - bottom] == new[-1 - bottom]:
        bottom += 1
    places = {index: index for index in range(top)}
    places.update((len(new) - 1 - index, len(old) - 1 - index) for index in range(bottom))
    middle_old, middle_new = old[top : len(old) - bottom], new[top : len(new) - bottom]
    if max(len(middle_old), len(middle_new)) <= _MOST_COMPARED:
        matcher = SequenceMatcher(None, middle_old, middle_new, autojunk=False)
        for _, old_start, old_end, new_start, new_end in matcher.get_opcodes():
            # Equal lines, and lines that took the place of others: each has the end of its line before.
            pairs = zip(range(new_start, new_end), range(old_start, old_end), strict=False)
            places.update((top + b, top + a) for b, a in pairs)
    return places


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
