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


class JudgeRules(NamedTuple):
    """The constants of `judge_legacy`; the modules of the statistics stage say how each was chosen."""

    #: The words around count up to this many non-ASCII bytes, and up to this many if these are one in so many.
    few: int
    few_in_many: int
    sparse: int
    #: About this many non-ASCII bytes are scored, in so many windows of these sizes.
    enough: int
    windows: int
    least_window: int
    most_window: int
    #: How many classes are returned, their distance from the best one, and the penalty of the doubtful, as log-odds.
    most_classes: int
    reach: float
    doubt: float
    #: Log-odds: of a Latin word that begins in a two-byte character, of all of these, and against rare encodings.
    glued: float
    most_glued: float
    against_rare: float
    #: Words up to this size are read whole; of longer ones, so many pieces (see `excerpt`).
    whole: int
    pieces: int
    piece: int
    ahead: int
    back: int
    #: Languages: how many are scored, the fewest letters, how far behind the best, as log-odds.
    most_languages: int
    least_letters: int
    language_reach: float
    #: The weight of the logarithm of a language's share; the least share; the log-odds of other scripts; the same two
    #: beside English, and the number of its class.
    weight: float
    left: float
    others: float
    left_beside_english: float
    others_beside_english: float
    english: int


class Judged(NamedTuple):
    """What `judge_legacy` found."""

    #: The row of `begins` that was used.
    row: int
    #: The byte pairs that were evidence, and the different ones.
    pairs: int
    distinct: int
    #: Whether rare encodings were less likely, because there is little to read.
    sparse: bool
    #: The number of Latin words that begin in the middle of a two-byte character.
    glued: int
    #: What `languages` returned for the words around, or ().
    letters: tuple[int, ...]
    #: The stride and the size of the windows that were scored; 0 and 0 for the whole input.
    cut: tuple[int, int]
    #: The likely classes, the best first, and their shares.
    classes: tuple[int, ...]
    shares: tuple[float, ...]
    #: The likely texts: share, encodings as a set, best class.
    texts: tuple[tuple[float, int, int], ...]
