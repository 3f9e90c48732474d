"""Find and rewrite the encodings that a text declares.

Works on decoded text, with the rows of `charlens.stages.declarations.sources`.  Unknown names, and anything in a
comment or a script, are not changed.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import NamedTuple

from charlens.encodings import canonical, has_ascii, lookup, web_name, web_of
from charlens.errors import CharlensError
from charlens.stages.declarations.sources import BY_NAME, find_sources

#: C1 controls: ISO 8859-1 and its like have them where code pages of Windows have characters.
_CONTROL = re.compile("[\x80-\x9f]")


class Declaration(NamedTuple):
    """The name of an encoding in a text; *end* is exclusive."""

    start: int
    end: int
    name: str
    #: The row of the table of sources: 'meta', 'xml', 'python' …
    kind: str
    #: Why it must not be rewritten, or "".
    refusal: str = ""

    @property
    def encoding(self) -> str | None:
        """The encoding that the name means in this kind of declaration."""
        return BY_NAME[self.kind].encoding(self.name)


class Edit(NamedTuple):
    """One replacement: the text from *start* to *end* becomes *new*."""

    start: int
    end: int
    old: str
    new: str


def find_declared(text: str) -> tuple[Declaration, ...]:
    """Return the declarations in *text*, in order, without unknown names."""
    found = (Declaration(*place[:3], source.name, place.refusal) for source, place in find_sources(text))
    return tuple(sorted(one for one in found if one.encoding is not None))


def contradictions(text: str, encoding: str) -> tuple[Declaration, ...]:
    """Return the declarations in *text* that contradict *encoding*."""
    name = canonical(encoding)
    return tuple(found for found in find_declared(text) if not _agrees(found, name))


def _agrees(declaration: Declaration, encoding: str) -> bool:
    said = declaration.encoding or ""
    named = lookup(declaration.name)
    # Browsers read 'iso-8859-1' as windows-1252, but for a file in ISO 8859-1 the declaration is still right.
    if encoding in (said, named.name if named else "") or encoding == "ascii":
        return True
    # 'UTF-16' leaves the byte order to the mark.
    if said.startswith(("utf-16", "utf-32")) and said[:6] == encoding[:6]:
        return not declaration.name.lower().endswith(("le", "be"))
    return web_name(said) is not None and web_name(said) == web_name(encoding)


def misread_character(declaration: Declaration, encoding: str, text: str) -> str:
    """Return a character of *text*, in *encoding*, that a program would misread by the declaration, or "".

    Relatives differ in what they call a few signs (the wave dash of Shift_JIS): among them, it is enough that the bytes
    are a character.
    """
    said, name = lookup(declaration.encoding or ""), lookup(encoding)
    if said is None or name is None or not (has_ascii(said.name) and has_ascii(name.name)):
        return text[:1]
    related = web_of(said) is not None and web_of(said) == web_of(name)
    for character in sorted(set(text)):
        try:
            means = "" if character.isascii() else character.encode(name.name, "ignore").decode(said.name)
        except UnicodeDecodeError:
            return character
        if means not in (character, "") and (not related or _CONTROL.match(means)):
            return character
    return ""


def plan_edits(text: str, encoding: str) -> tuple[Edit, ...]:
    """Return the edits that make every declaration in *text* name *encoding*."""
    edits = []
    for found in contradictions(text, encoding):
        name = declared_name(canonical(encoding), found)
        if name is None or found.refusal:
            why = found.refusal or f"that format has no name for {encoding}" + (
                "" if has_ascii(encoding) else ", because its programs look for bytes of ASCII; use utf-8"
            )
            raise CharlensError(f"{BY_NAME[found.kind].words} says {found.name!r}, and {why}")
        edits.append(Edit(found.start, found.end, text[found.start : found.end], name))
    return tuple(edits)


def edits_in_words(edits: tuple[Edit, ...]) -> str:
    """Name the declarations that *edits* rewrite; a name in several pieces is put on one line."""
    counted = Counter(" ".join(edit.old.split()) for edit in edits)
    return ", ".join(
        f"updates the declaration {name}" + (f" in {number} places" if number > 1 else "")
        for name, number in counted.items()
    )


def apply_edits(text: str, edits: tuple[Edit, ...]) -> str:
    """Return *text* with *edits* applied; they must be in order."""
    pieces = []
    done = 0
    for edit in edits:
        pieces += [text[done : edit.start], edit.new]
        done = edit.end
    return "".join([*pieces, text[done:]])


def rewrite_declared(text: str, encoding: str) -> str:
    """Return *text* with every declaration naming *encoding*; declarations that already do are not changed."""
    return apply_edits(text, plan_edits(text, encoding))


def declared_name(encoding: str, like: Declaration) -> str | None:
    """Return the name of *encoding* in the format of the declaration *like*, in the same case."""
    return BY_NAME[like.kind].label_for(encoding, like.name)
