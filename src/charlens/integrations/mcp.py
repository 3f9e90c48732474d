"""A server for the Model Context Protocol: an assistant reads and edits files, which keep their encoding.

Assistants read and write UTF-8, and damage files in other encodings.  With these tools they see text, and the file
keeps its encoding, mark, line endings and every byte of the lines that did not change.  `Files` does the work, limited
to one folder; `make_server` passes it to the official SDK (`pip install 'charlens[mcp]'`), and `charlens mcp FOLDER`
runs it.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from charlens.errors import CharlensError
from charlens.explanation import explain
from charlens.files.atomic import write_atomically
from charlens.files.confined import hold, within
from charlens.files.document import Document
from charlens.files.editing import new_document, open_document, plan_text, shown_text
from charlens.files.reading import Refused
from charlens.files.words import reason
from charlens.files.writing import same_as
from charlens.inputs.paths import open_regular, spool_bytes

if TYPE_CHECKING:
    from mcp.server import MCPServer

#: The default number of lines per call: more would fill the context of most assistants.
_LINES = 2000
_NAMES = {"\n": "lf", "\r\n": "crlf", "\r": "cr"}
_INSTRUCTIONS = (
    "Use these tools for text files that are not UTF-8, or may not be (legacy code, old documents): read_file shows "
    "any encoding as text, edit_file and write_file keep the encoding, byte order mark and line endings of the file. "
    "Paths are relative to the folder that the server was started with."
)


class Files:
    """Reads and changes the text files under one folder; nothing outside it is touched."""

    def __init__(self, root: str) -> None:
        self.root = os.path.realpath(root)
        if not os.path.isdir(self.root):
            raise NotADirectoryError(20, "is not a folder", root)

    def read(
        self, path: str, start_line: int = 1, lines: int = _LINES, encoding: str | None = None
    ) -> dict[str, Any]:
        """Return *lines* lines of the file from *start_line* on, with its encoding and line endings."""
        document = self._open(path, encoding)
        text = shown_text(document)
        all_lines = text.split("\n")
        first = max(start_line, 1) - 1
        part = all_lines[first : first + max(lines, 1)]
        return {
            **_describe(document),
            "lines": len(all_lines) - (all_lines[-1] == ""),
            "start_line": first + 1,
            "text": "\n".join(part) + ("\n" if first + len(part) < len(all_lines) else ""),
        }

    def edit(
        self, path: str, old: str, new: str, replace_all: bool = False, encoding: str | None = None
    ) -> dict[str, Any]:
        """Replace *old* by *new*; *old* must be in the file exactly once unless *replace_all* is true."""
        document = self._open(path, encoding)
        text = shown_text(document)
        old, new = _plain(old), _plain(new)
        number = text.count(old) if old else 0
        if number == 0:
            raise Refused(
                "the text to replace is empty or not in the file; read the file and copy the text exactly"
            )
        if number > 1 and not replace_all:
            raise Refused(
                f"the text to replace occurs {number} times in the file; include more of the surrounding lines"
            )
        return self._write(document, text.replace(old, new), encoding)

    def write(self, path: str, text: str, encoding: str | None = None) -> dict[str, Any]:
        """Replace the content of the file by *text*; a new file is UTF-8, or as the project or *encoding* say."""
        try:
            document = self._open(path, encoding)
        except FileNotFoundError:
            document = new_document(self._place(path), encoding)
        return self._write(document, text, encoding)

    def explain(self, path: str) -> str:
        """Return the explanation of the detection as text."""
        with (
            hold(self.root, self._place(path)) as (name, folder),
            open_regular(name, folder) as file,
            spool_bytes(file) as data,
        ):
            return "\n".join(map(str, explain(data).steps))

    def _open(self, path: str, encoding: str | None) -> Document:
        place = self._place(path)
        with hold(self.root, place) as (name, folder):
            return open_document(place, encoding, open_regular(name, folder))

    def _write(self, document: Document, text: str, encoding: str | None) -> dict[str, Any]:
        plan = plan_text(document, text, certain=encoding is not None, root=self.root)
        if plan.status == "refused":
            raise Refused(f"nothing was written: {plan.words}")
        if ".git" in os.path.relpath(plan.path, self.root).casefold().split(os.sep):
            raise Refused("nothing was written: files under .git cannot be edited")
        if plan.status == "change":
            with hold(self.root, plan.path, make=True) as (name, folder):
                unchanged = same_as(name, plan.before, folder)
                write_atomically(name, plan.after, last_look=unchanged, folder=folder)
        return {"written": plan.status == "change", "encoding": plan.target, "changed": plan.words}

    def _place(self, path: str) -> str:
        """Return the real path of the file, with links resolved; refuse one outside the folder."""
        place = os.path.realpath(os.path.join(self.root, path))
        if not within(self.root, place):
            raise Refused(f"{path!r} is outside the folder that this server may access")
        return place


def _describe(document: Document) -> dict[str, Any]:
    return {
        "encoding": document.encoding,
        "encodings": list(document.encodings),
        "confidence": round(document.verdict.confidence, 4),
        "language": document.verdict.language,
        "byte_order_mark": bool(document.bom),
        "line_ends": [_NAMES[end] for end in document.newlines],
        "undecodable_ranges": len(document.verdict.damage),
    }


def _plain(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n")


def make_server(root: str, *, read_only: bool = False) -> MCPServer[Any]:
    """Return a server for the files under *root*; with *read_only*, without the tools that write."""
    try:
        from mcp.server import MCPServer
        from mcp.server.mcpserver.exceptions import ToolError
    except ImportError as error:
        raise ImportError("the server needs the MCP SDK: pip install 'charlens[cli,mcp]'", name="mcp") from error

    files = Files(root)
    server: MCPServer[Any] = MCPServer("charlens", instructions=_INSTRUCTIONS)

    def run(work: Any, *arguments: Any) -> Any:
        try:
            return work(*arguments)
        except (OSError, ValueError, CharlensError) as error:
            raise ToolError(reason(error)) from error

    @server.tool()
    def read_file(path: str, start_line: int = 1, lines: int = _LINES, encoding: str = "") -> dict[str, Any]:
        """Read a text file in any encoding. Returns the text with LF line endings, its encoding and its line endings.

        Set encoding only if the detected one is wrong. U+FFFD stands for bytes that do not decode; leave such
        lines as they are.
        """
        return dict(run(files.read, path, start_line, lines, encoding or None))

    @server.tool()
    def explain_file(path: str) -> str:
        """Explain how the encoding and language of a file were detected."""
        return str(run(files.explain, path))

    if read_only:
        return server

    @server.tool()
    def edit_file(
        path: str, old: str, new: str, replace_all: bool = False, encoding: str = ""
    ) -> dict[str, Any]:
        """Replace the exact text old by new in a file, which keeps its encoding, byte order mark and line endings.

        old must be in the file once, unless replace_all. A character that the encoding lacks is an error, and
        nothing is written.
        """
        return dict(run(files.edit, path, old, new, replace_all, encoding or None))

    @server.tool()
    def write_file(path: str, text: str, encoding: str = "") -> dict[str, Any]:
        """Replace the whole text of a file, which keeps its encoding; a new file is UTF-8, or as the project says."""
        return dict(run(files.write, path, text, encoding or None))

    return server
