"""Make `euctw.bin`, the characters of CNS 11643, from the C library's iconv.

The file is compressed: a byte with the number of planes, the byte that names each plane, then for each plane 94 rows
of 94 code points of three bytes, 0 for none.  The file in the repository was made with glibc 2.36.

    python -m charlens.encodings.euctw_table            writes euctw.bin
    python -m charlens.encodings.euctw_table --check    exits 1 when it is not current; 0 if there is no such iconv
"""

from __future__ import annotations

import ctypes
import os
import sys
import zlib
from collections.abc import Callable

from charlens.encodings.euctw import FILE, FIRST, LEAD, SIDE, WIDTH

_PLANES = range(0xA1, 0xB1)
Ask = Callable[[bytes], int]


def open_iconv(name: bytes = b"EUC-TW") -> Ask | None:
    """Return a function that gives the code point of one sequence, or 0; None if iconv does not know *name*."""
    library = ctypes.CDLL(None)
    if not hasattr(library, "iconv_open"):
        return None
    library.iconv_open.restype = ctypes.c_void_p
    library.iconv.restype = ctypes.c_size_t
    library.iconv.argtypes = [ctypes.c_void_p, *[ctypes.c_void_p] * 4]
    handle = library.iconv_open(b"UTF-32BE", name)
    if handle in (None, ctypes.c_void_p(-1).value):
        return None

    def ask(sequence: bytes) -> int:
        source, target = ctypes.create_string_buffer(sequence), ctypes.create_string_buffer(16)
        read = ctypes.c_void_p(ctypes.addressof(source))
        written = ctypes.c_void_p(ctypes.addressof(target))
        left, room = ctypes.c_size_t(len(sequence)), ctypes.c_size_t(16)
        library.iconv(handle, None, None, None, None)
        ends = [ctypes.byref(part) for part in (read, left, written, room)]
        library.iconv(handle, *ends)
        one = left.value == 0 and room.value == 12
        return int.from_bytes(target.raw[:4], "big") if one else 0

    return ask


def build(ask: Ask) -> bytes:
    """Return the contents of the file before compression."""
    planes = [plane for plane in _PLANES if any(_row(ask, plane, row) for row in range(SIDE))]
    cells = b"".join(
        point.to_bytes(WIDTH, "big")
        for plane in planes
        for row in range(SIDE)
        for point in _row(ask, plane, row) or [0] * SIDE
    )
    return bytes([len(planes), *planes]) + cells


def _row(ask: Ask, plane: int, row: int) -> list[int]:
    """Return the code points of one row, or nothing if it has none."""
    points = [ask(bytes([LEAD, plane, FIRST + row, FIRST + column])) for column in range(SIDE)]
    return points if any(points) else []


def main(arguments: list[str]) -> int:
    """Write the file, or with --check say whether it is current."""
    ask = open_iconv()
    if ask is None:
        print("euctw.bin: the C library here has no EUC-TW to compare with", file=sys.stderr)
        return 0 if arguments == ["--check"] else 1
    content = build(ask)
    if arguments == ["--check"]:
        with open(FILE, "rb") as file:
            current = zlib.decompress(file.read()) == content
        if not current:
            print("euctw.bin is not current: run python -m charlens.encodings.euctw_table", file=sys.stderr)
        return 0 if current else 1
    with open(FILE, "wb") as file:
        file.write(zlib.compress(content, 9))
    print(f"euctw.bin: {os.path.getsize(FILE):,} bytes, {content[0]} planes")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
