"""Insert the counts of long runs: `python fuzz/report.py docs/fuzzing.md [--native LOG] [--entries FILE]`.

LOG is the output of `run.sh` of the native fuzzer, FILE that of `fuzz/entries.py --out FILE`.  Each replaces the text
between its marks in the page.
"""

from __future__ import annotations

import argparse
import json
import re
from collections import Counter
from pathlib import Path
from typing import Any

_COUNT = re.compile(r"^(\w+) +(\d+) executions", re.MULTILINE)
_LAST = re.compile(
    r"^\d+ executions in (\d+) seconds on (\d+) processes, seeds (.+?), (.+), (\d+) findings", re.MULTILINE
)


def native_section(logs: list[str]) -> str:
    """Return the sentence and the table for the native kernel; the log of a run that has not ended is an error."""
    counts: Counter[str] = Counter()
    runs, findings = [], 0
    for log in logs:
        ended = _LAST.search(log)
        if ended is None:
            raise SystemExit("A log has no last line: let run.sh come to its end.")
        seconds, processes, seeds, sanitizers, found = ended.groups()
        counts.update({name: int(count) for name, count in _COUNT.findall(log)})
        runs.append(f"- {int(seconds):,} seconds, processes: {processes}, seeds {seeds}, {sanitizers}")
        findings += int(found)
    head = f"{counts.total():,} executions, findings: {findings}."
    return "\n\n".join((head, "\n".join(runs), table("function", counts)))


def entries_section(found: dict[str, Any]) -> str:
    """Return the sentence, the runs and the table for the public entries."""
    findings = len(found["findings"])
    head = f"{found['executions']:,} executions in {found['seconds']:,} seconds of a process, findings: {findings}."
    runs = "\n".join(f"- {run}" for run in found["runs"])
    return f"{head}\n\n{runs}\n\n{table('entry', found['calls'])}"


def table(what: str, counts: dict[str, int]) -> str:
    """Return the counts as a table."""
    rows = (f"| `{name}` | {count:,} |" for name, count in counts.items())
    return "\n".join((f"| {what} | executions |", "| --- | --: |", *rows))


def put_into(page: Path, mark: str, section: str) -> None:
    """Replace what is between the marks in *page*."""
    before, rest = page.read_text(encoding="utf-8").split(f"<!-- {mark} -->\n")
    after = rest.split(f"<!-- end of {mark} -->")[1]
    text = f"{before}<!-- {mark} -->\n\n{section}\n\n<!-- end of {mark} -->{after}"
    page.write_text(text, encoding="utf-8")


def main() -> None:
    """Read what was given and write the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("page", type=Path)
    parser.add_argument(
        "--native", type=Path, action="append", help="may be repeated: the counts are added up"
    )
    parser.add_argument("--entries", type=Path)
    given = parser.parse_args()
    if given.native:
        logs = [path.read_text(encoding="utf-8") for path in given.native]
        put_into(given.page, "native", native_section(logs))
    if given.entries:
        found = json.loads(given.entries.read_text(encoding="utf-8"))
        put_into(given.page, "entries", entries_section(found))


if __name__ == "__main__":
    main()
