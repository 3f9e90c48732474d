"""Run all long checks, one after the other, with a report: `python release/check.py [--short] [--seconds 1200]`.

Each step is a make target, so it can also be run separately.  A step that fails does not stop the others; the report
has the failed steps, the time of each, the seeds, the executions of the fuzzers by entry, and the last output of each.
With *--minutes*, a step that is still running after this time is stopped, and the others are not run; neither counts as
passed.  *--short* has settings with which two cores finish in that time.  The exit code is 1 if a step did not pass.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import signal
import subprocess
import sys
import time
from datetime import datetime, timezone
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "fuzz"))

from report import entries_section, native_section  # noqa: E402

#: The targets, in the order of how soon they say something.
STEPS = (
    "lint",
    "docs",
    "cross",
    "emulate",
    "sanitize",
    "sdist",
    "fuzz SECONDS={seconds} JOBS={jobs} SEED={seed} OUT={out}/entries.json",
    "fuzz-native SECONDS={seconds} JOBS={jobs} SEED={seed}",
    "worst TRIES={tries}",
    "suite",
    "cluster",
    "long",
    "coverage",
    "mutants EVERY={every}",
    "mutation COUNT={count} SEED={seed}",
    "suites",
)
#: What --short leaves out: hours of other people's tests, and those that `suite` has in a short form.
_LONG_ONLY = ("suites", "long", "coverage")
_SHORT = {"seconds": 60, "count": 1, "tries": 6, "every": 8, "minutes": 40}
#: The lines at the end of what a step prints that the report shows.
_LAST = 40


class Result(NamedTuple):
    """How a step ended."""

    step: str
    words: str
    seconds: float
    lines: list[str]


def run(step: str, folder: Path, left: float) -> Result:
    """Run one target, for at most the seconds that are *left*."""
    if left <= 0:
        return Result(step, "not run: the time was up", 0, [])
    begin = time.monotonic()
    log = folder / f"{step.split()[0]}.log"
    with log.open("wb") as file:
        process = subprocess.Popen(
            ["make", "-C", str(ROOT), *step.split()], stdout=file, stderr=subprocess.STDOUT, start_new_session=True
        )
        try:
            code = process.wait(None if left == float("inf") else left)
            words = "passed" if code == 0 else f"failed ({code})"
        except (subprocess.TimeoutExpired, KeyboardInterrupt):
            os.killpg(process.pid, signal.SIGTERM)  # its own session: the target and all that it started
            process.wait()
            words = "stopped: the time was up"
    text = log.read_text(encoding="utf-8", errors="replace")
    if step.startswith("fuzz-native") and "not fuzzed" in text:
        words = "not run: no clang"
    lines = text.splitlines()[-_LAST:]
    return Result(step, words, time.monotonic() - begin, lines)


def executions(folder: Path) -> list[str]:
    """Return the executions of the fuzzers that ran, by entry, with seeds and sanitizers."""
    parts = []
    entries, native = folder / "entries.json", folder / "fuzz-native.log"
    if entries.exists():
        found = json.loads(entries.read_text(encoding="utf-8"))
        parts.append(f"## Every public entry\n\n{entries_section(found)}\n")
    if native.exists():
        text = native.read_text(encoding="utf-8", errors="replace")
        said = native_section([text]) if "executions in" in text else text.strip() or "Nothing was run."
        parts.append(f"## The C kernel\n\n{said}\n")
    return parts


def write_report(folder: Path, head: str, results: list[Result]) -> Path:
    """Write what is known so far."""
    rows = [f"| `make {each.step}` | {each.words} | {each.seconds:,.0f} |" for each in results]
    table = "\n".join(("| step | result | seconds |", "| --- | --- | --: |", *rows))
    total = sum(each.seconds for each in results)
    parts = [head, f"{table}\n\n{total / 60:.0f} minutes altogether.\n", *executions(folder)]
    for each in results:
        shown = "\n".join(each.lines)
        parts.append(f"## make {each.step}: {each.words}\n\n{each.seconds:.0f} s.\n\n```\n{shown}\n```\n")
    report = folder / "REPORT.md"
    report.write_text("\n".join(parts), encoding="utf-8")
    return report


def main() -> int:
    """Run the steps and write the report."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--short", action="store_true", help="short settings for everything that is not given")
    parser.add_argument("--minutes", type=float, help="for everything; without it, as long as it takes")
    parser.add_argument("--seconds", type=int, help="of each fuzzer (1200)")
    parser.add_argument("--jobs", type=int, default=2, help="processes of each fuzzer")
    parser.add_argument("--seed", type=int, default=1, help="of the fuzzers and of the random edits")
    parser.add_argument("--count", type=int, help="of random wrong edits in each area (40)")
    parser.add_argument("--tries", type=int, help="of the climb towards the slowest input (60)")
    parser.add_argument("--every", type=int, help="which of the chosen wrong edits: all (1), every second (2) …")
    parser.add_argument("--out", type=Path, default=ROOT / "build" / "release")
    parser.add_argument("--step", action="append", help="only this target; may be given several times")
    given = parser.parse_args()
    usual = {"seconds": 1200, "count": 40, "tries": 60, "every": 1, "minutes": float("inf")}
    settings = {**vars(given), "out": given.out.resolve()}
    for name, value in (_SHORT if given.short else usual).items():
        settings[name] = value if settings[name] is None else settings[name]
    given.out.mkdir(parents=True, exist_ok=True)
    for old in ("entries.json", "fuzz-native.log"):
        (given.out / old).unlink(missing_ok=True)
    state = subprocess.run(["git", "-C", str(ROOT), "describe", "--always", "--dirty"], capture_output=True, text=True)
    system = f"{platform.system()} {platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}"
    begin = datetime.now(timezone.utc).isoformat(sep=" ", timespec="minutes")
    head = f"# Release check\n\n{begin}, state {state.stdout.strip() or 'unknown'}, {system}, seed {given.seed}.\n"
    end = time.monotonic() + 60 * settings["minutes"]
    results: list[Result] = []
    for step in given.step or [each for each in STEPS if not (given.short and each in _LONG_ONLY)]:
        step = next((each for each in STEPS if each.split()[0] == step), step).format_map(settings)
        print(f"make {step} …", end=" ", flush=True)
        results.append(run(step, given.out, end - time.monotonic()))
        print(f"{results[-1].words}, {results[-1].seconds:.0f} s", flush=True)
        report = write_report(given.out, head, results)
    failed = sum(each.words != "passed" for each in results)
    print(f"{failed} did not pass; {report}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
