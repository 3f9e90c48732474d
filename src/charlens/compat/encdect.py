"""A drop-in for py-encoding-detect: `EncodingDetectFile().load(path)`, with its rules instead of those of charlens.

It knows the four encodings of py-encoding-detect, and returns ``False`` for everything else: a mark decides;
bytes from 1 to 127 are ASCII, whatever they contain; then UTF-8; then UTF-16 by line endings, and by NULs.
"""

from __future__ import annotations

import os
from collections import Counter
from typing import Literal

from charlens.inputs.paths import open_regular

_LINE_ENDS = frozenset(b"\r\n")
#: More than the first share of byte pairs must have a NUL in one place, and less than the second in the other.
_MOST_NULS = 0.7
_FEWEST_NULS = 0.1


class EncodingDetectFile:
    """Loads a text file with its encoding and byte order mark."""

    ENCODING_ASCII = "ascii"
    ENCODING_UTF_8 = "utf_8"
    ENCODING_UTF_16_BE = "utf_16_be"
    ENCODING_UTF_16_LE = "utf_16_le"

    BOM_UTF_8 = b"\xef\xbb\xbf"
    BOM_UTF_16_BE = b"\xfe\xff"
    BOM_UTF_16_LE = b"\xff\xfe"

    def load(self, file_path: str | os.PathLike[str]) -> tuple[str, bytes | None, str] | Literal[False]:
        """Return (encoding, bom_marker, text), or ``False`` if the rules name none or the bytes do not decode.

        *bom_marker* is None if there is no mark.  The text is without it, its line endings as they are.
        """
        with open_regular(file_path) as file:
            data = file.read()
        name, mark = self._detect(data)
        if name is None:
            return False
        try:
            return (name, mark or None, data[len(mark) :].decode(name))
        except UnicodeDecodeError:
            return False

    def _detect(self, data: bytes) -> tuple[str | None, bytes]:
        marks = {
            self.BOM_UTF_16_BE: self.ENCODING_UTF_16_BE,
            self.BOM_UTF_16_LE: self.ENCODING_UTF_16_LE,
            self.BOM_UTF_8: self.ENCODING_UTF_8,
        }
        for mark, name in marks.items():
            if data.startswith(mark):
                return name, mark
        # Single-byte text has no NUL, and without a NUL neither test for UTF-16 succeeds.
        if 0 in data:
            return self._detect_utf16(data), b""
        return self.ENCODING_ASCII if data.isascii() else self.ENCODING_UTF_8, b""

    def _detect_utf16(self, data: bytes) -> str | None:
        pairs = Counter(zip(data[::2], data[1::2], strict=False))
        first = {pair: count for pair, count in pairs.items() if pair[0] == 0}
        second = {pair: count for pair, count in pairs.items() if pair[0] != 0 and pair[1] == 0}
        ends_first = any(pair[1] in _LINE_ENDS for pair in first)
        ends_second = any(pair[0] in _LINE_ENDS for pair in second)
        if ends_first != ends_second:
            return self.ENCODING_UTF_16_BE if ends_first else self.ENCODING_UTF_16_LE
        most, fewest = (int(len(data) // 2 * share) for share in (_MOST_NULS, _FEWEST_NULS))
        if not most:
            return None
        nuls_first, nuls_second = sum(first.values()), sum(second.values())
        if nuls_first > most and nuls_second < fewest:
            return self.ENCODING_UTF_16_BE
        if nuls_second > most and nuls_first < fewest:
            return self.ENCODING_UTF_16_LE
        return None
