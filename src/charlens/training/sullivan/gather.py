"""Put pages for the experiment together: real pages, labelled pages in old encodings, and pages made of plain texts.

`python -m charlens.training.sullivan.gather HTML LABELLED OUT [--texts TRAIN]`: HTML has `<language>/<page>`,
LABELLED a manifest.tsv as `charlens evaluate` takes it, TRAIN `<language>/<source>.txt`; what does not decode as its
label says, or is not a page, is left out.  With texts there are as many pages as the paper has documents of a label,
and no page that is mostly contained in others.
"""

from __future__ import annotations

import argparse
import csv
import random
import re
from collections import Counter
from collections.abc import Iterator
from html import escape
from pathlib import Path

import numpy as np

from charlens.training.sullivan.paper import LANGUAGES

#: A page has one of these in its first bytes, in lower case; 'define-tag' is of Debian's pages.
_SIGNS = (b"<html", b"<!doctype", b"<p>", b"<define-tag", b"<?xml")
_HEAD = 2000
#: The documents of a label in the paper: 2,231 to 2,622 for training, as 70 %, and half of them of the label.
_DOCUMENTS = 1750
#: A page of which more than this share is in the pages taken before it is left out.
_CONTAINED = 0.8
#: Characters of a window that is compared, and how many of the windows are: one in eight says it as well.
_WINDOW = 24
_SAMPLED = 8
#: A made page has at least this many characters of text: fewer make no page of an encyclopedia.
_LEAST_TEXT = 200


def gather(html: Path, labelled: Path, out: Path, texts: Path | None = None) -> Counter[str]:
    """Write the pages into *out* by language, and return how many there are of each."""
    counts: Counter[str] = Counter()
    old = _labelled_pages(labelled)
    seen: set[int] = set()
    for language in LANGUAGES:
        folder = out / language
        folder.mkdir(parents=True, exist_ok=True)
        pages = {page.name: page.read_text(encoding="utf-8") for page in sorted((html / language).iterdir())}
        pages |= old.get(language, {})
        if texts is not None:
            pages = _distinct(pages, seen)
            wanted = _wanted(language)
            # A third more than needed: some are contained in pages.
            more = _distinct(made_pages(texts / language, language, wanted * 4 // 3), seen)
            chosen = random.Random(f"gather {language}").sample(sorted(more), len(more))
            pages |= {name: more[name] for name in chosen[: max(wanted - len(pages), 0)]}
        for name, text in pages.items():
            (folder / name).write_text(text, encoding="utf-8", newline="")
        counts[language] = len(pages)
    return counts


def _labelled_pages(labelled: Path) -> dict[str, dict[str, str]]:
    found: dict[str, dict[str, str]] = {}
    with (labelled / "manifest.tsv").open(encoding="utf-8", newline="") as manifest:
        for row in csv.DictReader(manifest, delimiter="\t", quoting=csv.QUOTE_NONE):
            language = _language(row["language"].lower(), row["true_encoding"])
            text = _page(labelled / row["relpath"], row["true_encoding"]) if language in LANGUAGES else None
            if text is not None:
                pages = found.setdefault(language, {})
                pages[f"labelled{len(pages) + 1}.html"] = text
    return found


def _language(tag: str, encoding: str) -> str:
    """Return the language as the experiment names it: Chinese by its script."""
    if tag == "zh":
        return "zh-hant" if "big5" in encoding else "zh-hans"
    return tag


def _page(path: Path, encoding: str) -> str | None:
    data = path.read_bytes()
    if not any(sign in data[:_HEAD].lower() for sign in _SIGNS):
        return None
    try:
        return data.decode(encoding)
    except (UnicodeDecodeError, LookupError):
        return None


def _wanted(language: str) -> int:
    """Return how many pages of *language* give each of its labels the documents of the paper."""
    sharing = (sum(label in own for own in LANGUAGES.values()) for label in LANGUAGES[language])
    return -(-_DOCUMENTS // min(sharing))


def made_pages(folder: Path, language: str, count: int) -> dict[str, str]:
    """Cut the texts of *folder* at line endings into about *count* pages."""
    sources = {path.stem: path.read_text(encoding="utf-8") for path in sorted(folder.glob("*.txt"))}
    size = max(sum(map(len, sources.values())) // count, _LEAST_TEXT)
    return {
        f"{name}-{number}.html": _made_page(lines, language)
        for name, text in sources.items()
        for number, lines in enumerate(_pieces(text, size))
    }


def _pieces(text: str, size: int) -> Iterator[list[str]]:
    piece: list[str] = []
    for line in text.splitlines():
        if line.strip():
            piece.append(line.strip())
        if sum(map(len, piece)) >= size:
            yield piece
            piece = []


def _made_page(lines: list[str], language: str) -> str:
    head = escape(lines[0][:60])
    words = "\n".join(f"<p>{escape(line)}</p>" for line in lines)
    return (
        f'<!DOCTYPE html>\n<html lang="{language}">\n<head>\n<meta charset="utf-8">\n<title>{head}</title>\n</head>\n'
        f"<body>\n<h1>{head}</h1>\n{words}\n</body>\n</html>\n"
    )


def _distinct(pages: dict[str, str], seen: set[int]) -> dict[str, str]:
    """Return the pages that are not mostly contained in others, and add their windows to *seen*; longest first."""
    kept: dict[str, str] = {}
    for name in sorted(pages, key=lambda name: (-len(pages[name]), name)):
        windows = _windows(pages[name])
        if len(windows) and len(windows & seen) <= _CONTAINED * len(windows):
            kept[name] = pages[name]
            seen |= windows
    return kept


def _windows(page: str) -> set[int]:
    """Return numbers for some windows of the words of *page*, the same windows wherever they are."""
    words = " ".join(re.sub(r"<[^>]*>", " ", page).split())
    values = np.frombuffer(words.encode("utf-32-le"), np.uint32).astype(np.uint64)
    count = len(values) - _WINDOW + 1
    if count < 1:
        return set()
    total = np.zeros(count, np.uint64)
    for place in range(_WINDOW):
        total = total * np.uint64(0x9E3779B97F4A7C15) + values[place : place + count]
    total ^= total >> np.uint64(29)
    return set(total[total % np.uint64(_SAMPLED) == 0].tolist())


def main() -> None:
    """Gather, and say what there is."""
    parser = argparse.ArgumentParser(description=__doc__)
    for name in ("html", "labelled", "out"):
        parser.add_argument(name, type=Path)
    parser.add_argument("--texts", type=Path, help="also make pages of plain texts, <language>/<source>.txt")
    given = parser.parse_args()
    counts = gather(given.html, given.labelled, given.out, given.texts)
    print(", ".join(f"{language} {count}" for language, count in counts.items()))


if __name__ == "__main__":
    main()
