"""The names of encodings in LaTeX, SQL, Emacs, Windows, R, spelling dictionaries and genealogies.

`read_name` goes from a name to the encoding, `name_for` the other way.  The names of the web, of IANA and of
Python come from `charlens.encodings`.
"""

from __future__ import annotations

from typing import Literal

from charlens.encodings import canonical, lookup, web_codec, web_lookup

Vocabulary = Literal[
    "web",
    "iana",
    "python",
    "emacs",
    "latex",
    "texshop",
    "mysql",
    "postgresql",
    "desktop",
    "code page",
    "hunspell",
    "gedcom",
    "r",
    "firebird",
    "pascal",
    "prolog",
    "gnuplot",
]

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
#: The names of TeXShop; TeXworks knows most of them, and also the usual ones.
_TEXSHOP = {
    "UTF-8 Unicode": "utf-8",
    "Standard Unicode": "utf-16",
    "IsoLatin": "iso8859-1",
    "IsoLatin2": "iso8859-2",
    "IsoLatin5": "iso8859-9",
    "IsoLatin9": "iso8859-15",
    "MacOSRoman": "mac-roman",
    "Mac Cyrillic": "mac-cyrillic",
    "Windows Cyrillic": "cp1251",
    "DOS Cyrillic": "cp855",
    "DOS Russian": "cp866",
    "KOI8_R": "koi8-r",
    "DOSJapanese": "cp932",
    "SJIS_X0213": "shift_jisx0213",
    "EUC_JP": "euc_jp",
    "JISJapanese": "iso2022_jp",
    "DOS Chinese Traditional": "cp950",
    "DOS Chinese Simplified": "gbk",
    "GBK": "gbk",
    "GB 2312": "gb2312",
    "GB 18030": "gb18030",
    "MacJapanese": "shift_jis",
    "MacKorean": "euc_kr",
    "Mac Chinese Traditional": "big5",
    "Mac Chinese Simplified": "gb2312",
}
#: TeXworks takes these to be ISO 8859-5 and ISO 8859-9; they are read, but not written.
_TEXSHOP_DOUBTFUL = ("IsoLatin5", "IsoLatin9")
#: hunspell(5)
_HUNSPELL = {
    "UTF-8": "utf-8",
    **{f"ISO8859-{number}": f"iso8859-{number}" for number in (*range(1, 11), 13, 14, 15)},
    "KOI8-R": "koi8-r",
    "KOI8-U": "koi8-u",
    **{f"microsoft-cp{number}": f"cp{number}" for number in range(1250, 1259)},
    "TIS620-2533": "tis-620",
}
#: GEDCOM 5.5; ANSI is what Windows has in Western Europe, or elsewhere.
_GEDCOM = {
    "UTF-8": "utf-8",
    "ASCII": "ascii",
    "ANSI": "cp1252",
    "UNICODE": "utf-16",
    "IBMPC": "cp437",
    "MACINTOSH": "mac-roman",
}
#: No codec has it.
_ANSEL = "ansel"
#: Writing R Extensions; files of documentation may have other names, too.
_R = {"UTF-8": "utf-8", "latin1": "iso8859-1", "latin2": "iso8859-2"}
#: MySQL's names; its latin1 is windows-1252.
_MYSQL = {
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
}
#: The ends of the names of collations that UTF-8 has, too.
MYSQL_COLLATIONS = ("_general_ci", "_bin")
#: https://www.postgresql.org/docs/current/multibyte.html, and the old names that it still takes.
_POSTGRESQL = {
    "utf8": "utf-8",
    "unicode": "utf-8",
    **{f"win{number}": f"cp{number}" for number in (866, 874, *range(1250, 1259))},
    "alt": "cp866",
    "win": "cp1251",
    "koi8r": "koi8-r",
    "koi8": "koi8-r",
    "koi8u": "koi8-u",
    **{f"latin{number}": f"iso8859-{number}" for number in range(1, 5)},
    **{
        f"latin{number}": f"iso8859-{part}"
        for number, part in zip(range(5, 11), (9, 10, 13, 14, 15, 16), strict=True)
    },
    **{f"iso_8859_{number}": f"iso8859-{number}" for number in range(5, 9)},
    "big5": "big5",
    "gbk": "gbk",
    "gb18030": "gb18030",
    "euc_cn": "gb2312",
    "euc_jp": "euc_jp",
    "euc_jis_2004": "euc_jis_2004",
    "euc_kr": "euc_kr",
    "euc_tw": "euc_tw",
    "sjis": "cp932",
    "shift_jis_2004": "shift_jis_2004",
    "uhc": "cp949",
    "johab": "johab",
}
#: https://firebirdsql.org/file/documentation/chunk/en/refdocs/fblangref50/fblangref50-appx06-charsets.html
_FIREBIRD = {
    "UTF8": "utf-8",
    "UNICODE_FSS": "utf-8",
    **{f"ISO8859_{number}": f"iso8859-{number}" for number in (*range(1, 10), 13)},
    **{f"WIN{number}": f"cp{number}" for number in range(1250, 1259)},
    **{f"DOS{number}": f"cp{number}" for number in (437, 737, 775, 850, 852, 857, 858, *range(860, 867), 869)},
    "KOI8R": "koi8-r",
    "KOI8U": "koi8-u",
    "SJIS_0208": "shift_jis",
    "EUCJ_0208": "euc_jp",
    "KSC_5601": "euc_kr",
    "BIG_5": "big5",
    "GB_2312": "gb2312",
    "GBK": "gbk",
    "GB18030": "gb18030",
    "TIS620": "tis-620",
}
#: https://www.freepascal.org/docs-html/prog/progsu87.html, without the dialects of DOS.
_PASCAL = {
    "utf8": "utf-8",
    "utf-8": "utf-8",
    **{f"cp{number}": f"cp{number}" for number in (437, 850, 852, 855, 858, 866, 874, *range(1250, 1259))},
    "8859-1": "iso8859-1",
    "iso88591": "iso8859-1",
    "8859-2": "iso8859-2",
    "8859-5": "iso8859-5",
    "koi8": "koi8-r",
    "koi8r": "koi8-r",
    "koi8u": "koi8-u",
}
#: SWI-Prolog
_PROLOG = {
    "utf8": "utf-8",
    "iso_latin_1": "iso8859-1",
    "ascii": "ascii",
    "unicode_le": "utf-16-le",
    "unicode_be": "utf-16-be",
    "utf16le": "utf-16-le",
    "utf16be": "utf-16-be",
}
#: help set encoding, gnuplot 6
_GNUPLOT = {
    "utf8": "utf-8",
    **{f"iso_8859_{number}": f"iso8859-{number}" for number in (1, 2, 9, 15)},
    "koi8r": "koi8-r",
    "koi8u": "koi8-u",
    **{f"cp{number}": f"cp{number}" for number in (437, 850, 852, 950, 1250, 1251, 1252, 1254)},
    "sjis": "shift_jis",
}
#: What Emacs calls encodings, besides the usual names.
_EMACS = {
    **{f"iso-latin-{number}": f"iso8859-{number}" for number in range(1, 5)},
    **{
        f"{kind}latin-{number}": f"iso8859-{part}"
        for number, part in ((5, 9), (6, 10), (7, 13), (8, 14), (9, 15), (10, 16))
        for kind in ("iso-", "")
    },
    "latin-0": "iso8859-15",
    "cyrillic-iso-8bit": "iso8859-5",
    "greek-iso-8bit": "iso8859-7",
    "hebrew-iso-8bit": "iso8859-8",
    "cyrillic-koi8": "koi8-r",
    "cp878": "koi8-r",
    "cyrillic-alternativnyj": "cp866",
    "alternativnyj": "cp866",
    "euc-japan": "euc_jp",
    "euc-japan-1990": "euc_jp",
    "japanese-iso-8bit": "euc_jp",
    "japanese-shift-jis": "shift_jis",
    "japanese-shift-jis-2004": "shift_jis_2004",
    "japanese-cp932": "cp932",
    "junet": "iso2022_jp",
    "chinese-gbk": "gbk",
    "chinese-gb18030": "gb18030",
    "chinese-hz": "hz",
    "chinese-iso-8bit": "gb2312",
    "cn-gb": "gb2312",
    "cn-gb-2312": "gb2312",
    "euc-china": "gb2312",
    "chinese-big5": "big5",
    "chinese-big5-hkscs": "big5hkscs",
    "cn-big5-hkscs": "big5hkscs",
    "euc-taiwan": "euc_tw",
    "euc-korea": "euc_kr",
    "korean-iso-8bit": "euc_kr",
    "korean-iso-7bit-lock": "iso2022_kr",
    "korean-cp949": "cp949",
    "thai-tis620": "tis-620",
    "th-tis620": "tis-620",
    "vietnamese-viscii": "viscii",
    "iso-safe": "ascii",
    "mule-utf-8": "utf-8",
    "utf-8-auto": "utf-8",
    "utf-8-emacs": "utf-8",
    "utf-8-with-signature": "utf-8",
    "prefer-utf-8": "utf-8",
}
#: Encodings that Emacs has no name for (Emacs 28).
_NOT_IN_EMACS = (  # noqa: SIM905
    "mac-arabic mac-croatian mac-cyrillic mac-farsi mac-greek mac-iceland mac-latin2 mac-romanian mac-turkish "
    "cp037 cp424 cp500 cp720 cp856 cp864 cp875 cp1006 cp1026 cp1140 iso2022_jp_1 iso2022_jp_ext johab kz1048 "
    "ptcp154 shift_jis_2004 shift_jisx0213 utf-32-be utf-32-le"
).split()
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
#: Names whose case counts.
_EXACT = {"texshop": _TEXSHOP, "hunspell": _HUNSPELL, "gedcom": _GEDCOM, "r": _R, "firebird": _FIREBIRD}
_OWN = {
    "latex": _LATEX,
    "mysql": _MYSQL,
    "postgresql": _POSTGRESQL,
    "pascal": _PASCAL,
    "prolog": _PROLOG,
    "gnuplot": _GNUPLOT,
}
#: An old desktop entry in which each line is in the encoding of its language.
_LEGACY_MIXED = "legacy-mixed"


def read_name(names: Vocabulary, label: str) -> str | None:
    """Return the encoding that *label* means in a format with the names *names*, or ``None``."""
    if names == "code page":
        label = label.lstrip("0")
        found = lookup(_CODE_PAGES.get(label, f"cp{label}"))
        return found.name if found else None
    lower = label.lower()
    if names in _OWN:
        # A collation begins with the name of its charset.
        known = _OWN[names].get(lower) or (_MYSQL.get(lower.partition("_")[0]) if names == "mysql" else None)
        # Packages add names to those of LaTeX, such as iso-8859-7; 'greek' is a language there.
        if known or names != "latex" or lower.isalpha():
            return canonical(known) if known else None
    if names == "desktop" and lower == _LEGACY_MIXED:
        return _LEGACY_MIXED
    if names == "web":
        # In a page of ASCII bytes, UTF-16 means UTF-8; this text was decoded, so the label is meant literally.
        found_web = web_codec(web_lookup(label) or "")
        if found_web is not None:
            return found_web
    if names in ("python", "emacs"):
        label = _EMACS.get(lower, label)
    if names == "gedcom" and lower == _ANSEL:
        return _ANSEL
    if names in _EXACT:
        label = next((means for name, means in _EXACT[names].items() if name.lower() == lower), label)
    known_label = lookup(label)
    return known_label.name if known_label else None


def name_for(names: Vocabulary, encoding: str, like: str) -> str | None:
    """Return the name of *encoding* in *names*, in the case of *like*; ``None`` if there is none."""
    if names == "code page":
        own = _first(_CODE_PAGES, encoding)
        return own or (encoding[2:] if encoding.startswith("cp") and encoding[2:].isdigit() else None)
    if names in _EXACT:
        own = _first(_EXACT[names], encoding)
        return None if own in _TEXSHOP_DOUBTFUL else own
    name: str | None
    if names == "mysql":
        name = _mysql_name(encoding, like)
    elif names in _OWN:
        name = _first(_OWN[names], encoding)
    elif names == "python":
        name = _editor_name(encoding)
    elif names == "emacs":
        name = None if encoding in _NOT_IN_EMACS else _editor_name(encoding)
    elif encoding.startswith(("utf-16", "utf-32")):
        name = encoding[:6]
    else:
        known = lookup(encoding)
        web, registered = (known.web, known.iana) if known else (None, None)
        if names != "web" and read_name(names, web or "") != encoding:
            web = None  # 'EUC-KR' is cp949 in pages only
        name = (web or registered if names == "web" else registered or web) or encoding
    if name is None:
        return None
    return name.upper() if like.isupper() else name.lower() if like.islower() else name


def _first(table: dict[str, str], encoding: str) -> str | None:
    return next((name for name, means in table.items() if canonical(means) == encoding), None)


def _mysql_name(encoding: str, like: str) -> str | None:
    """Return the name of *encoding*, or if *like* is a collation, the same one of *encoding*."""
    # PostgreSQL, which is written in capitals and has SET NAMES, too, has no utf8mb4.
    name = "utf8" if like.isupper() and encoding == "utf-8" else _first(_MYSQL, encoding)
    if name is None or like.lower() in _MYSQL:
        return name
    collation = like[like.index("_") :]
    # Not every charset has the general collation.
    fits = MYSQL_COLLATIONS if encoding == "utf-8" else MYSQL_COLLATIONS[1:]
    return name + collation.lower() if collation.lower() in fits else None


def _editor_name(encoding: str) -> str:
    """Return a name that Python, Emacs and Vim know: iso-8859-5, where Python also has iso8859-5."""
    if encoding.startswith("shift_jis"):
        return encoding
    name = f"iso-{encoding[3:]}" if encoding.startswith("iso") else encoding
    return "big5-hkscs" if name == "big5hkscs" else name.replace("_", "-")
