"""requests: a hook that sets the encoding of each response, which `response.text` uses.

`session.hooks["response"].append(charlens.integrations.requests.set_encoding)`.  The header counts as evidence:
requests alone assumes ISO-8859-1 for every text without a declaration.  Needs `pip install 'charlens[requests]'`.
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
    """Set the encoding of *response* to the codec for its body; if the body is not text, nothing is changed.

    A response read as a stream (``stream=True``) is not changed, because reading it is up to the caller.
    """
    if keywords.get("stream") or not response.content:
        return
    headers: Mapping[str, str] = response.headers
    found = charlens.detect(response.content, content_type=headers.get("Content-Type")).codec
    # ASCII is the same text in the encoding that requests assumes, and replies are written in that encoding.
    if found is not None and not (found == "ascii" and response.encoding):
        response.encoding = found
