"""Measure the first command that README.md names, as on a new machine: a fresh clone, an empty home, a warm pip cache.

    python bench/first_command.py [--rounds 2]

The first round fills the cache of pip; the last one is the time that a user with a warm cache waits. It prints the
seconds of `make detect`, from nothing to the answer, and the size of the environment. On a busy machine, look at the
CPU time.
"""

from __future__ import annotations

import argparse
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).parent.parent
#: What the README promises.
MOST_SECONDS, MOST_MEGABYTES = 30, 60


def size_of(folder: Path) -> int:
    """Return the bytes of all files in *folder*."""
    return sum(path.lstat().st_size for path in folder.rglob("*") if path.is_file() and not path.is_symlink())


def cpu_time() -> float:
    """Return the CPU seconds of all processes that were started and have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def measure(cache: str, home: Path) -> tuple[float, float, int, str]:
    """Clone, run the command; return its seconds, its CPU seconds, the bytes of its environment and its output."""
    clone = home / "charlens"
    subprocess.run(["git", "clone", "--quiet", "--depth", "1", ROOT.as_uri(), str(clone)], check=True)
    kept = {name: os.environ[name] for name in ("PATH", "LANG") if name in os.environ}
    for name, value in os.environ.items():
        if name.startswith("PIP_"):
            kept[name] = value
    environment = {**kept, "HOME": str(home), "PIP_CACHE_DIR": cache}
    begin, before = time.perf_counter(), cpu_time()
    done = subprocess.run(
        ["make", "detect", f"PYTHON={sys.executable}"],
        cwd=clone,
        env=environment,
        capture_output=True,
        text=True,
    )
    seconds, work = time.perf_counter() - begin, cpu_time() - before
    if done.returncode:
        raise SystemExit(f"make detect failed:\n{done.stdout}{done.stderr}")
    return seconds, work, size_of(clone / ".venv"), done.stdout


def main() -> int:
    """Print the figures; exit with 1 where they are over the limits."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--rounds", type=int, default=2, help="the last one is reported (default: 2)")
    rounds = parser.parse_args().rounds
    with tempfile.TemporaryDirectory() as cache:
        for _ in range(rounds):
            with tempfile.TemporaryDirectory() as home:
                seconds, work, size, printed = measure(cache, Path(home))
    megabytes = size / 1e6
    answer = next(line for line in printed.splitlines() if line.startswith("examples/letter.txt"))
    print(
        f"make detect: {seconds:.1f} s ({work:.1f} s of CPU, load {os.getloadavg()[0]:.1f}), .venv {megabytes:.1f} MB"
    )
    print(answer)
    return 0 if seconds <= MOST_SECONDS and megabytes <= MOST_MEGABYTES else 1


if __name__ == "__main__":
    raise SystemExit(main())
