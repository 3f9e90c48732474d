"""aiohttp: `aiohttp.ClientSession(fallback_charset_resolver=charlens.integrations.aiohttp.resolve_charset)`.

aiohttp calls it if the header names no charset.  Needs `pip install 'charlens[aiohttp]'`.
"""

from __future__ import annotations

from typing import Protocol

import charlens

__all__ = ["resolve_charset"]


class _Response(Protocol):
    """The response of aiohttp, which is not used."""


def resolve_charset(response: _Response, body: bytes) -> str:
    """Return the codec for *body*; it also removes a byte order mark."""
    return charlens.detect(body).codec or "utf-8"
