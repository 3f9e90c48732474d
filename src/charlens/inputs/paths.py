"""Read files of any size for detection in constant memory, with a clear error for anything that is not a file.

A small file is read, a large one copied to a temporary file that is mapped; the verdict is the same.  The file itself
is never mapped: if another program truncated it, the system would kill the process (SIGBUS).  Pipes, devices
and sockets are refused, because opening them can block forever, and so are system files without an end.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from mmap import ACCESS_READ, mmap
from typing import TYPE_CHECKING, BinaryIO

from charlens.api import detect
from charlens.limits import REST_OF_CHARACTER
from charlens.source import LARGEST, LARGEST_MIXED
from charlens.types import Buffer, Verdict

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from charlens.keywords import Keywords

#: Files up to this size are read into memory.
_READ_AT_MOST = 64 << 20
_PROBE = 1 << 16


def detect_path(path: str | os.PathLike[str], **keywords: Unpack[Keywords]) -> Verdict:
    """Detect the encoding and language of a file; the keywords are those of `detect`.

    Files of any size are read to the end, in constant memory.
    """
    if isinstance(path, bytes | bytearray | memoryview):
        raise TypeError(
            "charlens.detect_path() needs a path; these look like bytes: use charlens.detect(data)."
        )
    with open_regular(path) as file:
        size = os.fstat(file.fileno()).st_size
        largest = LARGEST_MIXED if keywords.get("parts") and size <= LARGEST_MIXED else LARGEST
        most = keywords.get("max_bytes")
        data = file.read(min(most + REST_OF_CHARACTER if most else largest, largest) + 1)
        if len(data) <= largest:
            return detect(data, **keywords)
        from charlens.inputs.stream import Detector  # here: rarely needed

        detector = Detector(**keywords)
        while data and not detector.full:
            detector.feed(data)
            data = file.read(LARGEST)
        return detector.close()


@contextmanager
def open_bytes(path: str | os.PathLike[str]) -> Iterator[Buffer]:
    """Provide the bytes of the file at *path* while the block runs."""
    with open_regular(path) as file, spool_bytes(file) as data:
        yield data


@contextmanager
def _mapped(file: BinaryIO) -> Iterator[memoryview]:
    """Map *file*; the map is closed when nothing refers to it any more."""
    mapped = mmap(file.fileno(), 0, access=ACCESS_READ)
    view = memoryview(mapped)
    try:
        yield view
    finally:
        # After an error, its traceback still refers to the view; closing would raise another error.
        with suppress(BufferError):
            view.release()
            mapped.close()


@contextmanager
def spool_bytes(stream: BinaryIO) -> Iterator[Buffer]:
    """Provide the bytes of a *stream*; a long one is copied to a private temporary file."""
    head = stream.read(_READ_AT_MOST + 1)
    if len(head) <= _READ_AT_MOST:
        yield head
        return
    from tempfile import TemporaryFile  # here: this import takes 8 ms

    with TemporaryFile() as file:
        file.write(head)
        del head
        while chunk := stream.read(1 << 20):
            file.write(chunk)
        file.flush()
        with _mapped(file) as view:
            yield view


def open_regular(path: str | os.PathLike[str], folder: int | None = None) -> BinaryIO:
    """Open *path* for reading bytes; raise an error unless it is a regular file.

    If *folder*, an open folder, is given, *path* is a name in it, and a link is not followed.
    """
    if not isinstance(path, str | bytes | os.PathLike):
        raise TypeError(
            f"a path must be a str or a Path; got {type(path).__name__}. For bytes, use charlens.detect(data)."
        )
    _check_kind(os.stat(path, dir_fd=folder, follow_symlinks=folder is None), path)
    handle = os.open(path, _FLAGS if folder is None else _FLAGS | os.O_NOFOLLOW, dir_fd=folder)
    try:
        status = os.fstat(handle)
        _check_kind(status, path)  # the file may have been replaced
        if stat.S_ISREG(status.st_mode) and not status.st_size:
            _find_end(handle, path)
        if hasattr(os, "set_blocking"):
            os.set_blocking(handle, True)
        return open(handle, "rb")
    except BaseException:
        os.close(handle)
        raise


# Non-blocking: opening a pipe would wait for the other end.
_FLAGS = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)


def _check_kind(status: os.stat_result, path: str | os.PathLike[str]) -> None:
    """Raise unless it is a regular file, or a pipe that a shell opened."""
    mode = status.st_mode
    if stat.S_ISDIR(mode):
        raise IsADirectoryError(21, "is a folder, not a file", os.fspath(path))
    if not stat.S_ISREG(mode) and not _is_open_pipe(path, mode):
        raise OSError(22, f"is {_kind(mode)}, not a file; pipe it to standard input instead", os.fspath(path))


def _find_end(handle: int, path: str | os.PathLike[str]) -> None:
    """Read a file of size 0 to its end: system files (/proc, /sys) may have no end, or block."""
    left = _READ_AT_MOST
    try:
        while left > 0 and (piece := os.read(handle, _PROBE)):
            left -= len(piece)
        if left < _READ_AT_MOST:
            os.lseek(handle, 0, os.SEEK_SET)
    except BlockingIOError:
        left = 0
    if left <= 0:
        words = "is a file of the system that has no end; pipe a part of it to standard input"
        raise OSError(22, words, os.fspath(path))


def _is_open_pipe(path: str | os.PathLike[str], mode: int) -> bool:
    """Whether *path* is a pipe that a shell opened, as with `<(command)`."""
    name = os.fspath(path)
    return stat.S_ISFIFO(mode) and isinstance(name, str) and name.startswith(("/dev/fd/", "/proc/self/fd/"))


def _kind(mode: int) -> str:
    if stat.S_ISFIFO(mode):
        return "a named pipe"
    if stat.S_ISSOCK(mode):
        return "a socket"
    if stat.S_ISLNK(mode):
        return "a link"
    return "a device"
