"""`read_csv` of polars, with the encoding, the delimiter and the byte order mark found out.

polars reads UTF-8; any other encoding is decoded here and handed over as UTF-8.  Everything else is passed on.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from charlens.integrations.table_format import Source, describe_bytes, read_source, warn_of_damage

if TYPE_CHECKING:
    import polars


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
