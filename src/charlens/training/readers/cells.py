"""`charlens train cells`: names and labels by language, as tables and forms have them; prose has few of them.

They come from Faker (first names, surnames, towns, streets, jobs, companies), from the Unicode CLDR by way of Babel
(countries, languages, currencies, months, units), and from the CLDR's annotations (everyday words), which Babel lacks.
`training.corpora.read_cells` reads what is written here.
"""

from __future__ import annotations

import importlib
import json
import pkgutil
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import click

from charlens.files.atomic import write_atomically
from charlens.plural import count
from charlens.training.corpora import CELLS

#: Longer labels are sentences.
_LONGEST = 60
#: What is not text but a pattern to be filled in.
_PATTERN = re.compile(r"\{|##|%|\\")
_REGION = re.compile(r"-(?:[A-Z]{2}|\d{3})$")
#: The folders of languages that have another tag in a locale; 'dk' is Faker's.
_FOLDERS = {
    "zh": "zh-hans", "zh-CN": "zh-hans", "zh-TW": "zh-hant", "sr": "sr-cyrl", "no": "nb", "dk": "da",
}  # fmt: skip
_FIELDS = (
    "territories", "languages", "scripts", "variants", "currencies", "months", "days", "quarters", "eras",
    "time_zones", "unit_display_names",
)  # fmt: skip

#: A locale, and a name or label in its language.
Cell = tuple[str, str]


@click.command("cells")
@click.option(
    "--out", type=click.Path(exists=True, file_okay=False, path_type=Path), required=True,
    help="The folder with the texts.",
)  # fmt: skip
@click.option(
    "--annotations", type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="The folder 'annotations' of the npm package cldr-annotations-full.",
)  # fmt: skip
def cells(out: Path, annotations: Path | None) -> None:
    """Add names and labels to a folder of texts by language, for 'charlens train --corpus'.

    Each language in OUT gets a file cells.txt with the names of people, towns, countries, months and the like that
    Faker and the Unicode CLDR have for it. This needs pip install 'charlens[cells]'.

    \b
    npm pack cldr-annotations-full && tar xzf cldr-annotations-full-*.tgz
    charlens train cells --out texts/ --annotations package/annotations
    """
    try:
        sources = [*_from_faker(), *_from_cldr()]
    except ImportError as error:
        raise click.ClickException(f"This needs {error.name}: pip install 'charlens[cells]'") from error
    if annotations is not None:
        sources += _from_annotations(annotations)
    written = write_cells(sources, out)
    click.echo(f"{out}: {sum(written.values()):,} names and labels in {count(len(written), 'language')}")


def write_cells(sources: Iterable[Cell], out: Path) -> dict[str, int]:
    """Write the non-ASCII cells of each language that has a folder in *out*, and return how many there are."""
    found: dict[str, set[str]] = {path.name: set() for path in out.iterdir() if path.is_dir()}
    for locale, text in sources:
        cell = " ".join(text.split())
        if _is_wanted(cell) and (known := found.get(folder_of(locale))) is not None:
            known.add(cell)
    for folder, some in found.items():
        if some:
            write_atomically(out / folder / f"{CELLS}.txt", ("\n".join(sorted(some)) + "\n").encode())
    return {folder: len(some) for folder, some in found.items() if some}


def _is_wanted(cell: str) -> bool:
    fits = len(cell) <= _LONGEST and not cell.isascii() and any(map(str.isalpha, cell))
    return fits and not _PATTERN.search(cell)


def folder_of(locale: str) -> str:
    """Return the folder of a locale's language: 'pt' for 'pt_BR', 'zh-hant' for 'zh_TW'."""
    tag = locale.replace("_", "-")
    tag = tag if tag in _FOLDERS else _REGION.sub("", tag)
    return _FOLDERS.get(tag, tag.lower())


def _strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif hasattr(value, "items"):
        for key, each in value.items():
            yield from _strings(key)
            yield from _strings(each)
    elif isinstance(value, (list, tuple, set, frozenset)):
        for each in value:
            yield from _strings(each)


def _from_faker() -> Iterator[Cell]:
    """Yield the lists of words in Faker's providers, without the patterns that combine them."""
    import faker.providers

    for _, kind, is_package in pkgutil.iter_modules(faker.providers.__path__, "faker.providers."):
        package = importlib.import_module(kind)
        for _, name, _ in pkgutil.iter_modules(package.__path__, f"{kind}.") if is_package else ():
            provider = getattr(importlib.import_module(name), "Provider", None)
            for attribute, value in vars(provider).items() if provider else ():
                if not attribute.startswith("__") and "format" not in attribute:
                    yield from ((name.rpartition(".")[2], text) for text in _strings(value))


def _from_cldr() -> Iterator[Cell]:
    """Yield the names of countries, languages, currencies, months, time zones and units in Babel's locales."""
    from babel import Locale
    from babel.localedata import locale_identifiers

    for identifier in locale_identifiers():
        if identifier != "root":
            locale = Locale.parse(identifier)
            for field in _FIELDS:
                yield from ((identifier, text) for text in _strings(getattr(locale, field)))


def _from_annotations(folder: Path) -> Iterator[Cell]:
    """Yield the names and keywords of pictures, everyday words, in the CLDR's annotations."""
    for path in sorted(folder.glob("*/annotations.json")):
        named = json.loads(path.read_text(encoding="utf-8"))["annotations"].get("annotations", {})
        for texts in named.values():
            yield from ((path.parent.name, text) for text in _strings(list(texts.values())))
