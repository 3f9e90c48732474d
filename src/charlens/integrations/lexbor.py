"""Markup elimination by a real HTML parser: decode as ISO-8859-1, parse with lexbor, encode again.

The trick is that of Faghani, Hadian and Minaei-Bidgoli: ISO-8859-1 has a character for every byte and a byte for each
of them, so the parser sees a page whatever its encoding is.  Characters that a parser would change are replaced
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

# A parser resolves references, so 'é' would come out as a byte that was never there; drops or replaces NUL; and
# makes CR a line feed. The stand-ins for '&' and NUL are characters that ISO-8859-1 lacks; the one for CR is white
# space as it is, so that tags still end where they did: form feed opens a pair, and stands for itself when doubled.
_HIDE = str.maketrans({"&": "\ue000", "\0": "\ue001", "\f": "\f\f", "\r": "\f\n"})
_SHOW = re.compile("\f[\f\n]|[\ue000\ue001]")
_SHOWN = {"\f\f": "\f", "\f\n": "\r", "\ue000": "&", "\ue001": "\0"}
#: As in `charlens.kernel.pure_markup`, with the stand-in.
_REFERENCE = re.compile("\ue000(?:#(?:[0-9]{1,8}|[xX][0-9A-Fa-f]{1,8});?|[A-Za-z][A-Za-z0-9]{1,30};)")

_DROPPED = frozenset(("script", "style"))
#: In their text there are no references.
_RAW = frozenset(("xmp", "iframe", "noembed", "noframes", "plaintext"))


def strip_markup(page: bytes) -> bytes:
    """Return the text of an HTML *page*, as the bytes that are in it, with a space between two texts."""
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
