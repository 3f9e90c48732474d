"""Replace a file in one step: a reader sees the old content or the new one, never a part.

The new content is written to a temporary file next to the target, flushed to the disk, and renamed.
Mode, owner and extended attributes are carried over; a symbolic link stays one, and its target is replaced; a file
with several names (hard links) is refused, because only one of them could be replaced.  The folder is locked between a
last check of the target and the renaming, so two processes that use charlens cannot overwrite each other's changes.
Programs that do not use the lock still can.
"""

from __future__ import annotations

import contextlib
import errno
import os
import secrets
import stat
import sys
from collections.abc import Callable, Iterable, Iterator

from charlens.files.locking import locked_folder
from charlens.inputs.paths import open_regular

#: Characters of the target's name in the name of the temporary file: even with four bytes each, the whole name
#: stays below the limit of 255 bytes.
_NAME_PART = 50
#: The suffix of temporary files.
TEMPORARY = ".charlens~"
#: How every journal (`charlens.files.journal`) begins.
JOURNAL = b'{"journal": '


def write_atomically(
    path: str | os.PathLike[str],
    content: bytes | Iterable[bytes],
    *,
    last_look: Callable[[], None] | None = None,
    keep_times: bool = False,
    folder: int | None = None,
) -> None:
    """Write *content*, as bytes or in pieces, to *path*: all of it or nothing.

    *last_look* is called with the folder locked, just before the renaming; if it raises, nothing is replaced.
    If *folder*, an open folder, is given, *path* is a name in it, and no link is followed.
    """
    target = os.path.realpath(path) if folder is None else os.fspath(path)
    before = status_of(target, folder)
    temporary = _temporary_name(target)
    # Created inside the block: an interrupt right after this line must not leave the file behind.
    with _explained(path, before is None), _removed_on_failure(temporary, folder):
        # 0o666: the umask decides the mode, as with open().
        handle = os.open(temporary, _NEW_FILE, 0o666 if before is None else 0o600, dir_fd=folder)
        with open(handle, "wb") as file:
            for piece in (content,) if isinstance(content, bytes) else content:
                file.write(piece)
            file.flush()
            if before is not None:
                _carry_over(before, target, temporary if folder is None else file.fileno(), folder)
            os.fsync(file.fileno())
        if before is not None and keep_times:
            os.utime(temporary, ns=(before.st_atime_ns, before.st_mtime_ns), dir_fd=folder)
        with locked_folder(os.path.dirname(target), folder):
            if last_look is not None:
                last_look()
            os.replace(temporary, target, src_dir_fd=folder, dst_dir_fd=folder)
    _flush_folder(os.path.dirname(target), folder)


#: Advice for errors of the system.
_ADVICE = {
    errno.ENOSPC: "Make room on the disk, then try again",
    errno.EDQUOT: "Make room within your quota, then try again",
    errno.EFBIG: "The file is too large for this file system; write to another one",
    errno.EROFS: "The file system is read-only; write to another place",
    errno.EACCES: "Replacing a file needs write permission for the folder, and permission to read the file",
    errno.EPERM: "Replacing a file needs write permission for the folder, permission to keep its mode, and a file "
    "that is not immutable or append-only (lsattr)",
    errno.EIO: "The disk reports an error; back up its files before you continue",
}


@contextlib.contextmanager
def _explained(path: str | os.PathLike[str], is_new: bool) -> Iterator[None]:
    """Add to an error of the system what happened to the file (nothing), and what to do."""
    try:
        yield
    except OSError as error:
        if error.errno is None or "the file is unchanged" in str(error):
            raise
        raise explained(error, path, is_new) from error


def explained(error: OSError, path: str | os.PathLike[str], is_new: bool) -> OSError:
    """Return *error* with what happened to the file at *path*, and what to do."""
    state = "no file was created" if is_new else "the file is unchanged"
    words = f"cannot be written ({error.strerror}); {state}. {advice_for(error)}"
    return type(error)(error.errno, words, os.fspath(path))


def advice_for(error: OSError) -> str:
    """Return what to do about an error of the system while writing."""
    if error.errno == errno.EFBIG and (limit := _size_limit()):
        return f"This process may write files of at most {limit:,} bytes; raise the limit (ulimit -f)"
    return _ADVICE.get(error.errno or 0, "Fix the problem, then try again")


def _size_limit() -> int:
    """Return how many bytes this process may write to a file; 0 for no limit."""
    try:
        import resource
    except ImportError:  # Windows
        return 0
    limit = resource.getrlimit(resource.RLIMIT_FSIZE)[0]
    return 0 if limit == resource.RLIM_INFINITY else limit


@contextlib.contextmanager
def beside(path: str) -> Iterator[str]:
    """Yield a temporary name next to *path*; after the block, the file with that name replaces *path*."""
    temporary = _temporary_name(path)
    with _removed_on_failure(temporary):
        yield temporary
        with open(temporary, "rb") as file:
            os.fsync(file.fileno())
        os.replace(temporary, path)
    _flush_folder(os.path.dirname(path))


@contextlib.contextmanager
def _removed_on_failure(temporary: str, folder: int | None = None) -> Iterator[None]:
    try:
        yield
    except FileExistsError:
        raise  # the file belongs to another process
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(temporary, dir_fd=folder)
        raise


_NEW_FILE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0) | getattr(os, "O_CLOEXEC", 0)


def _temporary_name(target: str) -> str:
    folder, name = os.path.split(target)
    return os.path.join(folder, f"{name[:_NAME_PART]}.{secrets.token_hex(6)}{TEMPORARY}")


def create_privately(path: str, content: bytes | Iterable[bytes]) -> None:
    """Write a new file at *path* that only its owner can read; an existing file is an error."""
    handle = os.open(path, _NEW_FILE | getattr(os, "O_NOFOLLOW", 0), 0o600)
    with _removed_on_failure(path), open(handle, "wb") as file:
        for piece in (content,) if isinstance(content, bytes) else content:
            file.write(piece)
        file.flush()
        os.fsync(file.fileno())


def status_of(target: str, folder: int | None = None) -> os.stat_result | None:
    """Return the status of *target*; raise if it must not be replaced."""
    try:
        status = os.stat(target, dir_fd=folder, follow_symlinks=folder is None)
    except FileNotFoundError:
        return None
    if stat.S_ISDIR(status.st_mode):
        raise IsADirectoryError(21, "is a folder, not a file", target)
    if not stat.S_ISREG(status.st_mode):
        raise OSError(22, "is not a regular file; write to it with open()", target)
    # The second condition is for root, who may write everything: a file without any 'w' is read-only on purpose.
    if not os.access(target, os.W_OK, dir_fd=folder) or not status.st_mode & 0o222:
        if hasattr(os, "statvfs") and os.statvfs(target if folder is None else folder).f_flag & os.ST_RDONLY:
            raise OSError(errno.EROFS, "is on a read-only file system; write to another path", target)
        if _is_immutable(target, folder):
            raise PermissionError(errno.EPERM, "is immutable; make it mutable first (chattr -i)", target)
        raise PermissionError(13, "is read-only; make it writable first (chmod u+w)", target)
    if status.st_nlink > 1:
        raise OSError(
            errno.EMLINK,
            f"has {status.st_nlink} hard links, and replacing it would separate it from the others; "
            f"the file is unchanged. Write to another path, or break the link first "
            f"(cp -p FILE COPY && mv COPY FILE)",
            target,
        )
    if is_journal(target, folder):
        raise OSError(errno.EINVAL, "is a journal of charlens, which is never changed", target)
    return status


def _is_immutable(target: str, folder: int | None) -> bool:
    """Whether *target* may not be written even by its owner: Linux says EPERM then, and not EACCES."""
    if sys.platform != "linux":
        return False
    try:
        os.close(os.open(target, os.O_WRONLY | os.O_NOFOLLOW | os.O_NONBLOCK, dir_fd=folder))
    except OSError as error:
        return error.errno == errno.EPERM
    return False


def is_journal(path: str, folder: int | None = None) -> bool:
    """Whether the file at *path* begins as a journal, which only `charlens.files.journal` may change."""
    try:
        with open_regular(path, folder) as file:
            return file.read(len(JOURNAL)) == JOURNAL
    except (OSError, ValueError):
        return False


def _carry_over(before: os.stat_result, target: str, new: str | int, folder: int | None) -> None:
    """Copy owner, group, mode and extended attributes to the *new* file, given by name or open."""
    if hasattr(os, "chown"):
        _give_to(before, target, new)
    if sys.platform == "linux":
        # The functions for attributes take no open folder, only a path through it.
        old = target if folder is None else f"/proc/self/fd/{folder}/{target}"
        for name in _attributes(old):
            # If one cannot be copied (security.*, trusted.*), continue with the others.
            with contextlib.suppress(OSError):
                os.setxattr(new, name, os.getxattr(old, name, follow_symlinks=folder is None))
    os.chmod(new, stat.S_IMODE(before.st_mode))


def _give_to(before: os.stat_result, target: str, new: str | int) -> None:
    for owner, group in ((before.st_uid, before.st_gid), (-1, before.st_gid)):
        with contextlib.suppress(OSError):
            os.chown(new, owner, group)
            break
    now = os.stat(new)
    if (now.st_uid, now.st_gid) != (before.st_uid, before.st_gid):
        what = "owner" if now.st_uid != before.st_uid else "group"
        raise PermissionError(
            1,
            f"replacing it would change its {what}, and this user may not restore that; the file is unchanged. "
            f"Run charlens as its owner, or save to another name",
            target,
        )


def _attributes(target: str) -> list[str]:
    try:
        return os.listxattr(target) if sys.platform == "linux" else []
    except OSError:
        return []


def _flush_folder(path: str, folder: int | None = None) -> None:
    """Flush the folder, so the new name survives a power failure, if the system supports that."""
    with contextlib.suppress(OSError):
        handle = os.open(path or ".", os.O_RDONLY, dir_fd=folder)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
