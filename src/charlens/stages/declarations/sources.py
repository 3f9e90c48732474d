"""Where text files declare their charset: one row for each kind of declaration.

Detection, explanation and conversion read these rows: the pattern, its description, and the names that the format has
for encodings.  Everything works on text; bytes are given as Latin-1, so offsets stay the same.  HTML and XML have
their own algorithm for bytes (`prescan`); their rows are for decoded text.  `claims` decides how much a
declaration counts.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import NamedTuple

from charlens import kernel
from charlens.stages.declarations.mail import mail_charsets
from charlens.stages.declarations.patterns import Pattern
from charlens.stages.declarations.vocabularies import Vocabulary, name_for, read_name
from charlens.types import Buffer

#: The first characters of a file, in which most kinds have their declaration. A browser reads 1,024 bytes, but pages
#: that start with a long comment or title declare later.
HEAD = 16 << 10
#: Characters at the end that Emacs (3,000) and Vim (five lines) read.
_TAIL = 3000


class Found(NamedTuple):
    """The name of an encoding in a text, *end* not included."""

    start: int
    end: int
    label: str


class Source(NamedTuple):
    """One kind of declaration."""

    name: str
    #: The place of the declaration, for the explanation: "the coding line says 'koi8-r'".
    words: str
    #: One of these words, in lower case, is in every text that declares this way.
    mentions: tuple[str, ...]
    #: Finds the names in a text.
    find: Callable[[str], Iterator[Found]]
    #: The names that the format has for encodings.
    names: Vocabulary

    def encoding(self, label: str) -> str | None:
        """Return the encoding that *label* means in this format, or ``None``."""
        return read_name(self.names, label)

    def label_for(self, encoding: str, like: str) -> str | None:
        """Return the format's name of *encoding*, in the case of *like*; ``None`` if it has none."""
        return name_for(self.names, encoding, like)


_XML = Pattern(r"""<\?xml\s[^>]{0,200}?\bencoding\s*=\s*(["'])(?P<name>[\w.:-]+)\1""")
_CSS = Pattern(r'@charset "(?P<name>[^"\r\n]{1,64})";')
_PYTHON = Pattern(r"[ \t\f]*#.*?coding[:=][ \t]*(?P<name>[-\w.]+)")
#: PEP 263: in the second line only if the first is blank or a comment.
_COMMENT = Pattern(r"[ \t\f]*(?:#.*)?$")
# A tag is no longer than this, so that a page of only '<meta ' does not take a second.
_META = Pattern(r"""<meta(?=[\s/])(?:[^>"']|"[^"]*"|'[^']*'){0,500}>""", re.IGNORECASE)
_CHARSET = Pattern(r"""\bcharset\s*=\s*(["']?)\s*(?P<name>[\w.:-]+)""", re.IGNORECASE)
#: Comments, elements without markup in them, the body; and the code in a page of Markdown.
_HIDDEN = Pattern(
    r"<!--.*?(?:-->|\Z)|<(script|style|title|textarea|noscript)\b.*?(?:</\1|\Z)|<body\b.*"
    r"|^```.*?(?:^```|\Z)|`[^`\r\n]*`",
    re.IGNORECASE | re.DOTALL | re.MULTILINE,
)
_PO_HEADER = Pattern(r'^msgid[ \t]+""', re.MULTILINE)
_PO = Pattern(r'^"Content-Type:[^"\r\n]*?\bcharset=(?P<name>[\w.:-]+)', re.MULTILINE | re.IGNORECASE)
#: A text that starts with a TeX command, ignoring comments, is TeX.
_TEX_OPENS = Pattern(r"(?:[ \t]*(?:%.*)?\r?\n)*[ \t]*\\")
_TEX = Pattern(
    r"^[^%\r\n]*?\\(?:usepackage\[\s*(?P<name>[\w-]+)\s*\]\{inputenc\}|inputencoding\{(?P<other>[\w-]+)\})",
    re.MULTILINE,
)
_JSP = Pattern(r"<%@\s*page\b[^%]{0,500}?%>|<jsp:directive\.page\b[^>]{0,500}>", re.IGNORECASE)
_JSP_NAME = Pattern(
    r"""\bpageEncoding\s*=\s*["'](?P<name>[\w.:-]+)|\bcontentType\s*=\s*["'][^"']*?charset\s*=\s*(?P<other>[\w.:-]+)""",
    re.IGNORECASE,
)
_EMACS = Pattern(r"-\*-.*?\bcoding:[ \t]*(?P<name>[\w.-]+?)(?=-(?:unix|dos|mac)\b|[\s;]|-\*-).*?-\*-")
_EMACS_TAIL = Pattern(
    r"Local Variables:.*?^\W*coding:[ \t]*(?P<name>[\w.-]+?)(?=-(?:unix|dos|mac)\b|[\s;])", re.M | re.S
)
_VIM = Pattern(r"(?:^|\s)(?:vim?|ex):.*?\b(?:fileencoding|fenc)=(?P<name>[\w.-]+)")
_VCARD = Pattern(r"^[^:\r\n]*;CHARSET=(?P<name>[\w.-]+)[^:\r\n]*:(?P<value>.*(?:\n[ \t].*)*)$", re.M | re.I)
_VCARD_ENCODED = Pattern(r";(?:ENCODING=)?(?:QUOTED-PRINTABLE|BASE64|B)\b", re.IGNORECASE)
_SQL_OPENS = Pattern(
    r"\s*(?:--|/\*|#|(?:SET|CREATE|INSERT|DROP|USE|BEGIN|SELECT|ALTER|START|DELETE)\b)", re.IGNORECASE
)
_SQL = Pattern(
    r"^[ \t]*(?:/\*!\d+[ \t]+)?SET[ \t]+(?:NAMES[ \t]+|client_encoding[ \t]*(?:=|TO)[ \t]*)['\"]?(?P<name>\w+)",
    re.M | re.I,
)
_RC = Pattern(r"^[ \t]*#[ \t]*pragma[ \t]+code_page[ \t]*\([ \t]*(?P<name>\d+)[ \t]*\)", re.MULTILINE)


def _found(match: re.Match[str]) -> Found:
    group = "name" if match["name"] is not None else "other"
    return Found(match.start(group), match.end(group), match[group])


def _at_start(pattern: Pattern) -> Callable[[str], Iterator[Found]]:
    def find(text: str) -> Iterator[Found]:
        match = pattern.match(text, 1 if text.startswith("\ufeff") else 0)
        if match:
            yield _found(match)

    return find


def _anywhere(
    pattern: Pattern, opens: Pattern | None = None, most: int | None = HEAD
) -> Callable[[str], Iterator[Found]]:
    """Return a function that finds *pattern* in texts whose beginning matches *opens*."""

    def find(text: str) -> Iterator[Found]:
        if opens is None or opens.match(text, 1 if text.startswith("\ufeff") else 0):
            yield from map(_found, pattern.finditer(text, 0, len(text) if most is None else most))

    return find


def _in_meta(text: str) -> Iterator[Found]:
    head = text[:HEAD]
    if not head.lstrip("\ufeff")[:200].lstrip().startswith("<"):
        return
    # Hidden text is blanked, not removed, so that offsets stay the same.
    visible = _HIDDEN.sub(lambda match: " " * len(match[0]), head)
    for tag in _META.finditer(visible):
        match = _CHARSET.search(visible, tag.start(), tag.end())
        if match:
            yield _found(match)


def _in_coding_line(text: str) -> Iterator[Found]:
    start = 1 if text.startswith("\ufeff") else 0
    for _ in range(2):
        end = text.find("\n", start)
        end = len(text) if end < 0 else end
        match = _PYTHON.match(text, start, end)
        if match:
            yield _found(match)
            return
        if not _COMMENT.match(text[start:end].rstrip("\r")):
            return
        start = end + 1


def _in_catalogue(text: str) -> Iterator[Found]:
    header = _PO_HEADER.search(text, 0, HEAD)
    match = _PO.search(text, header.end(), HEAD) if header else None
    if match:
        yield _found(match)


def _in_jsp(text: str) -> Iterator[Found]:
    for tag in _JSP.finditer(text, 0, HEAD):
        yield from map(_found, _JSP_NAME.finditer(text, tag.start(), tag.end()))


def _in_modelines(text: str) -> Iterator[Found]:
    lines = text[:HEAD].split("\n", 5)
    first = len(lines[0]) + 1 + (len(lines[1]) if lines[0].startswith("#!") and len(lines) > 1 else 0)
    yield from map(_found, _EMACS.finditer(text, 0, first))
    begin = max(0, len(text) - _TAIL)
    yield from map(_found, _EMACS_TAIL.finditer(text, begin))
    start = 0
    for line in lines[:5]:
        match = _VIM.search(text, start, start + len(line))
        if match:
            yield _found(match)
        start += len(line) + 1
    last = text[begin:].rstrip("\n").split("\n")
    start = begin
    for number, line in enumerate(last):
        match = _VIM.search(text, start, start + len(line)) if number >= len(last) - 5 else None
        if match:
            yield _found(match)
        start += len(line) + 1


def _in_vcard(text: str) -> Iterator[Found]:
    if text.lstrip("\ufeff")[:11].upper() != "BEGIN:VCARD":
        return
    for match in _VCARD.finditer(text):
        # Content encoded as ASCII stays in the charset that it names, in whatever encoding the file is.
        if not match["value"].isascii() and not _VCARD_ENCODED.search(match[0].split(":", 1)[0]):
            yield _found(match)


def _in_mail(text: str) -> Iterator[Found]:
    return (Found(start, end, text[start:end]) for start, end in mail_charsets(text))


#: In the order in which they count if several are found.
SOURCES = (
    Source("xml", "the XML declaration", ("encoding",), _at_start(_XML), "iana"),
    Source("css", "the @charset rule", ("@charset",), _at_start(_CSS), "web"),
    Source("jsp", "the JSP page directive", ("pageencoding", "contenttype"), _in_jsp, "iana"),
    Source("meta", "a meta element", ("charset",), _in_meta, "web"),
    Source("python", "the coding line", ("coding",), _in_coding_line, "python"),
    Source("gettext", "the header of the message catalogue", ("charset=",), _in_catalogue, "iana"),
    Source("latex", "inputenc", ("inputenc",), _anywhere(_TEX, _TEX_OPENS, None), "latex"),
    Source("vcard", "the CHARSET parameter", (";charset=",), _in_vcard, "iana"),
    Source("mail", "the Content-Type of the mail", ("content-type:",), _in_mail, "iana"),
    Source("sql", "the SQL statement", ("set names", "client_encoding"), _anywhere(_SQL, _SQL_OPENS), "sql"),
    Source("resource", "#pragma code_page", ("code_page",), _anywhere(_RC, most=None), "code page"),
    Source("modeline", "the modeline", ("coding", "fenc="), _in_modelines, "python"),
)
BY_NAME = {source.name: source for source in SOURCES}
_MENTIONS = frozenset(word for source in SOURCES for word in source.mentions)
_WORDS = "\n".join(sorted(_MENTIONS)).encode()


def may_declare(data: Buffer) -> bool:
    """Whether *data*, in an encoding that extends ASCII, has a word that every declaration has."""
    return bool(kernel.mentions(data, _WORDS))


def find_sources(text: str, skip: tuple[str, ...] = ()) -> Iterator[tuple[Source, Found]]:
    """Yield each declaration in *text* with its row; a place that two rows find counts for the first."""
    data = text.encode("utf-8", "surrogatepass")
    if not may_declare(data):
        return
    # Converting bytes to lower case is ten times as fast as converting text.
    lower = data.lower()
    mentioned = {word for word in _MENTIONS if word.encode() in lower}
    seen: set[int] = set()
    for source in SOURCES:
        if source.name in skip or mentioned.isdisjoint(source.mentions):
            continue
        for found in source.find(text):
            if found.start not in seen:
                seen.add(found.start)
                yield source, found
