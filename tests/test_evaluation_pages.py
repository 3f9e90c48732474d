"""Pages for measurements: in old encodings, with the requested declarations, judged in the tables of the paper."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest
from click.testing import CliRunner

from charlens.cli.app import app
from charlens.evaluation.datasets import Dataset, DatasetError, Sample, finish
from charlens.evaluation.ensemble import calibrated, compare
from charlens.evaluation.faghani import histogram, natural_table, published, read_corpus
from charlens.evaluation.judge import Grade, Judgement, judge
from charlens.evaluation.made_pages import PageRecipe, made_pages, real_pages
from charlens.evaluation.peers import Answer, Peer
from charlens.evaluation.peers_on_pages import CharlensPages, Hybrid, OnWords, content_peers, declared_peers
from charlens.evaluation.results import Row
from charlens.evaluation.web_report import (
    OTHERS,
    by_encoding,
    by_language,
    by_share,
    encoding_table,
    markdown,
    table,
)
from charlens.stages.declarations import find_declarations

PAGE = "<html><head><meta charset=utf-8></head><body><p>Слово за слово — {} 漢 №5 и ещё раз слово.</p></body></html>"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "ru").mkdir()
    for number in range(4):
        (tmp_path / "ru" / f"site__{number}.html").write_text(PAGE.format(number), encoding="utf-8")
    return tmp_path


def test_a_page_is_written_as_people_wrote_it(folder: Path) -> None:
    """What an encoding lacks becomes something like it, else a reference; the page reads back in its encoding."""
    made = made_pages(folder, PageRecipe(2))
    samples = {sample.encoding: sample for sample in made.samples}
    assert {"utf-8", "cp1251", "koi8-r", "cp866"} <= set(samples)
    text = samples["koi8-r"].load().decode("koi8-r")
    assert "&#28450;" in text and "Слово за слово" in text and "No.5" in text
    assert sum(sample.encoding == "cp1251" for sample in made.samples) == 2


@pytest.mark.parametrize("declared", ["none", "right", "wrong"])
def test_pages_declare_what_was_asked_for(folder: Path, declared: str) -> None:
    """Nothing, the label that gives the text, or one that gives another text."""
    for sample in made_pages(folder, PageRecipe(2, declared=declared)).samples:
        found = find_declarations(sample.load())
        if declared == "none":
            assert found is None
            continue
        assert found is not None
        answer = Answer(found.charsets[0].label, web_label=True)
        right = judge(sample.load(), sample.encoding, answer).grade.right
        assert right is (declared == "right"), sample.id


def test_all_encodings_are_more_than_those_of_the_web(folder: Path) -> None:
    """Without web_only there are pages in encodings that no browser has."""
    every = {sample.encoding for sample in made_pages(folder, PageRecipe(1, web_only=False)).samples}
    assert "cp855" in every
    assert "cp855" not in {sample.encoding for sample in made_pages(folder, PageRecipe(1)).samples}


def test_a_folder_without_pages_is_an_error(tmp_path: Path) -> None:
    """There is nothing to measure then, and the error says what must be there."""
    with pytest.raises(DatasetError, match="<language>/<name>"):
        made_pages(tmp_path, PageRecipe())


def test_real_pages_are_those_in_old_encodings() -> None:
    """Plain texts and Unicode are left out; what the others declare is blanked on request."""
    page = b"<meta charset=koi8-r>\xd0\xd2"
    samples = (
        Sample("a", "koi8-r", data=page, kind="html"),
        Sample("b", "utf-8", data=b"<p>", kind="html"),
        Sample("c", "koi8-r", data=b"x", kind="plain"),
    )
    dataset = Dataset("x", samples)
    assert [sample.id for sample in real_pages(dataset).samples] == ["a"]
    assert b"koi8-r" not in real_pages(dataset).samples[0].load()
    assert b"koi8-r" in real_pages(dataset, blank=False).samples[0].load()


class _Echo(Peer):
    """Says which bytes it was given."""

    def detect(self, data: bytes) -> Answer:
        return Answer(data.decode("latin-1"))


def test_other_detectors_can_be_given_the_words() -> None:
    """A page loses its markup on the way; a page of 7 bits, which may be ISO-2022-JP, stays whole."""
    peer = OnWords("echo, words", inner=_Echo("echo"))
    assert peer.detect(b"<p>\xe9t\xe9</p>").encoding == "été "
    assert peer.detect(b"<p>x</p>").encoding == "<p>x</p>"


def test_charlens_is_measured_with_several_settings() -> None:
    """Each way passes its keywords on."""
    peers = [peer for peer in (*content_peers(), *declared_peers()) if isinstance(peer, CharlensPages)]
    assert {peer.keywords["declared"] for peer in peers} == {"verify", "obey", "ignore"}
    page = "<meta charset=koi8-r><p>Привет, как дела, что нового, друзья?".encode("cp1251")
    answers = {peer.name: peer.detect(page).encoding for peer in peers if peer.missing_reason is None}
    assert answers["charlens, obey"] == "koi8-r"
    assert answers["charlens, verify"] == answers["charlens"] == "cp1251"


def row(encoding: str, language: str, data: bytes, **right: bool) -> Row:
    sample = finish(Sample(f"{language}/{len(data)}@{encoding}", encoding, data=data, language=language))
    grades = {True: Grade.EQUAL, False: Grade.WRONG}
    answers = {name: Answer(encoding if good else "cp1252", 0.9) for name, good in right.items()}
    return Row(sample, answers, {name: Judgement(grades[good], "") for name, good in right.items()})


def test_pages_go_into_the_columns_of_the_paper() -> None:
    """GB 2312 counts as GBK; English is in two groups of Table 4; what the paper lacks is in 'all others'."""
    chinese, english, greek = (
        row("gb2312", "zh-Hans", b"<p>x</p>", a=True),
        row("cp1252", "en", b"x" * 99, a=False),
        row("iso8859-7", "el", b"<p></p>" * 50 + b"y", a=True),
    )
    assert by_encoding(chinese) == ["GBK"] and by_encoding(greek) == [OTHERS]
    assert by_language(english) == ["English", "Indian, English"] and by_language(chinese) == ["Chinese"]
    assert by_share(english) == ["0–50 %"] and by_share(greek) == ["over 95 %"]
    lines = table([chinese, english, greek], ["a"], ["GBK", OTHERS], by_encoding)
    assert lines == [["", "GBK (1)", "all others (2)"], ["a", "100.00", "50.00"]]
    assert markdown(lines).splitlines()[1] == "| --- | --: | --: |"


def test_table_3_has_the_published_lines_below_ours() -> None:
    """With pages of all five encodings, their mean and the paper's lines are there; else neither would compare."""
    names = ("utf-8", "cp1251", "gbk", "cp1256", "cp932", "koi8-r")
    rows = [row(name, "", b"x" * size, a=size != 1) for size, name in enumerate(names)]
    lines = encoding_table(rows, ["a"])
    assert lines[0][-3:] == ["Shift_JIS (1)", "mean of the five", "all others (1)"]
    assert lines[1] == ["a", "100.00", "0.00", "100.00", "100.00", "100.00", "80.00", "100.00"]
    assert lines[2] == ["ICU, paper", "84", "0", "99", "4", "100", "57.40", ""]
    assert encoding_table(rows[:2], ["a"]) == [
        ["", "UTF-8 (1)", "windows-1251 (1)"],
        ["a", "100.00", "0.00"],
    ]


def test_an_ensemble_is_compared_with_charlens_alone() -> None:
    """Voters who are always right where charlens is unsure and wrong make it better; the table says by how much."""
    data = [b"\xd0\xd2" + b"x" * size for size in range(40)]
    rows = [row("koi8-r", "ru", page, charlens=False, uchardet=True, icu=True) for page in data]
    lines = compare(rows)
    assert lines[1][1] == "0.00"
    assert lines[2][1] == "100.00" and lines[2][2:] == ["40", "0"]


def test_the_published_table_adds_up() -> None:
    """Each detector of the paper named something for every page of an encoding; the languages add up to its total."""
    facts = published()
    for counts in facts["table_3"].values():
        assert len({sum(counts[name].values()) for name in ("icu", "chardet", "hybrid")}) == 1
    assert sum(row["pages"] for row in facts["table_4"].values()) == 85292
    for language, row in facts["table_4"].items():
        # The German list has one page more than the table.
        assert 0 <= sum(facts["natural"][language].values()) - row["pages"] <= 1


def test_a_histogram_has_the_published_counts_next_to_ours() -> None:
    """A line for each encoding named by a detector, in the order of the paper, and the accuracy below."""
    rows = [row("cp1251", "ru", b"\xcf\xf0" + b"x" * size, charlens=True, icu=size > 0) for size in range(4)]
    lines = histogram(rows, "windows-1251", ["charlens", "icu"])
    assert lines[0] == [
        "windows-1251 (4)",
        "charlens",
        "icu",
        "ICU, paper",
        "CharDet, paper",
        "hybrid, paper",
    ]
    assert ["windows-1251", "4", "3", "", "", "313"] in lines
    assert ["windows-1252", "", "1", "3", "", "1"] in lines
    assert lines[-1] == ["accuracy, %", "100.00", "75.00", "0", "0", "100"]


def test_natural_frequencies_weigh_the_charsets() -> None:
    """What stood in most headers counts most: 5,962 windows-1251 against 22,201 UTF-8 in Russian."""
    rows = [row("cp1251", "ru", b"\xcf\xf0", a=False), row("utf-8", "ru", "Пр".encode(), a=True)]
    lines = natural_table(rows, ["a"], by_language)
    cells = dict(zip(lines[0], lines[1], strict=True))
    assert cells["Russian (28,257)"] == f"{100 * 22201 / (22201 + 5962):.2f}"
    assert cells["English (13,223)"] == "–"
    covered = dict(zip(lines[0], lines[-1], strict=True))
    assert covered["Russian (28,257)"] == f"{100 * (22201 + 5962) / 28257:.2f}"


def test_the_hybrid_takes_its_words_either_way() -> None:
    """Both ways to eliminate markup are measured."""
    ways = {peer.name: peer.markup for peer in content_peers() if isinstance(peer, Hybrid)}
    assert ways == {"hybrid": "direct", "hybrid, parser": "parser"}


def test_the_pair_is_chosen_by_calibrated_probability() -> None:
    """A detector that is right when it is sure, and one that never is: the table follows the first where it is sure."""
    rows = []
    for size in range(80):
        sure = size % 2 == 0
        one = row("koi8-r", "ru", b"\xd0\xd2" + b"x" * size, **{"uchardet": sure, "icu, words": not sure})
        answers = {
            "uchardet": Answer("koi8-r" if sure else "cp1251", 0.99 if sure else 0.3),
            "icu, words": Answer("cp1253" if sure else "koi8-r", 0.5),
        }
        rows.append(Row(one.sample, answers, one.judgements))
    table_of_pair = dict(calibrated({"pages": rows})[1:])
    assert table_of_pair["uchardet"] == table_of_pair["icu, words"] == "50.00"
    assert table_of_pair["uchardet and icu, words, calibrated"] == "100.00"
    unmeasured = calibrated({"pages": [row("koi8-r", "ru", b"x", charlens=True)]})
    assert unmeasured[0][1].startswith("not measured")


@pytest.mark.parametrize("form", ["repository", "archive", "unpacked"])
def test_the_corpus_of_the_paper_is_read_in_each_form(tmp_path: Path, form: str) -> None:
    """A clone with its corpus.zip, the file alone, or that unpacked: pages by charset, their declarations blanked."""
    page = "<html><head><meta charset=windows-1251></head><body>Слово</body></html>".encode("cp1251")
    pages = {"Windows-1251/a.html": page, "UTF-8/b.html": "<p>été</p>".encode(), "no such charset/c": b"x"}
    place = tmp_path / "eval/test-data/encoding-wise"
    place.mkdir(parents=True)
    if form == "unpacked":
        for name, data in pages.items():
            (place / "corpus" / name).parent.mkdir(parents=True)
            (place / "corpus" / name).write_bytes(data)
    else:
        with zipfile.ZipFile(place / "corpus.zip", "w") as archive:
            archive.writestr("corpus/", b"")
            for name, data in pages.items():
                archive.writestr(f"corpus/{name}", data)
    found = read_corpus(place / "corpus.zip" if form == "archive" else tmp_path)
    assert {sample.id: sample.true_name for sample in found.samples} == {
        "Windows-1251/a.html": "cp1251",
        "UTF-8/b.html": "utf-8",
    }
    assert all(b"windows-1251" not in sample.load() for sample in found.samples)


def test_a_place_without_the_corpus_is_an_error(tmp_path: Path) -> None:
    """The error says what it must be, and the command ends with it."""
    with pytest.raises(DatasetError, match=r"corpus\.zip"):
        read_corpus(tmp_path)
    done = CliRunner().invoke(app, ["evaluate", "html", "--corpus", str(tmp_path)])
    assert done.exit_code == 1 and "IUST-HTMLCharDet" in done.output
