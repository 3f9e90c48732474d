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
import re
import stat
import zlib
from collections.abc import Iterator
from datetime import datetime, timezone
from typing import Any, NamedTuple

from charlens.errors import CharlensError
from charlens.files.atomic import JOURNAL, write_atomically
from charlens.files.locking import lock, unlock
from charlens.inputs.paths import open_regular

_VERSION = 1


class Journal:
    """A file that changes are appended to."""

    def __init__(self, path: str, *, keep_times: bool = False) -> None:
        self.path = path
        #: Whether the changes keep the modification time; undoing them then keeps it, too.
        self._keep_times = keep_times

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
            data = json.dumps({**line, "keep_times": True} if self._keep_times else line).encode("ascii") + b"\n"
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
        """Open the file; raise an error if it is not a regular file, or has something else in it."""
        # Private: it can contain the bytes of files that only their owner may read.
        handle = os.open(self.path, _FLAGS, 0o600)
        words = ""
        if not stat.S_ISREG(os.fstat(handle).st_mode):
            words = "is not a regular file; choose another name"
        elif not JOURNAL.startswith(os.read(handle, len(JOURNAL))):
            words = "is not a journal of charlens; choose another name"
        if words:
            os.close(handle)
            raise FileExistsError(errno.EEXIST, words, self.path)
        return handle


# Non-blocking: reading from a pipe would wait for the other end.
_FLAGS = os.O_RDWR | os.O_CREAT | os.O_APPEND | getattr(os, "O_BINARY", 0) | getattr(os, "O_NONBLOCK", 0)


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
    """The result for one file."""

    path: str
    #: 'restored', 'unchanged' (the file already has the old content) or 'refused'.
    status: str
    words: str = ""


def undo(journal: str, *, dry_run: bool = False) -> Iterator[Undone]:
    """Restore the files of *journal*, the last change first; files that changed since are skipped."""
    lines, torn = _lines(journal)
    if torn is not None:
        yield torn
    changes: dict[str, list[dict[str, Any]]] = {}
    for line in reversed(lines):
        changes.setdefault(os.path.realpath(line["path"]), []).append(line)
    for path, lines in changes.items():
        done = _restore_all(lines, dry_run)
        named = torn is not None and torn.status == "refused" and os.path.realpath(torn.path) == path
        if not named or done.status != "refused":
            yield done


def _lines(journal: str) -> tuple[list[dict[str, Any]], Undone | None]:
    """Return the changes in *journal*, and the result for an incomplete last line."""
    lines = []
    with open_regular(journal) as file:
        for number, data in enumerate(file, 1):
            text = data.decode("ascii", "replace")
            try:
                line = json.loads(text)
            except (ValueError, RecursionError):
                line = None
            if _is_change(line):
                lines.append(line)
            elif text.endswith("\n") or not data.startswith(JOURNAL[: len(data)]):
                raise CharlensError(f"{journal}, line {number}: this is not a charlens journal")
            else:
                return lines, _torn(journal, number, text)
    return lines, None


def _is_change(line: Any) -> bool:
    """Whether a line of a journal names a file that there can be."""
    if not isinstance(line, dict) or line.get("journal") != _VERSION or not isinstance(line.get("path"), str):
        return False
    try:
        return b"\0" not in os.fsencode(line["path"])
    except UnicodeEncodeError:
        return False


_PATH = re.compile(r'"path": ("(?:[^"\\]|\\.)*")')
_BEFORE = re.compile(r'"before": ("[0-9a-f]{64}"|null)')


def _torn(journal: str, number: int, text: str) -> Undone:
    """Return the result for the incomplete last line: after a crash, its file was not written."""
    words = f"line {number} of the journal is incomplete"
    path, before = _PATH.search(text), _BEFORE.search(text)
    try:
        name = json.loads(path[1]) if path else ""
    except ValueError:
        name = ""
    if not name:
        return Undone(journal, "refused", f"{words} and names no file")
    if before is None:
        return Undone(name, "refused", f"{words}, so it is unknown whether the file was changed")
    try:
        now = _state(name)
    except OSError as error:
        return Undone(name, "refused", f"{words}, and the file cannot be read ({error.strerror})")
    if now == json.loads(before[1]):
        return Undone(name, "unchanged", f"{words}, but the file was not changed")
    return Undone(name, "refused", f"{words}, and the file was changed")


def _restore_all(lines: list[dict[str, Any]], dry_run: bool) -> Undone:
    """Undo the changes of one file, the last one first."""
    path = str(lines[0]["path"])
    status, words = "unchanged", ""
    try:
        now = _state(path)
        for line in lines:
            if now == line["before"]:
                continue
            if now != line["after"]:
                raise CharlensError("the file was changed or deleted in the meantime; left unchanged")
            if not dry_run:
                words = _restore(line)
            status, now = "restored", line["before"]
    except (OSError, CharlensError, ValueError, KeyError, TypeError, zlib.error) as error:
        partly = "an earlier change was not undone: " if status == "restored" else ""
        return Undone(path, "refused", partly + (getattr(error, "strerror", None) or str(error)))
    return Undone(path, status, words)


def _state(path: str) -> str | None:
    """Return the SHA-256 of the file at *path*, or None if there is none."""
    return file_digest(path) if os.path.exists(path) else None


def _restore(line: dict[str, Any]) -> str:
    """Undo one change; return what was done if it is not to restore the old bytes."""
    path = line["path"]
    if line["before"] is None:
        os.unlink(path)
        return "removed"
    times = bool(line.get("keep_times"))
    if "inverse" in line:
        from charlens.files.streaming import stream_back

        stream_back(path, line["inverse"], line["before"], keep_times=times)
        return ""
    original = zlib.decompress(base64.b64decode(line["original"]))
    if _digest(original) != line["before"]:
        raise CharlensError("the original bytes in the journal are damaged")
    write_atomically(path, original, last_look=lambda: _expect(path, line["after"]), keep_times=times)
    return ""


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
    with open_regular(path) as file:
        while piece := file.read(1 << 20):
            digest.update(piece)
    return digest.hexdigest()
