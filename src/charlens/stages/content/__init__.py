"""Tell text from binary by the byte values.

The lists are those of Cosmin Truta's "A Fast Method of Identifying Plain Text Files" (zlib): text has
at least one byte of the allow list and none of the block list; tolerated bytes do not count.
Text that an earlier stage has recognised (UTF-16, ISO-2022-KR, EBCDIC) is not classified again.  Text with a few
blocked bytes, or with some kinds of them used on purpose, is still text; `odds` says how likely that is.  Without a
sample, `classify_content` uses only the lists.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from charlens.findings import Container, Content, EbcdicForm, EscapeForm, UnicodeForm
from charlens.kernel.facts import BLOCKED_BYTES, TOLERATED_BYTES
from charlens.plural import count
from charlens.stages.content.odds import probability
from charlens.types import Buffer

if TYPE_CHECKING:
    from charlens.kernel.shapes import Scan


def _mask(*values: int) -> int:
    return sum(1 << value for value in values)


#: TAB, LF, CR and everything from the space on.
ALLOWED = _mask(9, 10, 13, *range(32, 256))
TOLERATED = _mask(*TOLERATED_BYTES)
BLOCKED = _mask(*BLOCKED_BYTES)
#: SO and SI, the shifts of ISO-2022-KR.
_SHIFTS = _mask(14, 15)

TEXT = Content(True, None, -1)
_NOT_TEXT = Content(False, None, -1)

# Encodings in which NULs and control bytes are parts of characters.
_WIDE = frozenset(("utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be"))


#: Fewer bytes than this are too little evidence: with a blocked byte they are binary, by the lists.
_LEAST = 64


def classify_content(
    scan: Scan,
    found: UnicodeForm | EscapeForm | EbcdicForm | None = None,
    size: int = 0,
    sample: Buffer = b"",
    container: Container | None = None,
) -> Content:
    """Decide whether the bytes, *size* of them, are text, given what was *found* before.

    Without *sample*, only the lists count.  *sample* begins with the first blocked byte; the bytes after it decide
    whether it is text.
    """
    data = container is not None and container.binary and found is None
    if scan.blocked < 0:
        if data and container is not None:
            return Content(False, None, -1, f"non-ASCII bytes in a {container.words} are data")
        return TEXT if scan.seen & ALLOWED else _NOT_TEXT
    settled = _settled_by(found, scan.seen & BLOCKED)
    if settled:
        return Content(True, None, -1, settled)
    first = memoryview(scan.first).cast("q")
    byte = next(value for value in range(32) if BLOCKED >> value & 1 and first[value] == scan.blocked)
    if data or not sample or size < _LEAST:
        return Content(False, byte, scan.blocked)
    return _weigh(bytes(sample), byte, scan.blocked)


def _weigh(sample: bytes, byte: int, offset: int) -> Content:
    likely = probability(sample, offset)
    number = len(sample) - len(sample.translate(None, BLOCKED_BYTES))
    words = f"{count(number, 'control byte')}, but the rest looks like text (probability {likely:.2f})"
    return Content(likely > 0.5, byte, offset, words if likely > 0.5 else "", likely)


def _settled_by(found: UnicodeForm | EscapeForm | EbcdicForm | None, blocked: int) -> str:
    if isinstance(found, UnicodeForm) and found.encoding in _WIDE:
        return f"its control bytes are parts of {found.encoding} characters"
    if isinstance(found, EscapeForm) and not blocked & ~_SHIFTS:
        return f"its control bytes are shift sequences of {found.encoding}"
    if isinstance(found, EbcdicForm):
        return "its control bytes are EBCDIC line endings and tabs"
    return ""
