"""The command `charlens check`, with --fix and SARIF."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from command import run

from charlens.cli.checking import Wanted, check_bytes

RUSSIAN = "Съешь ещё этих мягких французских булок, да выпей чаю.\n" * 3
TWICE = "Grüße aus Köln, schöne Straße\n".encode().decode("cp1252").encode()


def rules(data: bytes, **wanted: object) -> list[str]:
    return [problem.rule for problem in check_bytes(data, Wanted("utf-8")._replace(**wanted))]


@pytest.mark.parametrize(
    ("data", "wanted", "found"),
    [
        ("Grüße\n".encode(), {}, []),
        (b"ascii\n", {}, []),
        (b"ascii\n", {"encoding": "cp1252"}, []),
        (b"ascii\n", {"encoding": "utf-16-le"}, ["encoding"]),
        (b"\x7fELF\x00\x00", {}, []),
        (b"", {}, []),
        (RUSSIAN.encode("cp1251"), {}, ["encoding"]),
        (RUSSIAN.encode("cp1251"), {"encoding": "cp1251"}, []),
        (b"\xff\xfea\x00\n\x00", {}, ["encoding"]),
        ("Grüße aus Köln, schöne Straße\n".encode() * 9 + b"\xff\n", {}, ["damaged"]),
        (TWICE, {}, ["mojibake"]),
        ("Grüße aus Köln\nund schöne Straßen\n".encode() * 4
         + "Café crème, déjà vu à la carte\nélève\n".encode("cp1252") * 4, {}, ["mixed"]),
        ("\ufeffü\n".encode(), {}, []),
        ("\ufeffü\n".encode(), {"bom": False}, ["bom"]),
        ("ü\n".encode(), {"bom": True}, ["bom"]),
        ("ü\r\n".encode(), {}, []),
        ("ü\n\r\n".encode(), {"newline": "lf"}, ["newline"]),
        ("# coding: latin-1\n# Grüße\n".encode(), {}, ["declaration"]),
    ],
)  # fmt: skip
def test_what_is_found(data: bytes, wanted: dict[str, object], found: list[str]) -> None:
    """Each rule finds what it is for, and nothing else."""
    assert rules(data, **wanted) == found


def test_lines_that_editors_jump_to(tmp_path: Path) -> None:
    """A problem is printed as path:line:column: rule: words, and the exit code is 1; else it is 0."""
    path = tmp_path / "a.txt"
    path.write_bytes(b"plain\n" + TWICE)
    code, out, err = run("check", path)
    assert code == 1 and err == "" and f"{path}:2:1: mojibake: 1 passage of utf-8 was" in out
    path.write_bytes("Grüße\n".encode())
    assert run("check", path) == (0, "1 file checked, no problems found\n", "")
    assert run("check", "--quiet", path) == (0, "", "")


def test_fix_repairs_what_is_certain_and_leaves_the_rest(tmp_path: Path) -> None:
    """Encoding, mojibake, mark and line endings are fixed; uncertain files are not changed but reported."""
    files = {
        "a": RUSSIAN.encode("koi8-r"),
        "b": TWICE,
        "c": "\ufeffü\r\n".encode(),
        "d": "Grüße aus Köln\n".encode() * 9 + b"\xff\n",
        "e": b"fine\n",
    }
    for name, data in files.items():
        (tmp_path / name).write_bytes(data)
    code, out, err = run("check", "--fix", "--no-bom", "--newline", "lf", tmp_path)
    assert code == 1 and out.count("(fixed)") == 4 and "d: not fixed" in err
    assert (tmp_path / "a").read_bytes() == RUSSIAN.encode()
    assert (tmp_path / "b").read_bytes() == "Grüße aus Köln, schöne Straße\n".encode()
    assert (tmp_path / "c").read_bytes() == "ü\n".encode()
    assert (tmp_path / "d").read_bytes() == files["d"]
    (tmp_path / "d").unlink()
    assert run("check", "--no-bom", "--newline", "lf", tmp_path)[0] == 0


def test_sarif_has_what_the_standard_asks_for(tmp_path: Path) -> None:
    """Version, driver, rules, and results whose rule is listed and whose place is a URI."""
    (tmp_path / "ä b.txt").write_bytes(RUSSIAN.encode("koi8-r"))
    code, out, _ = run("check", "--format", "sarif", tmp_path)
    log = json.loads(out)
    (scan,) = log["runs"]
    (result,) = scan["results"]
    assert code == 1 and log["version"] == "2.1.0" and scan["tool"]["driver"]["name"] == "charlens"
    assert result["ruleId"] in {rule["id"] for rule in scan["tool"]["driver"]["rules"]}
    place = result["locations"][0]["physicalLocation"]
    assert place["artifactLocation"]["uri"].endswith("/%C3%A4%20b.txt") and place["region"]["startLine"] == 1
    assert result["message"]["text"]


@pytest.mark.parametrize("form", ["json", "jsonl", "csv"])
def test_records(tmp_path: Path, form: str) -> None:
    """The machine formats have one record a problem."""
    (tmp_path / "a").write_bytes(RUSSIAN.encode("koi8-r"))
    code, out, _ = run("check", "--format", form, tmp_path)
    assert code == 1 and out.count("koi8-r, confidence") == 1
    if form != "csv":
        json.loads(out)


def test_a_file_that_cannot_be_read_is_a_problem(tmp_path: Path) -> None:
    """It is named, and the exit code is 1."""
    code, out, _ = run("check", tmp_path / "missing")
    assert code == 1 and "unreadable: No such file" in out


def test_the_hooks_call_what_exists() -> None:
    """The entries of .pre-commit-hooks.yaml are commands that run."""
    text = (Path(__file__).parent.parent / ".pre-commit-hooks.yaml").read_text(encoding="utf-8")
    entries = [line.split("charlens ", 1)[1].split() for line in text.splitlines() if "entry:" in line]
    assert len(entries) == 2
    for entry in entries:
        assert run(*entry, "--help")[0] == 0


def test_a_mark_that_the_standard_forbids_is_found_and_fixed(tmp_path: Path) -> None:
    """JSON must not have a byte order mark, also where --bom asks for one; other text may."""
    for name in ("a.json", "a.txt", "a.py"):
        (tmp_path / name).write_bytes("\ufeff{}\n".encode())
    code, out, _ = run("check", tmp_path)
    assert code == 1 and "a.json:1:1: bom: JSON must not have a byte order mark (RFC 8259)" in out
    assert out.count(": bom:") == 1
    assert run("check", "--bom", tmp_path)[:2] == (code, out)
    assert run("check", "--fix", tmp_path)[0] == 0
    assert (tmp_path / "a.json").read_bytes() == b"{}\n"
    assert (tmp_path / "a.py").read_bytes() == "\ufeff{}\n".encode()


def test_an_old_key_of_a_desktop_entry_is_found(tmp_path: Path) -> None:
    """A desktop entry in UTF-8 that says KOI8-R is reported; without the key it is right."""
    path = tmp_path / "a.desktop"
    path.write_text("[Desktop Entry]\nEncoding=KOI8-R\nName=" + RUSSIAN, encoding="utf-8")
    code, out, _ = run("check", path)
    assert code == 1 and "a.desktop:2:10: declaration: declares KOI8-R but is utf-8" in out


def test_properties_in_ascii_may_declare_what_they_like(tmp_path: Path) -> None:
    """They stay in ASCII, for which every declaration is true; one of other text must be true, and is fixed."""
    path = tmp_path / "a.properties"
    line = "# -*- coding: %s -*-\n"
    path.write_bytes((line % "latin-1" + "a=Schöne Grüße\n").encode("latin-1"))
    assert run("convert", "--in-place", path)[0] == 0
    assert path.read_bytes() == (line % "latin-1" + "a=Sch\\u00F6ne Gr\\u00FC\\u00DFe\n").encode()
    assert run("check", path)[0] == 0
    path.write_text(line % "latin-1" + "a=Schöne Grüße\n", encoding="utf-8")
    assert run("check", "--fix", path)[0] == 0
    assert path.read_text(encoding="utf-8") == line % "utf-8" + "a=Schöne Grüße\n"


def test_properties_in_utf_8_pass(tmp_path: Path) -> None:
    """Java 9 and later read UTF-8."""
    path = tmp_path / "a.properties"
    path.write_text("a=" + RUSSIAN, encoding="utf-8")
    assert run("check", path)[0] == 0


@pytest.mark.parametrize(
    "text",
    ["original,broken\nGrüße,GrÃ¼ÃŸe\ncafé,cafÃ©\n", "| right | wrong |\n|---|---|\n| Grüße | GrÃ¼ÃŸe |\n"],
)
def test_right_and_wrong_in_one_row_are_an_example(tmp_path: Path, text: str) -> None:
    """A table that shows mojibake next to what it should be is not fixed; `repair` does it if asked to."""
    path = tmp_path / "a.csv"
    path.write_text(text, encoding="utf-8")
    code, _, err = run("check", "--fix", path)
    assert code == 1 and "looks like an example" in err and path.read_text(encoding="utf-8") == text
    assert run("repair", "-i", "-y", path)[0] == 0 and "Ã" not in path.read_text(encoding="utf-8")


def test_fix_names_the_command_for_a_file_in_several_encodings(tmp_path: Path) -> None:
    """'check' has no option --mixed, so the words name the command that has it."""
    french = "Café crème, déjà vu à la carte\nélève\n"
    data = RUSSIAN.encode("utf-8") * 4 + french.encode("cp1252") * 4
    (tmp_path / "a").write_bytes(data)
    code, _, err = run("check", "--fix", tmp_path / "a")
    assert code == 1 and "use 'charlens convert --in-place --mixed FILE'" in err
    assert (tmp_path / "a").read_bytes() == data


def test_what_shows_only_after_a_fix_is_reported(tmp_path: Path) -> None:
    """Lost characters next to mojibake, and the text of a file in another encoding, are problems that are left."""
    lost = "Gr\ufffd\ufffde aus K\ufffdln\n"
    assert rules(TWICE + lost.encode()) == ["mojibake", "lost", "lost"]
    both = tmp_path / "both.txt"
    both.write_bytes(("\ufeff" + TWICE.decode()).encode("utf-16-le"))
    code, out, _ = run("check", "--fix", str(both))
    assert code == 1 and "1 fixed, 1 left" in out and "mojibake" in out
    assert run("check", "--fix", str(both))[0] == 0 and "Köln" in both.read_text(encoding="utf-8")
