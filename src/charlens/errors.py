"""The exceptions that charlens raises. Each message says what happened and what to do about it."""

from __future__ import annotations


class CharlensError(Exception):
    """Base class of all exceptions defined by charlens."""


class UnknownEncodingError(CharlensError, LookupError):
    """The name of an encoding is unknown to charlens and to Python."""


class NotTextError(CharlensError, ValueError):
    """The operation needs text, but the bytes are not text."""


class UnencodableError(CharlensError, ValueError):
    """The target encoding cannot represent a character. Nothing was written."""

    def __init__(self, character: str, line: int, column: int, encoding: str) -> None:
        self.character = character
        self.line = line
        self.column = column
        self.encoding = encoding
        super().__init__(
            f"line {line}, column {column}: {encoding} cannot represent {character!r} (U+{ord(character):04X}). "
            f"Nothing was written. Save in an encoding that has the character (encoding='utf-8'), or choose a "
            f"replacement (errors='replace', 'xmlcharrefreplace', 'namereplace' or 'ignore')."
        )


class LimitError(CharlensError, TimeoutError):
    """The detection took longer than `max_seconds`. There is no answer."""


class ChangedOnDiskError(CharlensError, OSError):
    """The file was changed by another program after it was loaded. Nothing was written."""
