"""Find what a line of text was before it was decoded wrongly: UTF-8 that somebody read as a legacy encoding.

'Grüße' comes out as 'GrÃ¼ÃŸe' by windows-1252, 'Привет' as 'РџСЂРёРІРµС‚' by windows-1251.  A line is undone
whole: all of its characters beyond ASCII must be the bytes of UTF-8 sequences.  Whether that is likely enough
is for `charlens.repair`.
"""

from __future__ import annotations

import codecs
import re
import unicodedata
from array import array
from collections.abc import Iterator
from functools import cache
from typing import Any, NamedTuple

from charlens import kernel
from charlens.mojibake.oddness import Remembered

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

#: Characters beyond ASCII that stand together.
RUN = re.compile("[^\\x00-\\x7f]+")


@cache
def _signs(codec: str) -> tuple[str, ...]:
    """Return the characters of the bytes from 0x80 on; a byte that *codec* lacks stands for itself."""
    signs = (bytes((byte,)).decode(codec, "replace") for byte in range(0x80, 0x100))
    return tuple(chr(byte) if sign == "\ufffd" else sign for byte, sign in enumerate(signs, 0x80))


@cache
def _table(codec: str) -> str:
    """Return the characters of all bytes."""
    return "".join(map(chr, range(0x80))) + "".join(_signs(codec))


@cache
def _map(codec: str) -> Any:
    """Return the table by which `codecs.charmap_encode` writes the bytes of *codec*."""
    return codecs.charmap_build(_table(codec))


class _Roles(NamedTuple):
    """For each character the codecs, one bit each, in which it is a byte beyond ASCII, one that leads …"""

    any: dict[str, int]
    lead: dict[str, int]
    trail: dict[str, int]
    #: C3, which may have lost its no-break space.
    lonely: dict[str, int]


@cache
def _roles() -> _Roles:
    roles = _Roles({}, {}, {}, {})
    for number, codec in enumerate(CODECS):
        for byte, sign in enumerate(_signs(codec), 0x80):
            fits = (True, 0xC2 <= byte <= 0xF4, byte < 0xC0, byte == 0xC3)
            for role, fit in zip(roles, fits, strict=True):
                role[sign] = role.get(sign, 0) | fit << number
    return roles


def _possible(text: str) -> list[str]:
    """Return the codecs that *text* can have been read as: they have its characters, and its runs begin and end so."""
    roles = _roles()
    left = (1 << len(CODECS)) - 1
    for run in RUN.findall(text):
        left &= roles.lead.get(run[0], 0) & (roles.trail.get(run[-1], 0) | roles.lonely.get(run[-1], 0))
        left &= (roles.trail if len(run) > 1 else roles.lonely).get(run[1:2] or run, 0)
        for character in run[2:-1]:
            left &= roles.any.get(character, 0)
        if not left:
            return []
    return [codec for number, codec in enumerate(CODECS) if left >> number & 1]


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


def find_suspects(data: bytes) -> Iterator[tuple[int, int]]:
    """Yield the lines of *data*, UTF-8, as ranges, that can be UTF-8 read as something else, whole."""
    at = 0
    while found := kernel.misread(data, *_pages(), len(CODECS), at, _LINES):
        yield from zip(found[::2], found[1::2], strict=True)
        at = found[-1]


def find_suspect_lines(text: str) -> Iterator[tuple[int, int, str]]:
    """Yield the same of *text*, with the lines themselves."""
    data = text.encode("utf-8", "surrogatepass")
    done = characters = 0
    for start, end in find_suspects(data):
        characters += len(data[done:start].decode("utf-8", "surrogatepass"))
        line = data[start:end].decode("utf-8", "surrogatepass")
        yield characters, characters + len(line), line
        characters += len(line)
        done = end


#: 'à' is C3 A0: the no-break space often becomes a plain one, alone ('Ã la carte') or before another ('voilÃ  le').
_LOST_SPACE = re.compile(rb"(\xc3)(?: (?= )|(?= ))")
#: More than three times was never seen.
_MOST_LEVELS = 3


def undo_line(line: str) -> dict[tuple[str, ...], str]:
    """Return what *line* may have been, by the encodings that its UTF-8 was read as, the last one first.

    A text that reads as UTF-8 once more, and then as nothing that people write, is half of a repair, and left out.
    """
    found: dict[tuple[str, ...], str] = {}
    level: dict[str, tuple[str, ...]] = {line: ()}
    seen = {line}
    halves: set[str] = set()
    for _ in range(_MOST_LEVELS):
        deeper: dict[str, tuple[str, ...]] = {}
        for text, chain in level.items():
            if text.isascii():
                continue
            undone = ((codec, _undo(text, codec)) for codec in _possible(text))
            originals = {codec: new for codec, new in undone if new is not None and new not in seen}
            for codec, original in originals.items():
                found[(*chain, codec)] = original
                deeper.setdefault(original, (*chain, codec))
            if originals and not any(map(is_written, originals.values())):
                halves.add(text)
        seen.update(deeper)
        level = deeper
    written = {text for text in seen if text not in halves and is_written(text)}
    return {chain: text for chain, text in found.items() if text in written}


def undo_by(line: str, chain: tuple[str, ...]) -> str | None:
    """Return what *line* was if it was read wrongly as *chain*; None where that cannot be."""
    text: str | None = line
    for codec in chain:
        text = None if text is None or text.isascii() else _undo(text, codec)
    return text if text is not None and is_written(text) else None


def redo(text: str, chain: tuple[str, ...], encoding: str = "utf-8") -> str | None:
    """Return *text*, of which the bytes were in *encoding*, read wrongly as *chain*, whose first is undone first."""
    try:
        for codec in reversed(chain):
            text = codecs.charmap_decode(text.encode(encoding), "strict", _table(codec))[0]
            encoding = "utf-8"
    except UnicodeEncodeError:
        return None
    return text


def _undo(text: str, codec: str) -> str | None:
    data = as_bytes(text, codec)
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
        return codecs.charmap_encode(text, "strict", _map(codec))[0]
    except UnicodeEncodeError:
        return None


def is_written(text: str) -> bool:
    """Whether people write such characters: by chance, sequences also mean controls, and letters of no language."""
    characters = set(text)
    if any(map(_UNWRITTEN.__getitem__, characters)) or ("\ufeff" in characters and "\ufeff" in text[1:]):
        return False
    if max(characters, default="") < "\u0370":
        return True
    foreign = len(_FOREIGN.findall(text))
    return 2 * foreign < max(1, sum(character > "\u036f" and character.isalpha() for character in text))


def _is_unwritten(character: str) -> bool:
    if character < "\x80":
        return False
    return unicodedata.category(character) in ("Cc", "Cn", "Co", "Cs") or bool(_RARE.match(character))


_UNWRITTEN = Remembered(_is_unwritten)
