"""Read the list of public data: `datasets.toml`, next to this file."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path

from charlens.errors import CharlensError


@dataclass(frozen=True, slots=True)
class PublicSet:
    """A public dataset."""

    name: str
    what: str
    licence: str
    #: 'tree', 'manifest' or 'text'; the head of the file says what they mean.
    layout: str
    #: Commands that need a network.
    get: str


def public_sets() -> list[PublicSet]:
    """Return every set of the list."""
    if sys.version_info >= (3, 11):
        import tomllib
    else:
        try:
            import tomli as tomllib
        except ImportError:
            raise CharlensError("Python 3.10 reads TOML only with tomli: pip install tomli.") from None
    text = Path(__file__).with_name("datasets.toml").read_text(encoding="utf-8")
    return [PublicSet(**entry) for entry in tomllib.loads(text)["dataset"]]
