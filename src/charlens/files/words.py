"""Errors of reading and writing in words."""

from __future__ import annotations


def reason(error: Exception) -> str:
    """Return what *error* says, without the path that the caller names anyway."""
    if isinstance(error, MemoryError):
        return "too large for the memory of this machine"
    return (isinstance(error, OSError) and error.strerror) or str(error)


def count(number: int, noun: str) -> str:
    """Return a number with its noun: '1 file', '2 files'."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"
