"""Replace a file in one step: whoever looks sees the old content or the new one, never a part.

The new content goes to a temporary file beside the target, is flushed to the disk, and takes the target's name.
Mode, owner and extended attributes are carried over; a symbolic link stays one, and its target is replaced.
"""

from __future__ import annotations

import contextlib
import os
import secrets
import stat
import sys


def write_atomically(path: str | os.PathLike[str], content: bytes) -> None:
    """Write *content* to *path*, all of it or nothing."""
    target = os.path.realpath(path)
    before = _status(target)
    temporary = f"{target}.{secrets.token_hex(6)}.charlens~"
    try:
        # 0o666 leaves the mode of a new file to the umask, as open() does.
        mode = 0o666 if before is None else 0o600
        flags = (
            os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0) | getattr(os, "O_CLOEXEC", 0)
        )
        handle = os.open(temporary, flags, mode)
    except OSError as error:
        raise type(error)(
            error.errno,
            f"cannot write beside the file ({error.strerror}); the file is unchanged. Replacing it "
            f"needs permission to create files in its folder",
            os.fspath(path),
        ) from error
    try:
        with open(handle, "wb") as file:
            file.write(content)
            file.flush()
            if before is not None:
                _carry_over(before, target, temporary)
            os.fsync(file.fileno())
        os.replace(temporary, target)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        raise
    _flush_folder(os.path.dirname(target))


def _status(target: str) -> os.stat_result | None:
    """Return what is known of *target*; a thing that is no regular file must not be replaced by one."""
    try:
        status = os.stat(target)
    except FileNotFoundError:
        return None
    if stat.S_ISDIR(status.st_mode):
        raise IsADirectoryError(21, "is a folder, not a file", target)
    if not stat.S_ISREG(status.st_mode):
        raise OSError(22, "is no regular file; write to it with open()", target)
    return status


def _carry_over(before: os.stat_result, target: str, temporary: str) -> None:
    if hasattr(os, "chown"):
        # Only root may give a file away; for everyone else the owner is the same anyway.
        with contextlib.suppress(OSError):
            os.chown(temporary, before.st_uid, before.st_gid)
    os.chmod(temporary, stat.S_IMODE(before.st_mode))
    if sys.platform == "linux":
        with contextlib.suppress(OSError):
            for name in os.listxattr(target):
                os.setxattr(temporary, name, os.getxattr(target, name))


def _flush_folder(folder: str) -> None:
    """Make the new name survive a power cut, where the system can."""
    with contextlib.suppress(OSError):
        handle = os.open(folder or ".", os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
