"""One call for plain legacy text: with `kernel.survey` and without, the answers and their steps are the same."""

from __future__ import annotations

import random
from itertools import product
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from prose_texts import PROSE

import charlens
from charlens import kernel, survey
from charlens.encodings import all_encodings
from charlens.kernel import pure
from charlens.kernel.facts import MARKS
from charlens.models import default_model
from charlens.options import DEFAULTS, Options, make_options
from charlens.pipeline import run
from charlens.source import Bytes
from charlens.stages.statistics.tables import tables_of

try:
    from charlens.kernel import _native
except ImportError:
    _native = None  # type: ignore[assignment]

needs_native = pytest.mark.skipif(_native is None, reason="the native kernel is not built here")

#: Text, and what the early stages look for.
SPICES = (
    *(b'<html lang="de">', b"uses SysUtils;", b"\r"),
    *(mark for mark, _ in MARKS),
    *(b"\0", b"\x01", b"\x1b[0m", b"\x1a", b"\r\n", b"\n", b"<p>", b"[x]: ", b"Subject: ", b"From a", b"@", b"@" * 9),
    *(b"# coding: koi8-r\n", b"charset=", b"\\usepackage[latin1]{inputenc}", b"%PDF-1.4", b"PK\x03\x04", b"\xff"),
    *(b"\x90", b"\x81\x82\x83", b"~{", b"+AGE-", "Ã©".encode(), "日本".encode(), "日本".encode("utf-16-le")),
    "ab".encode("cp500"),
)


def tables() -> Any:
    """The tables of the kernel in use."""
    charlens.detect(b"Gr\xf6\xdfe")
    return survey.FULL


def both(data: bytes, options: Options = DEFAULTS) -> tuple[charlens.Verdict, charlens.Verdict]:
    """The verdict with the survey, and that of the stages one by one."""
    made = tables()
    return run(Bytes(data, made, options.survey, survey.evidence_of(options)), options), run(Bytes(data), options)


def assert_same(data: bytes, options: Options = DEFAULTS) -> bool:
    """Compare the two, and return whether the survey judged."""
    surveyed, stages = both(data, options)
    assert surveyed == stages
    assert surveyed.steps == stages.steps
    return Bytes(data, tables()).surveyed is not None


@pytest.mark.parametrize("encoding", [each.name for each in all_encodings() if each.kind != "utf"])
def test_prose_is_answered_the_same_in_every_encoding(encoding: str) -> None:
    """Text of every language, in pieces of many sizes, whether or not the survey can judge it."""
    chance = random.Random(encoding)
    for text in chance.sample(sorted(PROSE.values()), 12):
        data = text.encode(encoding, "ignore")
        for size in (1, 2, 5, 23, 24, 60, 255, 256, 700):
            at = chance.randrange(max(1, len(data) - size))
            assert_same(data[at : at + size])


def test_plain_legacy_text_is_judged_at_once() -> None:
    """Prose in the usual legacy encodings needs no other stage."""
    usual = {"ru": "cp1251", "fr": "cp1252", "pl": "iso8859-2", "ja": "euc_jp", "zh-Hans": "gbk", "ko": "cp949"}
    for tag, encoding in usual.items():
        data = PROSE[tag].encode(encoding, "ignore")[:100]
        assert assert_same(data), tag


def test_chinese_is_judged_at_once_whatever_pages_of_windows_lack() -> None:
    """A byte that a page of Windows lacks (0x81) is not stray if GBK decodes hundreds of others."""
    data = PROSE["zh-Hans"].replace("亚", "亞").replace("，", "，亞", 1).encode("gbk", "ignore")
    assert b"\x81" in data and assert_same(data)


def test_before_legacy_text_the_survey_needs_no_model() -> None:
    """Tables without the model tell what is quiet, and leave legacy text to the stages."""
    quiet = kernel.SurveyTables(*survey.arguments(False))
    for data in (b"plain words", "Grüße".encode(), "Gr\xfc\xdfe".encode("latin-1"), b"<p>", b"%PDF-1", b"x", b""):
        own, stages = run(Bytes(data, quiet, DEFAULTS.survey), DEFAULTS), run(Bytes(data), DEFAULTS)
        assert own == stages and own.steps == stages.steps
    assert [kernel.survey(quiet, data, 1, ())[1:] for data in (b"plain", b"Gr\xfc\xdfe", b"<p>")] == [
        (True, None),
        (True, None),
        (False, None),
    ]


@given(
    st.lists(st.one_of(st.sampled_from(SPICES), st.binary(max_size=6), st.sampled_from(sorted(PROSE))), max_size=8),
    st.sampled_from(("cp1251", "cp1252", "cp932", "gb18030", "cp437", "cp500", "koi8-r", "cp1255")),
)
def test_whatever_an_early_stage_looks_for_the_answers_are_the_same(pieces: list[bytes | str], encoding: str) -> None:
    """Marks, controls, markup, headers, declarations and other encodings, mixed into prose."""
    text = [PROSE[each][:90].encode(encoding, "ignore") if isinstance(each, str) else each for each in pieces]
    assert_same(b"".join(text))


@pytest.mark.parametrize("spice", SPICES, ids=repr)
def test_every_sign_that_a_stage_looks_for_is_left_to_it(spice: bytes) -> None:
    """At the beginning of a text, inside it and at its end, in legacy text and in UTF-8."""
    for tag, encoding in (("ru", "cp1251"), ("de", "cp1252"), ("ja", "cp932"), ("pl", "utf-8"), ("en", "ascii")):
        data = PROSE[tag].encode(encoding, "ignore")[:260]
        for text in (spice + data, data[:90] + spice + data[90:], data[:30] + spice, spice):
            assert_same(text)


@pytest.mark.parametrize(
    "keywords",
    [
        {"only": ["cp1251", "koi8-r", "utf-8"]},
        {"only": ["cp037", "cp500"]},
        {"only": ["ascii"]},
        {"never": ["cp1251", "cp1252", "gbk"]},
        {"hints": {"language": "ru", "declared": "koi8-r"}},
        {"content_type": "text/plain; charset=iso-8859-2"},
        {"content_type": "text/plain; charset=koi8-r", "declared": "obey"},
        {"content_type": "text/plain; charset=koi8-r", "declared": "ignore"},
        {"content_type": "text/html; charset=cp1251", "hints": {"tld": "pl", "prior": {"cp1252": 3, "cp437": 1}}},
        {"content_type": "text/html", "declared": "obey"},
        {"language": False, "parts": True},
    ],
    ids=str,
)
def test_with_options_the_answers_are_the_same(keywords: dict[str, Any]) -> None:
    """Whatever the caller says: hints and a header are evidence for the survey, allowed encodings after it."""
    options = make_options(**keywords)
    for tag, encoding in (("ru", "cp1251"), ("pl", "iso8859-2"), ("ja", "cp932"), ("en", "cp500"), ("fr", "utf-8")):
        data = PROSE[tag].encode(encoding, "ignore")
        for size in (3, 30, 100, 700):
            assert_same(data[:size], options)
            assert_same(b"Caf\xe9 \x90 " + data[:size], options)


@needs_native
@given(st.lists(st.one_of(st.sampled_from(SPICES), st.binary(max_size=40)), max_size=8))
def test_both_kernels_survey_the_same(pieces: list[bytes]) -> None:
    """The same facts, and the same judgement or none."""
    arguments = survey.arguments()[1:]
    model = tables_of(default_model()).arguments
    data = b"".join(pieces)
    one = _native.SurveyTables(_native.JudgeTables(*model), *arguments)
    two = pure.SurveyTables(pure.JudgeTables(*model), *arguments)
    for how, evidence in product(range(4), ((), (0x3FF00, 1 << 256 - 1, 4.0, 1 << 40, 0xFFFF << 8, -0.3))):
        assert _native.survey(one, data, how, evidence) == pure.survey(two, data, how, evidence)


@pytest.mark.parametrize("place", range(1, 12))
def test_tables_that_do_not_fit_are_refused(place: int) -> None:
    """A table that is cut short, or that names an encoding that is not there, is an error when the tables are made."""
    wrong = list(survey.arguments())
    table = wrong[place]
    if isinstance(table, tuple):
        wrong[place] = (*table[:-1], table[-1][:-1]) if isinstance(table[-1], bytes) else (*table[:-1], -1)
    elif place != 3:
        wrong[place] = table[:-1] + (b"\xff" if place in (6, 8) else b"")
    else:
        return  # any words will do
    with pytest.raises(ValueError, match=r"fit|range|needs"):
        kernel.SurveyTables(*wrong)


@pytest.mark.parametrize("twin", [pure, pytest.param(_native, marks=needs_native)])
def test_tables_that_could_change_are_refused(twin: Any) -> None:
    """They are checked once, so nobody may write to them afterwards."""
    model, *rest = tables_of(default_model()).arguments
    for place in range(7):
        with pytest.raises(ValueError, match="read-only"):
            twin.JudgeTables((*model[:place], bytearray(model[place]), *model[place + 1 :]), *rest)
    quiet = list(survey.arguments(False))
    quiet[4] = bytearray(quiet[4])
    with pytest.raises(ValueError, match="read-only"):
        twin.SurveyTables(*quiet)
