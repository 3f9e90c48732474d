"""What a text declares about its encoding, and making it declare another."""

from __future__ import annotations

import pytest

from charlens.files.declarations import find_declared, rewrite_declared

HTML = "<!doctype html><html><head>{}</head><body>x</body></html>"
XML = '<?xml version="1.0" encoding="{}" standalone="yes"?>\n<a/>'


@pytest.mark.parametrize(
    ("before", "encoding", "after"),
    [
        (HTML.format('<meta charset="iso-8859-1">'), "utf-8", HTML.format('<meta charset="utf-8">')),
        (HTML.format("<META CHARSET=KOI8-R>"), "utf-8", HTML.format("<META CHARSET=UTF-8>")),
        (
            HTML.format('<meta content="text/html; charset=Big5" http-equiv="Content-Type"/>'),
            "cp932",
            HTML.format('<meta content="text/html; charset=Shift_JIS" http-equiv="Content-Type"/>'),
        ),
        (XML.format("ISO-8859-2"), "utf-8", XML.format("UTF-8")),
        (XML.format("utf-8"), "utf-16", XML.format("utf-16")),
        (
            '<?xml version="1.0" encoding="koi8-r"?><html><meta charset="koi8-r">',
            "utf-8",
            '<?xml version="1.0" encoding="utf-8"?><html><meta charset="utf-8">',
        ),
        ('@charset "windows-1251";\na{}', "utf-8", '@charset "utf-8";\na{}'),
        (
            "#!/usr/bin/env python\n# -*- coding: latin-1 -*-\n",
            "utf-8",
            "#!/usr/bin/env python\n# -*- coding: utf-8 -*-\n",
        ),
        ("# vim: set fileencoding=cp1251 :\n", "utf-8", "# vim: set fileencoding=utf-8 :\n"),
        ("# coding: utf8\r\nx", "cp1252", "# coding: cp1252\r\nx"),
        ("\ufeff# coding: cp1252\n", "utf-8", "\ufeff# coding: utf-8\n"),
    ],
)
def test_declarations_are_made_to_match(before: str, encoding: str, after: str) -> None:
    """The name is replaced in the words of its format, and nothing else is touched."""
    assert rewrite_declared(before, encoding) == after


@pytest.mark.parametrize(
    ("text", "encoding"),
    [
        # These agree already, by whatever name.
        (HTML.format("<meta charset=UTF8>"), "utf-8"),
        (HTML.format('<meta charset="iso-8859-1">'), "cp1252"),
        (HTML.format('<meta charset="iso-8859-1">'), "latin-1"),
        (XML.format("UTF-16"), "utf-16-le"),
        # These are no declarations.
        (HTML.format('<!-- <meta charset="koi8-r"> -->'), "utf-8"),
        (HTML.format("<script>'<meta charset=koi8-r>'</script>"), "utf-8"),
        ("<html><body><meta charset=koi8-r>", "utf-8"),
        (HTML.format('<meta name="description" content="charsets of the world">'), "utf-8"),
        (HTML.format('<meta charset="klingon">'), "utf-8"),
        ("How to write it:\n<meta charset='koi8-r'>\n", "utf-8"),
        ("a\n@charset 'koi8-r';", "utf-8"),
        (' @charset "koi8-r";', "utf-8"),
        ("import os\n# coding: koi8-r\n", "utf-8"),
        ("#\n#\n# coding: koi8-r\n", "utf-8"),
        ("# The decoding: slow\n", "utf-8"),
        ("", "utf-8"),
    ],
)
def test_everything_else_stays(text: str, encoding: str) -> None:
    """Declarations that agree, and text that only looks like one, are not changed."""
    assert rewrite_declared(text, encoding) == text


def test_far_down_nothing_is_a_declaration() -> None:
    """Only the first 256 KB of a page are looked at; a long style sheet may come before its declaration."""
    page = HTML.format("<style>{}</style><meta charset=koi8-r>")
    assert len(find_declared(page.format("x" * 20_000))) == 1
    assert find_declared(page.format("x" * 300_000)) == ()


def test_a_catalogue_declares_after_its_comments() -> None:
    """The licence of a catalogue can be longer than what is looked at elsewhere."""
    text = "# one more line\n" * 2000 + 'msgid ""\nmsgstr "Content-Type: text/plain; charset=ISO-8859-1\\n"\n'
    assert "charset=UTF-8" in rewrite_declared(text, "utf-8")


def test_every_set_names_of_joined_dumps_is_rewritten() -> None:
    """Two dumps in one file: the charset of the second counts for its rows, although ASCII comes between."""
    dump = (
        "-- MySQL dump\n/*!40101 SET NAMES latin1 */;\nSET character_set_client = utf8;\nCREATE TABLE a (b int);\n"
        "SET character_set_client = @saved;\n" + "INSERT INTO a VALUES ('Größe');\n" * 900
    )
    assert rewrite_declared(dump * 2, "utf-8").count("SET NAMES utf8mb4") == 2
