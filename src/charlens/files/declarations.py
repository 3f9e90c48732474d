"""What a text says of its own encoding, and how to make it say another.

Works on decoded text, by the rows of `charlens.stages.declarations.sources`; a name that nobody knows, and
anything in a comment or a script, is left alone.  Nothing here decides what an encoding is.
"""

from __future__ import annotations

from typing import NamedTuple

from charlens.encodings import canonical, lookup, web_name
from charlens.errors import CharlensError
from charlens.stages.declarations.sources import BY_NAME, find_sources


class Declaration(NamedTuple):
    """A name of an encoding in a text, *end* not included."""

    start: int
    end: int
    name: str
    #: The row of the table of sources: 'meta', 'xml', 'python' …
    kind: str

    @property
    def encoding(self) -> str | None:
        """The encoding that is meant, by the rules of its kind."""
        return BY_NAME[self.kind].encoding(self.name)


class Edit(NamedTuple):
    """One declaration to be replaced: what stands from *start* to *end* becomes *new*."""

    start: int
    end: int
    old: str
    new: str


def find_declared(text: str) -> tuple[Declaration, ...]:
    """Return what *text* says of its encoding, in order; names that nobody knows are left out."""
    found = (Declaration(*place, source.name) for source, place in find_sources(text))
    return tuple(sorted(one for one in found if one.encoding is not None))


def contradictions(text: str, encoding: str) -> tuple[Declaration, ...]:
    """Return the declarations in *text* by which a reader would take it for something else than *encoding*."""
    name = canonical(encoding)
    return tuple(found for found in find_declared(text) if not _agrees(found, name))


def _agrees(declaration: Declaration, encoding: str) -> bool:
    said = declaration.encoding or ""
    named = lookup(declaration.name)
    # A page that says 'iso-8859-1' is read as windows-1252; whoever writes ISO 8859-1 all the same says so rightly.
    if encoding in (said, named.name if named else "") or encoding == "ascii":
        return True
    # 'UTF-16' says no order of bytes; the mark does.
    if said.startswith(("utf-16", "utf-32")) and said[:6] == encoding[:6]:
        return not declaration.name.lower().endswith(("le", "be"))
    return web_name(said) is not None and web_name(said) == web_name(encoding)


def plan_edits(text: str, encoding: str) -> tuple[Edit, ...]:
    """Return what has to be replaced for every declaration in *text* to say *encoding*."""
    edits = []
    for found in contradictions(text, encoding):
        name = declared_name(canonical(encoding), found)
        if name is None:
            raise CharlensError(
                f"{BY_NAME[found.kind].words} says {found.name!r}, and that format has no name for {encoding}"
            )
        edits.append(Edit(found.start, found.end, found.name, name))
    return tuple(edits)


def apply_edits(text: str, edits: tuple[Edit, ...]) -> str:
    """Return *text* with *edits*, which are in order, carried out."""
    pieces = []
    done = 0
    for edit in edits:
        pieces += [text[done : edit.start], edit.new]
        done = edit.end
    return "".join([*pieces, text[done:]])


def rewrite_declared(text: str, encoding: str) -> str:
    """Return *text* with every declaration saying *encoding*; one that does already stays as it is."""
    return apply_edits(text, plan_edits(text, encoding))


def declared_name(encoding: str, like: Declaration) -> str | None:
    """Return the name by which the format of the declaration *like* calls *encoding*, in the case it used."""
    return BY_NAME[like.kind].label_for(encoding, like.name)
