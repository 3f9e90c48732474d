"""`charlens batch`: a column of bytes in Parquet files, decoded, as a table in Parquet.

Arguments and row groups are here; `charlens.integrations.arrow` decodes, and `parts` writes.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from charlens.cli import parts
from charlens.cli.terminal import shown
from charlens.cli.warc import need
from charlens.integrations.locations import is_remote, open_input

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pyarrow

#: Rows decoded at a time.
_ROWS = 1024


class Columns(NamedTuple):
    """The columns of the input to read, and whether to decode the text."""

    body: str
    content_type: str | None
    id: str | None
    text: bool
    min_confidence: float
    model: str | None

    @property
    def names(self) -> list[str]:
        """The names of all columns."""
        return [name for name in (self.body, self.content_type, self.id) if name is not None]


@click.command()
@click.argument("inputs", nargs=-1, required=True, metavar="IN.parquet...")
@click.option("--column", required=True, help="The column with the bytes.")
@click.option("--content-type", help="The column with the HTTP Content-Type headers, if any.")
@click.option(
    "--id", "identity", help="A column to copy to the output, for joins.  [default: the row number]"
)
@parts.part_options
def batch(inputs: tuple[str, ...], output: str, **given: Any) -> None:
    """Decode a column of bytes in Parquet files; the output has encoding, confidence, language, damage and text.

    The output is written in parts, one per row group. To resume after a crash, run the same command again: finished
    parts are skipped.

    \b
    charlens batch pages.parquet --column body --content-type header --id url --output decoded
    """
    need("pyarrow", extra="arrow")
    columns = Columns(
        given["column"],
        given["content_type"],
        given["identity"],
        given["text"],
        given["min_confidence"],
        given["model"],
    )
    ending = parts.stamp("batch", columns, model=given["model"])
    paths = parts.expand(inputs, "Parquet files")
    groups = {path: _check(path, columns) for path in paths}
    kinds = {str(kind) for _, kind in groups.values()}
    if len(kinds) > 1:
        raise click.UsageError(
            f"The column {columns.id!r} has different types in different files: {', '.join(sorted(kinds))}."
        )
    parts.prepare(output, ending)
    work = [
        parts.part_of(path, number, ending, number, -1)
        for path, (count, _) in groups.items()
        for number in range(count)
    ]
    table = _schema(next(iter(groups.values()))[1])
    parts.run(work, output, partial(_rows, columns, table), table, given, unit="rows")


def _check(path: str, columns: Columns) -> tuple[int, pyarrow.DataType]:
    """Return the number of row groups and the type of the id; exit if a column is missing."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        file = pq.ParquetFile(open_input(path) if is_remote(path) else path)
    except (OSError, pa.ArrowInvalid) as error:
        raise click.UsageError(f"{shown(path)} is not a Parquet file, or is truncated: {error}") from None
    has = file.schema_arrow
    for name in columns.names:
        if name not in has.names:
            raise click.UsageError(f"{shown(path)} has no column {name!r}; it has {', '.join(has.names)}.")
    kind = has.field(columns.body).type
    if not any(word in str(kind) for word in ("binary", "string")):
        raise click.UsageError(
            f"{shown(path)}: the column {columns.body!r} does not hold bytes; its type is {kind}."
        )
    return file.num_row_groups, pa.int64() if columns.id is None else has.field(columns.id).type


def _schema(identity: pyarrow.DataType) -> pyarrow.Schema:
    import pyarrow as pa

    from charlens.integrations.arrow import result_type

    return pa.schema([("id", identity), ("size", pa.int64()), *result_type()])


def _rows(columns: Columns, table: pyarrow.Schema, part: parts.Part) -> Iterator[pyarrow.RecordBatch]:
    import pyarrow as pa
    import pyarrow.compute as pc
    import pyarrow.parquet as pq

    from charlens.integrations.arrow import as_binary, decode_column

    file = pq.ParquetFile(open_input(part.path) if is_remote(part.path) else part.path)
    first = sum(file.metadata.row_group(number).num_rows for number in range(part.start))
    for batch in file.iter_batches(_ROWS, row_groups=[part.start], columns=columns.names):
        headers = None if columns.content_type is None else batch[columns.content_type]
        # One thread, because there is a process for each processor.
        found = decode_column(batch[columns.body], headers, text=columns.text, threads=1, model=columns.model)
        rows = pa.array(range(first, first + len(batch))) if columns.id is None else batch[columns.id]
        first += len(batch)
        fields = found.flatten()
        sizes = pc.binary_length(as_binary(batch[columns.body])).cast(pa.int64())
        if columns.min_confidence:
            sure = pc.greater_equal(found.field("confidence"), columns.min_confidence)
            fields[-2] = pc.if_else(sure, fields[-2], None)
        yield pa.RecordBatch.from_arrays([rows, sizes, *fields], schema=table)
