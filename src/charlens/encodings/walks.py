"""Tables for walking multi-byte encodings in the kernel: which byte can follow which.

`python -m charlens.encodings.walks [--check]` tries every sequence with Python's decoders, merges
prefixes with the same continuations into one state, and writes `walks.bin`.  So a table accepts exactly
what the codec decodes.  At detection only `walk_table`, `packed_tables` and `pair_masks` are used; the file is read
once.
"""

from __future__ import annotations

import codecs
import os
import struct
import sys
import zlib
from array import array
from collections.abc import Sequence
from functools import lru_cache

from charlens.encodings import all_encodings

_FILE = os.path.join(os.path.dirname(__file__), "walks.bin")
_ERROR = 255
# In GB 18030 the last of four bytes is a digit, in EUC-TW a byte of A1 to FE; trying the others would take minutes.
_LAST_OF_FOUR = {"gb18030": range(0x30, 0x3A), "euc_tw": range(0xA1, 0xFF)}

Row = tuple[int, ...]


def walk_table(name: str) -> bytes:
    """Return the table of the multi-byte encoding *name* for `charlens.kernel.pure.walk`."""
    return _tables()[name]


def walked_encodings() -> tuple[str, ...]:
    """Return the names of the encodings that have a table, the most common first."""
    return tuple(_tables())


def pair_masks() -> bytes:
    """Return the bytes and the pairs of bytes that are characters, for each of `walked_encodings`.

    In the format of `charlens.kernel.pure.walk_all`.
    """
    return _parts()[1]


@lru_cache(maxsize=1)
def packed_tables() -> bytes:
    """Return the tables of all `walked_encodings`, for `charlens.kernel.pure.walk_all`."""
    packed = b""
    for table in _tables().values():
        width = max(table[:256]) + 1
        packed += struct.pack("=II", width, (len(table) - 256) // width) + table
        packed += bytes(-len(packed) % 4)
    return packed


def _tables() -> dict[str, bytes]:
    return _parts()[0]


@lru_cache(maxsize=1)
def _parts() -> tuple[dict[str, bytes], bytes]:
    """Read the file: for each table a line 'name length', an empty line, the tables, then the masks."""
    head, _, body = zlib.decompress(_read()).partition(b"\n\n")
    tables = {}
    start = 0
    for line in head.decode("ascii").splitlines():
        name, length = line.split()
        tables[name] = body[start : start + int(length)]
        start += int(length)
    masks = array("I", body[start:])
    if sys.byteorder == "big":
        masks.byteswap()
    return tables, masks.tobytes()


def _read() -> bytes:
    with open(_FILE, "rb") as file:
        return file.read()


def build(name: str) -> bytes:
    """Try all sequences with the codec *name* and return the table."""
    states: dict[Row, int] = {}
    # The state between characters must be 0; its row is only known at the end.
    ground = _row(name, b"", states)
    rows = [ground, *states]
    if len(rows) > _ERROR:
        raise ValueError(f"{name} needs {len(rows)} states; a table has room for {_ERROR - 1}")
    columns: dict[Row, int] = {}
    column_of = bytes(columns.setdefault(column, len(columns)) for column in zip(*rows, strict=True))
    cells = bytearray()
    for row in zip(*columns, strict=True):
        cells += bytes(row)
    return column_of + bytes(cells)


def _row(name: str, prefix: bytes, states: dict[Row, int]) -> Row:
    """Return the next state for each byte after *prefix*; new states are added to *states*."""
    last = _LAST_OF_FOUR.get(name, range(256)) if len(prefix) == 3 else range(256)
    row = [_ERROR] * 256
    for byte in last:
        decoder = codecs.getincrementaldecoder(name)()
        try:
            text = decoder.decode(prefix + bytes([byte]))
        except UnicodeDecodeError:
            continue
        if text:
            row[byte] = 0
        elif len(prefix) < 3:
            following = _row(name, prefix + bytes([byte]), states)
            row[byte] = states.setdefault(following, len(states) + 1)
    return tuple(row)


def masks_of(tables: Sequence[bytes]) -> bytes:
    """Return the masks that belong to *tables*: the singles, then the pairs, 32 bits each, little-endian."""
    singles = [0] * 256
    pairs = [0] * 0x10000
    for number, table in enumerate(tables):
        width = max(table[:256]) + 1
        for first in range(256):
            state = table[256 + table[first]]
            if state == 0:
                singles[first] |= 1 << number
            row = table[256 + state * width : 256 + (state + 1) * width]
            if state == 0 or not row:
                continue
            for second in range(256):
                if row[table[second]] == 0:
                    pairs[first << 8 | second] |= 1 << number
    masks = array("I", singles + pairs)
    if sys.byteorder == "big":
        masks.byteswap()
    return masks.tobytes()


def render() -> bytes:
    """Return the contents of the file."""
    names = [encoding.name for encoding in all_encodings() if encoding.kind == "multi"]
    tables = [(name, build(name)) for name in names]
    head = "".join(f"{name} {len(table)}\n" for name, table in tables) + "\n"
    body = b"".join(table for _, table in tables) + masks_of([table for _, table in tables])
    return zlib.compress(head.encode("ascii") + body, 9)


def main(arguments: list[str]) -> int:
    """Write the file, or with --check say whether it is current."""
    content = render()
    if arguments == ["--check"]:
        if os.path.exists(_FILE) and zlib.decompress(_read()) == zlib.decompress(content):
            return 0
        print("walks.bin is not current: run python -m charlens.encodings.walks", file=sys.stderr)
        return 1
    if arguments:
        print("usage: python -m charlens.encodings.walks [--check]", file=sys.stderr)
        return 2
    with open(_FILE, "wb") as file:
        file.write(content)
    print(f"walks.bin: {len(content)} bytes for {len(_tables())} encodings")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
