"""Where text files declare their charset: one row for each kind of declaration.

Detection, explanation and conversion read these rows: the pattern, its description, and the names that the format has
for encodings.  Everything works on text; bytes are given as Latin-1, so offsets stay the same.  HTML and XML have
their own algorithm for bytes (`prescan`); their rows are for decoded text.  `claims` decides how much a
declaration counts.
"""

import re
from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import NamedTuple

from charlens import kernel
from charlens.encodings import has_ascii
from charlens.patterns import Pattern
from charlens.stages.declarations import finders
from charlens.stages.declarations.mail import mail_charsets, mail_pages
from charlens.stages.declarations.places import HEAD, Found, Joined, anywhere, at_start, blanked, found
from charlens.stages.declarations.tex import in_tex, in_xetex
from charlens.stages.declarations.vocabularies import MYSQL_COLLATIONS, Vocabulary, name_for, read_name
from charlens.types import Buffer

#: The first characters of a page, for its meta elements: a style sheet or a program can come before them.
_PAGE_HEAD = 256 << 10
#: Characters at the end that Emacs (3,000) and Vim (five lines) read.
_TAIL = 3000


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
    #: Whether programs that read the format also read UTF-16: the others look for bytes of ASCII.
    wide: bool = False
    #: Whether detection reads it; some files of the evaluation are labelled by those that it does not read.
    detected: bool = True

    def encoding(self, label: str) -> str | None:
        """Return the encoding that *label* means in this format, or ``None``."""
        return read_name(self.names, label)

    def label_for(self, encoding: str, like: str) -> str | None:
        """Return the format's name of *encoding*, in the case of *like*; ``None`` if it has none."""
        return name_for(self.names, encoding, like) if self.wide or has_ascii(encoding) else None


_XML = Pattern(r"""<\?xml\s[^>]{0,200}?\bencoding\s*=\s*(["'])(?P<name>[\w.:-]+)\1""")
_CSS = Pattern(r'@charset "(?P<name>[^"\r\n]{1,64})";')
#: The name of a line ending, which Emacs has behind the name of an encoding, and nothing else of it.
_ENDS = r"(?=(?:-(?:unix|dos|mac))?(?![\w.]|-(?!\*-)))"
_PYTHON = Pattern(rf"[ \t\f]*#.*?coding[:=][ \t]*(?P<name>[-\w.]+?){_ENDS}")
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
_STRING = r'"(?:[^"\\\r\n]|\\.)*"'
#: The header is the translation of the empty message.
_PO_HEADER = Pattern(rf'^msgid[ \t]+""\s+msgstr[ \t]+(?P<name>{_STRING}(?:\s*{_STRING})*)', re.MULTILINE)
_PO_STRING = Pattern(_STRING)
#: Comments before the first message, however long.
_PO_OPENING = Pattern(r"(?:[ \t]*(?:#[^\r\n]*)?\r?\n)*")
#: gettext takes quotation marks for a part of the name; they are replaced with it.
_PO = Pattern(
    r'(?:^|\\n)Content-Type:(?:[^\\]|\\[^n]){0,200}?charset=(?P<place>(?:\\")?(?P<name>[\w.:-]+)(?:\\")?)',
    re.IGNORECASE,
)
#: In the first lines, for TeXShop and TeXworks.
_TEX_COMMENT = Pattern(
    r"(?:[^\r\n]*\r?\n){0,19}?[ \t]*%[ \t]*!TEX[ \t]+encoding[ \t]*=[ \t]*(?P<name>\w[\w.-]*(?: \w[\w.-]*){0,4})",
    re.IGNORECASE,
)
_TEXINFO = Pattern(r"^@documentencoding[ \t]+(?P<name>[\w.-]+)", re.MULTILINE)
_RD_OPENS = Pattern(r"(?:[ \t]*(?:%[^\r\n]*)?\r?\n)*[ \t]*\\(?:name|docType|encoding)\b")
_RD = Pattern(r"^\\encoding\{[ \t]*(?P<name>[\w.-]+)", re.MULTILINE)
_R_PACKAGE_OPENS = Pattern(r"(?:[A-Za-z][\w/@.-]*:[^\r\n]*\r?\n(?:[ \t][^\r\n]*\r?\n)*)*?Package:[ \t]")
_R_PACKAGE = Pattern(r"^Encoding:[ \t]*(?P<name>[\w.-]+)", re.MULTILINE)
_JABREF = Pattern(
    r"(?:%|%?[ \t]*This file was created with JabRef[^\r\n]*\r?\n%?)[ \t]*Encoding:[ \t]*(?P<name>[\w.:-]+)"
)
_JSP = Pattern(r"<%@\s*page\b[^%]{0,500}?%>|<jsp:directive\.page\b[^>]{0,500}>", re.IGNORECASE)
_JSP_NAME = Pattern(
    r"""\bpageEncoding\s*=\s*["'](?P<name>[\w.:-]+)|\bcontentType\s*=\s*["'][^"']*?charset\s*=\s*(?P<other>[\w.:-]+)""",
    re.IGNORECASE,
)
#: At most 500 characters of a line on each side: without a limit, the time is quadratic in a line of only "-*-".
_EMACS = Pattern(rf"-\*-.{{0,500}}?\bcoding:[ \t]*(?P<name>[\w.-]+?){_ENDS}.{{0,500}}?-\*-")
_EMACS_TAIL = Pattern(rf"Local Variables:.*?^\W*coding:[ \t]*(?P<name>[\w.-]+?){_ENDS}", re.M | re.S)
#: A line of Vim, or of Kate.
_EDITOR = Pattern(
    r"(?<!\S)(?:(?:vim?|ex):.{0,500}?\b(?:fileencoding|fenc)=|kate:.{0,500}?\bencoding[ \t]+)(?P<name>[\w.-]+)"
)
_VIM_OPENS = Pattern(
    r"""\s*:?(?:"|(?:scriptencoding|vim9script|if|let|set|finish|fun|func|function|augroup|au|try)\b)"""
)
_VIM_SCRIPT = Pattern(r"^[ \t:]*scriptencoding[ \t]+(?P<name>[\w.-]+)", re.MULTILINE)
_CARD_OPENS = Pattern(r"BEGIN:V(?:CARD|CALENDAR)\b", re.IGNORECASE)
_FOLD = r"\r?\n[ \t]"
_CARD_LINE = Pattern(
    rf"""^(?P<head>[\w.-]+(?:;(?:[^:"\r\n]|"[^"\r\n]*"|{_FOLD})*)):(?P<value>[^\r\n]*(?:{_FOLD}[^\r\n]*)*)""",
    re.M,
)
_CARD_FOLD = Pattern(_FOLD)
_CARD_CHARSET = Pattern(r""";[ \t]*CHARSET="?(?P<name>[\w.:-]+)""", re.IGNORECASE)
_CARD_ENCODED = Pattern(r";[ \t]*(?:ENCODING=)?(?:QUOTED-PRINTABLE|BASE64|B)\b", re.IGNORECASE)
_SQL_OPENS = Pattern(
    r"\s*(?:--|/\*|#|(?:SET|CREATE|INSERT|DROP|USE|BEGIN|SELECT|ALTER|START|DELETE)\b"
    r"|\\(?:encoding|connect|c|set|echo|restrict)\b)",
    re.IGNORECASE,
)
_SQL_NAMES = Pattern(r"\bSET[ \t]+NAMES\b", re.IGNORECASE)
_SQL_SET = Pattern(r"^[ \t]*(?:/\*!\d*[ \t]*)?SET[ \t][^;\r\n]*", re.M | re.I)
_SQL_CHARSET = Pattern(
    r"\bSET[ \t]+(?:NAMES|CHARSET|CHARACTER)\b|\bcharacter_set_|\bcollation_connection", re.I
)
_MYSQL = Pattern(
    r"\bSET[ \t]+(?:NAMES|CHARACTER[ \t]+SET|CHARSET)[ \t]+['\"]?(?P<name>\w+)"
    r"|(?:\bcharacter_set_(?:client|connection|results)[ \t]*:?=|\bcollation_connection[ \t]*:?=|['\"\s]COLLATE\b)"
    r"[ \t]*['\"]?(?P<other>\w+)",
    re.IGNORECASE,
)
_ASP_MENTIONS = ("response.charset", "responseencoding")
_HUNSPELL_MENTIONS = ("set iso8", "set koi8", "set micro", "set utf-")
_MYSQL_MENTIONS = ("set names", "set charset", "character set", "character_set")
_POSTGRESQL_MENTIONS = ("set names", "client_encoding", "\\encoding")
_POSTGRESQL = Pattern(
    r"^[ \t]*(?:SET[ \t]+(?:SESSION[ \t]+|LOCAL[ \t]+)?(?:client_encoding[ \t]*(?:=|\bTO\b)|NAMES\b)|\\encoding\b"
    r"|SELECT[ \t]+(?:pg_catalog\.)?set_config[ \t]*\([ \t]*'client_encoding'[ \t]*,)[ \t]*['\"]?(?P<name>\w+)",
    re.M | re.I,
)
#: Examples in the documentation are indented.
_PERL = Pattern(
    r"""^use[ \t]+encoding[ \t]+(?:q[qw]?[ \t]*[(/{]|["'])[ \t]*:?(?P<name>[\w.-]+)""", re.MULTILINE
)
_DESKTOP_OPENS = Pattern(r"(?:[ \t]*(?:#[^\r\n]*)?\r?\n)*\[(?:KDE )?Desktop Entry\]")
_DESKTOP = Pattern(r"^Encoding[ \t]*=[ \t]*(?P<name>[\w.:-]+)", re.MULTILINE)
_BATCH_OPENS = Pattern(r"\s*(?:@|::|(?:rem|chcp|echo|setlocal|cls|title|color)\b)", re.IGNORECASE)
_BATCH = Pattern(r"(?:^|[&(])[ \t]*@?chcp(?:\.com)?[ \t]+(?P<name>\d{3,5})\b", re.M | re.I)
_RC = Pattern(r"^[ \t]*#[ \t]*pragma[ \t]+code_page[ \t]*\([ \t]*(?P<name>\d+)[ \t]*\)", re.MULTILINE)


def _in_xml(text: str) -> Iterator[Found]:
    yield from at_start(_XML)(text)
    for start, end in mail_pages(text, "xml"):
        match = _XML.match(text, start, end)
        if match:
            yield found(match)


def _in_meta(text: str) -> Iterator[Found]:
    is_page = text.lstrip("\ufeff")[:200].lstrip().startswith("<")
    for start, end in [(0, len(text))] if is_page else mail_pages(text, "html"):
        visible = blanked(text[start : min(end, start + _PAGE_HEAD)], _HIDDEN)
        for tag in _META.finditer(visible):
            match = _CHARSET.search(visible, tag.start(), tag.end())
            if match:
                yield Found(start + match.start("name"), start + match.end("name"), match["name"])


def _in_coding_line(text: str) -> Iterator[Found]:
    start = 1 if text.startswith("\ufeff") else 0
    for _ in range(2):
        end = text.find("\n", start)
        end = len(text) if end < 0 else end
        match = _PYTHON.match(text, start, end)
        if match:
            yield found(match)
            return
        if not _COMMENT.match(text[start:end].rstrip("\r")):
            return
        start = end + 1


def _in_catalogue(text: str) -> Iterator[Found]:
    opening = _PO_OPENING.match(text)
    header = _PO_HEADER.search(text, 0, HEAD + (opening.end() if opening else 0))
    if header is None:
        return
    strings = _PO_STRING.finditer(text, *header.span("name"))
    joined = Joined(text, ((string.start() + 1, string.end() - 1) for string in strings))
    match = _PO.search(joined.text)
    if match:
        yield joined.found(match, "place")


def _in_jsp(text: str) -> Iterator[Found]:
    for tag in _JSP.finditer(text, 0, _PAGE_HEAD if text.lstrip("\ufeff \t\r\n").startswith("<") else HEAD):
        yield from map(found, _JSP_NAME.finditer(text, tag.start(), tag.end()))


def _in_modelines(text: str) -> Iterator[Found]:
    lines = text[:HEAD].split("\n", 5)
    first = len(lines[0]) + 1 + (len(lines[1]) if lines[0].startswith("#!") and len(lines) > 1 else 0)
    yield from map(found, _EMACS.finditer(text, 0, first))
    begin = max(0, len(text) - _TAIL)
    yield from map(found, _EMACS_TAIL.finditer(text, begin))
    start = 0
    for line in lines[:5]:
        match = _EDITOR.search(text, start, start + len(line))
        if match:
            yield found(match)
        start += len(line) + 1
    last = text[begin:].rstrip("\n").split("\n")
    start = begin
    for number, line in enumerate(last):
        match = _EDITOR.search(text, start, start + len(line)) if number >= len(last) - 5 else None
        if match:
            yield found(match)
        start += len(line) + 1


def _in_card(text: str) -> Iterator[Found]:
    if not _CARD_OPENS.match(text.lstrip("\ufeff")):
        return
    for line in _CARD_LINE.finditer(text):
        # Content encoded as ASCII stays in the charset that it names, in whatever encoding the file is.
        if line["value"].isascii():
            continue
        folds = [fold.span() for fold in _CARD_FOLD.finditer(text, *line.span("head"))]
        edges = [line.start("head"), *(edge for fold in folds for edge in fold), line.end("head")]
        head = Joined(text, zip(edges[::2], edges[1::2], strict=True))
        match = _CARD_CHARSET.search(head.text)
        if match and not _CARD_ENCODED.search(head.text):
            yield head.found(match)


def _in_mysql(text: str) -> Iterator[Found]:
    """Yield the names in the head, after SET NAMES, and those for lines with non-ASCII characters.

    A dump sets the charset for each table and trigger, and then back: most of these are ASCII.
    """
    if not _SQL_OPENS.match(text, 1 if text.startswith("\ufeff") else 0):
        return
    blocks = [block for block in _sql_blocks(text) if _SQL_CHARSET.search(text, *block)]
    for (start, block_end), (end, _) in pairwise([*blocks, (len(text), 0)]):
        names = _SQL_NAMES.search(text, start, block_end)
        if names or start < HEAD or not text[block_end:end].isascii():
            for place in map(found, _MYSQL.finditer(text, start, block_end)):
                fixed = "_" in place.label and not place.label.lower().endswith(MYSQL_COLLATIONS)
                yield (
                    place._replace(refusal="UTF-8 has other collations; choose one first") if fixed else place
                )


def _sql_blocks(text: str) -> Iterator[tuple[int, int]]:
    """Yield the place of each run of SET statements with nothing between them."""
    block: tuple[int, int] | None = None
    for statement in _SQL_SET.finditer(text):
        start, end = statement.span()
        if block and not text[block[1] : start].strip(" \t\r\n;*/"):
            block = block[0], end
            continue
        if block:
            yield block
        block = start, end
    if block:
        yield block


def _in_postgresql(text: str) -> Iterator[Found]:
    for place in anywhere(_POSTGRESQL, _SQL_OPENS, None)(text):
        # SET NAMES is there in both; what MySQL has a name for is its own.
        line = text.rfind("\n", 0, place.start) + 1
        if "names" not in text[line : place.start].lower() or read_name("mysql", place.label) is None:
            yield place


def _in_perl(text: str) -> Iterator[Found]:
    for place in anywhere(_PERL, None, None)(text):
        yield place._replace(
            refusal="it also sets the encoding of input and output; replace it by 'use utf8;' first"
        )


def _in_batch(text: str) -> Iterator[Found]:
    """Yield the code pages for lines with non-ASCII characters: another may be set for programs, or back."""
    places = anywhere(_BATCH, _BATCH_OPENS, None)(text)
    for place, following in pairwise([*places, Found(len(text), 0, "")]):
        if not text[place.end : following.start].isascii():
            yield place


#: In the order in which they count if several are found.
SOURCES = (
    Source("xml", "the XML declaration", ("encoding",), _in_xml, "iana", wide=True),
    Source("css", "the @charset rule", ("@charset",), at_start(_CSS), "web", wide=True),
    Source("jsp", "the JSP page directive", ("pageencoding", "charset"), _in_jsp, "iana", wide=True),
    Source("meta", "a meta element", ("charset",), _in_meta, "web", wide=True),
    Source("python", "the coding line", ("coding",), _in_coding_line, "python"),
    Source("gettext", "the header of the message catalogue", ("msgid",), _in_catalogue, "iana"),
    Source("latex", "inputenc", ("inputen",), in_tex, "latex"),
    Source("xetex", "\\XeTeXinputencoding", ("xetexinputencoding",), in_xetex, "iana"),
    Source("tex comment", "the TeX comment", ("encoding",), at_start(_TEX_COMMENT), "texshop"),
    Source("jabref", "the JabRef comment", ("encoding:",), at_start(_JABREF), "iana"),
    Source("vcard", "the CHARSET parameter", ("charset=",), _in_card, "iana"),
    Source("mail", "the Content-Type of the mail", ("charset",), mail_charsets, "iana"),
    Source(
        "desktop", "the key Encoding", ("encoding",), anywhere(_DESKTOP, _DESKTOP_OPENS, None), "desktop"
    ),
    Source("firebird", "the SQL statement", ("set names",), finders.in_firebird, "firebird"),
    Source("postgresql", "the SQL statement", _POSTGRESQL_MENTIONS, _in_postgresql, "postgresql"),
    Source("sql", "the SQL statement", _MYSQL_MENTIONS, _in_mysql, "mysql"),
    Source("perl", "the pragma 'encoding'", ("use encoding",), _in_perl, "iana"),
    Source("pod", "the POD command =encoding", ("=encoding",), finders.in_pod, "iana"),
    Source(
        "vim", "scriptencoding", ("scriptencoding",), anywhere(_VIM_SCRIPT, _VIM_OPENS, None), "emacs"
    ),
    Source("batch", "chcp", ("chcp ",), _in_batch, "code page"),
    Source(
        "resource", "#pragma code_page", ("code_page",), anywhere(_RC, most=None), "code page", wide=True
    ),
    Source("asp", "the code page", ("codepage",), finders.in_server_tag, "code page"),
    Source("asp charset", "the charset of the response", _ASP_MENTIONS, finders.in_server_charset, "iana"),
    Source("coldfusion", "the processing directive", ("pageencoding",), finders.in_coldfusion, "iana"),
    Source("php", "the call of header()", ("charset",), finders.in_php, "web"),
    Source("php setting", "a setting of PHP", finders.PHP_SETTINGS, finders.in_php_setting, "web"),
    Source("pascal", "the directive", ("{$codepage",), anywhere(finders.PASCAL), "pascal"),
    Source("prolog", "the directive", ("encoding(",), anywhere(finders.PROLOG), "prolog", wide=True),
    Source("gnuplot", "the command", ("set encoding",), finders.in_gnuplot, "gnuplot"),
    Source("aspell", "the first line", ("personal_ws", "personal_repl"), at_start(finders.ASPELL), "iana"),
    Source("asciidoc", "the attribute", (":encoding:",), anywhere(finders.ASCIIDOC), "iana"),
    Source("doxygen", "DOXYFILE_ENCODING", ("doxyfile_encoding",), anywhere(finders.DOXYGEN), "iana"),
    Source("context", "\\enableregime", ("\\enableregime",), anywhere(finders.CONTEXT), "iana"),
    Source("vignette", "\\VignetteEncoding", ("vignetteencoding",), anywhere(finders.VIGNETTE), "r"),
    Source("txt2tags", "the setting", ("%!encoding",), anywhere(finders.TXT2TAGS), "iana"),
    Source("playlist", "the line #EXTENC", ("#extenc",), anywhere(finders.PLAYLIST), "iana"),
    Source("hunspell", "the line SET", _HUNSPELL_MENTIONS, finders.in_affixes, "hunspell", detected=False),
    Source("gedcom", "the line CHAR", ("0 head",), finders.in_genealogy, "gedcom", wide=True),
    Source("texinfo", "@documentencoding", ("@documentencoding",), anywhere(_TEXINFO), "iana"),
    Source("Rd", "\\encoding", ("\\encoding",), anywhere(_RD, _RD_OPENS), "r"),
    Source("R package", "the field Encoding", ("encoding:",), anywhere(_R_PACKAGE, _R_PACKAGE_OPENS), "r"),
    Source("dxf", "$DWGCODEPAGE", ("$dwgcodepage",), finders.in_drawing, "code page"),
    Source("tcl", "the command 'encoding system'", ("encoding",), finders.in_tcl, "iana"),
    Source("introducer", "a string", ("charset", *_MYSQL_MENTIONS), finders.in_introducers, "mysql"),
    Source("modeline", "the modeline", ("coding", "fenc="), _in_modelines, "emacs", wide=True),
)
#: Kinds that declare in every part of a file, not only at its beginning or end.
ANYWHERE = (
    *("latex", "vcard", "mail", "postgresql", "sql", "perl", "pod", "vim", "batch", "resource"),
    *("asp", "asp charset", "php", "php setting", "tcl", "introducer", "xetex", "firebird", "gnuplot"),
)
#: Kinds whose parts can be in different encodings.
IN_PARTS = ("mail", "vcard", "batch")
BY_NAME = {source.name: source for source in SOURCES}
_MENTIONS = frozenset(word for source in SOURCES for word in source.mentions)


def shortest(words: frozenset[str]) -> bytes:
    """Return those of *words* that contain no other, for the kernel: 'charset=' is in no text without 'charset'."""
    return "\n".join(
        sorted(word for word in words if not any(other in word for other in words - {word}))
    ).encode()


_WORDS = shortest(_MENTIONS)


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
        for place in source.find(text):
            if place.start not in seen:
                seen.add(place.start)
                yield source, place
