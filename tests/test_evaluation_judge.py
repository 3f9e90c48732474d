"""The judge: which answers are right, in which way, and which are not."""

from __future__ import annotations

import pytest

from charlens.evaluation.judge import Grade, judge
from charlens.evaluation.names import resolve
from charlens.evaluation.peers import Answer
from charlens.types import Outcome

RUSSIAN = "Съешь же ещё этих мягких французских булок.".encode("cp1251")
LATIN = "Où êtes-vous, garçon ?".encode("latin-1")
CURLY = "“Où êtes-vous ?”".encode("cp1252")
BEYOND_GB2312 = "鎔基".encode("gbk")
PLAIN = b"nothing but ASCII"

# bytes, true encoding, answer, whether the answer is a label of the web, grade
CASES = [
    (RUSSIAN, "cp1251", "windows-1251", False, Grade.EQUAL),
    (RUSSIAN, "cp1251", "WINDOWS-1251", True, Grade.EQUAL),
    (RUSSIAN, "cp1251", "cp1252", False, Grade.WRONG),
    (RUSSIAN, "cp1251", "utf-8", False, Grade.UNDECODABLE),
    (RUSSIAN, "cp1251", "ascii", False, Grade.UNDECODABLE),
    # A label that needs a mark, on bytes without one.
    ("один".encode("utf-16-le"), "utf_16", "utf-16-le", False, Grade.EQUITABLE),
    # Another name for the same text.
    (LATIN, "latin_1", "iso8859-15", False, Grade.EQUITABLE),
    (LATIN, "latin_1", "cp1254", False, Grade.EQUITABLE),
    (LATIN, "latin_1", "cp1250", False, Grade.WRONG),
    (PLAIN, "ascii", "utf-8", False, Grade.EQUITABLE),
    (PLAIN, "ascii", "cp1251", False, Grade.EQUITABLE),
    (PLAIN, "ascii", "utf-16-le", False, Grade.WRONG),
    # Supersets, in the right direction.
    ("国家".encode("gb2312"), "gb2312", "gbk", False, Grade.EQUITABLE),
    ("国家".encode("gb2312"), "gb2312", "gb18030", False, Grade.EQUITABLE),
    ("波〜波".encode("shift_jis"), "shift_jis", "cp932", False, Grade.EQUITABLE),
    (b"\x93quoted\x94", "latin_1", "cp1252", False, Grade.EQUITABLE),
    (b"\xa4\xd0 \x85", "iso8859-11", "cp874", False, Grade.EQUITABLE),
    # And in the wrong one.
    (BEYOND_GB2312, "gbk", "gb2312", False, Grade.UNDECODABLE),
    (CURLY, "cp1252", "latin_1", False, Grade.WRONG),
    ("波～波".encode("cp932"), "cp932", "shift_jis", False, Grade.WRONG),
    # A label of the web means what browsers decode for it.
    (BEYOND_GB2312, "gbk", "GB2312", True, Grade.EQUITABLE),
    (CURLY, "cp1252", "ISO-8859-1", True, Grade.EQUITABLE),
    (CURLY, "cp1252", "ISO-8859-2", True, Grade.WRONG),
    # Byte order marks are not text.
    ("né".encode("utf-8-sig"), "utf-8", "utf-8-sig", False, Grade.EQUITABLE),
    ("né".encode("utf-8-sig"), "utf_8_sig", "utf-8", False, Grade.EQUITABLE),
    ("né".encode("utf-16"), "utf_16", "utf-16-le", False, Grade.EQUITABLE),
    ("né".encode("utf-16-be"), "utf_16_be", "utf-16-le", False, Grade.WRONG),
    # A sequence cut off at the end is not an error.
    ("Grüße".encode()[:-3], "utf-8", "utf8", False, Grade.EQUAL),
    ("中文測試".encode("big5")[:-1], "big5", "cp950", False, Grade.EQUITABLE),
    # A label narrower than the bytes is read as the web reads it.
    (BEYOND_GB2312, "gb2312", "gbk", False, Grade.EQUITABLE),
    # A label that cannot decode the bytes: damage is left out on both sides.
    (RUSSIAN + b"\x98", "cp1251", "windows-1251", False, Grade.EQUAL),
    (b"Caf\xc3\xa9 \xff!", "utf-8", "utf-8-sig", False, Grade.EQUITABLE),
    (b"Caf\xc3\xa9 \xff!", "utf-8", "cp1252", False, Grade.WRONG),
    # No codec: the name alone can be compared.
    (b"\xa4\xd0", "tcvn", "TCVN", False, Grade.EQUAL),
    (b"\xa4\xd0", "tcvn", "big5", False, Grade.UNDECODABLE),
    (b"\xa4\xd0", "big5", "TCVN", False, Grade.UNDECODABLE),
    # Nonsense.
    (RUSSIAN, "cp1251", "no-such-encoding", False, Grade.FAILED),
    (RUSSIAN, "cp1251", "hex", False, Grade.FAILED),
    (b"\x89PNG\x00", "binary", "utf-8", False, Grade.WRONG),
]


@pytest.mark.parametrize(("data", "truth", "encoding", "web", "grade"), CASES)
def test_every_answer_gets_its_grade(data: bytes, truth: str, encoding: str, web: bool, grade: Grade) -> None:
    """An answer is equal, equitable, or not right in the way the table says."""
    assert judge(data, truth, Answer(encoding, web_label=web)).grade is grade


@pytest.mark.parametrize(
    ("truth", "answer", "grade"),
    [
        ("cp1251", Answer(None, outcome=Outcome.BINARY), Grade.BINARY),
        ("cp1251", Answer(None, outcome=Outcome.UNDECIDED), Grade.UNDECIDED),
        ("cp1251", Answer(None), Grade.UNDECIDED),
        ("cp1251", Answer("cp1251", error="raised ValueError"), Grade.FAILED),
        ("binary", Answer(None, outcome=Outcome.BINARY), Grade.EQUAL),
        ("binary", Answer(None, outcome=Outcome.UNDECIDED), Grade.UNDECIDED),
    ],
)
def test_answers_without_an_encoding_are_distinguished(truth: str, answer: Answer, grade: Grade) -> None:
    """Binary, undecided and failed are three things."""
    assert judge(RUSSIAN, truth, answer).grade is grade


def test_only_two_grades_are_right() -> None:
    """Nothing but equal and equitable counts as right."""
    assert [grade for grade in Grade if grade.right] == [Grade.EQUAL, Grade.EQUITABLE]


@pytest.mark.parametrize(
    ("label", "name", "codec"),
    [
        ("WINDOWS-1251", "cp1251", "cp1251"),
        ("mac-centraleurope", "mac-latin2", "mac-latin2"),
        ("IBM424_rtl", "cp424", "cp424"),
        ("utf_8_sig", "utf-8-sig", "utf-8-sig"),
        ("UTF-16", "utf-16", "utf-16"),
        ("VISCII", "viscii", "viscii"),
        ("TCVN", "tcvn", None),
        ("EUC-TW", "euc_tw", "euc_tw"),
    ],
)
def test_names_of_all_spellings_are_resolved(label: str, name: str, codec: str | None) -> None:
    """Manifests and detectors spell names in their own ways."""
    resolved = resolve(label)
    assert resolved is not None
    assert (resolved.name, resolved.codec) == (name, codec)


@pytest.mark.parametrize("label", ["", "nonsense", "rot13", "base64", "idna"])
def test_what_is_no_encoding_of_text_is_not_resolved(label: str) -> None:
    """Codecs that do not read text are no answers."""
    assert resolve(label) is None
