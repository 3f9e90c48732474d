"""`pandas.read_csv` with `encoding="auto"` in place of every encoding that the tests name, for `pandas.toml`.
"""

from __future__ import annotations

import io
from typing import Any

import pandas

import charlens.codec

charlens.codec.register()
_read_csv = pandas.read_csv


def read_csv(*arguments: Any, **keywords: Any) -> Any:
    """Read what `pandas.read_csv` reads, but let charlens find the encoding; a text handle has been decoded already."""
    if keywords.get("encoding") and not isinstance(arguments[0], io.TextIOBase):
        keywords["encoding"] = "auto"
    return _read_csv(*arguments, **keywords)
