"""The command `charlens convert`: what it writes, and above all what it does not."""

from __future__ import annotations

import csv
import io
import json
import os
import random
import signal
import stat
import subprocess
import sys
import time
from pathlib import Path

import pytest
from command import run, run_here

import charlens

RUSSIAN = "Съешь ещё этих мягких французских булок, да выпей чаю.\n" * 3


def prose(language: str) -> str:
    return (Path(__file__).parent / "prose" / f"{language}.txt").read_text(encoding="utf-8")


def write(folder: Path, **files: bytes) -> list[Path]:
    paths = []
    for name, data in files.items():
        paths.append(folder / f"{name}.txt")
        paths[-1].write_bytes(data)
    return paths


def test_damage_is_replaced_on_request_only(tmp_path: Path) -> None:
    """Refused by default; on request every place is U+FFFD, the words count them, and 'undo' has the old bytes."""
    greek = prose("el").encode()
    damaged = greek + b"\xff\n" + greek + b"\xce"
    (path,) = write(tmp_path, a=damaged)
    code, _, err = run("convert", "-i", path)
    assert code == 1 and "does not decode" in err and path.read_bytes() == damaged
    code, out, _ = run("convert", "-i", "--replace-damage", "--log", tmp_path / "log", path)
    assert code == 0 and "do not decode (2 places)" in out
    assert path.read_bytes() == damaged.decode("utf-8", "replace").encode()
    assert run("undo", tmp_path / "log")[0] == 0 and path.read_bytes() == damaged
    (sound,) = write(tmp_path, b=greek)
    assert (
        "Converted 0 files" in run("convert", "-i", "--replace-damage", sound)[1]
        and sound.read_bytes() == greek
    )
    code, _, err = run("convert", "-i", "--replace-damage", "--from", "utf-8", "--to", "cp1253", path)
    assert code == 1 and "a character would be lost" in err and path.read_bytes() == damaged


_MAIL = "From: a@b.c\nContent-Type: text/plain; charset=utf-8\n\n"


@pytest.mark.parametrize(
    ("name", "head", "words"),
    [
        ("a.py", "", "Python source must be utf-8 if it declares nothing else (PEP 263), not utf-16-le; use"),
        ("a", "# coding: utf-8\n", "the coding line says 'utf-8', and that format has no name for utf-16-le"),
        ("script", "#!/bin/sh\n# ", "a script must be"),
        ("a.rb", "# ", "Ruby source must be"),
        ("a.po", "# ", "a message catalogue must be"),
        ("a.eml", _MAIL, "a mail must be"),
        ("mail", _MAIL, "the Content-Type of the mail says 'utf-8'"),
        ("a.vcf", "BEGIN:VCARD\nVERSION:2.1\nFN;CHARSET=UTF-8:", "vCard must be"),
        ("a.vcf", "BEGIN:VCARD\nVERSION:4.0\nFN:", "vCard 4 must be utf-8"),
        (".gitattributes", "# ", "a file of Git must be"),
        ("a.tex", "", "LaTeX must be"),
        ("a.sql", "-- x\nSET NAMES utf8;\n-- ", "the SQL statement says 'utf8'"),
        ("a.bat", "rem ", "a batch file must be"),
        ("a.json", '"', "JSON must be utf-8 (RFC 8259), not utf-16-le; use utf-8"),
        ("page", "<?php\n// ", "PHP source must be"),
        ("a.phtml", "", "PHP source must be"),
        ("Makefile", "# ", "a makefile must be"),
        ("Dockerfile.test", "# ", "a Dockerfile must be"),
        ("a.hpp", "// ", "C source must be"),
        (".env.local", "# ", "an .env file must be"),
    ],
)
def test_utf_16_is_refused_where_programs_cannot_read_it(
    tmp_path: Path, name: str, head: str, words: str
) -> None:
    """A format whose programs look for bytes of ASCII is left as it is, and the words say what to use."""
    path = tmp_path / name
    path.write_text(head + RUSSIAN, encoding="utf-8")
    before = path.read_bytes()
    code, _, err = run_here("convert", "-i", "--to", "utf-16", path)
    assert code == 1 and words in err and path.read_bytes() == before
    assert run_here("convert", "-i", "--to", "utf-16", "--keep-declarations", path)[0] == 0


@pytest.mark.parametrize(
    ("name", "head"),
    [
        ("a.po", "# "),
        ("a.py", "#!/usr/bin/python3\n# "),
        ("script", "#!/bin/sh\n# "),
        ("a.inc", "<?php\n// "),
        ("a.json", '"'),
        (".charlens.toml", "# "),
        (".gitattributes", "# "),
        (".gitignore", "# "),
        (".editorconfig", "# "),
        ("Makefile", "# "),
        ("Dockerfile", "# "),
        (".env", "# "),
        ("a.properties", "# "),
        ("a.eml", _MAIL),
        ("a.desktop", "# "),
        ("a.bat", "rem "),
    ],
)
@pytest.mark.parametrize("large", [False, True])
def test_a_mark_is_not_written_where_it_breaks_the_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, head: str, large: bool
) -> None:
    """Conversion refuses it in words, and a check neither asks for it nor adds it, but reports one."""
    if large:
        monkeypatch.setattr("charlens.files.streaming.LARGE", 100)
    path = tmp_path / name
    path.write_text(head + RUSSIAN, encoding="utf-8")
    before = path.read_bytes()
    for options in (("--bom",), ("--to", "utf-8-sig")):
        code, _, err = run_here("convert", "-i", *options, path)
        assert code == 1 and ("must not have a byte order mark" in err or "must be ascii" in err)
    assert run_here("check", "--bom", path)[0] == 0
    run_here("check", "--bom", "--fix", "--newline", "crlf", path)
    is_script = head.startswith("#!") or name == ".env"  # their lines stay as they are, too
    after = before if is_script else before.replace(b"\n", b"\r\n")
    assert path.read_bytes() == after or (large and path.read_bytes() == before)
    path.write_bytes(b"\xef\xbb\xbf" + before)
    assert "must not have a byte order mark" in run_here("check", path)[1]
    with pytest.raises(charlens.CharlensError, match="must not have a byte order mark"):
        charlens.load(path).save(bom=True)


def test_in_place_keeps_line_ends_and_mode(tmp_path: Path) -> None:
    """The text is the same in UTF-8, CRLF stays CRLF, the mode stays, and nothing is left beside the file."""
    (path,) = write(tmp_path, a=RUSSIAN.replace("\n", "\r\n").encode("cp1251"))
    path.chmod(0o640)
    code, out, err = run("convert", "--in-place", path)
    assert code == 0 and err == "" and "cp1251 to utf-8" in out
    assert path.read_bytes().decode() == RUSSIAN.replace("\n", "\r\n")
    assert stat.S_IMODE(path.stat().st_mode) == 0o640 and os.listdir(tmp_path) == ["a.txt"]
    assert run("convert", "--in-place", path)[1].startswith("Converted 0 files")


def test_a_dry_run_writes_nothing_and_shows_all(tmp_path: Path) -> None:
    """The table lists changes and refusals; the files are not changed."""
    files = {
        "a": RUSSIAN.encode("koi8-r"),
        "b": b"\x7fELF\x00\x00",
        "c": b"ascii\n",
        "d": "é".encode() * 9 + b"\xff",
    }
    paths = write(tmp_path, **files)
    code, out, _ = run("convert", "--dry-run", tmp_path)
    assert code == 1 and "koi8-r" in out and "REFUSE" in out
    assert "Would convert 1 file to utf-8 (1 unchanged, 1 binary, 1 refused)" in out
    assert [path.read_bytes() for path in paths] == list(files.values())


@pytest.mark.parametrize(
    ("data", "options", "words"),
    [
        (b"caf\xe9", ["--min-confidence", "1"], "not certain enough"),
        ("Grüße, 東京".encode(), ["--to", "cp1252"], "'東' is not in cp1252"),
        (("Grüße aus Köln und Umgebung\n" * 9).encode() + b"\xff\n", [], "does not decode"),
        (b"\x7fELF\x00\x00", [], "binary"),
        (
            ("Grüße aus Köln\nund schöne Straßen\n" * 4).encode()
            + "Café crème, déjà vu à la carte\nélève\n".encode("cp1252") * 4,
            ["--min-confidence", "0"],
            "several encodings",
        ),
        (RUSSIAN.encode("cp1251"), ["--from", "utf-8"], "not utf-8"),
    ],
    ids=["doubtful", "lossy", "damaged", "binary", "mixed", "wrong source"],
)
def test_what_is_in_doubt_is_not_written(tmp_path: Path, data: bytes, options: list[str], words: str) -> None:
    """Such a file is reported with the reason and not changed, and the exit code is 1."""
    (path,) = write(tmp_path, a=data)
    code, _, err = run_here("convert", "-i", *options, path)
    assert code == 1 and words in err
    assert path.read_bytes() == data and os.listdir(tmp_path) == ["a.txt"]


@pytest.mark.parametrize(
    ("options", "before", "after"),
    [
        ([], "\ufeffa\nü".encode(), "\ufeffa\nü".encode()),
        (["--no-bom"], "\ufeffa\nü".encode(), "a\nü".encode()),
        (["--bom"], "a\nü".encode(), "\ufeffa\nü".encode()),
        (["--newline", "crlf"], "a\nb\r\nü\n".encode(), "a\r\nb\r\nü\r\n".encode()),
        (["--newline", "lf"], "a\r\nü\r".encode(), "a\nü\n".encode()),
        (["--to", "utf-16"], "ü".encode(), b"\xff\xfe\xfc\x00"),
        (["--to", "utf-16-be"], "ü".encode(), b"\x00\xfc"),
        (["--to", "cp1252"], "\ufeffGrüße\n".encode(), "Grüße\n".encode("cp1252")),
        (["--from", "cp437"], b"\x81\n", "ü\n".encode()),
        ([], "# coding: cp1252\n# Grüße aus Köln, schöne Straßen\n".encode("cp1252"),
         "# coding: utf-8\n# Grüße aus Köln, schöne Straßen\n".encode()),
        (["--keep-declarations"], "# coding: cp1252\n# Grüße\n".encode(), "# coding: cp1252\n# Grüße\n".encode()),
    ],
)  # fmt: skip
def test_marks_line_ends_and_declarations(
    tmp_path: Path, options: list[str], before: bytes, after: bytes
) -> None:
    """They stay the same unless an option says otherwise; declarations follow the encoding."""
    (path,) = write(tmp_path, a=before)
    assert run_here("convert", "-i", *options, path)[0] == 0
    assert path.read_bytes() == after


def test_to_a_folder(tmp_path: Path) -> None:
    """The tree is copied there; the old files stay; existing files are not overwritten without --force."""
    source, target = tmp_path / "in", tmp_path / "out"
    (source / "deep").mkdir(parents=True)
    (source / "deep" / "a.txt").write_bytes(RUSSIAN.encode("koi8-r"))
    (source / "b.txt").write_bytes(b"ascii\n")
    assert run("convert", source, "-o", target)[0] == 0
    assert (target / "deep" / "a.txt").read_text(encoding="utf-8") == RUSSIAN
    assert (target / "b.txt").read_bytes() == b"ascii\n"
    assert (source / "deep" / "a.txt").read_bytes() == RUSSIAN.encode("koi8-r")
    code, _, err = run("convert", source, "-o", target)
    assert code == 1 and "already exists" in err
    assert run("convert", source, "-o", target, "--force")[0] == 0


def test_two_files_of_one_name_do_not_meet_in_a_folder(tmp_path: Path) -> None:
    """The second is refused, not written over the first."""
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "a.txt").write_text(name)
    code, _, err = run("convert", tmp_path / "one/a.txt", tmp_path / "two/a.txt", "-o", tmp_path / "out")
    assert (
        code == 1 and "another file would be written" in err and (tmp_path / "out/a.txt").read_text() == "one"
    )


def test_backups_are_made_once_and_never_lost(tmp_path: Path) -> None:
    """The old bytes are beside the new; a second backup does not overwrite the first, nor is a backup converted."""
    (path,) = write(tmp_path, a=RUSSIAN.encode("cp1251"))
    run("convert", "-i", "--backup", tmp_path)
    assert (tmp_path / "a.txt.bak").read_bytes() == RUSSIAN.encode("cp1251")
    path.write_bytes(RUSSIAN.encode("koi8-r"))
    run("convert", "-i", "--backup", tmp_path)
    assert (tmp_path / "a.txt.bak").read_bytes() == RUSSIAN.encode("cp1251")
    assert (tmp_path / "a.txt.bak.1").read_bytes() == RUSSIAN.encode("koi8-r")
    assert sorted(os.listdir(tmp_path)) == ["a.txt", "a.txt.bak", "a.txt.bak.1"]


def test_standard_input_goes_to_standard_output() -> None:
    """`-` converts a stream; binary on it is an error."""
    code, out, _ = run("convert", "-", stdin=RUSSIAN.encode("cp1251"))
    assert code == 0 and out == RUSSIAN
    assert run("convert", "-", stdin=b"\x7fELF\x00\x00")[0] == 1


@pytest.mark.parametrize("form", ["json", "jsonl", "csv"])
def test_records(tmp_path: Path, form: str) -> None:
    """Each format has a record a file with its status."""
    write(tmp_path, a=RUSSIAN.encode("cp1251"), b=b"x\n")
    _, out, _ = run_here("convert", "-n", "--format", form, tmp_path)
    if form == "json":
        records = json.loads(out)["files"]
    elif form == "jsonl":
        records = [json.loads(line) for line in out.splitlines()]
    else:
        records = list(csv.DictReader(io.StringIO(out)))
    assert [(record["status"], record["from"]) for record in records] == [
        ("convert", "cp1251"),
        ("unchanged", "ascii"),
    ]


@pytest.mark.parametrize(
    "arguments",
    [["x"], ["-i", "-o", "y", "x"], ["-i", "--to", "utf-9", "x"], ["-i", "--to", "cp1252", "--bom", "x"]],
)
def test_wrong_use_exits_with_2(arguments: list[str]) -> None:
    """Nowhere to write, two places, an unknown encoding, a mark where there is none."""
    assert run("convert", *arguments)[0] == 2


LANGUAGES = ("ru", "de", "ja", "fr", "pl")
ENCODINGS = {"ru": "koi8-r", "de": "cp1252", "ja": "euc_jp", "fr": "cp1252", "pl": "iso8859-2"}
#: A few, and enough for a stream, which takes half a minute in plain Python.
LINES = [1] if charlens.kernel.NAME == "pure" else [1, 200_000]
#: The full experiment is 200 rounds: CHARLENS_KILLS=200 pytest tests/test_cli_convert.py -k killed
ROUNDS = int(os.environ.get("CHARLENS_KILLS", "15"))


@pytest.mark.skipif(os.name == "nt", reason="there is no SIGKILL")
@pytest.mark.skipif(charlens.kernel.NAME == "pure", reason="slow in plain Python, and the kernel makes no difference")
def test_killed_at_any_point_every_file_is_whole(tmp_path: Path) -> None:
    """SIGKILL at random points: each file has the old bytes or the new ones, and the next run finishes the work."""
    chance = random.Random(7)
    old = {
        f"{n}.txt": (prose(LANGUAGES[n % 5]) * 20).encode(ENCODINGS[LANGUAGES[n % 5]], "ignore")
        for n in range(25)
    }
    new = {name: data.decode(ENCODINGS[LANGUAGES[int(name[:-4]) % 5]]).encode() for name, data in old.items()}
    command = [sys.executable, "-u", "-m", "charlens", "convert", "--in-place", str(tmp_path)]
    stopped = 0
    for _ in range(ROUNDS):
        for name, data in old.items():
            (tmp_path / name).write_bytes(data)
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        assert process.stdout is not None
        process.stdout.readline()
        time.sleep(chance.uniform(0, 0.15))
        process.kill()
        process.communicate()
        found = {name: (tmp_path / name).read_bytes() for name in old}
        assert all(data in (old[name], new[name]) for name, data in found.items())
        stopped += any(data == old[name] for name, data in found.items())
    assert stopped > ROUNDS // 5, "most rounds ended before the kill: they prove nothing"
    assert run("convert", "--in-place", tmp_path)[::2] == (0, "")
    assert {name: (tmp_path / name).read_bytes() for name in old} == new


@pytest.mark.skipif(os.name == "nt", reason="signals of Unix")
@pytest.mark.skipif(charlens.kernel.NAME == "pure", reason="slow in plain Python, and the kernel makes no difference")
def test_ctrl_c_leaves_whole_files_and_sums_up(tmp_path: Path) -> None:
    """Interrupted, the command says what it has done; no temporary file stays, the exit code is 130."""
    data = (prose("ru") * 20).encode("koi8-r", "ignore")
    for index in range(200):
        (tmp_path / f"{index}.txt").write_bytes(data)
    command = [sys.executable, "-u", "-m", "charlens", "convert", "--in-place", str(tmp_path)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    while sum(len(path.read_bytes()) > len(data) for path in tmp_path.glob("*.txt")) < 8:
        assert process.poll() is None
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 130 and "interrupted" in err and "Traceback" not in err
    assert len(os.listdir(tmp_path)) == 200
    assert {path.read_bytes() for path in tmp_path.iterdir()} <= {data, data.decode("koi8-r").encode()}
    changed = {path.name for path in tmp_path.iterdir() if len(path.read_bytes()) > len(data)}
    listed = [Path(line.partition(": ")[0]).name for line in out.splitlines() if " to utf-8" in line][:-1]
    assert sorted(listed) == sorted(changed)
    assert f"Converted {len(listed)} files" in out


@pytest.mark.parametrize("content", [b"line one\nno newline", b"\x89PNG\r\n\x1a\n", b'{"other": 1}\n'])
def test_a_log_is_never_added_to_another_file(tmp_path: Path, content: bytes) -> None:
    """A file given as the journal that is not one is refused before the work, and stays as it is."""
    (tmp_path / "a.txt").write_bytes("Grüße aus Köln, schöne Straßen\n".encode("cp1252"))
    (tmp_path / "notes").write_bytes(content)
    code, _, err = run_here("convert", "-i", "--log", tmp_path / "notes", tmp_path / "a.txt")
    assert code == 2 and "is not a journal of charlens" in err
    assert (tmp_path / "notes").read_bytes() == content
    assert (tmp_path / "a.txt").read_bytes().decode("cp1252").startswith("Grüße")


@pytest.mark.parametrize("lines", LINES)
def test_a_second_run_with_a_given_encoding_changes_nothing(tmp_path: Path, lines: int) -> None:
    """UTF-8 is not taken for the encoding that was given: a second run would make mojibake."""
    text = "Grüße aus Köln, schöne Straßen\n" * lines
    (tmp_path / "a.txt").write_bytes(text.encode("cp1252"))
    for changed in (1, 0):
        code, out, _ = run("convert", "-i", "--from", "cp1252", tmp_path / "a.txt")
        assert code == 0 and f"Converted {changed} file" in out
    assert (tmp_path / "a.txt").read_bytes() == text.encode()


@pytest.mark.parametrize("lines", LINES)
def test_a_file_that_is_overwritten_has_a_backup(tmp_path: Path, lines: int) -> None:
    """With --output, --force and --backup, the old file is kept; with --keep-times, the new one has the old time."""
    text = "Grüße aus Köln, schöne Straßen\n" * lines
    (path,) = write(tmp_path, a=text.encode("cp1252"))
    os.utime(path, (1, 1))
    out = tmp_path / "out"
    out.mkdir()
    (out / "a.txt").write_bytes(b"mine\n")
    assert run("convert", "-o", out, "--force", "--backup", "--keep-times", path)[0] == 0
    assert (out / "a.txt").read_bytes() == text.encode() and (out / "a.txt").stat().st_mtime == 1
    assert (out / "a.txt.bak").read_bytes() == b"mine\n" and len(os.listdir(out)) == 2


def test_a_link_does_not_lead_out_of_the_output_folder(tmp_path: Path) -> None:
    """A target that is a link, or below one, to another place is refused, and the other place stays."""
    paths = write(tmp_path, a=RUSSIAN.encode("koi8-r"), b=RUSSIAN.encode("koi8-r"))
    (tmp_path / "mine").write_bytes(b"mine\n")
    out = tmp_path / "out"
    out.mkdir()
    (out / "a.txt").symlink_to(tmp_path / "mine")
    code, _, err = run("convert", "--force", "-o", out, *paths)
    assert code == 1 and "out/a.txt is outside of the output folder" in err
    assert (tmp_path / "mine").read_bytes() == b"mine\n" and (out / "a.txt").is_symlink()
    assert (out / "b.txt").read_text(encoding="utf-8") == RUSSIAN


def test_inputs_inside_the_output_folder_are_wrong_use(tmp_path: Path) -> None:
    """The folder itself, or one in it, cannot be converted into the folder; its parent can."""
    (tmp_path / "in" / "deep").mkdir(parents=True)
    write(tmp_path / "in" / "deep", a=RUSSIAN.encode("koi8-r"))
    for path in (tmp_path / "in", tmp_path / "in" / "deep"):
        code, _, err = run("convert", "-o", tmp_path / "in", path)
        assert code == 2 and "is this folder or inside it" in err
    assert "Converted 1 file" in run("convert", "-o", tmp_path / "in" / "out", tmp_path / "in")[1]


def test_a_suffix_needs_a_backup(tmp_path: Path) -> None:
    """--suffix alone keeps no copy: the words say what to add, and nothing is written."""
    (path,) = write(tmp_path, a=RUSSIAN.encode("koi8-r"))
    code, _, err = run("convert", "-i", "--suffix", ".old", path)
    assert code == 2 and "add --backup" in err and path.read_bytes() == RUSSIAN.encode("koi8-r")


def test_a_name_without_room_for_a_suffix(tmp_path: Path) -> None:
    """The words say that the name is too long, not that the disk is full."""
    (path,) = write(tmp_path, **{"a" * 251: RUSSIAN.encode("koi8-r")})
    code, _, err = run("convert", "-i", "-b", path)
    assert code == 1 and "is too long" in err and "Make room" not in err
    assert path.read_bytes() == RUSSIAN.encode("koi8-r")


@pytest.mark.skipif(sys.platform != "linux", reason="an attribute of Linux")
def test_an_immutable_file_needs_chattr(tmp_path: Path) -> None:
    """Its mode is not the problem, so 'chmod' is not the advice."""
    (path,) = write(tmp_path, a=RUSSIAN.encode("koi8-r"))
    try:
        done = subprocess.run(["chattr", "+i", path], capture_output=True)
    except FileNotFoundError:
        pytest.skip("no chattr")
    if done.returncode:
        pytest.skip("not allowed here")
    try:
        code, _, err = run("convert", "-i", path)
    finally:
        subprocess.run(["chattr", "-i", path], check=True)
    assert code == 1 and "is immutable" in err and "chattr -i" in err and "chmod" not in err


@pytest.mark.skipif(os.name == "nt", reason="a limit of Unix")
def test_a_limit_of_the_process_is_named(tmp_path: Path) -> None:
    """If the shell limits the size of files, the words do not blame the file system."""
    data = RUSSIAN.encode("koi8-r") * 40
    (path,) = write(tmp_path, a=data)
    for option in ("", "--backup"):
        command = f"ulimit -f 4; exec {sys.executable} -m charlens convert -i {option} {path}"
        done = subprocess.run(["bash", "-c", command], capture_output=True, text=True)
        assert done.returncode == 1 and "ulimit -f" in done.stderr and "the file is unchanged" in done.stderr
        assert path.read_bytes() == data and os.listdir(tmp_path) == ["a.txt"]


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="a device of Linux")
@pytest.mark.parametrize("where", ["> /dev/full", ">&-"])
@pytest.mark.parametrize(
    "verb", ["convert -i a.txt b.txt", "convert < a.txt", "check --fix .", "cat a.txt", "--help", "train --help"]
)
def test_output_that_cannot_be_written(tmp_path: Path, verb: str, where: str) -> None:
    """One line of words, the exit code 1, and every file is the old one or the new one."""
    paths = write(tmp_path, a=RUSSIAN.encode("koi8-r"), b=RUSSIAN.encode("koi8-r"))
    command = f"exec {sys.executable} -m charlens {verb} {where}"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, cwd=tmp_path)
    assert done.returncode == 1 and done.stderr.count("\n") == 1 and "standard output" in done.stderr
    assert {path.read_bytes() for path in paths} <= {RUSSIAN.encode("koi8-r"), RUSSIAN.encode()}
    assert len(os.listdir(tmp_path)) == 2


@pytest.mark.skipif(charlens.kernel.NAME == "pure", reason="takes half a minute in plain Python")
def test_ctrl_c_says_how_many_files_are_left(tmp_path: Path) -> None:
    """With a list of files, the summary counts those that were not reached."""
    data = RUSSIAN.encode("koi8-r") * 3000
    paths = write(tmp_path, **{f"a{number}": data for number in range(60)})
    command = [sys.executable, "-m", "charlens", "convert", "-i", "-j", "1", *map(str, paths)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert process.stdout is not None and process.stdout.readline()
    process.send_signal(signal.SIGINT)
    out, _ = process.communicate(timeout=60)
    assert process.returncode == 130
    changed = sum(path.read_bytes() != data for path in paths)
    assert 0 < changed < 60 and f"Converted {changed} file" in out and f", {60 - changed} not reached)" in out


def test_an_encoding_that_was_given_has_no_confidence(tmp_path: Path) -> None:
    """The confidence is that of the detection: with --from it is shown only if the detection found the same."""
    path = tmp_path / "a.txt"
    path.write_bytes("Grüße aus Köln, schöne Straßen\n".encode("cp1252"))
    seen = {}
    for source in ("cp1252", "latin-1", "cp437", "utf-8"):
        _, out, err = run("convert", "-n", "--from", source, "--format", "jsonl", path)
        seen[source] = json.loads(out)["confidence"]
        assert "--from" not in err
    assert seen["cp1252"] == seen["latin-1"] > 0.9 and seen["cp437"] is seen["utf-8"] is None
