"""The records that the kernel takes and returns, the same for both kernels."""

from typing import NamedTuple


class Scan(NamedTuple):
    """The result of one pass over the bytes."""

    #: The byte values that occur: bit *v* for value *v*.
    seen: int
    #: The offset of the first block-listed byte, or -1.
    blocked: int
    #: The number of bytes of 0x80 or more, and of 0xC0 or more: in UTF-8, one for each multi-byte sequence.
    non_ascii: int
    leads: int
    #: The offset of the first byte that is not UTF-8, or -1.
    utf8_error: int
    #: The length of the sequence cut off at the end, 0 to 3.
    utf8_cut: int
    #: NULs, and line endings (CR and LF), at even and at odd offsets.
    nuls_even: int
    nuls_odd: int
    ends_even: int
    ends_odd: int
    #: Where each byte value occurs first, or -1: 256 numbers of 64 bits.
    first: bytes
