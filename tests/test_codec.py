"""The codec 'auto': whatever reads text by the name of an encoding reads any encoding by this name."""

from __future__ import annotations

import codecs
import configparser
import csv
import io
import subprocess
import sys
import time
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from prose_texts import PROSE

import charlens
from charlens import codec
from charlens.codec import AutoDecoder

ENCODINGS = [
    ("de", "ascii"),
    ("de", "cp1252"),
    ("de", "utf-8"),
    ("de", "utf-8-sig"),
    ("de", "utf-16"),
    ("ru", "utf-16-be"),
    ("de", "utf-32"),
    ("de", "utf-7"),
    ("ru", "cp1251"),
    ("ru", "koi8-r"),
    ("ja", "cp932"),
    ("ja", "euc_jp"),
    ("ja", "iso2022_jp"),
    ("ko", "iso2022_kr"),
    ("zh-Hans", "gb18030"),
    ("zh-Hans", "hz"),
    ("de", "cp500"),
]


def text_of(language: str, encoding: str) -> str:
    return PROSE[language].encode(encoding, "ignore").decode(encoding)


@pytest.fixture(autouse=True)
def auto() -> Iterator[None]:
    codec.register()
    yield
    codec.unregister()


def in_pieces(data: bytes, size: int, errors: str = "strict") -> str:
    decoder = AutoDecoder(errors)
    pieces = [decoder.decode(data[start : start + size]) for start in range(0, len(data), size)]
    return "".join(pieces) + decoder.decode(b"", True)


@pytest.mark.parametrize(("language", "encoding"), ENCODINGS)
def test_open_reads_any_encoding(tmp_path: Path, language: str, encoding: str) -> None:
    """`open(path, encoding="auto")` gives the text, without a mark; line by line as well."""
    text = text_of(language, encoding)
    path = tmp_path / "file"
    path.write_bytes(text.encode(encoding))
    with open(path, encoding="auto", newline="") as file:
        assert file.read() == text
    with open(path, encoding="auto", newline="") as file:
        assert list(file) == io.StringIO(text, newline="").readlines()
    assert path.read_text(encoding="auto") == text.replace("\r\n", "\n")


@pytest.mark.parametrize("size", [1, 7, 1000])
@pytest.mark.parametrize(("language", "encoding"), ENCODINGS)
def test_pieces_give_the_same_text(language: str, encoding: str, size: int) -> None:
    """Wherever the bytes are cut, the text is that of one shot."""
    data = text_of(language, encoding).encode(encoding)
    assert in_pieces(data, size) == charlens.decode(data) == data.decode("auto")


@given(st.binary(max_size=60), st.integers(1, 7))
def test_any_bytes_give_what_decode_gives(data: bytes, size: int) -> None:
    """For bytes of any kind: the text of `charlens.decode`, or an error where it raises one."""
    try:
        expected = charlens.decode(data)
    except charlens.NotTextError:
        with pytest.raises(UnicodeDecodeError):
            in_pieces(data, size)
    else:
        assert in_pieces(data, size, "replace") == expected


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> int:
    """Hold back so little that the prose of a test outgrows it."""
    monkeypatch.setattr(codec, "HELD", 1500)
    return 1500


LINE = "A plain line of ASCII, one of many.\n"


@pytest.mark.parametrize("size", [1, 100, 10_000])
@pytest.mark.parametrize(
    ("language", "encoding"),
    [
        ("de", "cp1252"),
        ("ru", "koi8-r"),
        ("ja", "cp932"),
        ("fr", "utf-8"),
        ("ja", "iso2022_jp"),
        ("de", "utf-7"),
    ],
)
def test_what_comes_after_much_ascii_is_read(small: int, language: str, encoding: str, size: int) -> None:
    """After the first megabyte, ASCII is returned; the decision waits for the first other byte."""
    text = LINE * 100 + text_of(language, encoding)
    assert in_pieces(text.encode(encoding), size) == text


def test_ascii_is_passed_on(small: int) -> None:
    """After enough plain ASCII, text is returned before the end of the input."""
    decoder = AutoDecoder()
    out = "".join(decoder.decode(LINE.encode()) for _ in range(100))
    assert out == LINE * 100
    assert decoder.verdict is None


def test_shifts_alone_do_not_grow_the_buffer(small: int) -> None:
    """A plus sign or a tilde in plain ASCII is held back for a while, and then passed on."""
    decoder = AutoDecoder()
    out = "".join(decoder.decode(b"a + b ~ c\n") for _ in range(1000))
    assert len(out) > 10_000 - 2 * small
    assert out + decoder.decode(b"", True) == "a + b ~ c\n" * 1000


@pytest.mark.parametrize(
    ("language", "encoding"), [("ja", "cp932"), ("ru", "utf-16-le"), ("fr", "utf-8-sig")]
)
def test_a_decision_holds_for_the_rest(small: int, language: str, encoding: str) -> None:
    """A longer input is decided by its first part and decoded to the end."""
    data = (text_of(language, encoding) * 4).encode(encoding)
    assert len(data) > 2 * small
    assert in_pieces(data, 333) == data.decode(encoding)


def test_the_rest_can_fail(small: int) -> None:
    """What was decided too early is an error of the decoder, not read as something else."""
    data = text_of("fr", "utf-8").encode() * 2 + "été".encode("cp1252")
    with pytest.raises(UnicodeDecodeError):
        in_pieces(data, 500)


def test_binary_is_an_error_with_the_reason() -> None:
    """No text: a UnicodeDecodeError, as of any codec, that says why; with replacement it is read nevertheless."""
    with pytest.raises(UnicodeDecodeError, match="contains NUL"):
        b"abc\x00\x01\x02".decode("auto")
    assert b"abc\x00\x01\xff".decode("auto", "replace") == "abc\x00\x01\ufffd"
    data = b"abc\x00\x01\xff"
    assert data.decode("auto", "surrogateescape").encode("utf-8", "surrogateescape") == data


def test_nothing_is_nothing(tmp_path: Path) -> None:
    """An empty file is an empty text."""
    path = tmp_path / "empty"
    path.write_bytes(b"")
    assert path.read_text(encoding="auto") == "" == b"".decode("auto")


@pytest.mark.parametrize("mode", ["a", "r+"])
def test_writing_is_refused_in_words(tmp_path: Path, mode: str) -> None:
    """The first write fails with advice, and the file is unchanged."""
    path = tmp_path / "file"
    path.write_bytes(b"abc")
    with (
        open(path, mode, encoding="auto") as file,
        pytest.raises(io.UnsupportedOperation, match="Name the encoding"),
    ):
        file.write("d")
    assert path.read_bytes() == b"abc"
    with pytest.raises(ValueError, match="Name the encoding"):
        "abc".encode("auto")


@pytest.mark.parametrize("mode", ["w", "w+", "wt", "x"])
def test_a_new_file_is_written_in_utf_8(tmp_path: Path, mode: str) -> None:
    """Python empties the file before it calls the codec; new text is written as UTF-8."""
    path = tmp_path / "new"
    with open(path, mode, encoding="auto") as file:
        file.write("dü")
        file.write("ж")
    assert path.read_bytes() == "düж".encode()
    path.write_text("Öl", encoding="auto")
    with _opened(path, "wb") as writer:
        writer.write("ß")
    assert path.read_bytes() == "ß".encode()


def _opened(path: Path, mode: str) -> codecs.StreamReaderWriter:
    """Return what `codecs.open` returns, which Python 3.14 deprecates."""
    found = codecs.lookup("auto")
    return codecs.StreamReaderWriter(path.open(mode), found.streamreader, found.streamwriter)


@pytest.mark.parametrize("mode", ["ab", "rb+"])
def test_codecs_open_refuses_to_write_into_a_file(tmp_path: Path, mode: str) -> None:
    """What is there stays."""
    path = tmp_path / "old"
    path.write_bytes(b"abc")
    with (
        _opened(path, mode) as file,
        pytest.raises(io.UnsupportedOperation, match="Name the encoding"),
    ):
        file.write("d")
    assert path.read_bytes() == b"abc"


def test_bytes_in_memory_are_read() -> None:
    """A stream that could be written to, as BytesIO can, is no less read."""
    data = "Viele Grüße aus Köln".encode("cp1252")
    assert io.TextIOWrapper(io.BytesIO(data), encoding="auto").read() == "Viele Grüße aus Köln"


@pytest.mark.parametrize(("language", "encoding"), [("ru", "cp1251"), ("de", "utf-8-sig"), ("ru", "utf-16")])
def test_positions_can_be_asked_for_and_sought(tmp_path: Path, language: str, encoding: str) -> None:
    """tell() between two lines, and seek() to it: the same line again; seek(0) starts again."""
    text = text_of(language, encoding)
    path = tmp_path / "file"
    path.write_bytes(text.encode(encoding))
    lines = text.splitlines(keepends=True)
    assert len(lines) > 3
    with open(path, encoding="auto", newline="") as file:
        assert file.readline() == lines[0]
        place = file.tell()
        rest = file.read()
        assert rest == "".join(lines[1:])
        file.seek(place)
        assert file.readline() == lines[1]
        file.seek(0)
        assert file.readline() == lines[0]


def test_csv_and_configparser_take_it(tmp_path: Path) -> None:
    """Two readers of the standard library, with no change on their side."""
    table = tmp_path / "table.csv"
    table.write_bytes("Имя;Город\r\nЮлия;Тверь\r\nПётр;Орёл\r\n".encode("cp1251"))
    with open(table, encoding="auto", newline="") as file:
        assert list(csv.reader(file, delimiter=";")) == [
            ["Имя", "Город"],
            ["Юлия", "Тверь"],
            ["Пётр", "Орёл"],
        ]
    settings = tmp_path / "settings.ini"
    settings.write_bytes("[größe]\nhöhe = 3\n; für später\n".encode("utf-16"))
    parser = configparser.ConfigParser()
    parser.read(settings, encoding="auto")
    assert parser["größe"]["höhe"] == "3"


def test_pandas_takes_it(tmp_path: Path) -> None:
    """`pandas.read_csv(path, encoding="auto")`, with both of its parsers."""
    pandas = pytest.importorskip("pandas", reason="pandas is not installed (extra: dev)")
    table = tmp_path / "table.csv"
    table.write_bytes("Имя;Город\r\nЮлия;Тверь\r\nПётр;Орёл\r\n".encode("cp1251"))
    for engine in ("c", "python"):
        frame = pandas.read_csv(table, encoding="auto", sep=";", engine=engine)
        assert list(frame["Город"]) == ["Тверь", "Орёл"]
    frame = pandas.read_csv(io.BytesIO(table.read_bytes()), encoding="auto", sep=";")
    assert list(frame["Город"]) == ["Тверь", "Орёл"]


@pytest.mark.skipif(sys.version_info < (3, 11), reason="zipfile takes metadata_encoding from 3.11 on")
def test_zipfile_takes_it_for_names(tmp_path: Path) -> None:
    """Names of an old archive are right with metadata_encoding="auto"."""
    path = tmp_path / "old.zip"
    write_old_zip(path, ["Документы/Отчёт за первый квартал.txt"], "cp866")
    with zipfile.ZipFile(path, metadata_encoding="auto") as archive:
        assert archive.namelist() == ["Документы/Отчёт за первый квартал.txt"]
        with archive.open(archive.namelist()[0]) as file, io.TextIOWrapper(file, encoding="auto") as text:
            assert text.read() == "content"


def write_old_zip(path: Path, names: list[str], encoding: str) -> None:
    """Make an archive as programs did before UTF-8: the bytes of the name, and no flag."""
    with zipfile.ZipFile(path, "w") as archive:
        for name in names:
            # An ASCII name of the same length is written, and its bytes replaced: zipfile itself would set the flag.
            archive.writestr("x" * len(name.encode(encoding)), "content")
    data = path.read_bytes()
    for name in names:
        raw = name.encode(encoding)
        data = data.replace(b"x" * len(raw), raw)
    path.write_bytes(data)


def test_codecs_open_takes_it(tmp_path: Path) -> None:
    """The old way of the codecs module: whole, by lines, by characters."""
    text = text_of("ru", "koi8-r")
    path = tmp_path / "file"
    path.write_bytes(text.encode("koi8-r"))
    reader = codecs.getreader("auto")
    with open(path, "rb") as file:
        assert reader(file).read() == text
    with open(path, "rb") as file:
        assert list(reader(file)) == io.StringIO(text, newline="").readlines()
    with open(path, "rb") as file:
        assert reader(file).read(10) == text[:10]


def test_a_codec_can_be_narrowed(tmp_path: Path) -> None:
    """register() takes the keywords of detect, under a name of one's own."""
    codec.register("auto-narrow", only=iter(["koi8-r", "utf-8"]))
    try:
        assert "ЁЖ".encode("cp1251").decode("auto-narrow") == "ЁЖ".encode("cp1251").decode("koi8-r")
        assert "ЁЖ".encode().decode("AUTO_narrow") == "ЁЖ"
    finally:
        codec.unregister("auto-narrow")
    with pytest.raises(LookupError):
        b"a".decode("auto-narrow")
    with pytest.raises(charlens.UnknownEncodingError):
        codec.register("auto-wrong", only=["no-such-thing"])
    with pytest.raises(ValueError, match="already"):
        codec.register("latin-1")


def test_registering_twice_is_once() -> None:
    """The second register() replaces the first; one unregister() takes it away; a second one is not an error."""
    codec.register()
    codec.register()
    codec.unregister()
    with pytest.raises(LookupError):
        b"a".decode("auto")
    codec.unregister()


def test_it_is_reached_from_charlens_alone() -> None:
    """`import charlens; charlens.codec.register()` is all it takes."""
    code = "import charlens; charlens.codec.register(); print('Köln'.encode('cp1252').decode('auto'))"
    done = subprocess.run(
        [sys.executable, "-X", "utf8", "-c", code], capture_output=True, text=True, encoding="utf-8"
    )
    assert done.stdout == "Köln\n", done.stderr


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (b"a,b,c\n1,2\x00,3\n", "a,b,c\n1,2\x00,3\n"),
        ("Größe;Maß\n1;\x002\n".encode(), "Größe;Maß\n1;\x002\n"),
        ("Größe;Maß\n".encode("cp1252") * 40 + b"1;\x00\n", "Größe;Maß\n" * 40 + "1;\x00\n"),
    ],
)
def test_a_stray_nul_is_read(tmp_path: Path, data: bytes, text: str) -> None:
    """A table with a NUL in it is read, NUL and all; many controls are still binary."""
    path = tmp_path / "table.csv"
    path.write_bytes(data)
    with open(path, encoding="auto", newline="") as file:
        assert file.read() == text
    for binary in (bytes(range(64)), "Größe\0Maß\0".encode("cp1252")):
        with pytest.raises(UnicodeDecodeError, match="binary"):
            binary.decode("auto")


# ---- several encodings, limits

MIXED = (
    "Grüße aus Köln\nund schöne Straßen\n".encode()
    + "Café crème, déjà vu à la carte\n".encode("cp1252")
    + ("日本語のテキストです。\n" * 3).encode("iso2022_jp")
    + "Übermut tut selten gut\nÄpfel und Öl\n".encode()
)


@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"])
@pytest.mark.parametrize("size", [1, 7, 1000])
def test_each_part_is_read_in_its_encoding(mark: bytes, size: int) -> None:
    """With an error handler, a file in several encodings is read as `charlens.decode` reads it."""
    expected = charlens.decode(MIXED)
    assert "Café crème, déjà vu à la carte\n日本語のテキストです。" in expected
    assert in_pieces(mark + MIXED, size, "replace") == expected == MIXED.decode("auto")
    with pytest.raises(UnicodeDecodeError, match="in several encodings"):
        in_pieces(mark + MIXED, size)


@pytest.mark.parametrize("size", [3, 8192])
def test_positions_in_several_encodings(tmp_path: Path, size: int) -> None:
    """tell() and seek() work in a file in several encodings, also inside a part with shifts."""
    path = tmp_path / "mixed.txt"
    path.write_bytes(MIXED)
    expected = charlens.decode(MIXED)
    with path.open(encoding="auto", errors="replace", newline="") as file:
        file._CHUNK_SIZE = size  # type: ignore[attr-defined]
        places = {}
        text = ""
        while piece := file.read(5):
            text += piece
            places[file.tell()] = len(text)
        assert text == expected
        for place, length in places.items():
            file.seek(place)
            assert file.read() == expected[length:]


def test_the_first_part_that_is_held_decides_for_the_rest(small: int) -> None:
    """Of a longer file, the parts of the first bytes are known; the last of them goes on."""
    data = MIXED + "Und so weiter, für größere Häuser.\n".encode() * 100
    assert in_pieces(data, 700, "replace") == charlens.decode(data)


def test_a_limit_loses_no_text(tmp_path: Path) -> None:
    """If a codec with max_bytes names an encoding that does not decode the rest, it reads the rest, too."""
    data = b"abcdefghijklm" + "Grüße".encode("cp1252")
    path = tmp_path / "a.txt"
    path.write_bytes(data)
    codec.register("auto-limited", max_bytes=10)
    try:
        assert data.decode("auto-limited") == data.decode("auto-limited", "replace") == "abcdefghijklmGrüße"
        assert path.read_text("auto-limited") == "abcdefghijklmGrüße"
    finally:
        codec.unregister("auto-limited")


POSITIONS = {
    "cp1252": "Viele Grüße aus Köln, schöne Häuser\n",
    "iso2022_jp": "日本語の文章です。漢字とかな。\n",
    "iso2022_kr": "한국어 문장입니다 그리고 또\n",
    "utf-16": "日本語の文章です。漢字とかな。\n",
    "ascii": "2026-11-18 08:00:00 +0100 a line of a log\n",
}


@pytest.mark.parametrize("newline", ["", None])
@pytest.mark.parametrize("encoding", POSITIONS)
def test_positions_in_a_file_that_is_longer_than_what_is_held(
    tmp_path: Path, small: int, encoding: str, newline: str | None
) -> None:
    """tell() and seek() work before and after the decision, in the shift states of ISO-2022 and in ASCII with signs."""
    lines = [POSITIONS[encoding].replace("\n", f" {number}\n") for number in range(150)]
    if encoding == "ascii":
        lines.append("Viele Grüße aus Köln\n")
    path = tmp_path / "file"
    path.write_bytes("".join(lines).encode("cp1252" if encoding == "ascii" else encoding))
    assert path.stat().st_size > 2 * small
    places = []
    with path.open(encoding="auto", newline=newline) as file:
        file._CHUNK_SIZE = 128  # type: ignore[attr-defined]
        while file.readline():
            places.append(file.tell())
        for place, line in reversed(list(zip(places, lines[1:], strict=False))):
            file.seek(place)
            assert file.readline() == line


@pytest.mark.parametrize("encoding", POSITIONS)
def test_a_position_in_a_large_file_is_found_fast(tmp_path: Path, encoding: str) -> None:
    """tell() decodes again what was held, but does not decide again: that took seven seconds, byte by byte."""
    path = tmp_path / "file"
    path.write_bytes((POSITIONS[encoding] * 40_000).encode(encoding))
    assert path.stat().st_size > codec.HELD
    with path.open(encoding="auto") as file:
        file.readline()
        begin = time.process_time()
        place = file.tell()
        assert time.process_time() - begin < 1
        line = file.readline()
        file.seek(place)
        assert file.readline() == line
