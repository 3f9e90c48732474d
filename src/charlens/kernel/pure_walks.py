"""Multi-byte encodings in plain Python: walks by table, and the encodings that can decode some bytes."""

from __future__ import annotations

from array import array
from struct import Struct

from charlens.kernel.facts import MOST_TABLES, STRAYS_AHEAD
from charlens.types import Buffer


def walk(data: Buffer, table: bytes) -> tuple[int, int, int]:
    """Walk the sequences of a multi-byte encoding by its *table*.

    The table is 256 column numbers, then one row of transitions per state, all rows as long as
    there are columns (the largest column number plus one).  State 0 is between characters, 255 is
    an error.  Returns the offset where the first wrong sequence starts, or -1; the length of a sequence
    cut off at the end; and how many sequences of more than one byte were complete.
    """
    if len(table) < 257 or (len(table) - 256) % (max(table[:256]) + 1):
        raise ValueError("walk(): the table is not 256 columns and whole rows")
    return _walk(data, table, len(data) + 1)


def _walk(data: Buffer, table: bytes, longest: int) -> tuple[int, int, int]:
    """Do what `walk` does; a sequence of more than *longest* bytes is wrong."""
    columns = table[:256]
    width = max(columns) + 1
    states = (len(table) - 256) // width
    state = start = sequences = 0
    for offset, byte in enumerate(data):
        if state == 0:
            start = offset
        following = table[256 + state * width + columns[byte]]
        # An error, 255, or a table that names a state it does not have.
        if following >= states or (following and offset == start + longest - 1):
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
    for table in unpack_tables(bytes(tables)):
        start = min(starts >> len(found) & 3, len(data))
        error, cut, _ = _walk(data[start:], table, 4) if alive >> len(found) // 2 & 1 else (-1, 0, 0)
        found += (error if error < 0 else error + start, cut)
    return tuple(found)


_SHAPE = Struct("=II")


def unpack_tables(tables: bytes) -> list[bytes]:
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


def candidates(
    data: Buffer, seen: int, columns: Buffer, tables: Buffer, masks: Buffer, owners: bytes
) -> tuple[int, int, int, bytes]:
    """Return the encodings that decode *data*, those that read controls or are cut off at the end, and the walks.

    The encodings are three sets.

    *seen* are the byte values of *data*.  *columns* are 256 sets of 32 bytes: for each value the encodings in which it
    is undefined, and from bit 128 on those in which it is a control.  *tables* and *masks* are as `walk_all` takes
    them; *owners* has the number of the encoding of each table.  The walks are those of `walk_all`, 64 bits for each
    number.
    """
    if seen < 0 or seen >> 256 or len(columns) != 256 * 32:
        raise ValueError("candidates(): needs a set of 256 bits, and 256 columns of 32 bytes")
    met = 0
    for value in range(256):
        if seen >> value & 1:
            met |= int.from_bytes(columns[32 * value : 32 * value + 32], "little")
    walked = walk_all(data, tables, masks, 0, (1 << MOST_TABLES) - 1)
    if len(walked) != 2 * len(owners) or max(owners, default=0) > 127:
        raise ValueError("candidates(): needs an owner under 128 for each table")
    able = ~met & (1 << 128) - 1
    numbers = able | sum(1 << owner for owner, error in zip(owners, walked[::2], strict=True) if error < 0)
    return numbers, able & met >> 128, cut_off(owners, walked), array("q", walked).tobytes()


def cut_off(owners: bytes, walked: tuple[int, ...]) -> int:
    """Return the encodings whose last character is cut off, as a set."""
    cut = 0
    for owner, length in zip(owners, walked[1::2], strict=True):
        if length:
            cut |= 1 << owner
    return cut


def find_values(data: Buffer, values: int, most: int) -> tuple[int, ...]:
    """Return the offsets of the bytes whose values are in the set *values*; nothing if there are more than *most*."""
    if values < 0 or values >> 256 or not 0 <= most <= 100_000:
        raise ValueError("find_values(): takes a set of 256 bits, and at most 100,000 offsets")
    found = [at for at, value in enumerate(data) if values >> value & 1]
    return tuple(found) if len(found) <= most else ()


def strays(data: Buffer, table: bytes, first: int, most: int, apart: int) -> tuple[int, ...]:
    """Return the offsets of the bytes that do not fit the walk by *table*, the first of which is at *first*.

    One byte counts as wrong, and the next ones are read again, so ASCII after a lead byte is not lost.  Returns nothing
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
