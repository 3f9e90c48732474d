"""How many small wrong edits the tests notice: `python tests/mutation.py [--count 40] [--seed 1] [--area stages]`.

Edits are drawn at random from the code itself, in Python and in C: a comparison turned, a number one greater, `and`
for `or`, a `not` left out.  Each is tried in a copy of the package with the tests of its area, which must pass without
an edit.  The share that a test notices is printed, and every edit that goes unnoticed: those are to be looked at, for
some change nothing that anybody could see.
`mutants.py` has edits that were chosen, and all of those must be noticed.
"""

from __future__ import annotations

import argparse
import ast
import copy
import random
import re
import sys
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from queue import Queue
from typing import NamedTuple

from mutants import ROOT, copy_tree, is_noticed

#: For each area its files and the tests that are about it, the quick ones first.
AREAS = {
    "stages": (
        ["src/charlens/stages", "src/charlens/pipeline.py", "src/charlens/source.py"],
        (
            "unicode signature content escapes ebcdic declarations structure strays undecided surroundings legacy "
            "language rules hints markup explanation one_pipeline detect"
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
        "rules kernel_twins markup_kernel walks batch declarations",
    ),
    "native": (["native"], "rules kernel_twins markup_kernel batch declarations"),
    "inputs": (
        ["src/charlens/inputs", "src/charlens/batch.py", "src/charlens/limits.py"],
        "stream together mixed batch limits hardening sources",
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
    #: The line as it is, and as it is put.
    find: str
    put: str
    tests: str


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
    """Return all nodes inside type annotations: what is changed there changes nothing."""
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
            yield Edit(str(path.relative_to(ROOT)), node.lineno, lines[node.lineno - 1], new, tests)


def edits_in_c(path: Path, tests: str) -> Iterator[Edit]:
    """Yield every edit of a file in C."""
    source = path.read_text(encoding="utf-8")
    code = _NOT_CODE.sub(lambda match: re.sub(r"[^\n]", "_", match.group()), source)
    for number, (line, masked) in enumerate(zip(source.split("\n"), code.split("\n"), strict=True), 1):
        for match in _IN_C.finditer(masked) if source.count(line) == 1 else ():
            found = match.group()
            put = _OTHER_IN_C.get(found) or str(int(found) + 1)
            new = line[: match.start()] + put + line[match.end() :]
            yield Edit(str(path.relative_to(ROOT)), number, line, new, tests)


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

        def attempt(edit: Edit, shown: bool = True) -> bool:
            place = copies.get()
            try:
                wrong = is_noticed(place, edit._asdict())
            finally:
                copies.put(place)
            if given.verbose and not wrong:
                print(f"  noticed: {edit.file}:{edit.line}: {edit.put.strip()}", flush=True)
            if wrong and shown:
                print(
                    f"  {edit.file}:{edit.line}: {edit.find.strip()}\n      as: {edit.put.strip()}",
                    flush=True,
                )
            return not wrong

        for area in given.area or AREAS:
            found = all_edits(area)
            same = found[0]._replace(put=found[0].find)
            if attempt(same, shown=False):
                print(f"{area}: the tests fail without an edit")
                return 1
            sample = random.Random(given.seed).sample(found, min(given.count, len(found)))
            print(f"{area}, unnoticed:", flush=True)
            with ThreadPoolExecutor(given.jobs) as pool:
                noticed = sum(pool.map(attempt, sample))
            share = f"{noticed} of {len(sample)} noticed ({noticed / len(sample):.0%})"
            print(f"{area}: {share}, drawn from {len(found):,} edits", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
