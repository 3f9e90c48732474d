"""aiohttp: `aiohttp.ClientSession(fallback_charset_resolver=charlens.integrations.aiohttp.resolve_charset)`.

aiohttp asks it for a body whose header names no charset.  Needs `pip install 'charlens[aiohttp]'`.
"""

from __future__ import annotations

from typing import Protocol

from charlens.integrations._codec import codec_for

__all__ = ["resolve_charset"]


class _Response(Protocol):
    """What is asked of aiohttp's response: nothing, so far; the header had no charset."""


def resolve_charset(response: _Response, body: bytes) -> str:
    """Return the codec that reads *body*."""
    return codec_for(body)
