"""Error messages for reading and writing."""

from __future__ import annotations


def reason(error: Exception) -> str:
    """Return the message of *error* without the path, which the caller prints."""
    if isinstance(error, MemoryError):
        return "not enough memory to read it"
    return (isinstance(error, OSError) and error.strerror) or str(error)
