"""A drop-in for py-encoding-detect: `EncodingDetectFile().load(path)`.

It answers for the four encodings that py-encoding-detect knows, and ``False`` for everything else.
"""

from __future__ import annotations

import os
from typing import Literal

from charlens.api import detect
from charlens.inputs.paths import open_regular

_NAMES = {
    "ascii": "ascii",
    "utf-8": "utf_8",
    "utf-16-be": "utf_16_be",
    "utf-16-le": "utf_16_le",
}


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
        """Return (encoding, bom_marker, text), or ``False`` where the encoding is none of the four.

        *bom_marker* is None where there is no mark.  The text is without it, its line ends as they are.
        """
        with open_regular(file_path) as file:
            data = file.read()
        if not data:
            return (self.ENCODING_ASCII, None, "")
        verdict = detect(data)
        name = _NAMES.get(verdict.encoding or "")
        if name is None or verdict.damage or verdict.cut:
            return False
        return (name, verdict.bom or None, data[len(verdict.bom) :].decode(name))
