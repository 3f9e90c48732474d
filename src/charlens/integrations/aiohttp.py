"""aiohttp: `aiohttp.ClientSession(fallback_charset_resolver=charlens.integrations.aiohttp.resolve_charset)`.

aiohttp calls it if the header names no charset.  Needs `pip install 'charlens[aiohttp]'`.
"""

from __future__ import annotations

from typing import Protocol

from charlens.integrations._codec import codec_for

__all__ = ["resolve_charset"]


class _Response(Protocol):
    """The response of aiohttp, which is not used."""


def resolve_charset(response: _Response, body: bytes) -> str:
    """Return the codec for *body*."""
    return codec_for(body)
