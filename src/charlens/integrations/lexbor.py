"""Remove markup with an HTML parser: decode as ISO-8859-1, parse with lexbor, encode again.

The method is that of Faghani, Hadian and Minaei-Bidgoli: ISO-8859-1 maps every byte to one character and back,
so the parser can read a page in any encoding.  Characters that a parser would change are replaced
before, and restored after.  Needs selectolax: `pip install 'charlens[html]'`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

try:
    from selectolax.lexbor import LexborHTMLParser
except ImportError as error:
    raise ImportError(
        "markup='parser' needs selectolax: pip install 'charlens[html]'. markup='direct' needs nothing."
    ) from error

# A parser resolves references, so '&eacute;' would become a byte that is not in the page; drops or replaces NUL; and
# turns CR into LF. The stand-ins for '&' and NUL are characters that ISO-8859-1 does not have. The one for CR must be
# white space, to keep the ends of tags: a form feed starts a pair, and a doubled form feed is a form feed.
_HIDE = str.maketrans({"&": "\ue000", "\0": "\ue001", "\f": "\f\f", "\r": "\f\n"})
_SHOW = re.compile("\f[\f\n]|[\ue000\ue001]")
_SHOWN = {"\f\f": "\f", "\f\n": "\r", "\ue000": "&", "\ue001": "\0"}
#: As in `charlens.kernel.pure_markup`, with the stand-in.
_REFERENCE = re.compile("\ue000(?:#(?:[0-9]{1,8}|[xX][0-9A-Fa-f]{1,8});?|[A-Za-z][A-Za-z0-9]{1,30};)")

_DROPPED = frozenset(("script", "style"))
#: Elements whose text has no references.
_RAW = frozenset(("xmp", "iframe", "noembed", "noframes", "plaintext"))


def strip_markup(page: bytes) -> bytes:
    """Return the text of an HTML *page* as its original bytes, with a space between two texts."""
    parser = LexborHTMLParser(page.decode("latin-1").translate(_HIDE))
    text = " ".join(_texts(parser.root))
    return _SHOW.sub(lambda match: _SHOWN[match.group()], text).encode("latin-1", "ignore")


def _texts(root: Any) -> Iterator[str]:
    if root is None:
        return
    for node in root.traverse(include_text=True):
        parent = node.parent.tag if node.tag == "-text" and node.parent is not None else None
        if parent is not None and parent not in _DROPPED:
            text = node.text_content or ""
            yield text if parent in _RAW else _REFERENCE.sub(" ", text)
