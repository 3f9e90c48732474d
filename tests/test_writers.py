"""Everything that writes: right, or untouched; undone to the byte; and what happens at Ctrl-C."""

from __future__ import annotations

import contextlib
import json
import os
import pty
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from click.testing import CliRunner
from command import run
from hypothesis import given, settings
from hypothesis import strategies as st

import charlens
from charlens.cli.app import app
from charlens.encodings import all_encodings
from charlens.files.plan import plan_bytes, plan_file
from charlens.files.reading import Refused, Request
from charlens.files.streaming import LARGE, plan_large, write_large
from charlens.files.writing import Writing

RUSSIAN = "Съешь ещё этих мягких французских булок, да выпей чаю.\n"

REQUESTS = [
    Request(),
    Request(repair=True),
    Request("utf-16"),
    Request("cp1251", newline="crlf"),
    Request("utf-8", bom=True, newline="lf"),
    Request(mixed=True, min_confidence=0.5),
]
PIECES = st.one_of(
    st.binary(max_size=60),
    st.text(max_size=40).map(lambda text: text.encode("utf-8", "surrogatepass")),
    st.sampled_from(
        ["Grüße aus Köln\n", RUSSIAN, "# coding: latin-1\n", "GrÃ¼ÃŸe\n", "<meta charset=koi8-r>"]
    ).flatmap(
        lambda text: st.sampled_from(["utf-8", "cp1251", "cp1252", "utf-16"]).map(
            lambda codec: text.encode(codec, "replace")
        )
    ),
)


@settings(max_examples=300, deadline=None)
@given(st.lists(PIECES, max_size=4).map(b"".join), st.sampled_from(REQUESTS))
def test_any_bytes_are_right_or_untouched(data: bytes, request_: Request) -> None:
    """A plan changes nothing, or gives bytes that decode to the text that it names and that stay."""
    plan = plan_bytes(data, request_)
    if plan.status != "change":
        assert plan.status in ("unchanged", "refused", "binary") and (plan.refusal or plan.after == data)
        return
    if request_.target == "utf-16":  # its codec takes the mark off; a second one is a character
        text = plan.after.decode("utf-16")
    else:
        text = plan.after.decode(plan.target or "").removeprefix("\ufeff")
    assert text == plan.new_text
    again = plan_bytes(plan.after, request_._replace(source=plan.target))
    assert again.status == "unchanged", again


CONTAINERS = {
    "a.pdf": b"%PDF-1.4\nSome caf\xe9 text without control bytes\n",
    "a.ps": b"%!PS-Adobe-3.0\n(caf\xe9) show\n",
    "a.rtf": b"{\\rtf1\\ansi caf\xe9}\n",
    "a.pem": b"-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n",
    "a.uu": b"begin 644 x.txt\n#0V%T\n`\nend\n",
    "a.warc": b"WARC/1.0\r\nWARC-Type: response\r\nContent-Length: 5\r\n\r\ncaf\xe9\n\r\n\r\n",
    "a.http": b"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=iso-8859-1\r\nContent-Length: 5\r\n\r\ncaf\xe9\n",
    "a.dump": b"SVN-fs-dump-format-version: 2\n\nRevision-number: 0\nContent-length: 5\n\ncaf\xe9\n",
    "a.git": b"blob\nmark :1\ndata 5\ncaf\xe9\n",
    "b.git": b"reset refs/heads/main\ncommit refs/heads/main\ncommitter a <a> 0 +0000\ndata 5\ncaf\xe9\n",
    "c.git": b"feature done\ncommit refs/heads/main\ncommitter a <a> 0 +0000\ndata 5\ncaf\xe9\n",
    "d.git": b"commit refs/heads/main\nmark :1\ncommitter a <a> 0 +0000\ndata 5\ncaf\xe9\n",
    "a.ser": b'a:1:{i:0;s:4:"caf\xe9";}',
    "b.ser": b's:4:"caf\xe9";',
    "c.ser": b'O:8:"stdClass":1:{s:1:"a";s:4:"caf\xe9";}',
    "a.torrent": b"d8:announce4:http7:comment4:caf\xe9e",
    "a.b64": b"QUJD" * 19 + b"\n" + b"QUJD" * 19 + b"\nQUI=\n",
}


@pytest.mark.parametrize("name", CONTAINERS)
def test_containers_are_left_alone(tmp_path: Path, name: str) -> None:
    """A PDF and its like are no plain text, whatever their bytes look like."""
    path = tmp_path / name
    path.write_bytes(CONTAINERS[name])
    assert charlens.detect(CONTAINERS[name]).media_type
    assert run("convert", "-i", "--to", "utf-16", tmp_path)[0] == 0
    assert run("check", "--bom", "--fix", tmp_path)[0] == 0
    assert run("repair", "-i", "-y", path)[0] == 1
    document = charlens.load(path)
    if document.encoding:
        document.text += "more\n"
        with pytest.raises(charlens.NotTextError, match="not plain text"):
            document.save()
    assert path.read_bytes() == CONTAINERS[name]


@pytest.mark.parametrize(
    "data", [b"plain\n", "Grüße\n".encode(), b"<svg xmlns='x'/>", b"begin with a plan\n", b"P6 is a name\n",
        b"HTTP/1.1 200 OK is what a server says.\n", b"a: 1\nb: 2\n", b"blob\nmarked\n", b"commit refs to disk\n",
        b"feature done by hand\n", b"SVN is old\n", b"WARC/1.0 is a format\n", b"s:a:b\n"]
)
def test_text_is_no_container(data: bytes) -> None:
    """Text, SVG among it, has no media type of a container."""
    assert charlens.detect(data).media_type is None


def test_a_file_that_is_reached_twice_is_converted_once(tmp_path: Path) -> None:
    """A file named twice, once by a link, is converted once: with --from, a second time would damage it."""
    path = tmp_path / "a.txt"
    path.write_bytes(RUSSIAN.encode("cp1251"))
    (tmp_path / "link").symlink_to(path)
    assert run("convert", "-i", "--from", "cp1251", path, tmp_path / "link", tmp_path, path)[0] == 0
    assert path.read_bytes() == RUSSIAN.encode()


def test_links_in_a_folder_lead_nowhere(tmp_path: Path) -> None:
    """A link found in a folder is not followed out of it."""
    outside, inside = tmp_path / "outside.txt", tmp_path / "in"
    inside.mkdir()
    outside.write_bytes(RUSSIAN.encode("cp1251"))
    (inside / "link.txt").symlink_to(outside)
    run("convert", "-i", inside)
    assert outside.read_bytes() == RUSSIAN.encode("cp1251")


def test_undo_restores_what_nobody_changed(tmp_path: Path) -> None:
    """Byte by byte; a file that was changed since is named and stays."""
    files = {
        "a.txt": RUSSIAN.encode("cp1251"),
        "b.txt": RUSSIAN.encode("koi8-r"),
        "c.txt": "Ã¼ber GrÃ¼ÃŸe\n".encode(),
    }
    for name, data in files.items():
        (tmp_path / name).write_bytes(data)
    log = tmp_path / "log.jsonl"
    assert run("convert", "-i", "--log", log, tmp_path)[0] == 0
    assert run("repair", "-i", "-y", "--log", log, tmp_path / "c.txt")[0] == 0
    assert (tmp_path / "c.txt").read_text(encoding="utf-8") == "über Grüße\n"
    (tmp_path / "b.txt").write_bytes(b"mine now\n")
    code, out, err = run("undo", log)
    assert code == 1 and "b.txt: not restored" in err and "Restored 2 files" in out
    assert (tmp_path / "a.txt").read_bytes() == files["a.txt"] and (tmp_path / "c.txt").read_bytes() == files[
        "c.txt"
    ]
    assert (tmp_path / "b.txt").read_bytes() == b"mine now\n"
    assert len([json.loads(line) for line in log.read_text().splitlines()]) == 3


def test_rules_can_be_switched_off(tmp_path: Path) -> None:
    """For everything, for some paths, and line by line; --fix leaves such lines alone."""
    wrong = tmp_path / "wrong.txt"
    wrong.write_text("GrÃ¼ÃŸe aus KÃ¶ln\n", encoding="utf-8")
    assert run("check", tmp_path)[0] == 1
    assert run("check", "--off", "mojibake", tmp_path)[0] == 0
    assert run("check", "--off", "mojibake:wrong.*", tmp_path)[0] == 0
    assert run("check", "--off", "mojibake:other.*", tmp_path)[0] == 1
    assert run("check", "--off", "nonsense", tmp_path)[0] == 2
    wrong.write_text("GrÃ¼ÃŸe # charlens: ignore\nMÃ¼nchen und KÃ¶ln\n", encoding="utf-8")
    code, _, _ = run("check", "--fix", tmp_path)
    assert code == 0 and wrong.read_text(encoding="utf-8") == "GrÃ¼ÃŸe # charlens: ignore\nMünchen und Köln\n"
    assert run("check", tmp_path)[0] == 0


def test_examples_in_quotation_marks_are_not_fixed(tmp_path: Path) -> None:
    """A page that mentions such text keeps it; 'charlens repair' still repairs it."""
    path = tmp_path / "page.md"
    path.write_text("A file opens as `GrÃ¼ÃŸe` then.\n", encoding="utf-8")
    code, _, err = run("check", "--fix", path)
    assert code == 1 and "looks like an example" in err and "GrÃ¼ÃŸe" in path.read_text(encoding="utf-8")
    assert run("repair", "-i", "-y", path)[0] == 0 and "Grüße" in path.read_text(encoding="utf-8")


@pytest.mark.parametrize("large", [False, True])
def test_strings_next_to_right_text_are_not_fixed(tmp_path: Path, large: bool) -> None:
    """In double quotation marks it may be meant where the file was read right elsewhere; a file of data is fixed."""
    request = Request(target=None, repair=True, spare_examples=True)
    path = tmp_path / "a.py"
    for text, status in (
        ('RIGHT = "Grüße aus Köln"\nWRONG = "" + "GrÃ¼ÃŸe aus KÃ¶ln"\n', "refused"),
        ('RIGHT = "Grüße aus Köln"\nWRONG: GrÃ¼ÃŸe aus KÃ¶ln\n', "change"),
        ('name,town\n"JosÃ©","MÃ¡laga"\n', "change"),
    ):
        path.write_text(text, encoding="utf-8")
        plan = plan_large(str(path), request)[0] if large else plan_file(str(path), request)
        assert plan.status == status, text


def test_this_project_is_left_alone(tmp_path: Path) -> None:
    """Modules, tests and pages that mention misread text and of declarations stay as they are."""
    root = Path(__file__).parent.parent
    before = {}
    for path in (
        *root.glob("*.md"),
        *(each for name in ("src", "tests", "docs", "bench") for each in root.glob(f"{name}/**/*")),
    ):
        if path.suffix in (".py", ".md", ".toml", ".html", ".js") and path.is_file():
            copy = tmp_path / path.relative_to(root)
            copy.parent.mkdir(parents=True, exist_ok=True)
            copy.write_bytes(path.read_bytes())
            before[copy] = copy.read_bytes()
    assert len(before) > 200
    run("check", "--fix", tmp_path)
    assert [path for path in before if path.read_bytes() != before[path]] == []


@pytest.mark.parametrize("text", ["/* José García */\nint x;\n", "1 + 1 = 2 ~ 2\n", RUSSIAN, "日本語のテキスト\n"])
def test_no_target_is_converted_twice(text: str, tmp_path: Path) -> None:
    """Whatever the target, a second run changes nothing; what would be converted again is refused in the first run."""
    path = tmp_path / "a.txt"
    for target in all_encodings():
        path.write_bytes(text.encode())
        plan = plan_file(str(path), Request(target.name))
        if plan.status == "change":
            path.write_bytes(plan.after)
            assert plan_file(str(path), Request(target.name)).status != "change", target.name


@pytest.mark.parametrize(
    ("text", "target", "seen"),
    [
        ("á é í ó ú\n", "gb18030", "euc_jp"),
        ("1 + 1 = 2\n", "utf-7", "ascii"),
        ("a ~ b\n", "hz", "ascii"),
    ],
)
def test_a_result_that_is_not_recognised_is_refused(
    text: str, target: str, seen: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The message says what it would be taken for, and what to do; --from and `charlens.convert` convert it."""
    path = tmp_path / "a.txt"
    path.write_bytes(text.encode("cp1252"))
    words = f"detected as {seen}, and a second run would convert it again; choose utf-8, or to convert it anyway, use"
    source = "ascii" if text.isascii() else "cp1252"
    with monkeypatch.context() as patch:
        for large in (False, True):
            patch.setattr("charlens.files.streaming.LARGE", 0 if large else LARGE)
            code, _, complaint = run("convert", "-i", "--to", target, path)
            assert code == 1 and f"{words} --from {source}" in complaint
            assert path.read_bytes() == text.encode("cp1252")
    assert charlens.convert(path.read_bytes(), target) == text.encode(target)
    assert run("convert", "-i", "--to", target, "--from", "cp1252", path)[0] == 0
    assert path.read_bytes() == text.encode(target)


def test_code_in_markdown_declares_nothing(tmp_path: Path) -> None:
    """A meta element in a block of code, or between back quotes, is not the page's own."""
    path = tmp_path / "README.md"
    text = "<p>Grüße</p>\n\n`<meta charset=latin1>`\n\n```html\n<meta charset=latin1>\n```\n"
    path.write_text(text, encoding="utf-8")
    assert run("check", path)[0] == 0
    path.write_text(text + "<meta charset=latin1>\n", encoding="utf-8")
    assert run("check", path)[0] == 1


def test_mixed_files_are_put_into_one(tmp_path: Path) -> None:
    """With --mixed each part is decoded by its own encoding; without, the file is refused."""
    first = "Grüße aus Köln\nund schöne Straßen, über die Brücke\n" * 4
    second = "Café crème, déjà vu à la carte\nélève, très chère\n" * 4
    path = tmp_path / "a.txt"
    path.write_bytes(first.encode() + second.encode("cp1252"))
    code, _, err = run("convert", "-i", path)
    assert code == 1 and "several encodings" in err
    assert run("convert", "-i", "--mixed", "--min-confidence", "0.5", path)[0] == 0
    assert path.read_text(encoding="utf-8") == first + second


def test_arguments_keep_their_folders(tmp_path: Path) -> None:
    """Of several folders each has its own place under --output."""
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "a.txt").write_bytes(RUSSIAN.encode("cp1251"))
    assert run("convert", tmp_path / "one", tmp_path / "two", "-o", tmp_path / "out")[0] == 0
    assert sorted(str(p.relative_to(tmp_path / "out")) for p in (tmp_path / "out").rglob("*.txt")) == [
        "one/a.txt",
        "two/a.txt",
    ]


def test_wrong_places_are_known_before_the_work(tmp_path: Path) -> None:
    """A journal or a report that cannot be written is wrong use, and nothing is done."""
    path = tmp_path / "a.txt"
    path.write_bytes(RUSSIAN.encode("cp1251"))
    assert run("convert", "-i", "--log", tmp_path / "no" / "x", path)[0] == 2
    assert run("convert", "-i", "--backup", "--suffix", "", path)[0] == 2
    assert run("scan", "--report", tmp_path / "no" / "x.html", tmp_path)[0] == 2
    assert path.read_bytes() == RUSSIAN.encode("cp1251")


@pytest.fixture
def large(tmp_path: Path) -> Path:
    """A file that is streamed."""
    path = tmp_path / "large.txt"
    data = RUSSIAN.encode("cp1251") * 1000
    with open(path, "wb") as file:
        for _ in range(LARGE // len(data) + 2):
            file.write(data)
    return path


@pytest.mark.skipif(charlens.kernel.NAME == "pure", reason="32 MB take a minute in plain Python")
def test_a_large_file_is_converted_and_undone(large: Path, tmp_path: Path) -> None:
    """Piece by piece, to the letter, and back to the byte."""
    before = large.read_bytes()
    log = tmp_path / "log"
    assert run("convert", "-i", "--log", log, large)[0] == 0
    assert large.read_bytes() == before.decode("cp1251").encode()
    assert run("undo", log)[0] == 0 and large.read_bytes() == before
    large.write_bytes(before + b"\x98\n")
    code, _, err = run("convert", "-i", "--from", "cp1251", large)
    assert code == 1 and "does not decode" in err and large.read_bytes() == before + b"\x98\n"
    lossy = ("convert", "-i", "--from", "cp1251", "--replace-damage", large)
    code, _, err = run(*lossy, "--log", log)
    assert code == 1 and "--backup instead of --log" in err and large.read_bytes() == before + b"\x98\n"
    code, out, _ = run(*lossy)
    assert code == 0 and "(1 place)" in out
    assert large.read_bytes() == before.decode("cp1251").encode() + "\ufffd\n".encode()
    assert sorted(os.listdir(tmp_path)) == ["large.txt", "log"]


@pytest.mark.skipif(charlens.kernel.NAME == "pure", reason="96 MB take minutes in plain Python")
def test_a_large_file_is_repaired(tmp_path: Path) -> None:
    """Lines that were read wrongly in a file that is streamed come back; a half repair is refused."""
    clean = "Viele Grüße aus Köln, und schöne Straßen\n".encode() * (LARGE // 40 // 2)
    wrong, right = "Ã„nderung, GrÃ¶ÃŸe, Ãœbermut\n".encode() * 5, "Änderung, Größe, Übermut\n".encode() * 5
    path = tmp_path / "large.txt"
    path.write_bytes(clean + wrong + clean)
    code, out, _ = run("repair", path)
    assert code == 1 and "repairs 5 passages" in out and path.read_bytes() == clean + wrong + clean
    assert run("repair", "-i", "-y", "--backup", path)[0] == 0
    assert path.read_bytes() == clean + right + clean
    assert (tmp_path / "large.txt.bak").read_bytes() == clean + wrong + clean
    half = clean + wrong + "Voilà lâ€™été\n".encode() + clean
    path.write_bytes(half)
    code, _, err = run("repair", "-i", "-y", path)
    assert code == 1 and "would remain" in err and path.read_bytes() == half


@pytest.mark.skipif(os.name == "nt", reason="signals of Unix")
@pytest.mark.parametrize("verb", [("convert", "-i"), ("check",)])
def test_ctrl_c_ends_within_a_second(large: Path, tmp_path: Path, verb: tuple[str, ...]) -> None:
    """In the middle of a large file: exit code 130, no traceback, the file is old, nothing is left beside it."""
    piece = (RUSSIAN * 20_000).encode("cp1251" if verb[0] == "convert" else "utf-8")
    with open(large, "wb") as file:
        for _ in range(6 * LARGE // len(piece)):
            file.write(piece)
    size = large.stat().st_size
    process = subprocess.Popen(
        [sys.executable, "-m", "charlens", *verb, str(large)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    # Its workers are there: it is past its imports, in which Ctrl-C ends any program of Python.
    children = Path(f"/proc/{process.pid}/task/{process.pid}/children")
    limit = time.monotonic() + 20
    while children.exists() and not children.read_text() and time.monotonic() < limit:
        time.sleep(0.01)
    time.sleep(0.3)
    assert process.poll() is None, "it was too quick to be interrupted"
    begin = time.monotonic()
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=30)
    assert time.monotonic() - begin < 2 and process.returncode == 130 and "Traceback" not in err
    assert large.stat().st_size == size and os.listdir(tmp_path) == ["large.txt"]


@pytest.mark.skipif(os.name == "nt", reason="signals of Unix")
@pytest.mark.skipif(charlens.kernel.NAME == "pure", reason="192 MB take minutes in plain Python")
def test_ctrl_c_ends_a_fix(large: Path, tmp_path: Path) -> None:
    """While a large file is being fixed: the file is old, the exit code 130, and nothing is left beside it."""
    with open(large, "wb") as file:
        for _ in range(6 * LARGE // len(RUSSIAN) // 20_000):
            file.write((RUSSIAN * 20_000).encode("cp1251"))
    size = large.stat().st_size
    process = subprocess.Popen(
        [sys.executable, "-m", "charlens", "check", "--fix", str(large)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    limit = time.monotonic() + 60
    while os.listdir(tmp_path) == ["large.txt"] and time.monotonic() < limit:
        assert process.poll() is None
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 130 and "interrupted after 1 file" in err and "0 fixed, 1 left" in out
    assert large.stat().st_size == size and os.listdir(tmp_path) == ["large.txt"]


@pytest.mark.skipif(os.name == "nt", reason="terminals of Unix")
@pytest.mark.skipif(charlens.kernel.NAME == "pure", reason="slow in plain Python, and the kernel makes no difference")
def test_results_go_above_the_bar(tmp_path: Path) -> None:
    """On a terminal no result is on the line of the bar, and the bar is gone in the end."""
    for number in range(200):
        (tmp_path / f"{number}.txt").write_bytes(RUSSIAN.encode("cp1251") * 50)
    (tmp_path / "b.txt").symlink_to(tmp_path / "nowhere")
    leader, follower = pty.openpty()
    command = [sys.executable, "-m", "charlens", "check", str(tmp_path)]
    process = subprocess.Popen(
        command, stdin=follower, stdout=follower, stderr=follower, env={**os.environ, "TERM": "xterm"}
    )
    os.close(follower)
    out = b""
    with contextlib.suppress(OSError):  # so ends what a terminal gives on Linux
        while piece := os.read(leader, 1 << 16):
            out += piece
    os.close(leader)
    assert process.wait(60) == 1
    # A line of the screen is what follows a line ending or what erases the line.
    lines = re.split(r"\n|\x1b\[2K", out.decode())
    assert any("━" in line for line in lines) and sum("confidence" in line for line in lines) == 200
    assert not any("━" in line and "confidence" in line for line in lines) and "━" not in lines[-1]


@pytest.mark.skipif(os.name == "nt", reason="terminals of Unix")
def test_results_go_to_the_file_while_a_bar_is_on_the_terminal(tmp_path: Path) -> None:
    """With standard error on a terminal, what goes to a file is all there, and no bar is in it."""
    for number in range(40):
        (tmp_path / f"{number}.txt").write_bytes(RUSSIAN.encode("cp1251"))
    leader, follower = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "charlens", "check", str(tmp_path)], stdout=subprocess.PIPE, stderr=follower
    )
    os.close(follower)
    out = process.communicate(timeout=60)[0].decode()
    os.close(leader)
    assert (
        out.count("cp1251, confidence") == 40 and "40 files checked, 40 failed" in out and "\x1b" not in out
    )


def test_the_library_keeps_declarations_true(tmp_path: Path) -> None:
    """A document saved in another encoding says so."""
    path = tmp_path / "a.py"
    path.write_bytes(("# coding: cp1251\n# " + RUSSIAN).encode("cp1251"))
    document = charlens.load(path)
    document.save(encoding="utf-8")
    assert path.read_bytes() == ("# coding: utf-8\n# " + RUSSIAN).encode()


def test_a_container_is_left_alone_also_where_its_encoding_is_named() -> None:
    """`convert --from` over a tree means the texts in it, not the PDF beside them."""
    plan = plan_bytes(CONTAINERS["a.pdf"], Request(source="cp1251"), "a.pdf")
    assert plan.status == "binary" and "application/pdf" in plan.refusal


@pytest.mark.parametrize("marked", [False, True])
def test_the_repair_of_a_large_file_is_undone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, marked: bool
) -> None:
    """Lines repaired by several chains, one with a lost no-break space, a mark in front: undo gives every byte back."""
    from charlens.files import repairing, streaming

    monkeypatch.setattr(streaming, "LARGE", 100)
    monkeypatch.setattr(repairing, "_PIECE", 200)
    russian = "Привет из Казани, друзья"
    lines = ["Viele GrÃ¼ÃŸe aus KÃ¶ln", "plain", "schöne Straßen, über", "voilÃ  le cafÃ© dÃ©jÃ  vu"]
    lines.append(russian.encode().decode("cp1251"))
    old = ("\ufeff" if marked else "").encode() + "\n".join(lines * 8).encode()
    path, log = tmp_path / "a.txt", tmp_path / "log"
    path.write_bytes(old)
    result = CliRunner().invoke(app, ["repair", "-i", "-y", "--log", str(log), str(path)])
    assert result.exit_code == 0 and "repairs 24 passages" in result.output, result.output
    new = path.read_bytes().decode("utf-8-sig").split("\n")
    assert new[:5] == [
        "Viele Grüße aus Köln",
        "plain",
        lines[2],
        "voilà le café déjà vu",
        russian,
    ]
    assert CliRunner().invoke(app, ["undo", str(log)]).exit_code == 0 and path.read_bytes() == old


@pytest.mark.parametrize("limit", [10, 1 << 20])
def test_a_named_encoding_that_does_not_fit_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, limit: int
) -> None:
    """Also where nothing else is to be changed, and whether the file is streamed or not."""
    monkeypatch.setattr("charlens.files.streaming.LARGE", limit)
    path = tmp_path / "a.txt"
    path.write_bytes("Grüße aus Köln\n".encode() * 5 + b"\xff\n")
    result = CliRunner().invoke(app, ["convert", "-i", "--from", "utf-8", str(path)])
    assert result.exit_code == 1 and "not utf-8" in result.output, result.output
    assert path.read_bytes().endswith(b"\xff\n")


def test_another_script_in_a_large_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Cyrillic that was read as windows-1252 is undone as a whole; where a part is not, nothing is."""
    from charlens.files import repairing, streaming

    monkeypatch.setattr(streaming, "LARGE", 100)
    monkeypatch.setattr(repairing, "_PIECE", 2000)
    text = "Привет из Казани, дорогие друзья, как у вас дела сегодня\n" * 60
    wrong = text.encode("cp1251").decode("cp1252")
    path, log = tmp_path / "a.txt", tmp_path / "log"
    path.write_text(wrong, encoding="utf-8")
    command = ["repair", "-i", "-y", "--log", str(log), str(path)]
    assert CliRunner().invoke(app, command).exit_code == 0 and path.read_text(encoding="utf-8") == text
    assert (
        CliRunner().invoke(app, ["undo", str(log)]).exit_code == 0
        and path.read_text(encoding="utf-8") == wrong
    )
    path.write_text(wrong + "Viele Grüße aus Köln\n" * 99, encoding="utf-8")
    result = CliRunner().invoke(app, command)
    assert result.exit_code == 1 and "the beginning is cp1251" in result.output, result.output
    assert path.read_text(encoding="utf-8").startswith(wrong)


def test_a_large_file_of_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is checked in pieces that end with a character, and not repaired."""
    from charlens.files import repairing, streaming

    for module, name in ((streaming, "LARGE"), (repairing, "_PIECE"), (repairing, "LONGEST_LINE")):
        monkeypatch.setattr(module, name, 101)
    path = tmp_path / "a.txt"
    path.write_text("schöne Straßen, über " * 50, encoding="utf-8")
    assert CliRunner().invoke(app, ["check", "-j", "1", str(path)]).exit_code == 0
    path.write_text("Viele GrÃ¼ÃŸe " * 50, encoding="utf-8")
    result = CliRunner().invoke(app, ["repair", "-i", "-y", str(path)])
    assert result.exit_code == 1 and "a line of more than" in result.output, result.output


@pytest.mark.parametrize("encoding", ["utf-8", "cp1252"])
def test_a_large_file_is_checked_as_a_small_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, encoding: str
) -> None:
    """The same problems with the same lines, wherever the pieces end; damage, too."""
    from charlens.cli.checking import Wanted, check_file
    from charlens.files import repairing, streaming

    lines = ["schöne Straßen, über"] * 30 + ["Viele GrÃ¼ÃŸe aus KÃ¶ln"] + ["schön"] * 9 + ["caf\u0081e"]
    path = tmp_path / "a.txt"
    path.write_bytes("\n".join(lines[:-1] if encoding == "cp1252" else lines).encode(encoding))
    small = check_file(str(path), Wanted(encoding))
    monkeypatch.setattr(streaming, "LARGE", 10)
    monkeypatch.setattr(repairing, "_PIECE", 50)
    large = {problem.rule: problem for problem in check_file(str(path), Wanted(encoding))}
    assert (
        small
        and {problem.rule: problem.line for problem in small}.items()
        <= {rule: problem.line for rule, problem in large.items()}.items()
    )
    path.write_bytes(path.read_bytes() + b"\n\xff\xfe\xff x")
    if encoding == "utf-8":
        (damaged,) = check_file(str(path), Wanted(encoding))
        assert damaged.rule == "damaged" and damaged.line == len(lines) + 1


def test_a_large_dump_that_declares_again_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A declaration behind the first piece would be left as it is, so nothing is written."""
    monkeypatch.setattr("charlens.files.streaming.LARGE", 100)
    monkeypatch.setattr("charlens.files.streaming._PIECE", 1 << 16)
    path = tmp_path / "a.sql"
    rows = "INSERT INTO t VALUES ('Съешь ещё этих мягких французских булок');\n" * 2000
    late = "SET character_set_client = cp1251;\n"
    for text, is_refused in ((rows + late + rows, True), (rows + rows, False)):
        path.write_bytes(("-- dump\nSET NAMES cp1251;\n" + text).encode("cp1251"))
        before = path.read_bytes()
        plan, recipe = plan_large(str(path), Request())
        assert recipe is not None
        words = "'cp1251' is declared again further down"
        with pytest.raises(Refused, match=words) if is_refused else contextlib.nullcontext():
            write_large(plan, recipe, None, Writing())
        assert (path.read_bytes() == before) is is_refused
    assert path.read_text(encoding="utf-8").startswith("-- dump\nSET NAMES utf8mb4;")


_LINES = "Съешь ещё этих мягких французских булок, да выпей чаю.\n" * 3


@pytest.mark.parametrize(
    ("name", "data", "request_", "words"),
    [
        ("a.png", b"\x89PNG\r\n\x1a\n" + bytes(300), Request(), "not plain text: image/png"),
        ("a.dat", bytes(range(256)) * 4, Request(), "binary"),
        (
            "a.json",
            b'{"a": "' + _LINES.encode("cp1251")[:300] + b'"}',
            Request(target="koi8-r"),
            "JSON must be utf-8",
        ),
        ("a.txt", _LINES.encode("cp1251"), Request(source="utf-8"), "not utf-8: byte 0 does not decode"),
        ("a.txt", _LINES.encode("cp1251"), Request(min_confidence=1.1), "not certain enough"),
        ("a.txt", _LINES.encode() + b"\xff\n", Request(), "damaged"),
        (
            "a.mbox",
            b"From: a@b.c\nContent-Type: text/plain; charset=windows-1251\n\n" + _LINES.encode("cp1251"),
            Request(),
            "its parts declare windows-1251; split it into smaller files first, or use --keep-declarations",
        ),
        (
            "a.el",
            _LINES.encode("cp1251") + b";; Local Variables:\n;; coding: cp1251\n;; End:\n",
            Request(),
            "'cp1251' is declared at the end; change that line first",
        ),
        ("a", b"From: a@b.c\nContent-Length: 9\n\n" + _LINES.encode("cp1251"), Request(), "has a Content-Length"),
        ("a", b"From: a@b.c\nContent-Length: 9\n\n" + b"hello\n" * 99, Request(newline="crlf"), "has a Content-Length"),
        (
            "a",
            b"From: a@b.c\nContent-Length: 9\n\n" + b"hello\n" * 300_000 + _LINES.encode("cp1251"),
            Request(),
            "has a Content-Length",
        ),
    ],
)
def test_a_large_file_is_refused_in_words(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, data: bytes, request_: Request, words: str
) -> None:
    """What cannot be streamed safely is refused before anything is written, and the words say why."""
    monkeypatch.setattr("charlens.files.streaming.LARGE", 100)
    path = tmp_path / name
    path.write_bytes(data)
    plan, recipe = plan_large(str(path), request_)
    assert words in plan.refusal and recipe is None and plan.status in ("refused", "binary")


def test_a_large_file_with_a_character_that_would_be_lost_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The proof fails while it is written: the file is as it was, and nothing is left beside it."""
    monkeypatch.setattr("charlens.files.streaming.LARGE", 100)
    path = tmp_path / "a.txt"
    path.write_bytes(_LINES.encode())
    plan, recipe = plan_large(str(path), Request(target="cp1252"))
    assert recipe is not None
    with pytest.raises(charlens.CharlensError, match=r"a character would be lost: '.' is not in cp1252"):
        write_large(plan, recipe, None, Writing(verb="convert"))
    assert path.read_bytes() == _LINES.encode() and list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("target", ["cp437", "cp1253", "iso8859-15", "utf-8"])
def test_a_large_file_is_written_in_an_encoding_that_detection_cannot_prove(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, target: str
) -> None:
    """Only UTF-8 is looked at again by detection: of a few letters it would name another legacy encoding."""
    monkeypatch.setattr("charlens.files.streaming.LARGE", 100)
    path = tmp_path / "a.txt"
    path.write_bytes("±\n".encode() * 99)
    plan, recipe = plan_large(str(path), Request(target=target, source="utf-8"))
    if recipe is not None:
        write_large(plan, recipe, None, Writing(verb="convert"))
    assert not plan.refusal and path.read_bytes() == ("±\n" * 99).encode(target)


_GERMAN = "Viele Grüße aus Köln, schöne Straßen und Bücher\n"
#: Files of which some can be streamed and others cannot, because only a plan in memory sees all of them at once.
BORDER = {
    "even": RUSSIAN.encode("cp1251") * 9,
    "latin": _GERMAN.encode("cp1252") * 9,
    "japanese": "これは日本語の文章です。今日は良い天気ですね。\n".encode("cp932") * 9,
    "utf-8": _GERMAN.encode() * 9,
    "utf-16": _GERMAN.encode("utf-16") * 9,
    "mixed": RUSSIAN.encode("cp1251") * 9 + RUSSIAN.encode("koi8-r") * 9,
    "one line of UTF-8": _GERMAN.encode("cp1252") * 9 + "Ça va déjà, à bientôt, être\n".encode() * 2,
    "page": b'<meta charset="windows-1251"><p>' + RUSSIAN.encode("cp1251") * 9,
    "declares late": RUSSIAN.encode("cp1251") * 9 + b"% \\usepackage[cp1251]{inputenc}\n" * 2,
    "vim": RUSSIAN.encode("cp1251") * 9 + b"\n# vim: set fenc=cp1251 :\n",
    "escapes": RUSSIAN.encode("cp1251") * 9 + b"\x1b[1mbold\x1b[0m\n",
    "damaged": _GERMAN.encode() * 9 + b"\xff\xfe\n" + _GERMAN.encode(),
    "misread": _GERMAN.encode().decode("cp1252").encode() * 3 + _GERMAN.encode() * 9,
    "lost": _GERMAN.encode() * 9 + "Gr\ufffd\ufffde\n".encode(),
    "line ends": _GERMAN.replace("\n", "\r\n").encode("cp1252") * 9 + _GERMAN.encode("cp1252"),
    "marked": b"\xef\xbb\xbf" + _GERMAN.encode() * 9,
    "binary": bytes(range(256)) * 20,
}


@pytest.mark.parametrize("name", BORDER)
def test_a_stream_answers_as_a_plan_in_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    """On both sides of the border: the same bytes, words and problems, for every way to change a file."""
    from charlens.cli.checking import Wanted, check_file
    from charlens.cli.writers import Job, work_on
    from charlens.files import repairing, streaming
    from charlens.files.writing import Writing

    requests = (
        Request(),
        Request(newline="lf", bom=False),
        Request(mixed=True),
        Request("utf-16"),
        Request(source="cp1251", declarations=False),
        Request(None, repair=True, declarations=False),
    )
    found = []
    for border in (1 << 20, 100):
        monkeypatch.setattr(streaming, "STREAMED", border)
        for module in (streaming, repairing):
            monkeypatch.setattr(module, "_PIECE", 300)
        monkeypatch.setattr(streaming, "_TAIL", 60)
        answers: list[object] = []
        for number, request in enumerate(requests):
            path, log = tmp_path / f"{number}.txt", tmp_path / f"{number}.log"
            path.write_bytes(BORDER[name])
            log.unlink(missing_ok=True)
            result = work_on(str(path), Job(request, Writing(log=str(log))))
            answers += (result, path.read_bytes(), check_file(str(path), Wanted("utf-8", newline="lf")))
            if result.status == "changed":
                assert CliRunner().invoke(app, ["undo", str(log)]).exit_code == 0
                assert path.read_bytes() == BORDER[name]
        found.append(answers)
    assert found[0] == found[1]


def test_a_streamed_file_names_its_changes_in_the_same_order(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Line endings, then the byte order mark, whether the file is in memory or not."""
    from charlens.files import streaming

    path = tmp_path / "a.txt"
    path.write_bytes(BORDER["latin"])
    words = []
    for border in (1 << 20, 100):
        monkeypatch.setattr(streaming, "STREAMED", border)
        plan, recipe = streaming.plan_path(str(path), Request("utf-16", newline="cr"))
        assert (recipe is None) is (border > 100)
        words.append(plan.words)
    assert words[0] == words[1] == "line endings lf to cr, adds a byte order mark"


def test_what_is_streamed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Above the border, an even text is; one in several encodings, or with a declaration far down, is not."""
    from charlens.files import repairing, streaming

    monkeypatch.setattr(streaming, "STREAMED", 100)
    monkeypatch.setattr(streaming, "_TAIL", 60)
    for module in (streaming, repairing):
        monkeypatch.setattr(module, "_PIECE", 300)
    streamed = []
    for name, data in BORDER.items():
        path = tmp_path / "a.txt"
        path.write_bytes(data)
        if streaming.plan_path(str(path), Request())[1] is not None:
            streamed.append(name)
    assert streamed == [
        "even",
        "latin",
        "japanese",
        "utf-8",
        "page",
        "misread",
        "lost",
        "line ends",
        "marked",
    ]


def test_a_large_file_in_several_encodings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With --mixed each piece is converted by a plan of its own; a journal is refused, and so is a piece in doubt."""
    from charlens.files import repairing, streaming

    monkeypatch.setattr(streaming, "LARGE", 1000)
    monkeypatch.setattr(streaming, "_WINDOW", 2000)
    monkeypatch.setattr(repairing, "_PIECE", 3000)
    path = tmp_path / "a.txt"
    text = RUSSIAN * 30 + _GERMAN * 90 + RUSSIAN * 30
    before = (RUSSIAN * 30).encode("cp1251") + (_GERMAN * 90).encode() + (RUSSIAN * 30).encode("koi8-r")
    path.write_bytes(before)
    command = ["convert", "-i", "-j", "1", str(path)]
    result = CliRunner().invoke(app, command)
    assert result.exit_code == 1 and "use --mixed" in result.output, result.output
    result = CliRunner().invoke(app, [*command, "--mixed", "--log", str(tmp_path / "log")])
    assert result.exit_code == 1 and "--backup instead of --log" in result.output, result.output
    assert path.read_bytes() == before
    result = CliRunner().invoke(app, [*command, "--mixed", "--bom"])
    assert result.exit_code == 0 and "cp1251, utf-8 and koi8-r to utf-8 (in parts)" in result.output, (
        result.output
    )
    assert path.read_bytes() == b"\xef\xbb\xbf" + text.encode()
    path.write_bytes(before + b"\xa4\xf0\xd9\n" * 300)
    result = CliRunner().invoke(app, [*command, "--mixed"])
    assert result.exit_code == 1 and "the lines from byte" in result.output, result.output
    assert path.read_bytes() == before + b"\xa4\xf0\xd9\n" * 300
    assert sorted(os.listdir(tmp_path)) == ["a.txt", "log"]


def test_the_difference_of_a_long_repair(monkeypatch: pytest.MonkeyPatch) -> None:
    """A long text is not taken apart into lines: the same lines are shown as changed, without those around them."""
    from charlens.cli import writers

    wrong = _GERMAN.encode().decode("cp1252")
    lines = [_GERMAN] * 5 + [wrong] + [_GERMAN] * 5 + [wrong] * 2
    text = "".join(f"{number} {line}" for number, line in enumerate(lines))
    plan = plan_bytes(text.encode(), Request(None, repair=True, declarations=False), "a.txt")
    whole = [line for line in writers.differences(plan) if line[:1] in "-+"]
    monkeypatch.setattr(writers, "_LONG", 10)
    short = list(writers.differences(plan))
    assert sorted(line for line in short if line[:1] in "-+") == sorted(whole)
    assert [line for line in short if line[:1] == "@"] == ["@@ -6 +6 @@", "@@ -12 +12 @@", "@@ -13 +13 @@"]


@pytest.mark.skipif(os.name == "nt", reason="links and modes of Unix")
@pytest.mark.parametrize("large", [False, True])
def test_what_is_not_replaced_has_no_backup(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, large: bool
) -> None:
    """A read-only file and one with several names are refused before anything is written beside them."""
    if large:
        monkeypatch.setattr("charlens.files.streaming.LARGE", 10)
    for name in ("read-only.txt", "a.txt"):
        (tmp_path / name).write_bytes(RUSSIAN.encode("cp1251"))
    (tmp_path / "read-only.txt").chmod(0o444)
    os.link(tmp_path / "a.txt", tmp_path / "b.txt")
    result = CliRunner().invoke(app, ["convert", "-i", "-j", "1", "--backup", str(tmp_path)])
    assert result.exit_code == 1 and "3 refused" in result.output, result.output
    assert sorted(os.listdir(tmp_path)) == ["a.txt", "b.txt", "read-only.txt"]
