"""Findings in the formats of code hosts: SARIF 2.1.0, workflow commands of GitHub, Code Quality of GitLab.

Problems that were fixed are left out, because their lines no longer exist.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any
from urllib.parse import quote

from charlens import __version__
from charlens.cli.records import as_json

SARIF_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"


Finding = Mapping[str, Any]


def as_sarif(findings: Iterable[Finding], rules: Mapping[str, str]) -> Iterator[str]:
    """Yield *findings* (path, rule, message, line, column) as a log; *rules* has a line of help for each rule."""
    driver = {
        "name": "charlens",
        "version": __version__,
        "rules": [{"id": name, "shortDescription": {"text": words}} for name, words in rules.items()],
    }
    log = {
        "$schema": SARIF_SCHEMA,
        "version": "2.1.0",
        "runs": [
            {
                "tool": {"driver": driver},
                "columnKind": "unicodeCodePoints",
                "results": [_result(finding) for finding in findings if not finding["fixed"]],
            }
        ],
    }
    yield as_json(log, indent=2)


def _result(finding: Mapping[str, Any]) -> dict[str, Any]:
    location: dict[str, Any] = {"artifactLocation": {"uri": _uri(finding["path"])}}
    if finding["line"]:
        location["region"] = {"startLine": finding["line"], "startColumn": finding["column"] or 1}
    return {
        "ruleId": finding["rule"],
        "level": "error",
        "message": {"text": finding["message"]},
        "locations": [{"physicalLocation": location}],
    }


def _uri(path: str) -> str:
    """Return *path* as a URI; relative paths stay relative, as code hosts expect."""
    slashed = path.replace(os.sep, "/")
    slashed = slashed[2:] if slashed.startswith("./") else slashed
    return ("file://" if slashed.startswith("/") else "") + quote(os.fsencode(slashed))


def as_github(findings: Iterable[Finding], rules: Mapping[str, str]) -> Iterator[str]:
    """Yield *findings* as workflow commands, which become annotations of a pull request."""
    for finding in findings:
        if not finding["fixed"]:
            place = {"file": finding["path"].removeprefix("./"), "line": finding["line"], "col": finding["column"]}
            place["title"] = f"charlens {finding['rule']}"
            properties = ",".join(
                f"{key}={_escaped(str(value), ':,')}" for key, value in place.items() if value
            )
            yield f"::error {properties}::{_escaped(finding['message'])}"


def _escaped(text: str, more: str = "") -> str:
    for sign in "%\r\n" + more:
        text = text.replace(sign, f"%{ord(sign):02X}")
    return text


def as_gitlab(findings: Iterable[Finding], rules: Mapping[str, str]) -> Iterator[str]:
    """Yield *findings* as a Code Quality report."""
    yield as_json([_issue(finding) for finding in findings if not finding["fixed"]], indent=2)


def _issue(finding: Finding) -> dict[str, Any]:
    # The line is not part of the fingerprint: a finding that moves is still the same.
    identity = "\0".join(str(finding[key]) for key in ("path", "rule", "message"))
    return {
        "description": finding["message"],
        "check_name": f"charlens/{finding['rule']}",
        "fingerprint": hashlib.sha256(identity.encode("utf-8", "surrogateescape")).hexdigest(),
        "severity": "major",
        "location": {"path": finding["path"].removeprefix("./"), "lines": {"begin": finding["line"] or 1}},
    }


HOSTS: dict[str, Callable[[Iterable[Finding], Mapping[str, str]], Iterator[str]]] = {
    "sarif": as_sarif,
    "github": as_github,
    "gitlab": as_gitlab,
}
