"""Measure how many wrong edits the tests notice: `python tests/mutation.py [--count 40] [--seed 1] [--area stages]`.

The edits are chosen at random in the Python and C code: a comparison is inverted, a number increased by one, `and`
replaced by `or`, a `not` removed. Each is tried in a copy of the package with the tests of its area that run the line,
the quick ones first; all of them must pass without an edit. A run ends after several times the time of that run. The
script prints the share that a test notices, and every edit that no test notices: look at those, because some change
nothing that a user could see. Edits whose tests also fail without them do not count. `mutants.py` has chosen edits, all
of which must be noticed.
"""

from __future__ import annotations

import argparse
import ast
import copy
import random
import re
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from queue import Queue
from typing import NamedTuple

from mutants import ROOT, UNJUDGED, copy_tree, environment_of, is_noticed

#: For each area its files and the tests that are about it, the quick ones first.
AREAS = {
    "stages": (
        ["src/charlens/stages", "src/charlens/pipeline.py", "src/charlens/source.py"],
        (
            "unicode signature content escapes ebcdic declarations structure strays undecided surroundings legacy "
            "language rules sources hints markup explanation models mixed one_pipeline detect"
        ),
    ),
    "writers": (
        ["src/charlens/files"],
        "lines document rewriting project saving_together repair cli_editing files writers cli_convert faults",
    ),
    "kernel": (
        [
            "src/charlens/kernel/pure.py",
            "src/charlens/kernel/pure_columns.py",
            "src/charlens/kernel/pure_languages.py",
            "src/charlens/kernel/pure_markup.py",
            "src/charlens/kernel/pure_pages.py",
            "src/charlens/kernel/pure_scores.py",
            "src/charlens/kernel/pure_walks.py",
        ],
        "rules unicode kernel_twins markup_kernel walks batch declarations language repair",
    ),
    "native": (["native"], "rules unicode kernel_twins markup_kernel batch declarations language repair"),
    "inputs": (
        ["src/charlens/inputs", "src/charlens/batch.py", "src/charlens/limits.py"],
        "stream together mixed batch limits hardening sources codec readers compat_others",
    ),
}

#: The same for C: operators between spaces, and whole numbers.
_OTHER_IN_C = {
    "<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "==", "&&": "||", "||": "&&", "+": "-", "-": "+",
}  # fmt: skip
_IN_C = re.compile(r"(?<= )(?:[<>]=?|[=!]=|&&|\|\||[+-])(?= )|(?<![\w.])\d+(?![\w.])")
#: Comments, strings and what the preprocessor reads: nothing is changed there.
_NOT_CODE = re.compile(
    r"/\*.*?\*/|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'|^[ ]*#[^\n]*", re.DOTALL | re.MULTILINE
)

#: The tests of an edit may take this many times what they took without it, and this many seconds more.
_TIMES, _MORE_SECONDS = 5, 60

_OTHER: dict[type[ast.AST], type[ast.AST]] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.And: ast.Or,
    ast.Or: ast.And,
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.FloorDiv,
    ast.FloorDiv: ast.Mult,
}


class Edit(NamedTuple):
    """One wrong edit of a file."""

    file: str
    line: int
    #: The old line and the new one.
    find: str
    put: str
    tests: str
    #: The first line of the statement.
    first: int


def changed(node: ast.AST) -> ast.AST | None:
    """Return *node* with a small change, or None where there is none to make."""
    made = copy.deepcopy(node)
    if isinstance(made, ast.Compare) and type(made.ops[0]) in _OTHER:
        made.ops[0] = _OTHER[type(made.ops[0])]()  # type: ignore[call-overload]
    elif isinstance(made, ast.BoolOp | ast.BinOp) and type(made.op) in _OTHER:
        made.op = _OTHER[type(made.op)]()  # type: ignore[assignment]
    elif isinstance(made, ast.UnaryOp) and isinstance(made.op, ast.Not):
        return made.operand
    elif isinstance(made, ast.Constant) and isinstance(made.value, bool):
        made.value = not made.value
    elif isinstance(made, ast.Constant) and isinstance(made.value, int):
        made.value += 1
    else:
        return None
    return made


def annotations(tree: ast.AST) -> set[ast.AST]:
    """Return all nodes inside type annotations, where an edit has no effect."""
    roots: list[ast.AST | None] = []
    for node in ast.walk(tree):
        roots += [getattr(node, "annotation", None), getattr(node, "returns", None)]
    return {inner for root in roots if root is not None for inner in ast.walk(root)}


def edits_of(path: Path, tests: str) -> Iterator[Edit]:
    """Yield every edit of the file that stays on one line."""
    source = path.read_text(encoding="utf-8")
    lines = source.split("\n")
    tree = ast.parse(source)
    skipped = annotations(tree)
    # Inner statements come after those around them.
    first = {
        node: statement.lineno
        for statement in ast.walk(tree)
        if isinstance(statement, ast.stmt)
        for node in ast.walk(statement)
    }
    for node in ast.walk(tree):
        if node in skipped or not isinstance(node, ast.expr) or node.lineno != node.end_lineno:
            continue
        made = changed(node)
        if made is None:
            continue
        row = lines[node.lineno - 1].encode()
        text = f"({ast.unparse(made)})" if not isinstance(made, ast.Constant) else ast.unparse(made)
        new = (row[: node.col_offset] + text.encode() + row[node.end_col_offset :]).decode()
        if source.count(lines[node.lineno - 1]) == 1:
            name = str(path.relative_to(ROOT))
            yield Edit(name, node.lineno, lines[node.lineno - 1], new, tests, first[node])


def edits_in_c(path: Path, tests: str) -> Iterator[Edit]:
    """Yield every edit of a file in C."""
    source = path.read_text(encoding="utf-8")
    code = _NOT_CODE.sub(lambda match: re.sub(r"[^\n]", "_", match.group()), source)
    for number, (line, masked) in enumerate(zip(source.split("\n"), code.split("\n"), strict=True), 1):
        for match in _IN_C.finditer(masked) if source.count(line) == 1 else ():
            found = match.group()
            put = _OTHER_IN_C.get(found) or str(int(found) + 1)
            new = line[: match.start()] + put + line[match.end() :]
            yield Edit(str(path.relative_to(ROOT)), number, line, new, tests, number)


def all_edits(area: str) -> list[Edit]:
    """Return the edits of an area, in a fixed order; the tests with the name of a file come first for that file."""
    places, tests = AREAS[area]
    found = []
    for place in places:
        folder = ROOT / place
        for file in sorted([*folder.rglob("*.py"), *folder.rglob("*.c")]) if folder.is_dir() else [folder]:
            ordered = " ".join(sorted(tests.split(), key=lambda name: name != file.stem))
            found += (edits_in_c if file.suffix == ".c" else edits_of)(file, ordered)
    return found


class Runs(NamedTuple):
    """What a run of the tests of an area without an edit shows."""

    #: The tests that run each line, the quick ones first; none where all do, on import.
    by_line: dict[tuple[str, int], list[str]]
    #: The seconds that each test took.
    seconds: Counter[str]

    def limit(self, tests: str) -> float:
        """Return the processor time that *tests*, whole files or single ones, may take."""
        names = set(tests.split())
        spent = (time for name, time in self.seconds.items() if names & {name, name.partition("::")[0]})
        return _MORE_SECONDS + _TIMES * sum(spent)


def run_once(folder: Path, area: str) -> Runs:
    """Run the tests of an area without an edit."""
    from coverage import CoverageData

    settings, data_file = folder / "coveragerc", folder / "coverage"
    settings.write_text("[run]\nsource = charlens\n", encoding="utf-8")
    coverage = ["-m", "coverage", "run", f"--rcfile={settings}", f"--data-file={data_file}"]
    tests = [f"tests/test_{name}.py" for name in AREAS[area][1].split()]
    done = subprocess.run(
        [sys.executable, *coverage, "-m", "pytest", "-q", "-p", "mutation_contexts", "--durations=0", "-vv", *tests],
        cwd=folder, env=environment_of(folder, pure=area == "kernel"), capture_output=True, text=True,
    )  # fmt: skip
    if done.returncode:
        sys.exit(f"{area}: the tests fail without an edit\n{done.stdout[-2000:]}")
    seconds: Counter[str] = Counter()
    for spent, name, test in re.findall(r"([\d.]+)s \w+ +tests/test_(\w+)\.py::(\w+)", done.stdout):
        seconds[f"{name}::{test}"] += float(spent)
    data = CoverageData(str(data_file))
    data.read()
    found: dict[tuple[str, int], list[str]] = {}
    for file in data.measured_files():
        for line, contexts in data.contexts_by_lineno(file).items():
            # Lines that run on import are for all tests: '' is outside of every test.
            names = {each.removeprefix("tests/test_").replace(".py", "") for each in contexts}
            all_of_them = [] if "" in names else sorted(names, key=lambda name: (seconds[name], name))
            found[str(Path(file).relative_to(folder)), line] = all_of_them
    return Runs(found, seconds)


def narrowed(edit: Edit, runs: dict[tuple[str, int], list[str]]) -> Edit | None:
    """Return the edit with only the tests that run it, or None if there are none."""
    lines = [runs.get((edit.file, line)) for line in range(edit.first, edit.line + 1)]
    known = [names for names in lines if names is not None]
    if [] in known or edit.file.endswith(".c"):
        return edit
    names = dict.fromkeys(name for names in known for name in names)
    return edit._replace(tests=" ".join(names)) if names else None


def in_processes(edit: Edit) -> Edit | None:
    """Return the edit with the tests of its area that run the command: what a separate process runs is not seen."""
    files = {
        name: (ROOT / f"tests/test_{name}.py").read_text(encoding="utf-8") for name in edit.tests.split()
    }
    names = [name for name, text in files.items() if "from command import" in text or "subprocess" in text]
    return edit._replace(tests=" ".join(names)) if names else None


def main() -> int:
    """Try a sample of edits of each area, and print the share that is noticed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=40, help="edits of each area")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--area", action="append", choices=AREAS)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--verbose", action="store_true", help="print those that are noticed, too")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        copies: Queue[Path] = Queue()
        for number in range(given.jobs):
            copies.put(copy_tree(Path(folder) / str(number)))

        def attempt(edit: Edit) -> str:
            place = copies.get()
            try:
                fewer = narrowed(edit, runs.by_line)
                wrong = "is run by no test"
                if fewer:
                    wrong = is_noticed(place, fewer._asdict(), runs.limit(fewer.tests))
                if wrong and fewer != edit and (rest := in_processes(edit)):
                    wrong = is_noticed(place, rest._asdict(), runs.limit(rest.tests))
            finally:
                copies.put(place)
            if given.verbose and not wrong:
                print(f"  noticed: {edit.file}:{edit.line}: {edit.put.strip()}", flush=True)
            if wrong:
                print(
                    f"  {edit.file}:{edit.line}: {edit.find.strip()}\n      as: {edit.put.strip()}\n      {wrong}",
                    flush=True,
                )
            return wrong

        for area in given.area or AREAS:
            found = all_edits(area)
            place = copies.get()
            runs = run_once(place, area)
            copies.put(place)
            sample = random.Random(given.seed).sample(found, min(given.count, len(found)))
            print(f"{area}, unnoticed:", flush=True)
            with ThreadPoolExecutor(given.jobs) as pool:
                results = list(pool.map(attempt, sample))
            noticed, judged = (
                results.count(""),
                sum(not result.startswith(UNJUDGED) for result in results),
            )
            share = f"{noticed} of {judged} noticed ({noticed / max(judged, 1):.0%})"
            left = f", {len(results) - judged} {UNJUDGED}" if judged < len(results) else ""
            print(f"{area}: {share}{left}, drawn from {len(found):,} edits", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
