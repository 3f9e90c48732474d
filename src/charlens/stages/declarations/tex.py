"""Find the encodings that a text in TeX declares: the options of inputenc, and commands that switch the encoding.

Examples in verbatim text do not count, and packages are only loaded before the document begins.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from charlens.patterns import Pattern
from charlens.stages.declarations.places import Found, blanked, found
from charlens.stages.declarations.vocabularies import read_name

#: A text that starts with a TeX command, ignoring comments, is TeX.
_TEX_OPENS = Pattern(r"(?:[ \t]*(?:%[^\r\n]*)?\r?\n)*[ \t]*\\")
_GAP = r"(?:\s|%[^\r\n]*[\r\n])*"
_INPUTENC = rf"{_GAP}\{{[^}}]{{0,500}}?\b(?:lua)?inputen[cx]\b"
_TEX = Pattern(
    rf"^[^%\r\n]*?\\(?:(?:usepackage|RequirePackage){_GAP}\[(?P<options>[^\]]{{0,500}})\]{_INPUTENC}"
    rf"|PassOptionsToPackage{_GAP}\{{(?P<passed>[^}}]{{0,500}})\}}{_INPUTENC}"
    rf"|documentclass{_GAP}\[(?P<shared>[^\]]{{0,500}})\]"
    rf"|lstset{_GAP}\{{(?:[^{{}}]|\{{[^{{}}]{{0,200}}\}}){{0,500}}?\binputencoding\s*=\s*\{{?(?P<other>[\w-]+)"
    rf"|inputencoding{_GAP}\{{\s*(?P<name>[\w-]+)\s*\}})",
    re.MULTILINE,
)
_TEX_OPTION = Pattern(r"%[^\r\n]*|(?P<name>[\w-]+)")
#: Without options of its own, the package has those of the class.
_TEX_BARE = Pattern(rf"^[^%\r\n]*?\\(?:usepackage|RequirePackage){_INPUTENC}", re.MULTILINE)
#: Comments, and text that is shown as it is.
_VERBATIM = Pattern(
    r"\\%|%[^\r\n]*|\\begin\{((?:[BL]?[vV]erbatim|alltt|lstlisting|minted|comment)\*?)\}.*?(?:\\end\{\1\}|\Z)"
    r"|\\(?:verb|lstinline)\*?([^\sa-zA-Z*])[^\r\n]{0,500}?\2",
    re.DOTALL,
)
_BODY = "\\begin{document}"
_XETEX = Pattern(r'\\XeTeXinputencoding[ \t]*"?(?P<name>[\w-]+)')


def in_tex(text: str) -> Iterator[Found]:
    """Yield the encodings that inputenc and listings read the text in."""
    if not _TEX_OPENS.match(text, 1 if text.startswith("\ufeff") else 0):
        return
    text = blanked(text, _VERBATIM)
    body = text.find(_BODY)
    for command in _TEX.finditer(text):
        if command["name"] or command["other"]:
            yield found(command)
        elif 0 <= body < command.start():
            continue  # an example
        elif command["shared"] is None or _TEX_BARE.search(text):
            place = command.span(command.lastgroup)
            options = [option for option in _TEX_OPTION.finditer(text, *place) if option["name"]]
            # The last option that names an encoding counts.
            yield from [found(option) for option in options if read_name("latex", option["name"])][-1:]


def in_xetex(text: str) -> Iterator[Found]:
    """Yield the encodings that XeTeX reads the rest of the text in."""
    if _TEX_OPENS.match(text, 1 if text.startswith("\ufeff") else 0):
        yield from map(found, _XETEX.finditer(blanked(text, _VERBATIM)))
