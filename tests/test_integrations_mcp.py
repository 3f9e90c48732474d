"""The server for assistants: a client of the official SDK edits files in their own encodings, and nothing else."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from prose_texts import PROSE

import charlens.integrations.mcp as server
from charlens.errors import CharlensError
from charlens.files import project
from charlens.files.reading import Refused
from charlens.integrations.mcp import Files

mcp = pytest.importorskip("mcp", reason="the SDK of the protocol is not installed (extra: mcp)")

#: Encodings with a language that is written in them; each file has CRLF, LF and a line to change.
ENCODINGS = {
    "utf-8": "de",
    "utf-8-sig": "fr",
    "utf-16": "ru",
    "utf-32": "el",
    "cp1250": "pl",
    "cp1251": "ru",
    "cp1252": "fr",
    "cp1253": "el",
    "cp1254": "tr",
    "cp1255": "he",
    "cp1256": "ar",
    "koi8-r": "ru",
    "cp866": "ru",
    "iso8859-2": "cs",
    "mac-cyrillic": "ru",
    "cp932": "ja",
    "euc_jp": "ja",
    "iso2022_jp": "ja",
    "gb18030": "zh-Hans",
    "big5": "zh-Hant",
    "cp949": "ko",
}


def parts(encoding: str) -> tuple[bytes, bytes, bytes, bytes]:
    """The bytes before the line to change, two versions of the line, and the bytes after it."""
    base = {"utf-8-sig": "utf-8", "utf-16": "utf-16-le", "utf-32": "utf-32-le"}.get(encoding, encoding)
    mark = b"" if base == encoding else "".encode(encoding)
    prose = PROSE[ENCODINGS[encoding]][:600].encode(base, "ignore").decode(base).strip()
    before, behind = f"// {prose}\r\n", f"\n{prose[:200]}\r\n// end"
    return mark + before.encode(base), *(line.encode(base) for line in ("int a = 1;", "int b = 22;", behind))


async def call(client: Any, tool: str, **arguments: Any) -> Any:
    """Call a tool; what it gives, or the words of its error."""
    result = await client.call_tool(tool, arguments)
    if result.is_error:
        raise Refused(result.content[0].text)
    return result.structured_content


def client_for(folder: Path, *options: str) -> Any:
    """A client that starts the server as an assistant does."""
    return mcp.Client(
        mcp.StdioServerParameters(
            command=sys.executable,
            args=["-m", "charlens", "mcp", *options, str(folder)],
            env=dict(os.environ),
        )
    )


def test_a_client_edits_files_in_twenty_encodings(tmp_path: Path) -> None:
    """After an exact replacement, every byte before and after it is the same, in each encoding."""

    async def edit_all() -> dict[str, Any]:
        async with client_for(tmp_path) as client:
            results = {}
            for name in ENCODINGS:
                found = await call(client, "read_file", path=f"{name}.c")
                assert "int a = 1;" in found["text"] and "\r" not in found["text"]
                results[name] = await call(
                    client, "edit_file", path=f"{name}.c", old="int a = 1;", new="int b = 22;"
                )
            return results

    for name in ENCODINGS:
        before, old, _, behind = parts(name)
        (tmp_path / f"{name}.c").write_bytes(before + old + behind)
    results = asyncio.run(edit_all())
    assert len(results) >= 20
    for name in ENCODINGS:
        before, _, new, behind = parts(name)
        assert (tmp_path / f"{name}.c").read_bytes() == before + new + behind, name
        assert results[name]["written"] is True


def test_a_client_writes_reads_and_asks_why(tmp_path: Path) -> None:
    """A letter of the file's own alphabet goes in; one that it lacks is an error, and the file stays."""
    path = tmp_path / "letter.txt"
    text = PROSE["ru"][:300].encode("cp1251", "ignore").decode("cp1251").replace("\n", " ")
    path.write_bytes(f"{text}\r\nконец\r\n".encode("cp1251"))

    async def work() -> None:
        async with client_for(tmp_path) as client:
            tools = {tool.name for tool in (await client.list_tools()).tools}
            assert tools == {"read_file", "edit_file", "write_file", "explain_file"}
            await call(client, "edit_file", path="letter.txt", old="конец", new="самый конец")
            with pytest.raises(Refused, match="'日'"):
                await call(client, "edit_file", path="letter.txt", old="конец", new="日")
            with pytest.raises(Refused, match="outside the folder"):
                await call(client, "read_file", path="../other.txt")
            part = await call(client, "read_file", path="letter.txt", start_line=2, lines=1)
            assert (part["text"], part["lines"], part["line_ends"]) == ("самый конец\n", 2, ["crlf"])
            why = await call(client, "explain_file", path="letter.txt")
            assert "cp1251" in why["result"]
            made = await call(client, "write_file", path="new/new.txt", text="größer\n")
            assert made == {"written": True, "encoding": "utf-8", "changed": made["changed"]}

    asyncio.run(work())
    assert path.read_bytes() == f"{text}\r\nсамый конец\r\n".encode("cp1251")
    assert (tmp_path / "new" / "new.txt").read_bytes() == "größer\n".encode()


def test_a_server_that_only_reads_has_no_tool_that_writes(tmp_path: Path) -> None:
    """--read-only leaves reading and explaining."""

    async def names() -> set[str]:
        async with client_for(tmp_path, "--read-only") as client:
            return {tool.name for tool in (await client.list_tools()).tools}

    assert asyncio.run(names()) == {"read_file", "explain_file"}


def test_nothing_outside_the_folder_is_touched(tmp_path: Path) -> None:
    """Absolute paths, '..', and links that lead out are refused, for reading and for writing."""
    root = tmp_path / "root"
    root.mkdir()
    outside = tmp_path / "outside.txt"
    outside.write_text("secret\n")
    (root / "link.txt").symlink_to(outside)
    (root / "folder").symlink_to(tmp_path)
    (tmp_path / "root-2").mkdir()
    files = Files(str(root))
    for path in (
        "../outside.txt",
        str(outside),
        "link.txt",
        "folder/outside.txt",
        "../root-2/a.txt",
        "a/../../b.txt",
    ):
        with pytest.raises(Refused, match="outside"):
            files.read(path)
        with pytest.raises(Refused, match="outside"):
            files.write(path, "changed\n")
    assert outside.read_text() == "secret\n"
    assert os.listdir(tmp_path / "root-2") == []


@pytest.mark.skipif(os.open not in os.supports_dir_fd, reason="needs names in open folders")
@pytest.mark.parametrize("swapped", ["folder", "file"])
@pytest.mark.parametrize("tool", ["read", "explain", "edit", "write"])
def test_a_link_that_is_swapped_in_after_the_check_leads_nowhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, tool: str, swapped: str
) -> None:
    """If a folder or the file becomes a link behind the check of the path, nothing outside is read or written."""
    outside, root = tmp_path / "outside", tmp_path / "root"
    for folder in (outside, root / "sub"):
        folder.mkdir(parents=True)
        (folder / "a.txt").write_text("secret\n" if folder == outside else "inside\n")
    checked = Files._place

    def swap(files: Files, path: str) -> str:
        place = checked(files, path)
        victim = root / "sub" if swapped == "folder" else root / "sub" / "a.txt"
        if not victim.is_symlink():
            victim.rename(tmp_path / "moved")
            victim.symlink_to(outside if swapped == "folder" else outside / "a.txt")
        return place

    monkeypatch.setattr(Files, "_place", swap)
    files = Files(str(root))
    arguments = {"edit": ("secret", "changed"), "write": ("changed",)}.get(tool, ())
    with pytest.raises((OSError, Refused)):
        getattr(files, tool)("sub/a.txt", *arguments)
    assert (outside / "a.txt").read_text() == "secret\n" and os.listdir(outside) == ["a.txt"]


@pytest.mark.skipif(os.open not in os.supports_dir_fd, reason="needs names in open folders")
def test_a_link_that_is_swapped_in_before_writing_leads_nowhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """If the folder becomes a link between reading and writing, the file that it leads to stays as it was."""
    outside, sub = tmp_path / "outside", tmp_path / "root" / "sub"
    for folder in (outside, sub):
        folder.mkdir(parents=True)
        (folder / "a.txt").write_text("one\n")
    plan_text = server.plan_text

    def swapped(*arguments: Any, **keywords: Any) -> Any:
        plan = plan_text(*arguments, **keywords)
        sub.rename(tmp_path / "moved")
        sub.symlink_to(outside)
        return plan

    monkeypatch.setattr(server, "plan_text", swapped)
    with pytest.raises(OSError, match="directory"):
        Files(str(tmp_path / "root")).edit("sub/a.txt", "one", "two")
    assert (outside / "a.txt").read_text() == "one\n" and os.listdir(outside) == ["a.txt"]


@pytest.mark.skipif(sys.platform != "linux", reason="extended attributes of Linux")
def test_mode_and_attributes_are_kept(tmp_path: Path) -> None:
    """A file that an assistant edits keeps its mode and its extended attributes, as with `save`."""
    path = tmp_path / "sub" / "a.txt"
    path.parent.mkdir()
    path.write_text("one\n")
    path.chmod(0o640)
    try:
        os.setxattr(path, "user.a", b"b")
    except OSError:
        pytest.skip("no extended attributes here")
    Files(str(tmp_path)).edit("sub/a.txt", "one", "two")
    assert path.read_text() == "two\n" and os.listdir(path.parent) == ["a.txt"]
    assert (path.stat().st_mode & 0o777, os.getxattr(path, "user.a")) == (0o640, b"b")


def test_what_the_project_says_is_read_in_the_folder_only(tmp_path: Path) -> None:
    """An .editorconfig above the folder, or linked from outside, does not count; one written meanwhile does."""
    root = tmp_path / "root"
    (root / "sub").mkdir(parents=True)
    rule = "[*.txt]\ncharset = latin1\n"
    (tmp_path / ".editorconfig").write_text(rule)
    (root / "sub" / ".editorconfig").symlink_to(tmp_path / ".editorconfig")
    files = Files(str(root))
    assert files.write("sub/a.txt", "größer\n")["encoding"] == "utf-8"
    files.write(".editorconfig", rule)
    assert files.write("sub/b.txt", "größer\n")["encoding"] == "iso8859-1"
    files.edit(".editorconfig", "latin1", "utf-8")
    assert files.write("sub/c.txt", "größer\n")["encoding"] == "utf-8"


@pytest.mark.skipif(os.open not in os.supports_dir_fd, reason="needs names in open folders")
def test_a_project_file_that_becomes_a_link_after_the_check_is_not_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An .editorconfig that leads out of the folder behind the check does not count."""
    root = tmp_path / "root"
    root.mkdir()
    (tmp_path / "outside").write_text("[*.txt]\ncharset = latin1\n")

    def swap(folder: str, path: str) -> bool:
        inside = within(folder, path)
        if path.endswith(".editorconfig") and not os.path.lexists(path):
            os.symlink(tmp_path / "outside", path)
        return inside

    within = project.within
    monkeypatch.setattr(project, "within", swap)
    assert Files(str(root)).write("a.txt", "größer\n")["encoding"] == "utf-8"
    assert os.path.islink(root / ".editorconfig")


def test_only_files_in_the_folder_are_opened(tmp_path: Path) -> None:
    """All that is opened or made while the tools work is in the folder, by its path or as a name in an open folder."""
    root = tmp_path / "root"
    root.mkdir()
    (root / "a.txt").write_bytes("Größe und Übermaß\r\n".encode("cp1252") * 9)
    program = f"""
import sys
from charlens.integrations.mcp import Files
files = Files({str(root)!r})
files.write("warm.txt", "größer, und noch größer")  # what is imported and loaded once
files.read("a.txt"), files.explain("a.txt")
EVENTS = {{"open", "os.rename", "os.remove", "os.mkdir", "os.link", "os.symlink", "os.truncate", "os.listdir"}}
sys.addaudithook(lambda event, values: print(event, values[0]) if event in EVENTS else None)
files.read("a.txt"), files.explain("a.txt")
files.edit("a.txt", "Größe", "Länge", True)
files.write("sub.txt", "größer")
"""
    command = [sys.executable, "-c", program]
    done = subprocess.run(command, capture_output=True, text=True, check=True, cwd="/")
    opened = [line.split(" ", 1)[1] for line in done.stdout.splitlines()]
    assert len(opened) >= 5
    # A name alone would not be found in the current folder, which is another.
    assert [path for path in opened if os.sep in path and not path.startswith(str(root))] == []
    assert "Länge" in (root / "a.txt").read_bytes().decode("cp1252")


def test_a_change_by_another_program_is_not_overwritten(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """If the file changes between reading and writing, nothing is written."""
    path = tmp_path / "a.txt"
    path.write_bytes(b"one\n")
    plan_text = server.plan_text

    def changed_meanwhile(*arguments: Any, **keywords: Any) -> Any:
        plan = plan_text(*arguments, **keywords)
        path.write_bytes(b"other\n")
        return plan

    monkeypatch.setattr(server, "plan_text", changed_meanwhile)
    with pytest.raises(CharlensError, match="another program"):
        Files(str(tmp_path)).edit("a.txt", "one", "two")
    assert path.read_bytes() == b"other\n"


def test_edits_are_exact(tmp_path: Path) -> None:
    """What is not there, is there twice, is binary or is under .git is not changed; a CRLF is a line ending."""
    files = Files(str(tmp_path))
    path = tmp_path / "a.txt"
    path.write_bytes(b"one\r\ntwo\r\ntwo\r\n")
    with pytest.raises(Refused, match="not in the file"):
        files.edit("a.txt", "three", "four")
    with pytest.raises(Refused, match="2 times"):
        files.edit("a.txt", "two", "four")
    files.edit("a.txt", "one\r\ntwo", "eins\nzwei")
    assert path.read_bytes() == b"eins\r\nzwei\r\ntwo\r\n"
    files.edit("a.txt", "w", "W", replace_all=True)
    assert path.read_bytes() == b"eins\r\nzWei\r\ntWo\r\n"
    (tmp_path / "a.png").write_bytes(b"\x89PNG\r\n\x1a\n\x00\x00")
    with pytest.raises(Refused):
        files.edit("a.png", "PNG", "GIF")
    (tmp_path / ".git").mkdir()
    with pytest.raises(Refused, match=r"under \.git"):
        files.write(".git/config", "[alias]\n")
    assert os.listdir(tmp_path / ".git") == []
