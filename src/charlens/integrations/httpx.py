"""httpx: `httpx.Client(default_encoding=charlens.integrations.httpx.default_encoding)`.

httpx calls it if the header names no charset.  Needs `pip install 'charlens[httpx]'`.
"""

from __future__ import annotations

import charlens

__all__ = ["default_encoding"]


def default_encoding(content: bytes) -> str:
    """Return the codec for *content*; it also removes a byte order mark."""
    return charlens.detect(content).codec or "utf-8"
