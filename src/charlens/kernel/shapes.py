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
    #: Where each control, 0x00 to 0x1F, occurs first, or -1: 32 numbers of 64 bits.
    first: bytes


class JudgeRules(NamedTuple):
    """The constants of `judge_legacy`; the modules of the statistics stage say how each was chosen."""

    #: The words around count up to *few* non-ASCII bytes, or *few_in_many* if these are one byte in *sparse*.
    few: int
    few_in_many: int
    sparse: int
    #: About this many non-ASCII bytes are scored; the number of windows, and their sizes.
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
    #: Words up to this size are read whole; of longer ones, pieces (see `excerpt`).
    whole: int
    pieces: int
    piece: int
    ahead: int
    back: int
    #: Languages: how many are scored, the fewest letters, how far behind the best, as log-odds.
    most_languages: int
    least_letters: int
    language_reach: float
    #: The weight of the logarithm of a language's share; the least share; the log-odds of other scripts; the last two
    #: again, for words around that are English, and the number of its class.
    weight: float
    left: float
    others: float
    left_beside_english: float
    others_beside_english: float
    english: int


class SurveyRules(NamedTuple):
    """The constants of `survey`, which are those of the stages."""

    #: UTF-16 without NULs is looked for in this many bytes; the mean weight of a character that may be one.
    nulless_least: int
    nulless_most: int
    least_weight: int
    #: Damaged UTF-8: the fewest bytes, valid sequences for each invalid range, and how many of these may come first.
    least_faulty: int
    good_per_bad: int
    patience: int
    #: The first bytes are searched for words of declarations.
    look: int
    #: From this length on, EBCDIC is not a candidate of the statistics.
    ebcdic_from: int
    #: Stray bytes of multi-byte encodings: the fewest non-ASCII bytes, how far the first stray byte must be from the
    #: first one that is not UTF-8, and how many non-ASCII bytes there must be for each.
    forgiven_from: int
    first_forgiven: int
    bytes_per_fault: int
    #: Stray bytes of Windows: the fewest non-ASCII bytes, and how many for each, with C1 bytes and without; how many
    #: values, and how many bytes; how many non-ASCII bytes an East Asian encoding does not decode by chance.
    least_bytes: int
    apart: int
    least_without_c1: int
    apart_without_c1: int
    most_values: int
    most_undefined: int
    least_wide: int
    #: EBCDIC: the largest share of values that are uncommon in it, and the smallest of spaces, both in percent; the
    #: bytes in which spaces are counted.
    ebcdic_others: int
    ebcdic_spaces: int
    ebcdic_sample: int
    #: The shortest Base64 that is recognised.
    least_base64: int


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
    #: What `languages` returned for the words around, without the languages that are too unlikely to count; or ().
    letters: tuple[int, ...]
    #: The stride and the size of the windows that were scored; 0 and 0 for the whole input.
    cut: tuple[int, int]
    #: The likely classes, the best first, and their shares.
    classes: tuple[int, ...]
    shares: tuple[float, ...]
    #: The likely texts: share, encodings as a set, best class.
    texts: tuple[tuple[float, int, int], ...]


class Surveyed(NamedTuple):
    """What `survey` found besides the scan."""

    #: The possible encodings and the doubtful ones, as sets, and the walks, as `candidates` returns them.
    numbers: int
    doubtful: int
    walks: bytes
    #: None if it was not to be judged.
    judged: Judged | None
