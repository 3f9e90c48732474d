"""The tables by which multi-byte encodings are walked accept exactly what Python's codecs decode."""

from __future__ import annotations

import codecs
import itertools
import random
from functools import cache

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from prose_texts import legacy, legacy_pairs

from charlens import kernel
from charlens.encodings import all_encodings, walks
from charlens.encodings.walks import walk_table, walked_encodings

#: The first two bytes of a Korean syllable that is spelt by its letters.
FILLER = b"\xa4\xd4"
NAMES = walked_encodings()

#: KS X 1001 writes a syllable that has no code of its own as filler and three letters, eight bytes in all.
COMPOSED = b"\xa4\xd4\xa4\xa1\xa4\xbf\xa4\xd4"  # 가


def asked(name: str, data: bytes) -> tuple[int, int]:
    """Where the codec finds the first wrong sequence, or -1, and how many bytes it waits to finish."""
    decoder = codecs.getincrementaldecoder(name)()
    try:
        decoder.decode(data)
    except UnicodeDecodeError as error:
        return error.start, 0
    return -1, len(decoder.getstate()[0])


@cache
def characters(name: str) -> tuple[bytes, ...]:
    """A few hundred characters of the encoding, one to four bytes long, as bytes."""
    found = {bytes([value]) for value in range(256) if decodes(name, bytes([value]))}
    points = (
        *range(0xA0, 0x500),
        *range(0x3000, 0x3100),
        *range(0x4E00, 0xA000, 41),
        *range(0xAC00, 0xD7A4, 97),
    )
    found |= {encoded for point in points if (encoded := chr(point).encode(name, "ignore"))}
    if name == "gb18030":
        found |= {chr(point).encode(name) for point in (0x10000, 0x1F600, 0x10FFFF, 0xE5E5, 0xFFFD)}
    return tuple(sorted(character for character in found if not character.startswith(COMPOSED[:2])))


def decodes(name: str, data: bytes) -> bool:
    try:
        data.decode(name)
    except UnicodeDecodeError:
        return False
    return True


def test_every_multi_byte_encoding_has_a_table() -> None:
    """The encodings that are walked are exactly those of the kind 'multi'."""
    assert set(NAMES) == {encoding.name for encoding in all_encodings() if encoding.kind == "multi"}


@pytest.mark.parametrize("name", NAMES)
def test_pairs_are_judged_as_the_codec_judges_them(name: str) -> None:
    """Of all pairs that begin beyond ASCII (and some that do not), a table takes what the codec takes."""
    table = walk_table(name)
    leads = (0x00, 0x0E, 0x1B, 0x20, 0x5C, 0x7E, 0x7F, *range(0x80, 0x100))
    for pair in itertools.product(leads, range(256)):
        data = bytes(pair)
        assert kernel.walk(data, table)[:2] == asked(name, data), data


@pytest.mark.parametrize("name", ["euc_jp", "euc_jis_2004", "euc_jisx0213"])
def test_three_byte_sequences_are_judged_as_the_codec_judges_them(name: str) -> None:
    """Behind SS3, 0x8F, every pair of the second plane is judged as by the codec."""
    table = walk_table(name)
    for second, third in itertools.product(range(0xA0, 0x100), (0x41, 0x80, *range(0xA0, 0x100))):
        data = bytes((0x8F, second, third))
        assert kernel.walk(data, table)[:2] == asked(name, data), data


def test_four_byte_sequences_are_judged_as_the_codec_judges_them() -> None:
    """In GB 18030 the ends of every range of four-byte codes, and many between, are judged as by the codec."""
    table = walk_table("gb18030")
    some = random.Random(18030)
    # 39,419 is U+FFFF, 188,999 the last before the other planes, 1,237,575 is U+10FFFF.
    ends = (0, 1, 33_569, 33_570, 39_393, 39_394, 39_419, 39_420, 188_999, 189_000, 1_237_575, 1_237_576)
    for index in (*ends, *(some.randrange(1_587_600) for _ in range(4000))):
        rest, fourth = divmod(index, 10)
        rest, third = divmod(rest, 126)
        first, second = divmod(rest, 10)
        data = bytes((0x81 + first, 0x30 + second, 0x81 + third, 0x30 + fourth))
        for length in (4, 3, 2):
            assert kernel.walk(data[:length], table)[:2] == asked("gb18030", data[:length]), data[:length]


@pytest.mark.parametrize("name", NAMES)
@settings(max_examples=50)
@given(data=st.data())
def test_text_with_noise_in_it_fails_where_the_codec_fails(name: str, data: st.DataObject) -> None:
    """In characters of the encoding with other bytes among them, the first error and the cut are the codec's."""
    pieces = st.one_of(st.sampled_from(characters(name)), st.binary(min_size=1, max_size=2))
    mixed = b"".join(data.draw(st.lists(pieces, max_size=12)))
    # Behind this filler, Python's codec expects a syllable of eight bytes, which no text has and the table lacks.
    assume(name != "euc_kr" or FILLER not in mixed)
    assert kernel.walk(mixed, walk_table(name))[:2] == asked(name, mixed)


@pytest.mark.parametrize("name", NAMES)
@settings(max_examples=30)
@given(data=st.data())
def test_characters_of_several_bytes_are_counted(name: str, data: st.DataObject) -> None:
    """Every character of more than one byte counts once, and a cut-off one does not."""
    drawn = data.draw(st.lists(st.sampled_from(characters(name)), min_size=1, max_size=30))
    text = b"".join(drawn)
    longer = sum(len(character) > 1 for character in drawn)
    assert kernel.walk(text, walk_table(name)) == (-1, 0, longer)
    if len(drawn[-1]) > 1:
        assert kernel.walk(text[:-1], walk_table(name)) == (-1, len(drawn[-1]) - 1, longer - 1)


@pytest.mark.parametrize(("name", "language"), legacy_pairs("multi"))
def test_prose_is_accepted_and_a_cut_is_a_cut(name: str, language: str) -> None:
    """Prose in the encoding is walked to its end, and its first 40 bytes cut anywhere are a cut, no error."""
    data = legacy(name, language)
    assert data is not None
    assert kernel.walk(data, walk_table(name))[:2] == (-1, 0)
    for length in range(40):
        assert kernel.walk(data[:length], walk_table(name))[:2] == asked(name, data[:length])


@pytest.mark.xfail(
    reason="walks.build looks at four bytes at most; this codec has sequences of eight", strict=True
)
def test_composed_hangul_is_accepted() -> None:
    """EUC-KR takes the eight-byte make-up sequences of KS X 1001, which its codec reads and writes."""
    assert "똠".encode("euc_kr").startswith(COMPOSED[:2])
    assert kernel.walk("똠방각하".encode("euc_kr"), walk_table("euc_kr")) == (-1, 0, 4)


@pytest.mark.parametrize("name", ["big5", "euc_jp", "johab"])
def test_the_tables_are_what_the_builder_builds(name: str) -> None:
    """The table in the file is the one that asking the codec gives; CI checks all of them (--check)."""
    assert walk_table(name) == walks.build(name)


def test_a_table_that_is_not_current_is_noticed(
    monkeypatch: pytest.MonkeyPatch, tmp_path: object, capsys: pytest.CaptureFixture[str]
) -> None:
    """`--check` exits 1 and says what to run when the file differs from what the codecs say."""
    monkeypatch.setattr(walks, "render", lambda: b"x\x9c\x03\x00\x00\x00\x00\x01")  # nothing, compressed
    assert walks.main(["--check"]) == 1
    assert "python -m charlens.encodings.walks" in capsys.readouterr().err
