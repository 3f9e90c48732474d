"""The markup stage: which bytes are a page, which of their words are scored, and the parser's way to them."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from types import ModuleType

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from test_markup_kernel import BORDERS, pages

import charlens
from charlens import kernel
from charlens.source import Bytes
from charlens.stages.markup import strip_markup

PROSE = (Path(__file__).parent / "prose" / "ru.txt").read_text(encoding="utf-8")
RUSSIAN = PROSE[:500]


def flavour(data: bytes) -> str:
    found = strip_markup(Bytes(data))
    return found.flavour if found else ""


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b"<!DOCTYPE html><p>x", "html"),
        (b"<?xml version='1.0'?><html xmlns='x'><p>y</p></html>", "html"),
        (b"<p>a</p> <b>fragment</b>", "html"),
        (b"text <b>a</b> <i>b</i> <br>", "html"),
        (b"<?xml version='1.0'?><rss><channel/></rss>", "xml"),
        (b"<svg xmlns='x'><text>y</text></svg>", "xml"),
        (b"<!-- $Id$ -->\n<refentry id='x'>", "xml"),
        (b"WEBVTT\n\n00:01.000 --> 00:02.000\nhello", "subtitles"),
        (b"1\r\n00:00:01,000 --> 00:00:02,000\r\nhello\r\n", "subtitles"),
        (b"[Script Info]\nTitle: x\n[Events]\nDialogue: 0,0:00:01.00,0:00:02.00,D,,0,0,0,,hi", "subtitles"),
        (b"plain text", ""),
        (b"if (a < b) return <int>(c); // x", ""),
        (b"use <b> for bold", ""),
        (b"#include <stdio.h>\nint main() {}", ""),
    ],
)
def test_which_bytes_are_a_page(data: bytes, expected: str) -> None:
    """HTML, XML and subtitles are recognised by their head; text and code that only have angle brackets are none."""
    assert flavour(data) == expected


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"WEBVTT\n\nNOTE x\n\n1\n00:01.000 --> 00:02.000\n<v Bob><i>hello</i> you", b"hello you"),
        (
            (
                b"1\r\n00:00:01,000 --> 00:00:02,000\r\n<b>hi</b>\r\n\r\n"
                b"2\r\n00:00:03,000 --> 00:00:04,000\r\n{\\an8}there"
            ),
            b"hi there",
        ),
        (
            (
                b"[Script Info]\nTitle: no\n[Events]\n"
                b"Dialogue: 0,0:00:01.00,0:00:02.00,D,,0,0,0,,hi, {\\i1}you{\\i0}\\Nthere\n"
            ),
            b"hi, you there",
        ),
    ],
    ids=["vtt", "srt", "ass"],
)
def test_the_words_of_subtitles(data: bytes, words: bytes) -> None:
    """WebVTT, SubRip and ASS are reduced to the spoken text, without times, numbers, tags and overrides."""
    found = strip_markup(Bytes(data))
    assert found and bytes(found.words).split() == words.split()


def test_words_decide_where_there_are_enough() -> None:
    """The Russian words of a page decide, not the bytes of another encoding in its scripts."""
    noise = PROSE.encode("koi8-r", "ignore")
    words = RUSSIAN[:60].encode("cp1251", "ignore")
    page = b"<html><body><p>" + words + b"</p><script>" + noise + b"</script></body></html>"
    assert charlens.detect(page).encoding == "cp1251"
    assert charlens.detect(page, markup="none").encoding == "koi8-r"


def test_where_words_are_few_everything_counts() -> None:
    """A page whose only foreign words are in attributes is read by them, and the step says so."""
    page = (
        b"<html><body><img src='a.gif' alt='" + RUSSIAN[:200].encode("koi8-r", "ignore") + b"'></body></html>"
    )
    verdict = charlens.detect(page)
    assert verdict.encoding == "koi8-r"
    assert any(step.stage == "markup" and "are scored too" in step.words for step in verdict.steps)


def test_a_long_page_is_stripped_until_there_is_plenty() -> None:
    """Of a page of a megabyte the first part is enough, unless the words come late."""
    words = "<p>" + RUSSIAN + "</p>"
    early = f"<html><body>{words * 800}</body></html>".encode("cp1251", "ignore")
    late = f"<html><body>{'<br>' * 50_000}{words * 10}</body></html>".encode("cp1251", "ignore")
    for page in (early, late):
        found = strip_markup(Bytes(page))
        assert found and found.enough and found.non_ascii > 1000
        assert charlens.detect(page).encoding == "cp1251"


# ---- the parser's way


def parser() -> ModuleType:
    """Return the module of the parser's way; without the parser the test is skipped."""
    pytest.importorskip("selectolax", reason="selectolax is not installed (extra: html)")
    from charlens.integrations import lexbor

    return lexbor


def test_every_byte_comes_out_of_the_parser_as_it_went_in() -> None:
    """All 256 values, between two tags: decoding as ISO-8859-1, parsing and encoding again changes none of them."""
    lexbor = parser()
    for value in range(256):
        text = b"1" + bytes([value]) + b"1"
        assert lexbor.strip_markup(b"<p class='a'>" + text + b"</p>") == text
    text = b"x" + bytes(range(256)) + b"x"
    assert lexbor.strip_markup(b"<div>" + text + b"</div>") == text


def test_the_parser_is_used_on_request() -> None:
    """markup='parser' gives the same answer by the other way, with a step that says how much was words."""
    pytest.importorskip("selectolax")
    page = f"<html><body><p>{RUSSIAN}</p></body></html>".encode("cp1251", "ignore")
    verdict = charlens.detect(page, markup="parser")
    assert verdict.encoding == "cp1251"
    assert any(step.stage == "markup" for step in verdict.steps)


@settings(max_examples=200)
@given(page=pages)
def test_both_ways_find_the_same_bytes(page: bytes) -> None:
    """Whatever is thrown together: what the parser keeps beyond ASCII, the direct way keeps, too.

    Not the reverse: a tree drops texts that a tokenizer cannot know to be out of place (in frame sets, in templates).
    """
    lexbor = parser()
    ours, theirs = kernel.strip_markup(page, 0), lexbor.strip_markup(page)
    high = [Counter(byte for byte in words if byte >= 0x80) for words in (theirs, ours)]
    assert high[0] <= high[1]


@pytest.mark.parametrize("page", BORDERS, ids=repr)
def test_a_parser_ends_the_same_words(page: bytes) -> None:
    """The words that the kernel's tests ask for, tags out of place passed over, are those of a real parser."""
    lexbor = parser()
    assert Counter(lexbor.strip_markup(page).split()) == Counter(BORDERS[page].split())


#: Without tables: a parser moves text that is outside the cells.
_ELEMENTS = (
    b"a b i em strong span q p div ul ol li dl dt dd h1 h2 br img code pre font center blockquote section address "
    b"td tr th caption body html head"
).split()


@settings(max_examples=300)
@given(
    tags=st.lists(
        st.tuples(st.sampled_from((b"<%s>%c", b"</%s>%c")), st.sampled_from(_ELEMENTS)), max_size=11
    )
)
def test_both_ways_end_words_at_the_same_tags(tags: list[tuple[bytes, bytes]]) -> None:
    """Random tags with a letter after each: the scanner skips the same tags as the parser."""
    lexbor = parser()
    page = b"".join(shape % (name, 97 + index) for index, (shape, name) in enumerate(tags))
    assert kernel.strip_markup(page, 0).split() == lexbor.strip_markup(page).split()


def test_blank_lines_between_subtitles_take_no_time() -> None:
    """A long run of blank lines is looked at once, not once from each of its lines."""
    cue = b"1\n00:00:01,000 --> 00:00:02,000\nGr\xfc\xdfe aus K\xf6ln\n"
    for blank in (b"\n", b"\r\n", b" \n"):
        assert charlens.detect(cue + blank * 100_000).encoding == "cp1252"
    assert charlens.detect(b"a --> b Gr\xfc\xdfe aus K\xf6ln" + b"\n" * 200_000).encoding == "cp1252"
