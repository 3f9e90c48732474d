"""Scrapy: a downloader middleware that sets the encoding of each text response.

    DOWNLOADER_MIDDLEWARES = {"charlens.integrations.scrapy.CharlensMiddleware": 585}

585 is above HttpCompressionMiddleware (590), so bodies are already decompressed.  The verdict is in
`response.meta["charlens"]`, if there is a request.  Needs `pip install 'charlens[scrapy]'`.
"""

from __future__ import annotations

from typing import Any

from scrapy.http import TextResponse

import charlens

__all__ = ["CharlensMiddleware"]


class CharlensMiddleware:
    """Sets the encoding of responses from their bytes, with header and meta elements as evidence."""

    def process_response(self, request: Any, response: Any, spider: Any = None) -> Any:
        """Return *response* with the detected encoding; ASCII and binary responses are returned unchanged.

        ASCII is the same text in the declared encoding and Scrapy's default, which are also used for links and forms.
        """
        if not isinstance(response, TextResponse) or not response.body:
            return response
        header = response.headers.get(b"Content-Type")
        verdict = charlens.detect(response.body, content_type=header.decode("latin-1") if header else None)
        if verdict.encoding is None:
            return response
        request.meta["charlens"] = verdict
        if verdict.encoding == "ascii":
            return response
        return response.replace(encoding=verdict.encoding)
