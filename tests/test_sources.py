"""The table of declared-charset sources: every kind is read by detection and rewritten by conversion."""

# ruff: noqa: E501
from __future__ import annotations

import pytest

import charlens
from charlens.files.declarations import contradictions, find_declared, rewrite_declared
from charlens.stages.declarations import find_declarations

RUSSIAN = "Съешь ещё этих мягких французских булок, да выпей чаю."

#: Kind to the text, with the charset as {}, the name for KOI8-R and the name for UTF-8.
KINDS = {
    "gettext": ('msgid ""\nmsgstr ""\n"Content-Type: text/plain; charset={}\\n"\n\nmsgid "a"\nmsgstr "%s"\n', "KOI8-R", "UTF-8"),
    "latex": ("% x\n\\documentclass{{article}}\n\\usepackage[{}]{{inputenc}}\n%s\n", "koi8-r", "utf8"),
    "jsp": ('<%%@ page language="java" pageEncoding="{}" %%>\n<p>%s</p>\n', "KOI8-R", "UTF-8"),
    "jsp type": ('<%%@ page contentType="text/html; charset={}" %%>\n<p>%s</p>\n', "koi8-r", "utf-8"),
    "emacs": (";; -*- mode: lisp; coding: {}-unix -*-\n; %s\n", "koi8-r", "utf-8"),
    "vim": ("/* %s */\n/* vim: set ts=4 fileencoding={} : */\n", "koi8-r", "utf-8"),
    "emacs tail": ("; %s\n\n;; Local Variables:\n;; coding: {}\n;; End:\n", "koi8-r", "utf-8"),
    "python": ("#!/usr/bin/python\n# -*- coding: {} -*-\nx = '%s'\n", "koi8-r", "utf-8"),
    "vcard": ("BEGIN:VCARD\nVERSION:2.1\nFN;CHARSET={}:%s\nEND:VCARD\n", "KOI8-R", "UTF-8"),
    "sql": ("-- dump\nSET NAMES {};\nINSERT INTO t VALUES ('%s');\n", "koi8r", "utf8mb4"),
    "mysqldump": ("-- dump\n/*!40101 SET NAMES {} */;\nINSERT INTO t VALUES ('%s');\n", "koi8r", "utf8mb4"),
    "pg_dump": ("--\nSET client_encoding = '{}';\nINSERT INTO t VALUES ('%s');\n", "KOI8R", "UTF8"),
    "resource": ("#pragma code_page({})\nSTRINGTABLE BEGIN\n1 \"%s\"\nEND\n", "20866", "65001"),
    "mail": ("From: a@b.c\nSubject: x\nContent-Type: text/plain; charset={}\nContent-Transfer-Encoding: 8bit\n\n%s\n", "koi8-r", "utf-8"),
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


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_is_seen_by_detection(kind: str) -> None:
    """Detection reads the same row: the declaration is found, with words for it, and the answer follows it."""
    data = text_of(kind, KINDS[kind][1]).encode("koi8-r")
    found = find_declarations(data)
    assert found is not None and found.charsets[0].encoding == "koi8-r"
    assert KINDS[kind][1] in found.step().words
    assert charlens.detect(data).encoding == "koi8-r"


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
