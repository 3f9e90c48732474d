"""Decode a column of bytes in Parquet files: a part of the table is a row group.

`arrow` decodes, and `parts` writes.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from charlens.integrations.arrow import as_binary, decode_column, result_type
from charlens.integrations.locations import open_for_arrow
from charlens.integrations.parts import Job, Part, load_model, part_of, stamp

if TYPE_CHECKING:
    import pyarrow

#: Rows decoded at a time.
_ROWS = 1024


class Columns(NamedTuple):
    """The columns of the input to read, and whether to decode the text."""

    body: str
    content_type: str | None = None
    id: str | None = None
    text: bool = True
    min_confidence: float = 0.0
    #: The folder of a model, or the bytes of its file; None for the default model.
    model: str | bytes | None = None

    @property
    def names(self) -> list[str]:
        """The names of all columns."""
        return [name for name in (self.body, self.content_type, self.id) if name is not None]


def table_job(paths: Sequence[str], columns: Columns) -> Job:
    """Return the work of decoding the *columns* of Parquet files; a file that does not have them is an error."""
    import pyarrow as pa

    ending = stamp("batch", columns._replace(model=None), model=columns.model)
    groups = {path: _check(path, columns) for path in paths}
    kinds = {str(kind): kind for _, kind in groups.values()}
    if len(kinds) > 1:
        raise ValueError(
            f"The column {columns.id!r} has different types in different files: {', '.join(sorted(kinds))}."
        )
    parts = [
        part_of(path, number, ending, number, -1)
        for path, (count, _) in groups.items()
        for number in range(count)
    ]
    (identity,) = kinds.values()
    table = pa.schema([("id", identity), ("size", pa.int64()), *result_type()])
    return Job(_rows, columns, table, ending, parts)


def _check(path: str, columns: Columns) -> tuple[int, pyarrow.DataType]:
    """Return the number of row groups and the type of the id; a column that is missing is an error."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        with open_for_arrow(path) as source:
            file = pq.ParquetFile(source)
            has, count = file.schema_arrow, file.num_row_groups
    except (OSError, pa.ArrowInvalid) as error:
        raise ValueError(f"{path} is not a Parquet file, or is truncated: {error}") from None
    for name in columns.names:
        if name not in has.names:
            raise ValueError(f"{path} has no column {name!r}; it has {', '.join(has.names)}.")
    kind = has.field(columns.body).type
    if not any(word in str(kind) for word in ("binary", "string")):
        raise ValueError(f"{path}: the column {columns.body!r} does not hold bytes; its type is {kind}.")
    return count, pa.int64() if columns.id is None else has.field(columns.id).type


def _rows(job: Job, part: Part) -> Iterator[pyarrow.RecordBatch]:
    """Yield the rows of a row group."""
    import pyarrow as pa
    import pyarrow.compute as pc
    import pyarrow.parquet as pq

    columns: Columns = job.settings
    model: Any = load_model(columns.model)
    with open_for_arrow(part.path) as source:
        file = pq.ParquetFile(source)
        first = sum(file.metadata.row_group(number).num_rows for number in range(part.start))
        for batch in file.iter_batches(_ROWS, row_groups=[part.start], columns=columns.names):
            headers = None if columns.content_type is None else batch[columns.content_type]
            # One thread, because there is a process for each processor.
            found = decode_column(batch[columns.body], headers, text=columns.text, threads=1, model=model)
            rows = pa.array(range(first, first + len(batch))) if columns.id is None else batch[columns.id]
            first += len(batch)
            fields = found.flatten()
            sizes = pc.binary_length(as_binary(batch[columns.body])).cast(pa.int64())
            if columns.min_confidence:
                sure = pc.greater_equal(found.field("confidence"), columns.min_confidence)
                fields[-2] = pc.if_else(sure, fields[-2], None)
            yield pa.RecordBatch.from_arrays([rows, sizes, *fields], schema=job.schema)
