"""pandas: a `read_csv` that detects the encoding, and decoding for columns of bytes.

Everything else is passed on to pandas: `read_csv(path, decimal=",")`.  After `charlens.codec.register()`, pandas itself
accepts `encoding="auto"`; this module also finds the delimiter and reads the whole file before it decides.
"""

from __future__ import annotations

import io
import os
from typing import TYPE_CHECKING, Any

from charlens.integrations.table_format import (
    Source,
    describe_as,
    describe_bytes,
    read_source,
    warn_of_damage,
)

if TYPE_CHECKING:
    import pandas


def read_csv(
    source: Source, *, detect: dict[str, Any] | None = None, **keywords: Any
) -> pandas.DataFrame | Any:
    """Read a table from a path, bytes or a binary file; *keywords* are those of `pandas.read_csv`.

    *detect* has keywords for `charlens.detect`, such as ``{"only": ["utf-8", "cp1252"]}``.  An `encoding`, `sep` or
    `delimiter` that is given is used as it is.
    """
    import pandas

    with read_source(source) as data:
        if "encoding" in keywords:
            delimiter = describe_as(data, keywords["encoding"])
        else:
            found = describe_bytes(data, detect or {})
            delimiter = found.delimiter
            keywords["encoding"] = found.encoding
            if warn_of_damage(found.verdict, keywords.get("encoding_errors")):
                keywords["encoding_errors"] = "replace"
        if delimiter and not keywords.keys() & {"sep", "delimiter"}:
            keywords["sep"] = delimiter
        # Pass the path to pandas, so chunksize= works.
        content = source if isinstance(source, str | os.PathLike) else io.BytesIO(data)
        return pandas.read_csv(content, **keywords)


def decode_column(series: pandas.Series, content_types: Any = None, **keywords: Any) -> pandas.DataFrame:
    """Return a frame with the verdict and the text of each row of *series*, a column of bytes, with the same index.

    See `charlens.integrations.arrow.decode_column`.  A missing row has only missing values.
    """
    import pyarrow as pa

    from charlens.integrations import arrow

    headers = None if content_types is None else pa.array(content_types, pa.string(), from_pandas=True)
    column = pa.array(series, pa.large_binary(), from_pandas=True)
    found = arrow.decode_column(column, headers, **keywords)
    frame = pa.Table.from_arrays(found.flatten(), schema=pa.schema(arrow.result_type())).to_pandas()
    return frame.set_axis(series.index)
