"""Read local files: JSON lines, parquet, plain text; packed with gzip, bzip2 or xz or not.

A file is read row by row, so its size does not matter.  Dumps of a wiki are for `wikipedia`.
"""

from __future__ import annotations

import bz2
import gzip
import json
import lzma
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO, Any, cast

from charlens.training.readers.texts import Fields, ReaderError, Text, text_of
from charlens.training.readers.wikipedia import read_dump

_PACKED: dict[str, Callable[..., Any]] = {".gz": gzip.open, ".bz2": bz2.open, ".xz": lzma.open}
# A batch of rows of a parquet file: few enough to hold, enough to be quick.
_BATCH = 1000


def read_file(path: Path, fields: Fields) -> Iterator[Text]:
    """Yield the texts of *path*, whose ending says what it is."""
    kind = _kind(path)
    try:
        if kind == ".parquet":
            yield from _read_parquet(path, fields)
            return
        with open_packed(path) as file:
            if kind == ".xml":
                yield from read_dump(file)
            elif kind == ".txt":
                yield Text(file.read().decode("utf-8"), None)
            else:
                yield from _read_lines(file, path, fields)
    except UnicodeDecodeError as error:
        raise ReaderError(f"{path} is not UTF-8 (byte {error.start}); convert it first") from error
    except (OSError, EOFError, lzma.LZMAError) as error:
        raise ReaderError(f"{path} cannot be read: {error}") from error


_KINDS = (".jsonl", ".ndjson", ".json", ".parquet", ".xml", ".txt")


def _kind(path: Path) -> str:
    endings = [ending for ending in path.suffixes if ending not in _PACKED]
    kind = endings[-1] if endings else ""
    if kind not in _KINDS or (path.suffix not in _PACKED and path.suffix != kind):
        raise ReaderError(
            f"{path} must end in {', '.join(_KINDS)}, or in one of these followed by {', '.join(_PACKED)}. "
            "Unpack or rename it. For a dataset of Hugging Face, write hf:OWNER/NAME."
        )
    return kind


def open_packed(path: Path) -> IO[bytes]:
    """Open *path* for reading bytes, unpacked."""
    opener = _PACKED.get(path.suffix)
    return cast("IO[bytes]", opener(path, "rb")) if opener else path.open("rb")


def _read_lines(file: IO[bytes], path: Path, fields: Fields) -> Iterator[Text]:
    for number, line in enumerate(file, start=1):
        if not line.strip():
            continue
        where = f"{path}, line {number},"
        try:
            row = json.loads(line)
        except ValueError as error:
            raise ReaderError(f"{where} is not JSON: {error}. One object a line is expected.") from error
        if not isinstance(row, dict):
            raise ReaderError(f"{where} is not JSON object. One object a line is expected.")
        yield text_of(row, fields, where)


def _read_parquet(path: Path, fields: Fields) -> Iterator[Text]:
    try:
        import pyarrow
        from pyarrow import parquet
    except ImportError as error:
        raise ReaderError("reading parquet needs pyarrow: pip install 'charlens[datasets]'") from error
    try:
        file = parquet.ParquetFile(path)
        wanted = [name for name in (fields.text, fields.language) if name in file.schema_arrow.names]
        if fields.text not in wanted or (fields.language and fields.language not in wanted):
            # The whole row, for the error that names its columns.
            text_of(dict.fromkeys(file.schema_arrow.names, ""), fields, str(path))
            text_of(dict.fromkeys(file.schema_arrow.names), fields, str(path))
        for batch in file.iter_batches(_BATCH, columns=wanted):
            for row in batch.to_pylist():
                yield text_of(row, fields, str(path))
    except pyarrow.ArrowException as error:
        raise ReaderError(f"{path} cannot be read: {error}") from error
