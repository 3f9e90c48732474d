"""Scan a tree of many small files with `charlens scan`, `file -i` and chardet's command: files per second, and memory.

    python bench/scan.py [--files 100000] [--peer-files 5000] [--rounds 3]

The tree is made in a temporary folder: prose of the tests in several encodings, some source code, some binary.
The others get a part of it, with all paths in one call where possible; their rate hardly depends on the number of
files.  Peak memory is that of charlens' largest process; it is also measured for a tenth of the tree.
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
from pathlib import Path

from common import describe, prose, table

#: Language and encoding of the texts; about as in an old repository, with much ASCII and UTF-8.
_KINDS = (
    [("en", "ascii")] * 6
    + [(language, "utf-8") for language in ("de", "fr", "ru", "ja", "zh-Hans", "pl")]
    + [
        ("de", "cp1252"),
        ("fr", "cp1252"),
        ("ru", "cp1251"),
        ("ru", "koi8-r"),
        ("ja", "cp932"),
        ("ja", "euc_jp"),
    ]
    + [("zh-Hans", "gbk"), ("pl", "iso8859-2"), ("de", "utf-16")]
)


def make_tree(folder: Path, number: int) -> int:
    """Write *number* files of 100 to 4,000 bytes under *folder*; return their size."""
    chance = random.Random(1)
    size = 0
    for index in range(number):
        if index % 250 == 0:
            place = folder / f"{index // 5000:03}" / f"{index // 250:04}"
            place.mkdir(parents=True)
        if index % 20 == 19:
            data = b"\x7fELF\x00" + chance.randbytes(chance.randrange(100, 4000))
        else:
            language, encoding = chance.choice(_KINDS)
            text = prose(language)
            begin = chance.randrange(len(text) // 2)
            length = chance.randrange(100, 2000)
            data = (text[begin:] * 8)[:length].encode(encoding, "ignore")
        (place / f"{index:06}.txt").write_bytes(data)
        size += len(data)
    return size


def timed(command: list[str], rounds: int, paths: bytes | None = None) -> tuple[float, int]:
    """Return the least seconds of some rounds, and the largest memory in kilobytes."""
    best, peak = float("inf"), 0
    for _ in range(rounds):
        begin = time.perf_counter()
        measured = ["/usr/bin/time", "-f", "%M", *command] if os.path.exists("/usr/bin/time") else command
        done = subprocess.run(measured, input=paths, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        best = min(best, time.perf_counter() - begin)
        last = done.stderr.split()[-1:] or [b""]
        peak = max(peak, int(last[0]) if last[0].isdigit() else 0)
    return best, peak


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--files", type=int, default=100_000)
    parser.add_argument("--peer-files", type=int, default=5_000)
    parser.add_argument("--rounds", type=int, default=3)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="charlens-scan-") as folder:
        size = make_tree(Path(folder), given.files)
        print(f"{given.files:,} files, {size / 1e6:.0f} MB\n\n{describe()}\n")
        measure(folder, given)


def measure(folder: str, given: argparse.Namespace) -> None:
    """Time everyone and print the table."""
    scan = [sys.executable, "-m", "charlens", "scan", "--no-ignore"]
    seconds, peak = timed([*scan, folder], given.rounds)
    ours = given.files / seconds
    tenth = sorted(os.path.join(folder, name) for name in os.listdir(folder))[: max(1, given.files // 50_000)]
    _, small_peak = timed([*scan, *tenth], 1)
    rows = [["charlens scan", f"{ours:,.0f}", "1.0", f"{peak / 1024:.0f} MB"]]
    one, _ = timed([*scan, "-j", "1", folder], 1)
    rows.append(["charlens scan -j 1", f"{given.files / one:,.0f}", f"{ours * one / given.files:.1f}", ""])
    paths = sorted(str(path) for path in Path(folder).rglob("*.txt"))[
        :: max(1, given.files // given.peer_files)
    ]
    listed = ("\n".join(paths) + "\n").encode()
    peers = {
        "file -i": [shutil.which("file") or "", "-i", "-f", "-"],
        "chardet's command": [sys.executable, "-m", "chardet", *paths],
    }
    for name, command in peers.items():
        if command[0] and subprocess.run([*command[:3], "--version"], capture_output=True).returncode in (
            0,
            1,
        ):
            seconds, peak = timed(command, given.rounds, listed if name == "file -i" else None)
            rate = len(paths) / seconds
            rows.append(
                [
                    f"{name} ({len(paths):,} files)",
                    f"{rate:,.0f}",
                    f"{ours / rate:.1f}",
                    f"{peak / 1024:.0f} MB",
                ]
            )
    print(table(["command", "files/s", "charlens is × faster", "peak memory"], rows))
    print(f"\ncharlens' peak on a tenth of the tree: {small_peak / 1024:.0f} MB")


if __name__ == "__main__":
    main()
