"""The tables that the structure stage uses to find the encodings that decode some bytes."""

from functools import lru_cache
from typing import NamedTuple

from charlens.encodings import all_encodings, rank
from charlens.encodings.maps import defined_mask, single_byte_map
from charlens.encodings.sets import columns_of
from charlens.encodings.walks import packed_tables, pair_masks, walked_encodings
from charlens.findings import NOT_AMONG_WALKED, Rules

_ALL_VALUES = (1 << 256) - 1
_ALL_ENCODINGS = (1 << 128) - 1


class Tables(NamedTuple):
    """The tables for the kernel."""

    rules: Rules
    #: All encodings except the pages of EBCDIC, as a set.
    not_ebcdic: int
    #: For `kernel.candidates`: for each byte value the encodings in which it is undefined, and from bit 128 on those in
    #: which it is a C1 control; then the tables of the multi-byte encodings, their masks, and their owners.
    kernel: tuple[bytes, bytes, bytes, bytes]


@lru_cache(maxsize=1)
def structure_tables() -> Tables:
    """Return the tables, built on first use."""
    encodings = all_encodings()
    walked = tuple(rank(name) for name in walked_encodings())
    singles = {number for number, encoding in enumerate(encodings) if encoding.kind in ("single", "ebcdic")}
    legacy = sorted({*singles, *walked}, key=lambda number: -encodings[number].common)
    # Encodings that are not checked by byte values have all values undefined, so they are never found this way.
    undefined = [
        _ALL_VALUES ^ (defined_mask(encoding.name) if number in singles else 0)
        for number, encoding in enumerate(encodings)
    ]
    undefined += [_ALL_VALUES] * (128 - len(undefined))
    controls = [_controls(encoding.name) if number in singles else 0 for number, encoding in enumerate(encodings)]
    controls += [0] * (128 - len(controls))
    places = bytes(
        walked.index(number) if number in walked else NOT_AMONG_WALKED for number in range(len(encodings))
    )
    return Tables(
        Rules(
            tuple(encoding.name for encoding in encodings),
            tuple(legacy),
            walked,
            places,
            tuple(undefined),
        ),
        _ALL_ENCODINGS
        & ~sum(1 << number for number, encoding in enumerate(encodings) if encoding.kind == "ebcdic"),
        (columns_of(undefined + controls), packed_tables(), pair_masks(), bytes(walked)),
    )


def window_tables() -> tuple[tuple[bytes, bytes, bytes, bytes], int]:
    """Return the tables to find the encodings that decode a piece of text, and the set of all except EBCDIC."""
    tables = structure_tables()
    return tables.kernel, tables.not_ebcdic


def _controls(name: str) -> int:
    return sum(1 << value for value, point in enumerate(single_byte_map(name)) if 0x80 <= point < 0xA0)
