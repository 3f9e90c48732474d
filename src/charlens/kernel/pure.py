"""The kernel in plain Python: the definition that the native twin obeys.

Every function takes a buffer and integers and returns integers, never a float, so two
implementations agree exactly.  The kernel counts; the stages decide.
Input is read in chunks, so memory does not grow with its size.
"""

from __future__ import annotations

import codecs
import re
from array import array
from collections import Counter
from collections.abc import Iterator
from sys import byteorder

from charlens.kernel.facts import BLOCKED_BYTES, EAST_ASIA
from charlens.kernel.pure_columns import scan_many as scan_many
from charlens.kernel.pure_judge import JudgeTables as JudgeTables
from charlens.kernel.pure_judge import judge_legacy as judge_legacy
from charlens.kernel.pure_judge import same_reading as same_reading
from charlens.kernel.pure_languages import excerpt as excerpt
from charlens.kernel.pure_languages import languages as languages
from charlens.kernel.pure_markup import strip_markup as strip_markup
from charlens.kernel.pure_pages import find_charsets as find_charsets
from charlens.kernel.pure_pages import find_label as find_label
from charlens.kernel.pure_pages import mentions as mentions
from charlens.kernel.pure_pages import page_flavour as page_flavour
from charlens.kernel.pure_scores import compare as compare
from charlens.kernel.pure_scores import line_windows as line_windows
from charlens.kernel.pure_scores import misfits as misfits
from charlens.kernel.pure_scores import score as score
from charlens.kernel.pure_scores import score_families as score_families
from charlens.kernel.pure_survey import SurveyTables as SurveyTables
from charlens.kernel.pure_survey import survey as survey
from charlens.kernel.pure_walks import candidates as candidates
from charlens.kernel.pure_walks import find_values as find_values
from charlens.kernel.pure_walks import strays as strays
from charlens.kernel.pure_walks import walk as walk
from charlens.kernel.pure_walks import walk_all as walk_all
from charlens.kernel.pure_words import known_words as known_words
from charlens.kernel.shapes import Scan
from charlens.types import Buffer

_BLOCKED = frozenset(BLOCKED_BYTES)

#: The offset of a high surrogate, and the surrogate.
_High = tuple[int, int] | None

_CHUNK = 1 << 20  # even, and a multiple of 4: parity and 32-bit units survive the cutting
_HIGH = bytes(range(0x80, 0x100))
_LEADS = bytes(range(0xC0, 0x100))
_BEYOND_ASCII = re.compile(rb"[\x80-\xff]")


def scan(data: Buffer) -> Scan:
    """Look at every byte once."""
    seen: set[int] = set()
    first = array("q", [-1]) * 32
    counts = [0] * 6
    blocked = -1
    for start, chunk in _chunks(data):
        if blocked < 0 and _BLOCKED & set(chunk):
            blocked = start + min(chunk.find(value) for value in _BLOCKED & set(chunk))
        for value in set(chunk) - seen:
            if value < len(first):
                first[value] = start + chunk.find(value)
        seen.update(chunk)
        counts[0] += len(chunk) - len(chunk.translate(None, _HIGH))
        counts[1] += len(chunk) - len(chunk.translate(None, _LEADS))
        for parity in (0, 1):
            half = chunk[parity::2]
            counts[2 + parity] += half.count(0)
            counts[4 + parity] += half.count(10) + half.count(13)
    error, cut = _utf8_verdict(data)
    high, leads, *by_parity = counts
    values = sum(1 << value for value in seen)
    return Scan._make((values, blocked, high, leads, error, cut, *by_parity, first.tobytes()))


def damage(
    data: Buffer, start: int, sequences: int, ratio: int, slack: int, most: int
) -> tuple[int, int, int, tuple[int, ...]]:
    """List what is not UTF-8 from *start* on, where *sequences* good multi-byte ones came before.

    Gives up as soon as there are more bad ranges than one for every *ratio* good sequences plus
    *slack*: then it is not UTF-8, and the rest would be wasted work.  A sequence cut off at the
    end is not bad.  Returns the good sequences, the bad ranges, the offset where it gave up or -1, and the first
    *most* ranges as start, end, start, end …
    """
    if start < 0 or not 0 <= most <= 100_000 or not 0 <= ratio <= 1_000_000 or sequences < 0 or slack < 0:
        raise ValueError("damage(): a number is out of range")
    bad = 0
    spans: list[int] = []
    position = start
    for begin, end in _bad_ranges(data, start):
        sequences += _leads(data, position, begin)
        bad += 1
        if len(spans) < 2 * most:
            spans += (begin, end)
        position = end
        if bad * ratio > sequences + slack:
            return sequences, bad, end, tuple(spans)
    sequences += _leads(data, position, len(data) - _cut_length(data, position))
    return sequences, bad, -1, tuple(spans)


#: The most code pages for one call of `misread`.
MOST_PAGES = 32


def misread(data: Buffer, index: bytes, rows: bytes, pages: int, at: int, most: int) -> tuple[int, ...]:
    """Return start and end of the lines of *data*, in UTF-8, that can be UTF-8 misread as a code page.

    Only lines with non-ASCII characters from *at* on count, at most *most* of them.  All such characters of a line
    must be, in one of the code pages, the bytes of whole sequences, except that the lead C3 may be before a space.
    *index* has 16 bits for each character of the first plane, its row in *rows*; a row has the byte of the character
    in each of the *pages*, or 0.
    """
    if not 1 <= pages <= MOST_PAGES or at < 0 or not 0 <= most <= 100_000:
        raise ValueError("misread(): a number is out of range")
    if len(index) != 0x20000 or len(rows) % pages:
        raise ValueError("misread(): the tables do not fit one another")
    numbers = memoryview(index).cast("H")
    data = bytes(data)
    found: list[int] = []
    while len(found) < 2 * most:
        beyond = _BEYOND_ASCII.search(data, at)
        if beyond is None:
            break
        start = data.rfind(b"\n", 0, beyond.start()) + 1
        at = data.find(b"\n", beyond.start())
        at = len(data) if at < 0 else at
        if _is_misread(data[start:at], numbers, rows, pages):
            found += (start, at)
    return tuple(found)


def _is_misread(line: bytes, numbers: memoryview, rows: bytes, pages: int) -> bool:
    """Whether a line is whole sequences in one of the code pages."""
    alive: dict[int, str] = dict.fromkeys(range(pages), "")  # the sequence so far, as Latin-1
    at = 0
    while at < len(line) and alive:
        lead = line[at]
        size = 1 if lead < 0x80 else 2 if lead < 0xE0 else 3 if lead < 0xF0 else 4
        if size == 1:
            alive = {
                page: "" for page, begun in alive.items() if not begun or (begun == "\xc3" and lead == 0x20)
            }
        elif lead < 0xC0 or size == 4 or at + size > len(line):
            return False
        else:
            code = lead & 0x1F if size == 2 else lead & 0x0F
            for byte in line[at + 1 : at + size]:
                code = code << 6 | byte & 0x3F
            row = numbers[code] * pages
            signs = rows[row : row + pages] or bytes(pages)
            alive = {
                page: more for page, begun in alive.items() if (more := _join(begun, signs[page])) is not None
            }
        at += size
    return any(not begun for begun in alive.values())


def _join(begun: str, byte: int) -> str | None:
    """Return a UTF-8 sequence with one more byte, '' if it is complete; None if there is no such sequence."""
    if not begun:
        return chr(byte) if 0xC2 <= byte <= 0xF4 else None
    if not 0x80 <= byte <= 0xBF:
        return None
    size = 2 if begun < "\xe0" else 3 if begun < "\xf0" else 4
    return "" if len(begun) + 1 == size else begun + chr(byte)


def weigh(data: Buffer, width: int, big: int, table: bytes) -> tuple[int, int, int, int, int]:
    """Weigh the input as code units of *width* 2 or 4 bytes (*big* endian or not).

    *table* has a signed byte for each of the 65,536 values of the first plane; a character of the planes 1
    to 3 weighs what 0xD800 has there, one beyond them what 0xDC00 has.  A fault is what no text has: U+0000, a
    block-listed control, a surrogate without its partner, U+FFFE, U+FFFF, a value over U+10FFFF.  A fault
    weighs nothing. Returns the characters, the sum of weights, how many characters are of U+2E00 or over (East Asia),
    the faults, and the bytes left over at the end (a high surrogate that ends the input is left over, too).
    """
    if width not in (2, 4) or len(table) != 0x10000:
        raise ValueError("weigh(): needs a width of 2 or 4 and a table of 65,536 bytes")
    counts: Counter[int] = Counter()
    faults = 0
    pending: _High = None  # at the end of a chunk of 16-bit units
    whole = len(data) - len(data) % width
    for start, chunk in _chunks(data[:whole]):
        units = array("H" if width == 2 else "I", chunk)
        if bool(big) != (byteorder == "big"):
            units.byteswap()
        if width == 2:
            pending, alone = _pair_up(units, start, pending, counts)
            faults += alone
        else:
            counts.update(units)
    left = len(data) - (pending[0] if pending is not None else whole)
    weights = memoryview(table).cast("b")
    characters = total = wide = 0
    for unit, count in counts.items():
        if _is_fault(unit):
            faults += count
            continue
        characters += count
        wide += count if unit >= EAST_ASIA else 0
        total += count * weights[unit if unit < 0x10000 else 0xD800 if unit < 0x40000 else 0xDC00]
    return characters, total, wide, faults, left


def _chunks(data: Buffer) -> Iterator[tuple[int, bytes]]:
    for start in range(0, len(data), _CHUNK):
        yield start, bytes(data[start : start + _CHUNK])


def _utf8_verdict(data: Buffer) -> tuple[int, int]:
    """Return the offset of the first error, or -1, and the length of a cut-off tail."""
    start = 0
    while start < len(data):
        chunk = bytes(data[start : start + _CHUNK])
        try:
            used = codecs.utf_8_decode(chunk, "strict", False)[1]
        except UnicodeDecodeError as error:
            return start + error.start, 0
        if start + len(chunk) == len(data):
            return (start + used, 0) if _is_half_surrogate(chunk[used:]) else (-1, len(chunk) - used)
        start += used
    return -1, 0


def _is_half_surrogate(tail: bytes) -> bool:
    """Whether an incomplete sequence can only become a surrogate, which is an error.

    Python's decoder waits for the third byte here, for the sake of its 'surrogatepass'.
    """
    return len(tail) == 2 and tail[0] == 0xED and tail[1] >= 0xA0


def _bad_ranges(data: Buffer, start: int) -> Iterator[tuple[int, int]]:
    """Yield the ranges from *start* on that a UTF-8 decoder would replace, one U+FFFD each."""
    while start < len(data):
        # Small steps: every error costs a new decode of the rest of its chunk.
        chunk = bytes(data[start : start + 4096])
        try:
            used = codecs.utf_8_decode(chunk, "strict", False)[1]
        except UnicodeDecodeError as error:
            yield start + error.start, start + error.end
            start += error.end
            continue
        if start + len(chunk) == len(data):
            if _is_half_surrogate(chunk[used:]):
                yield from ((start + used, start + used + 1), (start + used + 1, start + used + 2))
            return
        start += used


def _leads(data: Buffer, start: int, end: int) -> int:
    """Count the multi-byte sequences in a range that is good UTF-8."""
    count = 0
    for _, chunk in _chunks(data[start:end]):
        count += len(chunk) - len(chunk.translate(None, _LEADS))
    return count


def _cut_length(data: Buffer, start: int) -> int:
    """Return the length of the unfinished sequence that ends *data*, good from *start* on."""
    tail = bytes(data[max(start, len(data) - 3) :])
    for length in range(len(tail), 0, -1):
        if tail[-length] >= 0xC0:
            used = codecs.utf_8_decode(tail[-length:], "ignore", False)[1]
            return length - used
    return 0


def _is_fault(unit: int) -> bool:
    return unit in _BLOCKED or 0xD800 <= unit < 0xE000 or 0xFFFE <= unit < 0x10000 or unit > 0x10FFFF


def _pair_up(units: array[int], start: int, pending: _High, counts: Counter[int]) -> tuple[_High, int]:
    """Count the characters of 16-bit *units*; return the high surrogate left at the end, and how many have no partner.

    *pending* is the one that the chunk before left, or None.
    """
    if pending is None and not any(0xD800 <= unit < 0xE000 for unit in set(units)):
        counts.update(units)
        return None, 0
    alone = 0
    for index, unit in enumerate(units):
        if 0xDC00 <= unit < 0xE000 and pending is not None:
            # Only whether the character is beyond plane 3 matters (high surrogates from D8C0 on).
            counts[0x40000 if pending[1] >= 0xD8C0 else 0x10000] += 1
            pending = None
            continue
        alone += pending is not None
        pending = (start + 2 * index, unit) if 0xD800 <= unit < 0xDC00 else None
        if pending is None:
            counts[unit] += 1
    return pending, alone
