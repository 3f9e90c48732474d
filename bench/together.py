"""Measure pooling: generated lists of short names, each name alone and all together.

    python bench/together.py FOLDER    UTF-8 texts, <language>/<source>.txt

A name is one to three words with at least one non-ASCII letter; a list has names of one class, and a fifth as many
ASCII names in addition. An answer is right if it decodes every name of the list correctly.
"""

from __future__ import annotations

import random
import re
import sys
from pathlib import Path

import charlens
from charlens.encodings.orthography import write
from charlens.models import default_model

LOTS = 6
SIZES = (2, 5, 20, 100)
_WORDS = re.compile(r"\w+")


def main(folder: Path) -> None:
    """Print how many names are right alone, and how many lots together."""
    chance = random.Random(0)
    alone = [0, 0]
    right = {size: [0, 0] for size in SIZES}
    texts = {path.name.lower(): _text(path) for path in sorted(folder.iterdir()) if path.is_dir()}
    for encoding, language in default_model().classes:
        text = texts.get(language.lower(), "")
        names = list(_names(text, encoding, chance, LOTS * max(SIZES)))
        if len(names) < max(SIZES):
            continue
        for name in names[:20]:
            alone[0] += _reads(charlens.detect(name), [name], encoding)
            alone[1] += 1
        for size in SIZES:
            for _ in range(LOTS):
                lot = chance.sample(names, size)
                lot += [b"track %02d.mp3" % number for number in range(size // 5)]
                right[size][0] += _reads(charlens.detect_together(lot), lot, encoding)
                right[size][1] += 1
    print(f"{'each alone':>16} {100 * alone[0] / alone[1]:6.2f} % of {alone[1]:,} names")
    for size, (good, whole) in right.items():
        print(f"{size:>7} together {100 * good / whole:6.2f} % of {whole:,} lots")


def _text(folder: Path) -> str:
    return "\n".join(path.read_bytes()[:200_000].decode("utf-8", "ignore") for path in sorted(folder.glob("*.txt")))


def _names(text, encoding, chance, count):  # type: ignore[no-untyped-def]
    words = _WORDS.findall(text)
    seen = set()
    for _ in range(20 * count if words else 0):
        start = chance.randrange(len(words))
        name = " ".join(words[start : start + chance.choice((1, 2, 3))])
        data = write(name[:30], encoding)
        if data and not data.isascii() and data not in seen:
            seen.add(data)
            yield data
            if len(seen) == count:
                return


def _reads(verdict: charlens.Verdict, names: list[bytes], encoding: str) -> bool:
    if verdict.encoding is None:
        return False
    return all(name.decode(verdict.encoding, "replace") == name.decode(encoding, "replace") for name in names)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
