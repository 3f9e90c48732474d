"""Build the online version of `charlens inspect`, which runs in the browser: `python docs/_site/try.py build/try`.

The folder gets the front end of `charlens inspect`, the pure Python wheel, and Pyodide, which npm downloads once.  Any
file server can serve it: `python -m http.server --directory build/try`.  As a hook of MkDocs, this module copies the
folder into the site if it was built; without npm or a network connection, the site is built without it.
"""

from __future__ import annotations

import logging
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
MADE = ROOT / "build" / "try"
PAGE = ROOT / "src" / "charlens" / "inspector" / "page"
PYODIDE = "314.0.7"
#: What of Pyodide the page loads.
FILES = ("pyodide.mjs", "pyodide.asm.mjs", "pyodide.asm.wasm", "python_stdlib.zip", "pyodide-lock.json")

#: What stands in its place where it was not made.
MISSING = (
    '<!doctype html><html lang="en"><meta charset="utf-8"><title>charlens inspect</title>'
    "<p>This site was built without the page that runs in the browser alone. "
    "Run <code>charlens inspect</code> instead.\n"
)

_log = logging.getLogger("mkdocs.hooks.try")


def on_post_build(config: Any) -> None:
    """Copy the folder into the site."""
    folder = Path(config.site_dir) / "try"
    if (MADE / "charlens.whl").is_file():
        shutil.copytree(MADE, folder, dirs_exist_ok=True)
        return
    _log.info("the page that runs in the browser alone is left out; docs/_site/try.py makes it")
    folder.mkdir(exist_ok=True)
    (folder / "index.html").write_text(MISSING, encoding="utf-8")


def build(folder: Path) -> None:
    """Make the page in *folder*; raise where npm or pip fail."""
    folder.mkdir(parents=True, exist_ok=True)
    for path in PAGE.iterdir():
        if path.name not in ("index.html", "local.js", "saved.js", "report.js"):
            shutil.copy(path, folder / ("index.html" if path.name == "try.html" else path.name))
    _fetch_pyodide(folder / "pyodide")
    _build_wheel(folder / "charlens.whl")


def _fetch_pyodide(folder: Path) -> None:
    if (folder / PYODIDE).is_file():
        return
    with tempfile.TemporaryDirectory() as place:
        command = [
            "npm",
            "install",
            "--silent",
            "--no-audit",
            "--no-fund",
            "--fetch-retries=0",
            "--fetch-timeout=20000",
            "--prefix",
            place,
            f"pyodide@{PYODIDE}",
        ]
        subprocess.run(command, check=True, timeout=60)
        folder.mkdir(exist_ok=True)
        for name in FILES:
            shutil.copy(Path(place) / "node_modules" / "pyodide" / name, folder / name)
    (folder / PYODIDE).touch()


def _build_wheel(target: Path) -> None:
    """Build the wheel from a copy, so that nothing of another build gets into it."""
    with tempfile.TemporaryDirectory() as place:
        for name in ("pyproject.toml", "setup.py", "README.md", "LICENSE"):
            shutil.copy(ROOT / name, place)
        ignored = shutil.ignore_patterns("__pycache__", "*.so", "*.pyd", "*.egg-info")
        shutil.copytree(ROOT / "src", Path(place) / "src", ignore=ignored)
        command = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", place, place]
        subprocess.run(command, check=True, timeout=300, env={**os.environ, "CHARLENS_BUILD": "pure"})
        (wheel,) = Path(place).glob("charlens-*-py3-none-any.whl")
        shutil.copy(wheel, target)


if __name__ == "__main__":
    try:
        build(Path(sys.argv[1]) if len(sys.argv) > 1 else MADE)
    except (OSError, subprocess.SubprocessError) as error:
        sys.exit(f"the page that runs in the browser alone was not made: {error}")
