"""Write a verified plan: a backup if requested, a line in the journal, then the file in one step.

A crash at any point loses nothing: the backup and the journal are on the disk before the file is replaced.
"""

from __future__ import annotations

import errno
import os
import shutil
import stat
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import NamedTuple

from charlens.errors import ChangedOnDiskError
from charlens.files.atomic import advice_for, create_privately, explained, status_of, write_atomically
from charlens.files.journal import Journal
from charlens.files.plan import Plan
from charlens.inputs.paths import open_regular


class Writing(NamedTuple):
    """How plans are written."""

    #: The suffix of backups; None for no backup.
    backup: str | None = None
    #: The journal that `charlens undo` reads, or None.
    log: str | None = None
    keep_times: bool = False
    #: The command, for the journal.
    verb: str = "save"
    #: Called just before a file is replaced.
    before: Callable[[], None] = lambda: None


def write_plan(
    plan: Plan, writing: Writing, last_look: Callable[[], None] | None = None, *, new: bool = False
) -> None:
    """Replace the file as planned; *last_look* can still raise to stop that, and *new* means that no file existed."""
    status_of(os.path.realpath(plan.path))  # what must not be replaced needs no backup
    if writing.backup and not new:
        write_backup(plan.path, plan.before, writing.backup)
    if writing.log:
        before = None if new else plan.before
        _journal(writing).add(writing.verb, plan.path, before, plan.after, plan.words)

    def look() -> None:
        if last_look is not None:
            last_look()
        writing.before()

    write_atomically(plan.path, plan.after, last_look=look, keep_times=writing.keep_times)


def need_replaceable(path: str) -> None:
    """Raise, as writing would, if the file at *path* must not be replaced, or no file can be written next to it."""
    target = os.path.realpath(path)
    is_new = status_of(target) is None
    folder = os.path.dirname(target)
    if os.path.isdir(folder) and not os.access(folder, os.W_OK | os.X_OK):
        raise explained(PermissionError(errno.EACCES, os.strerror(errno.EACCES)), path, is_new)


def write_to(plan: Plan, target: str, writing: Writing) -> None:
    """Write the plan to *target*, with the mode of the old file."""
    prepare_target(target, writing)
    before = None
    if os.path.exists(target):
        with open_regular(target) as file:
            before = file.read()
    if writing.log:
        _journal(writing).add(writing.verb, target, before, plan.after, plan.words)
    write_atomically(target, plan.after, last_look=writing.before)
    finish_target(plan.path, target, writing)


def prepare_target(target: str, writing: Writing) -> None:
    """Make the folder of *target*; if *target* exists, keep a backup as requested."""
    os.makedirs(os.path.dirname(target) or ".", exist_ok=True)
    exists = status_of(os.path.realpath(target)) is not None
    if exists and writing.backup:
        write_backup(target, None, writing.backup)


def finish_target(path: str, target: str, writing: Writing) -> None:
    """Give *target* the mode of the file at *path*, and its times if requested."""
    status = os.stat(path)
    os.chmod(target, stat.S_IMODE(status.st_mode))
    if writing.keep_times:
        os.utime(target, ns=(status.st_atime_ns, status.st_mtime_ns))


def _journal(writing: Writing) -> Journal:
    return Journal(writing.log or "", keep_times=writing.keep_times)


def same_as(path: str, data: bytes, folder: int | None = None) -> Callable[[], None]:
    """Return a function that raises unless the file at *path* (in an open *folder*) still has the content *data*."""

    def look() -> None:
        try:
            with open_regular(path, folder) as file:
                now = file.read(len(data) + 1)
        except FileNotFoundError:
            return
        if now != data:
            raise ChangedOnDiskError(
                f"{path} was changed by another program after it was loaded. Nothing was written. "
                f"Load it again."
            )

    return look


def write_backup(path: str, content: bytes | None, suffix: str) -> str:
    """Write a backup of *path* with the old *content* (None: copy the file), and return its name.

    An existing file is never overwritten, and an incomplete backup is removed.
    """
    name, number = path + suffix, 0
    while True:
        try:
            create_privately(name, read_pieces(path) if content is None else content)
            break
        except FileExistsError:
            if content is not None and _has(name, content):
                return name
            number += 1
            name = f"{path}{suffix}.{number}"
        except OSError as error:
            words = f"no backup could be written ({error.strerror}); the file is unchanged"
            advice = _BACKUP_ADVICE.get(error.errno or 0) or f"{advice_for(error)}, or leave out --backup"
            raise type(error)(error.errno, f"{words}. {advice}", path) from error
    try:
        status = os.stat(path)
        if hasattr(os, "chown"):
            with suppress(OSError):
                os.chown(name, status.st_uid, status.st_gid)
        shutil.copystat(path, name)
    except OSError:
        os.unlink(name)
        raise
    return name


_BACKUP_ADVICE = {
    errno.ENAMETOOLONG: "The name with the suffix is too long; use --log instead of --backup",
    errno.EACCES: "A backup needs write permission for the folder, as replacing the file does",
}


def read_pieces(path: str) -> Iterator[bytes]:
    """Yield the bytes of a file in pieces."""
    with open(path, "rb") as file:
        while piece := file.read(_PIECE):
            yield piece


#: Bytes read at a time.
_PIECE = 1 << 20


def _has(name: str, data: bytes) -> bool:
    """Whether *name* is a regular file (not a link, a pipe, a device) with the content *data*."""
    if not stat.S_ISREG(os.lstat(name).st_mode):
        return False
    with open(name, "rb") as file:
        return file.read(len(data) + 1) == data
