"""Measure the limits of accuracy: is a large byte model, trained on the same samples, better than charlens?

    python bench/ceiling.py prepare DATA FOLDER    write test samples and the answers of charlens to FOLDER
    python bench/ceiling_models.py FOLDER DATA/train MODEL...    train other models and add their answers (PyTorch, GPU)
    python bench/ceiling.py report FOLDER          the tables, as Markdown

DATA has `train` (UTF-8 text by language), `labelled` and `opened` (files with a manifest.tsv).  A model replaces
the statistics stage: it chooses among the encodings that can decode the bytes. If an earlier stage of charlens decides
(UTF-8, binary), that answer stays. Declarations in files are blanked. The models are not part of the package.
"""

from __future__ import annotations

import pickle
import random
import re
import sys
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

import numpy as np
from common import table
from numpy.typing import NDArray

import charlens
from charlens.encodings import lookup
from charlens.encodings.orthography import write
from charlens.evaluation.datasets import Dataset, Sample, read_dataset
from charlens.evaluation.judge import SampleJudge, read
from charlens.evaluation.made import Recipe, cut_samples, make_snippets
from charlens.evaluation.parts import PARTS, samples_in
from charlens.evaluation.peers import Answer
from charlens.models import default_model
from charlens.stages.statistics.tables import log_priors
from charlens.training.classes import LEADERS, family
from charlens.training.competitors import Competitors
from charlens.training.corpora import find_languages, read_texts
from charlens.training.samples import in_capitals

#: Also left out of the training of the built-in model.
WITHOUT = ("sl/tatoeba",)
#: A model reads this much of a sample, in windows of 128 bytes where its non-ASCII bytes are.
MOST, WINDOW = 1024, 128
_SIZES_MADE, _SIZES_CUT = (10, 20, 50, 100, 500), (10, 20, 50)
_MADE_PER_CLASS, _CUTS_PER_CLASS, _WORDS_PER_LANGUAGE = 10, 60, 40
#: The code pages of Windows: what a short string of a language is in.
_WINDOWS = (*(f"cp125{digit}" for digit in range(9)), "cp874", "cp932", "cp949", "cp950", "gbk")
_WITHOUT_SPACES = ("ja", "th", "yue", "zh-Hans", "zh-Hant")
_WORD = re.compile(r"[^\W\d_]+")


class Row(NamedTuple):
    """One sample, without its bytes, and the answer of charlens."""

    #: 'made', 'cut', 'short', 'labelled' or 'fresh'.
    group: str
    size: int
    part: str
    encoding: str
    language: str
    beyond_ascii: int
    answer: str
    right: bool
    #: Whether charlens answered without statistics, or with an encoding that no class of the model has.
    settled: bool


class Tests(NamedTuple):
    """What a model is tested on."""

    classes: list[tuple[str, str]]
    encodings: list[str]
    #: What each class begins with, as log-odds: how common its encoding and its language are.
    priors: list[float]
    rows: list[Row]
    views: list[bytes]
    #: For each row and encoding, whether it decodes the sample, and whether that is the right text.
    possible: NDArray[np.bool_]
    right: NDArray[np.bool_]


def main(arguments: list[str]) -> None:
    """Run the command in the first argument."""
    match arguments:
        case ["prepare", data, folder]:
            prepare(Path(data), Path(folder))
        case ["report", folder]:
            report(Path(folder))
        case _:
            sys.exit(__doc__)


def view(data: bytes) -> bytes:
    """Return the input of a model: all of *data*, or windows with non-ASCII bytes."""
    if len(data) <= MOST:
        return data
    places = np.flatnonzero(np.frombuffer(data, np.uint8) >= 0x80)
    if not len(places):
        return data[:MOST]
    chosen = places[np.linspace(0, len(places) - 1, MOST // WINDOW).astype(int)]
    windows, end = [], 0
    for place in chosen.tolist():
        start = max(end, place - WINDOW // 2)
        end = max(end, start + WINDOW)
        windows.append(data[start:end])
    return b"".join(windows)[:MOST]


# ---- samples to test on


def prepare(data: Path, folder: Path) -> None:
    """Write the tests to *folder*."""
    model = default_model()
    classes = [(encoding, language) for encoding, language in model.classes]
    encodings = sorted({encoding for encoding, _ in classes})
    competitors = Competitors(encodings)
    rows: list[Row] = []
    views: list[bytes] = []
    possible, right = [], []
    for group, part, sample in _samples(data):
        leader = LEADERS.get(sample.true_name, sample.true_name)
        if leader not in encodings:
            continue
        content = sample.load()
        able = competitors.judge([content], [leader])[0][0]
        judge = SampleJudge(content, sample.encoding)
        rows.append(_asked(group, part, sample, content, judge))
        views.append(view(content))
        possible.append(able)
        right.append([able[n] and _is_right(judge, content, name) for n, name in enumerate(encodings)])
    folder.mkdir(parents=True, exist_ok=True)
    # Plain tuples: a class of this file has another name where the file is imported.
    tests = (
        classes,
        encodings,
        log_priors(model, model.amounts[-1]),
        list(map(tuple, rows)),
        views,
        np.array(possible),
        np.array(right),
    )
    (folder / "tests.pickle").write_bytes(pickle.dumps(tests))
    print(f"{len(rows):,} samples:", dict(Counter((row.group, row.size, row.part) for row in rows)))


def read_tests(folder: Path) -> Tests:
    """Return the output of `prepare`."""
    tests = Tests(*pickle.loads((folder / "tests.pickle").read_bytes()))
    return tests._replace(rows=[Row(*row) for row in tests.rows])


def _samples(data: Path) -> Iterator[tuple[str, str, Sample]]:
    texts = data / "train"
    made = Recipe(_SIZES_MADE, _MADE_PER_CLASS, kept_apart=True, without=WITHOUT)
    yield from (("made", "", sample) for sample in make_snippets(texts, made).samples)
    yield from (("short", "", sample) for sample in short_strings(texts))
    labelled, opened = (read_dataset(data / name, blank=True) for name in ("labelled", "opened"))
    fresh = set(_paths_of_fresh(data / "opened"))
    for part in PARTS:
        both = Dataset("files", tuple(samples_in((*labelled.samples, *opened.samples), part)))
        yield from (("cut", part, s) for s in cut_samples(both, Recipe(_SIZES_CUT, _CUTS_PER_CLASS)).samples)
        yield from (("labelled", part, sample) for sample in samples_in(labelled.samples, part))
        yield from (("fresh", part, s) for s in samples_in(opened.samples, part) if s.id in fresh)


def _paths_of_fresh(folder: Path) -> Iterator[str]:
    for line in (folder / "manifest.tsv").read_text(encoding="utf-8").splitlines():
        cells = line.split("\t")
        if cells[-1] == "fresh":
            yield cells[0]


def short_strings(texts: Path) -> Iterator[Sample]:
    """Yield words of held-out sources, 2 to 15 bytes, in the Windows code page of the language."""
    found = find_languages(texts, WITHOUT)
    for language, encoding in sorted(usual_pages().items()):
        chance = random.Random(f"short {language}")
        text = (
            " ".join(read_texts(language, found[language.lower()]).test) if language.lower() in found else ""
        )
        words = sorted({word for word in _WORD.findall(text) if not word.isascii()})
        chance.shuffle(words)
        some: set[bytes] = set()
        for word in words:
            if language in _WITHOUT_SPACES:
                word = word[: chance.choice((2, 2, 3, 4))]
            data = write(chance.choice((word, word, word.title(), in_capitals(word, language))), encoding)
            if (
                data
                and 2 <= len(data) <= chance.choice((4, 8, 15))
                and not data.isascii()
                and data not in some
            ):
                some.add(data)
                yield Sample(
                    f"{language}/{len(some)}", encoding, data=data, language=language, length=len(data)
                )
            if len(some) == _WORDS_PER_LANGUAGE:
                break


def usual_pages() -> dict[str, str]:
    """Return the Windows code page of each language."""
    pages: dict[str, str] = {}
    for name in sorted(_WINDOWS, key=lambda name: lookup(name).common):  # type: ignore[union-attr]
        for language in lookup(name).languages:  # type: ignore[union-attr]
            pages[language] = name
    return pages


def _asked(group: str, part: str, sample: Sample, data: bytes, judge: SampleJudge) -> Row:
    verdict = charlens.detect(data)
    name = verdict.encoding or str(verdict.outcome)
    known = {member for leader in {e for e, _ in default_model().classes} for member in family(leader)}
    right = judge.judge(Answer(verdict.encoding, outcome=verdict.outcome)).grade.right
    beyond = sum(byte >= 0x80 for byte in data)
    size = sample.cut
    return Row(group, size, part, sample.true_name, sample.language, beyond, name, right, name not in known)


def _is_right(judge: SampleJudge, data: bytes, leader: str) -> bool:
    """Whether the first member of a family that decodes *data* gives its text."""
    member = next((name for name in family(leader) if read(data, name) is not None), leader)
    return judge.judge(Answer(member)).grade.right


# ---- tables

Bools = NDArray[np.bool_]
#: Too few samples of an encoding, and too small a difference in points, to be shown.
_FEWEST, _SMALLEST = 60, 1.5
#: What is shown in the tables by kind and by confusion.
_SHOWN = ("charlens", "large", "pairs", "pairs-3", "pairs-3-4", "pairs-3-ascii", "small-96-8000-bend")


def report(folder: Path) -> None:
    """Print how often charlens and the models are right, and where they differ."""
    tests = read_tests(folder)
    right = {"charlens": np.array([row.right for row in tests.rows])}
    found = {path.stem: dict(np.load(path)) for path in sorted((folder / "answers").glob("*.npz"))}
    for name, answers in found.items():
        right[name] = _right(tests, answers["with_priors"])
    if "large" in found:
        right["large, no priors"] = _right(tests, found["large"]["plain"])
        right["large, words shuffled"] = _right(tests, found["large"]["shuffled_with_priors"])
    if {"large", "pairs-3"} <= set(found):
        one, other = found["large"], found["pairs-3"]
        surer = np.where(one["confidence"] > other["confidence"], one["with_priors"], other["with_priors"])
        right["the more certain of large and pairs-3"] = _right(tests, surer)
    print("\n## Right texts in percent\n")
    print(_by_set(tests.rows, right))
    shown = {name: values for name, values in right.items() if name in _SHOWN}
    if "large" in right:
        print("\n## The distance, in points\n")
        print(_distance(tests.rows, right["charlens"], right["large"]))
        print("\n## By the kind of the encoding\n")
        print(_by_kind(tests.rows, shown))
        print(
            "\n## Encodings where the large model and charlens differ (made, 10 to 50 bytes, without priors)\n"
        )
        print(_by_encoding(tests.rows, right["charlens"], right["large, no priors"]))
        print("\n## Confusions of charlens, and how many of them each model gets right (without the part test)\n")
        print(_confusions(tests.rows, shown))


def _right(tests: Tests, answers: NDArray[np.uint8]) -> Bools:
    if len(answers) != len(tests.rows):
        sys.exit("The answers are to other tests. Run bench/ceiling_models.py again.")
    settled = np.array([row.settled for row in tests.rows])
    before = np.array([row.right for row in tests.rows])
    return np.where(settled, before, tests.right[np.arange(len(answers)), answers])


def _grouped(rows: list[Row], key: Callable[[Row], str]) -> dict[str, list[int]]:
    """Return the numbers of the rows by their *key*, without those that have none."""
    groups: dict[str, list[int]] = defaultdict(list)
    for number, row in enumerate(rows):
        if name := key(row):
            groups[name].append(number)
    return groups


def _set_of(row: Row) -> str:
    return " ".join(str(part) for part in (row.group, row.size, row.part) if part)


def _by_set(rows: list[Row], right: dict[str, Bools]) -> str:
    return _shares(_grouped(rows, _set_of), right)


def _shares(groups: dict[str, list[int]], right: dict[str, Bools]) -> str:
    lines = (
        [name, f"{len(members):,}", *(f"{100 * values[members].mean():.1f}" for values in right.values())]
        for name, members in groups.items()
    )
    return table(["", "samples", *right], lines)


def _distance(rows: list[Row], ours: Bools, theirs: Bools) -> str:
    """Return the difference by set, with twice its standard error: both are asked about the same samples."""
    lines = []
    for name, members in _grouped(rows, _set_of).items():
        gained, lost = (int(part[members].sum()) for part in (theirs & ~ours, ours & ~theirs))
        points, error = 100 * (gained - lost) / len(members), 200 * (gained + lost) ** 0.5 / len(members)
        lines.append([name, str(gained), str(lost), f"{points:+.2f} ± {error:.2f}"])
    return table(["", "only the large model is right", "only charlens is right", "difference"], lines)


def _by_kind(rows: list[Row], right: dict[str, Bools]) -> str:
    def key(row: Row) -> str:
        short = (row.size in (10, 20) and row.part != PARTS[1]) or row.group == "short"
        return f"{row.group}, {_kind(row.encoding)}" if short else ""

    return _shares(dict(sorted(_grouped(rows, key).items())), right)


@cache
def _kind(name: str) -> str:
    """Return the group of an encoding: multi-byte, EBCDIC, or the script of most of its letters."""
    encoding = lookup(name)
    if encoding is None or encoding.kind in ("multi", "ebcdic"):
        return "multi-byte" if encoding is None or encoding.kind == "multi" else "EBCDIC"
    letters = filter(str.isalpha, bytes(range(0x80, 0x100)).decode(name, "ignore"))
    return Counter(unicodedata.name(letter).split()[0].title() for letter in letters).most_common(1)[0][0]


def _by_encoding(rows: list[Row], ours: Bools, theirs: Bools) -> str:
    lines = []
    for name, members in _grouped(
        rows, lambda row: row.encoding if row.group == "made" and row.size <= 50 else ""
    ).items():
        mean, other = 100 * ours[members].mean(), 100 * theirs[members].mean()
        if len(members) >= _FEWEST and abs(other - mean) >= _SMALLEST:
            lines.append([name, str(len(members)), f"{mean:.1f}", f"{other:.1f}", f"{other - mean:+.1f}"])
    lines.sort(key=lambda line: -float(line[-1]))
    return table(["encoding", "samples", "charlens", "large", "difference"], lines)


def _confusions(rows: list[Row], right: dict[str, Bools]) -> str:
    """Return the commonest wrong answers of charlens, and how many of them each model gets right."""
    models = [name for name in right if name != "charlens"]

    def key(row: Row) -> str:
        wrong = not row.right and row.part != PARTS[1]
        return f"{LEADERS.get(row.encoding, row.encoding)} → {row.answer}" if wrong else ""

    groups = sorted(_grouped(rows, key).items(), key=lambda group: -len(group[1]))[:40]
    lines = (
        [name, str(len(m)), *(str(int(right[model][m].sum())) for model in models)] for name, m in groups
    )
    return table(["truth → charlens", "samples", *models], lines)


if __name__ == "__main__":
    main(sys.argv[1:])
