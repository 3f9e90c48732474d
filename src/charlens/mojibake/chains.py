"""Find what a line of text was before it was decoded wrongly: UTF-8 that somebody read as a legacy encoding.

'Grüße' comes out as 'GrÃ¼ÃŸe' by windows-1252, 'Привет' as 'РџСЂРёРІРµС‚' by windows-1251.  A line is undone
whole: all of its characters beyond ASCII must be the bytes of UTF-8 sequences.  Whether that is likely enough
is for `charlens.repair`.
"""

from __future__ import annotations

import re
import unicodedata
from array import array
from collections.abc import Iterator
from functools import cache

from charlens import kernel

#: What UTF-8 is taken for: the code pages of Windows and of ISO, then those of DOS, the Mac and Russia.  Bytes
#: that one lacks stand for themselves, as browsers read them, so that windows-1252 covers Latin-1, too.
#: With each, the logarithm of how much more seldom it is what somebody read as: 'pĂĄ' is 'på' by windows-1250 rather
#: than 'pá' by ISO 8859-2.
CODECS = {
    "cp1252": 0.0,
    "iso8859-1": -0.5,
    "cp1251": -1.0,
    "cp1250": -1.5,
    "cp1254": -3.0,
    "cp1253": -3.0,
    "cp1257": -3.0,
    "iso8859-2": -5.0,
    "iso8859-15": -8.0,
    "cp850": -2.0,
    "cp437": -2.0,
    "cp852": -4.0,
    "cp866": -4.0,
    "mac-roman": -2.0,
    "koi8-r": -4.0,
    "cp1256": -4.0,
    "cp1255": -4.0,
    "cp1258": -5.0,
}
#: Letters of scripts that hardly anybody writes, and that a few letters mean by chance: phonetics, modifiers,
#: combining marks; Syriac, N’Ko to Mandaic; scripts of the Philippines; Mongolian to Vedic; braille; arrows
#: and Glagolitic to Coptic.
_RARE = re.compile(
    "[\u0250-\u02bb\u02bd-\u02ff\u0360-\u036f\u0700-\u077f\u07c0-\u08ff\u1700-\u177f\u1800-\u1dff\u2800-\u28ff\u2b00-\u2dff]"
)
#: A single letter of another script beside Latin ones: "l’écoutez" would be an Armenian letter read as Mac Roman,
#: "bilýäñmi" a Korean one read as cp850.  Kana and Chinese stand beside Latin, but hardly inside a word.
_FOREIGN = re.compile(
    "(?<=[A-Za-z])[\u0370-\u1cff\uac00-\ud7ff](?![^\\x00-\\x7f])"
    "|(?<![^\\x00-\\x7f])[\u0370-\u1cff\uac00-\ud7ff](?=[A-Za-z])"
    "|(?<=[A-Za-z])[\u2e80-\u9fff](?![^\\x00-\\x7f])"
)


@cache
def _signs(codec: str) -> tuple[str, ...]:
    """Return the characters of the bytes from 0x80 on; a byte that *codec* lacks stands for itself."""
    signs = (bytes((byte,)).decode(codec, "replace") for byte in range(0x80, 0x100))
    return tuple(chr(byte) if sign == "\ufffd" else sign for byte, sign in enumerate(signs, 0x80))


@cache
def _to_latin(codec: str) -> dict[int, str]:
    """Return the table from a character to its byte, as a character of Latin-1."""
    # A character that is not of the encoding must not be taken for the byte of its number.
    table = dict.fromkeys(range(128, 256), "Ā")
    return {**table, **{ord(sign): chr(byte) for byte, sign in enumerate(_signs(codec), 0x80)}}


@cache
def _pages() -> tuple[bytes, bytes]:
    """Return the tables that `kernel.misread` takes: the row of each character, and its byte in each code page."""
    rows: dict[int, bytearray] = {}
    for page, codec in enumerate(CODECS):
        for byte, sign in enumerate(_signs(codec), 0x80):
            rows.setdefault(ord(sign), bytearray(len(CODECS)))[page] = byte
    index = array("H", [len(rows)] * 0x10000)
    for number, code in enumerate(rows):
        index[code] = number
    return index.tobytes(), b"".join(rows.values())


#: Lines that are asked for at once.
_LINES = 1000


def find_suspects(text: str) -> Iterator[tuple[int, int]]:
    """Yield the lines of *text*, as ranges, that can be UTF-8 read as something else, whole."""
    data = text.encode("utf-8", "surrogatepass")
    at = done = characters = 0
    while found := kernel.misread(data, *_pages(), len(CODECS), at, _LINES):
        for start, end in zip(found[::2], found[1::2], strict=True):
            characters += len(data[done:start].decode("utf-8", "surrogatepass"))
            line = characters
            characters += len(data[start:end].decode("utf-8", "surrogatepass"))
            yield line, characters
            done = end
        at = done


#: 'à' is C3 A0: the no-break space often becomes a plain one, alone ('Ã la carte') or before another ('voilÃ  le').
_LOST_SPACE = re.compile(rb"(\xc3)(?: (?= )|(?= ))")
#: More than three times was never seen.
_MOST_LEVELS = 3


def undo_line(line: str) -> dict[tuple[str, ...], str]:
    """Return what *line* may have been, by the encodings that its UTF-8 was read as, the last one first."""
    found: dict[tuple[str, ...], str] = {}
    level: dict[str, tuple[str, ...]] = {line: ()}
    seen = {line}
    for _ in range(_MOST_LEVELS):
        deeper: dict[str, tuple[str, ...]] = {}
        for text, chain in level.items():
            for codec in CODECS:
                original = _undo(text, codec)
                if original is not None and original not in seen:
                    found[(*chain, codec)] = original
                    deeper.setdefault(original, (*chain, codec))
        seen.update(deeper)
        level = deeper
    written = {text for text in seen if is_written(text)}
    return {chain: text for chain, text in found.items() if text in written}


def _undo(text: str, codec: str) -> str | None:
    data = None if text.isascii() else as_bytes(text, codec)
    if data is None:
        return None
    try:
        return data.decode("utf-8")
    except UnicodeError:
        pass
    try:
        return _LOST_SPACE.sub(b"\\1\xa0", data).decode("utf-8")
    except UnicodeError:
        return None


def as_bytes(text: str, codec: str) -> bytes | None:
    """Return the bytes that *text* was read from as *codec*; None where it has other characters."""
    try:
        return text.encode(codec)
    except UnicodeEncodeError as error:
        if _to_latin(codec).get(ord(text[error.start]), "Ā") == "Ā":
            return None
    try:  # some bytes stand for themselves
        return text.translate(_to_latin(codec)).encode("latin-1")
    except UnicodeError:
        return None


def is_written(text: str) -> bool:
    """Whether people write such characters: by chance, sequences also mean controls, and letters of no language."""
    foreign = len(_FOREIGN.findall(text))
    if foreign and 2 * foreign >= sum(character > "\u036f" and character.isalpha() for character in text):
        return False
    return (
        not _RARE.search(text)
        and all(
            unicodedata.category(character) not in ("Cc", "Cn", "Co", "Cs")
            for character in set(text)
            if character > "\x7f"
        )
        and "\ufeff" not in text[1:]
    )
