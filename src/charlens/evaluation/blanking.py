"""Blank the charset declarations in a file, so that a detector sees only its text.

Only the value is overwritten, with spaces, so lengths and offsets stay the same.  Declarations are blanked
whether they are true or not.  UTF-16 and UTF-32 are not changed.
"""

from __future__ import annotations

import re

# A value is between quotes, or ends at the next delimiter.
_VALUE = rb"""(?P<value>[A-Za-z0-9][\w.:+()-]*)"""
_DECLARATIONS = (
    # <meta charset=...>, Content-Type: text/html; charset=..., the header of a PO file.
    re.compile(rb"""charset\s*=\s*["']?\s*""" + _VALUE, re.IGNORECASE),
    # <?xml version="1.0" encoding="..."?>
    re.compile(rb"""<\?xml[^>]{0,200}?\bencoding\s*=\s*["']""" + _VALUE, re.IGNORECASE),
    # @charset "...";
    re.compile(rb"""@charset\s+["']""" + _VALUE, re.IGNORECASE),
    # PEP 263, Emacs and Vim: -*- coding: ... -*-, vim: set fileencoding=... :
    re.compile(rb"""coding[:=][ \t]*""" + _VALUE),
)


def blank_declarations(data: bytes) -> bytes:
    """Return *data* with the values of its charset declarations overwritten by spaces."""
    for pattern in _DECLARATIONS:
        data = pattern.sub(_blanked, data)
    return data


def _blanked(match: re.Match[bytes]) -> bytes:
    start = match.start("value") - match.start()
    return match.group()[:start] + b" " * len(match.group("value"))
