"""EBCDIC: text of mainframes is distinguished from binary, page by page, and nothing else is taken for it."""

from __future__ import annotations

import random
import time

import pytest
from prose_texts import PROSE, THIN, legacy, legacy_pairs, spread

import charlens
from charlens import Outcome, kernel
from charlens.encodings import all_encodings
from charlens.source import Bytes
from charlens.stages.ebcdic import find_ebcdic

PAGES = sorted(encoding.name for encoding in all_encodings() if encoding.kind == "ebcdic")

#: For each page a language that was written in it.
LANGUAGE = {
    "cp037": "en",
    "cp500": "it",
    "cp1140": "nl",
    "cp273": "de",
    "cp1026": "tr",
    "cp424": "he",
    "cp875": "el",
}


def in_page(page: str, language: str, line_end: str) -> bytes:
    """The prose in the page, with the line ending that the page's machines write (NEL, 0x15) or LF, 0x25."""
    return PROSE[language].replace("\n", line_end).encode(page, "ignore")


def test_every_page_is_asked() -> None:
    """Every EBCDIC page that is known as an encoding has a language here."""
    assert set(LANGUAGE) == set(PAGES)


@pytest.mark.parametrize("line_end", ["\x85", "\n"])
@pytest.mark.parametrize("page", LANGUAGE)
def test_a_text_of_the_page_is_ebcdic_text(page: str, line_end: str) -> None:
    """Prose of a language of the page is text in an EBCDIC page, though its line endings are blocked bytes."""
    verdict = charlens.detect(in_page(page, LANGUAGE[page], line_end))
    assert verdict.outcome is Outcome.TEXT
    assert verdict.encoding in PAGES
    step = next(step for step in verdict.steps if step.stage == "ebcdic")
    assert "0x40" in step.words


@pytest.mark.parametrize("size", [64, 128, 400])
@pytest.mark.parametrize("page", sorted(set(LANGUAGE) - {"cp424", "cp875"}))
def test_a_piece_of_it_is_ebcdic_text(page: str, size: int) -> None:
    """From 64 bytes on, a piece of prose in Latin letters is text in an EBCDIC page."""
    for window in spread(in_page(page, LANGUAGE[page], "\x85"), size, 30):
        assert charlens.detect(window).encoding in PAGES, window.decode(page)


@pytest.mark.parametrize("line_end", ["\x85", "\n", " "])
def test_a_piece_of_hebrew_is_ebcdic_text(line_end: str) -> None:
    """Hebrew in its page, with '@' for every space, is neither ASCII nor binary."""
    for window in spread(in_page("cp424", "he", line_end), 128, 10, thin=1):
        assert charlens.detect(window).encoding in PAGES, window.decode("cp424")


@pytest.mark.parametrize(
    "data",
    [
        b"@" * 40,
        b"@@@@ABC@@@DEF\n" * 10,
        b"user@host\n" * 20,
        b"\n".join(b"%s@FACE.BIG" % name for name in (b"ABBA", b"DAISY", b"FRED", b"RUTH", b"SUE", b"TESS") * 5),
        b"\n".join(b"@param%d" % number for number in range(30)),
    ],
)
def test_ascii_with_at_signs_is_not_hebrew(data: bytes) -> None:
    """Addresses, patterns and tags without a space are ASCII."""
    assert charlens.detect(data).encoding == "ascii"


@pytest.mark.parametrize("page", ["cp500", "cp037"])
def test_a_bar_between_words_is_not_a_letter(page: str) -> None:
    """'¦' is the byte of 'ö' in the German page, and of '|' in the Greek one; alone between words it is a sign."""
    text = "The value is either red ¦ green ¦ blue, and the order of the columns does not matter at all.\n" * 3
    assert charlens.detect(text.encode(page)).encoding in ("cp037", "cp500")


#: The euro is the only sign that tells these pages apart.
PAGE_KNOWN = {
    ("cp1140", "nl"): "answers cp037: the euro is read as the currency sign",
    ("cp1140", "es"): "answers cp037: the euro is read as the currency sign",
}


@pytest.mark.parametrize(
    ("page", "language"),
    [
        pytest.param(
            *pair, marks=pytest.mark.xfail(reason=PAGE_KNOWN[pair], strict=True) if pair in PAGE_KNOWN else ()
        )
        for pair in dict.fromkeys([*LANGUAGE.items(), *PAGE_KNOWN, ("cp500", "de"), ("cp037", "fr")])
    ],
)
def test_the_page_is_the_right_one(page: str, language: str) -> None:
    """The whole prose is read in a page that gives its very text."""
    data = in_page(page, language, "\n")
    assert charlens.decode(data) == data.decode(page)


@pytest.mark.parametrize(
    ("page", "language"), [("cp037", "fr"), ("cp037", "pt"), ("cp1140", "es"), ("cp500", "it")]
)
def test_western_text_is_not_called_hebrew_or_greek(page: str, language: str) -> None:
    """A hundred bytes of French in a Western page are in no page of Hebrew or Greek."""
    for window in spread(in_page(page, language, "\n"), 100, 12, thin=1):
        assert charlens.detect(window).encoding not in ("cp424", "cp875"), window.decode(page)


def test_pages_that_read_the_same_are_alternatives() -> None:
    """Plain English reads the same in the Western pages: they are equivalents, not alternatives."""
    verdict = charlens.detect(
        "THE QUICK BROWN FOX JUMPS OVER THE LAZY DOG AND RUNS AWAY 12345".encode("cp037")
    )
    assert verdict.encoding == "cp037"
    assert {"cp500", "cp1140", "cp273"} <= set(verdict.equivalents)
    assert not {"cp500", "cp1140", "cp273"} & {other.encoding for other in verdict.alternatives}


def test_a_report_followed_by_binary_is_not_ebcdic_text() -> None:
    """A page of EBCDIC before a hundred kilobytes of random bytes does not make text of them."""
    head = in_page("cp037", "en", "\x85") * 7
    assert len(head) > 8192
    assert charlens.detect(head + random.Random(37).randbytes(100_000)).outcome is Outcome.BINARY


def test_the_answer_decodes_all_of_it() -> None:
    """Whatever page is the answer, it decodes the input to its end."""
    data = in_page("cp424", "he", "\n") * 9
    assert len(data) > 8192
    data += b"\x70\xfb\xfe"  # undefined in cp424
    verdict = charlens.detect(data)
    assert verdict.encoding is None or data.decode(verdict.encoding)


# ---- negatives


@pytest.mark.parametrize(("encoding", "language"), legacy_pairs("single", "multi"))
def test_other_legacy_text_is_not_ebcdic(encoding: str, language: str) -> None:
    """No prose in another legacy encoding is taken for EBCDIC, whole or in pieces."""
    data = legacy(encoding, language)
    assert data is not None
    for size in (32, 100, len(data)):
        for window in spread(data, size, 6):
            assert find_ebcdic(Bytes(window)) is None, window


@pytest.mark.parametrize(
    "text",
    [
        "jörg@example.org;anna@example.org;zoë@example.org;max@example.org\n" * 3,
        "@ @ @ @ @ @ @ größer @ @ @ @ @ @ @ @\n" * 4,
        "@media screen { @include größe; } @font-face { @import 'straße'; }\n" * 3,
    ],
)
def test_text_full_of_at_signs_is_not_ebcdic(text: str) -> None:
    """0x40 is the space of EBCDIC and the at sign of everybody else."""
    verdict = charlens.detect(text.encode("cp1252"))
    assert verdict.outcome is Outcome.TEXT and verdict.encoding not in PAGES


def test_binary_data_is_not_ebcdic() -> None:
    """Random bytes, and 48 of them or more with many 0x40 among them, are not EBCDIC."""
    some = random.Random(500)
    for _ in range(400 // THIN):
        size = some.choice([48, 64, 200, 1000])
        noise = bytearray(some.randbytes(size))
        assert find_ebcdic(Bytes(bytes(noise))) is None
        for _ in range(size // 6):
            noise[some.randrange(size)] = 0x40
        assert find_ebcdic(Bytes(bytes(noise))) is None


@pytest.mark.parametrize("length", [0, 1, 8, 23])
def test_too_little_is_nothing(length: int) -> None:
    """Under 24 bytes there are too few spaces to tell."""
    assert find_ebcdic(Bytes("HELLO WORLD OF EBCDIC 12345".encode("cp037")[:length])) is None


def test_german_is_not_read_by_the_turkish_page() -> None:
    """The page whose language is that of the text is the one, however likely its letters are elsewhere."""
    text = (
        "Die Größe der Blöcke ist standardmäßig zu berücksichtigen, außer wenn größere Puffer nötig sind. "
        "Für jede Größe gilt das Übliche, und über die Länge entscheidet die übrige Größe des Pakets. "
    )
    assert charlens.detect(text.encode("cp273")).encoding == "cp273"


def test_pages_with_the_same_text_are_one_reading() -> None:
    """Pages that differ in no byte of the text are equivalents, and no two alternatives have the same text."""
    data = "<!doctype html><html><head><meta cha".encode("cp500")
    verdict = charlens.detect(data)
    assert verdict.encoding is not None
    names = (verdict.encoding, *(each.encoding for each in verdict.alternatives))
    assert len({data.decode(name) for name in names}) == len(names)
    others = charlens.detect(data, never=["cp1140"])
    assert "cp1140" not in (others.encoding, *others.equivalents, *(each.encoding for each in others.alternatives))


@pytest.mark.parametrize("newline", [b"\x25", b"\x15", b"\x0d\x25"])
def test_tables_without_a_space_are_ebcdic(newline: bytes) -> None:
    """Fields between semicolons, and words on lines of their own, are nearly all letters, digits and punctuation."""
    rows = ["4711;Hammer;12.50;pcs", "0815;Screwdriver;7.95;pcs", "1234;Pliers;9.00;pcs"]
    data = newline.join(row.encode("cp037") for row in rows)
    verdict = charlens.detect(data)
    assert verdict.encoding == "cp037" and data.decode(verdict.encoding).startswith("4711;Hammer")
    assert any("letters, digits and punctuation" in step.words for step in verdict.steps)
    words = PROSE["en"][:400].encode("cp037", "ignore").split(b"\x40")
    assert charlens.detect(newline.join(words)).encoding == "cp037"


@pytest.mark.parametrize("page", ["cp273", "cp500", "cp1026"])
def test_a_sign_inside_a_word_is_a_letter_of_another_page(page: str) -> None:
    """Names in capitals, which mainframes write: 'MÜLLER' is not 'M]LLER'."""
    text = {"cp1026": "ÖZGÜR ŞAHİN, GÜNEŞ SOKAĞI 5, İSTANBUL. "}.get(page, "MÜLLER JÖRG, KÖNIGSTRASSE 12, KÖLN. ") * 4
    assert charlens.decode(text.encode(page)) == text


def test_pages_that_differ_in_signs_alone_are_not_certain() -> None:
    """'!' of cp037 is ']' in cp500; a bracket without its partner is less likely, but nothing is certain."""
    text = "SAY 'HELLO' || NAME || '!'\nSAY 'PLEASE ENTER YOUR NAME!'\nPULL NAME\nRETURN\n"
    verdict = charlens.detect(text.encode("cp037"))
    assert verdict.encoding == "cp037" and verdict.confidence < 0.9
    assert "cp500" in [other.encoding for other in verdict.alternatives]
    assert verdict.confidence + sum(other.confidence for other in verdict.alternatives) <= 1


@pytest.mark.parametrize("mark", "|^")
def test_fields_between_other_signs_are_ebcdic(mark: str) -> None:
    """One more sign may be frequent without a space: what separates the fields."""
    text = "".join(f"{1000 + n}{mark}SMITH{mark}JOHN{mark}LONDON{mark}{n * 37}\n" for n in range(40))
    assert charlens.decode(text.encode("cp500")) == text


def test_single_words_in_ebcdic_are_recognised_together() -> None:
    """Strings without spaces are a list of words."""
    words = ["Invoice", "Customer", "Balance", "Address", "Monday", "Quarter", "Zone", "Supplier", "Journal", "Ledger"]
    assert charlens.detect_together([word.encode("cp037") for word in words]).encoding == "cp037"


def test_full_width_spaces_are_not_those_of_ebcdic() -> None:
    """Japanese aligned with U+3000, whose second byte in Shift_JIS is the space of EBCDIC, is Shift_JIS."""
    text = "んは　おかあさんに　だかれて、おっぱいを　たらたらと　お目目に　いれて　いただきました。\n"
    assert charlens.decode(text.encode("cp932")) == text
    table = "品名　　　数量　　価格\n鉛筆　　　十本　　五百円\n消しゴム　二個　　二百円\n"
    assert charlens.decode(table.encode("cp932")) == table


@pytest.mark.skipif(kernel.NAME != "native", reason="the contract is that of the native kernel")
def test_ebcdic_is_found_within_the_time_of_the_contract() -> None:
    """24 KB take 1 ms, because pages are compared by counts of bytes; to read the text in every page took 9 ms."""
    sample = (PROSE["de"] * 100).replace("\n", "\x85").encode("cp273", "ignore")[:24_000]
    source = Bytes(sample)
    find_ebcdic(source)
    times = []
    for _ in range(5):
        begin = time.process_time()
        find_ebcdic(source)
        times.append(time.process_time() - begin)
    assert min(times) < 200e-9 * len(sample)
