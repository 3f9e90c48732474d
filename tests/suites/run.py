"""Run the tests of other packages with the original and with charlens in its place: `make suites`.

Each `*.toml` in this folder names a source distribution in the package index at a fixed version, which of its tests are
run, what charlens replaces, and the accepted differences, each with a reason.  A difference that is not listed is an
error, and so is a listed one that no longer occurs.  Nothing of the packages is kept in the repository.

    python tests/suites/run.py                  all of them; with --page PAGE, the table is written to that page
    python tests/suites/run.py chardet w3lib    only these
    python tests/suites/run.py --short          those of `make test`; prints a message if the index cannot be reached
"""

from __future__ import annotations

import argparse
import hashlib
import html
import json
import os
import re
import subprocess
import sys
import tarfile
import urllib.parse
import urllib.request
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

try:
    import tomllib
except ImportError:  # Python 3.10
    import tomli as tomllib  # type: ignore[import-not-found,no-redef]

HERE = Path(__file__).parent
ROOT = HERE.parent.parent
WORK = ROOT / "build" / "suites"
INDEX = os.environ.get("PIP_INDEX_URL", "https://pypi.org/simple").rstrip("/")
#: Differences of one suite that are listed.
MOST = 20
#: Seconds for one run of one suite.
LIMIT = 1800
#: Python 3.11 has it from 3.11.4 on; the archives are known by their hashes.
_FILTER: dict[str, Any] = {"filter": "data"} if hasattr(tarfile, "data_filter") else {}


class Row(NamedTuple):
    """One line of the table."""

    name: str
    version: str
    tests: int
    original: int
    charlens: int
    asked: int
    #: Differences that are not in the list, and entries of the list that are no differences.
    wrong: tuple[str, ...]
    accepted: int


def main() -> int:
    """Run the suites that are asked for; 1 where something differs that should not."""
    parser = argparse.ArgumentParser(
        description="Run the tests of other packages with charlens in their place."
    )
    parser.add_argument("suites", nargs="*", help="names of suites; all if none is given")
    parser.add_argument(
        "--short",
        action="store_true",
        help="the suites of `make test`, with one detector each, if the registry answers",
    )
    parser.add_argument("--page", type=Path, help="put the table into this page, between its two marks")
    parser.add_argument("--anew", action="store_true", help="run the originals again, too")
    options = parser.parse_args()
    if options.short and not registry_answers():
        print(f"suites: the registry ({INDEX}) cannot be reached; the tests of other packages were not run")
        return 0
    suites = [suite for suite in load_suites() if wanted(suite, options)]
    if not suites:
        parser.error(f"no such suite; there are {', '.join(suite['name'] for suite in load_suites())}")
    python = make_environment(suites)
    rows = []
    for suite in suites:
        folder = lay_out(suite)
        runs = suite["run"][:1] if options.short else suite["run"]
        rows += [run_suite(suite, run, folder, python, options.anew) for run in runs]
        print("\n".join(table(rows[-len(runs) :], head=len(rows) == len(runs))), flush=True)
    for row in rows:
        for words in row.wrong[:MOST]:
            print(f"{row.name}: {words}")
        if len(row.wrong) > MOST:
            print(f"{row.name}: and {len(row.wrong) - MOST} more")
    if options.page:
        put_into(options.page, "table of make suites", table(rows, head=True))
        put_into(options.page, "accepted differences", reasons())
    wrong = any(row.wrong for row in rows)
    print("something differs that is not accepted" if wrong else "no difference that is not accepted")
    return 1 if wrong else 0


def put_into(page: Path, name: str, lines: Iterable[str]) -> None:
    """Replace what stands between the marks *name* of *page* by *lines*."""
    before, opening, rest = page.read_text(encoding="utf-8").partition(f"<!-- {name} -->\n")
    _, closing, after = rest.partition("<!-- end of table -->\n")
    if not opening or not closing:
        raise SystemExit(f"{page}: the marks of the {name} are missing")
    page.write_text(before + opening + "\n".join(lines) + "\n" + closing + after, encoding="utf-8")


def load_suites() -> list[dict[str, Any]]:
    """Return what the files beside this one say, by name."""
    return [
        {"name": path.stem, **tomllib.loads(path.read_text(encoding="utf-8"))}
        for path in sorted(HERE.glob("*.toml"))
    ]


def wanted(suite: dict[str, Any], options: argparse.Namespace) -> bool:
    """Whether *suite* is among those asked for."""
    if options.suites:
        return suite["name"] in options.suites
    return bool(suite.get("short")) or not options.short


def registry_answers() -> bool:
    """Whether the registry can be reached."""
    try:
        with urllib.request.urlopen(f"{INDEX}/pip/", timeout=20):
            return True
    except OSError:
        return False


def make_environment(suites: Iterable[dict[str, Any]]) -> str:
    """Install the originals and what their tests need, at fixed versions; return the interpreter."""
    environment = WORK / "environment"
    python = environment / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    if not python.exists():
        subprocess.run([sys.executable, "-m", "venv", str(environment)], check=True)
    needed = sorted({package for suite in suites for package in suite["requires"]})
    note = environment / "installed.json"
    installed = json.loads(note.read_text(encoding="utf-8")) if note.exists() else []
    if not set(needed) <= set(installed):
        subprocess.run(
            [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *needed],
            check=True,
        )
        note.write_text(json.dumps(sorted({*installed, *needed})), encoding="utf-8")
    return str(python)


def lay_out(suite: dict[str, Any]) -> Path:
    """Fetch and unpack the tests of *suite*, without the package itself; return their folder."""
    made = suite.get("made", {})
    content = [suite["files"], made] if made else suite["files"]
    folder = WORK / f"{suite['name']}-{suite['version']}-{stamp(content)}"
    if folder.exists():
        return folder
    archive = fetch(suite["package"], suite["version"], suite["sha256"])
    partial = folder.with_suffix(".partial")
    with tarfile.open(archive) as tar:
        for member in tar.getmembers():
            member.name = member.name.partition("/")[2]
            if any(member.name == part or member.name.startswith(f"{part}/") for part in suite["files"]):
                tar.extract(member, partial, **_FILTER)
    if not any(
        (partial / name).exists() for name in ("pyproject.toml", "pytest.ini", "setup.cfg", "tox.ini")
    ):
        (partial / "pytest.ini").write_text(
            "[pytest]\n", encoding="utf-8"
        )  # else pytest would find charlens' own
    for name, recipe in made.items():
        path = partial / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(make_file(recipe))
    partial.rename(folder)
    return folder


def make_file(recipe: dict[str, str]) -> bytes:
    """Return the content of a test file that is not in the source distribution."""
    if "hex" in recipe:
        return bytes.fromhex(recipe["hex"])
    if "text" in recipe:
        return recipe["text"].encode()
    text = (HERE.parent / "prose" / f"{recipe['prose']}.txt").read_text(encoding="utf-8")
    return text.encode(recipe["encoding"], "ignore")


def fetch(package: str, version: str, sha256: str) -> Path:
    """Return the source distribution, from the registry or from an earlier run, with the hash checked."""
    target = WORK / "archives" / f"{package}-{version}.tar.gz"
    if not target.exists():
        target.parent.mkdir(parents=True, exist_ok=True)
        page = f"{INDEX}/{package.lower().replace('_', '-')}/"
        with urllib.request.urlopen(page, timeout=60) as answer:
            links = re.findall(r'<a[^>]*href="([^"]+)"[^>]*>\s*([^<]+?)\s*</a>', answer.read().decode())
        name = re.compile(
            rf"{re.sub('[-_.]+', '[-_.]+', package)}-{re.escape(version)}\.tar\.gz", re.IGNORECASE
        )
        link = next((html.unescape(link) for link, file in links if name.fullmatch(file)), None)
        if link is None:
            raise SystemExit(f"{package} {version}: the registry has no source distribution")
        with urllib.request.urlopen(urllib.parse.urljoin(page, link), timeout=120) as answer:
            target.write_bytes(answer.read())
    if hashlib.sha256(target.read_bytes()).hexdigest() != sha256:
        target.unlink()
        raise SystemExit(f"{package} {version}: the source distribution has another hash than the list says")
    return target


def run_suite(suite: dict[str, Any], run: dict[str, Any], folder: Path, python: str, anew: bool) -> Row:
    """Run the tests with the original and with charlens, and compare."""
    name = run.get("name", suite["name"])
    conditions = [suite.get("requires"), {key: run[key] for key in run if key not in ("accepted", "swap")}]
    conditions += [suite["made"]] if "made" in suite else []
    original = WORK / "results" / f"{name}-{suite['version']}-{stamp(conditions)}-original.json"
    if anew or not original.exists():
        run_tests(run, {}, folder, python, original)
    replaced = original.with_name(original.name.replace("-original", "-charlens"))
    run_tests(run, run["swap"], folder, python, replaced)
    before = json.loads(original.read_text(encoding="utf-8"))["outcomes"]
    after = json.loads(replaced.read_text(encoding="utf-8"))
    accepted = {test for entry in run.get("accepted", ()) for test in entry["tests"]}
    differing = {
        test
        for test, outcome in before.items()
        if outcome == "passed" and after["outcomes"].get(test) != "passed"
    }
    wrong = [f"differs: {test}" for test in sorted(differing - accepted)]
    wrong += [f"accepted, but no difference any more: {test}" for test in sorted(accepted - differing)]
    return Row(
        name,
        suite["version"],
        len(before),
        sum(outcome == "passed" for outcome in before.values()),
        sum(
            after["outcomes"].get(test) == "passed" for test, outcome in before.items() if outcome == "passed"
        ),
        len(after["asked"]),
        tuple(wrong),
        len(accepted),
    )


def stamp(conditions: Any) -> str:
    """Return a short name for *conditions*, so that nothing of an earlier run under others is used."""
    return hashlib.sha256(json.dumps(conditions, sort_keys=True).encode()).hexdigest()[:8]


def run_tests(run: dict[str, Any], swap: dict[str, Any], folder: Path, python: str, result: Path) -> None:
    """Run pytest once; the plugin beside this file replaces what *swap* says and writes *result*."""
    result.parent.mkdir(parents=True, exist_ok=True)
    result.unlink(missing_ok=True)
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join(
            map(str, (ROOT / "src", HERE, *(folder / each for each in run.get("path", ()))))
        ),
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",  # the plugins that one suite needs are not for the others
        "SUITE_SWAP": json.dumps(swap) if swap else "",
        "SUITE_HIDE": ",".join(run.get("hide", ())),
        "SUITE_RESULT": str(result),
    }
    if run.get("script"):  # one that makes and runs its tests with unittest
        command = ["-m", "swap", *run["tests"]]
    else:
        command = ["-m", "pytest", "-q", "-p", "swap", "-p", "no:cacheprovider", "--rootdir=."]
        command += ["--continue-on-collection-errors", *run.get("arguments", ()), *run["tests"]]
    done = subprocess.run(
        [python, *command],
        cwd=folder / run.get("folder", ""),
        env=environment,
        capture_output=True,
        text=True,
        timeout=LIMIT,
    )
    result.with_suffix(".txt").write_text(done.stdout + done.stderr, encoding="utf-8")
    if not result.exists() or not json.loads(result.read_text(encoding="utf-8"))["outcomes"]:
        result.unlink(missing_ok=True)
        raise SystemExit(f"{folder.name}: no test was run:\n{done.stdout[-2000:]}\n{done.stderr[-2000:]}")


def table(rows: Iterable[Row], head: bool) -> Iterator[str]:
    """Yield the lines of the table, as the page of the drop-ins has them."""
    if head:
        yield "| suite | version | tests | original | charlens in its place | ask charlens | accepted differences |"
        yield "|---|---|--:|--:|--:|--:|--:|"
    for row in rows:
        yield (
            f"| {row.name} | {row.version} | {row.tests:,} | {row.original:,} | {row.charlens:,} | {row.asked:,} "
            f"| {row.accepted:,} |"
        )


def reasons() -> Iterator[str]:
    """Yield the lines of the table of accepted differences."""
    yield "| suite | tests | why they differ |"
    yield "|---|--:|---|"
    for suite in load_suites():
        for run in suite["run"]:
            for entry in run.get("accepted", ()):
                yield f"| {run.get('name', suite['name'])} | {len(entry['tests'])} | {entry['reason']} |"


if __name__ == "__main__":
    sys.exit(main())
