"""Patterns that are compiled on first use: most processes need few of them, and compiling all takes 11 ms."""

from __future__ import annotations

import re
from typing import Any


class Pattern:
    """A regular expression for text or for bytes."""

    def __init__(self, pattern: Any, flags: int = 0) -> None:
        self._source = (pattern, flags)

    def __getattr__(self, name: str) -> Any:
        pattern = re.compile(*self._source)
        self.__dict__.update(
            {each: getattr(pattern, each) for each in ("match", "fullmatch", "search", "findall", "finditer", "sub")}
        )
        return getattr(pattern, name)
