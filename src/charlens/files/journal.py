"""The journal of changes, and undoing them: one JSON line for each file, with its old bytes.

A line is on the disk before its file is replaced.  `undo` goes backwards and restores a file only if it is still
as written (by its hash).  The restored bytes are checked against the hash of the old ones.
"""

from __future__ import annotations

import base64
import errno
import hashlib
import json
import os
import zlib
from collections.abc import Iterator
from datetime import datetime, timezone
from typing import Any, NamedTuple

from charlens.errors import CharlensError
from charlens.files.atomic import write_atomically
from charlens.files.locking import lock, unlock

_VERSION = 1
#: How every journal begins.
_BEGIN = b'{"journal": '


class Journal:
    """A file that changes are appended to."""

    def __init__(self, path: str) -> None:
        self.path = path

    def open(self) -> None:
        """Create the file, to find out before any change that it can be written."""
        os.close(self._handle())

    def add(self, verb: str, path: str, before: bytes | None, after: bytes, words: str) -> None:
        """Append one change; *before* is None if there was no file."""
        line = {
            "journal": _VERSION,
            "time": _now(),
            "verb": verb,
            "path": os.path.abspath(path),
            "changes": words,
            "before": _digest(before),
            "after": _digest(after),
            "original": None
            if before is None
            else base64.b64encode(zlib.compress(before, 1)).decode("ascii"),
        }
        self._append(line)

    def add_inverse(self, verb: str, path: str, digests: tuple[str, str], inverse: dict[str, Any]) -> None:
        """Append the change of a large file, whose old bytes can be computed from the new ones."""
        before, after = digests
        line = {
            "journal": _VERSION,
            "time": _now(),
            "verb": verb,
            "path": os.path.abspath(path),
            "before": before,
            "after": after,
        }
        self._append({**line, "inverse": inverse})

    def _append(self, line: dict[str, Any]) -> None:
        """Append a line, with the file locked."""
        handle = self._handle()
        try:
            lock(handle)
            _cut_half_line(handle)
            data = json.dumps(line).encode("ascii") + b"\n"
            while data:
                data = data[os.write(handle, data) :]
            os.fsync(handle)
        except OSError as error:
            words = f"the journal could not be written ({error.strerror}); the file is unchanged"
            raise type(error)(error.errno, words, self.path) from error
        finally:
            unlock(handle)
            os.close(handle)

    def _handle(self) -> int:
        """Open the file; raise an error if it has something else in it."""
        # Private: it can contain the bytes of files that only their owner may read.
        flags = os.O_RDWR | os.O_CREAT | os.O_APPEND | getattr(os, "O_BINARY", 0)
        handle = os.open(self.path, flags, 0o600)
        if not _BEGIN.startswith(os.read(handle, len(_BEGIN))):
            os.close(handle)
            raise FileExistsError(errno.EEXIST, "is not a journal of charlens; choose another name", self.path)
        return handle


def _cut_half_line(handle: int) -> None:
    """Remove an incomplete last line, left by a full disk or a killed process; its file was not written."""
    end = whole = os.lseek(handle, 0, os.SEEK_END)
    while whole:
        start = max(0, whole - 4096)
        os.lseek(handle, start, os.SEEK_SET)
        found = os.read(handle, whole - start).rfind(b"\n")
        whole = start + found + 1
        if found >= 0:
            break
    if whole < end:
        os.ftruncate(handle, whole)


class Undone(NamedTuple):
    """The result for one line of the journal."""

    path: str
    #: 'restored', 'unchanged' (the file already has the old content) or 'refused'.
    status: str
    words: str = ""


def undo(journal: str, *, dry_run: bool = False) -> Iterator[Undone]:
    """Restore the files of *journal*, the last change first; files that changed since are skipped."""
    for line in reversed(_lines(journal)):
        try:
            yield _restore(line, dry_run)
        except (OSError, CharlensError, ValueError) as error:
            yield Undone(str(line.get("path")), "refused", getattr(error, "strerror", None) or str(error))


def _lines(journal: str) -> list[dict[str, Any]]:
    lines = []
    with open(journal, encoding="ascii") as file:
        for number, text in enumerate(file, 1):
            try:
                line = json.loads(text)
            except ValueError:
                line = None
            if not isinstance(line, dict) or line.get("journal") != _VERSION:
                if text.endswith("\n"):
                    raise CharlensError(f"{journal}, line {number}: this is not a charlens journal")
                continue  # incomplete after a crash: its file was not written
            lines.append(line)
    return lines


def _restore(line: dict[str, Any], dry_run: bool) -> Undone:
    path = line["path"]
    now = file_digest(path) if os.path.exists(path) else None
    if now == line["before"]:
        return Undone(path, "unchanged")
    if now != line["after"]:
        return Undone(path, "refused", "the file was changed or deleted in the meantime; left unchanged")
    if dry_run:
        return Undone(path, "restored")
    if line["before"] is None:
        os.unlink(path)
        return Undone(path, "restored", "removed")
    if "inverse" in line:
        from charlens.files.streaming import stream_back

        stream_back(path, line["inverse"], line["before"])
        return Undone(path, "restored")
    original = zlib.decompress(base64.b64decode(line["original"]))
    if _digest(original) != line["before"]:
        raise CharlensError("the original bytes in the journal are damaged")
    write_atomically(path, original, last_look=lambda: _expect(path, line["after"]))
    return Undone(path, "restored")


def _expect(path: str, digest: str) -> None:
    if file_digest(path) != digest:
        raise CharlensError("the file was changed in the meantime; left unchanged")


def _now() -> str:
    return datetime.now(timezone.utc).isoformat(timespec="seconds")


def _digest(data: bytes | None) -> str | None:
    return None if data is None else hashlib.sha256(data).hexdigest()


def file_digest(path: str) -> str:
    """Return the SHA-256 of the file at *path*."""
    digest = hashlib.sha256()
    with open(path, "rb") as file:
        while piece := file.read(1 << 20):
            digest.update(piece)
    return digest.hexdigest()
