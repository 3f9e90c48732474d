"""The published SVM experiment, on pages small enough to work out by hand."""

from __future__ import annotations

import json
import math
import random
from pathlib import Path
from typing import NamedTuple

import pytest
from click.testing import CliRunner, Result

pytest.importorskip("numpy", reason="the experiment needs numpy; pip install numpy scipy scikit-learn")
pytest.importorskip("scipy", reason="the experiment needs scipy; pip install numpy scipy scikit-learn")
pytest.importorskip("sklearn", reason="the experiment needs scikit-learn; pip install numpy scipy scikit-learn")

import numpy as np
from scipy import sparse

from charlens.cli.app import app
from charlens.training.sullivan import svm, tables
from charlens.training.sullivan.ablation import plain_variants, run_ablation
from charlens.training.sullivan.characters import as_character
from charlens.training.sullivan.classifier import fit, scale, tabulate
from charlens.training.sullivan.comparison import gives_text
from charlens.training.sullivan.corpus import Plan, open_corpus, open_fold
from charlens.training.sullivan.documents import (
    Document,
    Page,
    PagesError,
    Role,
    Twins,
    blank_declarations,
    cut_text,
    decode,
    encode,
    read_pages,
    write_documents,
)
from charlens.training.sullivan.experiment import Score, add_up, run_fold_by_width
from charlens.training.sullivan.growth import compare_windows, grow
from charlens.training.sullivan.kernels import KERNELS
from charlens.training.sullivan.links import EVERY, FEWEST, add_links
from charlens.training.sullivan.model import ModelError, load
from charlens.training.sullivan.ngrams import aligned, beyond_ascii, by_lead, frequencies, gram, number
from charlens.training.sullivan.paper import LABELS, LANGUAGES, TABLE_4, encodings_of
from charlens.training.sullivan.sampling import Negatives, draw, split_pages
from charlens.training.sullivan.selection import (
    divergence,
    moments,
    rank_by_divergence,
    rank_by_presence,
    standard_error,
)
from charlens.training.sullivan.settings import METHODS, SETTLED, Readings, Scaling, Settings
from charlens.training.sullivan.settle import deal_pages
from charlens.training.sullivan.traits import NAMES, measure
from charlens.training.sullivan.work import Crew, spread

SENTENCES = {
    "en": "The ferry leaves at seven, and nobody on the pier has seen the captain since the storm.",
    "es": "El año pasado la señora compró un melón y una piña; mañana volverá a la estación.",
    "fr": "Le garçon a mangé une pêche à la fenêtre, et la forêt était déjà tombée dans l'été.",
    "de": "Die Straße führt über die Brücke, und größere Häuser stehen für später schräg gegenüber.",
    "it": "La città è già più calda, perché lunedì e venerdì il caffè costerà di meno, così si dirà.",
    "pt": "Não há razão para a estação fechar amanhã; a maçã e o pão estão à venda na praça.",
    "pl": "Zażółć gęślą jaźń, a później wróć do łódki, gdzie żona już śpi i księżyc świeci.",
    "cs": "Příliš žluťoučký kůň úpěl ďábelské ódy, když večer přišel řezník do školy.",
    "hu": "Az őszi erdő fölött fütyülő szél járt, és a kőműves újra fölépítette a tűzhelyet.",
    "ru": "Паром уходит в семь часов, и никто на пристани не видел капитана после бури.",
    "zh-hans": "渡船七点开，码头上没有人在暴风雨之后见过船长，我们还在等他回来。",
    "zh-hant": "渡船七點開，碼頭上沒有人在暴風雨之後見過船長，我們還在等他回來。",
    "ja": "渡し船は七時に出ますが、あらしのあとで船長を見た人は桟橋にはいません。",
    "ko": "나룻배는 일곱 시에 떠나지만 폭풍이 지난 뒤 부두에서 선장을 본 사람은 없다.",
}


def page_text(language: str, turn: int) -> str:
    """A page that declares itself UTF-8, with the sentence turned round by some words or letters."""
    words = SENTENCES[language].split(" ")
    if len(words) > 3:
        words = words[turn:] + words[:turn]
        body = " ".join(words)
    else:
        sentence = SENTENCES[language]
        body = sentence[turn * 2 :] + sentence[: turn * 2]
    head = f'<html lang="{language}"><head><meta charset="utf-8"><title>{turn}</title></head>'
    return f"{head}<body><p>{body}</p><p>{body[::2]}{body}</p></body></html>"


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Six small pages in each language of the paper."""
    folder = tmp_path_factory.mktemp("pages")
    for language in LANGUAGES:
        (folder / language).mkdir()
        for turn in range(6):
            (folder / language / f"{turn}.html").write_text(page_text(language, turn), encoding="utf-8")
    return folder


def train(*arguments: object) -> Result:
    return run("train", "--recipe", "sullivan", "--no-cache", *arguments)


def evaluate(*arguments: object) -> Result:
    return run("evaluate", "sullivan", "--no-cache", *arguments)


def run(*arguments: object) -> Result:
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


# --- documents


def test_a_page_does_not_say_its_encoding() -> None:
    """The value of a charset declaration goes, and nothing else."""
    assert blank_declarations('<meta charset="utf-8">') == '<meta charset="">'
    assert blank_declarations("text/html; charset=UTF-8") == "text/html; charset="
    assert blank_declarations('<?xml version="1.0" encoding="UTF-8"?>') == '<?xml version="1.0" encoding=""?>'
    assert blank_declarations("the charset of ships") == "the charset of ships"


def test_what_an_encoding_lacks_becomes_a_question_mark() -> None:
    """As with Java's encoders, which also put a mark before UTF-16."""
    assert encode("Žena", "ISO-8859-1") == b"?ena"
    assert encode("a", "UTF-16") == b"\xfe\xff\x00a"
    assert decode(encode("žena", "UTF-16"), "UTF-16") == "žena"


def test_every_page_is_written_in_the_encodings_of_its_language(pages: Path) -> None:
    """Table 3, and UTF-8 and UTF-16 for all."""
    documents = write_documents(read_pages(pages))
    assert len(documents) == 6 * sum(len(encodings_of(language)) for language in LANGUAGES)
    assert {document.label for document in documents if document.page.language == "ru"} == {
        "ISO-8859-5",
        "KOI8-R",
        "UTF-8",
        "UTF-16",
    }
    assert not any(b"utf-8" in document.data for document in documents)


def test_the_same_bytes_are_no_example_against_themselves() -> None:
    """An English page in ASCII is UTF-8 too; that it is also ISO-8859-1 counts only by bytes."""
    page = Page("en", "en/a", "plain", Role.BOTH)

    def twins(how: Twins) -> dict[str, frozenset[str]]:
        return {document.label: document.twins for document in write_documents([page], how)}

    assert twins(Twins.NEVER)["US-ASCII"] == frozenset()
    assert twins(Twins.LANGUAGE) == {"US-ASCII": {"UTF-8"}, "UTF-8": {"US-ASCII"}, "UTF-16": set()}
    assert twins(Twins.BYTES)["US-ASCII"] == set(LABELS) - {"US-ASCII", "UTF-16"}


def test_bytes_belong_to_the_narrowest_label() -> None:
    """ASCII bytes are an example of US-ASCII alone, those that GB2312 has too of GB2312 alone."""

    def counted(language: str, text: str) -> list[str]:
        written = write_documents([Page(language, f"{language}/a", text, Role.BOTH)])
        return [document.label for document in written if not document.owned]

    assert counted("en", "plain") == ["US-ASCII", "UTF-16"]
    assert counted("en", "naïve") == ["US-ASCII", "UTF-8", "UTF-16"]
    assert counted("it", "poco") == ["UTF-16"]
    assert counted("zh-hans", "船长") == ["Big5", "GB2312", "UTF-8", "UTF-16"]
    assert counted("zh-hans", "镕基") == ["Big5", "GB2312", "GB18030", "UTF-8", "UTF-16"]


def test_the_dash_of_gb2312_is_that_of_gb18030() -> None:
    """As in Java, and unlike Python's codec, A1AA is an em dash and A1A4 a middle dot."""
    assert encode("—·", "GB2312") == encode("—·", "GB18030") == b"\xa1\xaa\xa1\xa4"
    assert decode(b"\xa1\xaa\xa1\xa4", "GB2312") == "—·"


def test_long_pages_are_cut_for_training_only(tmp_path: Path, pages: Path) -> None:
    """The parts make up the page, each has a non-ASCII letter, and tests are on the whole."""
    text = "<p>für</p>" * 50 + "<p>fur</p>" * 50
    parts = cut_text(text, 100)
    assert "".join(parts) == text
    assert len(parts) > 3
    assert not any(part.isascii() for part in parts)
    roles = [page.role for page in read_pages(pages, cut=60) if page.name == "de/0.html"]
    assert roles.count(Role.TEST) == 1
    assert roles.count(Role.TRAINING) > 1
    assert Role.BOTH not in roles


def test_a_folder_that_lacks_a_language_is_refused_with_words(tmp_path: Path) -> None:
    """The error names the language and what the folder should hold."""
    with pytest.raises(PagesError, match=r"0 pages in 'en'.*<language>/<name>"):
        read_pages(tmp_path)


# --- sampling


def test_no_page_is_on_both_sides(pages: Path) -> None:
    """Neither a page, nor a part of it, nor the same page in another encoding."""
    documents = write_documents(read_pages(pages, cut=60))
    split = split_pages(documents, 1, 0)
    assert not split.training & split.test
    names = {document.page.name for document in documents}
    assert split.training | split.test == names
    assert split.settling < split.training
    for label in LABELS:
        rest = [other for other in LABELS if other != label]
        training = draw(documents, split.training, Role.TRAINING, [label], rest, 100, "x")
        test = draw(documents, split.test, Role.TEST, [label], rest, 100, "x")
        seen = {documents[place].page.name for place in training.positive + training.negative}
        asked = {documents[place].page.name for place in test.positive + test.negative}
        assert not seen & asked


def test_what_settings_are_chosen_on_is_never_tested(pages: Path) -> None:
    """The pages for settling are the same in every split and for training in all; the others change sides."""
    documents = write_documents(read_pages(pages))
    splits = [split_pages(documents, 1, number) for number in range(8)]
    assert len({split.settling for split in splits}) == 1
    tested = frozenset().union(*(split.test for split in splits))
    assert not tested & splits[0].settling
    assert len({split.test for split in splits}) > 1


def test_half_are_of_the_label_and_the_rest_comes_from_all_others(pages: Path) -> None:
    """Halves are equal, each other encoding gives as many, and twins are not among them."""
    documents = write_documents(read_pages(pages))
    names = frozenset(document.page.name for document in documents)
    rest = [label for label in LABELS if label != "UTF-8"]
    drawn = draw(documents, names, Role.TEST, ["UTF-8"], rest, 120, "x")
    assert len(drawn.positive) == len(drawn.negative) == 60
    assert {documents[place].label for place in drawn.positive} == {"UTF-8"}
    counts = [sum(documents[place].label == label for place in drawn.negative) for label in rest]
    # US-ASCII has nothing to give here: all English pages are plain ASCII, which is UTF-8 as well.
    assert counts[rest.index("US-ASCII")] == 0
    assert max(counts) - min(count for count in counts if count) <= 1
    assert drawn == draw(documents, names, Role.TEST, ["UTF-8"], rest, 120, "x")


def test_cross_validation_deals_whole_pages_for_settling_only(pages: Path) -> None:
    """Every page for settling falls into one part; all others into none."""
    fold = open_fold(Plan(pages, cut=60), 0)
    assert set(deal_pages(fold)) == set(fold.split.settling)


# --- n-grams and their choice


def test_frequencies_are_shares_among_n_grams_of_one_length() -> None:
    """Of 'abab' half the bytes are a, two of three pairs are ab, and each triple is one of two."""
    numbers, shares = frequencies(b"abab")
    found = {gram(int(key)): share for key, share in zip(numbers, shares, strict=True)}
    assert found == {b"a": 0.5, b"b": 0.5, b"ab": 2 / 3, b"ba": 1 / 3, b"aba": 0.5, b"bab": 0.5}
    assert [number(gram(int(key))) for key in numbers] == numbers.tolist()


def test_an_n_gram_with_one_non_ascii_byte_counts() -> None:
    """A high byte or a NUL at any place of it is enough."""
    grams = [b"a", b"\xe9", b"\0", b"ab", b"a\xe9", b"\xe9a", b"abc", b"a\0b", b"\xe9bc", b"ab\xff"]
    found = beyond_ascii(np.array([number(each) for each in grams]))
    assert found.tolist() == [not each.isascii() or 0 in each for each in grams]


def test_documents_too_short_for_n_grams_have_none() -> None:
    """One byte has no pair, and nothing has nothing."""
    assert frequencies(b"")[0].tolist() == []
    assert frequencies(b"a")[0].tolist() == [97]


def columns(values: list[float]) -> sparse.csr_matrix:
    return sparse.csr_matrix(np.array(values, float)[:, None])


def test_the_divergence_is_that_of_two_gaussians() -> None:
    """p: mean 2, variance 1; q: mean 4, variance 4: ln 2 + (1 + 4) / 8 - 1/2 = 0.8181."""
    positive, negative = moments(columns([1, 2, 3]), Readings.ALL), moments(columns([2, 4, 6]), Readings.ALL)
    assert (positive.mean[0], positive.variance[0]) == pytest.approx((2, 1))
    assert (negative.mean[0], negative.variance[0]) == pytest.approx((4, 4))
    assert divergence(positive, negative)[0] == pytest.approx(math.log(2) + 5 / 8 - 0.5)
    assert divergence(positive, positive)[0] == pytest.approx(0)


def test_absent_n_grams_are_readings_of_nought_or_none() -> None:
    """Two documents of four have it, with 1 and 3: mean 1 of all, mean 2 of those present."""
    rows = columns([0, 1, 0, 3])
    assert moments(rows, Readings.ALL).mean[0] == pytest.approx(1)
    assert moments(rows, Readings.ALL).variance[0] == pytest.approx(2)
    assert moments(rows, Readings.PRESENT).mean[0] == pytest.approx(2)
    assert moments(rows, Readings.PRESENT).variance[0] == pytest.approx(2)


def test_an_n_gram_counts_only_where_both_sides_have_it() -> None:
    """The first is on both sides, the second on one, the third nowhere often enough."""
    positive = moments(sparse.csr_matrix([[0.1, 0.2, 0], [0.2, 0.1, 0.3], [0.3, 0.2, 0]]), Readings.ALL)
    negative = moments(sparse.csr_matrix([[0.5, 0, 0], [0.6, 0, 0.1], [0.4, 0, 0]]), Readings.ALL)
    settings = Settings(features=3, threshold=2)
    assert rank_by_divergence(positive, negative, settings).tolist() == [0]
    assert rank_by_presence(positive, negative, settings).tolist() == [1]


def test_a_confident_choice_wants_more_readings() -> None:
    """The same divergence from a hundred times as many readings has a tenth of the error."""
    few = moments(columns([1, 2, 3] * 2), Readings.ALL), moments(columns([2, 4, 6] * 2), Readings.ALL)
    many = moments(columns([1, 2, 3] * 200), Readings.ALL), moments(columns([2, 4, 6] * 200), Readings.ALL)
    assert standard_error(*few)[0] / standard_error(*many)[0] == pytest.approx(10, rel=0.1)
    confident = Settings(features=1, confident=True)
    assert rank_by_divergence(*few, confident).tolist() == []
    assert rank_by_divergence(*many, confident).tolist() == [0]


def test_the_error_of_the_divergence_is_that_of_drawing_again() -> None:
    """Of 2,000 estimates from 300 readings a side, the spread is what the formula says, within a tenth."""
    chance = np.random.default_rng(0)
    positive = moments(sparse.csr_matrix(chance.normal(5, 1, (300, 2000))), Readings.ALL)
    negative = moments(sparse.csr_matrix(chance.normal(7, 2, (300, 2000))), Readings.ALL)
    spread = divergence(positive, negative).std()
    assert standard_error(positive, negative).mean() == pytest.approx(spread, rel=0.1)


def test_unit_rows_are_one_long_and_an_empty_one_stays() -> None:
    """Root first, then length: 0.09 and 0.16 become 0.6 and 0.8."""
    rows = scale(sparse.csr_matrix([[0.09, 0.16], [0, 0]]), np.zeros((2, 0)), Scaling.UNIT)
    assert rows.toarray() == pytest.approx(np.array([[0.6, 0.8], [0, 0]]))


def test_traits_tell_encodings_apart() -> None:
    """UTF-8 is all sequences, GB18030 has high bytes before digits, UTF-16 has NULs, and ASCII has no high byte."""
    found = {label: dict(zip(NAMES, measure(encode("Ünïcode für alle", label)), strict=True)) for label in LABELS}
    assert found["UTF-8"]["high bytes in sequences of UTF-8"] == 1
    assert found["UTF-8"]["no high byte outside sequences of UTF-8"] == 1
    assert found["ISO-8859-1"]["no high byte outside sequences of UTF-8"] == 0
    assert found["GB18030"]["high bytes before a digit"] > 0
    assert found["UTF-16"]["NUL bytes"] > 0.4
    assert {name for name, value in found["US-ASCII"].items() if value} == {"no high byte", "no byte 80 to 9F"}


@pytest.mark.parametrize("label", [label for label in LABELS if f"high bytes in sequences of {label}" in NAMES])
def test_a_text_is_all_sequences_of_its_own_encoding(label: str) -> None:
    """No high byte of a text is outside the sequences of the encoding that it is written in."""
    texts = {"Big5": "zh-hant", "Shift-JIS": "ja", "EUC-JP": "ja", "EUC-KR": "ko"}
    sentence = SENTENCES[texts.get(label, "zh-hans")]
    found = dict(zip(NAMES, measure(encode(sentence, label)), strict=True))
    assert found[f"no high byte outside sequences of {label}"] == 1
    beyond = dict(zip(NAMES, measure(encode("镕", "GB18030")), strict=True))
    assert beyond["no high byte outside sequences of GB2312"] == 0


# --- the machine


def tiny_problem(seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Two clouds that overlap a little."""
    chance = np.random.default_rng(seed)
    rows = np.concatenate([chance.normal(0.7, 1, (14, 3)), chance.normal(-0.7, 1, (14, 3))])
    return rows @ rows.T, svm.sides_of(np.arange(28) < 14)


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("cost", [0.05, 1.0, 50.0])
def test_leaving_one_out_is_exact(seed: int, cost: float) -> None:
    """Pruned or not, the errors are those of training again without each example."""
    products, sides = tiny_problem(seed)
    solution = svm.solve(products, sides, cost)
    errors = 0
    for case in range(len(sides)):
        others = np.delete(np.arange(len(sides)), case)
        without = svm.solve(products[np.ix_(others, others)], sides[others], cost)
        errors += sides[case] * (products[case, others] @ without.multipliers + without.bias) <= 0
    assert svm.leave_one_out(products, sides, cost, solution) == errors


def test_the_default_cost_is_that_of_svm_light() -> None:
    """One over the square of the mean length, so that percent and fractions give the same plane."""
    products, sides = tiny_problem(0)
    assert svm.default_cost(products) == pytest.approx(1 / np.sqrt(np.diagonal(products)).mean() ** 2)
    one = svm.solve(products, sides, svm.default_cost(products))
    other = svm.solve(products * 100**2, sides, svm.default_cost(products * 100**2))
    assert other.support_vectors == one.support_vectors
    assert other.bias == pytest.approx(one.bias, abs=1e-2)


@pytest.mark.parametrize("components", [0, 3])
def test_weights_say_what_the_machine_says(components: int) -> None:
    """The plane as weights of n-grams decides as the multipliers do, with and without PCA."""
    documents = [f"{'ab' * turn} xyz {turn}".encode() for turn in range(1, 9)]
    documents += [f"{'ba' * turn} zyx {turn}".encode() for turn in range(1, 9)]
    table = tabulate(documents, least=1)
    settings = Settings(features=50, threshold=1, one_sided=50, components=components, scaling=Scaling.UNIT)
    found = fit(table, np.arange(16), np.arange(16) < 8, settings)
    by_weights = found.plane.decide(documents)
    by_multipliers = found.gram @ found.solution.multipliers + found.solution.bias
    assert by_weights == pytest.approx(by_multipliers, abs=1e-6)


def test_width_comes_first(pages: Path) -> None:
    """The decision by width gives a figure for every label, UTF-16 too, which is alone in its width."""
    scores = run_fold_by_width(open_fold(Plan(pages, documents=60, cut=0), 0), SETTLED)
    assert list(scores) == list(LABELS)
    assert scores["UTF-16"].accuracy > 90


# --- tables


def test_a_table_has_its_columns_in_line() -> None:
    """Wide characters count as two, figures stand to the right."""
    table = tables.Table("T", ("name", "n"), (("字", "1"), ("abcdef", "10")), "A note.")
    assert tables.as_markdown(table).splitlines() == [
        "### T",
        "",
        "| name   |  n |",
        "| ------ | -: |",
        "| 字     |  1 |",
        "| abcdef | 10 |",
        "",
        "A note.",
    ]


def test_a_row_below_the_published_accuracy_says_so() -> None:
    """Every label has a row, with the published figure beside ours, pooled over the splits."""
    good, bad = Score(70, 9, 1, 70, 30, 30), Score(70, 9, 1, 70, 30, 15)
    runs = {"ours": {label: add_up([good, bad if label == "Big5" else good]) for label in LABELS}}
    rows = {row[0]: row for row in tables.table_4(runs).rows}
    assert list(rows) == list(LABELS)
    assert rows["Big5"][1:] == (
        *("70", "2427", "60", "1141", "9", "1.43", "75.00"),
        *("144", "0.16", f"{TABLE_4['Big5'].accuracy:.2f}", "ours"),
    )
    assert rows["UTF-8"][-2:] == ("96.16", "")


def test_an_n_gram_is_shown_as_the_character_it_is() -> None:
    """One character of the encoding beyond ASCII; a piece of one is none."""
    assert as_character(b"\xd5", "ISO-8859-5") == "е"
    assert as_character("т".encode(), "UTF-8") == "т"
    assert as_character(b"\x89\xd0", "UTF-8") is None
    assert as_character(b"a", "UTF-8") is None


def test_another_name_for_the_same_text_is_right() -> None:
    """windows-1252 for ISO-8859-1 is no mistake; ISO-8859-2 is, if a letter differs."""
    document = Document(Page("es", "es/a", "año", Role.BOTH), "ISO-8859-1", "año".encode("latin-1"), frozenset())
    assert gives_text("WINDOWS-1252", document)
    assert not gives_text("ISO-8859-2", document)
    assert not gives_text(None, document)
    assert not gives_text("no-such-encoding", document)


# --- the commands


def test_train_then_evaluate(pages: Path, tmp_path: Path) -> None:
    """A model is written, read back, and tested on the pages that it has not seen."""
    trained = train("--pages", pages, "--out", tmp_path, "--documents", 60, "--jobs", 1)
    assert trained.exit_code == 0, trained.output
    model = load(tmp_path / "sullivan.json")
    assert list(model.labels) == list(LABELS)
    tested = evaluate("--pages", pages, "--model", tmp_path / "sullivan.json", "--json")
    assert tested.exit_code == 0, tested.output
    figures = json.loads(tested.stdout)
    assert figures["table_4"]["model"]["UTF-16"]["accuracy"] == 100
    assert set(figures["table_5"]) == {"UTF-8", "ISO-8859-1", "GB18030"}


@pytest.mark.parametrize("method", METHODS)
def test_files_are_classified_by_a_trained_model(pages: Path, tmp_path: Path, method: str) -> None:
    """The SVM with the highest value wins; six pages are enough for settled; a missing file does not stop it."""
    trained = train("--pages", pages, "--out", tmp_path, "--documents", 60, "--jobs", 1, "--method", method)
    assert trained.exit_code == 0, trained.output
    assert load(tmp_path / "sullivan.json").settings == METHODS[method]
    page, wide = tmp_path / "page.html", tmp_path / "wide.html"
    page.write_bytes(page_text("ru", 1).encode("koi8-r"))
    wide.write_bytes(b"\xfe\xff" + page_text("ru", 1).encode("utf-16-be"))
    done = run("classify", "--model", tmp_path, "--format", "jsonl", page, tmp_path / "none", wide)
    records = [json.loads(line) for line in done.stdout.splitlines()]
    assert done.exit_code == 1 and "No such file" in records[1]["error"]
    assert method != "settled" or [records[0]["label"], records[2]["label"]] == ["KOI8-R", "UTF-16"]
    values = records[2]["values"]
    assert values.keys() == set(LABELS) and max(values, key=values.get) == records[2]["label"]
    words = run("classify", "--model", tmp_path / "sullivan.json", "-v", wide)
    assert words.exit_code == 0 and len(words.stdout.splitlines()) == 14
    assert f"wide.html: {records[2]['label']} (+" in words.stdout


def test_each_kind_of_model_is_for_its_own_verb(tmp_path: Path) -> None:
    """A folder without the right model is wrong use, with words that name the verb for it."""
    (tmp_path / "model.bin").write_bytes(b"")
    wrong = run("classify", "--model", tmp_path, tmp_path / "model.bin")
    assert wrong.exit_code == 2 and "charlens detect --model" in wrong.output
    assert run("classify", "--model", tmp_path / "nowhere", "x").exit_code == 2
    (tmp_path / "svm").mkdir()
    (tmp_path / "svm" / "sullivan.json").write_text("{}")
    wrong = run("detect", "--model", tmp_path / "svm", tmp_path / "model.bin")
    assert wrong.exit_code == 2 and "charlens classify --model" in wrong.output


def test_a_model_of_other_pages_is_refused(pages: Path, tmp_path: Path) -> None:
    """Such a model is refused, because its training pages are unknown; so is a file that is not a model."""
    train("--pages", pages, "--out", tmp_path, "--documents", 40, "--jobs", 1, "--cut", 0)
    others = tmp_path / "pages"
    for language in LANGUAGES:
        (others / language).mkdir(parents=True)
        for turn in range(3):
            (others / language / f"{turn}.html").write_text(page_text(language, turn), encoding="utf-8")
    refused = evaluate("--pages", others, "--model", tmp_path / "sullivan.json")
    assert refused.exit_code == 1
    assert "other pages" in refused.output
    broken = tmp_path / "broken.json"
    broken.write_bytes((tmp_path / "sullivan.json").read_bytes()[:100])
    with pytest.raises(ModelError, match="cut short"):
        load(broken)


def test_the_whole_experiment_is_the_same_for_the_same_seed(pages: Path, tmp_path: Path) -> None:
    """All tables are printed and written; a second run prints the same, another seed does not."""
    few = ("--pages", pages, "--documents", 40, "--splits", 2, "--jobs", 1)
    first = evaluate(*few, "--out", tmp_path)
    assert first.exit_code == 0, first.output
    for title in ("Table 2: the published features", "Table 2: the best features", "Table 4", "Table 5"):
        assert f"### {title}" in first.stdout
    assert (tmp_path / "sullivan.md").read_text(encoding="utf-8") == first.stdout
    assert evaluate(*few).stdout == first.stdout
    assert evaluate(*few, "--seed", 1).stdout != first.stdout


def test_steps_are_kept_and_used_again(pages: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A second run with the same pages prints the same without a single fit; other settings do not find the steps."""
    few = ("evaluate", "sullivan", "--pages", pages, "--documents", 40, "--splits", 2, "--jobs", 1)
    first = run(*few, "--cache", tmp_path)
    assert first.exit_code == 0, first.output
    assert len(list(tmp_path.glob("*.pickle"))) == 2
    monkeypatch.setattr("charlens.training.sullivan.report.run_fold", None)
    again = run(*few, "--cache", tmp_path)
    assert again.exit_code == 0, again.output
    assert again.stdout == first.stdout
    assert run(*few, "--cache", tmp_path, "--seed", 7).exit_code != 0


class Task(NamedTuple):
    plan: Plan
    number: int


def square(task: Task) -> int:
    return task.number**2


@pytest.mark.parametrize("kept", [True, False])
def test_every_task_gets_its_own_result(pages: Path, tmp_path: Path, kept: bool) -> None:
    """Also where a task is there twice, where some are kept already, and where another run keeps one meanwhile."""
    crew = Crew(1, tmp_path if kept else None)
    tasks = [Task(Plan(pages), number) for number in (3, 1, 3, 2, 1)]
    assert list(spread(square, tasks[:1], crew)) == [9]
    results = spread(square, tasks, crew)
    assert next(results) == 9
    list(spread(square, tasks[3:4], crew))
    assert list(results) == [1, 9, 4, 1]


def test_the_open_ideas_are_all_measured(pages: Path) -> None:
    """The ablation has a row for each idea of the paper, and the cross-validation one for each candidate."""
    done = evaluate("--pages", pages, "--quick", "--documents", 40, "--jobs", 1, "--ablation")
    assert done.exit_code == 0, done.output
    ablation = done.stdout.partition("### Ablation")[2]
    for idea in ("width first", "confidence interval", "n-grams of one side", "PCA", "features of the encoding"):
        assert f"| plain + {idea}" in ablation


def test_texts_become_pages_and_what_is_contained_in_others_is_left_out(tmp_path: Path) -> None:
    """Texts fill up what pages lack, cut at line endings; a page that is mostly in a longer one is not taken."""
    from charlens.training.sullivan.gather import gather

    html, labelled, texts, out = (tmp_path / name for name in ("html", "labelled", "texts", "out"))
    labelled.mkdir()
    (labelled / "manifest.tsv").write_text("relpath\ttrue_encoding\tlanguage\n", encoding="utf-8")
    chance = random.Random(1)
    for language in LANGUAGES:
        (html / language).mkdir(parents=True)
        (texts / language).mkdir(parents=True)
        words = SENTENCES[language]
        lines = ["".join(chance.sample(words, len(words))) for _ in range(40)]
        (html / language / "long.html").write_text("<p>" + "</p><p>".join(lines[:10]) + "</p>", encoding="utf-8")
        (html / language / "part.html").write_text("<b>" + lines[3] + "<br></b>" + lines[4], encoding="utf-8")
        (texts / language / "news.txt").write_text("\n".join(lines[:5] + lines[20:]) + "\n", encoding="utf-8")
    counts = gather(html, labelled, out, texts)
    assert set(counts) == set(LANGUAGES) and all(count > 2 for count in counts.values())
    names = {path.name for path in (out / "ru").iterdir()}
    assert "long.html" in names and "part.html" not in names and "news-0.html" not in names
    assert "<p>" in (out / "ru" / "news-2.html").read_text(encoding="utf-8")


def test_links_are_the_same_for_the_same_page() -> None:
    """The links stand before the end of the page, in scripts that no encoding of the paper but Unicode's has."""
    page = "<html><body><p>año</p></body></html>"
    linked = add_links(page, "es/a.html")
    assert linked == add_links(page, "es/a.html") != add_links(page, "es/b.html")
    assert add_links(page, "es/a.html", EVERY).count("<li>") == EVERY > linked.count("<li>") >= FEWEST
    assert linked.endswith("</ul>\n</body></html>") and "?" in linked.encode("latin-1", "replace").decode("latin-1")


def test_negatives_are_balanced_by_encoding_or_document(pages: Path) -> None:
    """Drawn alike, every other encoding is there as often; drawn by documents, UTF-8 and UTF-16 are most of them."""
    shares = {}
    for negatives in Negatives:
        fold = open_fold(Plan(pages, cut=0, negatives=negatives), 0)
        drawn = fold.training(["ISO-8859-1"], [label for label in LABELS if label != "ISO-8859-1"])
        labels = [fold.corpus.documents[place].label for place in drawn.places[~drawn.positive]]
        shares[negatives] = sum(label in ("UTF-8", "UTF-16") for label in labels) / len(labels)
    assert shares[Negatives.ALIKE] < 0.3 < 0.4 < shares[Negatives.DOCUMENTS]


def test_units_begin_where_characters_do() -> None:
    """Aligned units are pairs from even places; by lead, a high byte takes the next byte along."""
    numbers, shares = aligned(b"\x04\x16\x04\x16")
    assert numbers[0] == 0x0416 + 256 and shares.tolist() == [1.0, 1.0] and len(numbers) == 2
    numbers, _ = by_lead(b"a\xc4\xe3b")
    assert set(numbers[numbers < 1 << 17].tolist()) == {ord("a"), 0xC4E3 + 256, ord("b")}
    assert len(aligned(b"")[0]) == len(by_lead(b"")[0]) == 0


def test_kernels_see_what_they_are_defined_on() -> None:
    """Each kernel of two vectors is SVM-light's formula with its own parameters."""
    one, other = np.array([0.3, 0.4]), np.array([0.1, 0.2])
    product, squares = np.array([[one @ other]]), (np.array([one @ one]), np.array([other @ other]))
    values = {name: float(kernel(product, *squares)[0, 0]) for name, kernel in KERNELS.items()}
    assert values["linear"] == pytest.approx(0.11)
    assert values["polynomial"] == pytest.approx(1.11**3)
    assert values["radial"] == pytest.approx(math.exp(-0.08))
    assert values["sigmoid"] == pytest.approx(math.tanh(1.11))


def test_more_labels_and_kernels_are_measured(pages: Path, tmp_path: Path) -> None:
    """The command prints the kernels in both units, each number of labels, and the three ways of the widths."""
    chance = random.Random(2)
    for language in (*LANGUAGES, "el", "tr"):
        (tmp_path / language).mkdir()
        words = SENTENCES.get(language, "Ο καιρός είναι καλός ığüşöç")
        lines = ["".join(chance.sample(words, len(words))) for _ in range(60)]
        (tmp_path / language / "news.txt").write_text("\n".join(lines), encoding="utf-8")
    grown = list(grow(tmp_path, METHODS["settled"], 0, sizes=(13, 15)))
    assert [each.labels for each in grown] == [13, 15]
    assert all(0 <= each.highest <= 100 and len(each.accuracy) == each.labels for each in grown)
    done = evaluate("--pages", pages, "--documents", 40, "--splits", 1, "--jobs", 1, "--cut", 0, "--kernels", "--json")
    assert done.exit_code == 0, done.output
    (table,) = json.loads(done.stdout)["more"]
    assert [row[0] for row in table["rows"]][:3] == ["linear, shares", "linear, percent", "polynomial, shares"]
    ways = compare_windows(tmp_path, METHODS["plain"], 0)
    assert list(ways) == ["against the rest", "width first", "then n-grams by width"]
    assert all(set(shares) == {*LABELS, "utf-16-le"} for shares in ways.values())


def test_texts_in_no_language_of_a_label_are_an_error(tmp_path: Path) -> None:
    """The error names the label and the layout."""
    with pytest.raises(PagesError, match=r"<language>/<source>\.txt"):
        list(grow(tmp_path, METHODS["plain"], 0, sizes=(13,)))


def test_documents_can_be_left_out(pages: Path) -> None:
    """Chinese in the encodings of the other script, and short pages, are no example of anything."""
    plan = Plan(pages, splits=1, cut=0, own_script=True)
    written = {(each.label, each.page.language) for each in open_corpus(plan).documents if not each.owned}
    assert ("GB2312", "zh-hans") in written and ("Big5", "zh-hant") in written and ("GB18030", "zh-hant") in written
    assert not written & {("GB2312", "zh-hant"), ("Big5", "zh-hans")}
    sizes = [len(each.page.text) for each in open_corpus(Plan(pages, splits=1, cut=0)).documents]
    middle = sorted(sizes)[len(sizes) // 2]
    long = open_corpus(Plan(pages, splits=1, cut=0, least=middle)).documents
    assert min(len(each.page.text) for each in long if not each.owned) == middle > min(sizes)


def test_what_may_explain_the_gap_is_measured(pages: Path) -> None:
    """Each reason is one change of the plain method or of its plan; those with links see other documents."""
    chosen = [variant for variant in plain_variants() if variant.name in ("plain", "negatives by documents", "links")]
    plan = Plan(pages, documents=40, splits=1, cut=0)
    outcomes = {each.variant.name: each for each in run_ablation(plan, chosen, Crew(1, None))}
    assert list(outcomes) == ["plain", "negatives by documents", "links"]
    assert all(0 <= each.mean <= 100 and set(each.scores) == set(LABELS) for each in outcomes.values())
    assert len({variant.name for variant in plain_variants()}) == len(plain_variants())
    title = tables.ablation(list(outcomes.values()), "Why").title
    assert title == "Why"


def test_an_unknown_recipe_is_wrong_use() -> None:
    """The error lists the recipes that there are."""
    wrong = run("train", "--recipe", "bakery")
    assert wrong.exit_code == 2
    assert "charlens, sullivan" in wrong.output


def test_a_missing_folder_is_wrong_use(tmp_path: Path) -> None:
    """The error says what to pass."""
    missing = evaluate("--pages", tmp_path / "none")
    assert missing.exit_code == 2
    assert "--pages FOLDER" in missing.output


def test_labelled_pages_join_the_others(tmp_path: Path) -> None:
    """Pages of a labelled set are read as their label says and put to their language; the rest is left out."""
    from charlens.training.sullivan.gather import gather
    from charlens.training.sullivan.paper import LANGUAGES

    html, labelled, out = (tmp_path / name for name in ("html", "labelled", "out"))
    for language in LANGUAGES:
        (html / language).mkdir(parents=True)
        (html / language / "page.html").write_text(f"<p>{language}</p>", encoding="utf-8")
    labelled.mkdir()
    (labelled / "a.html").write_bytes("<html><p>Привет</p>".encode("koi8-r"))
    (labelled / "b.txt").write_bytes("Привет".encode("koi8-r"))
    (labelled / "c.html").write_bytes("<html>中文</html>".encode("big5"))
    rows = [("a.html", "koi8_r", "ru"), ("b.txt", "koi8_r", "ru"), ("c.html", "big5", "zh"), ("a.html", "utf-8", "ru")]
    lines = ["relpath\ttrue_encoding\tlanguage", *("\t".join(row) for row in rows)]
    (labelled / "manifest.tsv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    counts = gather(html, labelled, out)
    assert (counts["ru"], counts["zh-hant"], counts["en"]) == (2, 2, 1)
    assert (out / "ru" / "labelled1.html").read_text(encoding="utf-8") == "<html><p>Привет</p>"
