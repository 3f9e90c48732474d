"""The byte order marks that are written, by encoding, and what they say about the name of an encoding."""

from __future__ import annotations

from charlens.encodings import canonical, squeeze
from charlens.errors import CharlensError
from charlens.kernel.facts import MARKS as READ

MARKS = {encoding: mark for mark, encoding in READ if encoding != "utf-7"}


#: Names of encodings that imply a byte order mark; 'utf-8-sig' is Python's name for UTF-8 with one.
_MARKED = ("utf16", "utf32", "utf8sig")


def implies_mark(label: str) -> bool:
    """Whether new text in the encoding *label* has a byte order mark: in 'utf-16', but not in 'utf-16-le'."""
    return squeeze(label) in _MARKED


def named(label: str, data: bytes) -> str:
    """Return the encoding that a user means by *label* for *data*: a mark decides the byte order of 'utf-16'.

    Raise `CharlensError` if the label names the other byte order.
    """
    name = canonical(label)
    family = name[:6] if name.startswith(("utf-16", "utf-32")) else "-"
    for marked, mark in MARKS.items():
        if marked.startswith(family) and marked != name and data.startswith(mark):
            if squeeze(label).endswith(("le", "be")):
                raise CharlensError(f"the byte order mark says {marked}, not {label}")
            return marked
    return name
