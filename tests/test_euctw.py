"""The codec for EUC-TW, and its place among the encodings."""

from __future__ import annotations

import codecs
import io
import subprocess
import sys
import zlib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from prose_texts import PROSE

import charlens
from charlens import kernel
from charlens.encodings import euctw_table, lookup
from charlens.encodings.euctw import FILE, _readings
from charlens.encodings.walks import walk_table

TEXT = PROSE["zh-Hant"]


def test_the_prose_goes_there_and_back() -> None:
    """Traditional Chinese is written in EUC-TW and read back without loss."""
    assert TEXT.encode("euc-tw").decode("euc-tw") == TEXT


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (b"\xc4\xe3", "中"),
        (b"\x8e\xa1\xc4\xe3", "中"),
        (b"\x8e\xa2\xa1\xa1", "乂"),
        (b"\x8e\xa3\xa1\xa1", "丨"),
        (b"a\xa1\xa1b", "a\u3000b"),
    ],
)
def test_known_characters(data: bytes, text: str) -> None:
    """Characters of planes 1, 2 and 3, and plane 1 by its long name, read as CNS 11643 has them."""
    assert data.decode("euc-tw") == text


@pytest.mark.parametrize("label", ["euc-tw", "EUC_TW", "euctw", "x-euc-tw"])
def test_python_and_charlens_know_its_labels(label: str) -> None:
    """`bytes.decode` takes the usual names after `import charlens`, and the table of encodings has the same one."""
    encoding = lookup(label)
    assert encoding is not None
    assert codecs.lookup(label).name == encoding.name == "euc_tw"


def test_the_codec_is_there_after_the_import_alone() -> None:
    """In a fresh interpreter `import charlens` is enough, and loads neither module nor table."""
    code = (
        "import sys, charlens; assert 'charlens.encodings.euctw' not in sys.modules; "
        "print(ascii(b'\\xc4\\xe3'.decode('euc-tw')))"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == r"'\u4e2d'"


@pytest.mark.parametrize(
    ("data", "start", "end"),
    [(b"ab\xa4", 2, 3), (b"\xa4a", 0, 1), (b"\x80", 0, 1), (b"\x8e\xa1\x41", 0, 2), (b"x\xfe\xfe", 1, 3)],
)
def test_an_error_names_its_bytes(data: bytes, start: int, end: int) -> None:
    """What is cut, broken or no character raises with its range; ASCII after a lead byte is never part of it."""
    with pytest.raises(UnicodeDecodeError) as caught:
        data.decode("euc-tw")
    assert (caught.value.start, caught.value.end, caught.value.encoding) == (start, end, "euc_tw")


def test_error_handlers_are_asked() -> None:
    """'replace', 'ignore' and 'backslashreplace' do in this codec what they do in Python's own."""
    assert b"a\xa4b".decode("euc-tw", "replace") == "a\ufffdb"
    assert b"a\xa4b".decode("euc-tw", "ignore") == "ab"
    assert "a€b".encode("euc-tw", "xmlcharrefreplace") == b"a&#8364;b"
    assert "aฅb".encode("euc-tw", "replace") == b"a?b"
    with pytest.raises(UnicodeEncodeError):
        "ฅ".encode("euc-tw")


@given(st.binary(max_size=60))
def test_any_bytes_are_safe(data: bytes) -> None:
    """Whatever comes in is text or a UnicodeDecodeError, and with 'replace' always text."""
    try:
        text = data.decode("euc-tw")
    except UnicodeDecodeError:
        assert "\ufffd" in data.decode("euc-tw", "replace")
    else:
        assert text.encode("euc-tw").decode("euc-tw") == text


@given(st.lists(st.integers(1, 5), max_size=40))
def test_pieces_read_like_the_whole(sizes: list[int]) -> None:
    """The incremental decoder gives the same text however the bytes are cut."""
    data = TEXT[:60].encode("euc-tw")
    decoder = codecs.getincrementaldecoder("euc-tw")()
    at, text = 0, ""
    for size in sizes:
        text += decoder.decode(data[at : at + size])
        at += size
    assert text + decoder.decode(data[at:], final=True) == TEXT[:60]


def test_files_open_with_it() -> None:
    """`open(encoding='euc-tw')` reads and writes, line by line."""
    raw = io.BytesIO()
    with io.TextIOWrapper(raw, encoding="euc-tw", newline="\n", write_through=True) as file:
        file.write(TEXT)
        data = raw.getvalue()
    assert io.TextIOWrapper(io.BytesIO(data), encoding="euc-tw", newline="\n").read() == TEXT


@given(st.lists(st.sampled_from(sorted(_readings())), max_size=10), st.binary(max_size=3))
def test_the_walk_accepts_what_the_codec_decodes(sequences: list[bytes], tail: bytes) -> None:
    """The table of the structure stage and the codec say the same about every input."""
    data = b"".join(sequences) + tail
    error, left, _ = kernel.walk(data, walk_table("euc_tw"))
    try:
        used = codecs.lookup("euc-tw").incrementaldecoder().decode(data)  # type: ignore[misc]
    except UnicodeDecodeError:
        assert error >= 0
    else:
        assert error < 0
        assert len(data) - left >= len(used)


def test_the_table_is_current() -> None:
    """euctw.bin is what the system's iconv says today, where it has EUC-TW."""
    ask = euctw_table.open_iconv()
    if ask is None:
        pytest.skip("the C library here has no EUC-TW")
    assert euctw_table.main(["--check"]) == 0


def test_a_stale_table_is_reported(tmp_path, monkeypatch) -> None:  # type: ignore[no-untyped-def]
    """--check fails when the file is another than the one that would be written."""
    if euctw_table.open_iconv() is None:
        pytest.skip("the C library here has no EUC-TW")
    stale = tmp_path / "euctw.bin"
    stale.write_bytes(zlib.compress(zlib.decompress(Path(FILE).read_bytes())[:-1] + b"\1"))
    monkeypatch.setattr(euctw_table, "FILE", str(stale))
    assert euctw_table.main(["--check"]) == 1


def test_it_is_an_answer_when_it_is_asked_for() -> None:
    """With `only=` the structure alone says that the bytes are EUC-TW, and `decode` reads them."""
    data = TEXT.encode("euc-tw")
    assert charlens.detect(data, only=["EUC-TW", "ascii"]).encoding == "euc_tw"
    assert charlens.decode(data, only=["EUC-TW"]) == TEXT


def test_it_is_recognised() -> None:
    """Traditional Chinese in EUC-TW is recognised without help."""
    assert charlens.detect(TEXT.encode("euc-tw")).encoding == "euc_tw"
