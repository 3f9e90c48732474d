"""Read a dataset of Hugging Face, row by row, without storing it.

It needs a network, and the package `datasets`.  The name of a configuration such as '20231101.ru' or 'ru' tells the
language, if nothing else does.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from charlens.training.readers.texts import Fields, ReaderError, Text, text_of


class Dataset(NamedTuple):
    """What to load: the names that the hub knows it by."""

    name: str
    config: str | None = None
    split: str = "train"


def read_dataset(dataset: Dataset, fields: Fields) -> Iterator[Text]:
    """Yield the texts of *dataset*, in its order, as they arrive."""
    try:
        from datasets import load_dataset
    except ImportError as error:
        raise ReaderError(
            f"reading {dataset.name} from Hugging Face needs the package 'datasets': pip install 'charlens[datasets]'"
        ) from error
    try:
        rows = load_dataset(dataset.name, dataset.config, split=dataset.split, streaming=True)
    except (OSError, ValueError) as error:
        raise ReaderError(f"{dataset.name} cannot be loaded: {error}") from error
    language = language_of(dataset.config)
    for row in rows:
        text = text_of(row, fields, dataset.name)
        yield text if text.language else text._replace(language=language)


def language_of(config: str | None) -> str | None:
    """Return the language that a configuration is named after, or ``None``: '20231101.ru' and 'ru' are Russian."""
    found = re.fullmatch(r"(?:\d{8}\.)?([a-z]{2,3}(?:[-_][A-Za-z]{2,8})*)", config or "")
    return found[1].replace("_", "-") if found else None
