"""polars: a `read_csv` that detects the encoding, and decoding for columns of bytes.

polars reads UTF-8; any other encoding is decoded here and passed on as UTF-8.  Everything else is passed on.
`charlens.integrations.arrow` decodes columns; this module only converts to Arrow and back.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from charlens.integrations.table_format import Source, describe_bytes, read_source, warn_of_damage

if TYPE_CHECKING:
    import polars

_NAME = "charlens"


def read_csv(
    source: Source,
    *,
    detect: dict[str, Any] | None = None,
    encoding_errors: str | None = None,
    **keywords: Any,
) -> polars.DataFrame:
    """Read a table from a path, bytes or a binary file; *keywords* are those of `polars.read_csv`.

    *detect* has keywords for `charlens.detect`, *encoding_errors* says what to do with bytes that do not decode (by
    default 'replace', with a warning).  An `encoding` or `separator` that is given is used as it is.
    """
    import polars

    with read_source(source) as data:
        if "encoding" in keywords:
            return polars.read_csv(bytes(data), **keywords)
        found = describe_bytes(data, detect or {})
        if found.delimiter:
            keywords.setdefault("separator", found.delimiter)
        warn_of_damage(found.verdict, encoding_errors)
        body = bytes(data[len(found.verdict.bom) :])
        encoding = found.verdict.encoding
        if encoding not in (None, "ascii", "utf-8") or found.verdict.damage or found.verdict.cut:
            body = body.decode(str(encoding), encoding_errors or "replace").encode()
        return polars.read_csv(body, **keywords)


def decode_column(
    series: polars.Series, content_types: polars.Series | None = None, **keywords: Any
) -> polars.Series:
    """Return a struct for each row of *series*, a column of bytes; see `charlens.integrations.arrow.decode_column`."""
    import polars

    from charlens.integrations import arrow

    headers = None if content_types is None else content_types.to_list()
    found = arrow.decode_column(series.to_arrow(), headers, **keywords)
    return polars.Series(series.name, found, dtype=result_dtype())


def result_dtype() -> polars.Struct:
    """Return the polars type of the result of `decode_column`."""
    import polars
    import pyarrow

    from charlens.integrations import arrow

    return polars.Series(pyarrow.array([], arrow.result_type())).dtype  # type: ignore[return-value]


def register() -> None:
    """Add the expression `polars.col("body").charlens.decode()` to polars, for frames, lazy frames and streams."""
    import polars

    if not hasattr(polars.Expr, _NAME):
        polars.api.register_expr_namespace(_NAME)(Decoding)


class Decoding:
    """The namespace that `register` adds to expressions of polars."""

    def __init__(self, expression: polars.Expr) -> None:
        self._expression = expression

    def decode(self, content_type: polars.Expr | str | None = None, **keywords: Any) -> polars.Expr:
        """Decode the column; *content_type* is the column of the HTTP headers, or its name."""
        import polars

        columns = [self._expression]
        if content_type is not None:
            columns.append(polars.col(content_type) if isinstance(content_type, str) else content_type)
        return polars.map_batches(
            columns, lambda given: decode_column(*given, **keywords), return_dtype=result_dtype()
        )
