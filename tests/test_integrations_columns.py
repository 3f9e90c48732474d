"""Columns of Arrow, polars, DuckDB and pandas: each row has the verdict of `detect` and the text of `decode`."""

from __future__ import annotations

from typing import Any

import pytest
from prose_texts import PROSE

import charlens

pa = pytest.importorskip("pyarrow", reason="pyarrow is not installed (extra: dev)")

from charlens.integrations.arrow import decode_column, result_type  # noqa: E402

ROWS = [
    b"plain",
    None,
    PROSE["ru"][:200].encode("cp1251", "ignore"),
    b"a\0b\1",
    b"",
    PROSE["el"][:100].encode(),
    b"\xef\xbb\xbfmark",
    "ä".encode() * 30 + b"\xff" + "ü".encode()[:1],
    PROSE["ja"][:80].encode("cp932", "ignore"),
    PROSE["pl"][:80].encode("utf-16"),
]
HEADERS = [None, None, "text/html; charset=windows-1251", None, "text/html", *[None] * 5]
LONE = b"Hi+AOk-, na+AO8-ve caf+AOk-s +2AA-"


def wanted(row: bytes | None, header: str | None = None) -> dict[str, Any] | None:
    """Return what a row has to become."""
    if row is None:
        return None
    verdict = charlens.detect(row, content_type=header)
    return {
        "outcome": verdict.outcome.value,
        "encoding": verdict.encoding,
        "confidence": verdict.confidence,
        "language": verdict.language,
        "damage": [span._asdict() for span in verdict.damage],
        "cut": verdict.cut,
        "text": charlens.decode(row, content_type=header) if verdict.encoding or not row else None,
        "error": None,
    }


WANTED = [wanted(row) for row in ROWS]


@pytest.mark.parametrize("kind", ["binary", "large_binary", "binary_view"])
def test_every_kind_of_bytes(kind: str) -> None:
    """Columns of bytes in all layouts of Arrow, whole, in slices and in chunks."""
    column = pa.array(ROWS, getattr(pa, kind)())
    found = decode_column(column)
    found.validate(full=True)
    assert found.type == result_type()
    assert found.to_pylist() == WANTED
    assert decode_column(column.slice(2, 5)).to_pylist() == WANTED[2:7]
    assert decode_column(pa.chunked_array([column[:3], column[3:]])).to_pylist() == WANTED
    assert decode_column(column[:0]).to_pylist() == []


def test_headers_count() -> None:
    """Content types are a list or a column, with nulls."""
    expected = [wanted(row, header) for row, header in zip(ROWS, HEADERS, strict=True)]
    column = pa.array(ROWS, pa.binary())
    assert decode_column(column, HEADERS).to_pylist() == expected
    chunked = pa.chunked_array([column[:3], column[3:]])
    assert decode_column(chunked, pa.array(HEADERS)).to_pylist() == expected
    with pytest.raises(ValueError, match="10 rows but 2 content types"):
        decode_column(column, HEADERS[:2])


def test_a_lone_surrogate_is_a_value() -> None:
    """UTF-7 that names half a pair, which Arrow cannot store, is taken for ASCII."""
    found = decode_column(pa.array([LONE], pa.binary()))
    found.validate(full=True)
    assert found[0].as_py()["text"] == LONE.decode("ascii")


def test_valid_utf8_is_not_decoded(monkeypatch: pytest.MonkeyPatch) -> None:
    """The text of a column that is UTF-8 already shares the bytes of the column."""
    monkeypatch.setattr("charlens.integrations.arrow.decode_as", None)
    column = pa.array([b"plain", None, PROSE["el"].encode()], pa.large_binary())
    text = decode_column(column).field("text")
    assert text.buffers()[2].address == column.buffers()[2].address


def test_text_counts_as_its_utf8_and_numbers_are_refused() -> None:
    """A column of strings is decoded already; one of numbers is an error that says what is needed."""
    assert [row["encoding"] for row in decode_column(pa.array(["plain", "é"])).to_pylist()] == [
        "ascii",
        "utf-8",
    ]
    with pytest.raises(TypeError, match="needs a column of bytes"):
        decode_column(pa.array([1, 2]))


def test_without_text() -> None:
    """Without text, rows are looked at only."""
    found = decode_column(pa.array(ROWS, pa.binary()), text=False, language=False)
    assert found.field("text").null_count == len(ROWS)
    assert found.field("encoding").to_pylist() == [row and row["encoding"] for row in WANTED]


def test_polars() -> None:
    """An expression of polars, eager and lazy, with and without content types."""
    polars = pytest.importorskip("polars")
    from charlens.integrations import polars as with_polars

    with_polars.register()
    with_polars.register()
    frame = polars.DataFrame({"body": ROWS, "type": HEADERS})
    assert with_polars.decode_column(frame["body"]).to_list() == WANTED
    lazy = frame.lazy().select(polars.col("body").charlens.decode().alias("page"))
    assert lazy.collect()["page"].to_list() == WANTED
    assert lazy.collect_schema()["page"] == with_polars.result_dtype()
    with_headers = frame.select(polars.col("body").charlens.decode("type").alias("page"))
    assert with_headers["page"][2]["encoding"] == "cp1251"
    assert with_headers["page"][4]["outcome"] == "undecided"


def test_duckdb() -> None:
    """Functions of SQL; a null is a null."""
    duckdb = pytest.importorskip("duckdb")
    from charlens.integrations import duckdb as with_duckdb

    connection = duckdb.connect()
    with_duckdb.register(connection)
    connection.register(
        "pages", pa.table({"n": range(10), "body": pa.array(ROWS, pa.binary()), "type": HEADERS})
    )
    found = connection.sql("SELECT charlens_decode(body) FROM pages ORDER BY n").fetchall()
    assert [row for (row,) in found] == WANTED
    found = connection.sql(
        "SELECT charlens_decode_page(body, type).encoding FROM pages ORDER BY n"
    ).fetchall()
    assert [row for (row,) in found] == [row and row["encoding"] for row in WANTED]


def test_the_result_of_a_query_of_duckdb() -> None:
    """Batches of Arrow with the other columns, decoded as they are read, also by another query."""
    duckdb = pytest.importorskip("duckdb")
    from charlens.integrations import duckdb as with_duckdb

    connection = duckdb.connect()
    many = 300  # more rows than DuckDB has in a chunk
    table = pa.table(
        {"n": range(10 * many), "body": pa.array(ROWS * many, pa.binary()), "type": HEADERS * many}
    )
    connection.register("pages", table)
    query = connection.sql("SELECT * FROM pages ORDER BY n")
    reader = with_duckdb.decode(query, "body", "type")
    names = [field.name for field in result_type()]
    assert reader.schema.names == ["n", "type", *names]
    rows = reader.read_all().to_pylist()
    expected = [wanted(row, header) for row, header in zip(ROWS, HEADERS, strict=True)]
    for row in rows:
        own = expected[row["n"] % 10] or dict.fromkeys(names)
        assert {name: row[name] for name in names} == own
    assert [row["n"] for row in rows] == list(range(10 * many))
    reader = with_duckdb.decode(query, "body")  # the next line finds it by its name
    found = connection.cursor().sql("SELECT encoding, count(*) FROM reader GROUP BY ALL").fetchall()
    assert dict(found)["cp932"] == many
    with pytest.raises(ValueError, match="no column 'boddy'; the columns are n, body, type"):
        with_duckdb.decode(query, "boddy")
    with pytest.raises(ValueError, match="also columns of the result: text"):
        with_duckdb.decode(connection.sql("SELECT body, '' AS text FROM pages"), "body")


def test_pandas() -> None:
    """A frame under the index of the series."""
    pandas = pytest.importorskip("pandas")
    from charlens.integrations import pandas as with_pandas

    series = pandas.Series(ROWS, index=range(10, 20))
    frame = with_pandas.decode_column(series, HEADERS)
    assert list(frame.index) == list(series.index)
    assert frame.loc[12, "encoding"] == "cp1251"
    assert frame.loc[12, "text"] == WANTED[2]["text"]
    assert pandas.isna(frame.loc[11, "outcome"])
