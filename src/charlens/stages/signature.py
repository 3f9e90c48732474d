"""Recognise a Unicode signature (a byte order mark) at the start of the bytes.

A signature is a claim: the unicode stage checks whether the rest decodes.
"""

from __future__ import annotations

from charlens.findings import Signature
from charlens.kernel.facts import MARKS
from charlens.types import Buffer

# The first bytes of all marks: for most inputs, one check is enough.
_OPENERS = frozenset(mark[0] for mark, _ in MARKS)


def find_signature(data: Buffer) -> Signature | None:
    """Return the signature at the start of *data*, or ``None``."""
    if not data or data[0] not in _OPENERS:
        return None
    head = bytes(data[:5])
    for mark, encoding in MARKS:
        if head.startswith(mark):
            return Signature(encoding, mark)
    return None
