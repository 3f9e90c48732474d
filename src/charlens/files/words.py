"""Errors of reading and writing in words."""

from __future__ import annotations


def reason(error: Exception) -> str:
    """Return what *error* says, without the path that the caller names anyway."""
    if isinstance(error, MemoryError):
        return "too large for the memory of this machine"
    return (isinstance(error, OSError) and error.strerror) or str(error)
