"""Locks between processes: on a folder while a file in it is replaced, and on a journal while a line is added."""

from __future__ import annotations

import contextlib
import errno
import os
from collections.abc import Iterator
from typing import Any

fcntl: Any = None
msvcrt: Any = None
try:
    import fcntl
except ImportError:
    with contextlib.suppress(ImportError):
        import msvcrt


@contextlib.contextmanager
def locked_folder(path: str, folder: int | None = None) -> Iterator[None]:
    """Hold the lock of the folder at *path*, relative to the open *folder*: one process at a time saves into it.

    On Unix the lock is on the folder itself, so nothing is left behind, even after a kill.  Windows can lock only
    files: there it is on an empty temporary file, named after the folder.  File systems without locks (some
    network ones) are used without.
    """
    handle = -1
    with contextlib.suppress(OSError):
        place, flags = (path or ".", os.O_RDONLY) if fcntl else (_lock_file(path), _FLAGS)
        handle = os.open(place, flags, 0o600, dir_fd=folder)
        lock(handle)
    try:
        yield
    finally:
        if handle >= 0:
            unlock(handle)
            os.close(handle)


_FLAGS = os.O_RDWR | os.O_CREAT


def _lock_file(folder: str) -> str:
    import hashlib  # here: not needed on Unix
    from tempfile import gettempdir

    name = os.path.normcase(os.path.realpath(folder or "."))
    digest = hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:32]
    return os.path.join(gettempdir(), f"charlens-{digest}.lock")


def lock(handle: int) -> None:
    """Wait for the lock on an open file; do nothing if the system has no locks."""
    if fcntl:
        fcntl.flock(handle, fcntl.LOCK_EX)
    while msvcrt:
        try:
            os.lseek(handle, 0, os.SEEK_SET)
            msvcrt.locking(handle, msvcrt.LK_LOCK, 1)
            return
        except OSError as error:  # Windows gives up after ten seconds
            if error.errno not in (errno.EDEADLK, errno.EACCES):
                raise


def unlock(handle: int) -> None:
    """Release the lock; on Unix, closing the file is enough."""
    if msvcrt:
        with contextlib.suppress(OSError):
            os.lseek(handle, 0, os.SEEK_SET)
            msvcrt.locking(handle, msvcrt.LK_UNLCK, 1)
