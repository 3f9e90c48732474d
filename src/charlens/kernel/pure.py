"""The kernel in plain Python: the definition that the native twin obeys.

Every function takes a buffer and integers and returns integers, never a float, so that two
implementations agree to the bit.  It leaves all judgement to the stages: it counts, they decide.
Work goes by chunks, so that memory stays flat whatever the size of the input.
"""

from __future__ import annotations

import codecs
import re
from array import array
from collections import Counter
from collections.abc import Iterator
from itertools import pairwise
from struct import Struct
from sys import byteorder

from charlens.kernel.facts import (
    BEFORE_WINDOW,
    BLOCKED_BYTES,
    CHARACTERS,
    EAST_ASIA,
    FIRST_LEAD,
    FIRST_TRAIL,
    MOST_NUDGES,
    MOST_TABLES,
    STRAYS_AHEAD,
)
from charlens.kernel.pure_columns import scan_many as scan_many
from charlens.kernel.pure_languages import excerpt as excerpt
from charlens.kernel.pure_languages import languages as languages
from charlens.kernel.pure_markup import strip_markup as strip_markup
from charlens.kernel.pure_pages import find_charsets as find_charsets
from charlens.kernel.pure_pages import find_label as find_label
from charlens.kernel.pure_pages import mentions as mentions
from charlens.kernel.pure_pages import page_flavour as page_flavour
from charlens.kernel.shapes import Scan
from charlens.types import Buffer

_BLOCKED = frozenset(BLOCKED_BYTES)

#: `walk` goes to this state on a byte that cannot follow.
WALK_ERROR = 255

#: The offset of a high surrogate, and the surrogate.
_High = tuple[int, int] | None

_CHUNK = 1 << 20  # even, and a multiple of 4: parity and 32-bit units survive the cutting
_HIGH = bytes(range(0x80, 0x100))
_LEADS = bytes(range(0xC0, 0x100))
_BEYOND_ASCII = re.compile(rb"[\x80-\xff]")


def scan(data: Buffer) -> Scan:
    """Look at every byte once."""
    seen: set[int] = set()
    first = array("q", [-1]) * 256
    counts = [0] * 6
    blocked = -1
    for start, chunk in _chunks(data):
        if blocked < 0 and _BLOCKED & set(chunk):
            blocked = start + min(chunk.find(value) for value in _BLOCKED & set(chunk))
        for value in set(chunk) - seen:
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
) -> tuple[int, int, int, int, tuple[int, ...]]:
    """List what is not UTF-8 from *start* on, where *sequences* good multi-byte ones came before.

    Gives up as soon as there are more bad ranges than one for every *ratio* good sequences plus
    *slack*: then it is not UTF-8, and the rest would be wasted work.  A sequence cut off at the
    end is not bad.  Returns the good sequences, the bad ranges, the bytes in them, the offset where
    it gave up or -1, and the first *most* ranges as start, end, start, end …
    """
    if start < 0 or not 0 <= most <= 100_000 or not 0 <= ratio <= 1_000_000 or sequences < 0 or slack < 0:
        raise ValueError("damage(): a number is out of range")
    bad = bad_bytes = 0
    spans: list[int] = []
    position = start
    for begin, end in _bad_ranges(data, start):
        sequences += _leads(data, position, begin)
        bad += 1
        bad_bytes += end - begin
        if len(spans) < 2 * most:
            spans += (begin, end)
        position = end
        if bad * ratio > sequences + slack:
            return sequences, bad, bad_bytes, end, tuple(spans)
    sequences += _leads(data, position, len(data) - _cut_length(data, position))
    return sequences, bad, bad_bytes, -1, tuple(spans)


def walk(data: Buffer, table: bytes) -> tuple[int, int, int]:
    """Walk the sequences of a multi-byte encoding by its *table*.

    The table is 256 column numbers, then one row of transitions per state, all rows as long as
    there are columns (the largest column number plus one).  State 0 is between characters, 255 is
    an error.  Returns the offset where the first wrong sequence starts, or -1; the length of a sequence
    cut off at the end; and how many sequences of more than one byte were complete.
    """
    columns = table[:256]
    width = max(columns, default=0) + 1
    if len(table) < 257 or (len(table) - 256) % width:
        raise ValueError("walk(): the table is not 256 columns and whole rows")
    states = (len(table) - 256) // width
    state = start = sequences = 0
    for offset, byte in enumerate(data):
        if state == 0:
            start = offset
        following = table[256 + state * width + columns[byte]]
        if following >= states:  # an error, 255, or a table that names a state it does not have
            return start, 0, sequences
        if following == 0 and state != 0:
            sequences += 1
        state = following
    return -1, (len(data) - start if state else 0), sequences


def walk_all(data: Buffer, tables: Buffer, masks: Buffer, starts: int, alive: int) -> tuple[int, ...]:
    """Walk the sequences of several multi-byte encodings, with characters of at most four bytes.

    *tables* has, for each encoding (at most 32), the number of columns and of rows (32 bits each), then its table as
    `walk` takes it, padded to a multiple of four bytes.  *masks* follows from the tables and is for the native twin: 32
    bits each, first 256 with bit *t* where that byte is a character of table *t*, then 65,536 with bit *t* where those
    two bytes are one.  *starts* has two bits for each table: the offset, 0 to 3, where its first character starts.
    Only the tables in the set *alive* are walked.  Returns for each table the offset where the first wrong sequence
    starts, or -1, and the length of a sequence cut off at the end.
    """
    if len(masks) != 4 * (256 + 0x10000) or starts < 0 or starts >> 64 or alive < 0 or alive >> 32:
        raise ValueError(
            "walk_all(): needs 65,792 masks of 32 bits, two bits for each table, and a set of tables"
        )
    found: list[int] = []
    for table in _unpack(bytes(tables)):
        start = min(starts >> len(found) & 3, len(data))
        error, cut = _walk_four(data[start:], table) if alive >> len(found) // 2 & 1 else (-1, 0)
        found += (error if error < 0 else error + start, cut)
    return tuple(found)


_SHAPE = Struct("=II")


def _unpack(tables: bytes) -> list[bytes]:
    """Return the tables that *tables* has, one after the other."""
    found: list[bytes] = []
    at = 0
    while at < len(tables):
        width, rows = _SHAPE.unpack_from(tables, at) if at + 8 <= len(tables) else (0, 0)
        end = at + 8 + 256 + width * rows
        if not 0 < width <= 256 or not 0 < rows <= 256 or end > len(tables) or len(found) == MOST_TABLES:
            raise ValueError("walk_all(): the tables do not fit one another")
        table = tables[at + 8 : end]
        if max(table[:256]) + 1 != width:
            raise ValueError("walk_all(): the tables do not fit one another")
        found.append(table)
        at = end + -end % 4
    return found


def _walk_four(data: Buffer, table: bytes) -> tuple[int, int]:
    columns = table[:256]
    width = max(columns) + 1
    states = (len(table) - 256) // width
    state = start = 0
    for offset, byte in enumerate(data):
        if state == 0:
            start = offset
        state = table[256 + state * width + columns[byte]]
        if state >= states or (state and offset == start + 3):
            return start, 0
    return -1, (len(data) - start if state else 0)


def disjoint(seen: int, rows: Buffer) -> int:
    """Return which of *rows*, sets of byte values in 32 bytes each, have nothing in common with the set *seen*.

    The answer is a set, too: bit *n* for row *n*; there are at most 256 rows.
    """
    if seen < 0 or seen >> 256 or len(rows) % 32 or len(rows) > 32 * 256:
        raise ValueError("disjoint(): takes sets of 256 bits, and at most 256 rows of 32 bytes")
    answer = 0
    for row in range(len(rows) // 32):
        if not seen & int.from_bytes(rows[32 * row : 32 * row + 32], "little"):
            answer |= 1 << row
    return answer


def candidates(
    data: Buffer, seen: int, rows: Buffer, tables: Buffer, masks: Buffer, owners: bytes
) -> tuple[int, int, tuple[int, ...]]:
    """Return which encodings decode *data*, as a set, which of these read controls, and how the walks fared.

    *seen* are the byte values of *data*.  *rows* are as `disjoint` takes them: the values undefined in each encoding,
    and from row 128 on those that are controls in it.  *tables* and *masks* are as `walk_all` takes them; *owners* has
    the number of the encoding of each table.  The walks are what `walk_all` returns.
    """
    found = disjoint(seen, rows)
    walked = walk_all(data, tables, masks, 0, (1 << MOST_TABLES) - 1)
    if len(walked) != 2 * len(owners) or max(owners, default=0) > 127:
        raise ValueError("candidates(): needs an owner under 128 for each table")
    able = found & (1 << 128) - 1
    numbers = able | sum(1 << owner for owner, error in zip(owners, walked[::2], strict=True) if error < 0)
    return numbers, able & ~(found >> 128), walked


def strays(data: Buffer, table: bytes, first: int, most: int, apart: int) -> tuple[int, ...]:
    """Return the offsets of the bytes that do not fit the walk by *table*, the first of which is at *first*.

    One byte is taken to be wrong; what follows is read anew, so ASCII after a lead byte is not lost.  Returns nothing
    if there are more than *most*, or at some offset more than one in *apart* bytes and a few.
    """
    if first < 0 or not 0 <= most <= 100_000 or apart < 1:
        raise ValueError("strays(): a number is out of range")
    found: list[int] = []
    error = first
    start = 0
    while error >= 0:
        found.append(start + error)
        if len(found) > min(most, STRAYS_AHEAD + found[-1] // apart):
            return ()
        start += error + 1
        error = walk(data[start:], table)[0]
    return tuple(found)


#: The most code pages that `misread` looks for at once.
MOST_PAGES = 32


def misread(data: Buffer, index: bytes, rows: bytes, pages: int, at: int, most: int) -> tuple[int, ...]:
    """Return start and end of the lines of *data*, UTF-8, that can be UTF-8 which was read as a code page.

    Only lines with characters beyond ASCII from *at* on count, at most *most* of them.  All such characters of a line
    must be, in one of the code pages, the bytes of whole sequences, except that the lead C3 may stand before a space.
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


_BEYOND_ASCII = re.compile(rb"[\x80-\xff]")


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
    """Return a sequence of UTF-8 with one byte more, '' where it is whole; None where there is no such sequence."""
    if not begun:
        return chr(byte) if 0xC2 <= byte <= 0xF4 else None
    if not 0x80 <= byte <= 0xBF:
        return None
    size = 2 if begun < "\xe0" else 3 if begun < "\xf0" else 4
    return "" if len(begun) + 1 == size else begun + chr(byte)


def weigh(data: Buffer, width: int, big: int, table: bytes) -> tuple[int, int, int, int, int, int]:
    """Weigh the input as code units of *width* 2 or 4 bytes (*big* endian or not).

    *table* has a signed byte for each of the 65,536 values of the first plane; a character of the planes 1
    to 3 weighs what 0xD800 has there, one beyond them what 0xDC00 has.  A fault is what no text has: U+0000, a
    block-listed control, a surrogate without its partner, U+FFFE, U+FFFF, a value over U+10FFFF.  A fault
    weighs nothing. Returns the characters, the sum of weights, how many characters are of U+2E00 or over (East Asia),
    the faults, the offset of the first or -1, and the bytes left over at the end (a high surrogate
    that ends the input is left over, too).
    """
    if width not in (2, 4) or len(table) != 0x10000:
        raise ValueError("weigh(): needs a width of 2 or 4 and a table of 65,536 bytes")
    counts: Counter[int] = Counter()
    first = -1
    faults = 0
    pending: _High = None  # that ended a chunk of 16-bit units
    whole = len(data) - len(data) % width
    for start, chunk in _chunks(data[:whole]):
        units = array("H" if width == 2 else "I", chunk)
        if bool(big) != (byteorder == "big"):
            units.byteswap()
        wrong: list[int] = []
        if width == 2:
            pending = _pair_up(units, start, pending, counts, wrong)
        else:
            counts.update(units)
            if any(_is_fault(unit) for unit in set(units)):
                wrong = [start + 4 * index for index, unit in enumerate(units) if _is_fault(unit)]
        faults += len(wrong)
        if wrong and first < 0:
            first = wrong[0]
    left = len(data) - (pending[0] if pending is not None else whole)
    weights = memoryview(table).cast("b")
    characters = total = wide = 0
    for unit, count in counts.items():
        if not _is_fault(unit):
            characters += count
            wide += count if unit >= EAST_ASIA else 0
            total += count * weights[unit if unit < 0x10000 else 0xD800 if unit < 0x40000 else 0xDC00]
    return characters, total, wide, faults, first, left


def score(
    data: Buffer,
    model: tuple[Buffer, Buffer, Buffer, Buffer, Buffer, Buffer, Buffer],
    sets: tuple[int, int],
    begin: tuple[Buffer, tuple[int, ...]],
    cut: tuple[int, int],
    limits: tuple[int, int, int],
) -> tuple[int, int, tuple[int, ...]]:
    """Score the classes of a linear model by the byte pairs of *data*.

    *model* is seven tables: for each pair of bytes (65,536 of them, 16 bits each) the number of its feature, or
    0xFFFF; one row of signed bytes for each feature, as long as there are classes; what a feature counts that occurs
    once, twice and so on, the last for all above; for each class the set of encodings that it speaks for, 128 bits;
    its language, a byte; then for each pair of a byte from FIRST_LEAD on and one from FIRST_TRAIL on, which can be a
    character of two bytes, a row of signed bytes, one for each of the wide classes; and the numbers of these classes,
    16 bits each.  However often such a pair occurs, its row counts as a feature that occurs once.  *sets* are the
    possible encodings and the doubtful ones among them: only classes that speak for a possible one take part, and those
    that speak only for doubtful ones lose the last of *limits*.  *begin* has 32 bits for each class, to begin with, and
    nudges: a set of encodings, a set of languages, and what a class gains that speaks for one of these encodings in one
    of these languages, and so on.  *cut* is a stride and a size: of each stride only that many bytes are read, from 16
    before its first byte beyond ASCII on; with a stride of 0 all of the input is read.  A window counts as if between
    two spaces.  *limits* are the most classes to return, how far behind the best one they may be, and that penalty.
    Returns the number of pairs that were features, of different ones, and, best first, class and score of the best
    classes; of equals the first class comes first.
    """
    pairs, weights, levels, members, spoken, characters, wide = model
    (possible, doubtful), (bias, nudges) = sets, begin
    most, reach, penalty = limits
    if (
        min(cut) < 0
        or len(nudges) > 3 * MOST_NUDGES
        or not 0 <= penalty < 1 << 24
        or len(nudges) % 3
        or (possible | doubtful) >> 128
    ):
        raise ValueError("score(): the parts of the model do not fit one another")
    if len(bias) != 4 * (len(members) // 16) or len(spoken) != len(members) // 16:
        raise ValueError("score(): the parts of the model do not fit one another")
    wide_classes, character_rows = memoryview(wide).cast("H"), memoryview(characters).cast("b")
    if len(character_rows) != CHARACTERS * len(wide_classes) or any(16 * each >= len(members) for each in wide_classes):
        raise ValueError("score(): the parts of the model do not fit one another")
    features = memoryview(pairs).cast("H")
    rows = memoryview(weights).cast("b")
    classes = len(members) // 16
    counts: Counter[int] = Counter()
    met: set[int] = set()
    for _, window in windows(data, *cut):
        for first, second in pairwise(b" " + window + b" "):
            counts[features[first << 8 | second]] += 1
            if first >= FIRST_LEAD and second >= FIRST_TRAIL:
                met.add(character_number(first, second))
    del counts[0xFFFF]
    totals = begins(members, spoken, bias, nudges)
    for feature, count in counts.items():
        level = levels[min(count, len(levels)) - 1]
        row = rows[feature * classes : (feature + 1) * classes]
        totals = [total + level * weight for total, weight in zip(totals, row, strict=True)]
    for character in met:
        for place, number in enumerate(wide_classes):
            totals[number] += levels[0] * character_rows[character * len(wide_classes) + place]
    clean = possible & ~doubtful
    own = [int.from_bytes(members[16 * number : 16 * number + 16], "little") for number in range(classes)]
    ranked = sorted(
        (-totals[number] + (0 if own[number] & clean else penalty), number)
        for number in range(classes)
        if possible & own[number]
    )
    near = [row for row in ranked[:most] if ranked[0][0] + reach >= row[0]]
    return counts.total(), len(counts), tuple(value for total, number in near for value in (number, -total))


#: The most windows that `compare` takes at once.
MOST_WINDOWS = 64


def compare(
    data: Buffer,
    windows: tuple[int, ...],
    structure: tuple[Buffer, Buffer, Buffer, bytes],
    model: tuple[Buffer, Buffer, Buffer, Buffer, Buffer, Buffer, Buffer],
    bias: Buffer,
    sets: tuple[int, int],
) -> tuple[int, ...]:
    """Score each of *windows* of *data*, a start and an end each, by itself.

    *structure* is what `candidates` takes behind the data, *model* and *bias* what `score` takes.  *sets* are the
    encodings that may be found, and those to compare with.  Returns five numbers for each window: pairs and different
    pairs, as `score` does; the best class among those that decode the window, or -1, and its score; and the best score
    of the classes that speak for one of the encodings to compare with, whether or not these decode it, or 0.
    """
    if len(windows) % 2 or len(windows) > 2 * MOST_WINDOWS or min(sets) < 0 or max(sets) >> 128:
        raise ValueError("compare(): a number is out of range")
    allowed, others = sets
    found: list[int] = []
    for start, end in zip(windows[::2], windows[1::2], strict=True):
        if not 0 <= start <= end <= len(data):
            raise ValueError("compare(): a window is outside the data")
        window = bytes(data[start:end])
        possible = candidates(window, sum(1 << value for value in set(window)), *structure)[0] & allowed
        pairs, distinct, best = score(window, model, (possible, 0), (bias, ()), (0, 0), (1, 0, 0))
        _, _, other = score(window, model, (others, 0), (bias, ()), (0, 0), (1, 0, 0))
        found += (pairs, distinct, *(best or (-1, 0)), other[1] if other else 0)
    return tuple(found)


def character_number(first: int, second: int) -> int:
    """Return the number of a pair of bytes among those that can be a character."""
    return (first - FIRST_LEAD) * (256 - FIRST_TRAIL) + second - FIRST_TRAIL


def begins(members: Buffer, spoken: Buffer, bias: Buffer, nudges: tuple[int, ...]) -> list[int]:
    """Return what each class begins with: its bias and the nudges that fit it."""
    totals = list(memoryview(bias).cast("i"))
    for encodings, spoken_in, step in zip(nudges[::3], nudges[1::3], nudges[2::3], strict=True):
        for number, language in enumerate(bytes(spoken)):
            own = int.from_bytes(members[16 * number : 16 * number + 16], "little")
            if own & encodings and spoken_in >> language & 1:
                totals[number] += step
    return totals


def windows(data: Buffer, stride: int, size: int) -> Iterator[tuple[int, bytes]]:
    """Yield what `score` looks at, each window with its offset."""
    if stride == 0:
        yield 0, bytes(data)
        return
    for start in range(0, len(data), stride):
        piece = bytes(data[start : start + stride])
        match = _BEYOND_ASCII.search(piece)
        if match:
            first = max(0, match.start() - BEFORE_WINDOW)
            yield start + first, piece[first : first + size]


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
    """Whether an unfinished sequence can only become a surrogate: wrong already.

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


def _pair_up(units: array[int], start: int, pending: _High, counts: Counter[int], wrong: list[int]) -> _High:
    """Count the characters of 16-bit *units*; return the high surrogate left at the end, with its offset.

    *pending* is the one that the chunk before left, or None.
    """
    if pending is None and not any(_is_fault(unit) for unit in set(units)):
        counts.update(units)
        return None
    for index, unit in enumerate(units):
        offset = start + 2 * index
        if 0xDC00 <= unit < 0xE000 and pending is not None:
            # Which character does not matter, only whether it is beyond plane 3 (high surrogates from D8C0 on).
            counts[0x40000 if pending[1] >= 0xD8C0 else 0x10000] += 1
            pending = None
            continue
        if pending is not None:
            wrong.append(pending[0])
            pending = None
        if 0xD800 <= unit < 0xDC00:
            pending = (offset, unit)
        elif _is_fault(unit):
            wrong.append(offset)
        else:
            counts[unit] += 1
    return pending
