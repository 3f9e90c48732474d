"""Archives and tables on this machine, or in a store that Arrow knows: `s3://bucket/crawl/*.warc.gz`.

A location with a scheme (s3, gs, hdfs, file) is opened by `pyarrow.fs`, with the credentials that it finds in the
environment; s3a, Spark's name of it, is s3.  Any other location is a path of this machine.
"""

from __future__ import annotations

import contextlib
import fnmatch
import glob
import io
import os
import re
import secrets
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, BinaryIO, cast
from urllib.request import url2pathname

from charlens.files.atomic import TEMPORARY, beside, write_atomically

if TYPE_CHECKING:
    from pyarrow.fs import FileInfo

_SCHEME = re.compile(r"[a-z][a-z0-9+.-]*://")
#: In a location with a scheme, '?' begins settings such as the region.
_WILD = re.compile(r"[*\[]")
#: Bytes that are fetched at once: a store answers each request in tens of milliseconds.
_AT_ONCE = 1 << 20


def is_remote(location: str) -> bool:
    """Whether *location* has a scheme, as in 's3://'."""
    return _SCHEME.match(location) is not None


def match(pattern: str) -> list[str]:
    """Return the locations that *pattern* names, or matches, in order; [] for none."""
    if not is_remote(pattern):
        return [pattern] if os.path.exists(pattern) else sorted(glob.glob(pattern, recursive=True))
    path, mark, settings = pattern.partition("?")
    wild = _WILD.search(path)
    if wild is None:
        return [pattern] if _info(pattern).is_file else []
    from pyarrow.fs import FileSelector

    folder = path[: wild.start()].rpartition("/")[0]
    system, place = _open_store(folder + mark + settings)
    rest = path[len(folder) :]
    selector = FileSelector(place, allow_not_found=True, recursive="/" in rest[1:])
    found = (info.path[len(place.rstrip("/")) :] for info in system.get_file_info(selector) if info.is_file)
    return sorted(folder + path + mark + settings for path in found if fnmatch.fnmatchcase(path, rest))


def size_of(location: str) -> int:
    """Return how many bytes there are at *location*."""
    if not is_remote(location):
        return os.path.getsize(location)
    info = _info(location)
    if not info.is_file:
        raise FileNotFoundError(f"{location}: no such file")
    return int(info.size)


def open_input(location: str) -> BinaryIO:
    """Open what is at *location* for reading at any place."""
    if not is_remote(location):
        return open(location, "rb")
    system, path = _open_store(location)
    return cast("BinaryIO", io.BufferedReader(system.open_input_file(path), _AT_ONCE))


def open_for_arrow(location: str) -> Any:
    """Open what is at *location* for Arrow; not as a file of Python.

    The threads of Arrow hold it, and one that lets go of an object of Python while the process ends aborts it.
    """
    if not is_remote(location):
        import pyarrow as pa

        return pa.OSFile(location)
    system, path = _open_store(location)
    return system.open_input_file(path)


def absolute(location: str) -> str:
    """Return *location* as other processes find it."""
    return location if is_remote(location) else os.path.abspath(location)


class Folder:
    """A folder of this machine or in a store, in which files appear complete or not at all."""

    def __init__(self, location: str) -> None:
        local = url2pathname(location.removeprefix("file://")) if location.startswith("file://") else location
        #: The location as Spark takes it.
        self.address = local.partition("?")[0] if is_remote(local) else f"file://{os.path.abspath(local)}"
        self._path = local
        self._system: Any = None
        if is_remote(local):
            self._system, self._path = _open_store(local)

    def create(self) -> None:
        """Create the folder if it does not exist."""
        if self._system is None:
            os.makedirs(self._path, exist_ok=True)
        else:
            self._system.create_dir(self._path, recursive=True)

    def names(self) -> list[str]:
        """Return the names of the files in it."""
        if self._system is None:
            return os.listdir(self._path)
        from pyarrow.fs import FileSelector

        return [info.base_name for info in self._system.get_file_info(FileSelector(self._path))]

    def has(self, name: str) -> bool:
        """Whether there is a file of this name."""
        if self._system is None:
            return os.path.exists(self._place(name))
        return bool(self._system.get_file_info(self._place(name)).is_file)

    @contextlib.contextmanager
    def new_file(self, name: str) -> Iterator[Any]:
        """Yield what a file is written to, a path or a stream; after the block, it has its *name*."""
        if self._system is None:
            with beside(self._place(name)) as temporary:
                yield temporary
            return
        fresh = self._place(f"{name}.{secrets.token_hex(6)}{TEMPORARY}")
        try:
            with self._system.open_output_stream(fresh) as stream:
                yield stream
            self._system.move(fresh, self._place(name))
        except BaseException:
            with contextlib.suppress(OSError):
                self._system.delete_file(fresh)
            raise

    def write(self, name: str, content: bytes) -> None:
        """Write a small file."""
        if self._system is None:
            write_atomically(self._place(name), content)
        else:
            with self.new_file(name) as stream:
                stream.write(content)

    def open(self, name: str) -> Any:
        """Open a file for the threads of Arrow."""
        if self._system is None:
            return open_for_arrow(self._place(name))
        return self._system.open_input_file(self._place(name))

    def remove(self, name: str) -> None:
        """Remove a file; it may be gone already."""
        with contextlib.suppress(FileNotFoundError):
            if self._system is None:
                os.unlink(self._place(name))
            else:
                self._system.delete_file(self._place(name))

    def _place(self, name: str) -> str:
        return os.path.join(self._path, name) if self._system is None else f"{self._path.rstrip('/')}/{name}"


def _info(location: str) -> FileInfo:
    system, path = _open_store(location)
    return system.get_file_info(path)


def _open_store(location: str) -> tuple[Any, str]:
    """Return the file system of *location*, and the path in it."""
    from pyarrow.fs import FileSystem

    scheme, _, rest = location.partition("://")
    system, path = FileSystem.from_uri(f"{'s3' if scheme in ('s3a', 's3n') else scheme}://{rest}")
    return system, path
