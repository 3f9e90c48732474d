"""Tell text from binary by the values of the bytes alone.

The lists are those of Cosmin Truta's "A Fast Method of Identifying Plain Text Files" (zlib): text has
at least one byte of the allow list and none of the block list; the tolerated ones do not count.
What an earlier stage has recognised as text (UTF-16, ISO-2022-KR, EBCDIC) is not classified again.  A long text with a
few blocked bytes, or with one kind of them used on purpose, is nevertheless text; `classify_content` without a sample
uses only the lists.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from charlens.findings import Container, Content, EbcdicForm, EscapeForm, UnicodeForm
from charlens.kernel.facts import BLOCKED_BYTES, TOLERATED_BYTES
from charlens.plural import count
from charlens.source import CONTROLS_READ
from charlens.types import Buffer

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


#: Fewer bytes than this say too little: with a blocked byte they are binary, by the lists.
_LEAST_SAMPLE = 256
#: Text may have a few stray controls of any kind (one in 200 bytes, of NULs one in 1,000), or use one or two kinds of
#: them on purpose, as the colour codes of bulletin boards do (up to 30 % of the bytes), but then no NUL. Of 1,107
#: binary files one has as few (a table of text with eight NULs); of 13 texts with such bytes among the labelled and
#: opened files, all have, except for two test pictures of all controls.
_STRAY_IN = 200
_NUL_IN = 1000
_MOST_KINDS = 2
#: Blocked bytes near the end of a text that count as strays.
_MOST_AT_END = 2
_MOST_SHARE = 0.3


def classify_content(
    scan: Scan,
    found: UnicodeForm | EscapeForm | EbcdicForm | None = None,
    size: int = 0,
    sample: Buffer = b"",
    container: Container | None = None,
) -> Content:
    """Decide whether the bytes, *size* of them, are text, given what was *found* before.

    Without *sample*, by the lists alone.  With it, the first blocked byte, which it begins with, is judged by what
    follows.
    """
    if scan.blocked < 0:
        if container is not None and container.binary and found is None:
            return Content(False, None, -1, f"non-ASCII bytes in a {container.words} are data")
        return TEXT if scan.seen & ALLOWED else _NOT_TEXT
    settled = _settled_by(found, scan.seen & BLOCKED)
    if settled:
        return Content(True, None, -1, settled)
    first = memoryview(scan.first).cast("q")
    byte = next(value for value in range(32) if BLOCKED >> value & 1 and first[value] == scan.blocked)
    despite = _despite_controls(bytes(sample), size)
    return Content(bool(despite), byte, scan.blocked, despite)


def _despite_controls(sample: bytes, size: int) -> str:
    """Say why *sample*, which opens with a blocked byte, is text nevertheless; "" if it is not."""
    if size < _LEAST_SAMPLE or not sample:
        return ""
    controls = len(sample) - len(sample.translate(None, BLOCKED_BYTES))
    # One or two near the end are one or two in all that came before them; more are the beginning of something else.
    seen = min(size, CONTROLS_READ) if controls <= _MOST_AT_END else len(sample)
    size = max(seen, _LEAST_SAMPLE)
    nuls = sample.count(0)
    kinds = sum(value in sample for value in BLOCKED_BYTES)
    few = controls * _STRAY_IN <= size and nuls * _NUL_IN <= size
    used = not nuls and kinds <= _MOST_KINDS and controls <= _MOST_SHARE * len(sample)
    if not few and not used:
        return ""
    return f"only {count(controls, 'control byte')} ({kinds} distinct) in {seen:,} bytes, too few for binary data"


def _settled_by(found: UnicodeForm | EscapeForm | EbcdicForm | None, blocked: int) -> str:
    if isinstance(found, UnicodeForm) and found.encoding in _WIDE:
        return f"its control bytes are parts of {found.encoding} characters"
    if isinstance(found, EscapeForm) and not blocked & ~_SHIFTS:
        return f"its control bytes are shift sequences of {found.encoding}"
    if isinstance(found, EbcdicForm):
        return "its control bytes are EBCDIC line endings and tabs"
    return ""
