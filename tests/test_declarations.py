"""Declarations: where they are found, what each label means, and their effect under each policy."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import html5lib_cases
import pytest

import charlens
from charlens.encodings import all_encodings, has_ascii, web_lookup
from charlens.files.declarations import Declaration, _agrees, find_declared
from charlens.stages.declarations import find_declarations
from charlens.stages.declarations.sources import BY_NAME, SOURCES
from charlens.stages.declarations.vocabularies import name_for

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

HERE = Path(__file__).parent
CASES = tomllib.loads((HERE / "cases" / "pages" / "prescan.toml").read_text(encoding="utf-8"))["case"]
RUSSIAN = (HERE / "prose" / "ru.txt").read_text(encoding="utf-8")[:500]


def page_of(case: dict[str, Any]) -> bytes:
    page = bytes.fromhex(case["hex"]) if "hex" in case else case["page"].encode()
    return b"<!--" + b"x" * (case["pad"] - 7) + b"-->" + page if "pad" in case else page


def declared(page: bytes, **keywords: Any) -> str:
    """The WHATWG name of what a page declares, or ''."""
    found = find_declarations(page, **keywords)
    return (found.charsets[0].web or "") if found and found.charsets else ""


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.get("page", case.get("hex"))[:50] or "empty")
def test_the_prescan_is_that_of_the_standard(case: dict[str, Any]) -> None:
    """Each page declares, in its first 1,024 bytes, what the standard's prescan finds there, and no more."""
    page = page_of(case)
    assert declared(page) == case["expect"]
    if "late" in case:
        assert declared(page, late=True) == case["late"]
        assert declared(page, prescan_bytes=20_000) != ""


def test_the_cases_of_html5lib() -> None:
    """Every case of html5lib-tests has its encoding under 'obey', with windows-1252 where nothing is declared."""
    folder = html5lib_cases.folder()
    if folder is None:
        pytest.skip("html5lib-tests' encoding cases are not here; CHARLENS_HTML5LIB names their folder")
    count = 0
    for path in sorted(folder.glob("*.dat")):
        for page, label in html5lib_cases.cases(path):
            verdict = charlens.detect(page, declared="obey")
            says = verdict.bom or declared(page, late=True)
            assert (verdict.web_name if says else "windows-1252") == web_lookup(label), page
            count += 1
    assert count > 50


OTHERS = {
    "css": (b'@charset "koi8-r";\np {}', "KOI8-R"),
    "css, not to the letter": (b"@charset 'koi8-r';", ""),
    "css, not first": (b' @charset "koi8-r";', ""),
    "python": (b"#!/usr/bin/python\n# -*- coding: koi8-r -*-\n", "KOI8-R"),
    "python, first line": (b"# vim: set fileencoding=koi8-r :\n", "KOI8-R"),
    "python, third line": (b"#\n#\n# coding: koi8-r\n", ""),
    "python, behind code": (b"import os\n# coding: koi8-r\n", ""),
    "mail": (b'From: a@b\nSubject: c\nContent-Type: text/plain;\n\tcharset="koi8-r"\n\nhello', "KOI8-R"),
    "mail, in the body": (b"From: a@b\n\nContent-Type: text/plain; charset=koi8-r\n", ""),
    "xml": (b"\xef\xbb\xbf<?xml encoding='koi8-r'?>", "KOI8-R"),
}


@pytest.mark.parametrize(("data", "expected"), OTHERS.values(), ids=OTHERS)
def test_other_declarations(data: bytes, expected: str) -> None:
    """CSS, Python and mail declare a charset in one place each, and nowhere else."""
    assert declared(data) == expected


def test_a_label_that_the_web_does_not_know_counts_in_xml() -> None:
    """IBM850 is no label of the web, but no less said."""
    found = find_declarations(b"<?xml version='1.0' encoding='IBM850'?>")
    assert found and found.charsets[0].encoding == "cp850"


def test_the_header_comes_first() -> None:
    """HTTP comes before the page; a header without a known charset has no effect."""
    page = b"<meta charset=big5>"
    assert declared(page, content_type='text/html; charset="koi8-r"') == "KOI8-R"
    assert declared(page, content_type="text/html") == "Big5"
    assert declared(page, content_type="text/html; charset=nonsense") == "Big5"


@pytest.mark.parametrize(
    ("page", "languages"),
    [
        (b'<html lang="de-AT">', ("de-at",)),
        (b"<html xml:lang='sr-Cyrl'>", ("sr-cyrl",)),
        (b'<meta http-equiv="Content-Language" content="ru">', ("ru",)),
        (b'<a hreflang="ru">', ()),
        (b"lang=ru <p>", ()),
    ],
)
def test_languages(page: bytes, languages: tuple[str, ...]) -> None:
    """A language is declared by an attribute of a tag, and by nothing that only looks like one."""
    found = find_declarations(page)
    assert (found.languages if found else ()) == languages


def russian(label: str, codec: str) -> bytes:
    return f"<html><head><meta charset={label}></head><body><p>{RUSSIAN}</p></body></html>".encode(
        codec, "ignore"
    )


def test_a_right_declaration_is_followed_by_all() -> None:
    """A true declaration is the answer under every policy; no step mentions a conflict."""
    for policy in ("verify", "obey", "ignore"):
        verdict = charlens.detect(russian("koi8-r", "koi8-r"), declared=policy)
        assert verdict.encoding == "koi8-r"
        assert not any("but" in step.words for step in verdict.steps)


@pytest.mark.parametrize("label", ["iso-8859-1", "windows-1256", "utf-8", "gb2312", "euc-jp"])
def test_a_wrong_declaration_loses_to_the_bytes(label: str) -> None:
    """Under 'verify' the bytes win, and a step says who was not believed; under 'obey' the declaration does."""
    page = russian(label, "cp1251")
    verdict = charlens.detect(page)
    assert verdict.encoding == "cp1251"
    assert repr(label) in next(step.words for step in verdict.steps if step.stage == "verdict")
    obeyed = charlens.detect(page, declared="obey")
    assert obeyed.web_name == web_lookup(label)
    assert charlens.detect(page, declared="ignore").encoding == "cp1251"


def test_valid_utf_8_beats_a_declaration() -> None:
    """A page in UTF-8 that declares windows-1251 is UTF-8 under 'verify', and what it declares under 'obey'."""
    page = russian("windows-1251", "utf-8")
    assert charlens.detect(page).encoding == "utf-8"
    assert "windows-1251" in next(s.words for s in charlens.detect(page).steps if s.stage == "verdict")
    obeyed = charlens.detect(page, declared="obey")
    assert obeyed.encoding == "cp1251"
    assert obeyed.damage  # Python's cp1251 has no 0x98, which is half of a letter in UTF-8


def test_a_mark_beats_a_declaration() -> None:
    """A byte order mark overrides every declaration, also under 'obey'."""
    page = b"\xef\xbb\xbf" + russian("windows-1251", "utf-8")
    verdict = charlens.detect(page, declared="obey", content_type="text/html; charset=koi8-r")
    assert (verdict.encoding, verdict.bom) == ("utf-8", b"\xef\xbb\xbf")


def test_a_declaration_tips_the_scales() -> None:
    """One byte that means something else in each encoding is read as declared."""
    page = "<meta charset={}><p>10 {} per person</p>"
    assert charlens.detect(page.format("iso-8859-15", "¤").encode("latin-1")).encoding == "iso8859-15"
    assert charlens.detect(page.format("windows-1252", "€").encode("cp1252")).encoding == "cp1252"


def test_a_page_in_utf_16_is_detected() -> None:
    """A UTF-16 page that declares utf-16 is no conflict; one that declares something else is one."""
    for label, conflicts in (("utf-16", False), ("koi8-r", True)):
        verdict = charlens.detect(russian(label, "utf-16-le"))
        assert verdict.encoding == "utf-16-le"
        assert any("but" in step.words for step in verdict.steps) is conflicts


@pytest.mark.parametrize(
    ("keyword", "value"), [("declared", "believe"), ("markup", "lexbor")], ids=["declared", "markup"]
)
def test_an_unknown_policy_is_an_error_that_helps(keyword: str, value: str) -> None:
    """A policy or a way that is none is refused, with those that there are."""
    with pytest.raises(ValueError, match=f"{keyword}= is '{value}'; use one of"):
        charlens.detect(b"x", **{keyword: value})


def test_hostile_heads_are_read_in_no_time() -> None:
    """A megabyte of each thing that could be read twice: there is an answer, and nothing is found."""
    pieces = (b"<meta ", b"<!--", b"<a b='", b"charset=", b"<meta charset ", b" lang", b"<?xml encoding")
    for piece in (*pieces, b"content-language"):
        page = piece * (1_000_000 // len(piece))
        assert declared(page, prescan_bytes=len(page), late=True) == ""


@pytest.mark.parametrize("mark", ["", "#", "%", ";", "--", "//", "'", '"', "*", "rem ", "<!-- ", "\\"])
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r", "\r\r\n"])
def test_a_long_comment_before_a_declaration_takes_no_time(mark: str, end: str) -> None:
    """A licence of a hundred lines in any kind of comment, with any line ending: each line is read in one way."""
    words = " ".join(word for source in SOURCES for word in source.mentions)
    charlens.detect(f"{mark} a line of the licence{end}".encode() * 100 + words.encode() + b" \xe9t\xe9")


def test_a_vcard_declares_line_by_line() -> None:
    """A line that is encoded in ASCII keeps its charset, whatever the file is in; a plain one declares its value."""
    card = (
        "BEGIN:VCARD\nN;CHARSET=ISO-8859-1:Müller\n"
        "NOTE;CHARSET=UTF-8;ENCODING=QUOTED-PRINTABLE:Gr=C3=BC é\nTEL;CHARSET=KOI8-R:12\nEND:VCARD\n"
    )
    assert [(found.kind, found.name) for found in find_declared(card)] == [("vcard", "ISO-8859-1")]


def test_a_page_gets_the_name_of_the_web_and_mail_the_registered_one() -> None:
    """The standards differ: windows-932 is Shift_JIS on the web, and Windows-31J in the register of IANA."""
    assert name_for("web", "cp932", "Big5") == "Shift_JIS"
    assert name_for("iana", "cp932", "Big5") == "Windows-31J"


def test_a_written_name_means_the_encoding_in_every_format() -> None:
    """Whatever name a format gives an encoding agrees with it when it is read: EUC-KR is windows-949 only in pages."""
    wrong = {}
    for kind, source in BY_NAME.items():
        for encoding in filter(lambda encoding: has_ascii(encoding.name), all_encodings()):
            name = source.label_for(encoding.name, "utf8")
            if name and not _agrees(Declaration(0, len(name), name, kind), encoding.name):
                wrong[kind, encoding.name] = name
    assert not wrong
