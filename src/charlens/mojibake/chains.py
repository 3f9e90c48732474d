"""Undo mojibake in a line: UTF-8 that was decoded as a legacy encoding.

'Grüße' becomes 'GrÃ¼ÃŸe' in windows-1252, 'Привет' becomes 'РџСЂРёРІРµС‚' in windows-1251.  A line is undone as
a whole: all of its non-ASCII characters must be bytes of UTF-8 sequences.  `charlens.mojibake` decides whether the
result is likely enough.
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
from charlens.mojibake.cells import find_cells
from charlens.mojibake.oddness import Remembered

#: Encodings that UTF-8 is mistaken for: code pages of Windows and ISO, then of DOS, the Mac and Russia.  Bytes
#: that one does not define stand for themselves, as in browsers, so windows-1252 covers Latin-1 too.
#: Each has its log-probability, relative to the most common: 'pĂĄ' is 'på' by windows-1250 rather
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
#: Rare letters and scripts, which a few wrong letters can give by chance: phonetics, modifiers,
#: combining marks; Syriac, N’Ko to Mandaic; scripts of the Philippines; Mongolian to Vedic; braille; arrows
#: and Glagolitic to Coptic.
_RARE = re.compile(
    "[\u0250-\u02bb\u02bd-\u02ff\u0360-\u036f\u0700-\u077f\u07c0-\u08ff\u1700-\u177f\u1800-\u1dff\u2800-\u28ff\u2b00-\u2dff]"
)
#: A single letter of another script next to Latin ones: "l’écoutez" would be an Armenian letter read as Mac Roman,
#: "bilýäñmi" a Korean one read as cp850.  Kana and Chinese occur next to Latin letters, but rarely inside a word.
_FOREIGN = re.compile(
    "(?<=[A-Za-z])[\u0370-\u1cff\uac00-\ud7ff](?![^\\x00-\\x7f])"
    "|(?<![^\\x00-\\x7f])[\u0370-\u1cff\uac00-\ud7ff](?=[A-Za-z])"
    "|(?<=[A-Za-z])[\u2e80-\u9fff](?![^\\x00-\\x7f])"
)

_MAY_BE_FOREIGN = re.compile("[\u0370-\u1cff\uac00-\ud7ff\u2e80-\u9fff]")

#: A run of non-ASCII characters.
RUN = re.compile("[^\\x00-\\x7f]+")


@cache
def _signs(codec: str) -> tuple[str, ...]:
    """Return the characters of the bytes from 0x80 on; a byte that *codec* does not define stands for itself."""
    signs = (bytes((byte,)).decode(codec, "replace") for byte in range(0x80, 0x100))
    return tuple(chr(byte) if sign == "\ufffd" else sign for byte, sign in enumerate(signs, 0x80))


@cache
def _table(codec: str) -> str:
    """Return the characters of all bytes."""
    return "".join(map(chr, range(0x80))) + "".join(_signs(codec))


@cache
def _map(codec: str) -> Any:
    """Return the table for `codecs.charmap_encode` to get the bytes of *codec*."""
    return codecs.charmap_build(_table(codec))


class _Roles(NamedTuple):
    """For each character, the codecs (one bit each) in which it is a non-ASCII byte, a lead byte …"""

    any: dict[str, int]
    lead: dict[str, int]
    trail: dict[str, int]
    #: C3, whose no-break space (A0) may be lost.
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
    """Return the codecs that *text* may have been misread as: its characters fit, and its runs begin and end right."""
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
    """Return the tables for `kernel.misread`: the row of each character, and its byte in each code page."""
    rows: dict[int, bytearray] = {}
    for page, codec in enumerate(CODECS):
        for byte, sign in enumerate(_signs(codec), 0x80):
            rows.setdefault(ord(sign), bytearray(len(CODECS)))[page] = byte
    index = array("H", [len(rows)] * 0x10000)
    for number, code in enumerate(rows):
        index[code] = number
    return index.tobytes(), b"".join(rows.values())


#: Lines requested from the kernel at a time.
_LINES = 1000


def find_suspects(data: bytes) -> Iterator[tuple[int, int]]:
    """Yield the ranges of *data*, in UTF-8, that can be misread UTF-8 as a whole: lines, and cells of other lines."""
    at = 0
    while found := kernel.misread(data, *_pages(), len(CODECS), at, _LINES):
        for start, end in zip(found[::2], found[1::2], strict=True):
            yield from find_cells(data, at, start)
            yield start, end
            at = end
    yield from find_cells(data, at, len(data))


def find_suspect_lines(text: str) -> Iterator[tuple[int, int, str]]:
    """Yield the same ranges for *text*, with the lines."""
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
#: Text misread more than three times was never seen.
_MOST_LEVELS = 3


def undo_line(line: str) -> dict[tuple[str, ...], str]:
    """Return the possible repairs of *line*, by the chain of encodings that it was misread as, the last one first.

    If a result is misread UTF-8 again, but repairing that gives no real text, the result is left out.
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
    """Repair *line* with *chain*; return None if that is impossible."""
    text: str | None = line
    for codec in chain:
        text = None if text is None or text.isascii() else _undo(text, codec)
    return text if text is not None and is_written(text) else None


def redo(text: str, chain: tuple[str, ...], encoding: str = "utf-8") -> str | None:
    """Return *text*, whose bytes are in *encoding*, misread as *chain*: the opposite of a repair."""
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
    """Return the bytes of *text* in *codec*; None if it has other characters."""
    try:
        return codecs.charmap_encode(text, "strict", _map(codec))[0]
    except UnicodeEncodeError:
        return None


def is_written(text: str) -> bool:
    """Whether *text* has only characters in real use; a wrong repair can give controls and unassigned characters."""
    characters = set(text)
    if any(map(_UNWRITTEN.__getitem__, characters)) or ("\ufeff" in characters and "\ufeff" in text[1:]):
        return False
    if not _MAY_BE_FOREIGN.search(text):
        return True
    foreign = len(_FOREIGN.findall(text))
    return not foreign or 2 * foreign < max(
        1, sum(character > "\u036f" and character.isalpha() for character in text)
    )


def _is_unwritten(character: str) -> bool:
    if character < "\x80":
        return False
    return unicodedata.category(character) in ("Cc", "Cn", "Co", "Cs") or bool(_RARE.match(character))


_UNWRITTEN = Remembered(_is_unwritten)
