"""Call every public function with generated input: `python fuzz/entries.py [--seconds 60] [--jobs 4] [--only ENTRY]`.

`checks.py` defines what must be true. The script prints the number of calls per entry, and each finding with the bytes
that show it. With *--inputs* instead of *--seconds*, two runs with the same seed make the same calls. With *--out*, the
summary is added to the file, so that the counts of several runs add up.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import random
import signal
import sys
import time
import traceback
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

from checks import ENTRIES, RARE
from inputs import LONG_SIZES, SHORT_SIZES, Limit, Maker

import charlens
from charlens import kernel

#: One in this many inputs is long, and so are calls of entries that take long.
LONG_IN = 300
RARE_IN = 6
#: A call that takes longer is a finding: the longest inputs take some tenths of a second.
MOST_SECONDS = 20
MOST_FINDINGS = 10
#: What some entries need besides charlens.
NEEDS = {"warc": "fastwarc"}


class Found(NamedTuple):
    """What one process did."""

    calls: Counter[str]
    findings: list[str]


class Late(BaseException):
    """A call takes too long; not an `Exception`, which the called code may handle."""


def end_call(*_: object) -> None:
    """End a call that takes too long."""
    raise Late(f"more than {MOST_SECONDS} seconds")


def fuzz(seed: int, limit: Limit, names: list[str]) -> Found:
    """Call entries until the limit is reached."""
    chance = random.Random(seed)
    short, long = Maker(seed, SHORT_SIZES), Maker(seed + 1, LONG_SIZES)
    often = [name for name in names if name not in RARE] or names
    found = Found(Counter(), [])
    if hasattr(signal, "SIGALRM"):
        signal.signal(signal.SIGALRM, end_call)
    for _ in limit.turns():
        if len(found.findings) >= MOST_FINDINGS:
            break
        data = (short if chance.randrange(LONG_IN) else long).make()
        for name in {chance.choice(names if not chance.randrange(RARE_IN) else often), chance.choice(often)}:
            found.calls[name] += 1
            if hasattr(signal, "setitimer"):
                signal.setitimer(signal.ITIMER_REAL, MOST_SECONDS)
            try:
                ENTRIES[name](data, chance)
            except charlens.CharlensError:
                continue  # refused with a message
            except (Exception, Late):
                found.findings.append(f"{name}: {data[:4000]!r}\n{traceback.format_exc(limit=-4)}")
                print(f"seed {seed}: {found.findings[-1]}", flush=True)
    if hasattr(signal, "setitimer"):
        signal.setitimer(signal.ITIMER_REAL, 0)
    return found


def add_to(path: Path, summary: dict[str, Any]) -> None:
    """Add *summary* to the one in the file."""
    if path.exists():
        before = json.loads(path.read_text(encoding="utf-8"))
        summary["calls"] = dict(sorted((Counter(before["calls"]) + Counter(summary["calls"])).items()))
        for key in ("executions", "seconds", "findings", "runs"):
            summary[key] = before[key] + summary[key]
    path.write_text(json.dumps(summary, indent=1, ensure_ascii=True) + "\n", encoding="utf-8")


def main() -> int:
    """Run until the limit is reached; return 1 after a finding."""
    parser = argparse.ArgumentParser(description=__doc__)
    Limit.add_options(parser)
    parser.add_argument(
        "--seed", type=int, default=1, help="of the first process; the others count on from there"
    )
    parser.add_argument("--jobs", type=int, default=1, help="processes; 0 for one per processor")
    parser.add_argument("--only", action="append", choices=ENTRIES, metavar="ENTRY", help=", ".join(ENTRIES))
    parser.add_argument("--out", type=Path, help="a JSON file that the summary is added to")
    given = parser.parse_args()
    names = given.only or list(ENTRIES)
    limit = Limit(given.seconds, given.inputs)
    for name, module in NEEDS.items():
        if name in names and find_spec(module) is None:
            print(f"{name} is left out: no {module} here")
            names.remove(name)
    start = time.monotonic()
    jobs = given.jobs or os.cpu_count() or 1
    seeds = range(given.seed, given.seed + jobs)
    if jobs == 1:
        results = [fuzz(given.seed, limit, names)]
    else:
        with ProcessPoolExecutor(jobs) as pool:
            results = list(pool.map(fuzz, seeds, [limit] * jobs, [names] * jobs))
    calls = sum((result.calls for result in results), Counter())
    findings = [each for result in results for each in result.findings]
    for name, count in sorted(calls.items()):
        print(f"{name:<16} {count:>12,}")
    seconds = time.monotonic() - start
    print(f"{calls.total():,} executions in {seconds:.0f} s on {jobs} processes, {len(findings)} findings")
    if given.out:
        system = f"{platform.machine()}, Python {platform.python_version()}, {kernel.NAME} kernel"
        summary = {
            "executions": calls.total(),
            "calls": dict(sorted(calls.items())),
            "seconds": round(seconds * jobs),
            "findings": findings,
            "runs": [f"charlens {charlens.__version__}, {system}, seeds {seeds[0]} to {seeds[-1]}"],
        }
        add_to(given.out, summary)
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
