"""The words in ASCII around a few bytes beyond it: what they say of the language, and when they are asked."""

from __future__ import annotations

import pytest

import charlens
from charlens import kernel
from charlens.encodings import all_encodings
from charlens.kernel.pure_judge import ALL_ENCODINGS
from charlens.legacy_findings import Scores, Surroundings
from charlens.models import default_model
from charlens.stages.statistics.surroundings import FEW
from charlens.stages.statistics.tables import tables_of


def found(data: bytes) -> Surroundings | None:
    """The finding about the words of *data*, whatever its bytes beyond ASCII are."""
    tables = tables_of(default_model())
    facts = (sum(1 << value for value in {*data, 0xE9}), 1, ALL_ENCODINGS, 0)
    return Scores(tables, facts, (), kernel.judge_legacy(tables.kernel, data, facts, (), ())).surroundings


@pytest.mark.parametrize(
    ("language", "words"),
    [
        ("en", "which of these would have been the better answer to the question"),
        ("de", "wer hat denn gestern noch die Blumen auf den Tisch gestellt und nicht"),
        ("es", "no sabemos donde estaban los libros que dejaste sobre la mesa del comedor"),
        ("pl", "nie wiem gdzie jest ten nowy dom o kim mowa w tej ksiazce"),
    ],
)
def test_the_language_of_the_words_is_the_likeliest(language: str, words: str) -> None:
    """Words in ASCII are evidence for their language, whatever the non-ASCII bytes among them are."""
    for data in (
        words.encode(),
        words.encode().replace(b" ", b" \xe9 ", 3),
        b"\xff".join(words.encode().split()),
    ):
        around = found(data)
        assert around is not None and around.odds[1][0][0] == language


@pytest.mark.parametrize("data", [b"", b"\xe9", b"12 \xa9 34", b"\xc0\xe0 ; \xff"])
def test_without_words_nothing_is_said(data: bytes) -> None:
    """Signs, digits and non-ASCII bytes are no words."""
    assert found(data) is None


def test_every_class_has_its_place() -> None:
    """Languages in other scripts have separate odds, and no language gets both."""
    around = found(b"some words of plain English, enough of them to tell")
    assert around is not None
    model = default_model()
    not_latin = tables_of(model).defined.not_latin
    foreign = {tag for number, tag in enumerate(model.languages) if not_latin >> number & 1}
    others, languages = around.odds
    assert {"ru", "el", "ja", "ar"} <= foreign
    assert foreign.isdisjoint(name for name, _ in languages)
    assert others < languages[0][1]


def test_many_non_ascii_bytes_need_no_surroundings() -> None:
    """With enough non-ASCII bytes, the words around them do not count, and no step mentions them."""
    line = "Die Tür ist zu, und der Schlüssel ist möglicherweise weg. "
    few, many = (line * times for times in (2, FEW))
    stages = [[step.stage for step in charlens.detect(text.encode("cp1252")).steps] for text in (few, many)]
    assert "surroundings" in stages[0] and "surroundings" not in stages[1]


@pytest.mark.parametrize(
    ("line", "encoding"),
    [("{} £ £ no\n", "cp1252"), ("{} ± 5\n", "cp1252"), ("{} 5¼ no\n", "cp437")],
)
def test_one_sign_many_times_in_long_text_is_still_one_sign(line: str, encoding: str) -> None:
    """A sign that occurs 36 times in English is not a letter of a rare encoding, although FEW is less."""
    words = "This option is for people who know what they do, until somebody else has a look at it"
    data = (line.format(words) * 36).encode(encoding)
    verdict = charlens.detect(data)
    assert verdict.encoding == encoding
    assert "surroundings" in [step.stage for step in verdict.steps]


def test_beside_english_other_scripts_are_less_likely() -> None:
    """English occurs around words of any language: other scripts are as likely there as other Latin ones."""
    english = found(b"which of these would have been the better answer to the question")
    german = found(b"wer hat denn gestern noch die Blumen auf den Tisch gestellt und nicht")
    assert english is not None and german is not None
    assert english.odds[0] < 0.0 < german.odds[0]


def test_rare_encodings_need_more_than_a_few_bytes() -> None:
    """Few non-ASCII bytes in a long text are evidence against very rare encodings, and no others."""
    model = default_model()
    tables = tables_of(model)
    rare = tables.defined.rare
    names = {encoding.name for number, encoding in enumerate(all_encodings()) if rare >> number & 1}
    assert {"hp-roman8", "iso8859-10"} <= names and not names & {"cp1252", "cp437", "mac-roman", "cp1257"}
    assert tables.rules.against_rare < 0


def test_few_bytes_among_many_are_no_rare_encoding() -> None:
    """In a long English text, a sign of a Macintosh is not evidence for hp-roman8, which reads it as a letter."""
    words = b"the words around are plain English and there are many of them here "
    verdict = charlens.detect(words * 3 + b" \xcc " + words + b" \xcc " + words)
    assert verdict.encoding != "hp-roman8", verdict


@pytest.mark.parametrize(
    ("end", "words"),
    [
        (b"\r\n", ["line endings of windows/dos +1.0"]),
        (b"\r", ["line endings of mac +1.0"]),
        (b"\n", []),
        (b"\n\r", []),
    ],
)
def test_line_endings_are_evidence_for_a_platform(end: bytes, words: list[str]) -> None:
    """CR LF is of Windows and DOS, CR alone of the Mac; LF says nothing, and LF CR is neither."""
    steps = charlens.detect(b"caf\xe9 cr\xe8me" + end + b"une" + end).steps
    assert [step.words for step in steps if "line endings" in step.words] == words
