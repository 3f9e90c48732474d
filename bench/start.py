"""Measure the time of the command from its start to its answer: wall clock, median and minimum of several rounds.

    python bench/start.py [ROUNDS]

Bytecode is compiled beforehand, as in an installed package. The figures include Python's own start, which is also
printed separately.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from common import describe, table

_EXAMPLES = Path(__file__).resolve().parent.parent / "examples"
_CHARLENS = [str(Path(sys.executable).with_name("charlens"))]
_COMMANDS = {
    "python -c pass": [sys.executable, "-c", "pass"],
    "charlens --help": [*_CHARLENS, "--help"],
    "charlens detect, UTF-8": [*_CHARLENS, "detect", str(_EXAMPLES / "notes.txt")],
    "charlens detect, windows-1252": [*_CHARLENS, "detect", str(_EXAMPLES / "letter.txt")],
}


def main() -> None:
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 25
    print(describe(), end="\n\n")
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        environment = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
        environment["PYTHONPYCACHEPREFIX"] = folder
        for name, command in _COMMANDS.items():
            times = []
            for _ in range(rounds + 1):
                begin = time.perf_counter()
                subprocess.run(command, stdout=subprocess.DEVNULL, env=environment, check=True)
                times.append(1000 * (time.perf_counter() - begin))
            measured = times[1:]  # the first writes the bytecode
            rows.append([name, f"{statistics.median(measured):.0f}", f"{min(measured):.0f}"])
    print(table(["command", "median ms", "least ms"], rows))


if __name__ == "__main__":
    main()
