"""Table 2: n-grams of high divergence that are characters, and the published ones measured here."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from charlens.training.sullivan.corpus import Examples, Fold
from charlens.training.sullivan.documents import encode
from charlens.training.sullivan.ngrams import gram, number
from charlens.training.sullivan.paper import CODECS, LABELS, TABLE_2, Row2
from charlens.training.sullivan.selection import Moments, divergence, moments, rank_by_divergence
from charlens.training.sullivan.settings import Readings, Settings


class Character(NamedTuple):
    """An n-gram that is a character of the label, and the language that has it most."""

    label: str
    language: str
    character: str
    gram: bytes
    divergence: float
    #: Its place among all n-grams of the label, by divergence; 1 is the best.
    place: int


class Published(NamedTuple):
    """A row of the published table with our figure."""

    row: Row2
    #: What the bytes are in the label, if they are a character there.
    character: str | None
    language: str
    #: ``None`` if too few documents of a side have it.
    divergence: float | None
    #: The same with Gaussians of the documents that have it.
    divergence_present: float | None


class _Sides(NamedTuple):
    drawn: Examples
    positive: Moments
    negative: Moments


def best_characters(fold: Fold, settings: Settings, count: int) -> list[Character]:
    """Return, for each label, the *count* characters of the highest divergence."""
    return [found for label in LABELS for found in _best(fold, label, settings, count)]


def _best(fold: Fold, label: str, settings: Settings, count: int) -> list[Character]:
    sides = _sides(fold, label, settings)
    score = divergence(sides.positive, sides.negative)
    found: list[Character] = []
    for place, column in enumerate(rank_by_divergence(sides.positive, sides.negative, settings), start=1):
        data = gram(int(fold.corpus.table.matrix.grams[column]))
        character = as_character(data, label)
        if character is not None:
            language = _language(fold, sides.drawn, int(column))
            found.append(Character(label, language, character, data, float(score[column]), place))
            if len(found) == count:
                break
    return found


def published(fold: Fold, settings: Settings) -> list[Published]:
    """Return the rows of the published table with the divergence that the n-gram has here."""
    rows = []
    present = replace(settings, readings=Readings.PRESENT)
    columns = {key: column for column, key in enumerate(fold.corpus.table.matrix.grams.tolist())}
    for row in TABLE_2:
        data = row.value.to_bytes(row.width, "big")
        language = "-"
        scores: list[float | None] = [None, None]
        if (column := columns.get(number(data))) is not None:
            language = _language(fold, _sides(fold, row.label, settings).drawn, column)
            scores = [_divergence_of(fold, row.label, column, each) for each in (settings, present)]
        rows.append(Published(row, as_character(data, row.label), language, *scores))
    return rows


def _divergence_of(fold: Fold, label: str, column: int, settings: Settings) -> float | None:
    """Return the divergence of the n-gram of *column*; ``None`` if it is not among those that can be chosen."""
    sides = _sides(fold, label, settings)
    if column not in rank_by_divergence(sides.positive, sides.negative, settings):
        return None
    return float(divergence(sides.positive, sides.negative)[column])


def as_character(data: bytes, label: str) -> str | None:
    """Return the one character that *data* is in *label*, if it is one; ASCII only if there is nothing else."""
    try:
        text = data.decode(CODECS[label])
    except UnicodeDecodeError:
        return None
    if len(text) != 1 or not text.isprintable() or (text.isascii() and label != "US-ASCII"):
        return None
    # A codec may read what it does not write.
    return text if encode(text, label).endswith(data) else None


def _sides(fold: Fold, label: str, settings: Settings) -> _Sides:
    drawn = fold.training([label])
    rows = fold.corpus.table.matrix.values[drawn.places]
    positive, negative = rows[drawn.positive], rows[~drawn.positive]
    return _Sides(drawn, moments(positive, settings.readings), moments(negative, settings.readings))


def _language(fold: Fold, drawn: Examples, column: int) -> str:
    """Return the language of the positive examples that has the n-gram most."""
    places = drawn.places[drawn.positive]
    values = fold.corpus.table.matrix.values[places, column].toarray().ravel()
    languages = np.array([fold.corpus.documents[place].page.language for place in places])
    return str(max(sorted(set(languages)), key=lambda language: values[languages == language].mean()))
