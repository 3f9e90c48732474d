"""The release check: every step is reported, with its time, and none outlives the time that was given."""

from __future__ import annotations

import importlib.util
import shutil
import sys
import time
from pathlib import Path
from types import ModuleType

import pytest

CHECK = Path(__file__).parent.parent / "release" / "check.py"
MAKEFILE = "good:\n\t@echo done\nbad:\n\t@exit 3\nslow:\n\t@sleep 60\nfuzz-native:\n\t@echo 'it is not fuzzed'\n"


@pytest.fixture
def check(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """The script, with targets of its own."""
    if not CHECK.exists() or shutil.which("make") is None:
        pytest.skip("needs the repository, and make")
    spec = importlib.util.spec_from_file_location("release_check", CHECK)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setattr(sys, "path", [*sys.path])
    spec.loader.exec_module(module)
    (tmp_path / "Makefile").write_text(MAKEFILE)
    monkeypatch.setattr(module, "ROOT", tmp_path)
    return module


def test_each_step_is_reported(check: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A step that fails does not stop the next, and a fuzzer that cannot run has not passed."""
    steps = [word for step in ("good", "bad", "fuzz-native", "good") for word in ("--step", step)]
    monkeypatch.setattr(sys, "argv", ["check.py", "--out", str(tmp_path / "out"), *steps])
    assert check.main() == 1
    report = (tmp_path / "out" / "REPORT.md").read_text(encoding="utf-8")
    rows = [line for line in report.splitlines() if line.startswith("| `make")]
    assert [row.split(" | ")[1] for row in rows] == ["passed", "failed (2)", "not run: no clang", "passed"]


def test_the_time_is_bounded(check: ModuleType, tmp_path: Path) -> None:
    """A step that runs past the time is stopped, with what it started, and the next one is not begun."""
    begin = time.monotonic()
    assert check.run("slow", tmp_path, 0.5).words == "stopped: the time was up"
    assert time.monotonic() - begin < 20
    assert check.run("good", tmp_path, -1).words == "not run: the time was up"
