"""Repair large files in UTF-8 with constant memory: some thousand lines at a time, decoding only suspect lines.

How each part was misread is stored in a few bytes, so a journal can undo a repair of any size.
"""

from __future__ import annotations

import base64
import codecs
import json
import os
import zlib
from collections.abc import Iterable, Iterator
from typing import Any, BinaryIO, NamedTuple

from charlens.errors import CharlensError
from charlens.files.ignored import EXAMPLE, has_examples, without_ignored
from charlens.files.reading import Refused, Request
from charlens.mojibake import Search, refuse_leftovers, repair
from charlens.mojibake.chains import find_suspects, redo
from charlens.mojibake.damage import may_be_damaged, may_be_left

#: Bytes per piece, and the longest line that is not split.
_PIECE = 1 << 20
LONGEST_LINE = 4 << 20
#: Bytes that are enough to see whether the whole text was misread as another script.
_SAMPLE = 1 << 16


class Part(NamedTuple):
    """A range of a piece, in bytes, and what it should be."""

    start: int
    end: int
    new: str
    #: The encodings that it was misread as, in the order in which they are undone, and the right one.
    chain: tuple[str, ...]
    encoding: str = "utf-8"


def whole_lines(path: str, skip: int, encoding: str = "utf-8") -> Iterator[bytes]:
    """Yield the UTF-8 text of a file from byte *skip* on in pieces of whole lines; very long lines are split."""
    with open(path, "rb") as file:
        file.seek(skip)
        if encoding == "utf-8":
            while piece := file.read(_PIECE):
                piece += file.readline(LONGEST_LINE)
                yield piece if piece.endswith(b"\n") else piece + _rest_of_character(file)
            return
        decode, held, final = codecs.getincrementaldecoder(encoding)("replace").decode, "", False
        while not final:
            piece = file.read(_PIECE)
            final = not piece
            text = held + decode(piece, final)
            end = len(text) if final or len(text) > LONGEST_LINE else text.rfind("\n") + 1
            held = text[end:]
            if end:
                yield text[:end].encode("utf-8", "surrogatepass")


def _rest_of_character(file: BinaryIO) -> bytes:
    """Read the remaining bytes of a UTF-8 character."""
    rest = file.read(3)
    belongs = len(rest) - len(rest.lstrip(bytes(range(0x80, 0xC0))))
    file.seek(belongs - len(rest), os.SEEK_CUR)
    return rest[:belongs]


def is_plain(path: str, skip: int) -> bool:
    """Whether the text of a file in UTF-8 has nothing that may have been decoded wrongly or lost, in any line."""
    begun = False
    for piece in whole_lines(path, skip):
        if next(find_suspects(piece), None) or may_be_damaged(piece):
            return False
        if not begun and not piece.isascii():
            begun = True
            if _reading_of(piece[:_SAMPLE]):
                return False
    return True


class Repairer:
    """Finds what to repair, piece by piece; remembers how earlier pieces were misread."""

    def __init__(self, request: Request | None = None) -> None:
        self._spares = request is not None and request.spare_examples
        self._habit: tuple[str, ...] = ()
        #: The wrong and the right encoding, if the whole file was misread as another script.
        self._reading: tuple[tuple[str, ...], str] | None = None
        self._begun = False
        #: The number of parts found, and the probability of the last ones.
        self.parts = 0
        self.probability = 0.0

    def find(self, piece: bytes) -> tuple[list[Part], bytes]:
        """Return the parts of *piece* to repair, and the result; refuse a piece that cannot be repaired completely."""
        parts = [] if self._reading else self._misread(piece)
        if not self._begun and not piece.isascii():
            self._begun = True
            self._reading = None if parts else _reading_of(piece[:_SAMPLE])
        if self._reading:
            parts = self._reread(piece, self._reading)
        if not parts:
            return [], piece
        new = _apply(piece, parts)
        if may_be_left(new):
            refusal = refuse_leftovers(without_ignored(new.decode("utf-8"), "mojibake"))
            if refusal:
                raise Refused(refusal)
        # As Latin-1, where offsets in text and bytes are the same.
        repairs = ((part.start, part.end, part.new.encode().decode("iso8859-1")) for part in parts)
        if self._spares and has_examples(piece.decode("iso8859-1"), repairs):
            raise Refused(EXAMPLE)
        self.parts += len(parts)
        return parts, new

    def _misread(self, piece: bytes) -> list[Part]:
        """Return the lines of UTF-8 that was misread as another encoding."""
        search = Search(self._habit)
        search.run(_seen(piece, find_suspects(piece)))
        self._habit = search.habit
        taken = search.taken()
        if taken:
            self.probability = search.probability
        return [Part(line.start, line.end, line.new, line.chain) for line in taken]

    def _reread(self, piece: bytes, reading: tuple[tuple[str, ...], str]) -> list[Part]:
        """Return the whole piece, decoded with the right encoding."""
        if piece.isascii():
            return []
        found = repair(piece.decode("utf-8"))
        if not found.changed or (found.chain, found.encoding) != reading:
            raise Refused(
                f"the beginning is {reading[1]} that was decoded as {reading[0][0]}, but another part is not"
            )
        self.probability = found.probability
        return [Part(0, len(piece), found.text, found.chain, found.encoding)]


def _reading_of(sample: bytes) -> tuple[tuple[str, ...], str] | None:
    found = repair(sample.decode("utf-8", "ignore"))
    return (found.chain, found.encoding) if found.changed and found.encoding != "utf-8" else None


def _seen(piece: bytes, ranges: Iterable[tuple[int, int]]) -> Iterator[tuple[int, int, str]]:
    """Yield the ranges with their text, except in lines with 'charlens: ignore'."""
    marked = b"charlens:" in piece
    for start, end in ranges:
        if not marked or not _is_ignored(piece, start, end):
            yield start, end, piece[start:end].decode("utf-8")


def _is_ignored(piece: bytes, start: int, end: int) -> bool:
    line = piece[piece.rfind(b"\n", 0, start) + 1 : (piece.find(b"\n", end) + 1) or len(piece)].decode("utf-8")
    return without_ignored(line, "mojibake") != line


def _apply(piece: bytes, parts: list[Part]) -> bytes:
    """Return *piece* with its *parts* repaired."""
    pieces, done = [], 0
    for part in parts:
        pieces += [piece[done : part.start], part.new.encode("utf-8")]
        done = part.end
    return b"".join([*pieces, piece[done:]])


def repaired(
    path: str, skip: int, repairer: Repairer, digests: list[Any] | None, inverse: Inverse | None
) -> Iterator[bytes]:
    """Yield the repaired bytes of a file in UTF-8; raise `Refused` if a piece cannot be verified."""
    again = Repairer()
    for piece in whole_lines(path, skip):
        if len(piece) >= LONGEST_LINE and not piece.endswith(b"\n"):
            raise Refused(f"a line of more than {LONGEST_LINE >> 20} MB")
        parts, new = repairer.find(piece)
        if parts and again.find(new)[0]:
            raise Refused("a second run would change it again")
        if inverse is not None:
            inverse.add(piece, parts, new)
        if digests:
            digests[0].update(piece)
            digests[1].update(new)
        yield new


class Inverse:
    """How to restore the old bytes: ranges of lines and how they were misread, compressed."""

    def __init__(self, at: int) -> None:
        self._at = at
        self._open: list[Any] = []
        self._squeezer = zlib.compressobj()
        self._squeezed = bytearray()

    def add(self, old: bytes, parts: list[Part], new: bytes) -> None:
        """Record the repair of one piece."""
        grown = done = 0
        for part in parts:
            size = len(part.new.encode("utf-8"))
            start = self._at + part.start + grown
            between = old[done : part.start].isascii()
            was = old[part.start : part.end].decode("utf-8")
            if redo(part.new, part.chain, part.encoding) == was:
                self._put([start, start + size, list(part.chain), part.encoding], between)
            else:
                self._put([start, start + size, None, was], False)
            grown += size - (part.end - part.start)
            done = part.end
        if not old[done:].isascii():
            self._close()
        self._at += len(new)

    def _put(self, row: list[Any], between: bool) -> None:
        if self._open and between and row[2] is not None and self._open[2:] == row[2:]:
            self._open[1] = row[1]
            return
        self._close()
        self._open = row

    def _close(self) -> None:
        if self._open:
            self._squeezed += self._squeezer.compress(json.dumps(self._open).encode("ascii") + b"\n")
        self._open = []

    def to_text(self) -> str:
        """Return the record for a journal."""
        self._close()
        return base64.b64encode(bytes(self._squeezed + self._squeezer.flush())).decode("ascii")


def unrepaired(path: str, inverse: str) -> Iterator[bytes]:
    """Yield the old bytes of a repaired file, using the record of an `Inverse`."""
    rows = zlib.decompress(base64.b64decode(inverse)).splitlines()
    with open(path, "rb") as file:
        yield from _unrepaired(file, rows)


def _unrepaired(file: Any, rows: list[bytes]) -> Iterator[bytes]:
    for row in rows:
        start, end, chain, said = json.loads(row)
        yield from _copied(file, start)
        if chain is None:
            file.seek(end)
            yield said.encode("utf-8")
            continue
        while (left := end - file.tell()) > 0:
            line = file.readline(left)
            if not line:
                raise CharlensError("the file is shorter than recorded in the journal; it was left unchanged")
            yield (redo(line.decode("utf-8"), tuple(chain), said) or "").encode("utf-8")
    yield from _copied(file, None)


def _copied(file: Any, end: int | None) -> Iterator[bytes]:
    """Yield the bytes up to *end*, or all remaining bytes."""
    while piece := file.read(_PIECE if end is None else min(_PIECE, end - file.tell())):
        yield piece
