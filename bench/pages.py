"""Measure web pages: the removal of markup, the time per page, and how often the text equals that of lexbor: `python
bench/pages.py`.

Pages are those of the usual data ($CHARLENS_DATA, or ~/.cache/charlens-data: the folder html, and the pages of the
folder labelled); without them, pages are made of the prose of the tests.  Times are
processor time, medians of several rounds; where the machine matters most, the fastest round is printed.
"""

from __future__ import annotations

import argparse
import os
import random
import statistics
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from time import process_time

from common import describe, languages, load, prose, table

import charlens
from charlens import kernel

_ROUNDS = 15
_BLOCK = 100_000
_TRIES = 1000


def page_files() -> list[bytes]:
    """Return the pages of the usual data, else pages made of prose."""
    root = Path(os.environ.get("CHARLENS_DATA") or Path.home() / ".cache" / "charlens-data")
    paths = sorted((root / "html").glob("*/*"))
    manifest = root / "labelled" / "manifest.tsv"
    if manifest.is_file():
        rows = (line.split("\t") for line in manifest.read_text(encoding="utf-8").splitlines())
        paths += [manifest.parent / row[0] for row in rows if "html" in row[4:5]]
    if paths:
        return [path.read_bytes() for path in paths]
    return [_wrapped(prose(tag)).encode() for tag in languages()]


def _wrapped(text: str) -> str:
    lines = "".join(f'<p class="line"><b>{line}</b></p>\n' for line in text.splitlines())
    return f"<!DOCTYPE html><html><head><title>-</title></head><body>{lines}</body></html>"


def page_of(language: str, codec: str) -> bytes:
    """Return a page of 100 KB in one encoding, half of it markup, that declares nothing."""
    lines = prose(language).splitlines()
    chance = random.Random(4)
    body: list[str] = []
    size = 0
    while size < _BLOCK:
        line = chance.choice(lines)
        link = f'<a href="/page/{len(body)}.html" title="more">{line[:30]}</a>'
        tag = f'<div class="entry"><h2>{link}</h2><p>{line}</p></div>\n'
        size += len(tag.encode(codec, "ignore"))
        body.append(tag)
    head = f"<html><head><title>{lines[0][:40]}</title></head><body>"
    return f"{head}{''.join(body)}</body></html>".encode(codec, "ignore")


def seconds(call: Callable[[], object], choose: Callable[[list[float]], float] = statistics.median) -> float:
    """Return the median of some rounds, or the result of *choose*."""
    times = []
    for _ in range(_ROUNDS):
        start = process_time()
        count = 0
        while (spent := process_time() - start) < 0.004:
            call()
            count += 1
        times.append(spent / count)
    return choose(times)


def print_costs(pages: list[bytes]) -> None:
    """Print the cost of scanning and removing markup per byte."""
    some = pages[:: max(1, len(pages) // 300)]
    total = sum(map(len, some))
    rows = []
    for name, call in (("scan", kernel.scan), ("strip_markup", lambda page: kernel.strip_markup(page, 0))):
        median, fastest = (
            seconds(lambda call=call: [call(page) for page in some], choose) / total * 1e9
            for choose in (statistics.median, min)
        )
        rows.append((name, f"{median:.2f}", f"{fastest:.2f}"))
    print(f"\n## Nanoseconds a byte, {len(some)} pages of {total // len(some):,} bytes on average\n")
    print(table(("", "median", "fastest round"), rows))


def contenders() -> dict[str, Callable[[bytes], object]]:
    """Return the detectors for pages."""
    found: dict[str, Callable[[bytes], object]] = {
        "charlens": charlens.detect,
        "charlens, content only": lambda page: charlens.detect(page, declared="ignore"),
    }
    for module in ("chardet", "cchardet", "charset_normalizer"):
        if library := load(module):
            found[module.replace("_", "-")] = library.detect
    if icu := load("icu"):
        found["icu"] = lambda page: _icu(icu, page)
    if w3lib := load("w3lib.encoding"):
        auto = load("cchardet")
        guess = (lambda body: auto.detect(body)["encoding"]) if auto else None
        found["w3lib with cchardet"] = lambda page: w3lib.html_to_unicode(None, page, auto_detect_fun=guess)
    if soup := load("bs4.dammit"):
        found["UnicodeDammit"] = lambda page: soup.UnicodeDammit(page, is_html=True)
    return found


def _icu(icu: object, page: bytes) -> object:
    detector = icu.CharsetDetector()  # type: ignore[attr-defined]
    detector.setText(page)
    return detector.detect()


def print_pages() -> None:
    """Print the time of each detector for pages of 100 KB."""
    asked = (
        ("ru", "cp1251"),
        ("fr", "cp1252"),
        ("ja", "cp932"),
        ("zh-Hans", "gbk"),
        ("ar", "cp1256"),
        ("ru", "utf-8"),
    )
    names = list(contenders())
    rows, ratios = [], []
    for language, codec in asked:
        page = page_of(language, codec)
        times = {
            name: seconds(lambda call=call, page=page: call(page)) for name, call in contenders().items()
        }
        rows.append((f"{language} in {codec}", *(f"{1e6 * times[name]:,.0f}" for name in names)))
        others = [times[name] for name in names if not name.startswith("charlens")]
        ratios.append((f"{language} in {codec}", f"{min(others) / times['charlens']:.1f}" if others else "–"))
    print("\n## Microseconds for a page of 100 KB that declares nothing\n")
    print(table(("", *names), rows))
    print("\n## How many times as long the fastest peer takes\n")
    print(table(("", "times"), ratios))


def altered(pages: list[bytes], way: str) -> Iterator[bytes]:
    """Yield pages as they are, or cut, shuffled or spliced at random places."""
    if way == "whole":
        yield from pages
        return
    chance = random.Random(7)
    for _ in range(_TRIES):
        page = chance.choice(pages)
        start = chance.randrange(len(page) + 1)
        if way == "cut":
            yield page[start : start + chance.randrange(1, 20_000)]
        elif way == "shuffled":
            cuts = sorted(chance.randrange(len(page) + 1) for _ in range(chance.randrange(2, 12)))
            pieces = [page[a:b] for a, b in zip([0, *cuts], [*cuts, len(page)], strict=True)]
            chance.shuffle(pieces)
            yield b"".join(pieces)[:30_000]
        else:
            others = (chance.choice(pages) for _ in range(chance.randrange(2, 6)))
            yield b"".join(other[start % (len(other) + 1) :][: chance.randrange(1, 8000)] for other in others)


def print_oracle(pages: list[bytes]) -> None:
    """Print for how many pages the text is the same as that of lexbor."""
    from charlens.integrations.lexbor import strip_markup

    rows = []
    for way in ("whole", "cut", "shuffled", "spliced"):
        counts: Counter[str] = Counter()
        for page in altered(pages, way):
            ours, theirs = kernel.strip_markup(page, 0), strip_markup(page)
            counts["all"] += 1
            counts["words"] += Counter(ours.split()) == Counter(theirs.split())
            # A tag that the parser drops joins two words: then compare the bytes without borders and order.
            counts["text"] += Counter(b"".join(ours.split())) == Counter(b"".join(theirs.split()))
        shares = (f"{100 * counts[key] / counts['all']:.2f}" for key in ("words", "text"))
        rows.append((way, str(counts["all"]), *shares))
    print("\n## Against lexbor, percent of pages\n")
    print(table(("", "pages", "the same words", "the same text, ignoring where words begin and end"), rows))


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", choices=("costs", "pages", "oracle"), help="measure only this")
    only = parser.parse_args().only
    print(f"# Pages\n\n{describe()}")
    pages = page_files()
    if only in (None, "costs"):
        print_costs(pages)
    if only in (None, "pages"):
        print_pages()
    if only in (None, "oracle"):
        print_oracle(pages)


if __name__ == "__main__":
    main()
