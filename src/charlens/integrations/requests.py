"""requests: a hook that sets the encoding of each response, so that `response.text` reads it.

`session.hooks["response"].append(charlens.integrations.requests.set_encoding)`.  The header counts as evidence:
requests itself takes ISO-8859-1 for every text that declares nothing.  Needs `pip install 'charlens[requests]'`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

from charlens.integrations._codec import codec_for

__all__ = ["set_encoding"]


class _Response(Protocol):
    content: Any
    headers: Any
    encoding: Any


def set_encoding(response: _Response, *_: object, **__: object) -> None:
    """Set the encoding of *response* to the codec that reads its body; a body that is no text keeps what it had."""
    headers: Mapping[str, str] = response.headers
    if response.content:
        response.encoding = codec_for(response.content, headers.get("Content-Type"))
