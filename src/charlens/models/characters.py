"""The weight of each character of the Basic Multilingual Plane as evidence for text, for UTF-16, UTF-32 and EBCDIC.

The table is made by `python -m charlens.training.characters`; this module only loads it, once.
"""

from __future__ import annotations

import os
import zlib
from functools import lru_cache

_FILE = os.path.join(os.path.dirname(__file__), "characters.bin")


@lru_cache(maxsize=1)
def character_weights() -> bytes:
    """Return 65,536 signed bytes, in quarters of a bit."""
    with open(_FILE, "rb") as file:
        return zlib.decompress(file.read())
