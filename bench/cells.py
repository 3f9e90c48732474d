"""Measure words, names and labels of 2 to 15 bytes, as cells of tables: `python bench/cells.py [--text TRAIN]`.

    python bench/cells.py --written [--misses]

Names of people, towns and jobs are from mimesis, of countries, regions, languages and currencies from pycountry (the
translations of iso-codes), and frequent words from wordfreq; the built-in model was not trained on any of these lists.
With `--text`, what is in TRAIN's `cells.txt` (`charlens train cells`) all the same is left out: Peru is Peru in each
list.  Every text is in the Windows code page of its language.  Needs pip install mimesis pycountry wordfreq.

With `--written`, the cells are those of `bench/cells.toml`, written by hand, in two halves by the hash of the text:
causes are looked for in the misses of half A, which `--misses` prints; half B is only counted.
"""

from __future__ import annotations

import argparse
import gettext
import hashlib
import json
import random
from collections import defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from ceiling import usual_pages
from common import table

from charlens.encodings.orthography import write
from charlens.evaluation.judge import judge
from charlens.evaluation.peers import ask, encoding_peers
from charlens.training.corpora import read_cells
from charlens.training.readers.cells import folder_of

_PEERS = ("charlens-native", "chardetng", "chardet", "uchardet")
_LONGEST = 15
_MOST_WORDS = 20_000
_SURE = 0.95
_BINS = 10
#: A language with fewer cells than this has no line of its own.
_LEAST = 40
_WRITTEN = Path(__file__).with_suffix(".toml")
_HALVES = "AB"


class Cell(NamedTuple):
    """A text of one language from a list."""

    language: str
    origin: str
    text: str


def _strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, (dict, list)):
        for each in value.values() if isinstance(value, dict) else value:
            yield from _strings(each)


def _names() -> Iterator[Cell]:
    import mimesis

    for path in sorted((Path(mimesis.__file__).parent / "datasets").glob("*/*.json")):
        for text in _strings(json.loads(path.read_text(encoding="utf-8"))):
            if "{" not in text:
                yield Cell(path.parent.name, "names", text)


def _countries() -> Iterator[Cell]:
    import pycountry

    for path in sorted((Path(pycountry.__file__).parent / "locales").glob("*/LC_MESSAGES/*.mo")):
        with path.open("rb") as file:
            catalogue = vars(gettext.GNUTranslations(file))["_catalog"]
        yield from (Cell(path.parts[-3], "countries", text) for source, text in catalogue.items() if source)


def _words() -> Iterator[Cell]:
    import wordfreq

    for language in wordfreq.available_languages():
        for word in wordfreq.top_n_list(language, _MOST_WORDS):
            yield Cell(language, "words", word)


def gather(each: int, texts: Path | None) -> dict[Cell, tuple[bytes, str]]:
    """Return up to *each* cells of every language and list: their bytes, and the encoding."""
    pages = {language.lower(): (language, page) for language, page in usual_pages().items()}
    pages["sr-cyrl"] = pages.get("sr", ("sr", "cp1251"))
    lists: dict[tuple[str, str], set[str]] = defaultdict(set)
    for cell in (*_names(), *_countries(), *_words()):
        if not cell.text.isascii() and folder_of(cell.language) in pages:
            lists[folder_of(cell.language), cell.origin].add(cell.text)
    found: dict[Cell, tuple[bytes, str]] = {}
    for (folder, origin), some in sorted(lists.items()):
        language, page = pages[folder]
        if texts is not None:
            some = some.difference(*read_cells(texts, folder))
        shuffled = sorted(some)
        random.Random(f"{folder} {origin}").shuffle(shuffled)
        written = ((text, write(text, page)) for text in shuffled)
        fitting = [(text, data) for text, data in written if data and not data.isascii() and 2 <= len(data) <= _LONGEST]
        for text, data in fitting[:each]:
            found[Cell(language, origin, text)] = data, page
    return found


def gather_written() -> dict[Cell, tuple[bytes, str]]:
    """Return the cells written by hand, with their half as the list."""
    import tomllib  # Python 3.11

    pages = usual_pages() | {"et": "cp1257", "sr": "cp1251"}
    found: dict[Cell, tuple[bytes, str]] = {}
    for language, kinds in tomllib.loads(_WRITTEN.read_text(encoding="utf-8")).items():
        for text in (text for texts in kinds.values() for text in texts):
            half = _HALVES[hashlib.sha256(text.encode()).digest()[0] % 2]
            data = write(text, pages[language])
            if data is None or data.isascii() or not 2 <= len(data) <= _LONGEST:
                raise ValueError(f"{text!r} is not 2 to {_LONGEST} bytes of {pages[language]} with a non-ASCII one")
            found[Cell(language, half, text)] = data, pages[language]
    return found


def _line(name: str, cells: Iterable[Cell], right: dict[tuple[str, Cell], bool], peers: Iterable[str]) -> list[str]:
    some = list(cells)
    shares = (100 * sum(right[peer, cell] for cell in some) / len(some) for peer in peers)
    return [name, f"{len(some):,}", *(f"{share:.1f}" for share in shares)]


def main() -> None:
    """Print tables by list and by language, and how good the confidence of charlens is."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--text", type=Path, metavar="TRAIN", help="texts with cells.txt, which are left out")
    parser.add_argument("--each", type=int, default=80, help="cells of every language and list (default: 80)")
    parser.add_argument("--written", action="store_true", help="the cells of bench/cells.toml instead of the lists")
    parser.add_argument("--misses", action="store_true", help="print the misses of half A")
    given = parser.parse_args()
    cells = gather_written() if given.written else gather(given.each, given.text)
    known = {peer.name: peer for peer in encoding_peers() if peer.available}
    peers = [name for name in _PEERS if name in known]
    right: dict[tuple[str, Cell], bool] = {}
    sure: list[tuple[float, bool]] = []
    for cell, (data, page) in cells.items():
        for name in peers:
            answer = ask(known[name], data)
            right[name, cell] = judge(data, page, answer).grade.right
            if name == _PEERS[0]:
                sure.append((answer.confidence or 0.0, right[name, cell]))
                if given.misses and cell.origin == _HALVES[0] and not right[name, cell]:
                    print(f"{cell.language}\t{cell.text}\t{answer.encoding}\t{answer.confidence:.2f}")
    rows = [_line("all", cells, right, peers)]
    for origin in dict.fromkeys(cell.origin for cell in sorted(cells)):
        rows.append(_line(origin, (cell for cell in cells if cell.origin == origin), right, peers))
    print(table(["percentage of right texts", "cells", *peers], rows), "\n")
    for half in _HALVES if given.written else ("",):
        some = [cell for cell in cells if half in ("", cell.origin)]
        rows = []
        for language in sorted({cell.language for cell in some}):
            own = [cell for cell in some if cell.language == language]
            if given.written or len(own) >= _LEAST:
                rows.append(_line(language, own, right, peers))
        print(table([f"language {half}".strip(), "cells", *peers], rows), "\n")
    gaps = 0.0
    for place in range(_BINS):
        own_bin = [(score, good) for score, good in sure if min(_BINS - 1, int(score * _BINS)) == place]
        gaps += abs(sum(score - good for score, good in own_bin))
    certain = [good for score, good in sure if score >= _SURE]
    print(f"Calibration error of charlens: {gaps / len(sure):.4f}. Of {len(certain):,} answers with a confidence")
    print(f"of {_SURE} or more, {len(certain) - sum(certain)} are wrong.")


if __name__ == "__main__":
    main()
