"""Measure time and memory of `convert`, `check` and `repair` for a large file, compared with iconv.

    python bench/large.py [--size 5G] [--folder /tmp] [--only GROUP]

The files are made from the prose of the tests, with numbered lines, so no two are equal, and removed at the end. Time
is wall clock and processor time, memory the peak of the process (Unix). iconv does the same conversion as `convert`,
but neither detects nor verifies, and does not flush to the disk; `dd conv=fsync` copies the file as the lower limit.
"Times iconv" is the processor time, including the start, divided by that of the iconv above in the table.
"""

from __future__ import annotations

import argparse
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from multiprocessing import get_context
from pathlib import Path
from typing import NamedTuple

from common import describe, prose, table

_UNITS = {"K": 1 << 10, "M": 1 << 20, "G": 1 << 30}
#: What is made at once, and how often before it comes again.
_BLOCK, _BLOCKS = 1 << 20, 64
#: One line in this number is misread in the file to repair.
_SELDOM = 2000

CHARLENS = [sys.executable, "-m", "charlens"]


def text_lines(language: str) -> Iterator[str]:
    """Yield lines that are all different."""
    words = prose(language).split()
    chance = random.Random(language)
    number = 0
    while True:
        number += 1
        yield f"{number} {' '.join(chance.choices(words, k=12))}\n"


def misread(line: str) -> str:
    """Return *line* after its UTF-8 was read as Latin-1."""
    return line.encode().decode("latin-1")


def seldom(language: str) -> Iterator[str]:
    """Yield lines of which a few are misread."""
    for number, line in enumerate(text_lines(language), 1):
        yield line if number % _SELDOM else misread(line)


def make(path: Path, size: int, lines: Iterator[str], encoding: str) -> None:
    """Write a file of *size* bytes: some blocks of different lines, again and again."""
    blocks: list[bytes] = []
    with open(path, "wb") as file:
        while file.tell() < size:
            if len(blocks) < _BLOCKS:
                block: list[str] = []
                length = 0
                while length < _BLOCK:
                    block.append(next(lines))
                    length += len(block[-1])
                blocks.append("".join(block).encode(encoding))
            file.write(blocks[file.tell() // _BLOCK % len(blocks)])


def measure(command: list[str], output: Path | None = None) -> tuple[int, float, float, int]:
    """Return exit code, wall time, processor time and peak memory (bytes) of *command*."""
    begin = time.perf_counter()
    with open(output or os.devnull, "wb") as out:
        process = subprocess.Popen(command, stdout=out, stderr=subprocess.PIPE if output is None else None)
        errors = process.stderr.read() if process.stderr else b""
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if errors:
        print("   ", errors.decode(errors="replace").strip()[:300], flush=True)
    return (
        process.returncode,
        time.perf_counter() - begin,
        usage.ru_utime + usage.ru_stime,
        usage.ru_maxrss * 1024,
    )


class Case(NamedTuple):
    """A command and its file; {0} is the file, {1} another name in the same folder."""

    name: str
    group: str
    command: list[str]
    lines: Iterator[str]
    encoding: str = "utf-8"
    #: Whether the output of the command goes to the other file.
    piped: bool = False


def cases() -> Iterator[Case]:
    """Yield the measurements."""
    one_line = (line.replace("\n", " ") for line in text_lines("de"))
    repair = [*CHARLENS, "repair", "-i", "-y", "{0}"]
    copy = ["dd", "if={0}", "of={1}", "bs=1M", "conv=fsync", "status=none"]
    yield Case("dd, a copy on the disk", "convert", copy, text_lines("ru"), "cp1251")
    yield Case(
        "iconv, windows-1251",
        "convert",
        ["iconv", "-f", "cp1251", "-t", "utf-8", "{0}"],
        text_lines("ru"),
        "cp1251",
        True,
    )
    yield Case(
        "convert -i, windows-1251", "convert", [*CHARLENS, "convert", "-i", "{0}"], text_lines("ru"), "cp1251"
    )
    yield Case(
        "iconv, UTF-8 to UTF-8",
        "check",
        ["iconv", "-f", "utf-8", "-t", "utf-8", "{0}"],
        text_lines("de"),
        "utf-8",
        True,
    )
    yield Case("check, clean UTF-8", "check", [*CHARLENS, "check", "{0}"], text_lines("de"))
    yield Case("check, Russian in UTF-8", "check", [*CHARLENS, "check", "{0}"], text_lines("ru"))
    yield Case("check, all in one line", "check", [*CHARLENS, "check", "{0}"], one_line)
    yield Case("repair -i, clean UTF-8", "repair", repair, text_lines("de"))
    yield Case(f"repair -i, one line in {_SELDOM:,}", "repair", repair, seldom("de"))
    yield Case("repair -i, misread throughout", "misread", repair, map(misread, text_lines("de")))
    yield Case(
        "repair -i --log, the same", "misread", [*repair, "--log", "{1}"], map(misread, text_lines("de"))
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--size", default="200M", help="such as 200M or 5G")
    parser.add_argument("--folder", default=None, help="where the files are made")
    parser.add_argument("--only", action="append", choices=("convert", "check", "repair", "misread"))
    given = parser.parse_args()
    size = int(given.size[:-1]) * _UNITS[given.size[-1]]
    folder = Path(tempfile.mkdtemp(dir=given.folder))
    rows = []
    iconv = 0.0
    try:
        for case in cases():
            if given.only and case.group not in given.only:
                continue
            source, target = folder / "in.txt", folder / "out.txt"
            # In a separate process: the memory of this one counts for its children, until they begin.
            maker = get_context("fork").Process(target=make, args=(source, size, case.lines, case.encoding))
            maker.start()
            maker.join()
            os.sync()
            command = [word.format(source, target) for word in case.command]
            code, wall, processor, memory = measure(command, target if case.piped else None)
            if case.name.startswith("iconv"):
                iconv = processor
            times = f"{processor / iconv:.1f}" if iconv else ""
            numbers = f"{wall:.1f}", f"{processor:.1f}", times, f"{memory / (1 << 20):.0f}"
            rows.append((case.name, f"{code}", *numbers))
            print(*rows[-1], sep="; ", flush=True)
            for path in (source, target):
                path.unlink(missing_ok=True)
    finally:
        shutil.rmtree(folder)
    print(f"\n# A file of {given.size}B\n\n{describe()}\n")
    print(table(("", "exit code", "seconds", "of the processor", "times iconv", "peak MB"), rows))


if __name__ == "__main__":
    main()
