"""Seven-bit text that is not ASCII: ISO-2022-JP and its family, ISO-2022-KR, HZ and UTF-7; and what only looks so.

The false friends that people's files are full of (source code, diffs, coloured logs, keys) are in
`tests/cases/negative.toml`; here are those that take a loop to write.
"""

from __future__ import annotations

import base64
import random
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st
from prose_texts import PROSE, THIN

import charlens
from charlens import Outcome
from charlens.findings import EscapeForm
from charlens.source import Bytes
from charlens.stages.escapes import find_escapes

#: For each member of the family a text that no smaller member can hold.
FAMILY = {
    "iso2022_jp": "日本語の手紙を書きました。",
    "iso2022_jp_1": "補助漢字の仐と仚です。",  # JIS X 0212
    "iso2022_jp_2": "漢字と한국어と汉语とÄrger。",  # KS C 5601, GB 2312, Latin-1
    "iso2022_jp_3": "第三水準の☀と❶です。",  # JIS X 0213, first plane
    "iso2022_jp_2004": "俱樂部の𠮟と噓です。",  # JIS X 0213:2004
    "iso2022_jp_ext": "ｶﾀｶﾅと仐です。",  # half-width katakana beside JIS X 0212
    "iso2022_kr": "한국어 편지를 썼습니다.",
    "hz": "各位居民请注意,明天停水。",
    "utf-7": "Grüße an José und Жанна",
}
SMALLEST = ("iso2022_jp", "iso2022_jp_1", "iso2022_jp_2", "iso2022_jp_3", "iso2022_jp_2004", "iso2022_jp_ext")
PROSE_OF = {"iso2022_jp": "ja", "iso2022_kr": "ko", "hz": "zh-Hans", "utf-7": "ru"}


def found(data: bytes) -> EscapeForm | None:
    return find_escapes(Bytes(data))


@pytest.mark.parametrize("encoding", FAMILY)
def test_each_member_of_the_family(encoding: str) -> None:
    """Text that needs this very encoding is text in it, or in a smaller one that gives the same text."""
    text = FAMILY[encoding]
    data = ("Subject: " + text + "\r\n").encode(encoding)
    verdict = charlens.detect(data)
    assert verdict.outcome is Outcome.TEXT
    assert verdict.encoding is not None
    assert data.decode(verdict.encoding) == "Subject: " + text + "\r\n" == charlens.decode(data)
    if encoding in SMALLEST:
        assert verdict.encoding in SMALLEST[: SMALLEST.index(encoding) + 1]
    else:
        assert verdict.encoding == encoding


@pytest.mark.parametrize("encoding", FAMILY)
def test_the_step_names_the_first_shift(encoding: str) -> None:
    """The explanation has the encoding and the offset of the sequence that gave it away."""
    data = ("Subject: " + FAMILY[encoding]).encode(encoding)
    step = next(step for step in charlens.detect(data).steps if step.stage == "escapes")
    assert step.offset == min(at for at in (data.find(s) for s in (b"\x1b", b"~{", b"+")) if at >= 0)


@pytest.mark.parametrize("encoding", PROSE_OF)
def test_prose(encoding: str) -> None:
    """Prose of a language that was written in it is recognised, as a whole and line by line."""
    text = PROSE[PROSE_OF[encoding]].encode(encoding, "ignore").decode(encoding)
    assert charlens.decode(text.encode(encoding)) == text
    for line in text.splitlines():
        if not line.isascii():
            verdict = charlens.detect(line.encode(encoding))
            assert verdict.encoding == encoding, line


UTF_7_KNOWN = {
    "uz-Latn": "ʻ, the commonest of its signs, has no weight",
    "vi": "letters of two accents have no weight",
}


@pytest.mark.parametrize(
    "language",
    [
        pytest.param(
            tag, marks=pytest.mark.xfail(reason=UTF_7_KNOWN[tag], strict=True) if tag in UTF_7_KNOWN else ()
        )
        for tag in sorted(PROSE)
    ],
)
def test_utf_7_in_every_language(language: str) -> None:
    """Prose of any language in UTF-7 is UTF-7, with the hyphens that Python leaves out and with all of them."""
    text = PROSE[language]
    assert charlens.detect(text.encode("utf-7")).encoding == "utf-7"
    # Many writers end every run with its hyphen.
    pieces = [c if c.isascii() and c != "+" else c.encode("utf-7").decode() for c in text]
    assert charlens.detect("".join(pieces).encode()).encoding == "utf-7"


@pytest.mark.parametrize("count", [10, 1000, 1500, 1600, 5000])
def test_utf_7_in_runs_of_any_length(count: int) -> None:
    """A paragraph without one ASCII sign is a single run, and may be long."""
    text = "".join(PROSE["zh-Hans"].split()) * 10
    text = "".join(c for c in text if not c.isascii())[:count]
    assert charlens.decode(("Re: " + text + "\n").encode("utf-7")) == "Re: " + text + "\n"


def test_korean_shifts_are_no_controls() -> None:
    """SO and SI, blocked elsewhere, are shifts in ISO-2022-KR: it is text, and no UTF-16."""
    data = PROSE["ko"].encode("iso2022_kr", "ignore")
    assert b"\x0e" in data and b"\x0f" in data
    for length in range(30, len(data), 37):
        assert charlens.detect(data[:length]).encoding == "iso2022_kr"


@pytest.mark.parametrize("encoding", PROSE_OF)
def test_a_cut_is_reported(encoding: str) -> None:
    """Cut anywhere, the text is still recognised, and what decodes is all but the bytes that `cut` counts."""
    data = PROSE[PROSE_OF[encoding]].encode(encoding, "ignore")
    for length in range(200, 400, 1 + 6 * (THIN > 1)):
        verdict = charlens.detect(data[:length])
        assert verdict.encoding == encoding
        assert data[: length - verdict.cut].decode(encoding)


@pytest.mark.parametrize("encoding", PROSE_OF)
def test_a_cut_is_no_reason_to_doubt(encoding: str) -> None:
    """Cut anywhere, the encoding is still recognised, once there is a whole shifted run or two."""
    data = PROSE[PROSE_OF[encoding]].encode(encoding, "ignore")
    for length in range(300, 500, 1 + 6 * (THIN > 1)):
        assert charlens.detect(data[:length]).encoding == encoding


def test_the_way_back_to_ascii_is_an_alternative() -> None:
    """Every escape is also ASCII: that reading is an alternative with the remaining confidence."""
    verdict = charlens.detect(FAMILY["hz"].encode("hz"))
    assert [other.encoding for other in verdict.alternatives] == ["ascii"]
    assert verdict.confidence + verdict.alternatives[0].confidence == pytest.approx(1)
    assert charlens.detect(FAMILY["hz"].encode("hz"), never=["hz"]).encoding == "ascii"


# ---- negatives


@pytest.mark.parametrize("tail", [b"\x00", b"\x00\x01\x02\x03", b"\x1f\x02binary"])
@pytest.mark.parametrize("head", ["1b2442463c1b2842", "1b2429430e2154213f0f", "1b24421b2842"])
def test_a_binary_file_with_an_escape_in_it_is_binary(head: str, tail: bytes) -> None:
    """A shift in a file with NULs and other controls (a printer's, a terminal's) does not make text of it."""
    assert charlens.detect(bytes.fromhex(head) + tail).outcome is Outcome.BINARY


@pytest.mark.parametrize("code", ["0", "1;31", "38;5;196", "38;2;255;100;0", "4:3", "?25l", "2J", "K"])
def test_colours_are_no_shifts(code: str) -> None:
    """Coloured logs are ASCII (or UTF-8) text: ESC [ switches no character set, nor does a terminal's ESC ( B."""
    end = "m" if code[0].isdigit() and code != "2J" else ""
    log = f"\x1b[{code}{end}ERROR\x1b[0m disk full: ~90% + 4 GB\x1b(B\x1b[m\r\n" * 3
    verdict = charlens.detect(log.encode())
    assert (verdict.outcome, verdict.encoding) == (Outcome.TEXT, "ascii")
    assert charlens.detect((log + "größer").encode()).encoding == "utf-8"


BASE64_KNOWN = pytest.mark.xfail(
    reason="a run at the end of a line that reads as a likely character or two is enough", strict=True
)


@pytest.mark.parametrize("wrap", ["%s", "%s\n", pytest.param("sha256-%s", id="integrity")])
@BASE64_KNOWN
def test_base64_is_not_utf_7(wrap: str) -> None:
    """Of many keys and hashes in base64, each with a '+' in it, none is UTF-7."""
    some = random.Random(64)
    asked = 0
    for _ in range(30_000):
        blob = base64.b64encode(some.randbytes(some.choice([20, 32, 57]))).decode()
        if "+" in blob:
            asked += 1
            assert found((wrap % blob).encode()) is None, blob
    assert asked > 10_000


def test_keys_of_many_lines_are_not_utf_7() -> None:
    """PEM blocks and MIME parts, which have dozens of '+' each, are ASCII."""
    some = random.Random(65)
    for _ in range(300 // THIN):
        body = base64.encodebytes(some.randbytes(some.choice([400, 1200, 3000]))).decode()
        pem = f"-----BEGIN CERTIFICATE-----\n{body}-----END CERTIFICATE-----\n"
        if body.count("+") > 3:
            assert found(pem.encode()) is None


WORDS = [
    "a",
    "x",
    "foo",
    "bar",
    "count",
    "total",
    "name",
    "Size",
    "AAA",
    "ABC",
    "data1",
    "value",
    "e10",
    "uint8_t",
]
SHAPES = [
    "%s+%s-%s",
    "%s + %s - %s",
    "%s+%s;",
    "c = %s+%s; d = %s",
    "+%s-%s",
    "+%s %s",
    "++%s;",
    "%s+=%s",
    "%s+%s+%s",
]
SHAPES += [
    "%s+%s@example.com",
    "+++ b/%s/%s.py",
    "q=%s+%s&p=%s",
    "/(%s)+%s/",
    "%s[%s+1]",
    "+%s,",
    "C++ %s",
    "%s+%s",
]


@given(
    st.lists(st.tuples(*map(st.sampled_from, (SHAPES, WORDS, WORDS))), min_size=1, max_size=4),
    st.sampled_from(["\n", " ", "\r\n"]),
)
def test_sums_and_addresses_are_not_utf_7(parts: list[tuple[str, str, str]], glue: str) -> None:
    """Arithmetic, diffs, regular expressions, addresses and queries with '+' in them are ASCII."""
    lines = [shape % ((first, second, first)[: shape.count("%s")]) for shape, first, second in parts]
    assert found(glue.join(lines).encode()) is None, lines


@pytest.mark.parametrize("prefix", ["+1 ", "+49-", "+44", "+7(", "tel:+", "+", "+86-"])
def test_phone_numbers_are_not_utf_7(prefix: str) -> None:
    """A list of phone numbers is ASCII, however they are written."""
    some = random.Random(7)
    for _ in range(200 // THIN):
        digits = "".join(some.choices("0123456789", k=some.choice([7, 8, 9, 10, 11, 12])))
        for number in (digits, f"{digits[:3]}-{digits[3:6]}-{digits[6:]}", f"{digits[:2]} {digits[2:]}"):
            assert found(f"{prefix}{number}".encode()) is None
            assert found(f"Call {prefix}{number}, or fax.\n".encode()) is None


@pytest.mark.parametrize(
    "text", ["~{", "~{}", "a ~{ b ~} c", "~~{ok~}", "[^~{}]", r"\~{n}", "~{ab", "~}~{", "x~{a~}y"]
)
def test_tildes_and_braces_are_not_hz(text: str) -> None:
    """Regular expressions, TeX and destructors have '~{' too; without whole pairs up to '~}' it is no HZ."""
    assert found(text.encode()) is None


@given(st.binary(max_size=80).map(lambda data: bytes(byte & 0x7F for byte in data)))
def test_what_is_found_decodes(data: bytes) -> None:
    """Nothing is called by the name of an escape encoding that its codec cannot read from the start."""
    form = found(data)
    if form is not None:
        assert data.decode(form.encoding, "ignore") or data
        assert 0 <= form.offset < len(data)


@pytest.mark.parametrize(
    "unit", [b"~{!!", b"~{!!~}", b"~{a~", b"+AAA", b"+", b"+AOk-", b"\x1b$B", b"\x1b$)C"]
)
def test_hostile_input_takes_linear_time(unit: bytes) -> None:
    """A megabyte of shifts, whole or broken, is judged in a fraction of a second, not in minutes."""
    started = time.process_time()
    charlens.detect((unit * (1_000_000 // len(unit) + 1))[:1_000_000])
    assert time.process_time() - started < 10  # it takes 0.02; quadratic would be hours


@pytest.mark.parametrize("data", [b"plo+AWE-ke", b"ma+APE-ana", b"se+APE-or"])
def test_one_letter_inside_a_word_is_utf_7(data: bytes) -> None:
    """Small letters on both sides of a run in capitals: no word is written so, and one run is enough."""
    assert charlens.detect(data).encoding == "utf-7"


@pytest.mark.parametrize("directive", ["~{<~a>~}", "~{[~a]~}", "~{'~a'~}"])
def test_format_directives_of_lisp_are_not_hz(directive: str) -> None:
    """They are rare ideographs in HZ; real text has common ones."""
    assert charlens.detect(f'(format t "{directive}" xs)\n'.encode()).encoding == "ascii"
    assert charlens.detect("你好 (xs)".encode("hz")).encoding == "hz"


@pytest.mark.parametrize("data", [b"GRAVA \x1b\x1b$BC\r\nIGO ", b"\n\x1btext/html; charset=\x1b(I!T!U"])
def test_escapes_that_the_codec_leaves_alone_are_ascii(data: bytes) -> None:
    """After an ESC that begins nothing, Python's codecs read what follows as text: the answer is not ISO-2022-JP."""
    assert charlens.detect(data).encoding == "ascii"


@pytest.mark.parametrize("data", [b"t<body\x1b\x1b$)CB", b"\x1b[0m\x1b$)C colours"])
def test_an_announcement_that_the_codec_takes_for_text_is_text(data: bytes) -> None:
    """After an ESC that begins nothing, Python's codec keeps ESC $ ) C: the text is the same as in ASCII."""
    assert data.decode("iso2022_kr") == data.decode("ascii")
    assert charlens.detect(data).encoding == "ascii"
