"""A plugin of pytest that puts charlens in place of a package, and records the result of each test.

`run.py` loads it with `-p swap`; `python -m swap SCRIPT` does the same for a script that runs its tests with unittest.
`SUITE_SWAP` says in JSON what is replaced (empty: nothing); `SUITE_RESULT` is the file for the results: the outcome of
each test, and whether it called charlens.
"""

from __future__ import annotations

import importlib
import json
import os
import runpy
import sys
import unittest
from pathlib import Path
from typing import Any

_SWAP = os.environ.get("SUITE_SWAP", "")
_outcomes: dict[str, str] = {}
_asked: set[str] = set()
_calls = 0
_before = 0


def _count_calls() -> None:
    """Count every run of the pipeline, whoever starts it."""
    from charlens import api, pipeline
    from charlens.inputs import pooled, stream

    run = pipeline.run

    def counted(*arguments: Any, **keywords: Any) -> Any:
        global _calls
        _calls += 1
        return run(*arguments, **keywords)

    for module in (api, pooled, stream):
        module.run = counted  # type: ignore[attr-defined]


def _replace_names(package: str, names: list[str]) -> None:
    """Give every module of *package* the drop-in's objects in the place of its own of these *names*.

    What only the original has (its inner parts, which some of its tests look into) stays its own.
    """
    importlib.import_module(package)
    for name in names:
        where, _, attribute = name.rpartition(".")
        theirs = getattr(importlib.import_module(f"{package}.{where}" if where else package), attribute)
        ours = _ours(package, where, attribute)
        for module in [each for name, each in sys.modules.items() if name.partition(".")[0] == package]:
            for key in [key for key, value in vars(module).items() if value is theirs]:
                setattr(module, key, ours)


def _ours(package: str, where: str, attribute: str) -> Any:
    """Return the drop-in's object, from where `install` puts it."""
    import charlens.compat

    with charlens.compat.install(package):
        return getattr(importlib.import_module(f"{package}.{where}" if where else package), attribute)


def _replace_function(place: str, ours: str) -> None:
    """Put *ours* ('module:function') in the place of *place*."""
    module, _, name = place.partition(":")
    our_module, _, our_name = ours.partition(":")
    replacement = getattr(importlib.import_module(our_module), our_name)
    setattr(importlib.import_module(module), name, replacement)


# What is installed here but is not to be found, so that the package under test takes another.
for _hidden in filter(None, os.environ.get("SUITE_HIDE", "").split(",")):
    sys.modules[_hidden] = None  # type: ignore[assignment]

if _SWAP:
    _count_calls()
    _wishes = json.loads(_SWAP)
    if _wishes.get("install"):
        import charlens.compat

        charlens.compat.install(*_wishes["install"])
    for _package, _names in _wishes.get("names", {}).items():
        _replace_names(_package, _names)
    for _place, _function in _wishes.get("functions", {}).items():
        _replace_function(_place, _function)


def pytest_runtest_logstart(nodeid: str) -> None:
    """Remember how often charlens was asked before this test."""
    global _before
    _before = _calls


def pytest_runtest_logreport(report: Any) -> None:
    """Note the worst of a test's phases and parts."""
    if _outcomes.get(report.nodeid) != "failed" and (
        report.failed or report.skipped or report.when == "call"
    ):
        _outcomes[report.nodeid] = report.outcome
    if _calls > _before:
        _asked.add(report.nodeid)


def pytest_collectreport(report: Any) -> None:
    """A module that cannot be imported fails as a whole."""
    if report.failed:
        _outcomes[report.nodeid] = "failed"


def pytest_sessionfinish() -> None:
    """Write the results."""
    results = {"outcomes": _outcomes, "asked": sorted(_asked)}
    Path(os.environ["SUITE_RESULT"]).write_text(json.dumps(results), encoding="utf-8")


class _Noting(unittest.TextTestResult):
    """The result of a script's tests, noted by the name that a test has for people: methods are numbered there."""

    def startTest(self, test: unittest.TestCase) -> None:
        """Expect that it passes, until something else is reported."""
        super().startTest(test)
        self._name = f"{type(test).__name__}::{test.shortDescription() or test.id()}"
        self._bad = (len(self.failures), len(self.errors), len(self.skipped))
        pytest_runtest_logstart(self._name)

    def stopTest(self, test: unittest.TestCase) -> None:
        """Note what came of it."""
        super().stopTest(test)
        if self._bad[:2] != (len(self.failures), len(self.errors)):
            _outcomes[self._name] = "failed"
        else:
            _outcomes.setdefault(self._name, "passed" if self._bad[2] == len(self.skipped) else "skipped")
        if _calls > _before:
            _asked.add(self._name)


if __name__ == "__main__":
    unittest.TextTestRunner.resultclass = _Noting
    try:
        runpy.run_path(sys.argv[1], run_name="__main__")
    finally:
        pytest_sessionfinish()
