"""Read html5lib-tests' encoding cases, where they are there.

That is $CHARLENS_HTML5LIB, or the folder html5lib-encoding in the usual data.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path


def folder() -> Path | None:
    """Return the folder with the .dat files, or ``None``."""
    root = Path(os.environ.get("CHARLENS_DATA") or Path.home() / ".cache" / "charlens-data")
    named = Path(os.environ.get("CHARLENS_HTML5LIB") or root / "html5lib-encoding")
    return named if named.is_dir() else None


def cases(path: Path) -> Iterator[tuple[bytes, str]]:
    """Yield each page with the label of its encoding."""
    for block in path.read_bytes().split(b"#data\n")[1:]:
        page, _, expected = block.partition(b"\n#encoding\n")
        yield page, expected.split(b"\n")[0].decode("ascii")
