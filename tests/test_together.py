"""Pooled detection: many short strings of one origin, one answer."""

from __future__ import annotations

import codecs
import random
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st
from prose_texts import PROSE, THIN, legacy_pairs

import charlens
from charlens.encodings.orthography import write
from charlens.inputs.pooled import Pool, _decodes
from charlens.types import MOST_SPANS, Span


def words(language: str, encoding: str, count: int) -> list[bytes]:
    """The first words of the prose that leave ASCII, each alone."""
    found = [write(word, encoding) for word in PROSE[language].split()]
    return [word for word in found if word and not word.isascii()][:count]


def pool(verdict: charlens.Verdict) -> Pool:
    """The finding that opens a pooled verdict."""
    first = next(iter(verdict.findings))
    assert isinstance(first, Pool)
    return first


@pytest.mark.parametrize(
    ("language", "encoding"),
    [
        ("ru", "cp866"),
        ("ru", "koi8-r"),
        ("fr", "cp850"),
        ("de", "cp437"),
        ("cs", "cp852"),
        ("el", "cp737"),
        ("pl", "cp1250"),
        ("zh-Hans", "gbk"),
        ("ko", "cp949"),
    ],
)
def test_together_they_are_right(language: str, encoding: str) -> None:
    """Twelve words of one encoding, among ASCII names, are all decoded correctly."""
    names = words(language, encoding, 12)
    verdict = charlens.detect_together([b"readme.txt", *names, b"photo 001.jpg", b""])
    assert verdict.encoding is not None
    assert [name.decode(verdict.encoding) for name in names] == [name.decode(encoding) for name in names]
    assert verdict.damage == ()


def test_more_are_right_together_than_alone() -> None:
    """Of short words in DOS encodings some are misread alone; the lots are not."""
    alone = together = 0
    for language, encoding in [
        ("fr", "cp850"),
        ("cs", "cp852"),
        ("ru", "cp866"),
        ("da", "cp865"),
        ("es", "cp437"),
    ]:
        names = words(language, encoding, 12)
        answers = [charlens.detect(name).encoding or "ascii" for name in names]
        pooled = charlens.detect_together(names).encoding or "ascii"
        for name, answer in zip(names, answers, strict=True):
            alone += name.decode(answer, "replace") == name.decode(encoding)
            together += name.decode(pooled, "replace") == name.decode(encoding)
    assert together > alone


def test_ascii_says_nothing() -> None:
    """A thousand plain names do not drown two that are not."""
    names = words("ru", "cp866", 4)
    plain = [b"file %d.txt" % number for number in range(1000)]
    assert charlens.detect_together([*plain, *names]).encoding == "cp866"
    assert charlens.detect_together(plain).encoding == "ascii"


def test_utf8_together() -> None:
    """Names that are all UTF-8 are UTF-8, one cut off in the middle of a character among them."""
    verdict = charlens.detect_together(["Grüße".encode(), "naïve".encode(), "Größ€".encode()[:-1], b"plain"])
    assert (verdict.encoding, verdict.damage, pool(verdict).misfits) == ("utf-8", (), ())


def test_a_misfit_in_utf8_is_named() -> None:
    """Most in UTF-8 and one not: UTF-8, with the odd one by its number and its range, and a confidence that says so."""
    lot = ["Grüße".encode(), b"caf\xe9", "naïve".encode(), "Größe".encode()]
    verdict = charlens.detect_together(lot)
    assert verdict.encoding == "utf-8"
    assert pool(verdict).misfits == (1,)
    (span,) = verdict.damage
    assert b"".join(lot)[span.start : span.end] == b"caf\xe9"
    assert verdict.confidence == pytest.approx(0.75, abs=0.01)


def test_a_misfit_in_legacy_is_named() -> None:
    """Most in Greek and one in UTF-8 that no Greek encoding decodes: Greek, with the odd one named."""
    lot = [*words("el", "cp1253", 8), "Ҫӗр-шыв".encode()]
    verdict = charlens.detect_together(lot)
    assert verdict.encoding in ("cp1253", "iso8859-7")
    assert pool(verdict).misfits == (8,)


def test_a_broken_name_does_not_rule_an_encoding_out() -> None:
    """One name in a hundred that Shift_JIS cannot decode is a misfit; Shift_JIS stays the answer."""
    kana = "あいうえおかきくけこさしすせそたちつてと"
    lot = [f"{first}{second}の写真".encode("cp932") for first in kana for second in kana[:5]]
    lot.insert(40, "写真".encode("cp932") + b"\x81 x")
    verdict = charlens.detect_together(lot)
    assert (verdict.encoding, pool(verdict).misfits) == ("cp932", (40,))


def test_names_cut_in_the_middle_of_a_character() -> None:
    """ID3 tags end after 30 bytes, in the middle of a character as likely as not: no reason against an encoding."""
    names = ["日本語のファイル名です", "東京タワーの写真", "これはテスト", "音楽と映画"]
    assert charlens.detect_together([name.encode("cp932")[:13] for name in names]).encoding == "cp932"


def test_repeated_strings_count_once() -> None:
    """The same name a thousand times is as much evidence as once."""
    names = words("fr", "cp850", 3)
    once, often = charlens.detect_together(names), charlens.detect_together(names * 1000)
    assert (once.encoding, once.confidence) == (often.encoding, often.confidence)


def test_the_order_does_not_matter() -> None:
    """Shuffled, the strings get the same answer."""
    names = [*words("cs", "cp852", 10), b"a", "ů".encode()]
    shuffled = random.Random(1).sample(names, len(names))
    assert charlens.detect_together(names).encoding == charlens.detect_together(shuffled).encoding


@pytest.mark.parametrize("codec", ["utf-16-le", "utf-16-be", "utf-16"])
def test_utf16_together(codec: str) -> None:
    """Tags in UTF-16, each with its mark or none with one, are UTF-16."""
    verdict = charlens.detect_together([text.encode(codec) for text in ("Song", "Artist", "Приве́т", "Album")])
    assert (verdict.encoding or "").startswith("utf-16")


def test_escapes_together() -> None:
    """Subjects in ISO-2022-JP among plain ones are ISO-2022-JP."""
    lot = [b"Re: hello", "日本".encode("iso2022_jp"), "東京".encode("iso2022_jp")]
    assert charlens.detect_together(lot).encoding == "iso2022_jp"


def test_binary_together() -> None:
    """Strings with block-listed bytes that are no UTF-16 are binary; one among many text strings is a misfit."""
    assert charlens.detect_together([b"\0\1\2", b"\xff\0\3", b"abc"]).outcome is charlens.Outcome.BINARY
    lot = [*words("ru", "koi8-r", 15), b"x\1\2"]
    verdict = charlens.detect_together(lot)
    assert (verdict.encoding, pool(verdict).misfits) == ("koi8-r", (15,))


@pytest.mark.parametrize("lot", [[], [b""], [b"", b""]])
def test_nothing_is_undecided(lot: list[bytes]) -> None:
    """No string, or none with a byte in it, leaves nothing to decide."""
    assert charlens.detect_together(lot).outcome is charlens.Outcome.UNDECIDED


def test_keywords_are_those_of_detect() -> None:
    """`only`, `never` and `hints` work as for one input; without utf-8 among the allowed, UTF-8 is just bytes."""
    names = words("ru", "koi8-r", 3)
    assert charlens.detect_together(names, never=["koi8-r", "koi8-u", "koi8-t"]).encoding not in (
        "koi8-r",
        "koi8-u",
    )
    assert charlens.detect_together(["é".encode()], only=["cp1252"]).encoding == "cp1252"
    steps = charlens.detect_together(names, hints={"language": "ru"}).steps
    assert any(step.stage == "hints" for step in steps)


def test_one_string_is_a_mistake() -> None:
    """Bytes are a sequence of integers, not of strings; the error says what to write."""
    with pytest.raises(TypeError, match="list of byte strings, such as"):
        charlens.detect_together(b"abc")  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="needs bytes"):
        charlens.detect_together(["abc"])  # type: ignore[list-item]


def test_many_strings_in_bounded_memory() -> None:
    """Strings come from an iterator, and of many misfits only the first are listed."""

    def endless() -> Iterator[bytes]:
        for number in range(20_000):
            yield "Größe %d".encode() % number
        for number in range(2_000):
            yield b"caf\xe9 %d" % number

    verdict = charlens.detect_together(endless())
    assert verdict.encoding == "utf-8" and len(verdict.damage) == MOST_SPANS == len(pool(verdict).misfits)


@given(st.lists(st.binary(max_size=12), max_size=12))
def test_any_strings_are_safe(lot: list[bytes]) -> None:
    """Whatever the strings are, there is a verdict with its steps, and misfits are numbers of strings."""
    verdict = charlens.detect_together(lot)
    assert verdict.steps[0].stage == "pool"
    assert set(pool(verdict).misfits) <= set(range(len(lot)))
    assert all(0 <= start < end <= sum(map(len, lot)) for start, end in verdict.damage)


@pytest.mark.parametrize(
    "strings",
    [
        [b"n+\nx", b"A", b"+APw-k meg", b"t+"],  # '+' before a line ending is an error in UTF-7
        [b"\xef\xbb\xbf<body>\xf0\x9f\x98\x80\x80", b"a\xff"],  # a mark, and what is not UTF-8 after it
        [
            b"@@k@@@@@%@\xf7K\xf2\xf5`@'@@K@@@@@@t",
            b"xt/html; chars",
            b"t=@%@k@\x1b$)C@@@@@K@",
        ],  # EBCDIC, and ASCII
    ],
)
def test_a_string_that_does_not_decode_is_a_misfit(strings: list[bytes]) -> None:
    """Every string decodes by the answer, or is named by its number and its range."""
    verdict = charlens.detect_together(strings)
    assert verdict.encoding is not None
    misfits = pool(verdict).misfits
    for number, string in enumerate(strings):
        start = sum(map(len, strings[:number]))
        assert ((start, start + len(string)) in verdict.damage) == (number in misfits)
        if number not in misfits:
            codecs.getincrementaldecoder(verdict.encoding)().decode(string)


def test_a_pool_that_obeys_a_declaration_names_what_does_not_decode() -> None:
    """Strings of UTF-8 that the declared encoding lacks are misfits, by number and range."""
    strings = ["плохо 😀".encode(), b"plain", "хорошо".encode()]
    verdict = charlens.detect_together(
        strings, declared="obey", content_type="text/html; charset=windows-1251"
    )
    assert verdict.encoding == "cp1251"
    misfits = [string for string in strings if b"\x98" in string]
    assert [strings[number] for number in verdict.findings[0].misfits] == misfits
    assert verdict.damage == (Span(0, len(strings[0])),)


def test_a_string_with_a_wrong_escape_is_a_misfit() -> None:
    """A pool in ISO-2022-JP by declaration names the strings that are not."""
    strings = ["日本語".encode("iso2022_jp"), b"plain", b"a\x1b(Iin"]
    verdict = charlens.detect_together(
        strings, declared="obey", content_type="text/html; charset=iso-2022-jp"
    )
    assert verdict.encoding == "iso2022_jp"
    assert verdict.findings[0].misfits == (2,)


def test_a_string_of_utf8_that_is_cut_off_can_be_a_misfit() -> None:
    """What is cut off in UTF-8 counts where the answer is another encoding."""
    strings = [b"n \xa1V at sl grsset \xa1V at afleve", b"0\xc3\xa90:01,22 --> 1:02:03,45\xe2\x82", b" n\xc8\xfbgle"]
    verdict = charlens.detect_together(strings, only=["big5hkscs", "utf-8"])
    assert verdict.encoding == "big5hkscs" and verdict.findings[0].misfits == (1,)


# ---- UTF-8 among legacy strings

GERMAN = ("Grüße", "Straße", "schön", "Übung", "Mädchen", "Käse", "Öl", "für", "können", "Tür", "Bäume", "hübsch")


@pytest.mark.parametrize("few", [("Köln", "Düsseldorf", "Zürich", "Böhm"), ("Zürich",), ("Привет",), ("東京",)])
def test_a_few_strings_of_utf8_are_misfits(few: tuple[str, ...]) -> None:
    """A legacy encoding decodes them, but to mojibake: they are named, and the confidence is lowered by their share."""
    lot = [*(word.encode("cp1252") for word in GERMAN), *(word.encode() for word in few)]
    verdict = charlens.detect_together(lot)
    assert verdict.encoding == "cp1252"
    assert pool(verdict).misfits == tuple(range(len(GERMAN), len(lot)))
    assert len(verdict.damage) == pool(verdict).unfit == len(few)
    assert verdict.confidence == pytest.approx(len(GERMAN) / len(lot), abs=0.01)


def test_equal_misfits_are_listed_once_and_counted_each_time() -> None:
    """A name in UTF-8 that comes ten times lowers the confidence like ten names."""
    verdict = charlens.detect_together([word.encode("cp1252") for word in GERMAN] + ["Köln".encode()] * 10)
    assert (pool(verdict).misfits, pool(verdict).unfit) == ((len(GERMAN),), 10)
    assert verdict.confidence == pytest.approx(len(GERMAN) / (len(GERMAN) + 10), abs=0.01)


def test_no_word_is_utf8_by_chance() -> None:
    """Legacy words that are also valid UTF-8 ('sn\u0627it' is Czech 'sněžit' in cp852) are not misfits."""
    wrong = {}
    for encoding, language in list(legacy_pairs("single", "multi"))[:: min(THIN, 5)]:
        forms = {form for word in PROSE[language].split() for form in (word, word.upper())}
        lot = sorted({form.encode(encoding, "ignore") for form in forms})
        verdict = charlens.detect_together(lot)
        if verdict.encoding not in (None, "utf-8") and not pool(verdict).blocked:
            decodable = [lot[number] for number in pool(verdict).misfits if _decodes(lot[number], verdict.encoding)]
            wrong.update({(encoding, language): decodable} if decodable else {})
    assert wrong == {}


def test_all_misfits_are_counted() -> None:
    """Of 2,000 strings that do not decode, 1,000 are listed, and all lower the confidence."""
    lot = ["Größe %d".encode() % number for number in range(3000)]
    verdict = charlens.detect_together([*lot, *(b"caf\xe9 %d" % number for number in range(2000))])
    assert (len(pool(verdict).misfits), pool(verdict).unfit) == (MOST_SPANS, 2000)
    assert verdict.confidence == pytest.approx(0.6, abs=0.01)
    assert "2,000 cannot be decoded this way" in verdict.steps[0].words


# ---- limits


def test_the_limit_is_for_all_strings_together() -> None:
    """With max_bytes, the string at the limit is cut there, and a step says so if something is left out."""
    verdict = charlens.detect_together([b"hello world"] * 3, max_bytes=5)
    assert verdict.encoding == "ascii" and pool(verdict).strings == 1
    assert verdict.steps[-1].words == "only the first 5 bytes were read (max_bytes)"
    exact = charlens.detect_together([b"hello"] * 3, max_bytes=15)
    assert pool(exact).strings == 3 and exact.steps[-1].stage != "limit"
