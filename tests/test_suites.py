"""The lists of `make suites`, and what it does where something differs or the registry is out of reach."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).parent / "suites"))

import run as suites


@pytest.mark.parametrize("suite", suites.load_suites(), ids=lambda suite: suite["name"])
def test_every_accepted_difference_has_a_reason(suite: dict[str, Any]) -> None:
    """A suite is fixed by version and hash; each of its runs replaces something, and says why a test may differ."""
    assert len(suite["sha256"]) == 64 and suite["files"] and suite["run"]
    # An application brings its own detectors, so that only theirs have to be fixed.
    assert all("==" in package for package in suite["requires"])
    for run in suite["run"]:
        assert run["swap"].keys() <= {"install", "names", "functions"} and run["swap"]
        for entry in run.get("accepted", ()):
            assert entry["tests"] and entry["reason"].endswith(".")


def test_the_page_has_the_accepted_differences(tmp_path: Path) -> None:
    """The page of the drop-ins lists each reason, as `make suites` would write it."""
    page = Path(__file__).parent.parent / "docs" / "drop-ins.md"
    copy = tmp_path / "page.md"
    copy.write_bytes(page.read_bytes())
    suites.put_into(copy, "accepted differences", suites.reasons())
    assert copy.read_text(encoding="utf-8") == page.read_text(encoding="utf-8")


def test_made_files_are_what_their_names_say() -> None:
    """Texts that stand in for missing test files have non-ASCII characters, in the encoding that is listed."""
    made = [recipe for suite in suites.load_suites() for recipe in suite.get("made", {}).values()]
    contents = [(recipe, suites.make_file(recipe)) for recipe in made]
    assert any("hex" in recipe for recipe, _ in contents) and all(content for _, content in contents)
    for recipe, content in contents:
        if "prose" in recipe:
            assert not content.decode(recipe["encoding"]).isascii() and len(content) > 1000


def test_the_short_form_says_where_the_registry_is_out_of_reach(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the registry `make test` goes on, and the reader is informed."""
    command = [sys.executable, str(Path(suites.__file__)), "--short"]
    monkeypatch.setenv("PIP_INDEX_URL", "http://127.0.0.1:9/simple")
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0
    assert "http://127.0.0.1:9/simple) cannot be reached" in done.stdout


@pytest.mark.parametrize(
    ("listed", "wrong"),
    [
        (["a::two"], ()),
        ([], ("differs: a::two",)),
        (["a::one", "a::two"], ("accepted, but no difference any more: a::one",)),
    ],
)
def test_differences_are_compared_with_the_list(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, listed: list[str], wrong: tuple[str, ...]
) -> None:
    """A difference that is not listed is an error, and so is a listed one that does not occur."""

    def run_tests(run: dict[str, Any], swap: dict[str, Any], folder: Path, python: str, result: Path) -> None:
        outcomes = {"a::one": "passed", "a::two": "failed" if swap else "passed", "a::three": "skipped"}
        result.parent.mkdir(exist_ok=True)
        result.write_text(json.dumps({"outcomes": outcomes, "asked": ["a::two"]}))

    monkeypatch.setattr(suites, "WORK", tmp_path)
    monkeypatch.setattr(suites, "run_tests", run_tests)
    run = {"tests": ["a"], "swap": {"install": ["a"]}, "accepted": [{"tests": listed, "reason": "Why."}]}
    row = suites.run_suite({"name": "a", "version": "1"}, run, tmp_path, "python", False)
    assert (row.tests, row.original, row.charlens, row.asked) == (3, 2, 1, 1)
    assert row.wrong == wrong


def test_the_plugin_replaces_and_notes(tmp_path: Path) -> None:
    """With charlens in chardet's place, a test that asks it is noted, and one that fails is failed."""
    pytest.importorskip("chardet")
    (tmp_path / "pytest.ini").write_text("[pytest]\n")
    (tmp_path / "test_it.py").write_text(
        "import chardet\n"
        "def test_asks():\n    assert chardet.detect(b'abc')['encoding'] == 'ascii'\n"
        "def test_who():\n    assert chardet.detect.__module__ == 'charlens.compat.chardet'\n"
        "def test_fails():\n    assert False\n"
    )
    result = tmp_path / "result.json"
    swap = {"names": {"chardet": ["detect"]}}
    suites.run_tests({"tests": ["test_it.py"]}, swap, tmp_path, sys.executable, result)
    noted = json.loads(result.read_text())
    assert noted["outcomes"] == {
        "test_it.py::test_asks": "passed",
        "test_it.py::test_who": "passed",
        "test_it.py::test_fails": "failed",
    }
    assert noted["asked"] == ["test_it.py::test_asks"]
