"""Measure what keywords of `detect` cost, in one run: `python bench/keywords.py [--rounds N]`.

Calls with a keyword alternate with the same calls without it, so the ratio hardly depends on the machine.
Legacy text of 100 bytes and 4 KB is from the prose of the tests; the pages have half their bytes in tags.
"""

from __future__ import annotations

import argparse
from functools import partial

from common import describe, table
from inputs import shuffled
from pages import page_of
from speed import Timing, run_rounds, show_ratio, show_time

import charlens

#: The goals: how many times as long as without the keyword.
_MOST = {"header": 1.2, "only": 1.5, "hint": 1.5}
_MOST_PAGE = 40e-6

_TEXTS = {
    "Russian": ("ru", "cp1251"),
    "French": ("fr", "cp1252"),
    "Polish": ("pl", "iso8859-2"),
    "Japanese": ("ja", "cp932"),
}


def inputs() -> dict[str, tuple[bytes, str, str]]:
    """Return the inputs by name, each with its encoding and language."""
    found = {}
    for name, (tag, codec) in _TEXTS.items():
        block = shuffled(tag).encode(codec, "ignore")
        found[f"{name}, 100 B"] = (block[:100], codec, tag)
        found[f"{name}, 4 KB"] = (block[:4096], codec, tag)
        found[f"{name}, page of 4 KB"] = (page_of(tag, codec)[:4096], codec, tag)
    found["UTF-8, page of 4 KB"] = (page_of("ru", "utf-8")[:4096], "utf-8", "ru")
    return found


def keywords(codec: str, tag: str) -> dict[str, dict[str, object]]:
    """Return the keywords to measure."""
    return {
        "header": {"content_type": f"text/html; charset={codec}"},
        "only": {"only": [codec, "utf-8", "cp1252", "koi8-r"]},
        "hint": {"hints": {"language": tag}},
    }


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=15, help="how many rounds (15)")
    rounds = parser.parse_args().rounds
    timings: dict[str, dict[str, Timing]] = {}
    for name, (data, codec, tag) in inputs().items():
        timings[name] = {"none": Timing(charlens.detect, data)}
        for keyword, given in keywords(codec, tag).items():
            timings[name][keyword] = Timing(partial(charlens.detect, **given), data)
    print(f"# Keywords\n\n{describe()}")
    results = run_rounds(timings, rounds)
    rows, lines = [], []
    for name, measured in results.items():
        plain = measured["none"].seconds
        ratios = {keyword: measured[keyword].seconds / plain for keyword in _MOST}
        rows.append((name, show_time(plain), *map(show_ratio, ratios.values())))
        if "page" in name:
            lines.append((f"{name}: at most 40 µs", show_time(plain), plain <= _MOST_PAGE))
        lines += [
            (f"{name}, {keyword}: at most {_MOST[keyword]} times", show_ratio(ratio), ratio <= _MOST[keyword])
            for keyword, ratio in ratios.items()
        ]
    print(f"\n## Time without a keyword, and how many times as long with one, median of {rounds} rounds\n")
    print(table(("", "without", *_MOST), rows))
    print("\n## Goals\n")
    print(table(("goal", "measured", ""), [(*line, "pass" if met else "FAIL") for *line, met in lines]))


if __name__ == "__main__":
    main()
