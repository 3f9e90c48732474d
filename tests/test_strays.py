"""Stray bytes in legacy text: damage, not another encoding."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from prose_texts import PROSE

import charlens
from charlens.encodings.orthography import write
from charlens.findings import Candidates
from charlens.source import Bytes, find_faults
from charlens.types import MOST_SPANS


def text(language: str, encoding: str) -> bytes:
    """The prose of a language, three times over, as people wrote it in that encoding."""
    return (write(PROSE[language], encoding) or b"") * 3


CASES = [
    ("ja", "cp932", b"\xe9 "),
    ("ja", "euc_jp", b"\xff"),
    ("zh-Hans", "gbk", b"\xff"),
    ("ko", "cp949", b"\x80"),
    ("zh-Hant", "big5hkscs", b"\xff"),
]


@pytest.mark.parametrize(("language", "encoding", "stray"), CASES)
def test_a_stray_byte_is_damage(language: str, encoding: str, stray: bytes) -> None:
    """A byte that the encoding cannot have, in a long text, is named as damaged; the encoding stays the answer."""
    data = text(language, encoding)
    at = data.index(b"\n", len(data) // 2)
    verdict = charlens.detect(data[:at] + stray + data[at:])
    assert verdict.encoding == encoding
    assert [span.start for span in verdict.damage] == [at]
    assert charlens.decode(data[:at] + stray + data[at:]).replace("\ufffd", "").replace(" ", "") == data.decode(
        encoding
    ).replace(" ", "")


@pytest.mark.parametrize(("language", "encoding", "stray"), CASES)
def test_whole_text_has_no_damage(language: str, encoding: str, stray: bytes) -> None:
    """Without the stray byte there is no damage, and the verdict says nothing of stray bytes."""
    verdict = charlens.detect(text(language, encoding))
    assert (verdict.encoding, verdict.damage) == (encoding, ())


def test_many_faults_rule_out() -> None:
    """A fault in every few characters is no accident: the encoding is ruled out as ever."""
    data = text("ja", "euc_jp").replace("。".encode("euc_jp"), b"\xff")
    candidates = next(f for f in charlens.detect(data).findings if isinstance(f, Candidates))
    assert "euc_jp" not in candidates.possible


def test_a_wider_relative_is_preferred() -> None:
    """A character that only GB 18030 has is no stray byte in GBK: the answer is GB 18030, undamaged."""
    data = text("zh-Hans", "gbk") + "𠀀𠀁".encode("gb18030") + text("zh-Hans", "gbk")
    verdict = charlens.detect(data)
    assert (verdict.encoding, verdict.damage) == ("gb18030", ())


def test_short_text_gets_no_grace() -> None:
    """In a short text one fault is one too many."""
    data = text("ja", "euc_jp")[:120] + b"\xff"
    assert charlens.detect(data).damage == ()


def test_a_document_keeps_stray_bytes(tmp_path) -> None:  # type: ignore[no-untyped-def]
    """Loaded and saved, a file with a stray byte is changed only where its text was."""
    data = text("ja", "euc_jp")
    at = data.index(b"\n", len(data) // 2)
    path = tmp_path / "old.txt"
    path.write_bytes(data[:at] + b"\xff" + data[at:])
    document = charlens.load(path)
    document.text = "x\n" + document.text
    document.save()
    assert path.read_bytes() == b"x\n" + data[:at] + b"\xff" + data[at:]


@given(st.binary(max_size=80), st.integers(0, 79))
def test_any_bytes_end(data: bytes, first: int) -> None:
    """From any place in any bytes, the search ends with offsets inside the input, or none."""
    offsets = Bytes(data + b"x").strays("cp932", min(first, len(data)), 20, 50)
    assert all(0 <= at <= len(data) for at in offsets)


@pytest.mark.parametrize(
    ("language", "encoding", "stray"),
    [
        ("ja", "shift_jis", b"\xa0"),
        ("ko", "euc_kr", b"\xff"),
        ("zh-Hant", "big5", b"\xff"),
        ("zh-Hans", "gb2312", b"\xff"),
    ],
)
def test_who_allows_one_encoding_gets_it_with_its_damage(language: str, encoding: str, stray: bytes) -> None:
    """With only=, an encoding that a larger relative reads better is forgiven its stray bytes, too."""
    data = text(language, encoding)
    at = data.index(b"\n", len(data) // 2)
    verdict = charlens.detect(data[:at] + stray + data[at:], only=[encoding])
    assert verdict.encoding == encoding
    assert [span.start for span in verdict.damage] == [at]


def test_what_is_not_in_the_allowed_encoding_is_not_forgiven() -> None:
    """Text of another encoding has too many faults to be one with a few."""
    assert charlens.detect(text("ru", "cp1251"), only=["euc_jp"]).encoding is None


def test_no_more_faults_are_listed_than_there_is_room_for() -> None:
    """What is not in a named encoding at all has its first MOST_SPANS bytes listed, and no cut."""
    spans, cut = find_faults(b"\xe9 " * (MOST_SPANS + 1), "ascii")
    assert (len(spans), spans[-1], cut) == (MOST_SPANS, (2 * MOST_SPANS - 2, 2 * MOST_SPANS - 1), 0)


@pytest.mark.parametrize(
    ("language", "encoding", "stray"),
    [
        ("cs", "cp1250", 0x90),
        ("cs", "cp1250", 0x83),
        ("pl", "cp1250", 0x81),
        ("de", "cp1252", 0x81),
        ("fr", "cp1252", 0x9D),
        ("el", "cp1253", 0xD2),
        ("tr", "cp1254", 0x90),
        ("lt", "cp1257", 0x83),
        ("he", "cp1255", 0xD9),
    ],
)
def test_a_byte_that_the_page_lacks_is_damage(language: str, encoding: str, stray: int) -> None:
    """One broken byte does not turn quotation marks into C1 controls, or letters into those of another page."""
    text = f"“{PROSE[language]}” – …\n"
    data = text.encode(encoding, "ignore")
    middle = len(data) // 2
    verdict = charlens.detect(data[:middle] + bytes([stray]) + data[middle:])
    assert (verdict.encoding, verdict.damage) == (encoding, ((middle, middle + 1),))
    for other in verdict.alternatives:
        (data[:middle] + bytes([stray]) + data[middle:]).decode(other.encoding)


def test_many_bytes_that_the_page_lacks_are_another_page() -> None:
    """German from DOS has an ü in every line, which windows-1252 lacks."""
    assert charlens.detect(PROSE["de"].encode("cp850", "ignore")).encoding in ("cp850", "cp437", "cp858")
    few = "“Grüße” – für Jürgen, „früh“ und spät …\n".encode("cp1252") + b"\x81\x81\x81"
    assert charlens.detect(few).encoding != "cp1252"


def test_one_broken_byte_in_big5_is_not_shift_jis() -> None:
    """Another encoding may decode everything by chance; the statistics decide."""
    data = PROSE["zh-Hant"].encode("big5", "ignore")
    middle = data.index(b"\n", len(data) // 2) + 1
    verdict = charlens.detect(data[:middle] + b"\xb1\n" + data[middle:])
    assert verdict.encoding in ("big5hkscs", "big5", "cp950") and len(verdict.damage) == 1


@pytest.mark.parametrize(
    ("language", "encoding", "stray"),
    [("th", "cp874", 0xFF), ("el", "cp1253", 0xD2), ("he", "cp1255", 0xD9), ("lt", "cp1257", 0xA1)],
)
def test_a_byte_that_a_page_lacks_is_damage_wherever_it_is(language: str, encoding: str, stray: int) -> None:
    """Undefined values outside 0x80 to 0x9F, too: one of them made Thai Arabic, and Greek another Greek."""
    data = PROSE[language].encode(encoding, "ignore") + bytes([stray])
    verdict = charlens.detect(data)
    assert (verdict.encoding, verdict.damage) == (encoding, ((len(data) - 1, len(data)),))
