"""The command `charlens detect`."""

from __future__ import annotations

import csv
import io
import json
import subprocess
import sys
from pathlib import Path

import pytest

import charlens

KEYS = {"path", "outcome", "encoding", "confidence", "language", "bom", "error"}


def run(*arguments: str, stdin: bytes = b"") -> tuple[int, str, str]:
    """Run the command as a user does; a traceback is never acceptable."""
    done = subprocess.run(
        [sys.executable, "-m", "charlens", *arguments], input=stdin, capture_output=True, timeout=60
    )
    assert b"Traceback" not in done.stderr
    return done.returncode, done.stdout.decode(), done.stderr.decode()


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "a.txt").write_bytes(b"plain\n")
    (tmp_path / "u.txt").write_bytes(b"\xff\xfe" + "Grüße".encode("utf-16-le"))
    (tmp_path / "b.bin").write_bytes(b"\x7fELF\x00\x00")
    (tmp_path / "empty").touch()
    return tmp_path


def test_text_is_one_line_a_file(folder):
    """The default output names each file with its encoding, or says why it is binary."""
    code, out, err = run("detect", *(str(folder / name) for name in ("a.txt", "u.txt", "b.bin", "empty")))
    lines = out.splitlines()
    assert code == 0 and err == "" and len(lines) == 4
    assert "a.txt: ascii" in lines[0] and "utf-16-le with BOM" in lines[1]
    assert "binary (contains NUL (0x00) at offset 4)" in lines[2] and "undecided" in lines[3]


def test_the_lists_alone_tell_text_from_binary(folder):
    """With --method lists UTF-16 and the empty file are binary, and no encoding is named."""
    names = ("a.txt", "u.txt", "b.bin", "empty")
    code, out, err = run("detect", "--method", "lists", *(str(folder / name) for name in names))
    words = [line.split(": ", 1)[1].split()[0] for line in out.splitlines()]
    assert code == 0 and err == "" and words == ["text", "binary", "binary", "binary"]
    assert "offset 3" in out.splitlines()[1]


def test_a_model_can_be_named(folder):
    """--model takes the folder of a model; a folder without one is wrong use, with words that say how to get one."""
    shipped = Path(charlens.__file__).parent / "models"
    model = next(path.parent for path in sorted(shipped.glob("*/model.bin")))
    code, out, _ = run("detect", "--model", str(model), "--format", "jsonl", str(folder / "u.txt"))
    assert code == 0 and json.loads(out)["encoding"] == "utf-16-le"
    code, out, err = run("detect", "--model", str(folder), str(folder / "a.txt"))
    assert code == 2 and out == "" and "charlens train" in err


def test_a_bad_file_does_not_stop_the_others(folder):
    """Missing files and folders are reported on standard error, the rest is done, the exit code is 1."""
    code, out, err = run("detect", str(folder / "missing"), str(folder), str(folder / "a.txt"))
    assert code == 1 and "a.txt: ascii" in out
    assert "missing: No such file" in err and "is a folder" in err


@pytest.mark.parametrize("form", ["json", "jsonl", "csv"])
def test_machine_formats_carry_the_promised_keys(folder, form):
    """Each record has the keys of the design, errors included."""
    paths = [str(folder / name) for name in ("u.txt", "missing", "b.bin")]
    code, out, _ = run("detect", "--format", form, *paths)
    assert code == 1
    if form == "json":
        records = json.loads(out)
    elif form == "jsonl":
        records = [json.loads(line) for line in out.splitlines()]
    else:
        records = list(csv.DictReader(io.StringIO(out)))
    assert [record["path"] for record in records] == paths
    assert all(record.keys() >= KEYS for record in records)
    assert records[0]["encoding"] == "utf-16-le" and records[0]["bom"] == "fffe"
    assert [record["outcome"] for record in records] == ["text", "undecided", "binary"]
    assert "No such file" in records[1]["error"] and not records[0]["error"]


def test_standard_input_is_read_for_a_dash():
    """`-` reads standard input."""
    code, out, _ = run("detect", "--format", "jsonl", "-", stdin="Grüße".encode())
    record = json.loads(out)
    assert code == 0 and record["path"] == "-" and record["encoding"] == "utf-8"


def test_verbose_prints_the_steps(folder):
    """`-v` shows what each stage found."""
    _, out, _ = run("detect", "-v", str(folder / "u.txt"))
    assert "signature" in out and "unicode" in out and "content" in out


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("detcet", "x"), "Did you mean 'detect'"),
        (("detect", "--format", "xml", "x"), "xml"),
        (("detect", "--only", "utf-9", "x"), "Did you mean 'utf-8'"),
        (("detect", "--never", "utf-8,utf-9", "x"), "Unknown encoding 'utf-9'"),
        (("detect", "--only", "utf-8,", "x"), "a name is empty"),
        (("nonsense",), "nonsense"),
    ],
)
def test_wrong_use_exits_with_2(arguments, words):
    """Wrong use is exit code 2 and says what is wrong."""
    code, _, err = run(*arguments)
    assert code == 2 and words in err


def test_only_restricts_the_answer(folder):
    """`--only` takes labels and gives one of them."""
    _, out, _ = run("detect", "--only", "latin-1", str(folder / "a.txt"))
    assert "iso8859-1" in out


def test_the_version_names_the_kernel():
    """`--version` says which kernel is in use."""
    code, out, _ = run("--version")
    assert code == 0 and charlens.__version__ in out and "kernel" in out


@pytest.mark.parametrize("library", ["click", "pathspec"])
def test_without_its_libraries_the_command_says_what_to_install(tmp_path, library):
    """A plain install has no click, and no pathspec for ignore files; the command then names the extra."""
    (tmp_path / f"{library}.py").write_text(f"raise ImportError('no {library}', name='{library}')\n")
    (tmp_path / ".gitignore").touch()
    code = "import sys, charlens.cli; sys.argv[1:] = ['scan', '.']; charlens.cli.main()"
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        env={"PYTHONPATH": str(tmp_path), "PATH": ""},
    )
    assert done.returncode == 2 and "pip install 'charlens[cli]'" in done.stderr


def test_a_closed_pipe_is_no_error(folder):
    """`charlens detect … | head -1` ends quietly."""
    command = f"{sys.executable} -m charlens detect {' '.join([str(folder / 'a.txt')] * 500)} | head -1"
    done = subprocess.run(["bash", "-o", "pipefail", "-c", command], capture_output=True, text=True)
    assert done.stdout.count("\n") == 1 and "Error" not in done.stderr and "Traceback" not in done.stderr


def test_a_name_that_is_no_text_is_printed_all_the_same(tmp_path):
    """A file name that is not UTF-8 does not break the output."""
    path = bytes(tmp_path) + b"/caf\xe9.txt"
    with open(path, "wb") as file:
        file.write(b"x")
    done = subprocess.run(
        [sys.executable.encode(), b"-m", b"charlens", b"detect", b"--format", b"jsonl", path],
        capture_output=True,
    )
    assert done.returncode == 0 and json.loads(done.stdout)["encoding"] == "ascii"


def test_declarations_can_be_obeyed_and_headers_given(tmp_path):
    """--declared and --content-type go to the library: the same page is three things."""
    page = tmp_path / "page.html"
    page.write_bytes("<meta charset=koi8-r><p>Привет, как дела, что нового, друзья?".encode("cp1251"))
    header = ["--content-type", "text/html; charset=iso-8859-5"]
    for options, encoding in (
        ([], "cp1251"),
        (["--declared", "obey"], "koi8-r"),
        (["--declared", "obey", *header], "iso8859-5"),
    ):
        assert f": {encoding}," in run("detect", str(page), *options)[1]


def test_detect_imports_only_what_it_needs(folder):
    """The verb that is called in loops loads neither rich nor pathspec nor the other verbs."""
    code = (
        "import sys; sys.argv = ['charlens', 'detect', sys.argv[1]]\n"
        "from charlens.cli import main\n"
        "try: main()\n"
        "except SystemExit: pass\n"
        "unwanted = {'rich', 'pathspec', 'json', 'multiprocessing', 'charlens.explanation', 'charlens.cli.scan'}\n"
        "print(sorted(unwanted & set(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(folder / "a.txt")], capture_output=True, text=True, check=True
    )
    assert done.stdout.splitlines()[-1] == "[]"


def test_quiet_only_leaves_the_exit_code(folder):
    """`-q` says nothing of a missing file; the exit code does."""
    assert run("detect", "-q", str(folder / "missing")) == (1, "", "")


def test_names_can_be_listed_with_commas(tmp_path: Path) -> None:
    """`--only`, `--never` and `--language` take a list as well as they can be repeated."""
    path = tmp_path / "a.txt"
    path.write_bytes("Съешь ещё".encode("koi8-r"))
    once = run("detect", "--only", "utf-8, koi8-r", "--never", "cp1251,cp866", "--language", "ru,en", path)
    many = run(
        "detect", "--only", "utf-8", "--only", "koi8-r", "--never", "cp1251", "--never", "cp866",
        "--language", "ru", "--language", "en", path,
    )  # fmt: skip
    assert once == many and once[0] == 0 and "koi8-r" in once[1]
