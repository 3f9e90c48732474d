"""Stray bytes: a few errors among many good characters.

A file of thousands of characters with one broken character is still in that encoding; the errors are reported as
damage. This module decides which encodings may have stray bytes, and how many; the statistics decide how much they
count against the encoding.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from charlens.encodings import rank
from charlens.encodings.maps import defined_mask
from charlens.encodings.sets import same_reading
from charlens.encodings.walks import walked_encodings
from charlens.findings import Candidates
from charlens.options import Options
from charlens.source import Source
from charlens.types import MOST_SPANS

#: The encodings that may have stray bytes, and their relatives: if a relative decodes everything, or has fewer
#: errors, it is the answer, and no byte is stray. A character of GB 18030 is not an error in GBK.
TOLERANT = {
    "cp932": ("shift_jis", "shift_jis_2004", "shift_jisx0213"),
    "euc_jp": ("euc_jis_2004", "euc_jisx0213"),
    "gbk": ("gb18030", "gb2312"),
    "gb18030": ("gbk", "gb2312"),
    "cp949": ("euc_kr",),
    "big5hkscs": ("big5", "cp950"),
}
#: There must be this many non-ASCII bytes (100 characters) for each error after the first; more errors are not an
#: accident. That alone rules out little: GBK decodes Shift_JIS with one error in 10,000. The statistics decide.
BYTES_PER_FAULT = 200
#: An error within this many bytes of the first one that is not UTF-8 is not accepted: in text in another encoding, the
#: first error is nearly always there, and searching further takes as long as the rest of the stage.
FIRST_FORGIVEN = 64

#: Pages of Windows with a few undefined values, of which a text may have some: a line from DOS, a broken byte. If not,
#: its quotation marks and dashes would be C1 controls of ISO 8859. Of 12 non-ASCII bytes, one may be such a value, and
#: one more for every 64. Without a byte of 0x80 to 0x9F, another page is at stake, not signs: Thai with one 0xFF was
#: Arabic of the Macintosh with 0.999. There, fewer may be in more text: ISO 8859-13 has quotation marks at such values.
_WINDOWS = ("cp1250", "cp1251", "cp1252", "cp1253", "cp1254", "cp1255", "cp1257", "cp1258", "cp874")
LEAST_BYTES, BYTES_PER_UNDEFINED = 12, 64
WITHOUT_C1 = (128, 512)
MOST_VALUES, MOST_UNDEFINED = 2, 16
#: If an East Asian encoding decodes this many non-ASCII bytes without an error, they are not in a page of Windows: of
#: 40,361 files and pieces of files and 1,275 texts with a stray byte or two, no answer changes.
LEAST_WIDE = 128
_C1 = 0xFFFFFFFF << 0x80

_ALL_VALUES = (1 << 256) - 1

#: An encoding and the offsets of its errors.
Damaged = tuple[str, tuple[int, ...]]


def find_damaged(source: Source, walked: Sequence[int], numbers: int) -> tuple[Damaged, ...]:
    """Return the multi-byte encodings that decode all but a few stray bytes, with the stray bytes.

    Others may decode everything, by chance: with one broken byte, Big5 can be read as Shift_JIS.
    """
    beyond_ascii = source.scan.non_ascii
    most = min(max(beyond_ascii // BYTES_PER_FAULT, 1), MOST_SPANS)
    first = source.scan.utf8_error + FIRST_FORGIVEN
    found: list[Damaged] = []
    for index, name, relatives in tolerant_encodings():
        error = walked[2 * index]
        if error >= first and not numbers & relatives:
            offsets = source.strays(name, error, most, BYTES_PER_FAULT)
            if offsets:
                found.append((name, offsets))
    if not found:
        return ()
    faults = {name: len(offsets) for name, offsets in found}
    return tuple(
        [
            (name, offsets)
            for name, offsets in found
            if not any(faults.get(other, MOST_SPANS) < len(offsets) for other in TOLERANT[name])
        ]
    )


def find_undefined(source: Source, numbers: int, doubtful: int) -> tuple[Damaged, ...]:
    """Return the pages of Windows that lack a few of the bytes, with these bytes."""
    seen, beyond_ascii = source.scan.seen, source.scan.non_ascii
    least, apart = (LEAST_BYTES, BYTES_PER_UNDEFINED) if seen & _C1 else WITHOUT_C1
    if beyond_ascii < least or (beyond_ascii >= LEAST_WIDE and numbers & _wide_encodings()):
        return ()
    most = min(1 + beyond_ascii // apart, MOST_UNDEFINED)
    found: list[Damaged] = []
    known: dict[int, tuple[int, ...]] = {}
    for name, undefined in _windows_except(numbers & _windows_set()):
        lacking = undefined & seen
        if lacking.bit_count() > MOST_VALUES:
            continue
        if lacking not in known:
            known[lacking] = source.find_values(lacking, most)
        # If another encoding gives the same text, and these bytes are controls in it, nothing is damaged.
        if known[lacking] and not same_reading(seen & ~lacking, rank(name)) & doubtful:
            found.append((name, known[lacking]))
    return tuple(found)


def forgive_allowed(source: Source, candidates: Candidates, options: Options) -> None:
    """Add to *candidates* the allowed encodings with a few stray bytes, if no other one is allowed.

    If the caller names the encodings, one of them is the answer, even if a larger relative has fewer errors.
    """
    if candidates.numbers & options.allowed:
        return
    most = min(source.scan.non_ascii // BYTES_PER_FAULT, MOST_SPANS)
    found = tuple(
        (name, offsets)
        for index, name in enumerate(walked_encodings())
        if options.allows(name)
        and (error := candidates.walked[2 * index]) >= 0
        and (offsets := source.strays(name, error, most, BYTES_PER_FAULT))
    )
    numbers = sum(1 << rank(name) for name, _ in found)
    candidates.numbers |= numbers
    candidates.doubtful |= numbers
    candidates.damaged += found


@lru_cache(maxsize=1)
def windows_pages() -> tuple[tuple[str, int, int], ...]:
    """Return the pages of Windows: name, set of itself, and the values that are undefined in it."""
    return tuple((name, 1 << rank(name), _ALL_VALUES ^ defined_mask(name)) for name in _WINDOWS)


@lru_cache(maxsize=1)
def _windows_set() -> int:
    """Return the pages of Windows as a set."""
    return sum(bit for _, bit, _ in windows_pages())


@lru_cache(maxsize=512)
def _windows_except(able: int) -> tuple[tuple[str, int], ...]:
    """Return the pages of Windows that are not in the set *able*: name, and the values that are undefined in it."""
    return tuple((name, undefined) for name, bit, undefined in windows_pages() if not able & bit)


@lru_cache(maxsize=1)
def _wide_encodings() -> int:
    """Return the encodings that have relatives with stray bytes, as a set."""
    wide = 0
    for _, _, relatives in tolerant_encodings():
        wide |= relatives
    return wide


@lru_cache(maxsize=1)
def undefined_values() -> tuple[int, ...]:
    """Return the byte values that one of the pages of Windows lacks."""
    lacking = 0
    for _, _, undefined in windows_pages():
        lacking |= undefined
    return tuple(value for value in range(256) if lacking >> value & 1)


@lru_cache(maxsize=1)
def tolerant_encodings() -> tuple[tuple[int, str, int], ...]:
    """Return the encodings that may have stray bytes: number of the table, name, and the set of relatives."""
    return tuple(
        (index, name, sum(1 << rank(other) for other in TOLERANT[name]))
        for index, name in enumerate(walked_encodings())
        if name in TOLERANT
    )
