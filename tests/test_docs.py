"""The Python blocks of the documentation run, and say what the page says they say.

The blocks of a page share one namespace and one empty folder.  Of a line that ends in ``#> value`` the repr of the
expression has to be that value.
"""

from __future__ import annotations

import ast
import http.server
import re
import subprocess
import sys
import threading
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest

DOCS = Path(__file__).parent.parent / "docs"
#: The pages whose blocks run; a page that is not here has no promise in it.
PAGES = (
    "codec.md",
    "drop-ins.md",
    "explanation.md",
    "hints.md",
    "mixed.md",
    "recipes.md",
    "streams.md",
    "tables.md",
    "together.md",
)

_BLOCK = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def run_block(source: str, namespace: dict[str, object], name: str) -> int:
    """Run *source* statement by statement; return how many values were compared."""
    lines = source.splitlines()
    compared = 0
    for node in ast.parse(source).body:
        _, marked, wanted = lines[(node.end_lineno or 1) - 1].partition("#> ")
        if marked and isinstance(node, ast.Expr):
            value = eval(compile(ast.Expression(node.value), name, "eval"), namespace)
            assert repr(value) == wanted.strip(), f"{name}: {ast.unparse(node)} is {value!r}"
            compared += 1
        else:
            exec(compile(ast.Module([node], []), name, "exec"), namespace)
    return compared


class Page(http.server.BaseHTTPRequestHandler):
    """A server with one page, in windows-1251 and without a charset."""

    body = ("<p>Съешь ещё этих мягких французских булок, да выпей чаю.</p>\n" * 200).encode("cp1251")

    def do_GET(self) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.send_header("Content-Length", str(len(self.body)))
        self.end_headers()
        self.wfile.write(self.body)

    def log_message(self, format: str, *args: object) -> None:
        """Be quiet."""


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Page)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/page"
    server.shutdown()
    server.server_close()


@pytest.mark.parametrize("page", PAGES)
def test_the_blocks_of_a_page_run(page: str, url: str, tmp_path: Path) -> None:
    """Every block runs, in order, in a fresh interpreter, and every value that is shown is the one that comes out."""
    for name in ("pandas", "polars", "requests"):
        if find_spec(name) is None:
            pytest.skip(f"{name} is not installed (extra: dev)")
    command = [sys.executable, "-X", "utf8", __file__, page, url]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, encoding="utf-8")
    assert done.returncode == 0, done.stderr


def run_page(page: str, url: str) -> None:
    """Run the blocks of *page*; there have to be some, and they have to show, or assert, something."""
    blocks = _BLOCK.findall((DOCS / page).read_text(encoding="utf-8"))
    namespace: dict[str, object] = {"__name__": "page", "url": url}
    shown = sum(run_block(source, namespace, page) for source in blocks)
    assert shown or any("assert " in source for source in blocks), f"{page} shows no value"


@pytest.mark.parametrize(
    "source", ["1 + 1  #> 3", "raise ValueError", "undefined", "def broken(:\n    pass"], ids=str.split
)
def test_a_wrong_block_is_found(source: str) -> None:
    """A value that is not the one shown, an error, a name that is not there: each fails."""
    with pytest.raises((AssertionError, ValueError, NameError, SyntaxError)):
        run_block(source, {}, "page")
    assert run_block("1 + 1  #> 2", {}, "page") == 1


if __name__ == "__main__":
    run_page(*sys.argv[1:])
