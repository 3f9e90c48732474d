"""A real browser for the tests of `charlens inspect`: Debian's Chromium, driven by Playwright.

Where something is missing the tests are skipped, and say what: `make browser` installs Chromium, npm fetches axe-core
and Pyodide.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache, partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from charlens.inspector.answers import Inspector
from charlens.inspector.server import Server

ROOT = Path(__file__).parent.parent
BUILD = ROOT / "build"
AXE = "4.14.0"


@contextmanager
def chromium() -> Iterator[Any]:
    """Start the browser."""
    sync_api = pytest.importorskip(
        "playwright.sync_api", reason="Playwright is missing: pip install playwright"
    )
    path = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if path is None:
        pytest.skip("Chromium is missing: make browser, or apt-get install chromium")
    # The sandbox of Chromium does not work for root, which containers are run as.
    arguments = ["--no-sandbox"] if hasattr(os, "geteuid") and os.geteuid() == 0 else []
    with sync_api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=arguments)
        yield browser
        browser.close()


@contextmanager
def served(path: Path | None) -> Iterator[str]:
    """Serve the page for *path* and give its address."""
    inspector = Inspector(str(path) if path else None)
    with Server(inspector) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield server.address
        server.shutdown()
    inspector.close()


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, format: str, *values: Any) -> None:
        """Print nothing."""


@contextmanager
def served_folder(folder: Path) -> Iterator[str]:
    """Serve the files of *folder*, as the host of a site does."""
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(_Quiet, directory=str(folder))) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()


@cache
def axe_script() -> str:
    """Return the script of axe-core, fetched once; two workers may fetch it at the same time."""
    script = BUILD / f"axe-{AXE}.js"
    if not script.is_file():
        BUILD.mkdir(exist_ok=True)
        with tempfile.TemporaryDirectory(dir=BUILD) as place:
            _fetch(
                [
                    "npm",
                    "install",
                    "--silent",
                    "--no-audit",
                    "--no-fund",
                    "--prefix",
                    place,
                    f"axe-core@{AXE}",
                ]
            )
            os.replace(Path(place) / "node_modules" / "axe-core" / "axe.min.js", script)
    return script.read_text(encoding="utf-8")


def made_page() -> Path:
    """Return the folder of the page that runs in the browser alone, made again with the present code."""
    _fetch([sys.executable, str(ROOT / "docs" / "_site" / "try.py")])
    return BUILD / "try"


def _fetch(command: list[str]) -> None:
    try:
        subprocess.run(command, check=True, capture_output=True, timeout=400)
    except (OSError, subprocess.SubprocessError) as error:
        pytest.skip(f"npm or the network is missing: {error}")
