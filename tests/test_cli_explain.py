"""The commands `charlens explain` and `charlens repair`, and the help of all verbs."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from command import run

RUSSIAN = "Съешь ещё этих мягких французских булок, да выпей чаю.\n"
GERMAN = "Grüße aus Köln, schöne Straße\n"
EXAMPLES = Path(__file__).parent.parent / "examples"


def test_the_page_has_steps_readings_pairs_and_bytes(tmp_path: Path) -> None:
    """Legacy text is explained in full: what each candidate reads, which pairs counted, and the bytes."""
    (tmp_path / "a.txt").write_bytes(RUSSIAN.encode("koi8-r"))
    code, out, err = run("explain", tmp_path / "a.txt")
    assert code == 0 and err == "" and "\x1b" not in out
    for words in (
        "koi8-r, confidence",
        "Steps",
        "Candidates",
        "французских",
        "Byte pairs",
        "Bytes",
        "f3 df c5 db",
    ):
        assert words in out


def test_colours_follow_the_environment(tmp_path: Path) -> None:
    """FORCE_COLOR colours, NO_COLOR does not, whatever else is set."""
    (tmp_path / "a.txt").write_bytes(RUSSIAN.encode("koi8-r"))
    assert "\x1b[" in run("explain", tmp_path / "a.txt", FORCE_COLOR="1")[1]
    assert "\x1b[" not in run("explain", tmp_path / "a.txt", FORCE_COLOR="1", NO_COLOR="1")[1]


@pytest.mark.parametrize("name", [path.name for path in sorted(EXAMPLES.iterdir())])
def test_everything_can_be_explained(name: str) -> None:
    """Text in any encoding, damaged text and binary have a page and a JSON document."""
    assert run("explain", EXAMPLES / name)[0] == 0
    code, out, _ = run("explain", "--format", "json", EXAMPLES / name)
    whole = json.loads(out)
    assert (
        code == 0
        and whole["steps"]
        and whole["total"] == whole["begin"] + sum(part["points"] for part in whole["contributions"])
    )


def test_characters_are_shown_under_their_first_byte() -> None:
    """In the view of the bytes, UTF-16 has every second column empty, and two bytes of UTF-8 are one character."""
    _, out, _ = run("explain", "--offset", "0", "--length", "16", "-", stdin="ab ü\n".encode("utf-16"))
    assert out.splitlines()[-1].endswith(". a b   ü .")
    _, out, _ = run("explain", "--offset", "0", "-", stdin="aüb€c\n".encode())
    assert out.splitlines()[-1].endswith("aü b€  c.")


def test_hostile_text_cannot_write_to_the_terminal() -> None:
    """An escape sequence in the text is shown, not sent."""
    data = (RUSSIAN + "\x1b[31m\x07").encode("cp1251")
    assert "\x1b" not in run("explain", "-v", "-", stdin=data)[1]


def test_a_missing_file_is_an_error() -> None:
    """It is named, and the exit code is 1."""
    code, _, err = run("explain", "missing.txt")
    assert code == 1 and "missing.txt: No such file" in err


def test_repair_shows_first_and_writes_when_asked(tmp_path: Path) -> None:
    """The difference is printed and nothing written; with --in-place the file is repaired, the old one kept."""
    path = tmp_path / "a.txt"
    wrong = GERMAN.encode().decode("cp1252").encode()
    path.write_bytes(wrong)
    code, out, _ = run("repair", path)
    assert code == 1 and "-GrÃ¼ÃŸe" in out and "+Grüße" in out and path.read_bytes() == wrong
    assert run("repair", "--in-place", "--backup", path)[0] == 0
    assert path.read_bytes() == GERMAN.encode() and (tmp_path / "a.txt.bak").read_bytes() == wrong
    code, out, err = run("repair", path)
    assert (code, out) == (0, "") and "no mojibake found" in err
    assert run("repair", "--quiet", path) == (0, "", "")


def test_a_lost_no_break_space_is_restored(tmp_path: Path) -> None:
    """A no-break space that became a space does not stop the repair."""
    path = tmp_path / "a.txt"
    path.write_text("voilÃ  le travail, Ã  bientÃ´t\n", encoding="utf-8")
    assert "+voilà le travail, à bientôt" in run("repair", path)[1]


def test_right_text_is_left_alone(tmp_path: Path) -> None:
    """A correct text is not changed; binary is an error."""
    path = tmp_path / "a.txt"
    for data in (GERMAN.encode(), RUSSIAN.encode("koi8-r"), "日本語\r\n".encode("cp932") * 9):
        path.write_bytes(data)
        assert run("repair", "--in-place", path)[0] == 0 and path.read_bytes() == data
    path.write_bytes(b"\x7fELF\x00\x00")
    assert run("repair", path)[0] == 1


@pytest.mark.parametrize("verb", ["detect", "scan", "convert", "check", "explain", "repair"])
def test_help_teaches_by_example(verb: str) -> None:
    """The help of each verb has at least three commands to copy."""
    code, out, _ = run(verb, "--help")
    assert code == 0 and len(re.findall(rf"^ +(?:.*\| )?charlens {verb} ", out, re.MULTILINE)) >= 3


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish", "powershell"])
def test_completion_is_printed(shell: str) -> None:
    """`charlens completion SHELL` prints a script for the shell."""
    code, out, _ = run("completion", shell)
    assert code == 0 and "_CHARLENS_COMPLETE" in out and shell in out


@pytest.mark.parametrize(
    ("words", "word", "found"),
    [
        (["charlens", "de"], "de", ["detect"]),
        (["charlens", "detect"], "", []),
        (["charlens", "detect", "--mi"], "--mi", ["--mime", "--minimal"]),
        (
            ["charlens", "check", "--format"],
            "",
            ["text", "json", "jsonl", "csv", "sarif", "github", "gitlab"],
        ),
    ],
)
def test_powershell_is_answered(words: list[str], word: str, found: list[str]) -> None:
    """What the script for PowerShell asks is answered: a value and its help on each line, nothing for files."""
    environment = {"_CHARLENS_COMPLETE": "powershell_complete", "COMP_WORDS": "\n".join(words)}
    code, out, err = run(**environment, **({"COMP_CWORD": word} if word else {}))
    lines = [line.split("\t") for line in out.splitlines() if line]
    assert (code, err) == (0, "") and [line[0] for line in lines] == found and all(line[1] for line in lines)


def test_the_script_for_powershell() -> None:
    """The script registers a completer, sets what the command reads, and removes it again."""
    _, out, _ = run("completion", "powershell")
    assert "Register-ArgumentCompleter -Native -CommandName charlens" in out
    for name in ("COMP_WORDS", "COMP_CWORD", "_CHARLENS_COMPLETE"):
        assert f"$env:{name} = " in out and f"Env:{name}" in out.partition("finally")[2]
    assert out.count("{") == out.count("}") and out.count("(") == out.count(")")


def test_repair_reads_standard_input() -> None:
    """In a pipe, `repair -` writes the whole text, repaired; what cannot be read is refused, and nothing is written."""
    wrong = "voilÃ\xa0 le travail, Ã\xa0 bientÃ´t\nund sonst nichts\n"
    assert run("repair", "-", stdin=wrong.encode()) == (0, "voilà le travail, à bientôt\nund sonst nichts\n", "")
    for option in ("--in-place", "--backup", "--diff", "--log=x.jsonl"):
        assert run("repair", option, "-", stdin=wrong.encode())[:2] == (2, "")
    code, out, err = run("repair", "-", stdin=b"\x00\x01\x02" * 100)
    assert (code, out) == (1, "") and err.startswith("charlens: standard input: binary")
