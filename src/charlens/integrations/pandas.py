"""`read_csv` of pandas, with the encoding, the delimiter and the byte order mark found out.

Everything else is passed on to pandas: `read_csv(path, decimal=",")`.  After `charlens.codec.register()`, pandas itself
takes `encoding="auto"`; this one also finds the delimiter and looks at the whole file before it decides.
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
        # A path goes to pandas as it is: so it reads in pieces where the caller wants pieces.
        content = source if isinstance(source, str | os.PathLike) else io.BytesIO(data)
        return pandas.read_csv(content, **keywords)
