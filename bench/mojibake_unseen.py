"""The repair of made mojibake on texts that the points of `charlens.mojibake.oddness` were not set by; beside ftfy.

    python bench/mojibake_unseen.py TRAIN

TRAIN has a folder of UTF-8 texts for each language. One text each is drawn, and 12 snippets of each length; snippets
that are already changed as they stand are left out. The same seed gives the same snippets.
"""

from __future__ import annotations

import random
import sys
from collections import Counter
from pathlib import Path

import ftfy
from mojibake import CHAINS, LANGUAGES, LENGTHS, misread, snippets

from charlens.mojibake import repair

FIXES = {"charlens": lambda text: repair(text).text, "ftfy": ftfy.fix_encoding}


def main() -> None:
    random.seed(5)
    for shortest, longest in LENGTHS:
        counts: dict[str, Counter[str]] = {name: Counter() for name in FIXES}
        for language in LANGUAGES:
            files = sorted(Path(sys.argv[1], language).glob("*.txt"))
            if not files:
                continue
            with open(random.choice(files), encoding="utf-8", errors="ignore") as file:
                text = file.read(300_000)
            found = [s for s in snippets(text, shortest, longest) if not s.isascii() and not repair(s).changed]
            for snippet in random.sample(found, min(12, len(found))):
                for chain in CHAINS:
                    wrong = misread(snippet, chain)
                    for name, fix in FIXES.items():
                        result = fix(wrong)
                        status = "whole" if result == snippet else "left" if result == wrong else "wrong"
                        counts[name][status] += 1
        for name, count in counts.items():
            number = sum(count.values())
            print(shortest, longest, name, number, {key: f"{value / number:.2%}" for key, value in count.items()})


if __name__ == "__main__":
    main()
