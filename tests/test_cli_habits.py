"""What people expect of a command without reading its manual."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

import pytest
from command import on_terminal, run

RUSSIAN = "Съешь ещё этих мягких французских булок, да выпей чаю.\n" * 3
TWICE = "Grüße aus Köln, schöne Straße\n".encode().decode("cp1252").encode()


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Three files in windows-1251, one of them below a folder, as the current folder."""
    (tmp_path / "old").mkdir()
    for name in ("a.txt", "b.csv", "old/c.txt"):
        (tmp_path / name).write_bytes(RUSSIAN.encode("cp1251"))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def names(out: str) -> list[str]:
    return sorted(json.loads(line)["path"].removeprefix("./") for line in out.splitlines())


def test_what_is_piped_in_needs_no_dash() -> None:
    """Without a path, detect reads standard input."""
    assert run("detect", "--minimal", stdin=RUSSIAN.encode("koi8-r")) == (0, "koi8-r\n", "")


def test_a_folder_points_to_scan(tree: Path) -> None:
    """A folder given to detect, or a path where a verb belongs, gets the command that would work."""
    code, _, err = run("detect", "old")
    assert code == 1 and "use 'charlens scan old'" in err
    assert "charlens scan old" in run("old")[2] and "charlens detect a.txt" in run("a.txt")[2]


def test_scan_and_check_look_at_the_current_folder(tree: Path) -> None:
    """Without a path both are about the current folder."""
    assert names(run("scan", "--format", "jsonl")[1]) == ["a.txt", "b.csv", "old/c.txt"]
    assert names(run("check", "--format", "jsonl")[1]) == ["a.txt", "b.csv", "old/c.txt"]


@pytest.mark.parametrize(
    ("options", "left"),
    [
        (["--exclude", "old/"], ["a.txt", "b.csv"]),
        (["--exclude", "/a.txt", "--exclude", "*.csv"], ["old/c.txt"]),
        (["--include", "*.txt"], ["a.txt", "old/c.txt"]),
        (["--include", "*.txt", "--exclude", "old"], ["a.txt"]),
    ],
)
@pytest.mark.parametrize("verb", [("scan",), ("check",), ("convert", "--dry-run", ".")])
def test_files_are_chosen_by_patterns(
    tree: Path, verb: tuple[str, ...], options: list[str], left: list[str]
) -> None:
    """--exclude and --include take the patterns of .gitignore, in every verb that looks into folders."""
    assert names(run(*verb, *options, "--format", "jsonl")[1]) == left


def test_patterns_do_not_touch_a_file_that_is_named(tree: Path) -> None:
    """A file that is named is checked whatever the patterns say."""
    assert names(run("check", "a.txt", "--exclude", "*.txt", "--format", "jsonl")[1]) == ["a.txt"]


@pytest.mark.parametrize(("name", "prefix"), [("pyproject.toml", "tool.charlens"), (".charlens.toml", "")])
def test_a_project_has_settings(tree: Path, monkeypatch: pytest.MonkeyPatch, name: str, prefix: str) -> None:
    """Options are read from the project's file, also from a folder below it; the command line has the last word."""
    table = f"[{prefix}.check]" if prefix else "[check]"
    (tree / name).write_text(
        (f"[{prefix}]\n" if prefix else "")
        + f'exclude = ["/old", "*.toml"]\n{table}\nencoding = "cp1251"\nformat = "jsonl"\n'
    )
    assert run("check") == (0, "", "")
    assert names(run("check", "--encoding", "utf-8")[1]) == ["a.txt", "b.csv"]
    assert names(run("scan", "--format", "jsonl")[1]) == ["a.txt", "b.csv"]
    monkeypatch.chdir(tree / "old")
    assert names(run("scan", "--format", "jsonl")[1]) == []
    assert names(run("scan", "..", "--format", "jsonl")[1]) == ["../a.txt", "../b.csv"]


def test_settings_for_files_do_not_stop_standard_input_or_another_place(tree: Path) -> None:
    """Settings such as in-place and backup are for files; --output on the command line takes the place of in-place."""
    (tree / ".charlens.toml").write_text("[convert]\nin-place = true\nbackup = true\n[repair]\nbackup = true\n")
    old = "Grüße aus Köln, schöne Straßen\n"
    assert run("convert", stdin=old.encode("cp1252")) == (0, old, "")
    assert run("repair", "-", stdin=old.encode()) == (0, old, "")
    (tree / "letter").write_bytes(old.encode("cp1252"))
    assert run("convert", "--output", "new", "letter")[0] == 0
    assert (tree / "new" / "letter").read_bytes() == old.encode()
    assert (tree / "letter").read_bytes() == old.encode("cp1252")
    assert run("convert", "--in-place", "-")[0] == run("convert", "--in-place", "--output", "o", "letter")[0] == 2


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("exclud = ['x']", "unknown setting 'exclud'"),
        ("[check]\nnew-line = 'lf'", "charlens check has no option 'new-line'"),
        ("exclude = 'x'", "must be a list"),
        ("exclude = [", ".charlens.toml"),
        ("[check]\nnewline = 'lfcr'", "'lfcr'"),
        ("exclude = " + "[" * 50_000, "nested too deeply"),
    ],
)
def test_wrong_settings_are_named(tree: Path, text: str, words: str) -> None:
    """A setting that cannot be used is wrong use, and the message says which."""
    (tree / ".charlens.toml").write_text(text)
    code, _, err = run("check")
    assert code == 2 and words in err


@pytest.mark.parametrize("text", ["tool = 'tool.charlens'", "[tool]\ncharlens = 5 # tool.charlens"])
def test_settings_that_are_not_a_table_have_words(tree: Path, text: str) -> None:
    """A pyproject.toml whose 'tool' is not a table has no settings; 'charlens' must be one."""
    (tree / "pyproject.toml").write_text(text)
    code, _, err = run("scan")
    assert (code, err) == (0, "") or (code == 2 and "not a table" in err)


def test_own_backups_are_left_alone(tree: Path) -> None:
    """What --backup kept is neither flagged nor converted in the next run; another .bak is."""
    (tree / "x.bak").write_bytes(RUSSIAN.encode("cp1251"))
    assert run("check", "--fix", "--backup", "old")[0] == 0
    assert (tree / "old/c.txt.bak").exists()
    assert names(run("check", "--format", "jsonl")[1]) == ["a.txt", "b.csv", "x.bak"]
    run("convert", "--in-place", ".")
    assert (tree / "old/c.txt.bak").read_bytes() == RUSSIAN.encode("cp1251")


def test_the_summary_of_check_counts(tree: Path) -> None:
    """Found, fixed and left are counted, in the singular too; exit 0 only where nothing is left."""
    (tree / "d.txt").write_bytes("Grüße aus Köln\n".encode() * 9 + b"\xff\n")
    code, out, _ = run("check", "--fix")
    assert (code, out.splitlines()[-1]) == (1, "4 files checked: 4 problems found, 3 fixed, 1 left")
    (tree / "d.txt").write_bytes(TWICE)
    code, out, _ = run("check", "--fix", "d.txt")
    assert (code, out.splitlines()[-1]) == (0, "1 file checked: 1 problem found, 1 fixed, 0 left")


def test_exit_non_zero_on_fix(tree: Path) -> None:
    """With the option, a fix is reported by the exit code, too."""
    assert run("check", "--fix", "--exit-non-zero-on-fix")[0] == 1
    assert run("check", "--fix", "--exit-non-zero-on-fix")[0] == 0


def test_encodings_are_listed() -> None:
    """All of them, or those of a language, named by a tag or in English."""
    code, out, _ = run("encodings")
    assert code == 0 and "cp1251" in out and "Shift_JIS" in out
    assert run("encodings", "--for", "Russian") == run("encodings", "--for", "ru")
    found = json.loads(run("encodings", "--for", "ru", "--format", "json")[1])
    assert found["encodings"][0]["name"] == "cp1251"
    code, _, err = run("encodings", "--for", "rusian")
    assert code == 2 and "Did you mean 'russian'" in err


def test_a_language_by_its_english_name() -> None:
    """'--language russian' is understood; an unknown name is refused with a message."""
    data = "Привет".encode("cp866")
    assert run("detect", "--language", "russian", stdin=data) == run("detect", "--language", "ru", stdin=data)
    code, _, err = run("detect", "--language", "klingonese", stdin=data)
    assert code == 2 and "Unknown language 'klingonese'" in err


@pytest.mark.parametrize(
    "arguments",
    [
        ("scan", "--report", "a.txt/report.html"),
        ("scan", "--report", "missing/report.html"),
        ("convert", ".", "--output", "a.txt/out"),
        ("convert", ".", "--in-place", "--log", "missing/log.jsonl"),
    ],
)
def test_an_output_that_cannot_be_written_is_refused_first(tree: Path, arguments: tuple[str, ...]) -> None:
    """Nothing is done and nothing printed where the output has no place."""
    code, out, err = run(*arguments)
    assert code == 2 and out == "" and arguments[-1] in err
    assert (tree / "a.txt").read_bytes() == RUSSIAN.encode("cp1251")


def test_annotations_of_github(tree: Path) -> None:
    """A line for each problem; what would end a property or the line is escaped."""
    (tree / "50%, x.txt").write_bytes(TWICE)
    code, out, _ = run("check", "--format", "github", "50%, x.txt")
    assert code == 1 and out.startswith(
        "::error file=50%25%2C x.txt,line=1,col=1,title=charlens mojibake::1 passage of utf-8 was"
    )


def test_code_quality_of_gitlab(tree: Path) -> None:
    """The fields that GitLab requires are there, and the fingerprints differ."""
    issues = json.loads(run("check", "--format", "gitlab")[1])
    assert {issue["location"]["path"] for issue in issues} == {"a.txt", "b.csv", "old/c.txt"}
    assert all(issue["location"]["lines"] == {"begin": 1} for issue in issues)
    assert len({issue["fingerprint"] for issue in issues}) == 3
    assert {(issue["check_name"], issue["severity"]) for issue in issues} == {("charlens/encoding", "major")}


def test_colours_are_for_terminals(tree: Path) -> None:
    """A sure name is green where colours are asked for, and plain in a pipe."""
    assert "\x1b[32mcp1251\x1b[0m" in run("detect", "a.txt", FORCE_COLOR="1")[1]
    assert "\x1b" not in run("detect", "a.txt")[1]


@pytest.mark.skipif(sys.platform == "win32", reason="there are no pseudo-terminals")
def test_detect_prints_columns_on_a_terminal(tree: Path) -> None:
    """Several files are a table with a header, the encoding in colour; one file, or a pipe, is a sentence."""
    (tree / "much longer name.bin").write_bytes(b"\x7fELF\x00\x00")
    lines = on_terminal("detect", "a.txt", "much longer name.bin", folder=tree).splitlines()
    plain = [re.sub(r"\x1b\[[0-9;]*m", "", line) for line in lines]
    assert plain == [
        "file                  encoding      confidence  language",
        "a.txt                 cp1251        1.00        ru",
        "much longer name.bin  binary                              contains NUL (0x00) at offset 4, application/x-elf",
    ]
    assert "\x1b[32mcp1251" in lines[1]
    one = on_terminal("detect", "a.txt", folder=tree)
    assert re.sub(r"\x1b\[[0-9;]*m", "", one) == "a.txt: cp1251, confidence 1.00, language ru\n"
    assert run("detect", "a.txt", "b.csv")[1] == (
        "a.txt: cp1251, confidence 1.00, language ru\nb.csv: cp1251, confidence 1.00, language ru\n"
    )


@pytest.mark.parametrize(
    ("command", "meant"),
    [
        (("evaluate", "rum"), "'run'"),
        (("train", "corups"), "'corpus'"),
        (("check", "--off", "mojibak"), "'mojibake'"),
        (("encodings", "--for", "rusian"), "'russian'"),
        (("detct",), "'detect'"),
    ],
)
def test_names_that_are_nearly_right(command: tuple[str, ...], meant: str) -> None:
    """Verbs, subcommands, rules and languages: each error names what was probably meant."""
    code, _, err = run(*command)
    assert code == 2 and f"Did you mean {meant}" in err


def test_explain_and_cat_read_what_is_piped_in() -> None:
    """Without a file they read standard input, as `detect` does."""
    text = "Grüße aus Köln, schöne Straßen"
    assert run("cat", stdin=text.encode("cp1252"))[1] == text
    assert run("explain", "-q", stdin=text.encode("cp1252"))[1].startswith("-: cp1252, confidence")
