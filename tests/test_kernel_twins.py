"""The kernels agree: what `pure` defines, the native twin gives, with vector instructions and without.

Every function is compared on the same inputs, and `pure` itself against a definition so plain that it cannot be
wrong (Python's own decoder, a loop over the bytes).  Whether `walk` finds what a codec finds is in `test_walks`.
"""

from __future__ import annotations

import array
import codecs
import itertools
import os
import random
import struct
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from charlens import kernel
from charlens.encodings import all_encodings
from charlens.encodings.maps import single_byte_map
from charlens.encodings.sets import meanings, relatives_of_all
from charlens.encodings.walks import packed_tables, pair_masks, walk_table, walked_encodings
from charlens.kernel import pure, pure_words
from charlens.kernel.facts import CHARACTERS
from charlens.models import default_model
from charlens.models.characters import character_weights
from charlens.models.language_model import default_language_model
from charlens.stages.statistics.tables import tables_of
from charlens.stages.structure.tables import structure_tables
from charlens.training.words import pack_words

try:
    from charlens.kernel import _native
except ImportError:
    _native = None  # type: ignore[assignment]

BORDER = 1 << 20  # where `pure` cuts its chunks
ASKED = os.environ.get("CHARLENS_KERNEL", "")

# Where the native kernel was asked for, there is nothing to skip: then its absence is the failure.
needs_native = pytest.mark.skipif(
    _native is None and ASKED not in ("native", "portable"), reason="the native kernel is not built here"
)
SCANS = [
    pytest.param(pure.scan, id="pure"),
    pytest.param(getattr(_native, "scan", None), id="native", marks=needs_native),
    pytest.param(getattr(_native, "scan_portable", None), id="portable", marks=needs_native),
]
TWINS = [pytest.param(pure, id="pure"), pytest.param(_native, id="native", marks=needs_native)]
WEIGHTS = character_weights()
#: Weights that no two characters share by chance, with both signs and both ends.
ODD_WEIGHTS = bytes((value * 37 + (value >> 8) * 101) & 0xFF for value in range(65536))


# ---- inputs

#: The bytes around which the rules of UTF-8 turn.
EDGES = bytes.fromhex("C0 C1 C2 DF E0 A0 9F ED EF F0 8F 90 F4 F5 80 BF FE FF")
_CHARACTERS = [c.encode() for c in "é߿ࠀ中퟿\ue000\uffff𐀀😀\U0010ffff"]
_WRONG = [
    bytes.fromhex(h) for h in ("C080", "E09FBF", "EDA080", "EDBFBF", "F08FBFBF", "F4908080", "F5808080")
]
_pieces = st.one_of(
    st.sampled_from(_CHARACTERS),
    st.sampled_from(_CHARACTERS).map(lambda c: c[:-1]),
    st.sampled_from(_WRONG),
    st.sampled_from(_WRONG).map(lambda c: c[:-1]),
    st.sampled_from([b"\n", b"\r\n", b"\r", b"\0", b"\0\0", b"\x1b", b"\x0e", b"\x1f"]),
    st.integers(1, 70).map(lambda n: (b"The quick brown fox jumps over the lazy dog; " * 2)[:n]),
    st.sampled_from([bytes([edge]) for edge in EDGES]),
)


def one_odd(length: int, at: int, odd: int) -> bytes:
    """ASCII with one odd byte at any place."""
    data = bytearray(b"etaoin shrdlu cmfwyp vbgkqj xz. " * (length // 32 + 1))[:length]
    if data:
        data[at % length] = odd
    return bytes(data)


buffers = st.one_of(
    st.binary(max_size=200),
    st.lists(st.sampled_from(EDGES + b"a\n"), max_size=100).map(bytes),
    st.lists(_pieces, max_size=12).map(b"".join),
    st.builds(one_odd, st.integers(0, 300), st.integers(0, 299), st.integers(0, 255)),
)
long_buffers = st.one_of(
    buffers,
    st.builds(lambda piece, count, tail: piece * count + tail, buffers, st.integers(1, 40), buffers),
)
#: 16- and 32-bit units: letters, controls, surrogates in and out of order, both ends of everything.
_UNITS = (
    "0 1 7 9 A 1B 1F 41 7F 2DFF 2E00 4E2D D7FF D800 DBFF DC00 DFFF E000 FFFD FFFE FFFF "
    "10000 1F600 3FFFF 40000 10FFFF 110000 FFFFFFFF D8BF D8C0"
)
_units = st.sampled_from([int(unit, 16) for unit in _UNITS.split()])
unit_buffers = st.builds(
    lambda units, form, tail: (
        b"".join(struct.pack(form, u & (0xFFFF if "H" in form else u)) for u in units) + tail
    ),
    st.lists(_units, max_size=30),
    st.sampled_from(["<H", ">H", "<I", ">I"]),
    st.binary(max_size=3),
)


def placed(data: bytes, offset: int, around: int) -> memoryview:
    """The same bytes at another address, between bytes that would change the answer if they were read."""
    frame = bytes([around]) * 40
    return memoryview(frame[:offset] + data + frame)[offset : offset + len(data)]


placements = st.tuples(st.integers(0, 33), st.sampled_from([0x80, 0x00, 0x0A, 0xF0, 0x01]))


# ---- scan


def naive_scan(data: bytes) -> tuple[int, int, int, int, int, int, int, int, int, int, bytes]:
    """What `scan` counts, by the letter of its description."""
    blocked = [*range(7), *range(14, 26), *range(28, 32)]
    error, cut = -1, 0
    try:
        data.decode("utf-8")
    except UnicodeDecodeError as found:
        error, cut = found.start, 0
        if found.reason == "unexpected end of data":
            error, cut = -1, len(data) - found.start
    return (
        sum(1 << value for value in set(data)),
        next((i for i, byte in enumerate(data) if byte in blocked), -1),
        sum(byte >= 0x80 for byte in data),
        sum(byte >= 0xC0 for byte in data),
        error,
        cut,
        data[0::2].count(0),
        data[1::2].count(0),
        sum(byte in (10, 13) for byte in data[0::2]),
        sum(byte in (10, 13) for byte in data[1::2]),
        b"".join(data.find(value).to_bytes(8, sys.byteorder, signed=True) for value in range(32)),
    )


@pytest.mark.parametrize("scan", SCANS)
@given(data=long_buffers, placement=placements)
@example(data=b"\xed\xa0", placement=(0, 0x80))
@example(data=b"a" * 31 + b"\xf0\x90\x80", placement=(1, 0x80))
def test_scan_counts_what_its_description_says(
    scan: Callable[[Any], Any], data: bytes, placement: tuple[int, int]
) -> None:
    """Every twin of `scan` gives what a plain loop gives, wherever in memory the bytes are."""
    assert scan(placed(data, *placement)) == naive_scan(data)


def patterns() -> dict[str, bytes]:
    """Inputs of 200 bytes of which every beginning is worth a look."""
    return {
        "ascii": b"etaoin shrdlu cmfwyp vbgkqj xz. " * 7,
        "lines": b"one\r\ntwo\nthree\r" * 14,
        "nuls": b"a\0b\0\0c" * 34,
        "utf8-2": "aé".encode() * 67,
        "utf8-3": "中文a".encode() * 29,
        "utf8-4": "😀𐀀".encode() * 25,
        "bad": b"abc\xe9 def" * 25,
        "edges": EDGES * 12,
    }


@pytest.mark.parametrize("scan", SCANS[1:])
@pytest.mark.parametrize("name", patterns())
def test_scan_at_every_length_and_every_alignment(scan: Callable[[Any], Any], name: str) -> None:
    """Lengths 0 to 64 and around 96, 128 and 160 at all 34 offsets: nothing outside the slice is read."""
    pattern = patterns()[name]
    for length in (*range(65), *range(94, 99), *range(126, 131), *range(158, 163)):
        expected = pure.scan(pattern[:length])
        for offset in range(34):
            assert scan(placed(pattern[:length], offset, 0x80)) == expected, (length, offset)


@pytest.mark.parametrize("scan", SCANS)
@pytest.mark.parametrize("length", [33, 64, 65, 100, 130, 200, 16_400])
def test_scan_finds_one_odd_byte_wherever_it_is(scan: Callable[[Any], Any], length: int) -> None:
    """One NUL, line ending, blocked or high byte in a run of ASCII is counted, at any place of it."""
    places = (
        range(length) if length < 1000 else (0, 1, 8191, 8192, 16_255, 16_256, 16_319, 16_320, length - 1)
    )
    for odd, at in itertools.product((0, 1, 0x0A, 0x0D, 0x1F, 0x80, 0xC3), places):
        data = one_odd(length, at, odd)
        seen, blocked, high, leads, error, cut, *parity, first = scan(data)
        last_lead = odd == 0xC3 and at == length - 1
        assert seen >> odd & 1
        assert blocked == (at if odd in (0, 1, 0x1F) else -1)
        assert (high, leads) == (int(odd >= 0x80), int(odd >= 0xC0))
        assert (error, cut) == ((at if odd >= 0x80 and not last_lead else -1), int(last_lead))
        assert parity == [int(odd in v and at % 2 == p) for v in ((0,), (10, 13)) for p in (0, 1)]
        assert odd >= 0x20 or int.from_bytes(first[8 * odd : 8 * odd + 8], sys.byteorder, signed=True) == at


@pytest.mark.parametrize("scan", SCANS)
@pytest.mark.parametrize("byte", [0x0A, 0x0D, 0x00, 0x80, 0xC0])
def test_scan_counts_a_long_run_of_one_byte(scan: Callable[[Any], Any], byte: int) -> None:
    """Twenty thousand line endings, NULs or high bytes in a row are all counted: no counter runs over."""
    data = b"ab\n\r" * 20 + bytes([byte]) * 20_001
    assert scan(data) == naive_scan(data)


# Places in ASCII where a sequence lies in one block of 32, over the seam of two, and alone.
_PLACES = {"pure": (-1,), "native": (-1, 3, 28, 29, 30, 31), "portable": (-1, 5)}


def sequences(length: int) -> Iterator[bytes]:
    """All sequences of two bytes; of three and four those whose tails are at the borders."""
    tails = bytes.fromhex("41 7F 80 8F 90 9F A0 BF C0")
    if length == 2:
        yield from map(bytes, itertools.product(range(256), repeat=2))
    elif length == 3:
        yield from map(bytes, itertools.product(range(0xC0, 0x100), range(0x70, 0xD0), tails))
    else:
        leads, seconds = bytes.fromhex("E0 ED EF F0 F1 F3 F4 F5 FF"), range(0x7E, 0xC2)
        yield from map(bytes, itertools.product(leads, seconds, tails, tails))


@pytest.mark.parametrize("length", [2, 3, 4])
@pytest.mark.parametrize("scan", SCANS)
def test_utf_8_is_judged_as_python_s_decoder_judges_it(
    scan: Callable[[Any], Any], length: int, request: pytest.FixtureRequest
) -> None:
    """The first error and a cut-off tail are where Python's decoder has them, for every kind of sequence."""
    which = request.node.callspec.id.split("-")[0]
    for sequence, place in itertools.product(sequences(length), _PLACES[which]):
        if place < 0:
            data = sequence
        else:
            data = (
                b"a" * place + sequence + (b"a" * (64 - place - length) if which == "native" else b"aaaaaaaa")
            )
        assert scan(data)[4:6] == naive_utf8(data), data


def naive_utf8(data: bytes) -> tuple[int, int]:
    try:
        data.decode("utf-8")
    except UnicodeDecodeError as found:
        if found.reason == "unexpected end of data":
            return -1, len(data) - found.start
        return found.start, 0
    return -1, 0


@pytest.mark.parametrize("scan", SCANS)
@pytest.mark.parametrize("size", [BORDER - 1, BORDER, BORDER + 1, BORDER + 3])
def test_scan_around_the_border_of_a_megabyte(scan: Callable[[Any], Any], size: int) -> None:
    """Characters, errors, NULs and line endings beside and across the cut of the chunks count once, where they are."""
    base = bytearray(b"etaoin shrdlu cmfwyp vbgkqj xz. " * (size // 32 + 1))[:size]
    for middle, shift in (("é", 1), ("中", 1), ("中", 2), ("😀", 1), ("😀", 2), ("😀", 3)):
        data = bytearray(base)
        character = middle.encode()
        start = min(BORDER, size) - shift
        data[start : start + len(character)] = character
        data = data[:size]
        left = min(len(character), size - start)
        expected = (-1, 0) if left == len(character) else (-1, left)
        assert scan(data)[4:6] == expected, (middle, shift)
    for at, odd in (
        (BORDER - 1, 0),
        (BORDER, 0),
        (BORDER, 13),
        (BORDER + 1, 13),
        (BORDER, 0x80),
        (size - 1, 0),
    ):
        if at < size:
            data = bytearray(base)
            data[at] = odd
            result = scan(data)
            assert result.utf8_error == (at if odd == 0x80 else -1)
            assert result.blocked == (at if odd == 0 else -1)
            assert result[6:10] == tuple(int(odd == v and at % 2 == p) for v in (0, 13) for p in (0, 1))


# ---- damage


def naive_damage(data: bytes) -> list[tuple[int, int]]:
    """What Python's decoder hands to an error handler, a cut at the end aside."""
    spans: list[tuple[int, int]] = []

    def note(error: UnicodeError) -> tuple[str, int]:
        assert isinstance(error, UnicodeDecodeError)
        if error.reason != "unexpected end of data":
            spans.append((error.start, error.end))
        return "", error.end

    codecs.register_error("charlens-test-note", note)
    data.decode("utf-8", "charlens-test-note")
    return spans


@pytest.mark.parametrize("twin", TWINS)
@given(data=long_buffers, placement=placements)
@example(data=b"\xed\xa0", placement=(0, 0x80))
@example(data=b"\xe2\x82\xff\xf0\x9f\x98", placement=(3, 0x80))
def test_damage_lists_what_python_s_decoder_stumbles_over(
    twin: Any, data: bytes, placement: tuple[int, int]
) -> None:
    """The bad ranges are those of `bytes.decode` with an error handler, and the good sequences are the rest."""
    good, bad, stopped, flat = twin.damage(placed(data, *placement), 0, 0, 0, 0, 100_000)
    spans = list(zip(flat[::2], flat[1::2], strict=True))
    assert spans == naive_damage(data)
    assert (bad, stopped) == (len(spans), -1)
    rest = data.decode("utf-8", "ignore")
    assert good == sum(not character.isascii() for character in rest)


@needs_native
@settings(max_examples=200)
@given(
    data=long_buffers,
    start=st.integers(0, 300),
    numbers=st.tuples(st.integers(0, 50), st.integers(0, 5), st.integers(0, 40), st.integers(0, 5)),
    placement=placements,
)
def test_damage_gives_up_at_the_same_place(
    data: bytes, start: int, numbers: tuple[int, int, int, int], placement: tuple[int, int]
) -> None:
    """Both twins of `damage` stop at the same bad range and list the same ones, for any patience."""
    view = placed(data, *placement)
    assert _native.damage(view, start, *numbers) == pure.damage(view, start, *numbers)


def test_damage_stops_as_soon_as_it_is_too_much() -> None:
    """With one bad range allowed for two good sequences and no slack, the first bad one ends the search."""
    data = b"abc \xff def \xff"
    assert kernel.damage(data, 0, 0, 2, 0, 10) == (0, 1, 5, (4, 5))
    assert kernel.damage(data, 0, 0, 2, 2, 10) == (0, 2, 11, (4, 5, 10, 11))
    assert kernel.damage(data, 0, 4, 2, 0, 1) == (4, 2, -1, (4, 5))


# ---- walk


@needs_native
@pytest.mark.parametrize("name", walked_encodings())
@settings(max_examples=20)
@given(data=long_buffers, placement=placements)
def test_walk_is_the_same_in_both(name: str, data: bytes, placement: tuple[int, int]) -> None:
    """Both twins of `walk` stop at the same sequence and count the same, in every encoding."""
    view = placed(data, *placement)
    assert _native.walk(view, walk_table(name)) == pure.walk(view, walk_table(name))


@needs_native
@given(
    ascii_columns=st.tuples(st.integers(0, 3), st.integers(0, 3)),
    cells=st.lists(st.sampled_from([0, 0, 0, 1, 2, 255]), min_size=12, max_size=12),
    data=buffers,
)
def test_walk_is_the_same_on_any_table(ascii_columns: tuple[int, int], cells: list[int], data: bytes) -> None:
    """Tables in which ASCII has separate states give the same walk: the shortcut for ASCII is not used for them."""
    table = bytes(ascii_columns) * 64 + bytes(range(4)) * 32 + bytes(cells)
    assert _native.walk(data, table) == pure.walk(data, table)


# ---- weigh


def naive_weigh(data: bytes, width: int, big: int, table: bytes) -> tuple[int, int, int, int, int]:
    """What `weigh` counts, one unit after the other, by the letter of its description."""
    units = [
        int.from_bytes(data[at : at + width], "big" if big else "little")
        for at in range(0, len(data) - width + 1, width)
    ]
    blocked = [*range(7), *range(14, 26), *range(28, 32), 0xFFFE, 0xFFFF, *range(0xD800, 0xE000)]
    points: list[int] = []
    faults = at = left = 0
    while at < len(units):
        unit, following = units[at], units[at + 1] if at + 1 < len(units) else None
        if width == 2 and 0xD800 <= unit < 0xDC00 and following is None:
            left = 2
        elif (
            width == 2 and 0xD800 <= unit < 0xDC00 and following is not None and 0xDC00 <= following < 0xE000
        ):
            points.append(0x10000 + ((unit - 0xD800) << 10) + following - 0xDC00)
            at += 1
        elif unit in blocked or unit > 0x10FFFF:
            faults += 1
        else:
            points.append(unit)
        at += 1
    # The planes 1 to 3 share a weight, and all beyond them another.
    signed = [table[p if p < 0x10000 else 0xD800 if p < 0x40000 else 0xDC00] for p in points]
    weight = sum(value - 256 if value > 127 else value for value in signed)
    wide = sum(point >= 0x2E00 for point in points)
    return len(points), weight, wide, faults, left + len(data) % width


@pytest.mark.parametrize("twin", TWINS)
@given(
    data=st.one_of(unit_buffers, buffers),
    shape=st.tuples(st.sampled_from([2, 4]), st.sampled_from([0, 1])),
    placement=placements,
)
@example(data=b"\x00\xd8\x00", shape=(2, 0), placement=(1, 0x80))
@example(data=b"\x00\xd8\x00\xd8\x00\xdc", shape=(2, 0), placement=(0, 0))
def test_weigh_counts_what_its_description_says(
    twin: Any, data: bytes, shape: tuple[int, int], placement: tuple[int, int]
) -> None:
    """Every twin of `weigh` gives what a plain loop over the units gives, wherever in memory they are."""
    assert twin.weigh(placed(data, *placement), *shape, ODD_WEIGHTS) == naive_weigh(data, *shape, ODD_WEIGHTS)


@pytest.mark.parametrize("twin", TWINS)
@pytest.mark.parametrize("shape", [(2, 0), (2, 1), (4, 0), (4, 1)])
def test_weigh_knows_the_ends_of_every_range(twin: Any, shape: tuple[int, int]) -> None:
    """Each unit at which a rule begins or ends, alone and in a pair of surrogates, counts as described."""
    width, big = shape
    order, code = ">" if big else "<", "H" if width == 2 else "I"
    ends = (
        0,
        6,
        7,
        13,
        14,
        25,
        26,
        27,
        28,
        31,
        32,
        0x2DFF,
        0x2E00,
        0xD7FF,
        0xD800,
        0xDBFF,
        0xDC00,
        0xDFFF,
        0xE000,
    )
    ends += (
        0xFFFD,
        0xFFFE,
        0xFFFF,
        0x10000,
        0x3FFFF,
        0x40000,
        0x10FFFF,
        0x110000,
        0x7FFFFFFF,
        0x80000000,
        0xFFFFFFFF,
    )
    units = [struct.pack(order + code, end) for end in ends if width == 4 or end < 0x10000]
    pairs = [
        (0xD800, 0xDC00),
        (0xD8BF, 0xDFFF),
        (0xD8C0, 0xDC00),
        (0xDBFF, 0xDFFF),
        (0xDC00, 0xD800),
        (0xD800, 0x41),
    ]
    units += [struct.pack(order + 2 * code, *pair) for pair in pairs]
    for unit in units:
        assert twin.weigh(unit, *shape, ODD_WEIGHTS) == naive_weigh(unit, *shape, ODD_WEIGHTS), unit


@pytest.mark.parametrize("twin", TWINS)
@pytest.mark.parametrize("form", ["utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be"])
@given(
    text=st.text(
        st.characters(exclude_categories=["Cs", "Cc"], exclude_characters="\ufffe\uffff"), max_size=80
    )
)
def test_weigh_counts_the_characters_of_text(twin: Any, form: str, text: str) -> None:
    """In text without controls there is no fault, nothing left over, and a character for each that was written."""
    width, big = int(form[4:6]) // 8, int(form.endswith("be"))
    characters, _, wide, faults, left = twin.weigh(text.encode(form), width, big, WEIGHTS)
    assert (characters, faults, left) == (len(text), 0, 0)
    assert wide == sum(ord(character) >= 0x2E00 for character in text)


@pytest.mark.parametrize("twin", TWINS)
@pytest.mark.parametrize("size", [BORDER - 1, BORDER, BORDER + 1, BORDER + 2])
def test_weigh_around_the_border_of_a_megabyte(twin: Any, size: int) -> None:
    """A pair of surrogates, or a lone one, across the cut of the chunks counts once, where it is."""
    base = "中".encode("utf-16-le") * (size // 2 + 1)
    weight, astral = (int.from_bytes(ODD_WEIGHTS[at : at + 1], "big", signed=True) for at in (0x4E2D, 0xD800))
    at, units = BORDER - 2, size // 2
    pair = "😀".encode("utf-16-le")
    data = (base[:at] + pair + base[at + 4 :])[:size]
    whole, left = (units - 1, 0) if at + 4 <= size else (at // 2, size - at)
    pairs = int(at + 4 <= size)
    expected = (whole, (whole - pairs) * weight + pairs * astral, whole, 0, left or size % 2)
    assert twin.weigh(data, 2, 0, ODD_WEIGHTS) == expected
    if at + 4 <= size:  # a high surrogate that no low one follows
        data = (base[:at] + pair[:2] + base[at + 2 :])[:size]
        expected = (units - 1, (units - 1) * weight, units - 1, 1, size % 2)
        assert twin.weigh(data, 2, 0, ODD_WEIGHTS) == expected


@pytest.mark.parametrize("chunk", [4, 8, 12])
@settings(max_examples=40)
@given(data=st.one_of(unit_buffers, buffers))
def test_it_does_not_matter_where_the_chunks_are_cut(chunk: int, data: bytes) -> None:
    """The plain kernel counts the same with tiny chunks: nothing is lost or counted twice at a border."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pure, "_CHUNK", chunk)
        assert pure.scan(data) == naive_scan(data)
        for shape in ((2, 0), (2, 1), (4, 0), (4, 1)):
            assert pure.weigh(data, *shape, ODD_WEIGHTS) == naive_weigh(data, *shape, ODD_WEIGHTS)


# ---- score


def small_model(
    seed: int, features: int, classes: int, levels: int
) -> tuple[tuple[bytes, ...], tuple[int, int], tuple[bytes, tuple[int, ...]]]:
    """A model over pairs of few bytes, which short input has: the model, the sets and the beginning for `score`."""
    some = random.Random(seed)
    pairs = array.array("H", [0xFFFF]) * 65536
    for first, second in itertools.product(b"ae \n\xe4\xfc\x80\xff\xc3", repeat=2):
        if first >= 0x80 or second >= 0x80:
            pairs[first << 8 | second] = some.choice([0xFFFF, some.randrange(features)])
    most = some.choice([16, 255])  # up to 16 the native twin adds in batches
    wide = some.sample(range(classes), min(classes, seed % 4))
    characters = (some.randbytes(CHARACTERS * len(wide)), array.array("H", wide).tobytes())
    model = (
        pairs.tobytes(),
        some.randbytes(features * classes) if seed % 5 else b"\x80" * features * classes,
        bytes(some.randint(0, most) for _ in range(levels)),
        b"".join((1 << some.randrange(128)).to_bytes(16, "little") for _ in range(classes)),
        bytes(some.randrange(256) for _ in range(classes)),
        *characters,
    )
    possible = some.getrandbits(128) | some.getrandbits(128)
    bias = array.array("i", [some.randrange(-100_000, 100_000) for _ in range(classes)]).tobytes()
    nudges: tuple[int, ...] = ()
    for _ in range(seed % 4):
        nudges += (some.getrandbits(128), some.getrandbits(256), some.randrange(-50_000, 50_000))
    return model, (possible, some.getrandbits(128)), (bias, nudges)


@needs_native
@settings(max_examples=300)
@given(
    data=st.one_of(buffers, st.lists(st.sampled_from(b"ae \n\xe4\xfc\x80\xff\xc3"), max_size=400).map(bytes)),
    shape=st.tuples(st.integers(0, 1000), st.integers(1, 60), st.integers(1, 70), st.integers(1, 255)),
    limits=st.tuples(
        st.integers(0, 80), st.sampled_from([0, 1, 500, 100_000, 2**31]), st.sampled_from([0, 1, 70_000])
    ),
    windows=st.one_of(st.just((0, 0)), st.tuples(st.integers(0, 120), st.integers(0, 90))),
    placement=placements,
)
def test_score_is_the_same_in_both(
    data: bytes,
    shape: tuple[int, int, int, int],
    limits: tuple[int, int, int],
    windows: tuple[int, int],
    placement: tuple[int, int],
) -> None:
    """Both twins of `score` give the same classes, in the same order, with the same scores, for any model."""
    view, model = placed(data, *placement), small_model(*shape)
    assert _native.score(view, *model, windows, limits) == pure.score(view, *model, windows, limits)


@needs_native
@given(
    data=st.lists(st.sampled_from(b"ae \n\xe4\xfc\x80\xff\xc3"), max_size=100).map(bytes),
    shape=st.tuples(st.integers(0, 1000), st.integers(1, 60), st.integers(1, 70), st.integers(1, 255)),
    families=st.integers(1, 6),
    reach=st.sampled_from([-(2**63), -1, 0, 500, 100_000, 2**31]),
    placement=placements,
)
def test_families_are_scored_the_same_in_both(
    data: bytes, shape: tuple[int, int, int, int], families: int, reach: int, placement: tuple[int, int]
) -> None:
    """Both twins give the best class of each family, whether or not its classes are neighbours."""
    view, (model, (possible, _), (bias, _)) = placed(data, *placement), small_model(*shape)
    members = model[3]
    own = [members[16 * (n % families) :][:16] or members[:16] for n in range(len(members) // 16)]
    model = (*model[:3], b"".join(own), *model[4:])
    found = pure.score_families(view, model, bias, possible, reach)
    assert _native.score_families(view, model, bias, possible, reach) == found
    everything = pure.score(view, model, (possible, 0), (bias, ()), (0, 0), (len(own), reach, 0))[2]
    kept = [own[number] for number in found[2][::2]]
    assert len(kept) == len(set(kept)) and set(kept) == {own[number] for number in everything[::2]}
    assert found[2][:2] == everything[:2]


@needs_native
def test_the_model_that_ships_scores_the_same_in_both() -> None:
    """Texts with hundreds of different pairs, which go in batches, get the same scores from both twins."""
    model = default_model()
    begin = (bytes(4 * len(model.classes)), ())
    everything = ((1 << 128) - 1, 0)
    for text, name in (
        ("Съешь же ещё этих мягких булок. ", "cp1251"),
        ("いろはにほへと散りぬるを。", "cp932"),
    ):
        data = bytes(random.Random(1).choices(text.encode(name), k=5000)) + text.encode(name)
        for windows in ((0, 0), (700, 300)):
            arguments = (data, model.parts, everything, begin, windows, (50, 10**6, 0))
            assert _native.score(*arguments) == pure.score(*arguments)
            assert pure.score(*arguments)[1] > 50


# ---- several walks at once, sets of byte values

ALL_TABLES = tuple(map(walk_table, walked_encodings()))
#: All tables that there can be, as a set.
ALIVE = (1 << 32) - 1


@needs_native
@settings(max_examples=300)
@given(
    data=st.one_of(
        buffers,
        st.lists(st.sampled_from(b"ab 0\x40\x81\x8e\x8f\xa1\xb0\xc4\xe0\xfe"), max_size=200).map(bytes),
        st.builds(
            lambda text, name: text.encode(name, "ignore"),
            st.text("漢字かなカナあabc 0中文測試한글어조合一", max_size=120),
            st.sampled_from(walked_encodings()),
        ),
    ),
    placement=placements,
    starts=st.one_of(st.just(0), st.integers(0, (1 << 2 * len(ALL_TABLES)) - 1)),
    alive=st.one_of(st.just((1 << 32) - 1), st.integers(0, (1 << len(ALL_TABLES)) - 1)),
)
def test_several_walks_at_once_are_the_same_in_both(
    data: bytes, placement: tuple[int, int], starts: int, alive: int
) -> None:
    """Walking all multi-byte encodings together finds for each what walking it alone finds, in both twins."""
    view = placed(data, *placement)
    found = _native.walk_all(view, packed_tables(), pair_masks(), starts, alive)
    assert found == pure.walk_all(view, packed_tables(), pair_masks(), starts, alive)
    alone: list[int] = []
    for number, table in enumerate(ALL_TABLES):
        start = min(starts >> 2 * number & 3, len(data))
        error, cut, _ = pure.walk(view[start:], table) if alive >> number & 1 else (-1, 0, 0)
        alone += (error if error < 0 else start + error, cut)
    assert found == tuple(alone)


@needs_native
@pytest.mark.parametrize("at", [0, 1, 62, 63, 64, 65, 127, 128, 1000, 1001])
@pytest.mark.parametrize("name", ["gb18030", "cp932", "euc_jp", "cp949"])
def test_an_oddity_is_found_at_every_place_of_a_block(name: str, at: int) -> None:
    """A wrong, a long or a single high byte in long text is found where it is, however it lies to a block of 64."""
    text = ("漢字中文" * 300).encode(name, "ignore") or ("한글" * 600).encode(name)
    for odd in (b"\xff", b"\x80", b"\x8f\xa1\xa1", b"\x81\x30\x81\x30", b"\xb1", b" "):
        data = text[: at - at % 2] + b"a" * (at % 2) + odd + text
        arguments = (data, packed_tables(), pair_masks(), 0, ALIVE)
        assert _native.walk_all(*arguments) == pure.walk_all(*arguments)


@needs_native
@given(values=st.lists(st.integers(0, 255), max_size=60), number=st.integers(0, 127), seed=st.integers(0, 3))
def test_the_encodings_that_read_the_same_are_those_whose_characters_are_the_same(
    values: list[int], number: int, seed: int
) -> None:
    """Both twins find what comparing the characters one by one finds, with the built-in tables and with others."""
    points, own = meanings(), relatives_of_all()
    if seed:
        some = random.Random(seed)
        points = array.array("H", (some.choice((65, 66, 0xFFFF)) for _ in range(256 * 128))).tobytes()
    seen = sum(1 << value for value in set(values))
    found = pure.same_reading(seen, number, points, own)
    assert _native.same_reading(seen, number, points, own) == found
    table = memoryview(points).cast("H")
    same = {
        other
        for other in range(128)
        if all(table[128 * v + number] == table[128 * v + other] != 0xFFFF for v in set(values))
    }
    if not any(own[16 * number : 16 * number + 16]):
        assert found == sum(1 << other for other in {*same, number})


def judge_calls(data: bytes, some: random.Random) -> tuple[Any, ...]:
    """Arguments of `judge_legacy` that fit *data*, or do not."""
    seen = pure.scan(data).seen
    beyond = pure.scan(data).non_ascii
    possible = pure.candidates(data, seen, *structure_tables().kernel)[0]
    given = (some.getrandbits(128), some.getrandbits(256), some.uniform(-9, 9)) * some.randrange(3)
    strays = (1 << some.randrange(90), some.getrandbits(256), some.getrandbits(128)) * some.randrange(3)
    sets = some.choice(((possible, 0), (possible, some.getrandbits(128)), (some.getrandbits(128), 0), (0, 0)))
    amount = some.choice((beyond, beyond, some.randrange(1, 40), 3000))
    return (seen, amount, *sets), given, strays


@needs_native
@given(data=buffers, seed=st.integers(0, 1000))
def test_both_judges_give_the_same_texts(data: bytes, seed: int) -> None:
    """The same classes, floats to the last bit, texts and evidence, whatever the other facts are."""
    arguments = tables_of(default_model()).arguments
    rest = judge_calls(data, random.Random(seed))
    ours = _native.judge_legacy(_native.JudgeTables(*arguments), data, *rest)
    assert ours == pure.judge_legacy(pure.JudgeTables(*arguments), data, *rest)


@needs_native
@pytest.mark.parametrize(
    "text", ["Größe und Übermut", "¡Hola! ¿Qué tal?", "1998 © x", "ваши слова", "naïve " * 200, "日本語ab"]
)
@pytest.mark.parametrize("encoding", ["cp1252", "cp1251", "cp932", "gbk", "cp437"])
def test_both_judges_read_words_the_same(text: str, encoding: str) -> None:
    """Short and long text, with words around and without, in the usual encodings."""
    data = text.encode(encoding, "replace")
    arguments = tables_of(default_model()).arguments
    for seed in range(8):
        rest = judge_calls(data, random.Random(seed))
        ours = _native.judge_legacy(_native.JudgeTables(*arguments), data, *rest)
        assert ours == pure.judge_legacy(pure.JudgeTables(*arguments), data, *rest)


@pytest.mark.parametrize("twin", TWINS)
def test_tables_that_do_not_fit_are_refused(twin: Any) -> None:
    """A table that is cut short, or a constant out of range, is an error when the tables are made."""
    arguments = list(tables_of(default_model()).arguments)
    for place in range(1, 8):
        wrong = arguments.copy()
        table = wrong[place]
        wrong[place] = (table[0][:-8], *table[1:]) if isinstance(table, tuple) else table[:-8]
        with pytest.raises(ValueError, match=r"tables|model"):
            twin.JudgeTables(*wrong)
    for change in ({"most_classes": 65}, {"whole": 1 << 20}, {"piece": 4096}, {"doubt": 1e9}, {"left": 0.0}):
        with pytest.raises(ValueError, match="fit"):
            twin.JudgeTables(*arguments[:-1], arguments[-1]._replace(**change))


@needs_native
@given(data=buffers, placement=placements, seed=st.integers(0, 1000))
def test_candidates_are_the_same_in_both(data: bytes, placement: tuple[int, int], seed: int) -> None:
    """Both twins find the same encodings by byte values and by walks, and the same walks as walking alone."""
    view = placed(data, *placement)
    some = random.Random(seed)
    rare = [some.getrandbits(256) & some.getrandbits(256) & -(some.random() < 0.02) for _ in range(256)]
    columns = b"".join(each.to_bytes(32, "little") for each in rare)
    owners = bytes(some.sample(range(128), len(ALL_TABLES)))
    arguments = (view, pure.scan(data).seen, columns, packed_tables(), pair_masks(), owners)
    found = _native.candidates(*arguments)
    assert found == pure.candidates(*arguments)
    walked = tuple(memoryview(found[3]).cast("q"))
    assert walked == pure.walk_all(view, packed_tables(), pair_masks(), 0, ALIVE)
    assert found[2] == sum(1 << owner for owner, cut in zip(owners, walked[1::2], strict=True) if cut)


@needs_native
@given(
    data=st.binary(max_size=200),
    values=st.sets(st.integers(0, 255), max_size=9),
    most=st.integers(0, 30),
    placement=placements,
)
@example(data=b"a b a", values={0x20, 0x61}, most=2, placement=(0, 0))
@example(data=b"a b a", values={0x20, 0x61}, most=4, placement=(0, 0))
def test_values_are_found_by_both(
    data: bytes, values: set[int], most: int, placement: tuple[int, int]
) -> None:
    """Both twins find the same places of some byte values, and none if there are too many."""
    view, wanted = placed(data, *placement), sum(1 << value for value in values)
    found = _native.find_values(view, wanted, most)
    assert found == pure.find_values(view, wanted, most)
    places = tuple(at for at, value in enumerate(data) if value in values)
    assert found == (places if len(places) <= most else ())


@needs_native
@given(
    words=st.lists(st.sampled_from(("ģimene", "über", "ü", "word", "電話", "")), max_size=9),
    known=st.sets(st.sampled_from(("ģimene", "über", "ü", "word", "電話")), max_size=5),
    width=st.integers(1, 2),
    table=st.none() | st.binary(max_size=30).map(lambda data: data * 3),
    placement=placements,
)
@example(words=[], known=set(), width=1, table=b"", placement=(0, 0))
def test_known_words_are_found_by_both(
    words: list[str], known: set[str], width: int, table: bytes | None, placement: tuple[int, int]
) -> None:
    """Both twins give the same points, for any table; in a packed set, those of the known non-ASCII words."""
    salts, points = struct.pack("=2I", 7, 0xFFFFFFFF), bytes((0, 1, 5, 9, 20))
    letters = {word: struct.unpack(f"<{len(word)}H", word.encode("utf-16-le")) for word in (*words, *known)}
    packed = pack_words({pure_words.word_key(7, letters[word]) for word in known}) if table is None else table
    data = placed("".join(word + "\0" for word in words).encode("utf-16-le"), *placement)
    found = _native.known_words(data, width, points, salts, packed)
    assert found == pure.known_words(data, width, points, salts, packed)
    if table is None:
        # Words that are not known may be found by chance, so the sum is at least this.
        assert found[0] >= sum(
            points[min(width * len(word), 4)] for word in words if word in known and not word.isascii()
        )


@needs_native
@given(
    data=st.lists(st.sampled_from(b"ab 0\x40\x81\x8e\x8f\xa1\xb0\xc4\xe0\xfe\xff"), max_size=200).map(bytes),
    name=st.sampled_from(walked_encodings()),
    most=st.integers(0, 30),
    placement=placements,
)
def test_strays_are_the_same_in_both(data: bytes, name: str, most: int, placement: tuple[int, int]) -> None:
    """Both twins find the same bytes that do not fit; without these the walk has no error."""
    view, table = placed(data, *placement), walk_table(name)
    first = pure.walk(data, table)[0]
    if first >= 0:
        found = _native.strays(view, table, first, most, 50)
        assert found == pure.strays(view, table, first, most, 50)
        assert len(found) <= most
        left = bytes(byte for at, byte in enumerate(data) if at not in found)
        assert not found or pure.walk(left[:first], table)[0] < 0


@needs_native
@settings(max_examples=300)
@given(
    text=st.lists(
        st.one_of(
            st.text(max_size=8),
            st.sampled_from(
                ["GrÃ¼ÃŸe", "РџСЂРё", "f√ºr", "voilÃ  le", "Ã", "\n", "\n\n", " ", "┼╛ena", "â€“"]
            ),
        ),
        max_size=12,
    ).map("".join),
    wrong=st.binary(max_size=6),
    numbers=st.tuples(st.integers(0, 40), st.integers(0, 5)),
    placement=placements,
)
def test_misread_lines_are_the_same_in_both(
    text: str, wrong: bytes, numbers: tuple[int, int], placement: tuple[int, int]
) -> None:
    """Both twins find the same lines that can be UTF-8 which was read as a code page, in any bytes."""
    from charlens.mojibake.chains import CODECS, _pages

    for data in (text.encode("utf-8", "surrogatepass"), text.encode("utf-8", "surrogatepass") + wrong):
        arguments = (*_pages(), len(CODECS), *numbers)
        view = placed(data, *placement)
        assert _native.misread(view, *arguments) == pure.misread(view, *arguments)


@needs_native
def test_misread_takes_as_many_pages_as_it_may() -> None:
    """The last of 32 code pages counts like the first; shifting by 32 is undefined, and was done."""
    index = array.array("H", [2] * 0x10000)
    index[0xC3], index[0xA9] = 0, 1
    rows = bytes(31) + b"\xc3" + bytes(31) + b"\xa9"
    arguments = ("Ã©\nÃ".encode(), index.tobytes(), rows, 32, 0, 5)
    assert _native.misread(*arguments) == pure.misread(*arguments) == (0, 4)


@needs_native
def test_a_character_of_four_bytes_is_in_no_code_page() -> None:
    """A line with one was not misread, whatever its first three bytes would be alone."""
    from charlens.mojibake.chains import CODECS, _pages

    for tail, found in ((b"\xc2\xa4\n", (0, 4)), (b"\xf0\x82\xa4\x80\n", ())):
        arguments = (b"\xc3\x83" + tail, *_pages(), len(CODECS), 0, 5)
        assert _native.misread(*arguments) == pure.misread(*arguments) == found


@needs_native
def test_a_broken_character_does_not_join_two_lines() -> None:
    """A sequence that is cut by the end of a line does not take the line ending for its last byte."""
    from charlens.mojibake.chains import CODECS, _pages

    arguments = (b"\xc3\x83\xc2\nx", *_pages(), len(CODECS), 0, 5)
    assert _native.misread(*arguments) == pure.misread(*arguments) == ()


# ---- pages

PAGE_PIECES = (
    b"<meta charset=", b"<meta ", b"<META http-equiv='Content-Type' content='text/html; charset=", b"utf-8", b"'>",
    b'"', b"charset", b"=", b"koi8-r", b";", b">", b"/>", b"<!--", b"-->", b"<script>", b"</script>", b"<title>",
    b"</title", b"<html", b"<!DOCTYPE html>", b"<body>", b"<p>", b"<br>", b"<?xml version='1.0'?>", b"<rss>", b"WEBVTT",
    b"00:01.000 --> 00:02.000", b"1:00:01,000 --> 2:00:02,000", b"[Script Info]", b"Dialogue:", b"\n", b"\r\n",
    b" ", b"\x0c", b"\x0b", b"a", b"\xef\xbb\xbf", b"\xe9", b"\x00", b"content=", b"http-equiv=content-type",
)  # fmt: skip
page_data = st.one_of(buffers, st.lists(st.sampled_from(PAGE_PIECES), max_size=25).map(b"".join))


@needs_native
@settings(max_examples=400)
@given(data=page_data, placement=placements, raw=st.integers(0, 1))
def test_pages_are_the_same_in_both(data: bytes, placement: tuple[int, int], raw: int) -> None:
    """Both twins see the same kind of page, and the same labels of charsets in it."""
    view = placed(data, *placement)
    assert _native.page_flavour(view) == pure.page_flavour(view)
    assert _native.find_label(view) == pure.find_label(view)
    assert _native.find_charsets(view, raw) == pure.find_charsets(view, raw)


# ---- languages and excerpt

LANGUAGE_BYTES = (
    *(bytes([value]) for value in b"abYZ <>/!&;#=x'"),
    *(letter.encode() for letter in "éßЖкλא中日かا한ǅ\u0301😀"),
    b"<script>", b"<STYLE x>", b"</script>", b"&eacute;", b"&#228;", b"\xff", b"\x80", b"\xe4\xb8", b"\xc0\x80",
    b"\xf8",
)  # fmt: skip
language_data = st.one_of(buffers, st.lists(st.sampled_from(LANGUAGE_BYTES), max_size=300).map(b"".join))


@needs_native
@given(
    data=st.one_of(buffers, st.lists(st.sampled_from(b"ae \n\xe4\xfc\x80\xff\xc3"), max_size=400).map(bytes)),
    shape=st.tuples(st.integers(0, 1000), st.integers(1, 60), st.integers(1, 70), st.integers(1, 255)),
    places=st.lists(st.tuples(st.integers(0, 400), st.integers(0, 200)), max_size=4),
    placement=placements,
)
def test_windows_compare_the_same_in_both(
    data: bytes, shape: tuple[int, int, int, int], places: list[tuple[int, int]], placement: tuple[int, int]
) -> None:
    """Both twins give each window the same scores."""
    model, sets, (bias, _) = small_model(*shape)
    ends = [(min(start, len(data)), min(start + size, len(data))) for start, size in places]
    windows = tuple(place for window in ends for place in window)
    for groups in (sets, (*sets, sets[0] ^ sets[1])):
        arguments = (placed(data, *placement), windows, structure_tables().kernel, model, bias, groups)
        found = _native.compare(*arguments)
        assert found == pure.compare(*arguments)
        assert len(found) == (2 * len(groups) + 1) * len(places)
    for number in range(len(model[3]) // 16):
        for least in (-200, -9, 0, 9, 200):
            arguments = (placed(data, *placement), windows, model, number, least)
            assert _native.misfits(*arguments) == pure.misfits(*arguments)


def small_languages(seed: int) -> bytes:
    """A language model of three scripts: one with n-grams of three, one with wide letters, one without rows."""
    some = random.Random(seed)
    letters = array.array("H", [0]) * 0x600
    for value in range(0x600):
        if chr(value).isalpha():
            letters[value] = some.choice([value, ord(chr(value).lower()[0]) & 0xFFFF])
    blocks = bytes(some.choice([0, 1, 1, 2, 3, 4]) for _ in range(0x1000))
    classes = [some.choice([1, 3, 16, 17, 64, 70]) for _ in range(3)]
    rows, bits = [some.randrange(1, 60), some.randrange(1, 60), 0], [some.randrange(1, 7), 5, 0]
    scripts = array.array("I")
    slots, weights = array.array("H"), b""
    for number in range(3):
        scripts.extend((
            some.randrange(20), number == 1, classes[number], sum(classes[:number]), len(slots), bits[number],
            len(weights), rows[number],
        ))  # fmt: skip
        if rows[number]:
            slots.extend(
                some.choice([0xFFFF, some.randrange(2 * rows[number])]) for _ in range(1 << bits[number])
            )
            weights += some.randbytes(rows[number] * classes[number])
    if len(slots) % 2:
        slots.append(0)
    head = array.array("I", [3, len(slots), len(weights), 0])
    return b"".join((head.tobytes(), letters.tobytes(), blocks, scripts.tobytes(), slots.tobytes(), weights))


@needs_native
@settings(max_examples=300)
@given(data=language_data, seed=st.integers(0, 500), most=st.integers(0, 80), placement=placements)
def test_languages_is_the_same_in_both(data: bytes, seed: int, most: int, placement: tuple[int, int]) -> None:
    """Both twins of `languages` see the same letters, tags and n-grams, and rank the classes alike, for any model."""
    view, model = placed(data, *placement), small_languages(seed)
    assert _native.languages(view, model, most) == pure.languages(view, model, most)


@needs_native
@settings(max_examples=200)
@given(seed=st.integers(0, 20), at=st.integers(0, 111), value=st.sampled_from([0, 1, 5, 255]))
def test_languages_refuses_the_same_models(seed: int, at: int, value: int) -> None:
    """A model whose numbers point out of it is refused by both twins, or read alike by both."""
    model = bytearray(small_languages(seed))
    # The four counts at the beginning, then the table of scripts.
    model[at if at < 16 else at - 16 + 16 + 2 * 0x600 + 0x1000] = value
    results = []
    for twin in (_native, pure):
        try:
            results.append(twin.languages("Ein Wort und 中文".encode(), bytes(model), 5))
        except ValueError:
            results.append("refused")
    assert results[0] == results[1]


@needs_native
@settings(max_examples=300)
@given(
    data=language_data,
    shape=st.tuples(st.integers(1, 20), st.integers(1, 90), st.integers(0, 100), st.integers(0, 20)),
    placement=placements,
)
def test_excerpt_is_the_same_in_both(
    data: bytes, shape: tuple[int, int, int, int], placement: tuple[int, int]
) -> None:
    """Both twins of `excerpt` take the same pieces."""
    view = placed(data, *placement)
    assert _native.excerpt(view, *shape) == pure.excerpt(view, *shape)


@needs_native
@given(data=buffers, characters=st.binary(min_size=512, max_size=512), placement=placements)
def test_single_bytes_are_read_alike_in_both(data: bytes, characters: bytes, placement: tuple[int, int]) -> None:
    """Both twins of `languages` recode alike, also with characters that do not exist."""
    view, tables = placed(data, *placement), default_language_model().tables
    assert _native.languages(view, tables, 5, characters) == pure.languages(view, tables, 5, characters)


@pytest.mark.parametrize("name", [each.name for each in all_encodings() if each.kind == "single"])
def test_single_bytes_are_what_the_codec_reads(name: str) -> None:
    """The characters of each single-byte encoding are those of its codec; bytes without one are left out."""
    tables = default_language_model().tables
    for data in (bytes(range(256)), bytes(range(255, 127, -1)) * 3):
        text = data.decode(name, "ignore").encode()
        assert kernel.languages(data, tables, 9, single_byte_map(name)) == kernel.languages(text, tables, 9)


#: What UTF-8 between ASCII is made of, whole and in parts.
PIECES = (b"a", b"\n", "é".encode(), "’".encode(), b"\xc3", b"\xa9", b"\xe2", b"\xf0")


@needs_native
@given(
    data=st.lists(st.sampled_from(PIECES), max_size=90),
    size=st.sampled_from([1, 2, 7, 30, 160, 4096]),
    placement=placements,
)
@example(data=["aéaéa".encode()], size=160, placement=(0, 0))  # the letter between two is not counted twice
@example(data=["a’’’a’a’a".encode()], size=160, placement=(0, 0))
def test_line_windows_are_the_same_in_both(data: list[bytes], size: int, placement: tuple[int, int]) -> None:
    """Both twins choose the same windows, and count as many runs of UTF-8 in them."""
    view = placed(b"".join(data), *placement)
    assert _native.line_windows(view, size) == pure.line_windows(view, size)


def test_windows_begin_with_a_line() -> None:
    """The windows in the middle and at the end begin after a line end; those in ASCII are left out."""
    data = b"\xe9" + b"." * 30 + b"\n\xe8" + b"." * 28
    assert pure.line_windows(data, 8) == (0, 0, 8, 32, 40)
    assert pure.line_windows("aéa\n’ü".encode(), 160) == (1, 0, 10, 5, 10)


def test_an_excerpt_begins_where_the_words_are() -> None:
    """Windows begin a little before a non-ASCII byte, and one that begins within a tag loses the rest of it."""
    data = b"x" * 30 + "ab é".encode() + b"y" * 66
    assert pure.excerpt(data, 1, 6, 100, 3) == "ab éy".encode()
    assert pure.excerpt(b"<p>" + b"." * 7 + b'"a">words.', 2, 10, 0, 0) == b"<p>.......\nwords."


# ---- arguments, threads, the choice of the kernel

MODEL, SETS, BEGIN = small_model(1, 5, 3, 4)
MASKS = bytes(4 * 65792)
#: One column and one row, and the padding.
ONE_TABLE = struct.pack("=II", 1, 1) + bytes(257) + bytes(3)
STRUCTURE = structure_tables().kernel

BAD_ARGUMENTS: dict[str, tuple[str, tuple[Any, ...]]] = {
    "scan nothing": ("scan", ()),
    "scan a str": ("scan", ("text",)),
    "scan None": ("scan", (None,)),
    "scan an int": ("scan", (5,)),
    "languages with less than no classes": ("languages", (b"a", small_languages(1), -1)),
    "languages with half a model": ("languages", (b"a", small_languages(1)[:-1], 1)),
    "languages without a model": ("languages", (b"a", b"", 1)),
    "excerpt without windows": ("excerpt", (b"a", 0, 1, 1, 1)),
    "excerpt of a str": ("excerpt", ("a", 1, 1, 1, 1)),
    "languages with half a table of characters": ("languages", (b"a", small_languages(1), 1, bytes(256))),
    "languages with characters of a str": ("languages", (b"a", small_languages(1), 1, "a" * 512)),
    "line_windows without bytes": ("line_windows", (b"a", 0)),
    "line_windows too large": ("line_windows", (b"a", 4097)),
    "line_windows of a str": ("line_windows", ("a", 1)),
    "damage from before the start": ("damage", (b"\xff", -1, 0, 1, 1, 1)),
    "damage with a negative ratio": ("damage", (b"\xff", 0, 0, -1, 1, 1)),
    "damage with less than no spans": ("damage", (b"\xff", 0, 0, 1, 1, -1)),
    "damage of a str": ("damage", ("x", 0, 0, 1, 1, 1)),
    "damage with a float": ("damage", (b"\xff", 0.5, 0, 1, 1, 1)),
    "damage with too few": ("damage", (b"\xff", 0)),
    "walk without a table": ("walk", (b"abc",)),
    "walk an empty table": ("walk", (b"abc", b"")),
    "walk 256 columns, no row": ("walk", (b"abc", bytes(256))),
    "walk a row too short": ("walk", (b"abc", bytes(255) + b"\x01" + bytes(3))),
    "walk a str": ("walk", ("abc", bytes(257))),
    "walk_all with a table too short": ("walk_all", (b"abc", b"abc", MASKS, 0, ALIVE)),
    "walk_all with half a table": ("walk_all", (b"abc", ONE_TABLE[:-8], MASKS, 0, ALIVE)),
    "walk_all with masks too short": ("walk_all", (b"abc", b"", MASKS[4:], 0, ALIVE)),
    "walk_all with 33 tables": ("walk_all", (b"abc", ONE_TABLE * 33, MASKS, 0, ALIVE)),
    "walk_all from before the start": ("walk_all", (b"abc", ONE_TABLE, MASKS, -1, ALIVE)),
    "walk_all with 33 bits of tables": ("walk_all", (b"abc", ONE_TABLE, MASKS, 0, 1 << 32)),
    "walk_all with 65 bits of starts": ("walk_all", (b"abc", ONE_TABLE, MASKS, 1 << 64, ALIVE)),
    "misfits of a class too many": ("misfits", (b"a", (0, 1), MODEL, len(MODEL[3]) // 16, 0)),
    "misfits of a window that is outside": ("misfits", (b"a", (0, 2), MODEL, 0, 0)),
    "misfits of half a window": ("misfits", (b"a", (0,), MODEL, 0, 0)),
    "misfits with four parts": ("misfits", (b"a", (0, 1), MODEL[:4], 0, 0)),
    "misfits with too many points": ("misfits", (b"a", (0, 1), MODEL, 0, 1 << 20)),
    "score with 129 encodings": ("score", (b"a", MODEL, (1 << 128, 0), BEGIN, (0, 0), (1, 1, 0))),
    "score without languages": (
        "score",
        (b"a", (*MODEL[:4], b"", *MODEL[5:]), SETS, BEGIN, (0, 0), (1, 1, 0)),
    ),
    "score with half a character": (
        "score",
        (b"a", (*MODEL[:5], MODEL[5][1:], MODEL[6]), SETS, BEGIN, (0, 0), (1, 1, 0)),
    ),
    "score with a wide class too many": (
        "score",
        (b"a", (*MODEL[:5], MODEL[5], b"\xff\xff"), SETS, BEGIN, (0, 0), (1, 1, 0)),
    ),
    "score with four parts": ("score", (b"a", MODEL[:4], SETS, BEGIN, (0, 0), (1, 1, 0))),
    "score with a short bias": ("score", (b"a", MODEL, SETS, (b"", BEGIN[1]), (0, 0), (1, 1, 0))),
    "score with half a nudge": ("score", (b"a", MODEL, SETS, (BEGIN[0], (1, 1)), (0, 0), (1, 1, 0))),
    "candidates without owners": ("candidates", (b"a", 0, bytes(8192), ONE_TABLE, MASKS, b"")),
    "candidates with an owner of 128": ("candidates", (b"a", 0, bytes(8192), ONE_TABLE, MASKS, b"\x80")),
    "candidates with narrow columns": ("candidates", (b"a", 0, bytes(4096), ONE_TABLE, MASKS, b"\x00")),
    "compare with half a window": ("compare", (b"abc", (0, 1, 2), STRUCTURE, MODEL, BEGIN[0], SETS)),
    "compare outside the data": ("compare", (b"abc", (0, 4), STRUCTURE, MODEL, BEGIN[0], SETS)),
    "compare backwards": ("compare", (b"abc", (2, 1), STRUCTURE, MODEL, BEGIN[0], SETS)),
    "compare without owners": ("compare", (b"abc", (0, 3), (*STRUCTURE[:3], b""), MODEL, BEGIN[0], SETS)),
    "compare with a short bias": ("compare", (b"abc", (0, 3), STRUCTURE, MODEL, b"", SETS)),
    "compare with no group": ("compare", (b"abc", (0, 3), STRUCTURE, MODEL, BEGIN[0], SETS[:1])),
    "compare with three groups": ("compare", (b"abc", (0, 3), STRUCTURE, MODEL, BEGIN[0], SETS * 2)),
    "compare with 65 windows": ("compare", (b"abc", (0, 1) * 65, STRUCTURE, MODEL, BEGIN[0], SETS)),
    "values with less than no values": ("find_values", (b"abc", -1, 5)),
    "values with 257 values": ("find_values", (b"abc", 1 << 256, 5)),
    "values with less than none": ("find_values", (b"abc", 1, -1)),
    "values with too many": ("find_values", (b"abc", 1, 100_001)),
    "half a letter": ("known_words", (b"a", 1, b"\1", bytes(4), bytes(3))),
    "letters without bytes": ("known_words", (b"a\0", 0, b"\1", bytes(4), bytes(3))),
    "letters of five bytes": ("known_words", (b"a\0", 5, b"\1", bytes(4), bytes(3))),
    "words without points": ("known_words", (b"a\0", 1, b"", bytes(4), bytes(3))),
    "half a salt": ("known_words", (b"a\0", 1, b"\1", bytes(2), bytes(3))),
    "more salts than there may be": ("known_words", (b"a\0", 1, b"\1", bytes(4 * 65), bytes(3))),
    "words in a table without thirds": ("known_words", (b"a\0", 1, b"\1", bytes(4), bytes(4))),
    "strays from before the start": ("strays", (b"abc", bytes(257), -1, 5)),
    "strays with less than none": ("strays", (b"abc", bytes(257), 0, -1)),
    "misread by no code page": ("misread", (b"abc", bytes(131072), b"", 0, 0, 5)),
    "misread by 33 code pages": ("misread", (b"abc", bytes(131072), b"", 33, 0, 5)),
    "misread from before the start": ("misread", (b"abc", bytes(131072), b"", 1, -1, 5)),
    "misread by a short index": ("misread", (b"abc", bytes(131070), b"", 1, 0, 5)),
    "misread by half a row": ("misread", (b"abc", bytes(131072), b"a", 2, 0, 5)),
    "strays without a table": ("strays", (b"abc", b"", 0, 5)),
    "page_flavour of a str": ("page_flavour", ("<p>",)),
    "find_label of a str": ("find_label", ("charset=x",)),
    "find_charsets of a str": ("find_charsets", ("<meta>", 0)),
    "score with a negative stride": ("score", (b"a", MODEL, SETS, BEGIN, (-1, 5), (1, 1, 0))),
    "score with a negative penalty": ("score", (b"a", MODEL, SETS, BEGIN, (0, 0), (1, 1, -1))),
    "weigh units of 3": ("weigh", (b"abcd", 3, 0, bytes(65536))),
    "weigh units of 0": ("weigh", (b"abcd", 0, 0, bytes(65536))),
    "weigh units of -2": ("weigh", (b"abcd", -2, 0, bytes(65536))),
    "weigh by a short table": ("weigh", (b"abcd", 2, 0, bytes(65535))),
    "weigh by a long table": ("weigh", (b"abcd", 2, 0, bytes(65537))),
    "weigh a str": ("weigh", ("abcd", 2, 0, bytes(65536))),
}


#: What the plain twin takes, or fails at with an IndexError or ZeroDivisionError.
@pytest.mark.parametrize(
    ("twin", "name"),
    [pytest.param(_native, name, id=f"native-{name}", marks=needs_native) for name in BAD_ARGUMENTS]
    + [pytest.param(pure, name, id=f"pure-{name}") for name in BAD_ARGUMENTS],
)
def test_wrong_arguments_are_an_error_and_no_crash(twin: Any, name: str) -> None:
    """A wrong argument is a TypeError, ValueError or OverflowError from either twin, never a crash or an answer."""
    function, arguments = BAD_ARGUMENTS[name]
    with pytest.raises((TypeError, ValueError, OverflowError)):
        getattr(twin, function)(*arguments)


@pytest.mark.parametrize(
    "twin",
    [
        pytest.param(pure, id="pure"),
        pytest.param(_native, id="native", marks=needs_native),
    ],
)
def test_a_state_without_a_row_is_never_entered(twin: Any) -> None:
    """A table that names a state it does not have is refused, or its sequence is wrong: nothing else is read."""
    table = bytes(255) + b"\x01" + b"\x00\x07"
    try:
        result = twin.walk(b"ab\xff\xffcd", table)
    except ValueError:
        return
    assert result == (2, 0, 0)


@pytest.mark.parametrize(
    "twin",
    [
        pytest.param(pure, id="pure"),
        pytest.param(
            _native,
            id="native",
            marks=needs_native,
        ),
    ],
)
def test_huge_numbers_do_not_overflow(twin: Any) -> None:
    """Patience as large as a machine word is patience, or refused; it never overflows into none."""
    try:
        result = twin.damage(b"\xff\xff \xff", 0, sys.maxsize, 1, sys.maxsize, 10)
    except (OverflowError, ValueError):
        return
    assert result[2] == -1


@pytest.mark.parametrize("function", ["scan", "damage", "walk", "walk_all", "weigh", "score", "languages"])
@pytest.mark.parametrize("twin", TWINS)
def test_kernel_functions_return_integers_and_bytes_only(twin: Any, function: str) -> None:
    """Kernels never return a float, so two of them can agree exactly."""
    more = {"damage": (0, 0, 0, 0, 5), "walk": (walk_table("gbk"),), "weigh": (2, 0, WEIGHTS)}
    more["walk_all"] = (packed_tables(), pair_masks(), 0, ALIVE)
    more["score"] = (*small_model(1, 5, 3, 4), (0, 0), (3, 1000, 5))
    more["languages"] = (small_languages(1), 3)
    result = getattr(twin, function)("ab中文\n".encode() + b"\xff\x00", *more.get(function, ()))
    flat = [item for part in result for item in (part if isinstance(part, tuple) else (part,))]
    assert {type(item) for item in flat} <= {int, bytes}


@pytest.mark.parametrize("scan", SCANS)
def test_threads_may_scan_one_buffer_at_once(scan: Callable[[Any], Any]) -> None:
    """Eight threads over the same bytes get the same answer as one."""
    data = ("Zwölf Boxkämpfer jagen Viktor 中文 😀\r\n".encode() * 4000)[:150_001]
    expected = scan(data)
    with ThreadPoolExecutor(8) as pool:
        assert all(result == expected for result in pool.map(scan, [data] * 32))


def runs_beside(work: Callable[[], object]) -> bool:
    """Whether another thread gets a turn while *work* runs.

    The switch interval is so long that Python never asks for the lock: the other thread, which wakes
    as the gate opens, gets its turn only if *work* releases the lock.
    """
    turns: list[int] = []
    gate, done = threading.Semaphore(0), threading.Event()

    def other() -> None:
        gate.acquire()
        turns.append(1)
        done.set()

    interval = sys.getswitchinterval()
    thread = threading.Thread(target=other)
    sys.setswitchinterval(1000)
    try:
        thread.start()
        gate.release()
        work()
        beside = bool(turns)
        done.wait()
    finally:
        sys.setswitchinterval(interval)
        thread.join()
    return beside


@needs_native
@pytest.mark.skipif(
    not getattr(sys, "_is_gil_enabled", lambda: True)(),
    reason="this Python has no interpreter lock to let go",
)
@pytest.mark.parametrize(
    "function", ["scan", "scan_portable", "damage", "walk", "walk_all", "weigh", "score", "languages"]
)
def test_the_native_kernel_lets_the_interpreter_lock_go(function: str) -> None:
    """While a big buffer is worked on, another thread makes progress; work that holds the lock shows the difference."""
    data = "中文😀é".encode() * 2_000_000
    more = {"damage": (0, 0, 0, 0, 5), "walk": (walk_table("gb18030"),), "weigh": (2, 0, WEIGHTS)}
    more["walk_all"] = (packed_tables(), pair_masks(), 0, ALIVE)
    more["score"] = (*small_model(1, 5, 3, 4), (0, 0), (3, 1000, 5))
    more["languages"] = (small_languages(1), 3)
    if function.startswith("walk"):
        data = "中文和其他".encode("gb18030") * 2_000_000
    work = getattr(_native, function)
    # A machine under load may wake the other thread late; a function that holds the lock never wakes it.
    assert any(runs_beside(lambda: work(data, *more.get(function, ()))) for _ in range(20))
    assert not any(runs_beside(lambda: data.count(b"\x00")) for _ in range(3)), "the test itself is wrong"


def run_python(code: str, **environment: str) -> subprocess.CompletedProcess[str]:
    variables = {**os.environ, **environment}
    return subprocess.run(
        [sys.executable, "-c", code], env=variables, capture_output=True, text=True, timeout=60
    )


WITHOUT_NATIVE = (
    "import sys; sys.modules['charlens.kernel._native'] = None; import charlens.kernel as k; print(k.NAME)"
)


def test_the_kernel_asked_for_is_the_one_in_use() -> None:
    """CHARLENS_KERNEL decides; without it the native kernel is taken where there is one."""
    expected = ASKED or ("native" if _native else "pure")
    assert expected == kernel.NAME


def test_without_the_native_kernel_the_plain_one_is_taken() -> None:
    """A missing extension is not an error, unless it was asked for."""
    result = run_python(WITHOUT_NATIVE, CHARLENS_KERNEL="")
    assert (result.returncode, result.stdout.strip()) == (0, "pure"), result.stderr


@pytest.mark.parametrize("name", ["native", "portable"])
def test_asking_for_a_kernel_that_is_not_built_says_what_to_do(name: str) -> None:
    """Where the native kernel was asked for and is missing, the error names the variable and the remedy."""
    result = run_python(WITHOUT_NATIVE, CHARLENS_KERNEL=name)
    assert result.returncode != 0
    assert "CHARLENS_KERNEL" in result.stderr and "compiler" in result.stderr


def test_a_kernel_that_does_not_exist_is_named() -> None:
    """A misspelt CHARLENS_KERNEL is an error that lists the choices, not a silent default."""
    result = run_python("import charlens", CHARLENS_KERNEL="nativ")
    assert result.returncode != 0
    assert "'nativ'" in result.stderr and "native" in result.stderr and "pure" in result.stderr
