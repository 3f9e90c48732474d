"""Recognise a Unicode signature (a byte order mark) at the start of the bytes.

A signature is a claim: whether the rest decodes is for the unicode stage to check.
"""

from __future__ import annotations

from charlens.findings import Signature
from charlens.types import Buffer

# Longest first: the mark of UTF-32-LE begins with the mark of UTF-16-LE.
_MARKS = (
    # UTF-7 writes U+FEFF as +/v8- when something that needs no shift follows; in the four other forms the
    # fourth byte also carries bits of the next character, so there is no mark that could be cut off.
    (b"+/v8-", "utf-7"),
    (b"\x00\x00\xfe\xff", "utf-32-be"),
    (b"\xff\xfe\x00\x00", "utf-32-le"),
    (b"\x84\x31\x95\x33", "gb18030"),
    (b"+/v8", "utf-7"),
    (b"+/v9", "utf-7"),
    (b"+/v+", "utf-7"),
    (b"+/v/", "utf-7"),
    (b"\xef\xbb\xbf", "utf-8"),
    (b"\xfe\xff", "utf-16-be"),
    (b"\xff\xfe", "utf-16-le"),
)

# The first bytes of all marks: most inputs are done after one look.
_OPENERS = frozenset(mark[0] for mark, _ in _MARKS)


def find_signature(data: Buffer) -> Signature | None:
    """Return the signature that *data* opens with, or ``None``."""
    if not data or data[0] not in _OPENERS:
        return None
    head = bytes(data[:5])
    for mark, encoding in _MARKS:
        if head.startswith(mark):
            return Signature(encoding, mark)
    return None
