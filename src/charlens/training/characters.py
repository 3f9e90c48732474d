"""Weigh every character of the first plane: how much more often text has it than random 16-bit units do.

`python -m charlens.training.characters CORPUS` reads UTF-8 text, `CORPUS/<language>/<source>.txt`,
and writes `models/characters.bin`, which the unicode stage uses to tell UTF-16 and UTF-32 from
numbers, sound and compressed data.  It knows characters alone, no order of them.
"""

from __future__ import annotations

import argparse
import math
import sys
import unicodedata
import zlib
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

#: A weight is the likelihood ratio in quarters of a bit: 13 bits, a space, is 52.
SCALE = 4
#: An assigned character that no text had: as rare as one in 30 million characters.
RARE = -36
#: What is not assigned, private or a control: text has none.
NEVER = -100
#: A character outside the first plane (emoji, mostly): rarer in text than its share of random
#: units, 1 in 1,024 for a good pair, so it tells little either way.
BEYOND = 0

_TARGET = Path(__file__).resolve().parent.parent / "models" / "characters.bin"


def main(arguments: list[str] | None = None) -> int:
    """Read the corpus, write the table, say what was done."""
    parser = argparse.ArgumentParser(prog="python -m charlens.training.characters", description=__doc__)
    parser.add_argument("corpus", type=Path, help="folder of UTF-8 text by language")
    parser.add_argument("--out", type=Path, default=_TARGET, help="where to write (default: %(default)s)")
    options = parser.parse_args(arguments)
    by_script = count_by_script(sorted(options.corpus.glob("*/*.txt")))
    if not by_script:
        print(f"no text found: {options.corpus} must hold <language>/<source>.txt", file=sys.stderr)
        return 1
    weights = weigh_characters(by_script)
    options.out.write_bytes(zlib.compress(bytes(weight & 0xFF for weight in weights), 9))
    print(f"{len(by_script)} scripts: {' '.join(sorted(by_script))}")
    print(
        f"{sum(weight > 0 for weight in weights)} characters with weight; {options.out.stat().st_size} bytes"
    )
    return 0


def count_by_script(paths: Iterable[Path]) -> dict[str, Counter[str]]:
    """Count the characters of all texts that are written in the same script."""
    by_language: dict[str, Counter[str]] = {}
    for path in paths:
        text = path.read_text(encoding="utf-8")
        by_language.setdefault(path.parent.name, Counter()).update(text)
    by_script: dict[str, Counter[str]] = {}
    for counts in by_language.values():
        by_script.setdefault(main_script(counts), Counter()).update(counts)
    return by_script


def main_script(counts: Counter[str]) -> str:
    """Name the script that most letters are of, by the first word of their names."""
    scripts: Counter[str] = Counter()
    for character, count in counts.items():
        if character.isalpha():
            scripts[script_of(character)] += count
    return scripts.most_common(1)[0][0] if scripts else "NONE"


def script_of(character: str) -> str:
    """Return the first word of the character's name: LATIN, CYRILLIC, CJK, HANGUL …"""
    return unicodedata.name(character, "NONE").split()[0].split("-")[0]


def weigh_characters(by_script: dict[str, Counter[str]]) -> list[int]:
    """Return the 65,536 weights: of all scripts, the one that likes the character best counts."""
    known = {script_of(character) for counts in by_script.values() for character in counts}
    weights = [_unseen(chr(unit), known) for unit in range(0x10000)]
    for counts in by_script.values():
        total = sum(counts.values())
        for character, count in counts.items():
            if ord(character) < 0x10000 and count > 1 and weights[ord(character)] != NEVER:
                ratio = math.log2(count / total * 0x10000)
                weights[ord(character)] = max(weights[ord(character)], round(SCALE * ratio))
    weights[0xD800] = BEYOND
    weights[0xDC00] = NEVER  # planes 4 and over: nothing is assigned there but tags and private use
    return weights


def _unseen(character: str, known: set[str]) -> int:
    category = unicodedata.category(character)
    if character in "\t\n\r":
        return 0
    if category in ("Cc", "Cn", "Co", "Cs"):
        return NEVER
    # A script without training text must not be punished for it.
    return 0 if category[0] == "L" and script_of(character) not in known else RARE


if __name__ == "__main__":
    sys.exit(main())
