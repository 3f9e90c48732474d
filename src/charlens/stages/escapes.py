"""Recognise 7-bit text that is not ASCII: ISO-2022-JP and its family, ISO-2022-KR, HZ, UTF-7.

Each encoding is proposed by its shift sequences and accepted only if the whole input decodes, except for a character
cut off at the end.  It all takes linear time: an invalid sequence ends the search for its encoding.
"""

from __future__ import annotations

import re
from itertools import islice

from charlens import kernel
from charlens.findings import EscapeForm, Signature
from charlens.kernel.facts import FLAVOURS
from charlens.models.characters import character_weights
from charlens.patterns import Pattern
from charlens.source import CODEC_ERRORS, Source
from charlens.types import Buffer

# The designations of ISO-2022-JP and its extensions: two-byte sets, and katakana.
_JAPANESE = Pattern(rb"\x1b(?:\$[@AB]|\$\([CDOPQ]|\(I|\.[AF])")
_KOREAN = Pattern(rb"\x1b\$\)C")
_HZ = Pattern(rb"~\{(?:[\x21-\x77][\x21-\x7e])+~\}")
_PLUS = Pattern(rb"\+")
_BASE64 = Pattern(rb"[A-Za-z0-9+/]*")

# From the smallest to the largest; the first one that decodes everything is the answer.
JAPANESE_FAMILY = (
    "iso2022_jp",
    "iso2022_jp_1",
    "iso2022_jp_2",
    "iso2022_jp_3",
    "iso2022_jp_2004",
    "iso2022_jp_ext",
)

#: The bytes that show whether a file is a page.
_PAGE_HEAD = 4096
_HTML = FLAVOURS.index("HTML")

# ESC, '+' and '~': without any of them, there are no shifts.
SHIFTING = 1 << 0x1B | 1 << 0x2B | 1 << 0x7E

# The number of shifted runs that are checked before the whole input is decoded as UTF-7.
_RUNS = 32
_LONGEST_RUN = 1 << 16
# Quarters of a bit. 'ä' has 30, a word of Russian 200; a phone number read as base64 is below 0. '+API ' is 'ò' and
# '+AMI-' is 'Â': if a run could be a word, one accented letter is not enough.
_LEAST = 20
_LEAST_IF_WORDS = 45
# An accented letter of Latin and typographic signs have at least this: 201 values of 65,536 would be 33.
_LATIN = 24
_LEAST_MEAN = 14


def find_escapes(source: Source, signature: Signature | None = None) -> EscapeForm | None:
    """Return the escape-based encoding that the bytes of *source* are in, or ``None``.

    A page is never taken for HZ or UTF-7: browsers read neither, and '+ADw-script+AD4-' is harmless as ASCII.
    """
    scan = source.scan
    seen = scan.seen
    if scan.non_ascii or not seen & SHIFTING:
        return None
    if seen >> 0x1B & 1:
        found = _find_iso2022(source)
        if found:
            return found
    # The following encodings have neither NULs nor control bytes.
    if scan.blocked >= 0 or (seen >> 0x3C & 1 and kernel.page_flavour(source.head[:_PAGE_HEAD]) == _HTML):
        return None
    if seen >> 0x7E & 1 and seen >> 0x7B & 1 and seen >> 0x7D & 1:
        found = _find_hz(source)
        if found:
            return found
    return _find_utf7(source, signature) if seen >> 0x2B & 1 else None


def _find_iso2022(source: Source) -> EscapeForm | None:
    start, data = source.shifted(b"\x1b")
    match = _KOREAN.search(data)
    if match and (cut := source.cut_of("iso2022_kr")) is not None and not _keeps(data, match.group()):
        return EscapeForm("iso2022_kr", 0.99, "announced by ESC $ ) C", start + match.start(), cut)
    match = _JAPANESE.search(data)
    if match:
        for encoding in JAPANESE_FAMILY:
            cut = source.cut_of(encoding)
            if cut is not None and not _is_plain(data, encoding):
                shift = " ".join(match.group()[1:].decode("ascii"))
                return EscapeForm(
                    encoding, 0.99, f"has the escape sequence ESC {shift}", start + match.start(), cut
                )
    return None


def _keeps(data: Buffer, announcement: bytes) -> bool:
    """Whether the codec takes *announcement* for text, as it does after an ESC that begins nothing."""
    text = bytes(data[:_LONGEST_RUN]).decode("iso2022_kr", "ignore")
    return announcement.decode("ascii") in text


def _is_plain(data: Buffer, encoding: str) -> bool:
    """Whether the codec takes the escape sequences for text, as it does after an ESC that begins nothing."""
    try:
        return bytes(data[:_LONGEST_RUN]).decode(encoding, "ignore").isascii()
    except CODEC_ERRORS:
        return False


def _find_hz(source: Source) -> EscapeForm | None:
    start, data = source.shifted(b"~")
    runs = [*islice(_HZ.finditer(data), _RUNS)]
    if not runs or (any(b"~" in run[0][2:-2] for run in runs) and not _are_ideographs(runs)):
        return None
    cut = source.cut_of("hz")
    if cut is None:
        return None
    return EscapeForm("hz", 0.97, "pairs of GB 2312 between ~{ and ~}", start + runs[0].start(), cut)


def _are_ideographs(runs: list[re.Match[bytes]]) -> bool:
    """Whether *runs* of HZ are likely text: the directive '~{<~a>~}' of Common Lisp is two rare ideographs."""
    text = "".join(run[0].decode("hz", "ignore") for run in runs)
    return kernel.weigh(text.encode("utf-16-le"), 2, 0, character_weights())[1] >= 0


def _find_utf7(source: Source, signature: Signature | None) -> EscapeForm | None:
    """Check the runs after '+': in UTF-7, every one is complete and has likely characters."""
    start, data = source.shifted(b"+")
    first = -1
    plain = True  # whether every run could be a word, like the one in 'REST+API'
    shifted = ""
    position = 0
    for _ in range(_RUNS):
        plus = _PLUS.search(data, position)
        if not plus:
            break
        match = _BASE64.match(data, plus.end(), min(plus.end() + _LONGEST_RUN, len(data)))
        run = match.group() if match else b""
        position = plus.end() + len(run)
        after = bytes(data[position : position + 1])
        hyphen = after == b"-"
        if after == b"=":
            return None  # base64 of something else
        if not run and hyphen:
            continue  # '+-' is a plus sign
        text = _read_run(run)
        if text is None and position < len(data):
            return None
        if text:
            first = plus.start() if first < 0 else first
            plain = plain and not _is_no_word(run, data, plus.start(), position)
            shifted += text
    marked = signature is not None and signature.encoding == "utf-7" and signature.mark.endswith(b"-")
    likely = marked or _is_likely(shifted, _LEAST_IF_WORDS if plain else _LEAST)
    cut = source.cut_of("utf-7") if likely else None
    if cut is None:
        return None
    first = max(first, 0)
    how = "has the byte order mark" if marked else "every '+' starts valid base64 for plausible characters"
    return EscapeForm("utf-7", 0.95, how, start + first, cut)


def _is_no_word(run: bytes, data: Buffer, start: int, end: int) -> bool:
    """Whether a run cannot be a word, by its digits or case, or is inside a word: 'plo+AWE-ke'."""
    mixed = not (run.isalpha() and (run.isupper() or run.islower() or run.istitle()))
    around = bytes(data[max(start - 1, 0) : start]) + bytes(data[end : end + 2]).lstrip(b"-")
    return mixed or (bytes(data[end : end + 1]) == b"-" and len(around) == 2 and around.islower())


def _read_run(run: bytes) -> str | None:
    """Decode a run of base64; ``None`` unless it ends on a whole unit, without remaining bits."""
    if len(run) < 3 or len(run) * 6 % 16 >= 6:
        return None
    try:
        return (b"+" + run + b"-").decode("utf-7").lstrip("\ufeff")
    except UnicodeDecodeError:
        return None


def _is_likely(text: str, least: int) -> bool:
    """Whether the shifted characters are likely in text; ASCII among them does not count."""
    foreign = "".join(character for character in text if not character.isascii())
    units = foreign.encode("utf-16-le", "surrogatepass")
    characters, weight, _, faults, _ = kernel.weigh(units, 2, 0, character_weights())
    weights = character_weights()
    for character in foreign:
        if "\u00c0" <= character <= "\u017f" or character in "–—‘’“”„…€":
            own = weights[ord(character)]
            weight += max(0, _LATIN - (own - 256 if own > 127 else own))
    return faults == 0 and weight >= least and weight >= _LEAST_MEAN * characters
