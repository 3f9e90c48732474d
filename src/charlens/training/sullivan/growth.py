"""The paper's worry, "one-versus-all classification will not scale well": more labels, and n-grams by width.

Labels are the thirteen of the paper and then the encodings of charlens in the order of how common they are; documents
are pages made of plain texts in the languages of each encoding, the same number of each.  A page is for training or
for testing in all encodings alike.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from charlens.encodings import all_encodings, canonical
from charlens.training.sullivan.classifier import Table, decide, fit
from charlens.training.sullivan.documents import PagesError
from charlens.training.sullivan.gather import made_pages
from charlens.training.sullivan.ngrams import (
    Count,
    FloatArray,
    IntArray,
    aligned,
    build_matrix,
    by_lead,
    frequencies,
)
from charlens.training.sullivan.paper import CODECS, LANGUAGES, TRAINING_SHARE
from charlens.training.sullivan.settings import Settings
from charlens.training.sullivan.width import WIDTHS as _WIDTHS

#: How many labels there are, from the paper's to most of what charlens knows.
SIZES = (13, 30, 86)
#: Documents of a label, training and test together.
_DOCUMENTS = 150
_MOST_LANGUAGES = 5
#: The pages that the texts of a language are cut into; of 2.6 MB a page has 1,300 to 2,600 bytes.
_PAGES = 1000
_LEAST = 3


class Written(NamedTuple):
    """A page in one encoding."""

    label: str
    text: str
    data: bytes
    training: bool


def choose_labels(folder: Path, count: int) -> dict[str, str]:
    """Return label to codec: the paper's, with its UTF-16 as big-endian, and then the most common others."""
    chosen = dict(CODECS)
    taken = {canonical(codec) for codec in CODECS.values()}
    for encoding in all_encodings():
        if encoding.name not in taken and (encoding.kind == "utf" or _languages(folder, encoding.name)):
            chosen[encoding.name] = encoding.name
    return dict(list(chosen.items())[:count])


def _languages(folder: Path, name: str) -> list[str]:
    """Return languages of the encoding that there are texts in; for the encodings of Unicode those of the paper."""
    own = [language for language, labels in LANGUAGES.items() if name in labels]
    if not own:
        known = next((each.languages for each in all_encodings() if each.name == name), ())
        own = [language.lower() for language in known] or list(LANGUAGES)
    return [language for language in own if any((folder / language).glob("*.txt"))]


def write(folder: Path, labels: dict[str, str], seed: int) -> list[Written]:
    """Write pages of texts below *folder* in each of *labels*, alike from its languages."""
    pages: dict[str, list[tuple[str, str]]] = {}
    written = []
    for label, codec in labels.items():
        languages = _languages(folder, label)[:_MOST_LANGUAGES]
        if not languages:
            raise PagesError(
                f"{folder} has no text in a language of {label}; it needs <language>/<source>.txt."
            )
        each = -(-_DOCUMENTS // len(languages))
        for language in languages:
            if language not in pages:
                made = made_pages(folder / language, language, _PAGES)
                names = random.Random(f"growth {seed} {language}").sample(sorted(made), len(made))
                pages[language] = [(name, made[name].replace('<meta charset="utf-8">', "")) for name in names]
            for name, text in pages[language][:each]:
                side = random.Random(f"side {seed} {language} {name}").random() < TRAINING_SHARE
                written.append(Written(label, text, text.encode(codec, "replace"), side))
    return written


class Grown(NamedTuple):
    """The figures of one number of labels."""

    labels: int
    #: The accuracy of each label, in percent: yes or no, half of the documents of the label.
    accuracy: dict[str, float]
    #: Of the training documents, how many hold the plane, in percent.
    support: float
    #: Test documents for which the SVM of their label, or of one that gives the same text, says yes most, in percent.
    highest: float


class _Set:
    """Documents with their frequencies, and draws from them."""

    def __init__(self, written: Sequence[Written], labels: dict[str, str], seed: int) -> None:
        self.written, self.labels, self.seed = written, labels, seed
        self.places: dict[tuple[str, bool], list[int]] = {}
        for place, document in enumerate(written):
            self.places.setdefault((document.label, document.training), []).append(place)

    def table(self, count: Count = frequencies) -> Table:
        documents = [document.data for document in self.written]
        return Table(build_matrix(documents, _LEAST, count), documents)

    def draw(self, wanted: Sequence[str], rest: Sequence[str], training: bool) -> tuple[IntArray, Any]:
        """Draw all documents of *wanted*, and as many of *rest*, the same number of each as far as there are."""
        chance = random.Random(f"draw {self.seed} {training} {' '.join(wanted)}")
        positive = [place for label in wanted for place in self.places[label, training]]
        groups = [
            chance.sample(self.places[label, training], len(self.places[label, training])) for label in rest
        ]
        turns = (
            group[turn] for turn in range(max(map(len, groups))) for group in groups if turn < len(group)
        )
        negative: list[int] = []
        for place in turns:
            if len(negative) == len(positive):
                break
            if not any(self.same(place, label) for label in wanted):
                negative.append(place)
        places = np.array(positive + negative, np.int64)
        return places, np.arange(len(places)) < len(positive)

    def same(self, place: int, label: str) -> bool:
        """Say whether the document at *place* would be the same bytes in *label*: no example against it."""
        document = self.written[place]
        return document.label == label or document.text.encode(self.labels[label], "replace") == document.data

    def test_places(self) -> list[int]:
        return [place for place, document in enumerate(self.written) if not document.training]


def grow(folder: Path, settings: Settings, seed: int, sizes: Sequence[int] = SIZES) -> Iterator[Grown]:
    """Train and test one SVM for each label against the rest, for each number of labels."""
    everything = choose_labels(folder, max(sizes))
    written = write(folder, everything, seed)
    table = _Set(written, everything, seed).table()
    for size in sizes:
        labels = dict(list(everything.items())[:size])
        # Places stay those of the whole list, so that one table serves every size.
        chosen = _Set(written, labels, seed)
        yield _grown(chosen, table, settings)


def _grown(chosen: _Set, table: Table, settings: Settings) -> Grown:
    labels = list(chosen.labels)
    asked = [place for place in chosen.test_places() if chosen.written[place].label in chosen.labels]
    accuracy, support, taught, answers = {}, 0, 0, []
    for label in labels:
        rest = [other for other in labels if other != label]
        places, positive = chosen.draw([label], rest, True)
        found = fit(table, places, positive, settings)
        support, taught = support + found.solution.support_vectors, taught + len(places)
        test, yes = chosen.draw([label], rest, False)
        accuracy[label] = 100 * float(((decide(table, test, found.plane) > 0) == yes).mean())
        answers.append(decide(table, np.array(asked), found.plane))
    best = np.array(answers).argmax(axis=0)
    right = sum(chosen.same(place, labels[answer]) for place, answer in zip(asked, best, strict=True))
    return Grown(len(labels), accuracy, 100 * support / taught, 100 * right / len(asked))


#: The paper's labels by width, with both byte orders of UTF-16 and without a mark: alone, UTF-16 would have no rival.
WIDTHS = {**_WIDTHS, "double": ("UTF-16", "utf-16-le")}
#: How the n-grams of each width are counted.
WINDOWS: dict[str, Count] = {"single": frequencies, "double": aligned, "variable": by_lead}

Decide = Callable[[IntArray], FloatArray]


def compare_windows(folder: Path, settings: Settings, seed: int) -> dict[str, dict[str, float]]:
    """Return the accuracy of each label in three ways: against the rest, width first, and then n-grams by width."""
    labels = {**CODECS, "utf-16-le": "utf-16-le"}
    chosen = _Set(write(folder, labels, seed), labels, seed)
    sliding = chosen.table()
    by_width = {width: chosen.table(count) for width, count in WINDOWS.items()}
    planes = {
        width: _plane(chosen, sliding, own, [label for label in labels if label not in own], settings)
        for width, own in WIDTHS.items()
    }
    ways: dict[str, dict[str, float]] = {
        "against the rest": {},
        "width first": {},
        "then n-grams by width": {},
    }
    for width, own in WIDTHS.items():
        for label in own:
            others = [other for other in labels if other != label]
            rivals = [other for other in own if other != label]
            places, positive = chosen.draw([label], others, False)
            widths = np.array([decide(places) for decide in planes.values()]).argmax(axis=0)
            in_width = widths == list(WIDTHS).index(width)
            yes = {
                "against the rest": _plane(chosen, sliding, [label], others, settings)(places) > 0,
                "width first": in_width & (_plane(chosen, sliding, [label], rivals, settings)(places) > 0),
                "then n-grams by width": in_width
                & (_plane(chosen, by_width[width], [label], rivals, settings)(places) > 0),
            }
            for way, said in yes.items():
                ways[way][label] = 100 * float((said == positive).mean())
    return ways


def _plane(
    chosen: _Set, table: Table, wanted: Sequence[str], rest: Sequence[str], settings: Settings
) -> Decide:
    places, positive = chosen.draw(wanted, rest, True)
    plane = fit(table, places, positive, settings).plane
    return lambda asked: decide(table, asked, plane)
