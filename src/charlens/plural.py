"""Numbers with their nouns, and lists of names, for messages."""

from __future__ import annotations

from collections.abc import Sequence


def count(number: int, noun: str) -> str:
    """Return a number with its noun: '1 file', '2 files'."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def either(names: Sequence[str]) -> str:
    """Return *names* as a choice: 'a', 'a or b', 'a, b or c'."""
    *most, last = names
    return f"{', '.join(most)} or {last}" if most else last
