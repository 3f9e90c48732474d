"""Open files below one folder without following links, for programs that may not leave it.

The path of a file is checked before it is opened, and a folder in it can be replaced by a link in between.  So names
are opened one by one from the root down, each in the folder that is open already, and a link is an error.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress

_FOLDER = os.O_RDONLY | getattr(os, "O_DIRECTORY", 0) | getattr(os, "O_NOFOLLOW", 0)


def within(root: str, path: str) -> bool:
    """Whether *path* is in the folder *root* or below, links followed; *root* is a real path."""
    try:
        return os.path.commonpath((root, os.path.realpath(path))) == root
    except ValueError:  # on another drive
        return False


@contextmanager
def hold(root: str, place: str, *, make: bool = False) -> Iterator[tuple[str, int | None]]:
    """Give the name of the file at *place*, a real path below *root*, and its open folder.

    *make* makes missing folders.  Where the system cannot open names in an open folder (Windows), *place* and None
    are given.
    """
    if os.open not in os.supports_dir_fd:
        if make:
            os.makedirs(os.path.dirname(place), exist_ok=True)
        yield place, None
        return
    *parts, name = os.path.relpath(place, root).split(os.sep)
    folder = os.open(root, _FOLDER)
    try:
        for part in parts:
            if make:
                with suppress(FileExistsError):
                    os.mkdir(part, dir_fd=folder)
            inner = os.open(part, _FOLDER, dir_fd=folder)
            os.close(folder)
            folder = inner
        yield name, folder
    finally:
        os.close(folder)
