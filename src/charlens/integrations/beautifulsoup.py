"""Beautiful Soup: a soup of a page that charlens has read.

`make_soup(page)` is `BeautifulSoup(page, "html.parser")` with the right encoding.  Needs `pip install
'charlens[beautifulsoup]'`.
"""

from __future__ import annotations

from typing import Any

from bs4 import BeautifulSoup

from charlens.html import decode

__all__ = ["make_soup"]


def make_soup(
    page: bytes, features: str = "html.parser", *, content_type: str | None = None, **keywords: Any
) -> BeautifulSoup:
    """Return the soup of *page*; *content_type* is the HTTP header, *keywords* are those of `BeautifulSoup`."""
    text, verdict = decode(page, content_type)
    soup = BeautifulSoup(text, features, **keywords)
    # What Beautiful Soup itself would have noted, had it been given the bytes.
    soup.original_encoding = verdict.encoding
    return soup
