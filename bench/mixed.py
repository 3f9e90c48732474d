"""Measure the splitting of files in several encodings: false splits of real files, and generated mixtures.

    python bench/mixed.py FOLDER [EVERY]    a folder with a manifest.tsv; only one file in EVERY

A mixture consists of blocks of lines, of 40 bytes or more each, from two labelled files in different encodings. A byte
is right if its segment decodes its line as the original file does. "Noticed" means by `charlens.detect` alone
(`verdict.mixed`); "looked at" are the files in one encoding of which it checked every line. The last lines are for
`charlens convert`: how many legacy files it refuses because of a line that may be UTF-8, and how it converts mixtures
of one to eight lines in UTF-8 and in a legacy encoding: correctly, wrongly, or not at all.
"""

from __future__ import annotations

import random
import re
import sys
import time
from collections import Counter
from pathlib import Path

import charlens
from charlens.encodings import lookup
from charlens.evaluation.datasets import Sample, read_dataset
from charlens.evaluation.judge import read
from charlens.files.plan import plan_bytes
from charlens.files.reading import Request

MIXTURES = 60
CONVERTED = 600
LEGACY = ("cp1252", "cp1251", "koi8_r", "iso8859-2", "iso8859-7", "shift_jis", "euc_jp", "gb2312", "big5", "euc_kr")
_SHORTEST_LINE = 40
#: The mixtures: two encodings, and the number of consecutive lines of each.
RECIPES = (
    ("UTF-8, single lines of windows-1252", ("utf_8", "latin_1"), (6, 1)),
    ("UTF-8 and KOI8-R, mails", ("utf_8", "koi8_r"), (8, 8)),
    ("windows-1251 and KOI8-R, blocks", ("cp1251", "koi8_r"), (5, 5)),
    ("windows-1251 and KOI8-R, line by line", ("cp1251", "koi8_r"), (1, 1)),
    ("Shift_JIS and EUC-JP, blocks", ("shift_jis", "euc_jp"), (5, 5)),
    ("ISO-8859-2 and windows-1251, blocks", ("iso8859-2", "cp1251"), (4, 4)),
    ("GB2312 and Big5, blocks", ("gb2312", "big5"), (4, 4)),
    ("ISO-8859-1 and ISO-8859-7, blocks", ("latin_1", "iso8859-7"), (3, 3)),
)


def main(arguments: list[str]) -> None:
    """Print both tables."""
    samples = list(read_dataset(Path(arguments[0])).samples)
    every = int(arguments[1]) if len(arguments) > 1 else 1
    _false_splits(samples[::every])
    used = {*LEGACY, *(name for _, names, _ in RECIPES for name in names)}
    lines = {name: _lines(samples, name) for name in sorted(used)}
    for words, names, blocks in RECIPES:
        chance = random.Random(words)
        counts = Counter[str]()
        for _ in range(MIXTURES):
            _judge(_mixture(lines, names, blocks, chance), counts)
        share = 100 * counts["right"] / counts["bytes"]
        borders = counts["segments"] / max(1, counts["blocks"])
        print(
            f"{words:40} {share:6.2f} % of {counts['bytes']:,} bytes right, {borders:.2f} segments a block, "
            f"{100 * counts['noticed'] / MIXTURES:.1f} % noticed"
        )


    _convert(samples[::every], lines)


def _convert(samples: list[Sample], lines: dict[str, list[list[bytes]]]) -> None:
    plans = [plan_bytes(sample.load(), Request()) for sample in samples]
    lone, words = (sum(sign in plan.refusal for plan in plans) for sign in ("may be utf-8,", "may be utf-8 in part"))
    print(f"convert refuses {lone} of {len(samples)} files for a line that may be UTF-8, and {words} for a word")
    chance = random.Random(1)
    for words, mixed in (("convert", False), ("convert --mixed", True)):
        counts = Counter[str]()
        for _ in range(CONVERTED):
            names = ["utf_8", chance.choice(LEGACY)]
            chance.shuffle(names)
            mixture = _mixture(lines, names, chance.choices((1, 2, 4, 8), k=2), chance)
            plan = plan_bytes(b"".join(block for _, block in mixture), Request(mixed=mixed))
            text = "".join(block.decode(name, "replace") for name, block in mixture)
            counts["left alone" if plan.status != "change" else "right" if plan.new_text == text else "wrong"] += 1
        print(f"{words:40} of {CONVERTED} mixtures:", ", ".join(f"{n} {what}" for what, n in sorted(counts.items())))


def _false_splits(samples: list[Sample]) -> None:
    start = time.perf_counter()
    split = []
    verdicts = [charlens.detect(sample.load()) for sample in samples]
    looked = sum(any(step.stage == "evenness" for step in verdict.steps) for verdict in verdicts)
    noticed = sum(bool(verdict.mixed) for verdict in verdicts)
    print(f"detect: {noticed} of {len(samples)} files called mixed, {looked} looked at")
    for sample in samples:
        data = sample.load()
        found = charlens.segments(data)
        if len(found) > 1:
            split.append((sample.id[-50:], sample.encoding, len(found), [s.encoding for s in found[:4]]))
    seconds = time.perf_counter() - start
    print(
        f"{len(split)} of {len(samples)} files split, {100 * len(split) / len(samples):.2f} %; {seconds:.0f} s"
    )
    for row in split[:60]:
        print("   ", *row)


def _lines(samples: list[Sample], encoding: str) -> list[list[bytes]]:
    """Return the long non-ASCII lines of each file in *encoding*, without their line endings."""
    found = []
    for sample in samples:
        known = lookup(sample.encoding)
        if known is None or known != lookup(encoding):
            continue
        data = sample.load()
        if read(data, known.name) is None:
            continue
        lines = [
            line for line in re.split(rb"[\r\n]+", data) if len(line) >= _SHORTEST_LINE and not line.isascii()
        ]
        if len(lines) >= 20:
            found.append(lines)
    return found


def _mixture(lines, names, blocks, chance):  # type: ignore[no-untyped-def]
    """Return blocks of lines with the encoding of each."""
    files = [chance.choice(lines[name]) for name in names]
    mixture = []
    for _ in range(chance.choice((1, 2, 4))):
        for name, file, size in zip(names, files, blocks, strict=True):
            start = chance.randrange(len(file))
            mixture.append((name, b"".join(line + b"\n" for line in (file[start:] + file)[:size])))
    return mixture


def _judge(mixture, counts):  # type: ignore[no-untyped-def]
    data = b"".join(block for _, block in mixture)
    found = charlens.segments(data)
    counts["noticed"] += bool(charlens.detect(data).mixed)
    counts["segments"] += len(found)
    counts["blocks"] += len(mixture)
    at = 0
    for name, block in mixture:
        for line in block.splitlines(keepends=True):
            segment = next(s for s in found if s.start <= at < s.end)
            answer = line.decode(segment.encoding, "replace") if segment.encoding else None
            counts["bytes"] += len(line)
            counts["right"] += len(line) * (answer == line.decode(name, "replace"))
            at += len(line)


if __name__ == "__main__":
    main(sys.argv[1:])
