"""Shared by the benchmarks: the prose of the tests, the installed detectors, tables, and the description of the
machine.

The benchmarks are scripts, not part of the package; `python bench/speed.py` finds this module in its folder.
"""

from __future__ import annotations

import importlib
import importlib.metadata
import os
import platform
from collections.abc import Iterable, Sequence
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import NamedTuple

_PROSE = Path(__file__).resolve().parent.parent / "tests" / "prose"


@cache
def languages() -> tuple[str, ...]:
    """Return the BCP 47 tags of the languages that there is prose in."""
    return tuple(sorted(path.stem for path in _PROSE.glob("*.txt")))


@cache
def prose(language: str) -> str:
    """Return the prose of one language: a few lines, written for this project."""
    return (_PROSE / f"{language}.txt").read_text(encoding="utf-8")


class Peer(NamedTuple):
    """Another detector: the module to import, and the name it is installed by."""

    module: str
    distribution: str


PEERS = (
    Peer("cchardet", "faust-cchardet"),
    Peer("chardet", "chardet"),
    Peer("charset_normalizer", "charset-normalizer"),
)


class Measure(NamedTuple):
    """The seconds of a measurement: the median of some rounds, and the minimum."""

    seconds: float
    fastest: float
    rounds: int


def load(module: str) -> ModuleType | None:
    """Import a peer; ``None`` where it is not installed."""
    try:
        return importlib.import_module(module)
    except ImportError:
        return None


def describe() -> str:
    """Print the versions, the kernel and the machine."""
    import charlens
    from charlens.kernel import NAME

    machine = f"{platform.system()} {platform.machine()}, {os.cpu_count()} cores"
    lines = [
        f"{platform.python_implementation()} {platform.python_version()}, {machine}",
        f"charlens {charlens.__version__}, kernel: {NAME}",
    ]
    if hasattr(os, "getloadavg"):
        lines[0] += f", load at the start {os.getloadavg()[0]:.1f}"
    for peer in PEERS:
        try:
            lines.append(f"{peer.distribution} {importlib.metadata.version(peer.distribution)}")
        except importlib.metadata.PackageNotFoundError:
            lines.append(f"{peer.distribution}: not installed, so not in the tables")
    return "\n".join(f"- {line}" for line in lines)


def table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Lay out a Markdown table: the first column to the left, the others to the right."""
    body = [list(row) for row in rows]
    widths = [max(len(row[column]) for row in (header, *body)) for column in range(len(header))]
    rule = ["-" * widths[0], *("-" * (width - 1) + ":" for width in widths[1:])]
    return "\n".join(_line(row, widths) for row in (header, rule, *body))


def _line(cells: Sequence[str], widths: Sequence[int]) -> str:
    padded = [cell.rjust(width) for cell, width in zip(cells, widths, strict=True)]
    return f"| {' | '.join((cells[0].ljust(widths[0]), *padded[1:]))} |"
