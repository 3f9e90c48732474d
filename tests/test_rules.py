"""Rules of the stages that no other test depends on: each has an input that only it decides."""

from __future__ import annotations

import struct

import pytest

import charlens
from charlens import kernel
from charlens.findings import Scores

#: Text and its windows: more non-ASCII bytes than are read.
RUSSIAN = "Съешь ещё этих мягких французских булок, да выпей чаю. " * 100


def test_a_page_is_never_utf_7() -> None:
    """A page in ASCII with what would be a script in UTF-7 stays what it declares."""
    page = b"<html><head><meta charset=utf-8></head><body>K+APY-ln, sch+APY-n, gr+APw-n. +ADw-script+AD4-</body></html>"
    assert charlens.detect(page).encoding == "utf-8"
    assert charlens.detect(page.replace(b"<meta charset=utf-8>", b"")).encoding == "ascii"


def test_a_default_that_tools_write_counts_less_than_another_declaration() -> None:
    """One word of Lithuanian outweighs windows-1252 in a meta element, but not windows-1254, which somebody chose."""
    page = '<html><head><meta charset="{}"></head><body><p>žmogus</p></body></html>'
    assert charlens.detect(page.format("windows-1252").encode("cp1257")).encoding == "cp1257"
    assert charlens.detect(page.format("windows-1254").encode("cp1257")).encoding == "cp1254"


def test_capitals_of_legacy_text_are_not_damaged_utf_8() -> None:
    """Some capitals in a row are valid UTF-8, but of characters that no text has together."""
    text = "ŹĚŁOWYCH SYSTEMOW NA SWĚŚE. TO"
    assert charlens.detect(text.encode("cp1250")).encoding == "cp1250"


@pytest.mark.parametrize("data", [b"C+API", b"REST+AMI"])
def test_a_word_after_a_plus_is_not_utf_7(data: bytes) -> None:
    """A possible word in capitals after a plus sign is ASCII, although UTF-7 reads one accented letter."""
    assert charlens.detect(data).encoding == "ascii"


def test_the_declared_encoding_is_named_among_equals() -> None:
    """A Hungarian page that reads the same in windows-1252 is called what it declares."""
    page = '<html><head><meta charset="iso-8859-2"></head><body><p>Jó napot kívánok, hogy van ön és a családja?</p>'
    verdict = charlens.detect(page.encode("iso8859-2"))
    assert verdict.encoding == "iso8859-2" and "cp1252" in verdict.equivalents
    assert charlens.detect(page.encode("iso8859-2"), declared="ignore").encoding == "cp1252"


def test_ignored_declarations_are_not_looked_for() -> None:
    """With declared='ignore' no step mentions declarations."""
    page = '<meta charset="koi8-r"><p>Здравствуйте, как ваши дела сегодня?</p>'.encode("cp1251")
    assert "declarations" not in [step.stage for step in charlens.detect(page, declared="ignore").steps]


def test_the_words_outweigh_a_wrong_declaration() -> None:
    """A sentence in windows-1251 is read as that although the page says koi8-r."""
    page = '<meta charset="koi8-r"><p>Здравствуйте, как ваши дела сегодня?</p>'.encode("cp1251")
    assert charlens.detect(page).encoding == "cp1251"


def test_a_page_is_in_an_encoding_of_the_web() -> None:
    """One sign of French in a page is windows-1252, which browsers read, not cp866 of DOS."""
    page = "<!doctype html><html><body><p>commande nº 30</p></body></html>".encode("cp1252")
    assert charlens.detect(page).encoding == "cp1252"


def test_the_windows_of_a_long_text_are_all_over_it() -> None:
    """A text with more evidence than is needed is read in 32 windows."""
    data = RUSSIAN.encode("cp1251")
    scores = next(found for found in charlens.detect(data).findings if isinstance(found, Scores))
    assert scores.judgement.cut[0] == -(-len(data) // 32)


def test_a_mark_that_is_not_believed_does_not_settle_a_stream() -> None:
    """Noise after a mark of UTF-16 is not done, even if little certainty is enough."""
    detector = charlens.Detector(enough=0.9)
    detector.feed(b"\xff\xfe" + bytes([0xD8, 0x00, 0xDC, 0x01]) * 40)
    assert not detector.done and not detector.marked


def test_the_first_attribute_of_a_name_counts() -> None:
    """A second http-equiv in a meta element does not make it a pragma, under either kernel."""
    late = b'<meta http-equiv=refresh http-equiv=content-type content="text/html; charset=koi8-r">'
    assert kernel.find_charsets(late, 0) == ()
    assert kernel.find_charsets(late.replace(b"http-equiv=refresh ", b""), 0) != ()


def test_no_character_has_a_fifth_byte() -> None:
    """A walk that is not between characters after four bytes has an error there, also at the end."""
    columns = bytes(value >= 0x80 for value in range(256))
    table = struct.pack("=II", 2, 2) + columns + bytes((0, 1, 0, 1))
    assert kernel.walk_all(b"\x80" * 4, table, bytes(4 * (256 + 65536)), 0, 1) == (0, 0)
