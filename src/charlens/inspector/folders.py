"""The files in a folder as rows of a table, detected in a thread while the page shows the first ones."""

from __future__ import annotations

import os
import threading
from typing import Any

from charlens.cli.walk import find_files
from charlens.files.words import reason
from charlens.inspector.descriptions import Answer, printable
from charlens.inspector.overview import look_closely


class Folder:
    """The files in a folder, detected in a thread."""

    def __init__(self, root: str) -> None:
        self._root = root
        self._rows: list[list[Any]] = []
        #: The real name for each shown name that differs from it.
        self.names: dict[str, str] = {}
        self._done = False
        threading.Thread(target=self._walk, daemon=True).start()

    def _walk(self) -> None:
        def bad_folder(path: str, error: OSError) -> None:
            inner = os.path.relpath(path, self._root)
            self._rows.append([printable(inner), reason(error), None, 0, None, None, False, 0, [], ""])

        try:
            for entry in find_files([self._root], ignore=True, complain=bad_folder):
                name = printable(entry.inner)
                if name != entry.inner:
                    self.names[name] = entry.inner
                self._rows.append(look_closely(entry.path).row(name))
        finally:
            self._done = True

    def rows_from(self, start: int) -> Answer:
        """Return rows from a number on, and whether these are the last."""
        # Check this first: rows can be added in between.
        done = self._done
        rows = self._rows[start : start + 2000]
        return {
            "rows": rows,
            "next": start + len(rows),
            "done": done and start + len(rows) == len(self._rows),
        }
