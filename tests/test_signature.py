"""Byte order marks: found at the start and nowhere else, the longest first, and never more than a claim."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from prose_texts import MARKS, PROSE

import charlens
from charlens import Outcome
from charlens.stages.signature import find_signature

ALL_MARKS = {**MARKS, "gb18030": b"\x84\x31\x95\x33"}
#: The other forms of U+FEFF in UTF-7: the last bits of the fourth byte belong to the next character.
UTF_7_MARKS = (b"+/v8", b"+/v9", b"+/v+", b"+/v/", b"+/v8-")


@pytest.mark.parametrize("encoding", ALL_MARKS)
def test_a_mark_names_its_encoding(encoding: str) -> None:
    """Each mark is found alone, before text, and in a view, and is U+FEFF in its encoding."""
    mark = ALL_MARKS[encoding]
    assert mark.decode(encoding) == "\ufeff"
    for data in (mark, mark + "a".encode(encoding), memoryview(mark + b"abc"), memoryview(bytearray(mark))):
        found = find_signature(data)
        assert found is not None
        assert (found.encoding, found.mark) == (encoding, mark)
        assert found.step().offset == 0


@pytest.mark.parametrize("mark", UTF_7_MARKS)
def test_the_marks_of_utf_7_are_known(mark: bytes) -> None:
    """U+FEFF in UTF-7 has four forms, and a fifth where the run ends with it."""
    found = find_signature(mark + b"AA")
    assert found is not None and found.encoding == "utf-7"


def test_the_longest_mark_wins() -> None:
    """The mark of UTF-32-LE begins with that of UTF-16-LE, and is distinguished from it by its two NULs."""
    for data, encoding in (
        (b"\xff\xfe\0\0", "utf-32-le"),
        (b"\xff\xfe\0a", "utf-16-le"),
        (b"\xff\xfe\0", "utf-16-le"),
    ):
        found = find_signature(data)
        assert found is not None and found.encoding == encoding


@pytest.mark.parametrize("mark", [*ALL_MARKS.values(), *UTF_7_MARKS])
def test_half_a_mark_is_none(mark: bytes) -> None:
    """A mark that is cut off, or one byte late, is no mark (two bytes of UTF-32-LE's are UTF-16-LE's)."""
    marks = (b"\xff\xfe", b"\xff\xfe\0", b"+/v8")
    shorter = [mark[:length] for length in range(len(mark)) if mark[:length] not in marks]
    assert [find_signature(data) for data in shorter] == [None] * len(shorter)
    assert find_signature(b" " + mark) is None


@given(st.binary(max_size=8))
def test_only_marks_are_marks(data: bytes) -> None:
    """Nothing is found but what the input really opens with."""
    found = find_signature(data)
    known = [*ALL_MARKS.values(), *UTF_7_MARKS]
    assert (found is not None) == any(data.startswith(mark) for mark in known)
    if found is not None:
        assert data.startswith(found.mark)
        assert not any(data.startswith(mark) and len(mark) > len(found.mark) for mark in known)


@pytest.mark.parametrize("encoding", MARKS)
@pytest.mark.parametrize("language", ["de", "ru", "zh-Hans"])
def test_a_verdict_names_the_mark_and_decode_takes_it_away(encoding: str, language: str) -> None:
    """The mark is in `bom`, the encoding is the plain one, `codec` eats the mark, and `decode` gives the bare text."""
    data = MARKS[encoding] + PROSE[language].encode(encoding)
    verdict = charlens.detect(data)
    assert (verdict.outcome, verdict.encoding, verdict.bom) == (Outcome.TEXT, encoding, MARKS[encoding])
    assert verdict.codec is not None
    assert data.decode(verdict.codec) == PROSE[language] == charlens.decode(data)
    assert verdict.steps[0].stage == "signature"


@pytest.mark.parametrize("encoding", MARKS)
@settings(max_examples=40)
@given(
    text=st.text(
        st.characters(exclude_categories=["Cs", "Cc"], exclude_characters="\ufffe\uffff"), max_size=6
    )
)
def test_a_mark_settles_the_shortest_text(encoding: str, text: str) -> None:
    """Behind a mark even no character, or one, is text in that encoding."""
    verdict = charlens.detect(MARKS[encoding] + text.encode(encoding))
    # "\ufeff" + NULs aside: FF FE 00 00 is the mark of UTF-32.
    assert (verdict.outcome, verdict.encoding) == (Outcome.TEXT, encoding)
    assert charlens.decode(MARKS[encoding] + text.encode(encoding)) == text


@pytest.mark.parametrize("text", ["各位居民请注意，明天停水。", "plain words"])
def test_the_mark_of_gb18030_is_believed_where_the_rest_decodes(text: str) -> None:
    """84 31 95 33 is U+FEFF in GB 18030 and four odd signs elsewhere: the answer is GB 18030, without the mark."""
    data = ("\ufeff" + text).encode("gb18030")
    verdict = charlens.detect(data)
    assert (verdict.encoding, verdict.bom) == ("gb18030", b"\x84\x31\x95\x33")
    assert charlens.decode(data) == text


UTF_7_TEXTS = ["Grüße aus Köln", "Жук и чай", "日本語の本文です"]


@pytest.mark.parametrize("text", UTF_7_TEXTS)
def test_the_mark_of_utf_7_is_believed_where_the_rest_decodes(text: str) -> None:
    """UTF-7 that opens with U+FEFF is UTF-7."""
    assert charlens.detect(("\ufeff" + text).encode("utf-7")).encoding == "utf-7"


@pytest.mark.parametrize("text", UTF_7_TEXTS[1:])
def test_the_mark_of_utf_7_is_no_part_of_the_text(text: str) -> None:
    """`decode` gives the text of UTF-7 without its mark, also where mark and text share a run of base64."""
    assert charlens.decode(("\ufeff" + text).encode("utf-7")) == text


@pytest.mark.parametrize("mark", UTF_7_MARKS[:4])
def test_an_unconfirmed_mark_is_not_removed(mark: bytes) -> None:
    """ASCII that happens to open with '+/v8' is ASCII with no mark, and not a character of it is lost."""
    data = mark + b" is where the patch put the socket: +/var/run"
    verdict = charlens.detect(data)
    assert (verdict.encoding, verdict.bom) == ("ascii", b"")
    assert charlens.decode(data) == data.decode("ascii")


def test_a_mark_of_another_encoding_is_not_removed() -> None:
    """What is UTF-8 with damage in it, and opens with the bytes of GB 18030's mark, has no mark."""
    data = b"\x84\x31\x95\x33" + "Schöne Grüße aus Köln und Düsseldorf, Ihr Käthchen".encode()
    verdict = charlens.detect(data)
    assert bool(verdict.bom) == (verdict.encoding == "gb18030")


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be"])
def test_a_mark_before_something_else_is_not_believed(encoding: str) -> None:
    """A mark of UTF-16 or UTF-32 before bytes that are no such text (NULs, faults) does not make text of them."""
    for body in (bytes(64), b"\xff\xff" * 32, b"\x00\xdc\xdc\x00" * 16):
        verdict = charlens.detect(MARKS[encoding] + body)
        assert verdict.encoding != encoding, body[:8]
