"""Find the codec for the body of an HTTP response."""

from __future__ import annotations

import charlens

#: For a body that is empty or not text.
_DEFAULT = "utf-8"


def codec_for(body: bytes, content_type: str | None = None) -> str:
    """Return the codec for *body*; it also removes a byte order mark."""
    return charlens.detect(body, content_type=content_type).codec or _DEFAULT
