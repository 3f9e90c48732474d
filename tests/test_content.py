"""Text or binary by the values of the bytes: the three lists, exactly, and the words that say why."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from prose_texts import THIN

import charlens
from charlens import Outcome
from charlens.findings import EbcdicForm, EscapeForm, UnicodeForm
from charlens.source import Bytes
from charlens.stages import content
from charlens.stages.content import classify_content

# From the design, by hand: text has at least one byte of the first list and none of the last.
ALLOWED = {9, 10, 13, *range(32, 256)}
TOLERATED = {7, 8, 11, 12, 26, 27}
BLOCKED = {0, 1, 2, 3, 4, 5, 6, *range(14, 26), 28, 29, 30, 31}


def values(mask: int) -> set[int]:
    return {value for value in range(256) if mask >> value & 1}


def test_the_lists_are_those_of_the_design() -> None:
    """Every byte value is on exactly one of the three lists, and the code has the same ones."""
    assert values(content.ALLOWED) == ALLOWED
    assert values(content.TOLERATED) == TOLERATED
    assert sorted([*ALLOWED, *TOLERATED, *BLOCKED]) == list(range(256))


@pytest.mark.parametrize("value", range(256))
def test_each_byte_alone(value: int) -> None:
    """Alone, a byte of the allow list is text, a tolerated one is not, and a blocked one is binary."""
    verdict = charlens.detect(bytes([value]))
    assert (verdict.outcome is Outcome.BINARY) == (value not in ALLOWED)
    assert charlens.is_text(bytes([value])) == (value in ALLOWED)
    words = " ".join(step.words for step in verdict.steps)
    assert ("binary: contains" in words and f"0x{value:02X}" in words) == (value in BLOCKED)


@pytest.mark.parametrize("value", range(256))
@pytest.mark.parametrize(
    "text", [b"plain words\n", b"Gr\xfc\xdfe aus dem S\xfcden\r\n", "中文和日本語\n".encode()]
)
def test_each_byte_inside_text(value: int, text: bytes) -> None:
    """One blocked byte anywhere makes text binary, and the step names it and where it is; no other byte does."""
    for at in (6, 0, len(text))[:: min(THIN, 3)]:
        data = text[:at] + bytes([value]) + text[at:]
        verdict = charlens.detect(data)
        assert (verdict.outcome is Outcome.BINARY) == (value in BLOCKED)
        if value in BLOCKED:
            step = verdict.steps[-1]
            assert (step.stage, step.offset) == ("content", at)
            assert f"0x{value:02X}" in step.words
            assert verdict.encoding is None and verdict.alternatives == ()


@given(st.binary(min_size=1, max_size=60))
def test_the_lists_decide_and_nothing_else(data: bytes) -> None:
    """Text has an allowed byte and no blocked one; the first blocked one is named."""
    found = classify_content(Bytes(data).scan)
    blocked = [at for at, byte in enumerate(data) if byte in BLOCKED]
    assert found.is_text == (not blocked and bool(ALLOWED & set(data)))
    assert (found.offset, found.byte) == ((blocked[0], data[blocked[0]]) if blocked else (-1, None))


@given(st.binary(max_size=60))
def test_the_method_of_the_lists_is_the_rule_to_the_letter(data: bytes) -> None:
    """`is_text(method="lists")` is the published rule: one allowed byte, no blocked one, nothing else."""
    expected = bool(ALLOWED & set(data)) and not BLOCKED & set(data)
    assert charlens.is_text(data, method="lists") == expected
    assert not charlens.is_text("wide\n".encode("utf-16-le") + data, method="lists")


def test_every_pair_of_bytes_by_the_lists() -> None:
    """The empty input, every byte and every pair of bytes get the answer of the lists."""
    probes = [b"", *(bytes([value]) for value in range(256))]
    probes += [bytes([one, other]) for one in range(256) for other in (0, 7, 13, 27, 31, 127, 255)]
    for data in probes:
        expected = bool(ALLOWED & set(data)) and not BLOCKED & set(data)
        assert charlens.is_text(data, method="lists") is expected


def test_an_unknown_method_is_refused() -> None:
    """The error names the methods that there are."""
    with pytest.raises(ValueError, match="'detect' or 'lists'"):
        charlens.is_text(b"a", method="magic")


def test_an_empty_input_is_not_text() -> None:
    """Of no bytes nothing can be said: undecided, with a step that says so, and not text."""
    verdict = charlens.detect(b"")
    assert (verdict.outcome, verdict.encoding) == (Outcome.UNDECIDED, None)
    assert not charlens.is_text(b"") and not verdict.is_text
    assert len(verdict.steps) == 1 and "empty" in verdict.steps[0].words


@pytest.mark.parametrize("data", [b"\x1b", b"\x0c\x0c\x0c", b"\x07\x08\x0b\x0c\x1a\x1b" * 20])
def test_tolerated_bytes_alone_are_not_text(data: bytes) -> None:
    """Form feeds and escapes without one byte of the allow list are not text, and the step says why."""
    verdict = charlens.detect(data)
    assert verdict.outcome is not Outcome.TEXT and verdict.encoding is None
    assert verdict.steps[-1].words == "binary: contains only control bytes"


@pytest.mark.parametrize(
    ("found", "word"),
    [
        (UnicodeForm("utf-16-le", 0.9, "NULs"), "utf-16-le"),
        (EscapeForm("iso2022_kr", 0.9, "announced", 0), "iso2022_kr"),
        (EbcdicForm((("cp037", 0.9),), 0.2), "EBCDIC"),
    ],
)
def test_what_was_recognised_before_is_text_whatever_its_bytes(found: UnicodeForm, word: str) -> None:
    """UTF-16, ISO-2022-KR and EBCDIC contain blocked bytes; the step says that these are part of the encoding."""
    decided = classify_content(Bytes(b"\x0e\x0f").scan, found)
    assert decided.is_text and word in decided.step().words


@pytest.mark.parametrize("form", ["ascii", "utf-8"])
def test_ascii_and_utf_8_excuse_no_control(form: str) -> None:
    """ASCII and UTF-8 with a NUL in them are binary: there a NUL is no part of any character."""
    assert not classify_content(Bytes(b"abc\x00").scan, UnicodeForm(form, 1.0, "")).is_text


@pytest.mark.parametrize("encoding", ["iso2022_kr", "iso2022_jp"])
def test_escapes_excuse_their_shifts_only(encoding: str) -> None:
    """SO and SI are shifts of ISO-2022-KR; a NUL is no part of any of that family and stays binary."""
    assert not classify_content(Bytes(b"abc\x00").scan, EscapeForm(encoding, 0.99, "", 0)).is_text


def test_the_first_blocked_byte_of_a_big_input_is_named() -> None:
    """Also in megabytes of text the offending byte and its offset are in the steps, if it decides."""
    text = b"etaoin shrdlu cmfwyp\n" * 210_000
    for at, times in ((1_000_000, 4000), (len(text) - 5, 400)):
        step = charlens.detect(text[:at] + bytes(range(7)) * times + text[at:]).steps[-1]
        assert (step.stage, step.offset, "0x00" in step.words) == ("content", at, True)


@pytest.mark.parametrize("odd", [b"\x00", b"\x1c", b"\x01\x02\x03"])
def test_a_long_text_with_a_few_controls_is_text(odd: bytes) -> None:
    """A stray control or two in kilobytes of text is not binary data; the step names it, and it costs confidence."""
    text = "Съешь ещё этих мягких французских булок, да выпей чаю.\n".encode("cp1251") * 100
    verdict = charlens.detect(text[:1000] + odd + text[1000:])
    assert (verdict.outcome, verdict.encoding) == (Outcome.TEXT, "cp1251")
    clean = charlens.detect(text)
    assert 0.9 < verdict.confidence < clean.confidence
    assert next(step.offset for step in verdict.steps if step.stage == "content") == 1000


def test_colour_codes_of_mail_boxes_are_text() -> None:
    """One kind of control used all over, as Ctrl-A before each colour, is text; random bytes with as many are not."""
    menu = b"\x01hWelcome to \x01bthe board\x01n, \xc9\xcd\xcd\xbb\r\n" * 30
    assert charlens.detect(menu).outcome is Outcome.TEXT
    noise = random.Random(4).randbytes(2000)
    assert charlens.detect(noise).outcome is Outcome.BINARY


def test_the_lists_alone_call_any_blocked_byte_binary() -> None:
    """Without data, `classify_content` uses the published lists."""
    data = b"words " * 1000 + b"\x1c"
    assert not classify_content(Bytes(data).scan).is_text
    assert classify_content(Bytes(data).scan, None, len(data), Bytes(data).controls()).is_text


def test_tolerated_bytes_first_do_not_settle_a_big_input() -> None:
    """A megabyte of form feeds before megabytes of words is text, as a kilobyte before kilobytes is."""
    assert charlens.is_text(b"\x0c" * 1000 + b"words\n" * 1000)
    assert charlens.is_text(b"\x0c" * (1 << 20) + b"words\n" * 600_000)


def test_compiled_python_is_binary_even_if_it_is_mostly_text() -> None:
    """A long docstring makes nearly all of a .pyc file text; its first bytes say what it is."""
    head = b"\xa7\r\r\n\0\0\0\0" + bytes(range(65, 73)) + b"\xe3\0\0\0\0"
    verdict = charlens.detect(head + b"A long text about the module, as in a docstring.\n" * 400)
    assert (verdict.outcome, verdict.media_type) == (Outcome.BINARY, "application/x-python-code")
