"""The byte order marks that are written, by encoding, and what they say about the name of an encoding."""

from __future__ import annotations

from charlens.encodings import canonical, squeeze
from charlens.errors import CharlensError
from charlens.kernel.facts import MARKS as READ

MARKS = {encoding: mark for mark, encoding in READ if encoding != "utf-7"}


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
