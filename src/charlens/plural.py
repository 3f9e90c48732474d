"""Numbers with their nouns, lists of names, and suggestions, for messages."""

from __future__ import annotations

from collections.abc import Iterable, Sequence


def count(number: int, noun: str) -> str:
    """Return a number with its noun: '1 file', '2 files'."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def either(names: Sequence[str]) -> str:
    """Return *names* as a choice: 'a', 'a or b', 'a, b or c'."""
    *most, last = names
    return f"{', '.join(most)} or {last}" if most else last


def did_you_mean(given: str, known: Iterable[str], most: int = 2) -> str:
    """Return "Did you mean 'this'? " for the names in *known* that look like *given*; '' if none does."""
    from difflib import get_close_matches  # here: only needed for an error

    return suggest(get_close_matches(given.lower(), known, n=most))


def suggest(names: Sequence[str]) -> str:
    """Return "Did you mean 'this' or 'that'? " for *names*; '' if there are none."""
    return f"Did you mean {either([repr(name) for name in names])}? " if names else ""
