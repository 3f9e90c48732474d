"""Fit the odds of `charlens.mojibake.oddness` on generated mojibake and clean text, and print their calibration.

    python bench/mojibake_odds.py TRAIN     (ten minutes)

TRAIN has a folder of UTF-8 texts for each language. Positive samples are snippets of 30 languages that were decoded
wrongly; negative samples are all possible repairs of clean snippets, which are wrong (unless the text was damaged
before; these are listed). One snippet in 1,000 is assumed to be decoded wrongly. The odds are fitted on half of the
languages and tested on the other half.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from mojibake import CHAINS, LANGUAGES, LENGTHS, misread, snippets
from sklearn.linear_model import LogisticRegression

from charlens.mojibake.chains import find_suspect_lines, undo_line
from charlens.mojibake.oddness import measure

PREVALENCE = 1e-3
#: Bits from which a "wrong" repair of clean text is rather text that was damaged before.
SPOILT = 22

Row = tuple[float, float]


def features(old: str, new: str) -> Row:
    before, after = measure(old), measure(new)
    return after.bits - before.bits, before.points - after.points


def texts(folder: Path) -> Iterator[str]:
    for path in sorted(folder.glob("*.txt"))[:4]:
        with open(path, encoding="utf-8", errors="ignore") as file:
            yield file.read(100_000)


def clean(folders: list[Path]) -> tuple[int, list[Row]]:
    """Return the number of clean snippets, and the possible repairs of them."""
    number, rows = 0, []
    for folder in folders:
        for text in texts(folder):
            for shortest, longest in LENGTHS:
                for snippet in snippets(text, shortest, longest):
                    number += not snippet.isascii()
                    if not snippet.isascii() and next(find_suspect_lines(snippet), None):
                        found = [features(snippet, new) for new in undo_line(snippet).values()]
                        if max(found, default=(0.0, 0.0))[0] >= SPOILT:
                            print("   damaged before?", folder.name, repr(snippet))
                        else:
                            rows += found
    return number, rows


def made(folders: list[Path]) -> list[Row]:
    """Return the right repairs of generated mojibake."""
    rows = []
    for folder in folders:
        for shortest, longest in LENGTHS:
            paths = sorted(folder.glob("*.txt"))
            with open(random.choice(paths), encoding="utf-8", errors="ignore") as file:
                found = [s for s in snippets(file.read(200_000), shortest, longest) if not s.isascii()]
            for snippet in random.sample(found, min(3, len(found))):
                rows += [features(misread(snippet, chain), snippet) for chain in CHAINS]
    return rows


def main() -> None:
    random.seed(11)
    folder = Path(sys.argv[1])
    folders = [path for path in sorted(folder.iterdir()) if path.is_dir()]
    number, wrong = clean(folders)
    print(f"{number:,} clean snippets, {len(wrong)} possible repairs of them")
    known = [folder / name for name in LANGUAGES if any((folder / name).glob("*.txt"))]
    fit, show = made(known[::2]), made(known[1::2])
    model = LogisticRegression(C=100)
    weights = [PREVALENCE * number / len(fit)] * len(fit) + [1.0] * len(wrong)
    model.fit([*fit, *wrong], [1] * len(fit) + [0] * len(wrong), sample_weight=weights)
    (per_bit, per_point), prior = model.coef_[0], model.intercept_[0]
    print(f"PRIOR {prior:.2f}, _PER_BIT {per_bit:.3f}, _PER_POINT {per_point:.3f}")
    sure = model.predict_proba(np.array(show))[:, 1]
    false = model.predict_proba(np.array(wrong))[:, 1]
    for least in (0.5, 0.9, 0.95, 0.99):
        print(
            f"  probability {least}: {np.mean(sure >= least):.2%} of made mojibake, "
            f"{np.sum(false >= least)} of {number:,} clean snippets"
        )


if __name__ == "__main__":
    main()
