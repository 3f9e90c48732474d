"""The names of encodings in LaTeX, SQL and Windows resources.

`read_name` goes from a name to the encoding, `name_for` the other way.  The names of the web, of IANA and of
Python come from `charlens.encodings`.
"""

from __future__ import annotations

from typing import Literal

from charlens.encodings import canonical, lookup, web_codec, web_lookup

Vocabulary = Literal["web", "iana", "python", "latex", "sql", "code page"]

#: https://ctan.org/pkg/inputenc
_LATEX = {
    "utf8": "utf-8",
    "utf8x": "utf-8",
    "latin1": "iso8859-1",
    "latin2": "iso8859-2",
    "latin3": "iso8859-3",
    "latin4": "iso8859-4",
    "latin5": "iso8859-9",
    "latin9": "iso8859-15",
    "latin10": "iso8859-16",
    "ansinew": "cp1252",
    "cp1252": "cp1252",
    "cp1250": "cp1250",
    "cp1251": "cp1251",
    "cp1257": "cp1257",
    "cp437": "cp437",
    "cp850": "cp850",
    "cp852": "cp852",
    "cp858": "cp858",
    "cp865": "cp865",
    "cp866": "cp866",
    "applemac": "mac-roman",
    "koi8-r": "koi8-r",
    "koi8-u": "koi8-u",
    "iso88595": "iso8859-5",
    "ascii": "ascii",
}
#: MySQL's names (its latin1 is windows-1252), then those of PostgreSQL.
_SQL = {
    "utf8mb4": "utf-8",
    "utf8mb3": "utf-8",
    "utf8": "utf-8",
    "latin1": "cp1252",
    "latin2": "iso8859-2",
    "latin5": "iso8859-9",
    "latin7": "iso8859-13",
    "greek": "iso8859-7",
    "hebrew": "iso8859-8",
    "cp1250": "cp1250",
    "cp1251": "cp1251",
    "cp1256": "cp1256",
    "cp1257": "cp1257",
    "cp850": "cp850",
    "cp852": "cp852",
    "cp866": "cp866",
    "koi8r": "koi8-r",
    "koi8u": "koi8-u",
    "macroman": "mac-roman",
    "big5": "big5",
    "gbk": "gbk",
    "gb2312": "gb2312",
    "gb18030": "gb18030",
    "sjis": "shift_jis",
    "cp932": "cp932",
    "ujis": "euc_jp",
    "eucjpms": "euc_jp",
    "euckr": "euc_kr",
    "tis620": "tis-620",
    "win1250": "cp1250",
    "win1251": "cp1251",
    "win1252": "cp1252",
    "euc_jp": "euc_jp",
    "euc_kr": "euc_kr",
}
#: Windows uses numbers; those that are not the number of the code page are here.
_CODE_PAGES = {
    "65001": "utf-8",
    "20866": "koi8-r",
    "21866": "koi8-u",
    "20127": "ascii",
    "54936": "gb18030",
    "936": "gbk",
    "949": "cp949",
    "950": "big5",
    "51932": "euc_jp",
    "1200": "utf-16-le",
    "1201": "utf-16-be",
    **{str(28590 + number): f"iso8859-{number}" for number in (1, 2, 3, 4, 5, 6, 7, 8, 9, 13, 15)},
}
_OWN = {"latex": _LATEX, "sql": _SQL, "code page": _CODE_PAGES}


def read_name(names: Vocabulary, label: str) -> str | None:
    """Return the encoding that *label* means in a format with the names *names*, or ``None``."""
    if names == "code page":
        label = label.lstrip("0")
        found = lookup(_CODE_PAGES.get(label, f"cp{label}"))
        return found.name if found else None
    if names in _OWN:
        known = _OWN[names].get(label.lower())
        return canonical(known) if known else None
    if names == "web":
        # In a page of ASCII bytes, UTF-16 means UTF-8; this text was decoded, so the label is meant literally.
        found_web = web_codec(web_lookup(label) or "")
        if found_web is not None:
            return found_web
    known_label = lookup(label)
    return known_label.name if known_label else None


def name_for(names: Vocabulary, encoding: str, like: str) -> str | None:
    """Return the name of *encoding* in *names*, in the case of *like*; ``None`` if there is none."""
    if names == "code page":
        own = next((number for number, name in _CODE_PAGES.items() if canonical(name) == encoding), None)
        return own or (encoding[2:] if encoding.startswith("cp") and encoding[2:].isdigit() else None)
    if names in _OWN:
        table = _OWN[names]
        name = next((each for each, means in table.items() if canonical(means) == encoding), None)
        if names == "sql" and like.isupper() and encoding == "utf-8":
            name = "utf8"  # PostgreSQL, which is written in capitals, has no utf8mb4
    elif names == "python":
        name = encoding
    elif encoding.startswith(("utf-16", "utf-32")):
        name = encoding[:6]
    else:
        known = lookup(encoding)
        web, registered = (known.web, known.iana) if known else (None, None)
        name = (web or registered if names == "web" else registered or web) or encoding
    if name is None:
        return None
    return name.upper() if like.isupper() else name.lower() if like.islower() else name
