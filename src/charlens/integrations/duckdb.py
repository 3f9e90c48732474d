"""SQL functions for DuckDB that decode a column of BLOB.

    SELECT page.encoding, page.text FROM (SELECT charlens_decode(body) AS page FROM pages)

DuckDB passes whole chunks as Arrow arrays, which `charlens.integrations.arrow` decodes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import duckdb

_TYPE = (
    "STRUCT(outcome VARCHAR, encoding VARCHAR, confidence DOUBLE, language VARCHAR, "
    'damage STRUCT("start" BIGINT, "end" BIGINT)[], cut INTEGER, "text" VARCHAR, error VARCHAR)'
)


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
