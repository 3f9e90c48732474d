"""What every reader returns: a text, and its language if the source names one."""

from __future__ import annotations

from typing import Any, NamedTuple

from charlens.errors import CharlensError


class ReaderError(CharlensError, ValueError):
    """A source that cannot be read as it was asked for."""


class Text(NamedTuple):
    """One document: an article, a page, a row of a table."""

    content: str
    #: A BCP 47 tag, or ``None`` if the source does not say.
    language: str | None


class Fields(NamedTuple):
    """Which columns of a table to read."""

    text: str = "text"
    #: ``None``: the source has one language, or names it elsewhere.
    language: str | None = None


def text_of(row: dict[str, Any], fields: Fields, where: str) -> Text:
    """Return the text of a *row*; *where* is for the error that says which columns there are."""
    content = row.get(fields.text)
    if not isinstance(content, str):
        raise ReaderError(
            f"{where} has no text in the column '{fields.text}'; its columns are {', '.join(map(str, row))}. "
            "Choose one with --text-field."
        )
    if fields.language is None:
        return Text(content, None)
    language = row.get(fields.language)
    if not isinstance(language, str):
        raise ReaderError(
            f"{where} has no language in the column '{fields.language}'; its columns are "
            f"{', '.join(map(str, row))}. Choose one with --language-field, or say --language xx."
        )
    return Text(content, language)
