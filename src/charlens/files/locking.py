"""Locks between processes that write: on a folder while a file in it is replaced, on a journal while it grows."""

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
    """Hold the lock by which the processes that save into the folder at *path*, from the open *folder* on, take turns.

    On Unix the lock is on the folder itself, so that nothing is left behind, also after a kill.  Windows locks files
    only: there it is on an empty file in the user's folder for temporary files, named after the folder.  A file system
    without locks (some network ones) is written to without.
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
    import hashlib  # here: on Unix neither is needed
    from tempfile import gettempdir

    name = os.path.normcase(os.path.realpath(folder or "."))
    digest = hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:32]
    return os.path.join(gettempdir(), f"charlens-{digest}.lock")


def lock(handle: int) -> None:
    """Wait for the lock on an open file; a system without locks has none."""
    if fcntl:
        fcntl.flock(handle, fcntl.LOCK_EX)
    while msvcrt:
        try:
            os.lseek(handle, 0, os.SEEK_SET)
            msvcrt.locking(handle, msvcrt.LK_LOCK, 1)
            return
        except OSError as error:  # after ten seconds in vain
            if error.errno not in (errno.EDEADLK, errno.EACCES):
                raise


def unlock(handle: int) -> None:
    """Let the next one go on; on Unix closing the file is enough."""
    if msvcrt:
        with contextlib.suppress(OSError):
            os.lseek(handle, 0, os.SEEK_SET)
            msvcrt.locking(handle, msvcrt.LK_UNLCK, 1)
