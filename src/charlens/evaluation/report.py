"""Write the results of a run to a folder: results.json, REPORT.md, report.html, pictures/.

A public report, for a repository, shows no pieces of the data and has no HTML page,
whose purpose is to show misses.
"""

from __future__ import annotations

import os
import platform
import shutil
import sys
from collections.abc import Mapping
from datetime import datetime, timezone
from importlib import metadata
from pathlib import Path

from charlens.evaluation.html_report import to_html
from charlens.evaluation.markdown import to_markdown
from charlens.evaluation.plots import Picture
from charlens.evaluation.record import Run, to_json
from charlens.evaluation.sections import Section, arrange

# A picture without a page needs its own colours.
_ALONE = (
    "<style>svg{color:#1d1f21;--grid:#d5d7d9}"
    "@media(prefers-color-scheme:dark){svg{color:#e4e6e7;--grid:#3c4146}}</style>"
)


def write_report(run: Run, folder: Path, *, public: bool = False, draw: bool = True) -> list[Path]:
    """Write the report of *run* to *folder* and return the files."""
    sections = arrange(run, public=public, draw=draw)
    folder.mkdir(parents=True, exist_ok=True)
    tables = {section.title: section.all_tables() for section in sections}
    written = [
        _write(folder / "results.json", to_json(run, tables, public=public)),
        _write(folder / "REPORT.md", to_markdown(sections, run.circumstances)),
    ]
    if not public:
        written.append(_write(folder / "report.html", to_html(sections, run.circumstances)))
    return written + _write_pictures(sections, folder / "pictures")


def circumstances(command: str, seconds: float) -> Mapping[str, str]:
    """Return the circumstances of a run, for the head of its report."""
    return {
        "made by": f"charlens {metadata.version('charlens')}, {command}",
        "date": datetime.now(timezone.utc).strftime("%Y-%m-%d %H:%M UTC"),
        "python": f"{platform.python_implementation()} {platform.python_version()} on {sys.platform}",
        "machine": f"{platform.machine()}, {os.cpu_count()} processors{_load()}",
        "took": f"{seconds:.0f} s",
    }


def _load() -> str:
    """Return the load of the machine, if known: timings under load are less reliable."""
    if not hasattr(os, "getloadavg"):
        return ""
    return f", load {os.getloadavg()[0]:.1f} at the end"


def _write_pictures(sections: list[Section], folder: Path) -> list[Path]:
    pictures: list[Picture] = [picture for section in sections for picture in section.pictures]
    # Remove the pictures of an earlier run.
    shutil.rmtree(folder, ignore_errors=True)
    if not pictures:
        return []
    folder.mkdir(parents=True)
    written = []
    for picture in pictures:
        alone = picture.svg.replace(">", f">{_ALONE}", 1)
        written.append(_write(folder / f"{picture.name}.svg", alone))
        path = folder / f"{picture.name}.png"
        path.write_bytes(picture.png)
        written.append(path)
    return written


def _write(path: Path, text: str) -> Path:
    # A file name may contain lone surrogates, which must not stop the report.
    path.write_text(text, encoding="utf-8", errors="backslashreplace")
    return path
