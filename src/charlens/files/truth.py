"""Keep an edited file true: the encoding of new characters where it is open, and what the text declares.

Used for every edit: by `charlens.files.editing` and by `Document`.
"""

from __future__ import annotations

from charlens.files.declarations import Declaration, contradictions, find_declared
from charlens.files.project import find_said
from charlens.files.reading import Refused
from charlens.types import Verdict

#: Below this confidence, new non-ASCII characters are refused: they could be written in the wrong encoding.
_SURE = 0.9


def encoding_for(path: str, text: str, root: str = "") -> tuple[str, bool]:
    """Return the encoding for text that was ASCII or empty: as declared, as set in the project, or UTF-8.

    With it comes whether the project wants a byte order mark. *root* is passed to `find_said`.
    """
    declared = next((found.encoding for found in find_declared(text) if found.encoding), None)
    if declared and declared.startswith(("utf-16", "utf-32")):
        declared = "utf-8"  # as in a browser: a declaration that is readable as ASCII cannot be in UTF-16
    said = None if path == "-" else find_said(path, root)
    encoding = declared or (said.encoding if said else "utf-8")
    return encoding, bool(said and said.bom and encoding == said.encoding)


def added_characters(old: str, text: str) -> set[str]:
    """Return the non-ASCII characters of *text* that *old* does not have."""
    return {character for character in text if not character.isascii()} - set(old)


def refuse_doubt(verdict: Verdict, added: set[str]) -> None:
    """Refuse to write the characters *added* in the encoding of *verdict* if it is not certain."""
    if added and verdict.confidence < _SURE:
        raise Refused(
            f"the encoding is probably {verdict.encoding}, but not certain ({verdict.confidence:.2f}); to add "
            f"{min(added)!r}, name the encoding"
        )


def false_declaration(old: str, text: str, encoding: str) -> Declaration | None:
    """Return a declaration of *text*, in *encoding*, that is false and was not so in *old*."""
    known = {found.name for found in contradictions(old, encoding)}
    return next((found for found in contradictions(text, encoding) if found.name not in known), None)
