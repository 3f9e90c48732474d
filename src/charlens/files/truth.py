"""Keep an edited file true: the encoding of new characters where it is open, and what the text declares.

Used for every edit: by `charlens.files.editing` and by `Document`.
"""

from __future__ import annotations

from collections.abc import Iterator

from charlens.files.declarations import Declaration, contradictions, find_declared, misread_character
from charlens.files.formats import escape_edits, find_standard
from charlens.files.line_ends import Line
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


def prove_declarations(path: str, old: str, text: str, encoding: str) -> None:
    """Refuse *text*, in *encoding*, if it makes a declaration false that was not so in *old*."""
    known = {found.name for found, _ in _misread(old, encoding)}
    for false, character in _misread(text, encoding):
        if false.name in known:
            continue
        if all(found.name != false.name for found in find_declared(old)):
            raise Refused(
                f"the text now declares {false.name!r}, but the file is in {encoding}; "
                f"convert the file first: charlens convert --to {false.encoding}"
            )
        raise Refused(
            f"{_place(text, character)}: {character!r} is not in {false.name!r}, which the file declares; leave it "
            "out, or convert the file first: charlens convert --to utf-8"
        )
    _prove_format(path, old, text, encoding)


def _misread(text: str, encoding: str) -> Iterator[tuple[Declaration, str]]:
    """Yield each declaration by which a program would misread *text*, in *encoding*, with such a character."""
    for found in contradictions(text, encoding):
        character = misread_character(found, encoding, text)
        if character:
            yield found, character


def _place(text: str, character: str) -> str:
    place = Line.place(text, text.index(character))
    return f"line {place.line}, column {place.column}"


def _prove_format(path: str, old: str, text: str, encoding: str) -> None:
    """Refuse new characters in Java properties that ISO 8859-1 does not have."""
    standard = find_standard(path, text)
    if standard is None or not standard.escapes or encoding == "utf-8" or max(old, default="") > "\xff":
        return
    lacked = max(text, default="")
    if lacked > "\xff":
        raise Refused(
            f"{_place(text, lacked)}: Java reads it as ISO 8859-1, which has no {lacked!r}; "
            f"write {escape_edits(lacked)[0].new}"
        )
