"""Recognise ASCII and the forms of Unicode: UTF-8, whole or damaged, UTF-16 and UTF-32 with or without a mark.

UTF-8 is recognised from the scan of all bytes.  UTF-16 and UTF-32 without a mark are suspected because of line endings
or NULs, or tried in any case, and accepted if the decoded characters are typical of text: sound, numbers and compressed
data give combinations of characters that no text has.  The content stage decides whether control bytes make ASCII or
UTF-8 binary.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

from charlens import kernel
from charlens.findings import Signature, UnicodeForm
from charlens.kernel.facts import UTF16_MARKS
from charlens.models.characters import character_weights, likelihood
from charlens.source import CHARACTERS_PER_FAULT, Source, Weighed
from charlens.types import Buffer, Span

if TYPE_CHECKING:
    from charlens.kernel.shapes import Scan

ASCII = UnicodeForm("ascii", 1.0, "every byte is under 0x80")

# The probability that one valid UTF-8 sequence ('Ã©') occurs by chance in legacy text is about 1 in 50; each further
# sequence makes it ten times less likely.
BY_SEQUENCES = (0.0, *(1.0 - 0.02 * 0.1**more for more in range(9)))

# Few sequences may be there by chance: 'MĘŻCZYZNA' in windows-1250 is 'MʯCZYZNA' in UTF-8. There is doubt if there are
# at most FEW, in input of at most _SHORT bytes, with a lead byte beyond the usual Latin letters that is not that of
# signs (U+2000 to U+2FFF), and if the characters are not typical of text. The reading stage then compares UTF-8 with
# the most likely legacy text. The limits are not measured.
DOUBTFUL_LEADS = sum(1 << lead for lead in (*range(0xC6, 0xE2), *range(0xE3, 0xF0)))
FEW = 16
_SHORT = 1 << 16
# The likelihood of the characters (`models.characters`) for each of their bytes, in bits: one in fifty strings in UTF-8
# with such leads is below it. With -7, 21 fewer legacy strings are recognised (`bench/chance.py`).
_TYPICAL = -5.0
# The confidence in doubtful UTF-8 that is not less likely than legacy text; not measured.
_MOST_DOUBTFUL = 0.9

# What signs (U+2000 to U+2FFF) and emoji begin with; and the size of an input that is more than a line: it may be the
# beginning of a file.
_LEADS_OF_SIGNS = (0xE2, 0xF0)
_LONGER_THAN_A_LINE = 256

# Damaged UTF-8: the least number of valid sequences for each invalid range. In the legacy files of the evaluation
# the ratio is never above 1 (GBK, where sequences of three bytes occur by chance); in UTF-8 with a line of
# windows-1252 in it, or a character cut in two, it is 10 or more.
GOOD_PER_BAD = 2
# The mean weight of up to 16 characters in damaged UTF-8: our prose has -6 and more, in 80 languages; the three
# snippets of legacy text that were taken for damaged UTF-8 had -15, -22 and -68.
_LEAST_DAMAGED = -10
# In shorter input, invalid UTF-8 is taken as another encoding. Of 45,952 words in all legacy classes, 95 were taken for
# incomplete or damaged UTF-8 (most of them cp855), all of them shorter than this.
LEAST_FAULTY = 11
# How many invalid ranges may come before the first valid sequence: a line in another encoding at the top.
PATIENCE = 32

# Mean weights, in quarters of a bit per character. Measured on 19 languages, 1,000 snippets each: no text of
# 8 characters was under 6.8 in Chinese (14 at 32 characters) and under 23 elsewhere; no random, deflated
# or gzipped data of 16 bytes or more was over 7.6, and nothing of 32 bytes over -7.
_LEAST_ELSEWHERE = 20
# With NULs on one side only: random numbers under 1,000 reach 12.8, a heading in Azerbaijani capitals has 17.
_LEAST_WITH_NULS = 14
_LEAST_TINY = 25  # 2 to 7 characters: "test" has 48; eight random numbers from 0 to 255 can reach 30
# East Asian, 2 to 7 characters: of 3,000 random strings of 6, 8 and 10 bytes each, 5, 1 and none reach it.
_LEAST_TINY_WIDE = 12
# East Asian, 12 characters or more: the Thousand Character Classic, each character once, has 7 to 9.5; pieces of 208
# binary files (23,000 pieces of 12 to 64 characters) are under 5.2, except for one.
_LEAST_WIDE = 6.5
_LEAST_WITH_PARITY = 4  # 32 characters or more, NULs on one side only and no error: rules and tables
# Without a NUL and without a control it may be single-byte text: Czech in cp852 reached 8.0, and eight characters of
# Chinese (拧松背面的四颗螺) can have as little as 8.4.
LEAST_WITHOUT_SIGN = 8.2
# Records of two letters and a NUL have a third of NULs on either side. Pieces of 64 characters of text in 195 languages
# have up to 0.16 on the lesser side (Chinese with many U+4E00); tables drawn with U+2500 have more, and line endings.
_MOST_ON_BOTH_SIDES = 0.25
# After a mark, any real text is accepted; sound whose first sample is -2 has -36, the weight of unseen characters.
_LEAST_WITH_MARK = -20


# A few controls, NULs and lone surrogates may be in text (`CHARACTERS_PER_FAULT`); one, the NUL that ends a string of
# Windows, from this number of characters on.
_LEAST_WITH_FAULT = 8

_MOSTLY_NULS = "NULs by parity"

# The bytes in which UTF-32 is compared with consecutive numbers, and the fewest of these.
_COUNTED, _LEAST_COUNTED = 256, 6

# The bytes in which UTF-16 without a NUL is looked for: see `_recognise_wide`.
LEAST_NULLESS, MOST_NULLESS = 16, 256
# Text without a NUL is East Asian; of 128 characters, 50 or more are different.
_UNITS_PER_VALUE = 16


def recognise_unicode(source: Source, signature: Signature | None = None) -> UnicodeForm | None:
    """Return the form of Unicode that the bytes are in, or ``None``."""
    scan = source.scan
    if signature is not None and signature.encoding.startswith("utf-") and signature.encoding != "utf-7":
        form = _check_signature(source, signature)
        if form is None and signature.encoding == "utf-32-le":
            # The mark may be that of UTF-16, followed by a NUL.
            form = _check_signature(source, Signature("utf-16-le", UTF16_MARKS[0]))
        return form
    form = None
    if scan.utf8_error < 0 and source.size:
        form = _whole_utf8(source) if scan.non_ascii else ASCII
        if form and scan.blocked < 0:
            return form
    # Cyrillic in UTF-16 can consist of ASCII bytes and blocked bytes, so input with control bytes is checked for it.
    return _recognise_wide(source) or form or _damaged_utf8(source)


def _whole_utf8(source: Source) -> UnicodeForm | None:
    scan = source.scan
    complete = scan.leads - (1 if scan.utf8_cut else 0)
    if scan.utf8_cut and source.size < LEAST_FAULTY and not (complete and _are_likely(source.head)):
        return None
    if complete == 0:
        return _only_a_cut(scan, source)
    confidence = BY_SEQUENCES[complete if complete < 9 else 9]
    doubt = _doubt(source, complete)
    if doubt is not None:
        confidence = min(confidence, _MOST_DOUBTFUL)
    return UnicodeForm("utf-8", confidence, "", scan.utf8_cut, (), 0, complete, doubt)


def _doubt(source: Source, sequences: int) -> float | None:
    """Return the likelihood of a few UTF-8 characters if they are not typical of text, else ``None``."""
    if sequences > FEW or source.size > _SHORT or not source.scan.seen & DOUBTFUL_LEADS:
        return None
    bits = likelihood(bytes(source.head).decode("utf-8", "ignore"), rare=True)
    return bits if bits < _TYPICAL * source.scan.non_ascii else None


def _only_a_cut(scan: Scan, source: Source) -> UnicodeForm | None:
    """Judge ASCII that ends with an incomplete character.

    'caf\\xe9' also ends like that: é starts a sequence of three. Two or more bytes suggest a cut; but a line that is
    not cut can end in 'André…' or 'Lukáš', unless it is the beginning of a sign ('“', an emoji).
    """
    is_line = source.whole and source.size < _LONGER_THAN_A_LINE
    if scan.utf8_cut >= 2 and (not is_line or source.head[-scan.utf8_cut] in _LEADS_OF_SIGNS):
        return UnicodeForm("utf-8", 0.7, "ASCII, then the beginning of one sequence", cut=scan.utf8_cut)
    return None


def _damaged_utf8(source: Source) -> UnicodeForm | None:
    scan = source.scan
    # A valid sequence has a continuation byte, and a lead without one is invalid: most legacy text has too few of them.
    continuations = scan.non_ascii - scan.leads
    if (
        scan.utf8_error < 0
        or source.size < LEAST_FAULTY
        or continuations < 2
        or (1 + GOOD_PER_BAD) * continuations < GOOD_PER_BAD * (scan.leads - 1)
    ):
        return None
    good, bad, spans, cut = source.damage(GOOD_PER_BAD, PATIENCE)
    if cut < 0 or good < GOOD_PER_BAD * bad or good < 2:
        return None
    if good <= FEW and not _are_likely(source.head):
        return None
    # 2 valid and 1 invalid: 0.87; 20 and 1: 0.99.
    confidence = 1.0 - 0.4 / (1 + good / bad)
    how = f"{good} well-formed multi-byte sequences"
    return UnicodeForm("utf-8", confidence, how, cut, _spans(spans), bad, 0, _doubt(source, good))


def _spans(flat: Sequence[int]) -> tuple[Span, ...]:
    return tuple(Span(flat[at], flat[at + 1]) for at in range(0, len(flat), 2))


def _are_likely(data: Buffer) -> bool:
    """Whether the characters of damaged UTF-8 are likely in text; a few sequences occur by chance.

    'ЩИТЕ: В ЧЕ' in ISO 8859-5 has three, from three corners of Unicode.
    """
    if len(data) > _SHORT:
        return True
    # Capitals are rare; in lower case, the Turkish 'İ' leaves a combining dot, which is rarer still.
    text = bytes(data).decode("utf-8", "ignore").lower().replace("\u0307", "")
    units = "".join(character for character in text if not character.isascii()).encode("utf-16-le")
    characters, weight, *_ = kernel.weigh(units, 2, 0, character_weights())
    return weight >= _LEAST_DAMAGED * characters


def _check_signature(source: Source, signature: Signature) -> UnicodeForm | None:
    """Check a mark: the text is complete, cut off, damaged, or not text at all."""
    encoding, scan = signature.encoding, source.scan
    if encoding == "utf-8":
        if scan.utf8_error < 0:
            return UnicodeForm(encoding, 1.0, "has its mark, and all of it is well-formed", cut=scan.utf8_cut)
        form = _damaged_utf8(source)
        if form is not None:
            return form
        _, bad, spans, cut = source.damage(0, 0)
        how = "has the byte order mark, but most of the text is not well-formed"
        return UnicodeForm(encoding, 0.6, how, cut, _spans(spans), bad)
    characters, weight, _, faults, left = source.weigh(encoding, len(signature.mark))
    if not _is_text_behind_mark(characters, weight, faults):
        return None
    if faults:
        damage, left = source.faults(encoding)
        return UnicodeForm(encoding, 0.97, "has its mark", left, damage, len(damage))
    return UnicodeForm(encoding, 1.0, "has its mark, and all of it is well-formed", cut=left)


def _is_text_behind_mark(characters: int, weight: int, faults: int) -> bool:
    # Files that programs cut can have a few lone surrogates, but not an error in every twentieth unit.
    return faults * 20 <= characters and (characters < 16 or weight >= _LEAST_WITH_MARK * characters)


def _recognise_wide(source: Source) -> UnicodeForm | None:
    """Try UTF-32, then UTF-16, if the bytes allow it."""
    length, scan = source.size, source.scan
    if scan.nuls_even or scan.nuls_odd:
        return (_recognise_utf32(source) if length >= 8 else None) or _recognise_utf16(source)
    # Without a NUL, it can only be a script far from ASCII. One in ten of its low bytes is on the block list, so
    # 128 characters without any do not happen (0.9 ** 128).
    if scan.blocked >= 0 or LEAST_NULLESS <= length < MOST_NULLESS:
        form = _recognise_utf16(source)
        return form if form and _is_varied(source.head) else None
    return None


def _is_varied(data: Buffer) -> bool:
    """Whether units of two bytes are hardly ever the same: 'а' in cp866 on each line is one ideograph over and over."""
    start = bytes(data[:MOST_NULLESS])
    units = {start[at : at + 2] for at in range(0, len(start), 2)}
    return 2 * _UNITS_PER_VALUE * len(units) >= len(start)


def _recognise_utf32(source: Source) -> UnicodeForm | None:
    # Every unit has a NUL; in text of the first plane, two.
    if 4 * (source.scan.nuls_even + source.scan.nuls_odd) < source.size - 3:
        return None
    for encoding in ("utf-32-le", "utf-32-be"):
        form = _judge_wide(source, encoding, source.weigh(encoding))
        if form:
            return None if _are_counted(bytes(source.head[:_COUNTED]), encoding) else form
    return None


def _are_counted(start: bytes, encoding: str) -> bool:
    """Whether the first units of UTF-32 rise or fall by equal steps: an index. The alphabet does, too, but is rarer."""
    units = struct.unpack(f"{'<' if encoding.endswith('le') else '>'}{len(start) // 4}I", start[: len(start) & ~3])
    steps = {after - before for before, after in pairwise(units)}
    return len(units) >= _LEAST_COUNTED and len(steps) == 1 and 0 not in steps


def _recognise_utf16(source: Source) -> UnicodeForm | None:
    best: UnicodeForm | None = None
    best_weight = 0
    for encoding in ("utf-16-le", "utf-16-be"):
        weighed = source.weigh(encoding)
        if weighed[1] > best_weight:
            form = _judge_wide(source, encoding, weighed)
            if form:
                best, best_weight = form, weighed[1]
    return best


def _judge_wide(source: Source, encoding: str, weighed: Weighed) -> UnicodeForm | None:
    """Decide whether the bytes of *source*, which were *weighed*, are text in *encoding*."""
    scan, length = source.scan, source.size
    characters, weight, wide, faults, left = weighed
    if characters < 2 or faults > max(characters // CHARACTERS_PER_FAULT, characters >= _LEAST_WITH_FAULT):
        return None
    if "32" in encoding:
        method, how = _MOSTLY_NULS, f"{characters} characters, all of them likely"
    else:
        method = _method(scan, encoding, length // 2)
        how = method or f"{characters} characters, all of them likely in this order of bytes"
        # With a blocked control, the choice is between this and binary data, and three characters are enough.
        if not method and characters < (3 if scan.blocked >= 0 else 8):
            return None
        if not method and min(scan.nuls_even, scan.nuls_odd) > _MOST_ON_BOTH_SIDES * characters:
            return None
    least = _least(characters, wide, method)
    if "16" in encoding and scan.blocked < 0:
        least = max(least, LEAST_WITHOUT_SIGN, min(8 + (characters - 8) / 6, 12))
    if faults:
        least = max(least, _LEAST_ELSEWHERE) if method else float("inf")
    if weight < least * characters:
        return None
    if not faults:
        return UnicodeForm(encoding, _sure(characters), how, left)
    damage, left = source.faults(encoding)
    return UnicodeForm(encoding, _sure(characters), how, left, damage, len(damage))


def _method(scan: Scan, encoding: str, units: int) -> str:
    """Name the method by which *encoding* was found: line endings or NULs, by parity; "" for neither.

    In little endian the low byte is first, at an even offset, and the NUL of a Latin letter at an odd one.
    """
    little = encoding.endswith("le")
    ends_here, ends_there = (scan.ends_even, scan.ends_odd) if little else (scan.ends_odd, scan.ends_even)
    nuls_here, nuls_there = (scan.nuls_odd, scan.nuls_even) if little else (scan.nuls_even, scan.nuls_odd)
    if nuls_here >= 0.5 * units and nuls_there <= max(0.05 * units, units >= _LEAST_WITH_FAULT):
        return f"{_MOSTLY_NULS}: {nuls_here} of {units} high bytes are NUL, and {nuls_there} low ones"
    if nuls_here and ends_here and not ends_there:
        return f"all {ends_here} line endings on the low bytes"
    return f"{nuls_here} NULs, all on the high bytes" if nuls_here and not nuls_there else ""


def _least(characters: int, wide: int, method: str) -> float:
    """Return the mean weight that this many characters must have to count as text."""
    if characters < 8:
        return _LEAST_TINY_WIDE if 2 * wide >= characters else _LEAST_TINY
    if method.startswith(_MOSTLY_NULS) and characters >= 32:
        return _LEAST_WITH_PARITY
    if 2 * wide >= characters:
        return _LEAST_WIDE if characters >= 12 else 8
    return _LEAST_WITH_NULS if method else _LEAST_ELSEWHERE


def _sure(characters: int) -> float:
    """Confidence by amount: 4 characters 0.9, 8 0.95, 64 and more 0.99."""
    return min(1.0 - 0.4 / characters, 0.995)
