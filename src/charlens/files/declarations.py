"""What a text says of its own encoding, and how to make it say another: HTML, XML, CSS and PEP 263.

Works on decoded text, and only on its head; a name that is no encoding, and anything in a comment or a script, is left
alone.  Nothing here decides what an encoding is.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from charlens.encodings import canonical, lookup, web_codec, web_lookup, web_name

#: A browser looks at 1,024 bytes; pages with a long comment or title in front declare later all the same.
_HEAD = 16 << 10

_XML = re.compile(r"""<\?xml\s[^>]{0,200}?\bencoding\s*=\s*(["'])(?P<name>[\w.:-]+)\1""")
_CSS = re.compile(r'@charset "(?P<name>[^"\r\n]{1,64})";')
_PEP_263 = re.compile(r"[ \t\f]*#.*?coding[:=][ \t]*(?P<name>[-\w.]+)")
#: In the first two lines only, the second only if the first is blank or a comment: so says PEP 263.
_COMMENT = re.compile(r"[ \t\f]*(?:#.*)?$")
# A tag is no longer than this, so that a page of nothing but '<meta ' takes no second.
_META = re.compile(r"""<meta(?=[\s/])(?:[^>"']|"[^"]*"|'[^']*'){0,500}>""", re.IGNORECASE)
_CHARSET = re.compile(r"""\bcharset\s*=\s*(["']?)\s*(?P<name>[\w.:-]+)""", re.IGNORECASE)
_HIDDEN = re.compile(
    r"<!--.*?(?:-->|\Z)|<(script|style|title|textarea|noscript)\b.*?(?:</\1|\Z)|<body\b.*",
    re.IGNORECASE | re.DOTALL,
)


class Declaration(NamedTuple):
    """A name of an encoding in a text, *end* not included."""

    start: int
    end: int
    name: str
    #: 'html', 'xml', 'css' or 'python'.
    kind: str

    @property
    def encoding(self) -> str | None:
        """The encoding that is meant, by the rules of its kind."""
        if self.kind in ("html", "css"):
            # A page or a sheet that says it is UTF-16 in letters that were read as ASCII is taken for UTF-8 there;
            # here it has been decoded, so that it means what it says.
            found = web_codec(web_lookup(self.name) or "")
            if found is not None:
                return found
        encoding = lookup(self.name)
        return encoding.name if encoding else None


def find_declared(text: str) -> tuple[Declaration, ...]:
    """Return what the head of *text* says of its encoding, in order; names that nobody knows are left out."""
    head = text[:_HEAD]
    return tuple(found for found in _candidates(head) if found.encoding is not None)


def _candidates(head: str) -> Iterator[Declaration]:
    start = 1 if head.startswith("\ufeff") else 0
    for kind, pattern in (("xml", _XML), ("css", _CSS)):
        match = pattern.match(head, start)
        if match:
            yield _declaration(match, kind)
    if head[start : start + 200].lstrip().startswith("<"):
        yield from _in_tags(head)
    else:
        yield from _in_comment(head, start)


def _in_tags(head: str) -> Iterator[Declaration]:
    # What is hidden is blanked, not taken out: places stay where they are.
    visible = _HIDDEN.sub(lambda match: " " * len(match[0]), head)
    for tag in _META.finditer(visible):
        match = _CHARSET.search(visible, tag.start(), tag.end())
        if match:
            yield _declaration(match, "html")


def _in_comment(head: str, start: int) -> Iterator[Declaration]:
    for _ in range(2):
        end = head.find("\n", start)
        end = len(head) if end < 0 else end
        match = _PEP_263.match(head, start, end)
        if match:
            yield _declaration(match, "python")
            return
        if not _COMMENT.match(head[start:end].rstrip("\r")):
            return
        start = end + 1


def _declaration(match: re.Match[str], kind: str) -> Declaration:
    return Declaration(match.start("name"), match.end("name"), match["name"], kind)


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


def rewrite_declared(text: str, encoding: str) -> str:
    """Return *text* with every declaration in its head saying *encoding*; one that does already stays as it is."""
    pieces = []
    done = 0
    for found in contradictions(text, encoding):
        pieces += [text[done : found.start], declared_name(canonical(encoding), found)]
        done = found.end
    return "".join([*pieces, text[done:]])


def declared_name(encoding: str, like: Declaration) -> str:
    """Return the name by which the format of the declaration *like* calls *encoding*, in the case it used."""
    known = lookup(encoding)
    if like.kind == "python":
        name = encoding
    elif encoding.startswith(("utf-16", "utf-32")):
        name = encoding[:6]
    else:
        # HTML and CSS go by the web's names, XML by the registry's.
        web, registered = (known.web, known.iana) if known else (None, None)
        name = (web or registered if like.kind in ("html", "css") else registered or web) or encoding
    return name.upper() if like.name.isupper() else name.lower() if like.name.islower() else name
