"""Decode a column of Arrow: bytes in, a struct with the verdict and the text of each row out.

The support for polars, DuckDB, pandas, Spark, Daft and Ray is built on this (see the modules next to this one and
docs/scale.md).  Valid UTF-8 is copied, not decoded.  A null row stays null; a binary row has no text,
and its outcome says so; no row raises an error.
"""

from __future__ import annotations

from array import array as numbers
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any

from charlens.api import decode_as
from charlens.batch import Answer, Columns, detect_batch
from charlens.plural import count
from charlens.source import CODEC_ERRORS
from charlens.types import Verdict

if TYPE_CHECKING:
    import pyarrow

_UTF8 = ("ascii", "utf-8")


@cache
def result_type() -> pyarrow.StructType:
    """Return the Arrow type of the result of `decode_column`."""
    import pyarrow as pa

    span = pa.struct([("start", pa.int64()), ("end", pa.int64())])
    return pa.struct(
        [
            ("outcome", pa.string()),
            ("encoding", pa.string()),
            ("confidence", pa.float64()),
            ("language", pa.string()),
            ("damage", pa.list_(span)),
            ("cut", pa.int32()),
            ("text", pa.large_string()),
            ("error", pa.string()),
        ]
    )


def decode_column(
    array: pyarrow.Array | pyarrow.ChunkedArray,
    content_types: Any = None,
    *,
    text: bool = True,
    language: bool = True,
    threads: int = 0,
    model: Any = None,
) -> pyarrow.StructArray | pyarrow.ChunkedArray:
    """Return a struct for each row of *array*, a column of bytes: `result_type` names its fields.

    *content_types* are the HTTP headers of the rows, an array or a list, null for rows without one.  Without
    *text*, rows are not decoded; the other keywords are those of `charlens.batch.detect_batch`.  Bytes that
    do not decode become U+FFFD; if a codec fails, the text is null and `error` says why.
    """
    import pyarrow as pa

    headers = content_types.to_pylist() if hasattr(content_types, "to_pylist") else content_types
    if headers is not None and len(headers) != len(array):
        raise ValueError(
            f"decode_column(): got {count(len(array), 'row')} but {count(len(headers), 'content type')}."
        )
    if isinstance(array, pa.ChunkedArray):
        pieces, at = [], 0
        for chunk in array.chunks:
            part = None if headers is None else headers[at : at + len(chunk)]
            pieces.append(
                decode_column(chunk, part, text=text, language=language, threads=threads, model=model)
            )
            at += len(chunk)
        return pa.chunked_array(pieces, type=result_type())
    column = as_binary(array)
    data, bounds = _buffers(column)
    columns = detect_batch(data, bounds, headers, threads, language, model)
    texts, errors = _texts(column, data, bounds, columns) if text else (None, None)
    nothing = pa.nulls(len(column))
    fields = [
        *_verdicts(columns),
        nothing.cast(pa.large_string()) if texts is None else texts,
        nothing.cast(pa.string()) if errors is None else errors,
    ]
    missing = column.is_null() if column.null_count else None
    return pa.StructArray.from_arrays(fields, fields=list(result_type()), mask=missing)


def kept_columns(names: Sequence[str], column: str, content_type: str | None) -> list[str]:
    """Return the columns that `decode_batches` keeps, after a check that the names fit."""
    for name in (column, content_type):
        if name is not None and name not in names:
            raise ValueError(f"decode(): no column {name!r}; the columns are {', '.join(names)}.")
    kept = [name for name in names if name != column]
    taken = sorted({field.name for field in result_type()} & set(kept))
    if taken:
        raise ValueError(
            f"decode(): these columns of the frame are also columns of the result: {', '.join(taken)}. Rename them."
        )
    return kept


def decode_batches(
    batches: Iterable[pyarrow.RecordBatch], column: str, content_type: str | None = None, **keywords: Any
) -> Iterator[pyarrow.RecordBatch]:
    """Yield *batches* with the verdict and the text in place of the bytes in *column*.

    *content_type* is the column of the HTTP headers; *keywords* are those of `decode_column`.
    """
    import pyarrow as pa

    for batch in batches:
        headers = None if content_type is None else batch[content_type]
        found = decode_column(batch[column], headers, **keywords)
        kept = {name: batch[name] for name in batch.schema.names if name != column}
        fields = dict(zip((field.name for field in result_type()), found.flatten(), strict=True))
        yield pa.RecordBatch.from_pydict({**kept, **fields})


def as_binary(array: pyarrow.Array) -> pyarrow.Array:
    """Return a column of bytes with one buffer and offsets; text counts as its UTF-8."""
    import pyarrow as pa

    kind = array.type
    if pa.types.is_dictionary(kind):
        array = array.dictionary_decode()
        kind = array.type
    if pa.types.is_binary(kind) or pa.types.is_large_binary(kind):
        return array
    if pa.types.is_string(kind):
        return array.cast(pa.binary())
    is_bytes = any(
        test(kind)
        for test in (
            pa.types.is_large_string,
            pa.types.is_binary_view,
            pa.types.is_string_view,
            pa.types.is_fixed_size_binary,
            pa.types.is_null,
        )
    )
    if not is_bytes:
        raise TypeError(f"decode_column() needs a column of bytes (binary, large_binary …); got {kind}.")
    return array.cast(pa.large_binary())


def _buffers(column: pyarrow.Array) -> tuple[memoryview, memoryview]:
    """Return the bytes of *column* and its offsets, without copying."""
    import pyarrow as pa

    _, offsets, data = column.buffers()
    kind: Any = "q" if pa.types.is_large_binary(column.type) else "i"
    if offsets is None or not len(column):
        return memoryview(b""), memoryview(numbers(kind, (0,)))
    bounds = memoryview(offsets).cast("B").cast(kind)[column.offset : column.offset + len(column) + 1]
    return memoryview(data if data is not None else b"").cast("B"), bounds


def _verdicts(columns: Columns) -> list[pyarrow.Array]:
    """Return the columns of the verdicts; each different answer is converted once."""
    import pyarrow as pa

    places = pa.Array.from_buffers(pa.int32(), len(columns), [None, pa.py_buffer(columns.places)])
    answers = columns.answers
    kinds = {field.name: field.type for field in result_type()}

    def spread(name: str, values: list[Any]) -> pyarrow.Array:
        return pa.array(values, kinds[name]).take(places)

    return [
        spread("outcome", [answer.outcome.value for answer in answers]),
        spread("encoding", [answer.encoding for answer in answers]),
        spread("confidence", [answer.confidence for answer in answers]),
        pa.array(columns.language, pa.string()),
        spread("damage", [[span._asdict() for span in answer.damage] for answer in answers]),
        spread("cut", [answer.cut for answer in answers]),
    ]


def _texts(column: pyarrow.Array, data: memoryview, bounds: memoryview, columns: Columns) -> tuple[Any, Any]:
    """Return the text of each row, and its error or None; valid UTF-8 is copied."""
    import pyarrow as pa
    import pyarrow.compute as pc

    as_it_is = [_is_utf8(answer) for answer in columns.answers]
    others = [
        row
        for row, place in enumerate(columns.places)
        if not as_it_is[place] and bounds[row] < bounds[row + 1]
    ]
    if not others:
        return _as_text(column), None
    decoded: list[bytes | None] = []
    errors: list[str | None] = [None] * len(column)
    for row in others:
        body, errors[row] = decode_row(
            data[bounds[row] : bounds[row + 1]], columns.answers[columns.places[row]]
        )
        decoded.append(body)
    mask = numbers("b", bytes(len(column)))
    for row in others:
        mask[row] = 1
    chosen = pa.Array.from_buffers(pa.int8(), len(column), [None, pa.py_buffer(mask)]).cast(pa.bool_())
    whole = column.cast(pa.large_binary())
    whole = pc.replace_with_mask(whole, chosen, pa.array(decoded, pa.large_binary()))
    return _as_text(whole), pa.array(errors, pa.string()) if any(errors) else None


def _is_utf8(answer: Answer) -> bool:
    return answer.encoding in _UTF8 and not (answer.damage or answer.cut or answer.bom or answer.mixed)


def _as_text(column: pyarrow.Array) -> pyarrow.Array:
    """Turn bytes that are known to be UTF-8 into text without another check."""
    import pyarrow as pa

    wide = column.cast(pa.large_binary())
    return pa.Array.from_buffers(pa.large_string(), len(wide), wide.buffers(), wide.null_count, wide.offset)


def decode_row(row: memoryview, answer: Answer | Verdict) -> tuple[bytes | None, str | None]:
    """Return the text of a row in UTF-8, and its error; the text of an empty row is empty."""
    if answer.encoding is None:
        return None if len(row) else b"", None
    if answer.encoding == "utf-8" and not (answer.damage or answer.cut or answer.mixed):
        return bytes(row[len(answer.bom) :]), None
    try:
        text = decode_as(row, answer.encoding, answer.bom, answer.mixed)
    except CODEC_ERRORS as error:
        return None, f"{answer.encoding}: {error}"
    try:
        return text.encode(), None
    except UnicodeEncodeError:  # half a surrogate pair: possible in UTF-7, not in Arrow
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace").encode(), None
