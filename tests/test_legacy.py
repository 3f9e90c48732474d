"""Legacy encodings by statistics: structure, statistics and verdict together."""

from __future__ import annotations

from pathlib import Path

import pytest

import charlens
from charlens.encodings.orthography import write

PROSE = Path(__file__).parent / "prose"

# Encoding and language: what people met most.
COMMON = [
    ("cp1252", "fr"), ("cp1252", "de"), ("cp1252", "es"), ("cp1252", "pt"), ("cp1251", "ru"), ("koi8-r", "ru"),
    ("cp866", "ru"), ("iso8859-5", "ru"), ("mac-cyrillic", "ru"), ("cp1251", "bg"), ("cp1251", "uk"),
    ("cp1250", "pl"), ("iso8859-2", "pl"), ("cp1250", "cs"), ("iso8859-2", "hu"), ("cp852", "cs"), ("cp1253", "el"),
    ("cp1254", "tr"), ("cp1255", "he"), ("cp1256", "ar"), ("cp1257", "lt"), ("iso8859-13", "lv"), ("cp874", "th"),
    ("gbk", "zh-Hans"), ("big5", "zh-Hant"), ("cp932", "ja"), ("euc_jp", "ja"), ("cp949", "ko"), ("johab", "ko"),
    ("mac-roman", "fr"), ("cp850", "de"), ("cp437", "de"), ("kz1048", "kk"),
]  # fmt: skip


def _encoded(encoding: str, language: str) -> bytes:
    text = (PROSE / f"{language}.txt").read_text(encoding="utf-8")
    lines = [write(line, encoding) for line in text.splitlines()]
    return b"\n".join(line for line in lines if line)


@pytest.mark.parametrize(("encoding", "language"), COMMON)
def test_prose_in_its_encoding_reads_as_it_was_written(encoding, language):
    """A page of prose gives its own text back, with its language and a high confidence."""
    data = _encoded(encoding, language)
    verdict = charlens.detect(data)
    assert verdict.encoding is not None
    assert data.decode(verdict.encoding) == data.decode(encoding), verdict
    assert verdict.confidence > 0.6
    assert verdict.language is not None and verdict.language.split("-")[0] == language.split("-")[0]


@pytest.mark.parametrize(
    ("encoding", "language"),
    [pair for pair in COMMON if pair[0] not in ("cp437", "cp850")],
)
def test_one_line_is_nearly_always_enough(encoding, language):
    """Of the single lines of a page, at least four in five give their own text back."""
    lines = [
        line for line in _encoded(encoding, language).split(b"\n") if sum(byte > 127 for byte in line) > 3
    ]
    right = sum(
        line.decode(charlens.detect(line).encoding or "ascii", "replace") == line.decode(encoding)
        for line in lines
    )
    assert right >= 0.8 * len(lines), (right, len(lines))


def test_the_answer_always_decodes():
    """If the most likely encoding cannot decode the whole input, another one of its family is the answer."""
    data = "Grüße".encode("cp1252") + b" \x81 " + "Öl und Äpfel, für Käse".encode("cp1252")
    verdict = charlens.detect(data)
    assert verdict.encoding is not None and data.decode(verdict.encoding)


def test_a_step_counts_the_encodings_with_the_same_text():
    """The likely classes can have small shares each: a step says how likely they are together."""
    verdict = charlens.detect("Viele Grüße aus Köln".encode("cp1252"))
    (step,) = (step for step in verdict.steps if step.stage == "reading")
    number, likely = len(verdict.equivalents), verdict.confidence
    assert step.words == f"cp1252 and {number} other encodings give the same text; together {likely:.3f}"


def test_the_steps_name_candidates_and_scores():
    """The explanation counts the candidates and names the most likely classes."""
    steps = charlens.detect(_encoded("cp1251", "ru")).steps
    assert [step.stage for step in steps] == ["content", "structure", "statistics", "reading"]
    assert "legacy encodings can decode" in steps[1].words and steps[2].words.startswith("cp1251 ru ")


def test_alternatives_are_ranked_and_add_up():
    """Alternatives come in the order of their confidence, and with the answer they are at most one."""
    verdict = charlens.detect("Müller, Straße".encode("cp1252"))
    shares = [verdict.confidence, *(other.confidence for other in verdict.alternatives)]
    assert shares == sorted(shares, reverse=True) and sum(shares) <= 1.0001


def test_only_and_never_choose_among_the_likely():
    """With `only=` and `never=`, the answer is the most likely allowed encoding."""
    data = _encoded("koi8-r", "ru")
    assert charlens.detect(data).encoding == "koi8-r"
    assert charlens.detect(data, only=["cp1251", "mac-cyrillic"]).encoding in ("cp1251", "mac-cyrillic")
    assert charlens.detect(data, never=["koi8-r"]).encoding != "koi8-r"


def test_evidence_comes_from_the_whole_input():
    """A foreign paragraph at the end of a long ASCII file decides."""
    data = b"plain line of text\n" * 20_000 + _encoded("cp1251", "ru")
    assert charlens.detect(data).encoding == "cp1251"
