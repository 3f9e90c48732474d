"""Archives and tables on this machine, or in a store that Arrow can read: `s3://bucket/crawl/*.warc.gz`.

A location with a scheme (s3, gs, hdfs, file) is opened by `pyarrow.fs`, with the credentials that it finds in the
environment; s3a, Spark's name of it, is s3.  Any other location is a path of this machine.
"""

from __future__ import annotations

import fnmatch
import glob
import io
import os
import re
from typing import TYPE_CHECKING, Any, BinaryIO, cast

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


def absolute(location: str) -> str:
    """Return *location* as other processes find it."""
    return location if is_remote(location) else os.path.abspath(location)


def _info(location: str) -> FileInfo:
    system, path = _open_store(location)
    return system.get_file_info(path)


def _open_store(location: str) -> tuple[Any, str]:
    """Return the file system of *location*, and the path in it."""
    from pyarrow.fs import FileSystem

    scheme, _, rest = location.partition("://")
    system, path = FileSystem.from_uri(f"{'s3' if scheme in ('s3a', 's3n') else scheme}://{rest}")
    return system, path
