"""Figures, tables, reports, comparisons, and the verb that makes them."""

from __future__ import annotations

import json
import math
import re
from importlib.util import find_spec
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from charlens.cli.evaluate import evaluate as verb
from charlens.evaluation import metrics, tables, troubles
from charlens.evaluation.compare import compare
from charlens.evaluation.datasets import Dataset, Sample, finish
from charlens.evaluation.judge import SampleJudge
from charlens.evaluation.peers import Answer, Peer
from charlens.evaluation.record import Graded, RecordError, Run
from charlens.evaluation.report import write_report
from charlens.evaluation.results import Evaluation, PeerState, Row
from charlens.evaluation.speed import Speed
from charlens.types import Outcome

SECRET = "Никому не показывай"


def row(id_: str, text: str, truth: str, answers: dict[str, Answer], **facts: object) -> Row:
    sample = finish(Sample(id_, truth, data=text.encode(truth), **facts))  # type: ignore[arg-type]
    judge = SampleJudge(sample.load(), truth)
    return Row(sample, answers, {name: judge.judge(answer) for name, answer in answers.items()})


def evaluation(*rows: Row, name: str = "small") -> Evaluation:
    peers = tuple(rows[0].answers)
    return Evaluation(Dataset(name, tuple(each.sample for each in rows)), peers, peers, rows)


def small() -> Evaluation:
    """Six samples, two detectors: the first is right on five, the second on two."""
    return evaluation(
        row("a", SECRET, "cp1251", {"charlens-pure": Answer("cp1251", 0.9), "other": Answer("cp1252", 0.8)},
            language="ru", source="one", label_from="declared"),
        row("b", "Привет", "cp1251", {"charlens-pure": Answer("cp1251", 0.9), "other": Answer("cp1251", 0.2)},
            language="ru", source="one"),
        row("c", "日本語", "shift_jis", {"charlens-pure": Answer("cp932", 0.7), "other": Answer("utf-8", 0.9)},
            language="ja", source="two"),
        row("d", "中文", "big5", {"charlens-pure": Answer("gbk", 0.6), "other": Answer("cp1251", 0.9)},
            language="zh-Hant", source="two", label_from="declared", declared="big5"),
        row("e", "Où", "cp1252", {"charlens-pure": Answer("cp1252", 1.0), "other": Answer("iso8859-1", 0.9)},
            language="fr", source="three", declared="utf-8"),
        row("<f>&.txt", "Ça", "cp1252", {"charlens-pure": Answer("cp1252", 1.0),
            "other": Answer(None, outcome=Outcome.UNDECIDED, error="raised ValueError: <b>")}, source="three"),
    )  # fmt: skip


def test_averages_are_what_counting_by_hand_gives() -> None:
    """Micro is over samples, macro over encodings, and both measures are kept apart."""
    rows = small().rows
    count = metrics.tally(rows, "charlens-pure")
    assert (count.total, count.right, count.equal, count.misses) == (6, 5, 4, 1)
    assert metrics.micro(rows, "charlens-pure").value == pytest.approx(5 / 6)
    assert metrics.micro(rows, "charlens-pure", equal=True).value == pytest.approx(4 / 6)
    assert metrics.macro(rows, "charlens-pure").value == pytest.approx(3 / 4)
    assert metrics.macro(rows, "other").value == pytest.approx((1 / 2 + 0 + 0 + 1 / 2) / 4)


def test_intervals_hold_the_figure_and_narrow_with_more_samples() -> None:
    """The bootstrap of a share of 90 % among 400 is what the binomial says: about 3 points each way."""
    right = row("x", "да", "cp1251", {"p": Answer("cp1251")})
    wrong = row("x", "да", "cp1251", {"p": Answer("cp1252")})
    found = metrics.micro([right] * 360 + [wrong] * 40, "p")
    half = 1.96 * math.sqrt(0.9 * 0.1 / 400)
    assert found.low == pytest.approx(0.9 - half, abs=0.01)
    assert found.high == pytest.approx(0.9 + half, abs=0.01)
    few = metrics.micro([right] * 9 + [wrong], "p")
    assert few.low < found.low
    sure = metrics.micro([right] * 5, "p")
    assert (sure.value, sure.low, sure.high) == (1, 1, 1)
    assert metrics.micro([right, wrong] * 20, "p", seed=1) == metrics.micro([right, wrong] * 20, "p", seed=1)


def test_resampling_sources_widens_the_interval() -> None:
    """Twenty wrong files of one source are one finding, not twenty."""
    rows = [row("x", "да", "cp1251", {"p": Answer("cp1251")}, source=f"s{n}") for n in range(20)]
    rows += [row("x", "да", "cp1251", {"p": Answer("cp1252")}, source="bad")] * 20
    by_files, by_sources = metrics.micro(rows, "p"), metrics.by_sources(rows, "p")
    assert by_sources.value == by_files.value == 0.5
    assert by_sources.high - by_sources.low > by_files.high - by_files.low


def test_calibration_is_the_distance_of_confidence_and_truth() -> None:
    """Nine of ten right at 0.9 is not an error; always right at 0.5 is half a point off."""
    right = row(
        "x", "да", "cp1251", {"p": Answer("cp1251", 0.9), "q": Answer("cp1251", 0.5), "r": Answer("cp1251")}
    )
    wrong = row(
        "x", "да", "cp1251", {"p": Answer("cp1252", 0.9), "q": Answer("cp1251", 0.5), "r": Answer("cp1251")}
    )
    rows = [right] * 9 + [wrong]
    honest, modest = metrics.calibration(rows, "p"), metrics.calibration(rows, "q")
    assert honest is not None
    assert modest is not None
    assert honest.error == pytest.approx(0)
    assert modest.error == pytest.approx(0.5)
    assert [part.count for part in modest.bins] == [10]
    assert metrics.calibration(rows, "r") is None


def test_text_and_binary_are_scored_by_precision_and_recall() -> None:
    """Of four binaries three are found, and one text is taken for binary."""
    said = {True: Answer(None, outcome=Outcome.BINARY), False: Answer("cp1251")}
    texts = [row("t", "да", "cp1251", {"p": said[n == 0]}) for n in range(10)]
    binaries = [row("b", "да", "cp1251", {"p": said[n < 3]}) for n in range(4)]
    scores = metrics.binary_scores(texts, binaries, "p")
    assert (scores.precision, scores.recall, scores.text_recall) == (0.75, 0.75, 0.9)


def test_the_sign_test_is_exact() -> None:
    """Ten to nothing is no accident; five to five is."""
    assert metrics.sign_test(10, 0) == pytest.approx(2 / 1024)
    assert metrics.sign_test(5, 5) == 1.0
    assert metrics.sign_test(0, 0) == 1.0


def test_tables_count_by_encoding_language_source_and_length() -> None:
    """Each table has a line for each group and one for all."""
    found = {row[0]: row for row in tables.by_encoding(small()).rows}
    assert found["cp1251"][1] == 2
    assert isinstance(found["cp1251"][3], metrics.Tally)
    assert found["cp1251"][3].right == 1
    assert found["all"][1] == 6
    assert {row[0] for row in tables.by_language(small()).rows} >= {"ru", "ja", "(not known)"}
    assert {row[0] for row in tables.by_source(small()).rows} == {"one", "two", "three", "all"}
    assert [row[0] for row in tables.by_length(small()).rows] == ["up to 10", "up to 20", "all"]


def test_sizes_are_listed_next_to_whole_files() -> None:
    """Cut samples are counted by their size; the files they were cut from have a separate line."""
    answers = {"charlens-pure": Answer("cp1251"), "other": Answer("cp1252")}
    cut = evaluation(*(row(f"x{n}", "Привет", "cp1251", answers, cut=n) for n in (10, 20, 20)))
    lines = {line[0]: line for line in tables.by_size(cut, small()).rows}
    assert {name: line[1] for name, line in lines.items()} == {"10": 1, "20": 2, "whole files": 6, "all": 3}
    assert isinstance(lines["whole files"][2], metrics.Tally)
    assert lines["whole files"][2].right == 5


def test_histograms_show_what_was_detected_for_each_truth() -> None:
    """Like Table 3 of the paper: names by detector, and the share at the end."""
    found = {table.title: table for table in tables.histograms(small())}
    lines = {row[0]: row[1:] for row in found["cp1251, 2 samples"].rows}
    assert lines["cp1251"] == (2, 1)
    assert lines["cp1252"] == (None, 1)
    assert "(failed)" in {row[0] for row in found["cp1252, 2 samples"].rows}


def test_an_unconfirmed_label_is_reported() -> None:
    """Only where it is the file's own word, and every detector contradicts it."""
    assert [line[0] for line in troubles.suspects(small()).rows] == ["d"]
    elsewhere = row("d", "中文", "big5", {"p": Answer("gbk"), "q": Answer("cp1251")}, label_from="dir")
    assert not troubles.suspects(evaluation(elsewhere)).rows
    alone = row("d", "中文", "big5", {"p": Answer("gbk")}, label_from="declared")
    assert not troubles.suspects(evaluation(alone)).rows


def test_a_declaration_that_lies_is_reported() -> None:
    """The file declares UTF-8 and is labelled windows-1252."""
    assert [line[:2] for line in troubles.liars(small()).rows] == [("e", "utf-8")]


def test_failed_answers_are_counted_with_an_example() -> None:
    """Which detector, what it did, how often, and where."""
    assert troubles.failures(small()).rows == (("other", "raised ValueError: <b>", 1, "<f>&.txt"),)


def write_small(folder: Path, *, public: bool, draw: bool = False) -> str:
    """Write the report on the small evaluation, and return its page where there is one."""
    states = (PeerState("charlens-pure", "1"), PeerState("other", "2"), PeerState("icu", "", "not installed"))
    speeds = (Speed("charlens-pure", 100, 1, 10, 2), Speed("other", 200, 2))
    run = Run((small(),), states, speeds, None, {"made by": "a test"})
    write_report(run, folder, public=public, draw=draw)
    return "" if public else (folder / "report.html").read_text(encoding="utf-8")


def test_the_page_loads_nothing_else(tmp_path: Path) -> None:
    """No address to fetch, nothing unescaped, the missing detector named, the miss shown."""
    page = write_small(tmp_path, public=False)
    assert all(link.startswith("#") for link in re.findall(r"""(?:src|href)\s*=["']?([^"' >]*)""", page))
    assert "url(" not in page
    assert "<f>&.txt" not in page
    assert "&lt;f&gt;&amp;.txt" in page
    assert "Missing, and in no table: icu." in page
    assert SECRET[:10] in page
    assert SECRET.encode("cp1251")[1:12].hex(" ") in page


def test_a_public_report_shows_no_piece_of_the_data(tmp_path: Path) -> None:
    """Figures, names of files and encodings; no text, no bytes, no list of files in the record."""
    write_small(tmp_path, public=True)
    for path in tmp_path.rglob("*"):
        if path.is_file():
            text = path.read_text(encoding="utf-8")
            assert SECRET[:6] not in text
            assert SECRET.encode("cp1251")[:6].hex(" ") not in text
    record = json.loads((tmp_path / "results.json").read_text(encoding="utf-8"))
    assert "files" not in record
    assert record["datasets"][0]["hash"] == small().dataset.hash


def test_markdown_has_both_measures_and_the_missing(tmp_path: Path) -> None:
    """The report for a repository: shares with the equal share in brackets."""
    write_small(tmp_path, public=True)
    text = (tmp_path / "REPORT.md").read_text(encoding="utf-8")
    assert "| shift_jis | 1 | 100.0 (0.0) | 0.0 (0.0) |" in text
    assert "Missing, and in no table: icu." in text
    assert "| other | 200 |" in text


@pytest.mark.skipif(find_spec("matplotlib") is None, reason="pictures need matplotlib")
def test_pictures_are_drawn_in_both_forms(tmp_path: Path) -> None:
    """Confusions, reliability and speed, as SVG and PNG, and again in the page."""
    page = write_small(tmp_path, public=False, draw=True)
    names = {path.name for path in (tmp_path / "pictures").iterdir()}
    assert {"confusion-other.svg", "reliability-small.png", "speed.svg"} <= names
    assert page.count("<svg") == len(names) // 2
    assert "currentColor" in page
    links = re.findall(r"""(?:src|href)\s*=["']?([^"' >]*)""", page)
    assert all(link.startswith(("#", "data:image/png;base64,")) for link in links)
    assert (tmp_path / "pictures" / "speed.png").read_bytes().startswith(b"\x89PNG")


def test_comparison_tells_better_from_worse() -> None:
    """Right to wrong is worse, wrong to right is better, the others are distinguished."""

    def graded(**grades: str) -> dict[str, dict[str, Graded]]:
        return {id_: {"p": Graded(words.split()[0], words.split()[1])} for id_, words in grades.items()}

    before = {"set": graded(a="x wrong", b="y equal", c="z wrong", d="w equal", gone="v equal")}
    after = {"set": graded(a="y equal", b="q wrong", c="k undecodable", d="w2 equitable", new="v equal")}
    (found,) = compare(before, after, "p", "p")
    assert [change.id for change in found.better] == ["a"]
    assert [change.id for change in found.worse] == ["b"]
    assert [change.id for change in found.otherwise] == ["c"]
    assert (found.shared, found.right_before, found.right_after) == (4, 2, 2)
    assert (found.only_before, found.only_after) == (1, 1)
    with pytest.raises(RecordError, match="share no dataset"):
        compare(before, {"another": after["set"]}, "p", "p")
    with pytest.raises(RecordError, match="'q' is in no dataset"):
        compare(before, after, "q", "q")


class Stub(Peer):
    """A detector that says the same of everything."""

    def version(self) -> str:
        return self.first_call

    def detect(self, data: bytes) -> Answer:
        return Answer(self.first_call, 0.5)


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A dataset of two files with a problem, and only stubs for detectors."""
    folder = tmp_path / "set"
    folder.mkdir()
    (folder / "ru.txt").write_bytes("Привет".encode("cp1251"))
    (folder / "fr.txt").write_bytes("Ça où".encode("cp1252"))
    lines = ("path\tencoding", "ru.txt\tcp1251", "fr.txt\tcp1252", "gone.txt\tutf-8")
    (folder / "manifest.tsv").write_text("\n".join(lines), encoding="utf-8")
    monkeypatch.setenv("CHARLENS_DATA", str(tmp_path / "nowhere"))
    use(monkeypatch, "cp1251")
    return folder


def use(monkeypatch: pytest.MonkeyPatch, said: str) -> None:
    absent = Stub("absent", "no_such_module", "no-such-thing")
    peers = (Stub("charlens-pure", first_call=said), absent)
    monkeypatch.setattr("charlens.evaluation.peers.encoding_peers", lambda: peers)


def call(*arguments: str | Path) -> Result:
    return CliRunner().invoke(verb, [str(argument) for argument in arguments])


def test_the_verb_writes_a_report_and_goes_on_past_problems(data: Path, tmp_path: Path) -> None:
    """A missing file and a missing detector are reported, and the exit is 0."""
    result = call("--data", data, "--out", tmp_path / "out", "--no-cache", "--no-speed", "--jobs", "1")
    assert result.exit_code == 0, result.output
    assert "1 problem" in result.output
    assert "missing: absent (not installed; pip install no-such-thing adds it)" in result.output
    assert re.search(r"charlens-pure\s+50\.00%", result.output)
    report = (tmp_path / "out" / "REPORT.md").read_text(encoding="utf-8")
    assert "gone.txt" in report
    assert str(tmp_path) not in report


def test_two_records_are_compared_by_the_verb(
    data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The report lists file by file where the later detector is better or worse."""
    options = ("--data", data, "--no-cache", "--no-speed", "--jobs", "1", "--out")
    assert call(*options, tmp_path / "a").exit_code == 0
    use(monkeypatch, "cp1252")
    assert call(*options, tmp_path / "b").exit_code == 0
    result = call("compare", tmp_path / "a" / "results.json", tmp_path / "b" / "results.json")
    assert result.exit_code == 0
    assert "set: 1 → 1 right of 2; 1 better, 1 worse" in result.output
    assert "ru.txt: cp1251 (equal) → cp1252 (wrong)" in result.output
    form = call("compare", "--format", "json", *(tmp_path / name / "results.json" for name in "ab"))
    assert json.loads(form.output)[0]["better"][0]["id"] == "fr.txt"


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        ((), 2, "No data to measure on"),
        (("--data", "nowhere"), 1, "is not a folder"),
        (("--data", "{set}", "--peers", "chardetto"), 2, "Unknown detector chardetto"),
        (("--made", "ten"), 2, "is not a list of sizes"),
        (("--made", "10", "--no-speed"), 1, "name a folder of UTF-8 text by language"),
        (("compare", "x.json", "y.json"), 1, "cannot be read"),
        (("compare", "{set}/manifest.tsv", "{set}/manifest.tsv"), 1, "is not JSON"),
    ],
)
def test_wrong_use_is_answered_with_what_to_do(
    data: Path, arguments: tuple[str, ...], code: int, words: str
) -> None:
    """Exit 2 for wrong use, 1 for what could not be done, and a sentence that helps."""
    result = call(*(argument.format(set=data) for argument in arguments))
    assert result.exit_code == code
    assert words in result.output


def test_a_public_record_cannot_be_compared_and_says_so(data: Path, tmp_path: Path) -> None:
    """It has no list of files; the message says which record has one."""
    out = tmp_path / "out"
    assert (
        call("--data", data, "--public", "--no-cache", "--no-speed", "--jobs", "1", "--out", out).exit_code
        == 0
    )
    result = call("compare", out / "results.json", out / "results.json")
    assert result.exit_code == 1
    assert "written with --public" in result.output


def test_public_data_is_listed_with_how_to_get_it() -> None:
    """Each set says what it is and which commands bring it."""
    result = call("datasets")
    assert result.exit_code == 0
    assert "$ git clone --depth 1 https://github.com/chardet/test-data" in result.output
