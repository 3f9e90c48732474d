"""The name of a codec for a body: what HTTP clients ask for."""

from __future__ import annotations

import charlens

#: What the web is in; for a body that is not text, or empty.
_DEFAULT = "utf-8"


def codec_for(body: bytes, content_type: str | None = None) -> str:
    """Return the codec that reads *body*; it takes a byte order mark away, too."""
    return charlens.detect(body, content_type=content_type).codec or _DEFAULT
