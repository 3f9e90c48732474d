"""Beautiful Soup: parse a page in the encoding that charlens detects.

`make_soup(page)` is `BeautifulSoup(page, "html.parser")` with the right encoding.  Needs `pip install
'charlens[beautifulsoup]'`.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from bs4 import BeautifulSoup

from charlens.api import detect
from charlens.encodings import lookup
from charlens.stages.declarations.claims import charsets_of

__all__ = ["make_soup"]

#: The encoding that browsers use if the page shows none.
_LAST_RESORT = "cp1252"


def make_soup(
    page: bytes,
    features: str = "html.parser",
    *,
    content_type: str | None = None,
    from_encoding: str | None = None,
    exclude_encodings: Iterable[str] | None = None,
    **keywords: Any,
) -> BeautifulSoup:
    """Return the soup of *page*; *content_type* is the HTTP header, *keywords* are those of `BeautifulSoup`.

    *from_encoding* is used if it decodes the page; *exclude_encodings* are never used.
    """
    verdict = detect(
        page, content_type=content_type, never=[*exclude_encodings] if exclude_encodings else None
    )
    encoding = _usable(from_encoding, page) or verdict.encoding or _LAST_RESORT
    text = bytes(page)[len(verdict.bom) :].decode(encoding, "replace")
    soup = BeautifulSoup(text, features, **keywords)
    # Beautiful Soup sets these attributes if it decodes the bytes.
    soup.original_encoding = encoding
    soup.declared_html_encoding = next((each.label for each in charsets_of(verdict)), None)
    soup.contains_replacement_characters = "\ufffd" in text
    return soup


def _usable(encoding: str | None, page: bytes) -> str | None:
    """Return our name of *encoding* if it decodes *page*; otherwise it is ignored, as in Beautiful Soup."""
    known = lookup(encoding) if encoding else None
    if known is None:
        return None
    try:
        page.decode(known.name)
    except UnicodeError:
        return None
    return known.name
