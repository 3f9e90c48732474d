"""Tell text from binary by the values of the bytes alone.

The lists are those of Cosmin Truta's "A Fast Method of Identifying Plain Text Files" (zlib): text has
at least one byte of the allow list and none of the block list; the tolerated ones count for neither.
What an earlier stage has recognised as text (UTF-16, ISO-2022-KR, EBCDIC) is not asked again.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from charlens.findings import Content, EbcdicForm, EscapeForm, UnicodeForm
from charlens.kernel.facts import BLOCKED_BYTES, TOLERATED_BYTES

if TYPE_CHECKING:
    from charlens.kernel.shapes import Scan


def _mask(*values: int) -> int:
    return sum(1 << value for value in values)


#: TAB, LF, CR and everything from the space on.
ALLOWED = _mask(9, 10, 13, *range(32, 256))
TOLERATED = _mask(*TOLERATED_BYTES)
BLOCKED = _mask(*BLOCKED_BYTES)
#: SO and SI, which shift in ISO-2022-KR.
_SHIFTS = _mask(14, 15)

TEXT = Content(True, None, -1)
_NOT_TEXT = Content(False, None, -1)

# Forms in which NULs and controls are parts of characters.
_WIDE = frozenset(("utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be"))


def classify_content(scan: Scan, found: UnicodeForm | EscapeForm | EbcdicForm | None = None) -> Content:
    """Decide whether the bytes are text, given what was *found* before."""
    if scan.blocked >= 0:
        settled = _settled_by(found, scan.seen & BLOCKED)
        if settled:
            return Content(True, None, -1, settled)
        first = memoryview(scan.first).cast("q")
        byte = next(value for value in range(32) if BLOCKED >> value & 1 and first[value] == scan.blocked)
        return Content(False, byte, scan.blocked)
    return TEXT if scan.seen & ALLOWED else _NOT_TEXT


def _settled_by(found: UnicodeForm | EscapeForm | EbcdicForm | None, blocked: int) -> str:
    if isinstance(found, UnicodeForm) and found.encoding in _WIDE:
        return f"blocked bytes are parts of {found.encoding} characters"
    if isinstance(found, EscapeForm) and not blocked & ~_SHIFTS:
        return f"blocked bytes are shifts of {found.encoding}"
    if isinstance(found, EbcdicForm):
        return "blocked bytes are line ends and tabs of EBCDIC"
    return ""
