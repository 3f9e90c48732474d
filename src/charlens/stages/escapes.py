"""Recognise 7-bit text that is not ASCII: ISO-2022-JP and its family, ISO-2022-KR, HZ, UTF-7.

Each is proposed by its shift sequences and accepted only if the whole input decodes, a character cut off at the
end aside.  Everything here is linear: a wrong sequence ends the search for its encoding.
"""

from __future__ import annotations

import codecs
import re

from charlens.types import Buffer, EscapeForm, Scan

_CHUNK = 1 << 20

# The designations of ISO-2022-JP and its extensions: two-byte sets, and katakana.
_JAPANESE = re.compile(rb"\x1b(?:\$[@AB]|\$\([CDOPQ]|\(I|\.[AF])")
_KOREAN = re.compile(rb"\x1b\$\)C")
_HZ = re.compile(rb"~\{(?:[\x21-\x77][\x21-\x7e])+~\}")
_PLUS = re.compile(rb"\+")
_BASE64 = re.compile(rb"[A-Za-z0-9+/]*")

# From the smallest to the largest; the first that decodes everything is the answer.
_JAPANESE_FAMILY = (
    "iso2022_jp",
    "iso2022_jp_1",
    "iso2022_jp_2",
    "iso2022_jp_3",
    "iso2022_jp_2004",
    "iso2022_jp_ext",
)

# So many shifted runs are looked at before the whole input is decoded as UTF-7.
_RUNS = 32


def find_escapes(scan: Scan) -> EscapeForm | None:
    """Return the escape-based encoding that *scan*'s bytes are in, or ``None``."""
    if scan.non_ascii:
        return None
    seen, data = scan.seen, scan.data
    if seen >> 0x1B & 1:
        found = _find_iso2022(data)
        if found:
            return found
    if scan.blocked >= 0:
        return None  # NULs and controls are in none of those that follow
    if seen >> 0x7E & 1 and seen >> 0x7B & 1 and seen >> 0x7D & 1:
        found = _find_hz(data)
        if found:
            return found
    return _find_utf7(data) if seen >> 0x2B & 1 else None


def _find_iso2022(data: Buffer) -> EscapeForm | None:
    match = _KOREAN.search(data)
    if match and _decodes(data, "iso2022_kr"):
        return EscapeForm("iso2022_kr", 0.99, "announced by ESC $ ) C", match.start())
    match = _JAPANESE.search(data)
    if match:
        for encoding in _JAPANESE_FAMILY:
            if _decodes(data, encoding):
                shift = match.group()[1:].decode("ascii")
                return EscapeForm(encoding, 0.99, f"shifted by ESC {' '.join(shift)}", match.start())
    return None


def _find_hz(data: Buffer) -> EscapeForm | None:
    match = _HZ.search(data)
    if match and _decodes(data, "hz"):
        return EscapeForm("hz", 0.97, "pairs of GB 2312 between ~{ and ~}", match.start())
    return None


def _find_utf7(data: Buffer) -> EscapeForm | None:
    """Look at the runs behind '+': in UTF-7 every one of them is whole, in other text hardly any.

    A run must end on a whole UTF-16 unit with the bits left over zero, and name something that the sender could
    not have written plainly; '+-' is a plus sign.
    """
    first = -1
    position = 0
    for _ in range(_RUNS):
        plus = _PLUS.search(data, position)
        if not plus:
            break
        match = _BASE64.match(data, plus.end(), min(plus.end() + 4096, len(data)))
        run = match.group() if match else b""
        position = plus.end() + len(run)
        ended = bytes(data[position : position + 1])
        if not run and ended == b"-":
            continue
        if position < len(data) and not _is_shifted_run(run, ended):
            return None
        if first < 0 and position < len(data):
            first = plus.start()
    if first < 0 or not _decodes(data, "utf-7"):
        return None
    return EscapeForm("utf-7", 0.95, "every '+' opens a whole run of base64", first)


def _is_shifted_run(run: bytes, ended: bytes) -> bool:
    left_over = len(run) * 6 % 16
    if len(run) < 3 or left_over >= 6 or b"+" in run:
        return False
    try:
        text = (b"+" + run + b"-").decode("utf-7")
    except UnicodeDecodeError:
        return False
    # Letters and digits never need a run; controls and unassigned ranges do not come in text.
    plain = sum(character.isascii() and character.isalnum() for character in text)
    strange = sum(not character.isprintable() and not character.isspace() for character in text)
    # 'a+bcd-e' in code gives one CJK character and no more; demand its hyphen there.
    return not strange and plain < len(text) and (ended == b"-" or len(text) > 1)


def _decodes(data: Buffer, encoding: str) -> bool:
    """Whether the whole input decodes, a character cut off at the end aside."""
    decoder = codecs.getincrementaldecoder(encoding)()
    try:
        for start in range(0, len(data), _CHUNK):
            decoder.decode(bytes(data[start : start + _CHUNK]))
    except UnicodeDecodeError:
        return False
    return True
