"""Training the language model, and judging the languages that detectors name."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

pytest.importorskip("numpy", reason="training needs the extra 'train'")

from prose_texts import PROSE

from charlens import kernel
from charlens.evaluation.datasets import Dataset, Sample, finish
from charlens.evaluation.judge import SampleJudge
from charlens.evaluation.languages import by_named_language, named_languages, same_language
from charlens.evaluation.peers import Answer
from charlens.evaluation.results import Evaluation, Row
from charlens.models.language_model import read_language_model
from charlens.training import language_samples, languages

SMALL = (
    language_samples.Script("Latin", ("LATIN", "COMBINING"), ("en", "fi", "zxx"), 1, bits=9, rows=300),
    language_samples.Script("Han and kana", ("CJK", "HIRAGANA", "KATAKANA"), ("ja", "zh-Hant"), 14, True, 9, 300),
    language_samples.Script("Greek", ("GREEK",), ("el",), 8),
)


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """A corpus of our own prose, and scripts for five languages of it."""
    for module in (language_samples, languages):
        monkeypatch.setattr(module, "SCRIPTS", SMALL)
    blocks = language_samples.np.frombuffer(language_samples.block_table(), language_samples.np.uint8)
    monkeypatch.setattr(language_samples, "_BLOCKS", blocks)
    for language in ("en", "fi", "ja", "zh-Hant", "el"):
        folder = tmp_path / "corpus" / language.lower()
        folder.mkdir(parents=True)
        (folder / "prose.txt").write_text(PROSE[language] * 3, encoding="utf-8")
    return tmp_path


def test_a_model_is_trained_written_and_read(small: Path) -> None:
    """The command writes a model that tells the languages it was trained on, and says how good it is."""
    assert languages.main([str(small / "corpus"), "--out", str(small / "out"), "--samples", "60"]) == 0
    model = read_language_model(small / "out")
    for language in ("en", "fi", "ja", "zh-Hant", "el"):
        numbers = kernel.languages(PROSE[language][:300].encode(), model.tables, 2)
        assert model.likely(numbers)[0][0] == language
    manifest = json.loads((small / "out" / "manifest.json").read_text(encoding="utf-8"))
    assert set(manifest["figures"]["Latin"]["en"]) == {"20", "50", "100", "200", "1000"}


def test_the_same_texts_give_the_same_model(small: Path) -> None:
    """Nothing is left to chance that the seed does not settle."""
    for out in ("one", "two"):
        languages.train(small / "corpus", small / out, 30)
    assert (small / "one" / "languages.bin").read_bytes() == (small / "two" / "languages.bin").read_bytes()


def test_training_and_kernel_see_the_same_n_grams(small: Path) -> None:
    """The sums that training works with are those that the kernel adds up."""
    languages.train(small / "corpus", small / "out", 30)
    model = read_language_model(small / "out")
    scores = {}
    for number, text in (
        (1, "Ein Wort, ÄRGER und naïve 'Wörter' aus 12 Teilen"),
        (2, "日本語の文章と中文 abc 漢字"),
    ):
        numbers = kernel.languages(text.encode(), model.tables, 9)
        assert numbers[0] == number
        # One n-gram of each slot that the training names: how many of them have a row must agree.
        table = memoryview(model.tables)[16 + 2 * 0x600 + 0x1000 + 32 * len(SMALL) :].cast("B")
        slots = table[: 2 * 1024].cast("H")[512 * (number - 1) : 512 * number]
        scores[number] = sum(slots[slot] != 0xFFFF for slot in language_samples.slots_of(text, number))
        assert numbers[3] == scores[number]


def test_a_language_without_text_is_named(small: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The error says which text is missing and where it goes."""
    (small / "corpus" / "fi" / "prose.txt").unlink()
    assert languages.main([str(small / "corpus"), "--out", str(small / "out")]) == 1
    assert "'fi'" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("label", "answer", "same"),
    [
        ("ru", "ru", True), ("zh", "zh-Hant", True), ("zh", "yue", True), ("zh-Hant", "zh-Hans", False),
        ("zh-Hant", "zh", True), ("no", "nn", True), ("nb", "no", True), ("nb", "nn", False), ("sr", "sr-Latn", True),
        ("sr", "hr", False), ("de", "German", True), ("de", None, False), ("ru", "bg", False), ("en", "", False),
    ],
)  # fmt: skip
def test_a_label_may_be_wider_than_the_answer(label: str, answer: str | None, same: bool) -> None:
    """A macrolanguage takes its members in; other languages, and no answer, are not right."""
    assert same_language(label, answer) is same


def test_the_tables_count_right_languages() -> None:
    """Of three labelled samples one detector has two right; one that never names a language is left out."""
    rows = []
    for id_, language, ours in (
        ("a", "ru", "ru"),
        ("b", "zh", "zh-Hans"),
        ("c", "fr", None),
        ("d", "", "en"),
    ):
        sample = finish(Sample(id_, "ascii", data=b"text", language=language))
        answers = {"ours": Answer("ascii", 1.0, ours), "other": Answer("ascii", 1.0)}
        judge = SampleJudge(b"text", "ascii")
        rows.append(Row(sample, answers, {name: judge.judge(answer) for name, answer in answers.items()}))
    found = Evaluation(Dataset("small", ()), ("ours", "other"), ("ours", "other"), tuple(rows))
    table, by_language = named_languages(found), by_named_language(found)
    assert table is not None and by_language is not None
    assert table.rows == (("ours", 2 / 3, 2 / 3, 2 / 3, 1.0, 1),)
    assert by_language.columns == ("language", "samples", "ours")
    assert ("fr", 1, 0.0) in by_language.rows
