"""Numbers with their nouns, for messages."""

from __future__ import annotations


def count(number: int, noun: str) -> str:
    """Return a number with its noun: '1 file', '2 files'."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"
