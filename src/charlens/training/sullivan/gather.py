"""Put pages for the experiment together: UTF-8 pages by language, and labelled pages in old encodings, read as such.

`python -m charlens.training.sullivan.gather HTML LABELLED OUT`: HTML has `<language>/<page>`, LABELLED a manifest.tsv
as `charlens evaluate` takes it; what is no page, or does not decode as its label says, is left out.
"""

from __future__ import annotations

import csv
import shutil
import sys
from collections import Counter
from pathlib import Path

from charlens.training.sullivan.paper import LANGUAGES

#: A page has one of these in its first bytes, in lower case; 'define-tag' is of Debian's pages.
_SIGNS = (b"<html", b"<!doctype", b"<p>", b"<define-tag", b"<?xml")
_HEAD = 2000


def gather(html: Path, labelled: Path, out: Path) -> Counter[str]:
    """Write the pages into *out* by language, and return how many there are of each."""
    counts: Counter[str] = Counter()
    for language in LANGUAGES:
        folder = out / language
        folder.mkdir(parents=True, exist_ok=True)
        for page in sorted((html / language).iterdir()):
            shutil.copy(page, folder / page.name)
            counts[language] += 1
    added: Counter[str] = Counter()
    with (labelled / "manifest.tsv").open(encoding="utf-8", newline="") as manifest:
        for row in csv.DictReader(manifest, delimiter="\t", quoting=csv.QUOTE_NONE):
            language = _language(row["language"].lower(), row["true_encoding"])
            text = _page(labelled / row["relpath"], row["true_encoding"]) if language in LANGUAGES else None
            if text is not None:
                added[language] += 1
                name = f"labelled{added[language]}.html"
                (out / language / name).write_text(text, encoding="utf-8", newline="")
    return counts + added


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


def main(arguments: list[str]) -> int:
    """Gather, and say what there is."""
    if len(arguments) != 3:
        print("usage: python -m charlens.training.sullivan.gather HTML LABELLED OUT", file=sys.stderr)
        return 2
    counts = gather(*map(Path, arguments))
    print(", ".join(f"{language} {count}" for language, count in counts.items()))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
