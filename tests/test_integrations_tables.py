"""Tables: how they are written, and reading them with pandas and polars."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
from pathlib import Path
from types import ModuleType

import pytest

import charlens
from charlens.integrations import pandas as with_pandas
from charlens.integrations import polars as with_polars
from charlens.integrations.table_format import describe, find_delimiter

ROWS = [("Юлия", "Тверь", "12,5"), ("Пётр", "Орёл", "7,25"), ("Ольга", "Псков; центр", "0,5")]


def table(delimiter: str, rows: list[tuple[str, ...]] = ROWS) -> str:
    lines = [("Имя", "Город", "Число"), *rows]
    quoted = [[f'"{field}"' if delimiter in field else field for field in line] for line in lines]
    return "".join(delimiter.join(line) + "\r\n" for line in quoted)


READERS = pytest.mark.parametrize("reader", [with_pandas, with_polars], ids=["pandas", "polars"])


@pytest.fixture(autouse=True)
def tools() -> None:
    for name in ("pandas", "polars"):
        pytest.importorskip(name, reason=f"{name} is not installed (extra: dev)")


def columns(frame: object) -> dict[str, list[str]]:
    return {name: [str(value) for value in frame[name]] for name in frame.columns}  # type: ignore[attr-defined,index]


EXPECTED = {
    "Имя": ["Юлия", "Пётр", "Ольга"],
    "Город": ["Тверь", "Орёл", "Псков; центр"],
    "Число": ["12,5", "7,25", "0,5"],
}


@READERS
@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
@pytest.mark.parametrize(
    "encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "cp1251", "koi8-r", "cp866"]
)
def test_encoding_delimiter_and_mark_are_found(reader: ModuleType, encoding: str, delimiter: str) -> None:
    """The same frame for every way in which the table can be written; no mark in the first heading."""
    assert columns(reader.read_csv(table(delimiter).encode(encoding))) == EXPECTED


@READERS
def test_paths_and_files_are_read(reader: ModuleType, tmp_path: Path) -> None:
    """A path as str or Path, an open binary file, and compressed files by their ending."""
    data = table(";").encode("cp1251")
    path = tmp_path / "table.csv"
    path.write_bytes(data)
    (tmp_path / "table.csv.gz").write_bytes(gzip.compress(data))
    (tmp_path / "table.csv.bz2").write_bytes(bz2.compress(data))
    (tmp_path / "table.csv.xz").write_bytes(lzma.compress(data))
    for source in (path, str(path), *sorted(tmp_path.glob("table.csv.*"))):
        assert columns(reader.read_csv(source)) == EXPECTED
    with open(path, "rb") as file:
        assert columns(reader.read_csv(file)) == EXPECTED


@READERS
def test_what_is_given_is_used(reader: ModuleType) -> None:
    """A delimiter or an encoding that the caller names is not found out."""
    name = "sep" if reader is with_pandas else "separator"
    frame = reader.read_csv(table(";", ROWS[:2]).encode("cp1251"), **{name: "|"})
    assert list(frame.columns) == ["Имя;Город;Число"]
    text = "Grüße;b\r\nx;y\r\n"
    encoding = "latin-1" if reader is with_pandas else "iso8859-1"
    assert (
        next(iter(reader.read_csv(text.encode(), encoding=encoding, **{name: ";"}).columns)) == "GrÃ¼Ã\x9fe"
    )


@READERS
def test_detection_takes_its_keywords(reader: ModuleType) -> None:
    """`detect` has keywords for charlens.detect."""
    data = table(";").encode("cp1251")
    frame = reader.read_csv(data, detect={"only": ["koi8-r"]})
    assert next(iter(frame.columns)) == "Имя".encode("cp1251").decode("koi8-r")


@READERS
def test_damage_is_warned_of(reader: ModuleType) -> None:
    """Bytes that do not decode are replaced, and a warning says where they are."""
    data = table(";").encode().replace("Орёл".encode(), "Орёл".encode() + b"\xff")
    with pytest.warns(UserWarning, match=f"starting at byte {data.index(0xFF)}"):
        frame = reader.read_csv(data)
    assert list(frame["Город"])[1] == "Орёл\ufffd"
    with pytest.raises(UnicodeDecodeError):
        reader.read_csv(data, encoding_errors="strict")


@READERS
def test_no_table_is_an_error_in_words(reader: ModuleType, tmp_path: Path) -> None:
    """Binary files, addresses and files open for text are refused, with what to do."""
    with pytest.raises(charlens.NotTextError, match="binary"):
        reader.read_csv(b"PK\x03\x04\0\0\0")
    with pytest.raises(ValueError, match="Download it"):
        reader.read_csv("https://example.org/table.csv")
    with pytest.raises(TypeError, match="'rb'"):
        reader.read_csv(io.StringIO("a,b"))
    with pytest.raises(FileNotFoundError):
        reader.read_csv(tmp_path / "missing.csv")


def test_pandas_reads_in_pieces(tmp_path: Path) -> None:
    """chunksize and other keywords go to pandas."""
    path = tmp_path / "table.csv"
    path.write_bytes(table(";").encode("cp1251"))
    with with_pandas.read_csv(path, chunksize=2, decimal=",") as pieces:
        sizes = [(len(piece), float(piece["Число"].iloc[0])) for piece in pieces]
    assert sizes == [(2, 12.5), (1, 0.5)]


def test_the_format_can_be_asked_for() -> None:
    """`describe` returns the codec that removes the mark, the delimiter, and the verdict."""
    found = describe(table("\t").encode("utf-16"))
    assert (found.encoding, found.delimiter, found.verdict.bom) == ("utf-16", "\t", b"\xff\xfe")
    assert describe(b"")[:2] == (None, None)


@pytest.mark.parametrize(
    ("text", "delimiter"),
    [
        ("a,b\n1,2\n", ","),
        ("a;b\n1,5;2,5\n3,5;4,5\n", ";"),
        ("a\tb, c\n1\t2\n", "\t"),
        ('a|"b|c"|d\n1|2|3\n', "|"),
        ('"a, b";c\n"d, e";f\n', ";"),
        ("one column\nof words\n", None),
        ("a,b,c\n", ","),
        ("", None),
        ("A letter, with commas.\nNot a table\nat all, really, no\nnone\n", None),
    ],
)
def test_delimiters(text: str, delimiter: str | None) -> None:
    """The sign that gives all lines the same number of fields, more than one; quotes are respected."""
    assert find_delimiter(text) == delimiter


def test_a_line_cut_off_does_not_count() -> None:
    """In the head of a long file the last line may be half."""
    assert find_delimiter("a,b,c\n1,2", whole=False) == ","


def test_a_stray_nul_does_not_make_a_table_binary(tmp_path: Path) -> None:
    """A short table with one NUL is read; one full of controls is refused."""
    path = tmp_path / "table.csv"
    path.write_bytes(b"a;b\n1;\x002\n3;4\n" * 3)
    assert describe(path).delimiter == ";"
    with pytest.raises(charlens.NotTextError):
        describe(bytes(range(64)))
