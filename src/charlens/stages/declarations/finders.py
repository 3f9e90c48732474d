"""Find the declarations of kinds that declare in their own way: web scripts, dictionaries, genealogies, drawings.

Each function takes a text and yields the names in it; the rows of `sources` say what the names mean.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from charlens.patterns import Pattern
from charlens.stages.declarations.places import HEAD, Found, anywhere, found

#: A page, or a program within one; text that quotes a line of them is neither.
_PAGE_OPENS = Pattern(r"\ufeff?(?:#![^\r\n]*\r?\n)?\s*<")
_SERVER_TAG = Pattern(r"<%@[^%]{0,500}?%>")
_CODE_PAGE = Pattern(r"""\bcodepage\s*=\s*["']?(?P<name>\d{3,5})\b""", re.IGNORECASE)
_OUTPUT_NAME = Pattern(r"""\bresponseEncoding\s*=\s*["'](?P<name>[\w.:-]+)""", re.IGNORECASE)
#: A comment begins with an apostrophe.
_SET_CODE_PAGE = Pattern(
    r"^[^'\r\n]{0,200}?\b(?:Response|Session)\.CodePage[ \t]*=[ \t]*(?P<name>\d{3,5})\b", re.M | re.I
)
_SET_CHARSET = Pattern(r'^[^\'\r\n]{0,200}?\bResponse\.Charset[ \t]*=[ \t]*"(?P<name>[\w.:-]+)"', re.M | re.I)
_COLDFUSION = Pattern(
    r"""<cfprocessingdirective\b[^>]{0,200}?\bpageencoding\s*=\s*["']?(?P<name>[\w.:-]+)""", re.IGNORECASE
)
#: Only of pages: a table that is sent may be encoded by the program.
_PHP = Pattern(
    r"""^(?![ \t]*(?://|\#|\*))[^\r\n]{0,200}?\bheader[ \t]*\([ \t]*["']Content-Type:[ \t]*"""
    r"""(?:text/html|text/plain|text/xml|application/(?:xhtml\+)?xml)[ \t]*;[ \t]*charset="""
    r"""(?:["'][ \t]*\.[ \t]*["'])?(?P<name>[\w.:-]+)""",
    re.M | re.I,
)
_PHP_SETTING = Pattern(
    r"""^(?![ \t]*(?://|\#|\*))[^\r\n]{0,200}?\b(?:declare\(encoding[ \t]*=|"""
    r"""ini_set[ \t]*\([ \t]*["']default_charset["'][ \t]*,|mb_internal_encoding[ \t]*\()"""
    r"""[ \t]*["'](?P<name>[\w.:-]+)["']""",
    re.M | re.I,
)
#: Words of such settings, in lower case.
PHP_SETTINGS = ("declare(encoding", "default_charset", "mb_internal_encoding")
_POD = Pattern(r"=encoding[ \t]+(?P<name>[\w.:-]+)")
_HERE = Pattern(r"""<<~?(["']?)(?P<name>[A-Za-z_]\w*)\1""")
PASCAL = Pattern(r"\{\$codepage[ \t]+(?P<name>[\w-]+)[ \t]*\}", re.IGNORECASE)
PROLOG = Pattern(r"^:-[ \t]*encoding\([ \t]*(?P<name>\w+)[ \t]*\)[ \t]*\.", re.MULTILINE)
_GNUPLOT_OPENS = Pattern(r"\s*(?:#|(?:set|unset|reset|plot|splot|load)\b)")
_GNUPLOT = Pattern(r"^[ \t]*set[ \t]+encoding[ \t]+(?P<name>\w+)[ \t]*(?:[;#].*)?\r?$", re.MULTILINE)
#: The word list of a user, or the list of replacements.
ASPELL = Pattern(r"personal_(?:ws|repl)-1\.\d [\w-]+ \d+ (?P<name>[\w-]+)")
ASCIIDOC = Pattern(r"^:encoding:[ \t]+(?P<name>[\w.:-]+)[ \t]*\r?$", re.MULTILINE)
DOXYGEN = Pattern(r"^[ \t]*DOXYFILE_ENCODING[ \t]*=[ \t]*(?P<name>[\w.:-]+)", re.MULTILINE)
CONTEXT = Pattern(r"^[^%\r\n]{0,200}?\\enableregime[ \t]*\[[ \t]*(?P<name>[\w-]+)", re.MULTILINE)
#: Of R; in a comment for LaTeX.
VIGNETTE = Pattern(r"^[ \t]*%[ \t]*\\VignetteEncoding\{[ \t]*(?P<name>[\w.-]+)", re.MULTILINE)
TXT2TAGS = Pattern(r"^%!encoding[ \t]*:[ \t]*(?P<name>[\w.:-]+)", re.M | re.I)
PLAYLIST = Pattern(r"^#EXTENC:[ \t]*(?P<name>[\w.:-]+)", re.MULTILINE)
#: Only names that MySQL and PostgreSQL do not have.
_FIREBIRD = Pattern(
    r"^[ \t]*SET[ \t]+NAMES[ \t]+['\"]?(?P<name>(?:ISO8859_|DOS)\d+|UNICODE_FSS|SJIS_0208|EUCJ_0208|KSC_5601|BIG_5"
    r"|GB_2312)\b",
    re.M | re.I,
)
_AFFIXES = Pattern(r"^SET[ \t]+(?P<name>[\w-]+)[ \t]*\r?$", re.MULTILINE)
_AFFIX_RULE = Pattern(
    r"^(?:TRY|[SP]FX|FLAG|REP|MAP|KEY|WORDCHARS|COMPOUND\w+|NOSUGGEST|MAXNGRAMSUGS)[ \t]", re.MULTILINE
)
_GENEALOGY_OPENS = Pattern(r"[ \t]*0 HEAD\b")
_GENEALOGY = Pattern(r"[\r\n][ \t]*1 CHAR[ \t]+(?P<name>[^\r\n]{0,40}[^\s])")
_DRAWING = Pattern(r"\$DWGCODEPAGE\s+3\s+(?:ANSI_|DOS)(?P<name>\d{3,5})\b", re.IGNORECASE)
_DRAWING_VERSION = Pattern(r"\$ACADVER\s+1\s+AC(?P<name>\d{4})\b")
#: The first version of DXF that is UTF-8, of AutoCAD 2007.
_UTF8_DRAWING = 1021
_TCL = Pattern(r"^[ \t]*encoding[ \t]+system[ \t]+(?P<name>[\w-]+)", re.MULTILINE)
_SQL_OPENS = Pattern(r"\s*(?:--|/\*|(?:SET|CREATE|INSERT|DROP|USE|BEGIN|SELECT|ALTER|START|DELETE)\b)", re.I)
_INTRODUCER = Pattern(r"""(?<![\w'"`])_(?P<name>[a-z]+\d\w{0,6})[ \t]*'(?P<value>(?:[^'\\]|\\.|'')*)'""", re.I)

in_coldfusion = anywhere(_COLDFUSION, _PAGE_OPENS)
in_firebird = anywhere(_FIREBIRD, _SQL_OPENS, None)


def in_server_tag(text: str) -> Iterator[Found]:
    """Yield the code pages in a page of ASP, or of ASP.NET."""
    if not _PAGE_OPENS.match(text):
        return
    for tag in _SERVER_TAG.finditer(text, 0, HEAD):
        yield from map(found, _CODE_PAGE.finditer(text, tag.start(), tag.end()))
    if "<%" in text and not text.isascii():
        yield from map(found, _SET_CODE_PAGE.finditer(text))


def in_server_charset(text: str) -> Iterator[Found]:
    """Yield the names of the encoding that a page of ASP, or of ASP.NET, is sent in."""
    if _PAGE_OPENS.match(text) and "<%" in text and not text.isascii():
        for tag in _SERVER_TAG.finditer(text, 0, HEAD):
            yield from map(found, _OUTPUT_NAME.finditer(text, tag.start(), tag.end()))
        yield from map(found, _SET_CHARSET.finditer(text))


def in_php(text: str) -> Iterator[Found]:
    """Yield the charsets that a program with non-ASCII text sends for its pages."""
    if _PAGE_OPENS.match(text) and "<?" in text and not text.isascii():
        yield from map(found, _PHP.finditer(text))


def in_php_setting(text: str) -> Iterator[Found]:
    """Yield the encodings that a program with non-ASCII text declares for itself, or sets for its pages."""
    if _PAGE_OPENS.match(text) and "<?" in text and not text.isascii():
        yield from map(found, _PHP_SETTING.finditer(text))


def in_pod(text: str) -> Iterator[Found]:
    """Yield the encodings of documentation in POD; in a here-document of a program it is an example."""
    lines = text.split("\n")
    last = {line.strip(): number for number, line in enumerate(lines)}
    start, closing = 0, ""
    for number, line in enumerate(lines):
        if closing:
            closing = "" if line.strip() == closing else closing
        elif match := _POD.match(text, start, start + len(line)):
            yield found(match)
        elif (here := _HERE.search(line)) and last.get(here["name"], 0) > number:
            closing = here["name"]
        start += len(line) + 1


def in_gnuplot(text: str) -> Iterator[Found]:
    """Yield the encodings that a script of gnuplot sets for its labels."""
    if _GNUPLOT_OPENS.match(text, 1 if text.startswith("\ufeff") else 0) and not text.isascii():
        yield from map(found, _GNUPLOT.finditer(text))


def in_affixes(text: str) -> Iterator[Found]:
    """Yield the encoding of the affixes of a spelling dictionary."""
    match = _AFFIXES.search(text, 0, HEAD)
    if match and _AFFIX_RULE.search(text):
        yield found(match)


def in_genealogy(text: str) -> Iterator[Found]:
    """Yield the encoding in the header of a GEDCOM file."""
    if not _GENEALOGY_OPENS.match(text, 1 if text.startswith("\ufeff") else 0):
        return
    match = _GENEALOGY.search(text, 0, HEAD)
    if match and match["name"].upper() != "ANSEL":
        yield found(match)
    elif match and not text.isascii():
        yield found(match)._replace(refusal="charlens cannot read that; convert it with a program for genealogy")


def in_drawing(text: str) -> Iterator[Found]:
    """Yield the code page of a drawing in DXF with non-ASCII text."""
    version = _DRAWING_VERSION.search(text, 0, HEAD)
    if version and int(version["name"]) < _UTF8_DRAWING and not text.isascii():
        for match in _DRAWING.finditer(text, 0, HEAD):
            yield found(match)._replace(
                refusal="this version of DXF has only code pages; save the drawing as DXF 2007 instead"
            )


def in_tcl(text: str) -> Iterator[Found]:
    """Yield the encoding that a program in Tcl with non-ASCII text sets."""
    if not text.isascii():
        for match in _TCL.finditer(text):
            yield found(match)._replace(
                refusal="it also sets the encoding of input and output; remove that line first"
            )


def in_introducers(text: str) -> Iterator[Found]:
    """Yield the charset of each string of MySQL that has its own and is not ASCII: _cp1251'…'."""
    if not _SQL_OPENS.match(text, 1 if text.startswith("\ufeff") else 0):
        return
    for match in _INTRODUCER.finditer(text):
        if not match["value"].isascii():
            yield found(match)
