"""The table of declared-charset sources: every kind is read by detection and rewritten by conversion."""

# ruff: noqa: E501
from __future__ import annotations

import codecs
import email
import email.policy
import shutil
import subprocess
import time

import pytest

import charlens
from charlens.encodings import all_encodings, rank
from charlens.files.declarations import contradictions, find_declared, rewrite_declared
from charlens.files.plan import plan_bytes
from charlens.files.reading import Request
from charlens.stages.declarations import find_declarations
from charlens.stages.declarations.vocabularies import name_for, read_name

RUSSIAN = "Съешь ещё этих мягких французских булок, да выпей чаю."

#: Kind to the text, with the charset as {}, the name for KOI8-R and the name for UTF-8.
KINDS = {
    "gettext": ('msgid ""\nmsgstr ""\n"Content-Type: text/plain; charset={}\\n"\n\nmsgid "a"\nmsgstr "%s"\n', "KOI8-R", "UTF-8"),
    "latex": ("% x\n\\documentclass{{article}}\n\\usepackage[{}]{{inputenc}}\n%s\n", "koi8-r", "utf8"),
    "jsp": ('<%%@ page language="java" pageEncoding="{}" %%>\n<p>%s</p>\n', "KOI8-R", "UTF-8"),
    "jsp type": ('<%%@ page contentType="text/html; charset={}" %%>\n<p>%s</p>\n', "koi8-r", "utf-8"),
    "emacs": (";; -*- mode: lisp; coding: {}-unix -*-\n; %s\n", "koi8-r", "utf-8"),
    "vim": ("/* %s */\n/* vim: set ts=4 fileencoding={} : */\n", "koi8-r", "utf-8"),
    "vim at column 1": ("%s\nlast\nvim: set fileencoding={} :\n", "koi8-r", "utf-8"),
    "vim in the third line": ("a\nb\nvim:fenc={}:\n" + "x\n" * 9 + "%s\n", "koi8-r", "utf-8"),
    "kate": ("# %s\n# kate: tab-width 4; encoding {}; indent-mode python;\n", "KOI8-R", "UTF-8"),
    "emacs tail": ("; %s\n\n;; Local Variables:\n;; coding: {}\n;; End:\n", "koi8-r", "utf-8"),
    "python": ("#!/usr/bin/python\n# -*- coding: {} -*-\nx = '%s'\n", "koi8-r", "utf-8"),
    "vcard": ("BEGIN:VCARD\nVERSION:2.1\nFN;CHARSET={}:%s\nEND:VCARD\n", "KOI8-R", "UTF-8"),
    "sql": ("-- dump\nSET NAMES {};\nINSERT INTO t VALUES ('%s');\n", "koi8r", "utf8mb4"),
    "mysqldump": ("-- dump\n/*!40101 SET NAMES {} */;\nINSERT INTO t VALUES ('%s');\n", "koi8r", "utf8mb4"),
    "pg_dump": ("--\nSET client_encoding = '{}';\nINSERT INTO t VALUES ('%s');\n", "KOI8R", "UTF8"),
    "resource": ("#pragma code_page({})\nSTRINGTABLE BEGIN\n1 \"%s\"\nEND\n", "20866", "65001"),
    "mail": ("From: a@b.c\nSubject: x\nContent-Type: text/plain; charset={}\nContent-Transfer-Encoding: 8bit\n\n%s\n", "koi8-r", "utf-8"),
    "gettext in pieces": ('msgid ""\nmsgstr ""\n"Content-Type: text/plain; "\n"charset={}\\n"\n\nmsgid "a"\nmsgstr "%s"\n', "KOI8-R", "UTF-8"),
    "gettext in a word": ('msgid ""\nmsgstr "Content-Type: text/plain; char"\n"set={}\\n"\n\nmsgid "a"\nmsgstr "%s"\n', "KOI8-R", "UTF-8"),
    "RequirePackage": ("\\RequirePackage\n  [{}]\n  {{inputenc}}\n%s\n", "koi8-r", "utf8"),
    "last option": ("\\documentclass{{a}}\n\\usepackage[utf8, {}]{{inputenx}}\n%s\n", "koi8-r", "utf8"),
    "options with a comment": ("\\documentclass{{a}}\n\\usepackage%%%% x\n[%%%% y\n  {} %%%% z\n]{{inputenc,babel}}\n%s\n", "koi8-r", "utf8"),
    "option of the class": ("\\documentclass[greek,{}]{{a}}\n\\usepackage{{inputenc}}\n%s\n", "koi8-r", "utf8"),
    "passed option": ("\\PassOptionsToPackage{{{}}}{{inputenc}}\n%s\n", "koi8-r", "utf8"),
    "TeX comment": ("% !TEX program = pdflatex\n% !TEX encoding = {}\n%s\n", "KOI8_R", "UTF-8 Unicode"),
    "JabRef": ("%% Encoding: {}\n\n@book{{a, title = {{%s}}}}\n", "koi8-r", "utf-8"),
    "old JabRef": ("This file was created with JabRef 2.1.\nEncoding: {}\n\n@book{{a, title = {{%s}}}}\n", "KOI8_R", "UTF-8"),
    "set character set": ("-- dump\nSET CHARACTER SET {};\nINSERT INTO t VALUES ('%s');\n", "koi8r", "utf8mb4"),
    "client": ("-- dump\n/*!40101 SET character_set_client = {} */;\nINSERT INTO t VALUES ('%s');\n", "koi8r", "utf8mb4"),
    "psql": ("\\encoding {}\nINSERT INTO t VALUES ('%s');\n", "KOI8", "UTF8"),
    "PostgreSQL": ("--\nSET client_encoding TO '{}';\nINSERT INTO t VALUES ('%s');\n", "koi8", "utf8"),
    "PostgreSQL names": ("--\nSET NAMES '{}';\nINSERT INTO t VALUES ('%s');\n", "KOI8", "UTF8"),
    "set_config": ("SELECT pg_catalog.set_config('client_encoding', '{}', false);\nINSERT INTO t VALUES ('%s');\n", "KOI8R", "UTF8"),
    "chcp behind a command": ("@echo off & chcp {}\necho %s\n", "20866", "65001"),
    "emacs name": (";; -*- coding: {}-dos; -*-\n; %s\n", "cyrillic-koi8", "utf-8"),
    "emacs name in a script": ("#!/bin/sh\n# -*- coding: {}-unix -*-\n# %s\n", "koi8-r", "utf-8"),
    "quoted vCard": ("BEGIN:VCARD\nVERSION:2.1\nFN;CHARSET=\"{}\":%s\nEND:VCARD\n", "KOI8-R", "UTF-8"),
    "folded vCard": ("BEGIN:VCARD\r\nVERSION:2.1\r\nFN;LANGUAGE=ru;\r\n CHARSET={}:%s\r\nEND:VCARD\r\n", "KOI8-R", "UTF-8"),
    "vCalendar": ("BEGIN:VCALENDAR\nVERSION:1.0\nBEGIN:VEVENT\nSUMMARY;CHARSET={}:%s\nEND:VEVENT\nEND:VCALENDAR\n", "koi8-r", "utf-8"),
    "desktop": ("# x\n[Desktop Entry]\nEncoding={}\nName=%s\n", "KOI8-R", "UTF-8"),
    "POD": ("=encoding {}\n\n=head1 NAME\n\n%s\n", "koi8-r", "utf-8"),
    "Vim script": ('" Vim keymap\n\nscriptencoding {}\nlet b:keymap_name = "%s"\n', "koi8-r", "utf-8"),
    "batch": ("@echo off\nchcp {} >nul\necho %s\n", "20866", "65001"),
    "mail, RFC 2231": ("From: a@b.c\nContent-Type: text/plain;\n charset*=us-ascii'en'{}\n\n%s\n", "koi8-r", "utf-8"),
    "luainputenc": ("\\documentclass{{a}}\n\\usepackage[{}]{{luainputenc}}\n%s\n", "koi8-r", "utf8"),
    "listings": ("\\documentclass{{a}}\n\\lstset{{basicstyle={{\\small}}, inputencoding={}}}\n%s\n", "koi8-r", "utf8"),
    "ASP": ('<%%@ LANGUAGE="VBScript" CODEPAGE="{}" %%>\n<p>%s</p>\n', "20866", "65001"),
    "ASP session": ("<%%\nSession.CodePage = {}\n%%>\n<p>%s</p>\n", "20866", "65001"),
    "ASP charset": ('<%%\nResponse.Charset = "{}"\n%%>\n<p>%s</p>\n', "koi8-r", "utf-8"),
    "ASP.NET": ('<%%@ Page Language="C#" ResponseEncoding="{}" %%>\n<p>%s</p>\n', "koi8-r", "utf-8"),
    "ColdFusion": ('<cfprocessingdirective suppresswhitespace="yes" pageencoding="{}">\n<p>%s</p>\n', "koi8-r", "utf-8"),
    "PHP": ("<?php\nheader('Content-Type: text/html; charset={}');\necho '%s';\n", "koi8-r", "utf-8"),
    "Hunspell": ("# x\nSET {}\nTRY %s\nSFX A Y 1\n", "KOI8-R", "UTF-8"),
    "GEDCOM": ("0 HEAD\n1 SOUR x\n1 CHAR {}\n0 @I1@ INDI\n1 NAME %s\n", "KOI8-R", "UTF-8"),
    "Texinfo": ("\\input texinfo\n@documentencoding {}\n%s\n", "KOI8-R", "UTF-8"),
    "Rd": ("% x\n\\name{{x}}\n\\encoding{{{}}}\n\\title{{%s}}\n", "KOI8-R", "UTF-8"),
    "R package": ("Type: Package\nPackage: x\nTitle: %s\nEncoding: {}\n", "KOI8-R", "UTF-8"),
    "introducer": ("CREATE TABLE t (a int) DEFAULT CHARSET=utf8;\nINSERT INTO t VALUES (_{}'%s');\n", "koi8r", "utf8mb4"),
    "PHP, charset in pieces": ("<?php\nheader('Content-Type: text/html; charset=' . '{}');\necho '%s';\n", "koi8-r", "utf-8"),
    "PHP declare": ("<?php\ndeclare(encoding='{}');\necho '%s';\n", "koi8-r", "utf-8"),
    "PHP setting": ("<?php\nini_set('default_charset', '{}');\necho '%s';\n", "KOI8-R", "UTF-8"),
    "PHP strings": ('<?php\nmb_internal_encoding("{}");\necho "%s";\n', "KOI8-R", "UTF-8"),
    "ConTeXt": ("% x\n\\enableregime[{}]\n\\starttext\n%s\n\\stoptext\n", "koi8-r", "utf-8"),
    "vignette": ("% \\VignetteIndexEntry{{x}}\n%\\VignetteEncoding{{{}}}\n\\documentclass{{a}}\n%s\n", "KOI8-R", "UTF-8"),
    "txt2tags": ("Title\n\n\n%%!encoding: {}\n%s\n", "koi8-r", "utf-8"),
    "playlist": ("#EXTM3U\n#EXTENC: {}\n#EXTINF:1,%s\n", "KOI8-R", "UTF-8"),
    "Pascal": ("program x;\n{{$codepage {}}}\nbegin writeln('%s') end.\n", "koi8r", "utf8"),
    "gnuplot": ("# x\nset encoding {}\nset title '%s'\n", "koi8r", "utf8"),
    "Aspell": ("personal_ws-1.1 ru 1 {}\n%s\n", "koi8-r", "utf-8"),
    "AsciiDoc": ("= Title\n:encoding: {}\n\n%s\n", "KOI8-R", "UTF-8"),
    "Doxygen": ("# Doxyfile\nDOXYFILE_ENCODING      = {}\nPROJECT_NAME = %s\n", "KOI8-R", "UTF-8"),
    "XeTeX": ('\\documentclass{{a}}\n\\XeTeXinputencoding "{}"\n%s\n', "koi8-r", "utf-8"),
    "mbox": ("From a@b Mon Jan  1\nFrom: a@b.c\nContent-Type: text/plain; charset=\"{}\"\n\n%s\n", "KOI8-R", "UTF-8"),
}  # fmt: skip


def text_of(kind: str, name: str) -> str:
    return KINDS[kind][0].replace("%s", RUSSIAN).replace("%%", "%").format(name)


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_is_rewritten(kind: str) -> None:
    """The name becomes the format's own name of UTF-8, nothing else changes, and then it agrees."""
    _, old, new = KINDS[kind]
    assert rewrite_declared(text_of(kind, old), "utf-8") == text_of(kind, new)
    assert contradictions(text_of(kind, new), "utf-8") == ()
    assert contradictions(text_of(kind, old), "koi8-r") == ()


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind != "Hunspell"])
def test_every_kind_is_seen_by_detection(kind: str) -> None:
    """Detection reads the same row: the declaration is found, with words for it, and the answer follows it."""
    data = text_of(kind, KINDS[kind][1]).encode("koi8-r")
    found = find_declarations(data)
    assert found is not None and found.charsets[0].encoding == "koi8-r"
    assert KINDS[kind][1] in found.step().words
    assert charlens.detect(data).encoding == "koi8-r"


def test_a_catalogue_gets_a_name_that_gettext_reads() -> None:
    """Quotation marks would be a part of the name, and a name in two strings is put into one."""
    catalogue = 'msgid ""\nmsgstr ""\n"Content-Type: text/plain; charset=%s\\n"\n\nmsgid "a"\nmsgstr "я"\n'
    for name in (r'\"KOI8-R\"', 'KOI8"\n"-R'):
        assert rewrite_declared(catalogue % name, "utf-8") == catalogue % "UTF-8"


MAIL = "From: a@b.c\nMIME-Version: 1.0\n"
FORWARDED = "Content-Type: message/rfc822\n\nFrom: d@e.f\nContent-Type: text/plain; charset=koi8-r\nContent-Transfer-Encoding: 8bit\n\n%s\n"
PAGE = '<html><head><meta charset="koi8-r"></head><body>%s</body></html>\n'
NESTED = {
    "forwarded": MAIL + FORWARDED,
    "forwarded in parts": MAIL + 'Content-Type: multipart/mixed; boundary="x"\n\n--x\n\nhello\n--x\n' + FORWARDED + "--x--\n",
    "page": MAIL + "Content-Type: text/html; charset=koi8-r\nContent-Transfer-Encoding: 8bit\n\n" + PAGE,
    "page in parts": MAIL + "Content-Type: multipart/alternative;\n boundary=xy\n\n--xy\nContent-Type: multipart/related; boundary=x\n\n--x\nContent-Type: text/html;\n charset=koi8-r\n\n" + PAGE + "--x--\n--xy--\n",
    "xml": MAIL + "Content-Type: text/xml; charset=koi8-r\n\n<?xml version='1.0' encoding='koi8-r'?>\n<a>%s</a>\n",
    "cut off": MAIL + "Content-Type: multipart/mixed; boundary=x\n\n--x\nContent-Type: text/plain; charset=koi8-r\n\n%s\n",
}  # fmt: skip


@pytest.mark.parametrize("text", NESTED.values(), ids=NESTED)
def test_a_mail_within_a_mail_is_rewritten(text: str) -> None:
    """No declaration of the old charset is left, and the mail parser of Python reads the text."""
    after = rewrite_declared(text % RUSSIAN, "utf-8")
    assert "koi8" not in after
    parsed = email.message_from_bytes(after.encode(), policy=email.policy.default)
    texts = [part.get_content() for part in parsed.walk() if part.get_content_maintype() == "text"]
    assert any(RUSSIAN in text for text in texts)


def test_a_charset_in_pieces_is_refused() -> None:
    """RFC 2231 allows to split a parameter; nobody does."""
    mail = MAIL + "Content-Type: text/plain; charset*0=koi8;\n charset*1=-r\n\n" + RUSSIAN
    with pytest.raises(charlens.CharlensError, match="'koi8-r', and the name is in pieces"):
        rewrite_declared(mail, "utf-8")


SIGNED = {
    "multipart/signed": MAIL + "Content-Type: multipart/signed; boundary=x; protocol=y\n\n--x\nContent-Type: text/plain; charset=koi8-r\n\n%s\n--x\nContent-Type: application/pgp-signature\n\nz\n--x--\n",
    "DKIM-Signature": "DKIM-Signature: v=1; b=z\n" + MAIL + "Content-Type: text/plain; charset=koi8-r\n\n%s\n",
    "Content-MD5": MAIL + "Content-Type: text/plain\nContent-MD5: z\n\n%s\n",
    "PGP": MAIL + "Content-Type: text/plain; charset=koi8-r\n\n-----BEGIN PGP SIGNED MESSAGE-----\nHash: SHA256\n\n%s\n-----BEGIN PGP SIGNATURE-----\n",
}  # fmt: skip


@pytest.mark.parametrize("kind", SIGNED)
def test_a_signed_mail_is_left_alone(kind: str) -> None:
    """The signature would be wrong; a mail in ASCII is not changed, and so is not refused."""
    plan = plan_bytes((SIGNED[kind] % RUSSIAN).encode("koi8-r"), Request(source="koi8-r"), "a.eml")
    assert plan.status == "refused" and f"signed ({kind})" in plan.refusal
    assert plan_bytes((SIGNED[kind] % "hello").encode(), Request(), "a.eml").status == "unchanged"


@pytest.mark.parametrize("opening", ["", "From a@b Mon Jan  1\n"])
def test_a_mail_that_counts_its_bytes_is_left_alone(opening: str) -> None:
    """The length would be wrong, also after a change of line endings; nothing is refused if nothing changes."""
    mail = opening + MAIL + "Content-Length: 99\nContent-Type: text/plain; charset=koi8-r\n\n%s\n"
    for request, text in ((Request(source="koi8-r"), RUSSIAN), (Request(newline="crlf"), "hello")):
        plan = plan_bytes((mail % text).encode("koi8-r"), request, "a.eml")
        assert plan.status == "refused" and "has a Content-Length" in plan.refusal
    assert plan_bytes((mail % "hello").encode(), Request(), "a.eml").status == "unchanged"


def test_a_declaration_in_many_places_is_named_once() -> None:
    """A file of vCards declares its charset in every line."""
    cards = f"BEGIN:VCARD\nVERSION:2.1\nFN;CHARSET=KOI8-R:{RUSSIAN}\nEND:VCARD\n" * 100
    plan = plan_bytes(cards.encode("koi8-r"), Request(), "a.vcf")
    assert plan.words == "updates the declaration KOI8-R in 100 places"


def test_a_collation_goes_with_its_charset() -> None:
    """A collation of another charset is an error in MySQL; one that UTF-8 does not have is refused."""
    statement = "SET NAMES 'cp1251' COLLATE 'cp1251_%s';\nINSERT INTO t VALUES ('я');\n"
    for collation in ("general_ci", "bin"):
        expected = (statement % collation).replace("cp1251", "utf8mb4")
        assert rewrite_declared(statement % collation, "utf-8") == expected
    with pytest.raises(charlens.CharlensError, match="'cp1251_ukrainian_ci', and UTF-8 has other collations"):
        rewrite_declared(statement % "ukrainian_ci", "utf-8")


def test_a_dump_sets_the_charset_of_each_table() -> None:
    """A statement far down counts if non-ASCII text follows before the next one."""
    head = "-- dump\nSET NAMES cp1251;\n" + "-- x\n" * 4000
    set_back = "/*!40101 SET character_set_client = @saved_cs_client */;\n"
    table = "/*!40101 SET character_set_client = latin1 */;\n/*!40101 SET character_set_results = latin1 */;\nCREATE TABLE a (%s);\n"
    dump = head + table % "a" + set_back + "INSERT INTO a VALUES ('я');\n" + table % "я" + set_back
    after = rewrite_declared(dump, "utf-8")
    assert after.count("latin1") == 2 and after.count("utf8mb4") == 3
    assert after.index("latin1") < after.index("= utf8mb4")


def test_a_pragma_of_perl_is_refused() -> None:
    """'use encoding' sets more than the encoding of the file."""
    with pytest.raises(charlens.CharlensError, match="replace it by 'use utf8;' first"):
        rewrite_declared('use encoding "koi8-r";\nprint "я";\n', "utf-8")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("0 HEAD\n1 CHAR ANSEL\n1 NAME %s\n", "the line CHAR says 'ANSEL', and charlens cannot read that"),
        ("  9\n$ACADVER\n  1\nAC1015\n  9\n$DWGCODEPAGE\n  3\nANSI_1251\n  1\n%s\n", "save the drawing as DXF 2007"),
        ("encoding system cp1251\nputs {%s}\n", "remove that line first"),
        ("Package: x\nTitle: %s\nEncoding: UTF-8\n", "no name for cp1251"),
    ],
)
def test_what_cannot_be_rewritten_is_refused(text: str, words: str) -> None:
    """A declaration that would be false is a reason to refuse; in ASCII nothing is false."""
    target = "cp1251" if "UTF-8" in text else "utf-8"
    with pytest.raises(charlens.CharlensError, match=words):
        rewrite_declared(text % RUSSIAN, target)
    if target == "utf-8":
        assert rewrite_declared(text % "hello", target) == text % "hello"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("SET ISO8859-1\nTRY é\n", "SET UTF-8\nTRY é\n"),
        ("SET microsoft-cp1251\nTRY я\n", "SET UTF-8\nTRY я\n"),
        ("0 HEAD\r\n1 CHAR ANSI\r\n1 NAME é\r\n", "0 HEAD\r\n1 CHAR UTF-8\r\n1 NAME é\r\n"),
        ("0 HEAD\n1 CHAR IBMPC\n1 NAME é\n", "0 HEAD\n1 CHAR UTF-8\n1 NAME é\n"),
        ("Package: x\nEncoding: latin1\nTitle: é\n", "Package: x\nEncoding: UTF-8\nTitle: é\n"),
        ("\\name{x}\n\\encoding{latin1}\né\n", "\\name{x}\n\\encoding{UTF-8}\né\n"),
    ],
)
def test_formats_with_their_own_names(before: str, after: str) -> None:
    """The name that is written is one that the programs of the format know, in their spelling."""
    assert rewrite_declared(before, "utf-8") == after


def test_ansi_in_a_genealogy_is_any_code_page_of_windows() -> None:
    """The letters decide which one: the name does not."""
    text = f"0 HEAD\n1 CHAR ANSI\n0 @I1@ INDI\n1 NOTE {RUSSIAN}\n"
    assert charlens.detect(text.encode("cp1251")).encoding == "cp1251"


def test_a_code_page_that_is_set_back_stays() -> None:
    """In a batch file, only a code page for non-ASCII lines is a declaration."""
    batch = "@echo off\nchcp 1251\necho я\nchcp 866\n"
    assert rewrite_declared(batch, "utf-8") == batch.replace("1251", "65001")


def test_an_old_desktop_entry_in_several_encodings_becomes_utf_8() -> None:
    """'Legacy-Mixed' is the name of no encoding, but it is not UTF-8."""
    assert rewrite_declared("[Desktop Entry]\nEncoding=Legacy-Mixed\nName=я\n", "utf-8").count("UTF-8") == 1


@pytest.mark.parametrize(
    ("name", "encoding"),
    [
        ("euc-japan", "euc_jp"),
        ("japanese-iso-8bit-unix", "euc_jp"),
        ("japanese-shift-jis-dos", "shift_jis"),
        ("iso-latin-1", "iso8859-1"),
        ("iso-latin-5", "iso8859-9"),
        ("iso-latin-9-mac", "iso8859-15"),
        ("chinese-gbk", "gbk"),
        ("chinese-big5", "big5"),
        ("korean-iso-8bit", "euc_kr"),
        ("greek-iso-8bit", "iso8859-7"),
        ("hebrew-iso-8bit-unix", "iso8859-8"),
    ],
)
def test_names_of_emacs(name: str, encoding: str) -> None:
    """Emacs has its own names, and the line endings behind them; both are understood in every place."""
    for text in (f"; -*- coding: {name} -*-\n", f"# -*-coding: {name}-*-\n", f"x\n; Local Variables:\n; coding: {name}\n"):
        assert [found.encoding for found in find_declared(text)] == [encoding]


def test_names_for_emacs() -> None:
    """What is written is known to Emacs and to Python; an encoding without a name is refused."""
    for encoding in all_encodings():
        name = name_for("emacs", encoding.name, "x")
        assert name is None or read_name("emacs", name) == encoding.name
        if encoding.name not in ("utf-16-le", "utf-16-be"):
            written = name_for("python", encoding.name, "x") or ""
            assert codecs.lookup(written).name == codecs.lookup(encoding.name).name
    assert name_for("emacs", "iso8859-5", "koi8-r") == "iso-8859-5"
    assert name_for("emacs", "mac-cyrillic", "koi8-r") is None
    if shutil.which("emacs"):
        names = [name_for("emacs", each.name, "x") for each in all_encodings()]
        lisp = " ".join(f"'{name}" for name in names if name)
        program = f"(dolist (name (list {lisp})) (unless (coding-system-p name) (princ name)))"
        assert subprocess.run(["emacs", "--batch", "--eval", program], capture_output=True).stdout == b""


@pytest.mark.parametrize(
    ("text", "agrees"),
    [
        ('<!doctype html><meta charset="iso-8859-1"><p>x', True),
        ('@charset "iso-8859-1";\na {}\n', True),
        ('<?xml version="1.0" encoding="iso-8859-1"?><a/>', False),
        ("# coding: latin-1\nx\n", False),
    ],
)
def test_only_on_the_web_latin_1_means_windows_1252(text: str, agrees: bool) -> None:
    """A page that says ISO 8859-1 declares windows-1252, as browsers read it; a module in Python does not."""
    assert (contradictions(text, "cp1252") == ()) is agrees
    assert contradictions(text, "koi8-r") != ()


NOT_DECLARED = {
    "quoted-printable mail": "From: a@b.c\nContent-Type: text/plain; charset=koi8-r\nContent-Transfer-Encoding: quoted-printable\n\n=F0=F2\n",
    "quoted-printable vCard": "BEGIN:VCARD\nFN;CHARSET=KOI8-R;ENCODING=QUOTED-PRINTABLE:=F0\nNOTE:\u044f\nEND:VCARD\n",
    "a page about LaTeX": "How to:\n\\usepackage[latin1]{inputenc}\n",
    "TeX comment": "\\documentclass{a}\n% \\usepackage[latin1]{inputenc}\n",
    "prose on SQL": "Then type\nSET NAMES latin1;\n",
    "template of a catalogue": 'msgid ""\nmsgstr ""\n"Content-Type: text/plain; charset=CHARSET\\n"\n',
    "a message about charsets": 'msgid "x"\nmsgstr "Content-Type: text/plain; charset=koi8-r"\n',
    "prose on batch files": "Then type\nchcp 1251\n\u044f\n",
    "a set of settings": "Encoding=KOI8-R\nName=\u044f\n",
    "options of a class alone": "\\documentclass[latin1]{a}\n\\usepackage{babel}\n",
    "an example in POD": "=head1 USAGE\n\n    use encoding 'koi8-r';\n\u044f\n",
    "a table that PHP encodes": "<?php\nheader('Content-Type: text/csv; charset=windows-1251'); // \u044f\n",
    "PHP in ASCII": "<?php\nheader('Content-Type: text/html; charset=windows-1251');\n",
    "a comment in PHP": "<?php\n// header('Content-Type: text/html; charset=windows-1251'); \u044f\n",
    "a comment in ASP": "<%\n' Response.Charset = \"windows-1251\"\n%>\u044f\n",
    "prose on PHP": "Write <?php and then\nheader('Content-Type: text/html; charset=windows-1251'); \u044f\n",
    "prose on ASP": "Begin with\n<%@ CODEPAGE=\"1251\" %>\n\u044f\n",
    "a program about strings": "# The charset of a string: _cp1251'\u044f'\n",
    "prose on dictionaries": "Then write\nSET ISO8859-1\n\u044f\n",
    "a new drawing": "$ACADVER\n  1\nAC1021\n$DWGCODEPAGE\n  3\nANSI_1251\n\u044f\n",
    "a string in ASCII": "-- charset\nINSERT INTO t VALUES (_latin1'a', '\u044f');\n",
    "a mail about packages": "Subject: x\nEncoding: latin1\n\n\u044f\n",
    "commented SQL": "-- x\n-- SET NAMES latin1;\n",
    "a saved charset": "-- x\nSET @saved_cs_client = @@character_set_client;\nSET character_set_client = @saved_cs_client;\n",
    "a comment in ConTeXt": "% \\enableregime[latin1]\n\u044f\n",
    "a word that ends like an editor": "nvim: set fenc=koi8-r :\n\u044f\n",
    "far from either end": "\n" * 20 + "vim: set fenc=koi8-r :\n" + "\n" * 20 + "x\n" * 20,
}


@pytest.mark.parametrize("text", NOT_DECLARED.values(), ids=NOT_DECLARED)
def test_what_only_looks_like_a_declaration_stays(text: str) -> None:
    """Text about encoded bytes or other files, or in comments, is not a declaration of this file."""
    assert find_declared(text) == ()


def test_parts_of_a_mail_that_are_encoded_keep_their_charset() -> None:
    """In a mail of two parts only the one with non-ASCII bytes is rewritten."""
    mail = (
        'From: a@b.c\nContent-Type: multipart/mixed; boundary="x"\n\n'
        "--x\nContent-Type: text/plain; charset=koi8-r\nContent-Transfer-Encoding: base64\n\n8PLp\n"
        "--x\nContent-Type: text/plain; charset=koi8-r\n\n" + RUSSIAN + "\n--x--\n"
    )
    after = rewrite_declared(mail, "utf-8")
    assert after.count("koi8-r") == 1 and after.index("koi8-r") < after.index("utf-8")


HOSTILE = (
    ("\\a inputenc\n", "\\usepackage%", "\\usepackage[", "\\usepackage\n", "\\documentclass[a]", "%"),
    ('msgid ""\nmsgstr ""\n', '"Content-Type: \\n"\n', '"\\\\" ', '"'),
    ("BEGIN:VCARD\ncharset=\n", "a;b", ';"', ";\n ", "A;CHARSET=x\n"),
    ("-- set names encoding chcp \n", "SET ", "SET NAMES ", "\nSET ", "/*!1 SET ", "SET client_encoding "),
    ("@echo encoding\nchcp 1\n", "&", "chcp ", "& \t"),
    ("From: a\nContent-Type: multipart/mixed; boundary=x\n\n", "--x\n", "--x\nContent-Type: message/rfc822\n\n", "charset*0="),
    ("# coding\n", "coding:", "coding:-", "-*- coding:a ", "% !TEX encoding = "),
    ("<%@ codepage=\n<? charset response.charset 0 head\n", "<%@ ", "header('Content-Type:", " header (", "Response.Charset ", "<%"),
    ("charset pageencoding\n", "<cfprocessingdirective ", "_a1'", "_a1'\\", "\\lstset{", "\\lstset{a", "\\lstset{{a} "),
    ("\\name{ inputenc\n", "\\lstset{{a}", "{a", "{", "\\encoding{"),
    ("Package encoding: set iso8\n", "a: b\n", "a: b\n c\n", "SET ", "SET a", "encoding system "),
    ("vim kate: \\enableregime #extenc coding\n", "vim: ", "kate: ", "\\enableregime ", "#EXTENC:\n", "kate:encoding "),
    ("encoding", "#\n", "[Desktop Entry]", "=encoding ", "use encoding ", "% Encoding:"),
)


@pytest.mark.parametrize(("opening", "pieces"), [(row[0], row[1:]) for row in HOSTILE])
def test_hostile_texts_are_read_in_no_time(opening: str, pieces: tuple[str, ...]) -> None:
    """Repetitions of the beginning of a declaration take time in proportion to their length."""
    for piece in pieces:
        start = time.process_time()
        find_declared(opening + piece * (100_000 // len(piece)) + "\u044f")
        assert time.process_time() - start < 2


@pytest.mark.parametrize(
    ("text", "encoding", "new"),
    [
        ("SET NAMES ISO8859_1;\nINSERT INTO t VALUES ('é');\n", "iso8859-1", "SET NAMES UTF8;"),
        ("SET NAMES DOS850;\nINSERT INTO t VALUES ('é');\n", "cp850", "SET NAMES UTF8;"),
        (":- encoding(iso_latin_1).\na('é').\n", "iso8859-1", ":- encoding(utf8)."),
        ("program x;\n{$CODEPAGE CP1252}\nbegin writeln('é') end.\n", "cp1252", "{$CODEPAGE UTF8}"),
        ("personal_ws-1.1 de 3 iso8859-1\nÄtzung\n", "iso8859-1", "personal_ws-1.1 de 3 utf-8"),
    ],
)
def test_names_of_other_programs(text: str, encoding: str, new: str) -> None:
    """What detection reads is also rewritten: Firebird, SWI-Prolog, Free Pascal, Aspell."""
    found = find_declarations(text.encode(encoding))
    assert found is not None and found.charsets[0].covered >> rank(encoding) & 1
    assert new in rewrite_declared(text, "utf-8")


TEX_EXAMPLES = {
    "verbatim": "\\begin{verbatim}\n\\usepackage[latin1]{inputenc}\n\\end{verbatim}\n",
    "listing": "\\begin{lstlisting}[language=TeX]\n\\usepackage[latin1]{inputenc}\n\\end{lstlisting}\n",
    "verb": "Use \\verb|\\inputencoding{latin1}| for it.\n",
    "body": "Text \\usepackage[latin1]{inputenc}\n",
}


@pytest.mark.parametrize("kind", TEX_EXAMPLES)
def test_examples_in_latex_are_not_rewritten(kind: str) -> None:
    """Verbatim text, and packages after the document has begun, are examples; a switch in the document is not."""
    head = "\\documentclass{a}\n\\usepackage[%s]{inputenc}\n50\\%% \\begin{document}\n"
    text = head % "latin1" + TEX_EXAMPLES[kind] + "\\inputencoding{latin1}\né\n"
    expected = head % "utf8" + TEX_EXAMPLES[kind] + "\\inputencoding{utf8}\né\n"
    assert rewrite_declared(text, "utf-8") == expected


def test_an_example_in_a_here_document_is_not_rewritten() -> None:
    """A program in Perl that prints POD keeps what it prints."""
    program = "print <<'END';\n=encoding latin1\nEND\n\n=encoding %s\n\n=head1 é\n"
    assert rewrite_declared(program % "iso-8859-1", "utf-8") == program % "utf-8"


def test_an_encoded_body_with_raw_bytes_is_refused() -> None:
    """The escapes of a quoted-printable body stay in its charset, so its raw bytes must, too."""
    mail = (
        "From: a@b.c\nSubject: x\nContent-Type: text/plain; charset=iso-8859-1\n"
        "Content-Transfer-Encoding: quoted-printable\n\nGr=FC=DFe, Größe\n"
    )
    plan = plan_bytes(mail.encode("iso8859-1"), Request(source="iso8859-1"), "a.eml")
    assert plan.status == "refused" and "quoted-printable" in plan.words
