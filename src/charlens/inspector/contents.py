"""The inspected files, which are read in ranges, so their size does not matter.

A dropped file or pasted text is saved in a separate folder that is deleted
when the page is closed.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from copy import copy

from charlens.inputs.mixed import Segment, segments
from charlens.inputs.paths import open_regular
from charlens.types import Verdict


class Content:
    """An open file."""

    def __init__(self, key: str, path: str, name: str, *, own: bool = False) -> None:
        open_regular(path).close()
        self.key = key
        self.path = path
        #: The name to show; `path` may be that of a copy.
        self.name = name
        #: Whether it is a copy, which cannot be saved in place.
        self.own = own
        self.size = 0
        self._stamp = (-1, -1)
        #: Increases with every change of the file.
        self.version = 0
        #: For each encoding, offsets with a known line number, for `rows.line_at`.
        self.lines: dict[str, list[tuple[int, int]]] = {}
        #: The range that was found; it is marked in rows of text.
        self.found = (0, 0)
        self._parts: tuple[Segment, ...] | None = None
        #: Verdicts by hints.
        self.verdicts: dict[tuple[tuple[str, str], ...], Verdict] = {}
        self.refresh()

    def refresh(self) -> None:
        """Discard all results if the file has changed."""
        status = os.stat(self.path)
        if not stat.S_ISREG(status.st_mode):
            raise OSError(22, "is a pipe; write it to a file first", self.path)
        if (status.st_size, status.st_mtime_ns) != self._stamp:
            self.size, self._stamp = status.st_size, (status.st_size, status.st_mtime_ns)
            self.version += 1
            self.lines.clear()
            self.verdicts.clear()
            self._parts = None

    def read(self, start: int, end: int) -> bytes:
        """Return the bytes from *start* to *end*, fewer at the end of the file."""
        with open(self.path, "rb") as file:
            file.seek(start)
            return file.read(max(0, min(end, self.size) - start))

    def pieces(self, size: int = 1 << 20) -> Iterator[bytes]:
        """Yield all bytes, *size* at a time."""
        with open(self.path, "rb") as file:
            while piece := file.read(size):
                yield piece

    def parts(self) -> tuple[Segment, ...]:
        """Return the parts by encoding; this reads the whole file into memory."""
        if self._parts is None:
            self._parts = segments(self.read(0, self.size))
        return self._parts

    def up_to(self, end: int) -> Content:
        """Return this file as if it ended at *end*."""
        shorter = copy(self)
        shorter.size = min(self.size, end)
        return shorter

    def with_found(self, start: int, end: int) -> Content:
        """Return this file with the range that was found."""
        other = copy(self)
        other.found = (start, end)
        return other
