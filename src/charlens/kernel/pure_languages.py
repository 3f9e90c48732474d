"""The language kernel in plain Python: letters of UTF-8 text by script, and a linear model over their n-grams.

`pure` re-exports it; it is a separate module because of its size.  The language stage decides what the sums mean, and
whether they are enough for an answer.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache
from itertools import accumulate, pairwise
from sys import byteorder
from typing import NamedTuple

from charlens.kernel.facts import FOLDED, MIX, PLACES, WORD, WORD_END
from charlens.types import Buffer

#: Numbers that describe a script, 32 bits each: see `languages`.
FIELDS = 8
_HEAD = 16

_MASK = 0xFFFFFFFF

_BEYOND_ASCII = re.compile(rb"[\x80-\xff]")
# A tag, or an element whose content is not prose; a reference such as &eacute;
_TAG = re.compile(rb"<[A-Za-z/!?]")
_SILENT = re.compile(rb"<(?:[sS][cC][rR][iI][pP][tT]|[sS][tT][yY][lL][eE])")
_REFERENCE = re.compile(rb"&#?[0-9A-Za-z]{1,8};")


class _Script(NamedTuple):
    """One row of the table of scripts."""

    letter: int
    wide: int
    classes: int
    first: int
    slots: int
    bits: int
    weights: int
    rows: int


def languages(data: Buffer, model: Buffer, most: int, characters: Buffer = b"") -> tuple[int, ...]:
    """Find the main script of *data*, in UTF-8, and score the languages that are written in it.

    With *characters*, *data* is single-byte text: they are the 256 code points of its encoding (see `_to_utf8`).

    *model* has, one after the other: four numbers of 32 bits, which are how many scripts, slots (an even number)
    and weights there are, and 0; 16 bits for each character under U+0600, what it is folded to, 0 for no letter; a
    byte for each 16 characters of the first plane, the number of their script from 1 on, 0 or one that is not there for
    none; the scripts; the slots; the weights, signed bytes.

    A script is eight numbers of 32 bits: what a letter counts against those of other scripts; whether its letters are
    wide (n-grams of one and two, else of three and whole words); how many classes it has; the number of the first;
    where its slots begin; how many there are as a power of two; where its rows of weights begin, one weight for each
    class; how many rows there are.  A slot has 16 bits: the row of the n-grams that fall into it, or one that is not
    there.

    Tags, references, and what is in `script` and `style` do not count.  Returns the number of the script, or 0; its
    letters; the letters of all; how many n-grams had a row; then class and sum of the *most* best classes, the best
    first, of equals the first.
    """
    if most < 0:
        raise ValueError("languages(): a number is out of range")
    letters, blocks, table, slots, weights = read_model(bytes(model))
    if len(characters):
        data = _to_utf8(data, characters)
    counter = _Counter(table, slots, weights)
    _read(bytes(data), letters, blocks, counter.push)
    best = max(
        range(len(table)),
        key=lambda number: (counter.count[number] * table[number].letter, -number),
        default=0,
    )
    if not table or not counter.count[best]:
        return 0, 0, 0, 0
    totals = counter.totals(best)
    ranked = sorted((-total, number) for number, total in enumerate(totals))[:most]
    flat = (value for total, number in ranked for value in (table[best].first + number, -total))
    return best + 1, counter.count[best], sum(counter.count), counter.found[best], *flat


def excerpt(data: Buffer, windows: int, size: int, ahead: int, back: int) -> bytes:
    """Return pieces of *data* from all over it: *windows* pieces of *size* bytes, a line ending between them.

    Every window begins *back* bytes before the first non-ASCII byte, if there is one at most *ahead* bytes
    further on, or else where its share of the input begins.  A window that begins within a tag loses the rest of it.
    """
    if not 0 < windows <= 64 or not 0 < size <= 4096 or ahead < 0 or back < 0:
        raise ValueError("excerpt(): a number is out of range")
    share = len(data) // windows
    pieces = []
    for start in range(0, share * windows, share or 1):
        end = start + share
        near = bytes(data[start : min(start + ahead, end)])
        beyond = _BEYOND_ASCII.search(near)
        first = max(start, start + beyond.start() - back) if beyond else start
        piece = bytes(data[first : min(first + size, end)])
        close, opening = piece.find(b">"), piece.find(b"<")
        if first and close >= 0 and not 0 <= opening < close:
            piece = piece[close + 1 :]
        pieces.append(piece)
    return b"\n".join(pieces)


_Parts = tuple[memoryview, bytes, list[_Script], memoryview, bytes]


@lru_cache(maxsize=2)
def read_model(model: bytes) -> _Parts:
    """Read the parts of a model and check its numbers; the weights are returned 128 larger, as unsigned bytes."""
    scripts, slots, weights, zero = (
        memoryview(model[:_HEAD]).cast("I") if len(model) >= _HEAD else (0, 1, 0, 0)
    )
    if scripts > 255 or slots % 2 or zero:
        raise ValueError("languages(): the parts of the model do not fit one another")
    sizes = (2 * FOLDED, 0x1000, 4 * FIELDS * scripts, 2 * slots, weights)
    if _HEAD + sum(sizes) != len(model):
        raise ValueError("languages(): the parts of the model do not fit one another")
    ends = list(accumulate(sizes, initial=_HEAD))
    letters, blocks, numbers, places, rows = (model[start:end] for start, end in pairwise(ends))
    flat = memoryview(numbers).cast("I")
    table = [_Script(*flat[at : at + FIELDS]) for at in range(0, len(flat), FIELDS)]
    for script in table:
        _check(script, slots, weights)
    unsigned = rows.translate(bytes(value ^ 0x80 for value in range(256)))
    return memoryview(letters).cast("H"), blocks, table, memoryview(places).cast("H"), unsigned


def _check(script: _Script, slots: int, weights: int) -> None:
    if (
        not 0 < script.classes <= 256
        or script.letter > 1000
        or script.first > 0xFFFF
        or script.bits > 16
        or (script.rows and not script.bits)
        or (script.bits and script.slots + (1 << script.bits) > slots)
        or script.rows > 0xFFFF
        or script.weights + script.rows * script.classes > weights
    ):
        raise ValueError("languages(): a script has numbers that are out of range")


class _Counter:
    """Adds up the rows of the n-grams by script, for a sequence of letters and gaps."""

    def __init__(self, table: list[_Script], slots: memoryview, weights: bytes) -> None:
        self._table = table
        self._slots = slots
        self._weights = weights
        self.count = [0] * len(table)
        self.found = [0] * len(table)
        self._sums = [0] * len(table)
        self._script = 0
        self._one = self._two = self._word = 0
        self._power = WORD

    def push(self, script: int, letter: int) -> None:
        """Take a *letter* of a *script*, or a gap: script 0."""
        if script > len(self._table):
            script = 0
        if script != self._script:
            self._end()
            self._script = script
        if script == 0:
            return
        self.count[script - 1] += 1
        if self._table[script - 1].wide:
            self._add(script, letter * PLACES[0])
            if self._one:
                self._add(script, self._one * PLACES[0] + letter * PLACES[1])
        else:
            if self._one:
                self._add_three(letter)
            self._word += letter * self._power
            self._power = self._power * WORD & _MASK
        self._two, self._one = self._one, letter

    def _end(self) -> None:
        if self._script and not self._table[self._script - 1].wide:
            self._add_three(0)
            self._add(self._script, self._word * WORD_END)
        self._one = self._two = self._word = 0
        self._power = WORD

    def _add_three(self, letter: int) -> None:
        self._add(self._script, self._two * PLACES[0] + self._one * PLACES[1] + letter * PLACES[2])

    def _add(self, number: int, value: int) -> None:
        script = self._table[number - 1]
        if not script.bits:
            return
        value &= _MASK
        place = ((value ^ value >> 15) * MIX & _MASK) >> (32 - script.bits)
        row = self._slots[script.slots + place]
        if row < script.rows:
            start = script.weights + row * script.classes
            # One large number holds all sums, 32 bits each: a signed byte less its sign bit is never negative.
            sums = bytearray(4 * script.classes)
            sums[::4] = self._weights[start : start + script.classes]
            self._sums[number - 1] += int.from_bytes(sums, "little")
            self.found[number - 1] += 1

    def totals(self, number: int) -> list[int]:
        """Return the sums of the classes of script *number*, from 0 on."""
        classes = self._table[number].classes
        totals = memoryview(self._sums[number].to_bytes(4 * classes, byteorder)).cast("I").tolist()
        return [value - 128 * self.found[number] for value in (totals if byteorder == "little" else totals[::-1])]


def _read(data: bytes, letters: memoryview, blocks: Buffer, push: Callable[[int, int], None]) -> None:
    """Pass every letter of *data* to *push*, and a gap between words."""
    at = 0
    tags = True  # whether another '>' may follow
    while at < len(data):
        byte = data[at]
        if byte < 0x80:
            letter = letters[byte]
            if letter:
                push(blocks[byte >> 4], letter)
                at += 1
                continue
            push(0, 0)
            if byte == 0x3C and tags and _TAG.match(data, at):
                at, tags = _skip_tag(data, at)
            elif byte == 0x26 and (reference := _REFERENCE.match(data, at)):
                at = reference.end()
            else:
                at += 1
            continue
        length, value = _character(data, at)
        letter = letters[value] if value < FOLDED else value
        script = blocks[value >> 4] if letter else 0
        push(script, letter)
        at += length
    push(0, 0)


def _skip_tag(data: bytes, at: int) -> tuple[int, bool]:
    """Return where to continue after the tag at *at*, and whether there was a '>' at all."""
    end = data.find(b">", at)
    if end < 0:
        return at + 1, False
    if _SILENT.match(data, at):
        end = data.find(b"</", end + 1)
        return (end if end >= 0 else len(data)), True
    return end + 1, True


def _character(data: bytes, at: int) -> tuple[int, int]:
    """Return the length and the value of the character at *at*; 0 for one that is broken or beyond the first plane."""
    lead = data[at]
    length = 2 if 0xC0 <= lead < 0xE0 else 3 if 0xE0 <= lead < 0xF0 else 4 if 0xF0 <= lead < 0xF8 else 1
    tail = data[at + 1 : at + length]
    if length == 1 or len(tail) < length - 1 or any(byte & 0xC0 != 0x80 for byte in tail):
        return 1, 0
    if length == 4:
        return 4, 0
    value = lead & (0xFF >> (length + 1))
    for byte in tail:
        value = value << 6 | byte & 0x3F
    return length, value


def _to_utf8(data: Buffer, characters: Buffer) -> bytes:
    """Return *data* as UTF-8; *characters* are 256 code points of 16 bits, one for each byte.

    0xFFFF and surrogates are not characters: such bytes are left out.
    """
    if len(memoryview(characters).cast("B")) != 512:
        raise ValueError("languages(): needs 256 characters of two bytes")
    points = memoryview(characters).cast("B").cast("H")
    return "".join([chr(points[byte]) for byte in bytes(data) if points[byte] != 0xFFFF]).encode("utf-8", "ignore")
