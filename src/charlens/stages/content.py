"""Tell text from binary by the values of the bytes alone.

The lists are those of Cosmin Truta's "A Fast Method of Identifying Plain Text Files" (zlib): text has
at least one byte of the allow list and none of the block list; the tolerated ones count for neither.
What an earlier stage has recognised as text (UTF-16, ISO-2022-KR, EBCDIC) is not asked again.  A text with a few
blocked bytes, or with some kinds of them used on purpose, is text all the same: how likely that is follows from counts,
with weights that `bench/controls.py` fits.  `classify_content` without a sample goes by the lists alone.
"""

from __future__ import annotations

from math import exp, log
from operator import mul
from typing import TYPE_CHECKING

from charlens.findings import Container, Content, EbcdicForm, EscapeForm, UnicodeForm
from charlens.kernel.facts import BLOCKED_BYTES, TOLERATED_BYTES
from charlens.plural import count
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


#: The log-odds of text: a constant, and the weights of what `measure` gives, as `bench/controls.py` fits them.
WEIGHTS = (3.89, -0.69, -1.91, -1.11, 1.09, -0.24, 0.23)
_HEAD = 512
#: Before anything is known, bytes with a blocked one are text once in ten times: of the files at hand 13 of 1,120 are,
#: but who asks for an encoding mostly has texts. Below `_LONG` bytes less often: binary data has such bytes anywhere,
#: and a text is the likelier to have one, the longer it is.
_PRIOR = -2.2
_LONG = 4096
#: Fewer bytes than this say too little: a blocked byte in them is binary, as the lists have it.
_LEAST = 64


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


def measure(sample: bytes, before: int) -> tuple[float, ...]:
    """Measure *sample*, which opens with a blocked byte, *before* being the number of bytes in front of it.

    How much of it is blocked, and how many kinds of that; how much is NUL; how much is spaces and line ends, which a
    tenth or more of most texts is; how many values its first bytes have, beside as many bytes at random; and how much
    there is.
    """
    size = min(before, _LONG) + len(sample)
    controls = len(sample) - len(sample.translate(None, BLOCKED_BYTES))
    kinds = sum(value in sample for value in BLOCKED_BYTES)
    blanks = sum(map(sample.count, b" \n\r\t"))
    head = sample[:_HEAD]
    return (
        log(controls / size),
        log(kinds),
        log(1 + 100 * sample.count(0) / size),
        log((blanks + 1) / (len(sample) + 10)),
        log(len(set(head)) / (256 * (1 - (255 / 256) ** len(head)))),
        log(size),
    )


def prior(values: tuple[float, ...]) -> float:
    """Return the log-odds of text before anything but the size, the last of *values*, is known."""
    return _PRIOR + 0.5 * min(0.0, values[-1] - log(_LONG))


def _weigh(sample: bytes, byte: int, offset: int) -> Content:
    values = measure(sample, offset)
    likely = 1 / (1 + exp(-(prior(values) + WEIGHTS[0] + sum(map(mul, WEIGHTS[1:], values)))))
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
