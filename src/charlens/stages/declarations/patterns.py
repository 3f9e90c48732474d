"""Patterns that are compiled on first use: most files declare nothing, and compiling all takes 10 ms of the import."""

from __future__ import annotations

import re
from typing import Any


class Pattern:
    """A regular expression for text."""

    def __init__(self, pattern: str, flags: int = 0) -> None:
        self._source = (pattern, flags)

    def __getattr__(self, name: str) -> Any:
        pattern = re.compile(*self._source)
        self.__dict__.update(
            {method: getattr(pattern, method) for method in ("match", "search", "finditer", "sub")}
        )
        return getattr(pattern, name)
