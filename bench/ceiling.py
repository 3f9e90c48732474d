"""The ceiling of accuracy: how much better than charlens a large byte model is that learned from the same samples.

    python bench/ceiling.py prepare DATA FOLDER    samples to test on, and what charlens answers, into FOLDER
    python bench/ceiling_models.py FOLDER DATA/train MODEL...    with PyTorch, on a GPU: answers of other models
    python bench/ceiling.py report FOLDER          the tables, as Markdown

DATA has `train` (UTF-8 text by language), `labelled` and `opened` (files with a manifest.tsv).  A model takes the place
of the statistics stage: it chooses among the encodings that can decode the bytes, and where charlens settles a sample
before (UTF-8, binary) that answer stays.  Declarations in files are blanked.  None of it is part of the package.
"""

from __future__ import annotations

import pickle
import random
import re
import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator
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
from charlens.stages.statistics.evidence import _log_priors
from charlens.training.classes import LEADERS, family
from charlens.training.competitors import Competitors
from charlens.training.corpora import find_languages, read_texts

#: Left out of the training of the model that ships, too.
WITHOUT = ("sl/tatoeba",)
#: A model reads this much of a sample, in windows of 128 bytes where its bytes beyond ASCII are.
MOST, WINDOW = 1024, 128
_SIZES_MADE, _SIZES_CUT = (10, 20, 50, 100, 500), (10, 20, 50)
_MADE_PER_CLASS, _CUTS_PER_CLASS, _WORDS_PER_LANGUAGE = 10, 60, 40
#: The code pages of Windows: what a short string of a language is in.
_WINDOWS = (*(f"cp125{digit}" for digit in range(9)), "cp874", "cp932", "cp949", "cp950", "gbk")
_WITHOUT_SPACES = ("ja", "th", "yue", "zh-Hans", "zh-Hant")
_WORD = re.compile(r"[^\W\d_]+")


class Row(NamedTuple):
    """One sample, without its bytes, and what charlens answers."""

    #: 'made', 'cut', 'short', 'labelled' or 'fresh'.
    group: str
    size: int
    part: str
    encoding: str
    language: str
    beyond_ascii: int
    answer: str
    right: bool
    #: Whether charlens answered before its statistics, or something that no class of the model stands for.
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
    """Do what the first argument says."""
    match arguments:
        case ["prepare", data, folder]:
            prepare(Path(data), Path(folder))
        case ["report", folder]:
            report(Path(folder))
        case _:
            sys.exit(__doc__)


def view(data: bytes) -> bytes:
    """Return what a model reads of *data*: all of it, or windows where it is not ASCII."""
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
    tests = (classes, encodings, _log_priors(model), list(map(tuple, rows)), views, np.array(possible), np.array(right))
    (folder / "tests.pickle").write_bytes(pickle.dumps(tests))
    print(f"{len(rows):,} samples:", dict(Counter((row.group, row.size, row.part) for row in rows)))


def read_tests(folder: Path) -> Tests:
    """Return what `prepare` wrote."""
    tests = Tests(*pickle.loads((folder / "tests.pickle").read_bytes()))
    return tests._replace(rows=[Row(*row) for row in tests.rows])


def _samples(data: Path) -> Iterator[tuple[str, str, Sample]]:
    texts = data / "train"
    made = Recipe(_SIZES_MADE, _MADE_PER_CLASS, kept_apart=True, without=WITHOUT)
    yield from (("made", "", sample) for sample in make_snippets(texts, made).samples)
    yield from (("short", "", sample) for sample in _short_strings(texts))
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


def _short_strings(texts: Path) -> Iterator[Sample]:
    """Yield words of sources kept apart, 2 to 15 bytes, in the code page that Windows had for the language."""
    found = find_languages(texts, WITHOUT)
    for language, encoding in sorted(_usual_pages().items()):
        chance = random.Random(f"short {language}")
        text = " ".join(read_texts(language, found[language.lower()]).test) if language.lower() in found else ""
        words = sorted({word for word in _WORD.findall(text) if not word.isascii()})
        chance.shuffle(words)
        some: set[bytes] = set()
        for word in words:
            if language in _WITHOUT_SPACES:
                word = word[: chance.choice((2, 2, 3, 4))]
            data = write(chance.choice((word, word, word.title(), word.upper())), encoding)
            if data and 2 <= len(data) <= chance.choice((4, 8, 15)) and not data.isascii() and data not in some:
                some.add(data)
                yield Sample(f"{language}/{len(some)}", encoding, data=data, language=language, length=len(data))
            if len(some) == _WORDS_PER_LANGUAGE:
                break


def _usual_pages() -> dict[str, str]:
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

#: The answers of one model: for each row the number of an encoding, without priors and with them.
Answers = NDArray[np.int64]


def report(folder: Path) -> None:
    """Print how often charlens and the models are right, and where they differ."""
    tests = read_tests(folder)
    models = {path.stem: np.load(path) for path in sorted(folder.glob("*.npz"))}
    right = {"charlens": np.array([row.right for row in tests.rows])}
    for name, answers in models.items():
        right[name] = _right(tests, answers["with_priors"])
        right[f"{name}, no priors"] = _right(tests, answers["plain"])
    print("\n## Right texts in percent\n")
    print(_by_set(tests.rows, right))
    for name in models:
        if name.startswith("large"):
            print(f"\n## Encodings where {name} and charlens differ most (made, 10 to 50 bytes)\n")
            print(_by_encoding(tests.rows, right["charlens"], right[f"{name}, no priors"]))
            print(f"\n## Confusions of charlens that {name} does not have, development and made\n")
            print(_confusions(tests, right["charlens"], right[name]))


def _right(tests: Tests, answers: Answers) -> NDArray[np.bool_]:
    settled = np.array([row.settled for row in tests.rows])
    before = np.array([row.right for row in tests.rows])
    chosen = tests.right[np.arange(len(answers)), answers]
    return np.where(settled, before, chosen)


def _by_set(rows: list[Row], right: dict[str, NDArray[np.bool_]]) -> str:
    sets: dict[tuple[str, str, int], list[int]] = defaultdict(list)
    for number, row in enumerate(rows):
        sets[row.group, row.part, row.size].append(number)
    header = [" ".join(str(part) for part in key if part) for key in sets]
    lines = [["samples", *(f"{len(numbers):,}" for numbers in sets.values())]]
    for name, values in right.items():
        lines.append([name, *(f"{100 * values[numbers].mean():.2f}" for numbers in sets.values())])
    return table(["", *header], lines)


def _by_encoding(rows: list[Row], ours: NDArray[np.bool_], theirs: NDArray[np.bool_]) -> str:
    numbers = [n for n, row in enumerate(rows) if row.group == "made" and row.size <= 50]
    groups: dict[str, list[int]] = defaultdict(list)
    for number in numbers:
        groups[rows[number].encoding].append(number)
    lines = []
    for name, members in groups.items():
        mean, other = 100 * ours[members].mean(), 100 * theirs[members].mean()
        lines.append((other - mean, [name, str(len(members)), f"{mean:.1f}", f"{other:.1f}", f"{other - mean:+.1f}"]))
    lines.sort(key=lambda line: -abs(line[0]))
    return table(["encoding", "samples", "charlens", "large", "difference"], [line for _, line in lines[:40]])


def _confusions(tests: Tests, ours: NDArray[np.bool_], theirs: NDArray[np.bool_]) -> str:
    gained: Counter[tuple[str, str, str, str]] = Counter()
    lost: Counter[tuple[str, str, str, str]] = Counter()
    for row, one, other in zip(tests.rows, ours, theirs, strict=True):
        if row.part != PARTS[1]:
            key = (f"{row.group} {row.size or ''}".strip(), row.encoding, row.language, row.answer)
            gained[key] += int(other and not one)
            lost[key] += int(not other and not one)
    best = [key for key, count in gained.most_common(60) if count]
    return table(
        ["set", "truth", "language", "charlens says", "the model is right", "is wrong too"],
        [[*key, str(gained[key]), str(lost[key])] for key in best],
    )


if __name__ == "__main__":
    main(sys.argv[1:])
