"""Serve questions and answers over HTTP, on this machine only.

The server is bound to the loopback address; the address of the page has a random token in it.  A request with another
Host is refused (DNS rebinding), and so is a request from another page (Origin).
The Content-Security-Policy allows only files of the page.
"""

from __future__ import annotations

import hmac
import json
import secrets
import sys
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.resources import files
from typing import Any, ClassVar
from urllib.parse import quote, unquote

from charlens.errors import CharlensError
from charlens.files.words import reason
from charlens.inspector.answers import Inspector

#: The files of the front end; only these are served.
TYPES = {".html": "text/html", ".css": "text/css", ".js": "text/javascript", ".svg": "image/svg+xml"}
PAGE = files("charlens.inspector") / "page"

#: The most bytes in a question.
_LONGEST_QUESTION = 4 << 20
_PIECE = 1 << 20

_HEADERS = {
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
    "img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "Cache-Control": "no-store",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
}


class Server(ThreadingHTTPServer):
    """Serves one page on the loopback address; open `address` in a browser."""

    daemon_threads = True

    def __init__(self, inspector: Inspector, port: int = 0) -> None:
        super().__init__(("127.0.0.1", port), _Handler)
        self.inspector = inspector
        self.token = secrets.token_urlsafe(24)
        self.hosts = {f"{name}:{self.server_port}" for name in ("127.0.0.1", "localhost")}

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Ignore closed connections; report anything else."""
        if not isinstance(sys.exc_info()[1], ConnectionError):
            super().handle_error(request, client_address)

    @property
    def address(self) -> str:
        """The address of the page, with the token."""
        return f"http://127.0.0.1:{self.server_port}/{self.token}/"


class _Refusal(Exception):
    """A refused request: a status and a message."""

    def __init__(self, status: int, words: str) -> None:
        super().__init__(words)
        self.status = status


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server_version, sys_version = "charlens", ""
    server: Server
    #: The paths other than files, with their handlers.
    _kinds: ClassVar[dict[str, str]] = {"ask": "POST", "download": "POST", "content": "PUT"}

    def do_GET(self) -> None:
        self._guarded(self._send_file)

    def do_POST(self) -> None:
        self._guarded(self._take)

    do_PUT = do_POST

    def log_message(self, format: str, *values: Any) -> None:
        """Print nothing, because the address contains the token."""

    def _guarded(self, work: Any) -> None:
        try:
            work(self._admit())
        except _Refusal as refusal:
            self.close_connection = True  # the body may be unread
            self._send(refusal.status, "text/plain", str(refusal).encode())
        except ConnectionError:
            self.close_connection = True  # the page was closed

    def _admit(self) -> str:
        """Return the path after the token; refuse requests that do not come from the page."""
        if self.headers.get("Host", "") not in self.server.hosts:
            raise _Refusal(403, "This server answers on 127.0.0.1 only.")
        origin = self.headers.get("Origin")
        if origin is not None and origin not in {f"http://{host}" for host in self.server.hosts}:
            raise _Refusal(403, "Requests from other pages are refused.")
        if origin is None and self.command != "GET":
            raise _Refusal(403, "A request that changes something needs an Origin header.")
        token, _, rest = self.path.split("?")[0].lstrip("/").partition("/")
        if not hmac.compare_digest(token.encode(), self.server.token.encode()):
            raise _Refusal(404, "Not found. Use the address that 'charlens inspect' printed, token included.")
        return rest

    def _send_file(self, name: str) -> None:
        name = name or "index.html"
        kind = TYPES.get("." + name.rpartition(".")[2])
        if "/" in name or kind is None or not (PAGE / name).is_file():
            raise _Refusal(404, "Not found.")
        self._send(200, kind, (PAGE / name).read_bytes())

    def _take(self, name: str) -> None:
        if self._kinds.get(name) != self.command:
            raise _Refusal(404, "Not found.")
        if name == "content":
            self._answer(self.server.inspector.copy(unquote(self.headers.get("X-Name", "")), self._body()))
            return
        if self.headers.get_content_type() != "application/json":
            raise _Refusal(415, "A question must be JSON.")
        if self._length() > _LONGEST_QUESTION:
            raise _Refusal(413, "The question is too long.")
        try:
            question = json.loads(b"".join(self._body()))
        except (ValueError, RecursionError):
            question = None
        if not isinstance(question, dict):
            raise _Refusal(400, "A question must be a JSON object.")
        if name == "ask":
            self._answer(self.server.inspector.answer(question))
        else:
            self._download(question)

    def _length(self) -> int:
        length = self.headers.get("Content-Length", "")
        if not length.isascii() or not length.isdigit():
            raise _Refusal(411, "A request with a body needs a Content-Length header.")
        return int(length)

    def _body(self) -> Iterator[bytes]:
        left = self._length()
        while left > 0:
            piece = self.rfile.read(min(left, _PIECE))
            if not piece:
                return
            left -= len(piece)
            yield piece

    def _answer(self, answer: dict[str, Any]) -> None:
        self._send(200, "application/json", json.dumps(answer).encode())

    def _download(self, question: dict[str, Any]) -> None:
        try:
            name, pieces = self.server.inspector.product(question)
            first = next(pieces, b"")
        except (OSError, MemoryError, CharlensError, ValueError, TypeError, KeyError) as error:
            raise _Refusal(409, reason(error)) from None
        self.send_response(200)
        self._head("application/octet-stream")
        self.send_header("Content-Disposition", f"attachment; filename*=UTF-8''{quote(name, safe='')}")
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        self._chunk(first)
        try:
            for piece in pieces:
                self._chunk(piece)
        except (OSError, CharlensError):
            # Without the last chunk, the browser reports a failed download instead of keeping a short file.
            self.close_connection = True
            return
        self.wfile.write(b"0\r\n\r\n")

    def _chunk(self, piece: bytes) -> None:
        if piece:
            self.wfile.write(b"%x\r\n%b\r\n" % (len(piece), piece))

    def _send(self, status: int, kind: str, body: bytes) -> None:
        self.send_response(status)
        self._head(f"{kind}; charset=utf-8" if kind.startswith("text/") else kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def _head(self, kind: str) -> None:
        self.send_header("Content-Type", kind)
        for name, value in _HEADERS.items():
            self.send_header(name, value)
