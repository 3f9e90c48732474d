"""Findings as SARIF 2.1.0, which code hosts show beside the lines: one run, one rule for each kind of finding."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping
from typing import Any
from urllib.parse import quote

from charlens import __version__

_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"


def as_sarif(findings: Iterable[Mapping[str, Any]], rules: Mapping[str, str]) -> str:
    """Return *findings* (path, rule, words, line, column) as a log; *rules* has a line of help for each rule."""
    driver = {
        "name": "charlens",
        "version": __version__,
        "rules": [{"id": name, "shortDescription": {"text": words}} for name, words in rules.items()],
    }
    log = {
        "$schema": _SCHEMA,
        "version": "2.1.0",
        "runs": [{"tool": {"driver": driver}, "results": [_result(finding) for finding in findings]}],
    }
    return json.dumps(log, indent=2)


def _result(finding: Mapping[str, Any]) -> dict[str, Any]:
    location: dict[str, Any] = {"artifactLocation": {"uri": _uri(finding["path"])}}
    if finding["line"]:
        location["region"] = {"startLine": finding["line"], "startColumn": finding["column"] or 1}
    return {
        "ruleId": finding["rule"],
        "level": "error",
        "message": {"text": finding["words"]},
        "locations": [{"physicalLocation": location}],
    }


def _uri(path: str) -> str:
    """Return *path* as a URI of its bytes: relative ones stay so, which is what code hosts want."""
    slashed = path.replace(os.sep, "/")
    slashed = slashed[2:] if slashed.startswith("./") else slashed
    return ("file://" if slashed.startswith("/") else "") + quote(os.fsencode(slashed))
