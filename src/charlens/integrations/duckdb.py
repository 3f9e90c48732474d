"""SQL functions for DuckDB that decode a column of BLOB.

    SELECT page.encoding, page.text FROM (SELECT charlens_decode(body) AS page FROM pages)

DuckDB passes whole chunks as Arrow arrays, which `charlens.integrations.arrow` decodes.  `decode` decodes the result of
a query: with that, text that leaves DuckDB is copied once less.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import duckdb
    import pyarrow

_TYPE = (
    "STRUCT(outcome VARCHAR, encoding VARCHAR, confidence DOUBLE, language VARCHAR, "
    'damage STRUCT("start" BIGINT, "end" BIGINT)[], cut INTEGER, "text" VARCHAR, error VARCHAR)'
)

#: The rows that DuckDB has in a chunk. More are not faster, and need more memory.
_ROWS = 2048


def register(connection: duckdb.DuckDBPyConnection, **keywords: Any) -> None:
    """Add `charlens_decode(body)` and `charlens_decode_page(body, content_type)` to *connection*.

    *keywords* are those of `charlens.integrations.arrow.decode_column`.
    """
    from charlens.integrations.arrow import decode_column

    # DuckDB reads these annotations, so they must be plain types.
    def decode(body: Any) -> Any:
        return decode_column(body, **keywords)

    def decode_page(body: Any, content_type: Any) -> Any:
        return decode_column(body, content_type, **keywords)

    for name, function, takes in (
        ("charlens_decode", decode, ["BLOB"]),
        ("charlens_decode_page", decode_page, ["BLOB", "VARCHAR"]),
    ):
        how: dict[str, Any] = {"parameters": takes, "type": "arrow", "null_handling": "special"}
        connection.create_function(name, function, return_type=_TYPE, **how)


def decode(
    relation: duckdb.DuckDBPyRelation, column: str, content_type: str | None = None, **keywords: Any
) -> pyarrow.RecordBatchReader:
    """Return the rows of *relation* with the verdict and the text in place of the bytes in *column*.

    *content_type* is the column of the HTTP headers; *keywords* are those of `decode_column`.  The rows are decoded as
    they are read.  A query that reads them must be on another cursor (`connection.cursor()`).
    """
    import pyarrow as pa

    from charlens.integrations.arrow import decode_batches, kept_columns, result_type

    kept = kept_columns(relation.columns, column, content_type)
    # Before it was renamed, it had the second name.
    read = getattr(relation, "to_arrow_reader", None) or relation.fetch_arrow_reader
    rows = read(_ROWS)
    target = pa.schema([*(rows.schema.field(name) for name in kept), *result_type()])
    return pa.RecordBatchReader.from_batches(target, decode_batches(rows, column, content_type, **keywords))
