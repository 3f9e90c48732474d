"""Encode text in an old encoding with the substitutes that people used.

If an encoding has no curly quotation mark, people used a straight one, not a question mark; Vietnamese in
windows-1258 is written with separate tone marks.  If there is no substitute, the text is not encoded.
"""

from __future__ import annotations

import unicodedata
from functools import lru_cache

# Substitutes for a character, the best first; "" means to leave it out.
_INSTEAD: dict[str, tuple[str, ...]] = {
    # Typographic signs.
    "‘": ("'",), "’": ("'",), "‚": ("'", ","), "‛": ("'",), "′": ("'",), "ʼ": ("’", "'"), "ʻ": ("‘", "'"),
    "“": ('"',), "”": ('"',), "„": ('"',), "‟": ('"',), "″": ('"',), "«": ('"',), "»": ('"',),
    "‹": ("'",), "›": ("'",), "–": ("-",), "—": ("―", "-"), "―": ("—", "-"), "‐": ("-",), "‑": ("-",),
    "−": ("－", "-"), "－": ("−", "-"), "…": ("...",), "•": ("·", "*"), "·": ("・", "*"), "・": ("·",),
    "™": ("(TM)",), "©": ("(C)",), "®": ("(R)",), "€": ("EUR",), "₫": ("đ",), "№": ("No.", "N"), "×": ("x",),
    "½": ("1/2",), "¼": ("1/4",), "¾": ("3/4",), "²": ("2",), "³": ("3",), "°": ("º",),
    "\u00a0": (" ",), "\u202f": ("\u00a0", " "), "\u2009": (" ",), "\u2003": (" ",), "\u3000": (" ",),
    "\u00ad": ("",), "\u200b": ("",), "\u200c": ("", " "), "\u200d": ("",), "\u200e": ("",), "\u200f": ("",),
    "\ufeff": ("",), "\u2028": ("\n",),
    # Letters written as two, and the comma and cedilla of Romanian.
    "œ": ("oe",), "Œ": ("OE",), "ﬁ": ("fi",), "ﬂ": ("fl",), "ĳ": ("ij",), "Ĳ": ("IJ",), "ŀ": ("l·",),
    "ǆ": ("dž",), "ǅ": ("Dž",), "Ǆ": ("DŽ",), "ǉ": ("lj",), "ǈ": ("Lj",), "ǌ": ("nj",), "ǋ": ("Nj",),
    "ẞ": ("SS",), "ș": ("ş",), "ț": ("ţ",), "Ș": ("Ş",), "Ț": ("Ţ",), "ş": ("ș",), "ţ": ("ț",), "Ş": ("Ș",),
    "Ţ": ("Ț",),
    # Belarusian and Ukrainian i; Mongolian with the Ukrainian letters of cp1251.
    "і": ("i",), "І": ("I",), "ґ": ("г",), "Ґ": ("Г",), "ө": ("є",), "Ө": ("Є",), "ү": ("ї",), "Ү": ("Ї",),
    # Persian letters and digits with Arabic ones.
    "ی": ("ي", "ى"), "ک": ("ك",), "ۀ": ("ه",), "ە": ("ه",), "٪": ("%",),
    **{chr(0x06F0 + digit): (chr(0x0660 + digit), str(digit)) for digit in range(10)},
    **{chr(0x0660 + digit): (str(digit),) for digit in range(10)},
    # Signs that differ between Japanese encodings.
    "～": ("〜", "~"), "〜": ("～", "~"), "∥": ("‖",), "‖": ("∥",), "￠": ("¢",), "￡": ("£",), "￢": ("¬",),
    "¢": ("￠",), "£": ("￡",), "¬": ("￢",), "¥": ("￥",), "￥": ("¥",),
}  # fmt: skip

# They have the ASCII signs twice, the second time from right to left; Python encodes every space as the second, 0xA0.
_TWO_SPACES = frozenset(("mac-arabic", "mac-farsi", "mac-hebrew"))

# Their 0x5C and 0x7E are the yen sign and the overline. Python encodes the two ASCII signs as wide ones, which
# nobody typed, so text with a backslash is not encoded.
_NO_BACKSLASH = frozenset(("shift_jis_2004", "shift_jisx0213"))

# Tone marks that windows-1258 writes after the vowel: grave, acute, tilde, hook above, dot below.
_TONES = "\u0300\u0301\u0303\u0309\u0323"


def write(text: str, codec: str) -> bytes | None:
    """Encode *text* with substitutes, or return ``None`` if that is not possible."""
    data = _encode(text, codec)
    if data is not None:
        return data
    written = [_written(character, codec) for character in text]
    if None in written:
        return None
    return _encode("".join(part for part in written if part is not None), codec)


def _encode(text: str, codec: str) -> bytes | None:
    if codec in _NO_BACKSLASH and ("\\" in text or "~" in text):
        return None
    try:
        data = text.encode(codec)
    except UnicodeError:
        return None
    return data.translate(_plain_ascii(codec)) if codec in _TWO_SPACES else data


@lru_cache(maxsize=8)
def _plain_ascii(codec: str) -> bytes:
    """Return a table that replaces each byte with the meaning of an ASCII character by that ASCII byte."""
    meant = (bytes([value]).decode(codec, "replace") for value in range(256))
    return bytes(ord(text) if text.isascii() else value for value, text in enumerate(meant))


@lru_cache(maxsize=65536)
def _written(character: str, codec: str) -> str | None:
    """Return the character, or its substitute in this encoding."""
    for choice in (character, *_INSTEAD.get(character, ()), _tones_apart(character)):
        if _fits(choice, codec):
            return choice
    # Polytonic Greek and other letters with missing marks: keep one mark, if that fits.
    simpler = unicodedata.normalize("NFD", character)[:2]
    composed = unicodedata.normalize("NFC", simpler)
    return composed if len(composed) == 1 and _fits(composed, codec) else None


def _tones_apart(character: str) -> str:
    """Return a Vietnamese letter followed by its tone mark: 'ế' is 'ê' and an acute."""
    parts = unicodedata.normalize("NFD", character)
    tone = "".join(part for part in parts if part in _TONES)
    base = unicodedata.normalize("NFC", "".join(part for part in parts if part not in _TONES))
    return base + tone


def _fits(text: str, codec: str) -> bool:
    return _encode(text, codec) is not None
