"""Measure repairs of generated mojibake and of clean text, on files not used to choose rules; compared with ftfy.

    python bench/mojibake_unseen.py LABELLED [--part test] [--each 12] [--no-ftfy]

LABELLED has real files and a manifest of their true encodings. They are decoded, markup is removed, and the text is cut
at words. Generated mojibake: for each language, *each* snippets of each length, decoded wrongly by 12 chains of
encodings. Clean text: every file, line and snippet with a non-ASCII character; changes of them are printed, because
some really were damaged before. The reliability table uses the most likely repair of each snippet, applied or not, and
assumes that one snippet in 1,000 was decoded wrongly. `--part` selects the sources of one part, as in `charlens
evaluate`.
"""

from __future__ import annotations

import argparse
import math
import random
import re
from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

from common import table
from mojibake import CHAINS, LENGTHS, misread, snippets

from charlens.evaluation.datasets import read_dataset
from charlens.evaluation.parts import PARTS, samples_in
from charlens.mojibake import Search, probability, repair
from charlens.mojibake.chains import CODECS, find_suspect_lines

_TAG = re.compile(r"<[^<>]{0,2000}>")
_PREVALENCE = 1e-3
#: Characters of one file that count.
_MOST = 200_000
_BINS = (0.0, 0.5, 0.9, 0.95, 0.99, 0.999, 0.9999)

Fix = Callable[[str], str]


class Text(NamedTuple):
    """The text of a file."""

    language: str
    text: str


def texts(folder: str, part: str) -> Iterator[Text]:
    """Yield the files with words in them, decoded by their labels."""
    for sample in samples_in(read_dataset(Path(folder)).samples, part):
        if sample.kind == "art":
            continue
        text = sample.load().decode(sample.true_name, "ignore")[:_MOST]
        if sample.kind in ("html", "xml"):
            text = _TAG.sub(" ", text)
        yield Text(sample.language or "?", text)


def likeliest(text: str) -> tuple[str, float] | None:
    """Return the most likely repair of one line, with its probability, whether that is enough or not."""
    search = Search()
    search.run(find_suspect_lines(text))
    options = search.lines[0].options if search.lines else {}
    if not options:
        return None
    ranks = {chain: points + sum(CODECS[codec] for codec in chain) for chain, (_, points) in options.items()}
    chain = max(ranks, key=ranks.__getitem__)
    new, points = options[chain]
    rivals = sum(math.exp(rank - ranks[chain]) for each, rank in ranks.items() if options[each][0] != new)
    return new, probability(points) / (1 + rivals)


class Reliability:
    """Counts for the table: how likely repairs were said to be, and how many are right."""

    def __init__(self) -> None:
        self.rows: dict[int, list[tuple[float, float, bool]]] = defaultdict(list)

    def add(self, text: str, original: str, weight: float) -> None:
        found = likeliest(text)
        if found is not None:
            right = found[0] == original and text != original
            self.rows[bisect_right(_BINS, found[1]) - 1].append((found[1], weight, right))

    def show(self) -> None:
        """Print the table."""
        out = []
        for number, least in enumerate(_BINS):
            rows = self.rows[number]
            weight = sum(each[1] for each in rows)
            if not rows:
                continue
            said = sum(each[0] * each[1] for each in rows) / weight
            right = sum(each[1] for each in rows if each[2]) / weight
            made = sum(each[1] < 1 for each in rows)
            out.append(
                (f"{least:g} and more", f"{made:,}", f"{len(rows) - made:,}", f"{said:.4f}", f"{right:.4f}")
            )
        head = ("probability", "generated", "clean", "mean reported", "right, one in 1,000 misread")
        print(table(head, out) + "\n")


def made(found: list[Text], fixes: dict[str, Fix], each: int, clean: int) -> None:
    """Print the results for generated mojibake by length, and the reliability of the probability."""
    languages = defaultdict(list)
    for text in found:
        languages[text.language].append(text.text)
    rows = []
    reliability = Reliability()
    number = 0
    samples: list[tuple[str, str]] = []
    for shortest, longest in LENGTHS:
        counts: dict[str, Counter[str]] = {name: Counter() for name in fixes}
        for language, pieces in sorted(languages.items()):
            chance = random.Random(f"{language}/{shortest}")
            beyond = [s for text in pieces for s in snippets(text, shortest, longest) if not s.isascii()]
            for snippet in chance.sample(beyond, min(each, len(beyond))):
                if repair(snippet).changed:
                    continue  # counted among the clean ones
                for chain in CHAINS:
                    wrong = misread(snippet, chain)
                    samples.append((wrong, snippet))
                    for name, fix in fixes.items():
                        result = fix(wrong)
                        status = "whole" if result == snippet else "left" if result == wrong else "wrong"
                        counts[name][status] += 1
        number += counts["charlens"].total()
        for name, count in counts.items():
            shares = [f"{count[status] / count.total():.2%}" for status in ("whole", "left", "wrong")]
            rows.append((f"{shortest} to {longest}", name, f"{count.total():,}", *shares))
    print(f"Made mojibake of {len(languages)} languages, {len(CHAINS)} chains\n")
    print(table(("characters", "", "texts", "whole", "left as it was", "wrong"), rows) + "\n")
    for wrong, snippet in samples:
        reliability.add(wrong, snippet, _PREVALENCE * clean / number)
    for text in found:
        for shortest, longest in LENGTHS:
            for snippet in snippets(text.text, shortest, longest):
                if not snippet.isascii():
                    reliability.add(snippet, snippet, 1.0)
    print("Reliability\n")
    reliability.show()


def clean(found: list[Text], fixes: dict[str, Fix]) -> int:
    """Print how much clean text is changed; return the number of snippets."""
    kinds = {
        "files": [text.text for text in found],
        "lines": [line for text in found for line in text.text.splitlines()],
        "snippets": [s for text in found for lengths in LENGTHS for s in snippets(text.text, *lengths)],
    }
    rows = []
    shown: dict[str, str] = {}
    for kind, pieces in kinds.items():
        pieces = [piece for piece in pieces if not piece.isascii()]
        kinds[kind] = pieces
        for name, fix in fixes.items():
            if name == "ftfy" and kind == "snippets":
                continue  # it takes an hour, and the lines tell the same
            changed = [(piece, fix(piece)) for piece in pieces]
            wrong = [(before, after) for before, after in changed if before != after]
            rows.append(
                (kind, name, f"{len(pieces):,}", f"{len(wrong):,}", f"{1e4 * len(wrong) / len(pieces):.2f}")
            )
            if name == "charlens" and kind != "files":
                shown.update({before: after for before, after in wrong if before.strip() not in shown})
    print("Text as it stands\n")
    print(table(("", "", "number", "changed", "in 10,000"), rows) + "\n")
    for before, after in shown.items():
        print(f"    {before[:70]!r} to {after[:70]!r}")
    print()
    return len(kinds["snippets"])


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", metavar="LABELLED")
    parser.add_argument("--part", choices=PARTS, default="")
    parser.add_argument("--each", type=int, default=12, help="snippets of each language and length")
    parser.add_argument("--no-ftfy", action="store_true")
    given = parser.parse_args()
    fixes: dict[str, Fix] = {"charlens": lambda text: repair(text).text}
    if not given.no_ftfy:
        import ftfy

        fixes["ftfy"] = ftfy.fix_encoding
    found = list(texts(given.folder, given.part))
    print(f"{len(found):,} files of {given.folder}, part: {given.part or 'all'}\n")
    number = clean(found, fixes)
    made(found, fixes, given.each, number)


if __name__ == "__main__":
    main()
