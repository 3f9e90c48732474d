"""requests: a hook that sets the encoding of each response, so that `response.text` reads it.

`session.hooks["response"].append(charlens.integrations.requests.set_encoding)`.  The header counts as evidence:
requests itself takes ISO-8859-1 for every text that declares nothing.  Needs `pip install 'charlens[requests]'`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

import charlens

__all__ = ["set_encoding"]


class _Response(Protocol):
    content: Any
    headers: Any
    encoding: Any


def set_encoding(response: _Response, *_: object, **keywords: Any) -> None:
    """Set the encoding of *response* to the codec that reads its body; a body that is not text keeps what it had.

    A response that is read as a stream (``stream=True``) is left alone: reading it is for the caller.
    """
    if keywords.get("stream") or not response.content:
        return
    headers: Mapping[str, str] = response.headers
    found = charlens.detect(response.content, content_type=headers.get("Content-Type")).codec
    # ASCII reads alike in what requests takes it for; what is sent back is written in that.
    if found is not None and not (found == "ascii" and response.encoding):
        response.encoding = found
