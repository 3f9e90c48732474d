"""The errors of charlens: each says what happened and what to do about it."""

from __future__ import annotations


class CharlensError(Exception):
    """The base of every error that charlens raises on its own account."""


class UnknownEncodingError(CharlensError, LookupError):
    """A name that neither charlens nor Python knows as an encoding."""


class NotTextError(CharlensError, ValueError):
    """Something that only makes sense for text was asked of bytes that are not text."""


class UnencodableError(CharlensError, ValueError):
    """A character that the target encoding cannot hold; nothing has been written."""

    def __init__(self, character: str, line: int, column: int, encoding: str) -> None:
        self.character = character
        self.line = line
        self.column = column
        self.encoding = encoding
        super().__init__(
            f"line {line}, column {column}: {character!r} (U+{ord(character):04X}) cannot be written in "
            f"{encoding}. Nothing was written. Save in an encoding that has it (encoding='utf-8'), "
            f"or say what to put in its place (errors='replace', 'xmlcharrefreplace', 'namereplace' "
            f"or 'ignore')."
        )


class LimitError(CharlensError, TimeoutError):
    """The time that the caller allowed (`max_seconds`) is up; there is no answer."""


class ChangedOnDiskError(CharlensError, OSError):
    """The file is not the one that was loaded any more; saving would lose somebody's change."""
