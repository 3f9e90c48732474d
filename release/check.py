"""Everything that takes long, one after the other, with a report: `python release/check.py [--seconds 1200]`.

Each step is a make target, so that it can be run alone.  A step that fails does not stop the others; the report says
which did, how long each took, and what it printed last.  The exit code is 1 if one failed.
"""

from __future__ import annotations

import argparse
import platform
import subprocess
import sys
import time
from datetime import datetime, timezone
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
#: The targets, in the order of how soon they say something; those with a number need the time for fuzzing.
STEPS = (
    "test",
    "long",
    "cross",
    "emulate",
    "sanitize",
    "coverage",
    "sdist",
    "mutants",
    "fuzz SECONDS={seconds} JOBS={jobs}",
    "fuzz-native SECONDS={seconds} JOBS={jobs}",
    "mutation COUNT={count}",
    "suites",
    "worst",
)
#: The lines at the end of what a step prints that the report shows.
_LAST = 40


def run(step: str, folder: Path) -> tuple[str, float, list[str]]:
    """Run one target; return how it ended, the seconds, and its last lines."""
    begin = time.monotonic()
    log = folder / f"{step.split()[0]}.log"
    with log.open("wb") as file:
        done = subprocess.run(["make", "-C", str(ROOT), *step.split()], stdout=file, stderr=subprocess.STDOUT)
    lines = log.read_text(encoding="utf-8", errors="replace").splitlines()[-_LAST:]
    return (
        "passed" if done.returncode == 0 else f"failed ({done.returncode})",
        time.monotonic() - begin,
        lines,
    )


def main() -> int:
    """Run the steps and write the report."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=int, default=1200, help="of each fuzzer")
    parser.add_argument("--jobs", type=int, default=2, help="processes of each fuzzer")
    parser.add_argument("--count", type=int, default=40, help="of random wrong edits in each area")
    parser.add_argument("--out", type=Path, default=ROOT / "build" / "release")
    parser.add_argument("--step", action="append", help="only this target; may be given several times")
    given = parser.parse_args()
    given.out.mkdir(parents=True, exist_ok=True)
    report = given.out / "REPORT.md"
    head = subprocess.run(
        ["git", "-C", str(ROOT), "log", "-1", "--format=%h"], capture_output=True, text=True
    )
    system = f"{platform.system()} {platform.machine()}, Python {platform.python_version()}"
    today = datetime.now(timezone.utc).date().isoformat()
    parts = [f"# Release check\n\n{today}, state {head.stdout.strip() or 'unknown'}, {system}.\n"]
    failed = 0
    for step in given.step or STEPS:
        step = step.format(seconds=given.seconds, jobs=given.jobs, count=given.count)
        print(f"make {step} …", end=" ", flush=True)
        result, seconds, lines = run(step, given.out)
        failed += result != "passed"
        print(f"{result}, {seconds:.0f} s", flush=True)
        shown = "\n".join(lines)
        parts.append(f"## make {step}: {result}\n\n{seconds:.0f} s.\n\n```\n{shown}\n```\n")
        report.write_text("\n".join(parts), encoding="utf-8")
    print(f"{failed} failed; {report}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
