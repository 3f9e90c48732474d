"""The records of the command keep to the schema in the documentation, docs/records.json."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from command import run

jsonschema = pytest.importorskip("jsonschema")

SCHEMA = json.loads((Path(__file__).parent.parent / "docs/records.json").read_text(encoding="utf-8"))
TWICE = "Grüße aus Köln, schöne Straße\n".encode().decode("cp1252").encode()


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Files of every kind: a mark, damage, a cut, several encodings, binary, empty, mojibake, a name beyond ASCII."""
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
    """A name beyond ASCII stands in JSON as it is where the output is UTF-8, and escaped where it is not."""
    assert '"Straße.txt"' in run("detect", "--format", "jsonl", "Straße.txt", PYTHONIOENCODING="utf-8")[1]
    out = run("detect", "--format", "jsonl", "Straße.txt", PYTHONIOENCODING="ascii")[1]
    assert '"Stra\\u00dfe.txt"' in out
