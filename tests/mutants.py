"""Try a list of wrong edits, each of which must make a test fail: `python tests/mutants.py [NUMBER …]`.

`mutants.toml` lists them: a file, the old text, the new text, and the tests that must fail. Each edit is made in a copy
of the package; an edit of C is compiled there. A test counts only if it passes without the edit. The exit code is 1 if
an edit is not noticed, or no longer fits the code.
"""

from __future__ import annotations

import os
import re
import resource
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from concurrent.futures import ThreadPoolExecutor
from importlib.util import cache_from_source
from pathlib import Path
from queue import Queue

import tomllib

ROOT = Path(__file__).resolve().parent.parent
#: Processor time for the tests of one edit, several times the usual; and the wall-clock limit, for a deadlock.
_MOST_SECONDS = 200
_LONGEST_WAIT = 1800

#: An edit that says neither that the tests are good nor that they are not.
UNJUDGED = "cannot be judged"


def copy_tree(folder: Path) -> Path:
    """Copy what a run of the tests needs."""
    for name in ("src", "native", "tests", "fuzz"):
        shutil.copytree(
            ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__", "*.egg-info")
        )
    shutil.copy(ROOT / "pyproject.toml", folder)
    return folder


def native_of(folder: Path) -> Path:
    """Return the native kernel of the copy."""
    return next((folder / "src/charlens/kernel").glob("_native*.so"))


def compile_kernel(folder: Path) -> None:
    """Compile the native kernel of the copy."""
    target = native_of(folder)
    sources = map(str, sorted((folder / "native").glob("*.c")))
    include = sysconfig.get_paths()["include"]
    command = ["gcc", "-std=c11", "-O1", "-fPIC", "-shared", f"-I{include}", *sources, "-o", str(target)]
    subprocess.run(command, check=True, capture_output=True)


def forget(path: Path) -> None:
    """Remove the compiled form of a file: its date has whole seconds only, so Python can miss an edit."""
    Path(cache_from_source(str(path))).unlink(missing_ok=True)


def environment_of(folder: Path, *, pure: bool) -> dict[str, str]:
    """Return the environment for the tests of the copy."""
    kernel = {"CHARLENS_KERNEL": "pure"} if pure else {}
    path = os.pathsep.join((str(folder / "src"), str(folder / "tests")))
    return {**os.environ, "PYTHONPATH": path, "HYPOTHESIS_PROFILE": "unshrunk", **kernel}


def run_tests(
    folder: Path, tests: list[str], *, pure: bool, seconds: float
) -> subprocess.CompletedProcess[str]:
    """Run *tests* in the copy until one fails, for at most *seconds* of processor time."""
    most = int(seconds)
    return subprocess.run(
        [sys.executable, "-m", "pytest", "-x", "-q", "-rfE", "-p", "no:randomly", "-p", "no:cacheprovider", *tests],
        cwd=folder, env=environment_of(folder, pure=pure), capture_output=True, text=True, timeout=_LONGEST_WAIT,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (most, most)),
    )  # fmt: skip


def is_noticed(folder: Path, mutant: dict[str, str], seconds: float = _MOST_SECONDS) -> str:
    """Try one edit; return '' if a test fails, else the problem."""
    path = folder / mutant["file"]
    original = path.read_text(encoding="utf-8")
    if original.count(mutant["find"]) < 1:
        return "does not fit the code any more"
    # A file, or one test in it: `unicode` or `unicode::test_name`.
    parts = [name.partition("::") for name in mutant["tests"].split()]
    tests = [f"tests/test_{name}.py{colons}{test}" for name, colons, test in parts]
    pure = "/pure" in mutant["file"]
    path.write_text(original.replace(mutant["find"], mutant["put"], 1), encoding="utf-8")
    forget(path)
    kernel = native_of(folder).read_bytes() if path.suffix == ".c" else b""
    try:
        if kernel:
            compile_kernel(folder)
        done = run_tests(folder, tests, pure=pure, seconds=seconds)
    except (subprocess.TimeoutExpired, subprocess.CalledProcessError):
        return ""  # a test that does not end is red, too, and so is what does not compile
    finally:
        path.write_text(original, encoding="utf-8")
        forget(path)
        if kernel:
            target = native_of(folder)
            target.unlink()  # not written over: a process may still have it mapped
            target.write_bytes(kernel)
    if done.returncode == 0:
        return "goes unnoticed"
    # 1: a test failed; 2: the edit does not even import; below 0: it crashed, or does not end.
    if done.returncode not in (1, 2) and done.returncode > 0:
        return f"{UNJUDGED}: pytest exits {done.returncode}"
    failed = re.findall(r"^(?:FAILED|ERROR) (tests/\S+?)(?:\[| - |$)", done.stdout, re.MULTILINE)
    if done.returncode == 1 and run_tests(folder, failed[:1], pure=pure, seconds=seconds).returncode:
        return f"{UNJUDGED}: {failed[:1]} fails without the edit, too"
    return ""


def main(arguments: list[str]) -> int:
    """Try all edits, or those with the given numbers, two at a time."""
    mutants = tomllib.loads((ROOT / "tests/mutants.toml").read_text(encoding="utf-8"))["mutant"]
    chosen = [int(number) for number in arguments] or range(1, len(mutants) + 1)
    with tempfile.TemporaryDirectory() as folder:
        copies: Queue[Path] = Queue()
        for name in ("one", "two"):
            copies.put(copy_tree(Path(folder) / name))

        def attempt(number: int) -> str:
            copy = copies.get()
            try:
                return is_noticed(copy, mutants[number - 1])
            finally:
                copies.put(copy)

        with ThreadPoolExecutor(2) as pool:
            results = list(pool.map(attempt, chosen))
    for number, wrong in zip(chosen, results, strict=True):
        if wrong:
            print(f"{number}: {mutants[number - 1]['file']}: {mutants[number - 1]['put']!r} {wrong}")
    print(f"{sum(not wrong for wrong in results)} of {len(results)} wrong edits are noticed")
    return 1 if any(results) else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
