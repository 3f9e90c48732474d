"""Fix names in old ZIP archives: they are in the code page of the packer, but `zipfile` decodes them as cp437.

A name that is marked as UTF-8, in the flags or in the extra field of Info-ZIP, is trusted.  All others are encoded back
to bytes and detected together, because they have the same encoding and a single name is often too short.
"""

from __future__ import annotations

import os
import struct
import zipfile
import zlib
from typing import IO, Any

import charlens
from charlens.types import Verdict

_UTF8_FLAG = 0x800
#: Info-ZIP's extra field with the name in UTF-8: a version, the checksum of the plain name, the name.
_UNICODE_PATH = 0x7075


def open_zip(file: str | os.PathLike[str] | IO[bytes], **keywords: Any) -> zipfile.ZipFile:
    """Open an archive for reading, with correct names; *keywords* are those of `charlens.detect`.

    A damaged archive is a `zipfile.BadZipFile`.
    """
    try:
        archive = zipfile.ZipFile(file)
    except UnicodeDecodeError as error:
        raise zipfile.BadZipFile(f"The name {error.object!r} is marked as UTF-8, but is not.") from error
    try:
        fix_names(archive, **keywords)
    except BaseException:
        archive.close()
        raise
    return archive


def fix_names(archive: zipfile.ZipFile, **keywords: Any) -> Verdict | None:
    """Correct the names of *archive*, open for reading, in place; return their verdict.

    `namelist()`, `open(name)` and `extractall()` use the correct names afterwards.  None means that nothing had to be
    detected: all names are ASCII or marked as UTF-8.
    """
    unmarked: dict[zipfile.ZipInfo, bytes] = {}
    names: dict[zipfile.ZipInfo, str] = {}
    for info in archive.infolist():
        stored = _stored_name(archive, info)
        if stored is None or stored.isascii():
            continue
        marked = _unicode_path(info.extra, stored)
        if marked is not None:
            names[info] = marked
        else:
            unmarked[info] = stored
    verdict = charlens.detect_together(unmarked.values(), **keywords) if unmarked else None
    if verdict is not None and verdict.encoding is not None:
        for info, stored in unmarked.items():
            names[info] = stored.decode(verdict.encoding, "replace")
    _rename(archive, names)
    return verdict


def _stored_name(archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> bytes | None:
    """Return the bytes of the name in the archive; None if the flag says UTF-8."""
    if info.flag_bits & _UTF8_FLAG:
        return None
    # From Python 3.11 on, the caller can choose another code page.
    page = getattr(archive, "metadata_encoding", None) or "cp437"
    return info.orig_filename.encode(page)


def _unicode_path(extra: bytes, stored: bytes) -> str | None:
    """Return the name in Info-ZIP's extra field, if it belongs to the *stored* name."""
    while len(extra) >= 4:
        kind, size = struct.unpack_from("<HH", extra)
        body, extra = extra[4 : 4 + size], extra[4 + size :]
        if kind == _UNICODE_PATH and len(body) > 5 and body[0] == 1:
            (checksum,) = struct.unpack_from("<L", body, 1)
            if checksum == zlib.crc32(stored):
                return body[5:].decode("utf-8", "replace")
    return None


def _rename(archive: zipfile.ZipFile, names: dict[zipfile.ZipInfo, str]) -> None:
    """Rename entries to *names*; `orig_filename` stays, because zipfile compares it with the local header.

    If two entries get the same name, one gets a number; otherwise `extractall` would lose a file.
    """
    for info in names:
        if archive.NameToInfo.get(info.filename) is info:
            del archive.NameToInfo[info.filename]
    numbers: dict[str, int] = {}  # the last number of each name; thousands of entries may have the same one
    for info, name in names.items():
        name = free = name.partition("\0")[0]
        while (other := archive.NameToInfo.get(free)) and other.orig_filename != info.orig_filename:
            number = numbers[name] = numbers.get(name, 1) + 1
            stem, suffix = os.path.splitext(name.rstrip("/"))
            free = f"{stem} ({number}){suffix}{'/' if name.endswith('/') else ''}"
        info.filename = free
        archive.NameToInfo[free] = info
