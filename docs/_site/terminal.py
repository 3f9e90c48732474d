"""Draw the picture of the terminal in README.md: real commands, and what they print.

    python docs/_site/terminal.py            write docs/pictures/terminal.svg
    python docs/_site/terminal.py --check    exit with 1 if that file is not current

The commands run in a pseudo-terminal, so the picture has the columns and colours that people see.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from html import escape
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parent.parent.parent
PICTURE = ROOT / "docs" / "pictures" / "terminal.svg"
COMMANDS = ("charlens detect examples/*", "charlens convert --dry-run examples")

#: The columns of the terminal, and the size of a character and of the border in pixels.
COLUMNS, WIDTH, HEIGHT, BORDER = 96, 8.4, 20, 20
COLOURS = {"31": "#ff8a80", "32": "#8bdc8b", "33": "#f0d060", "36": "#7fd8e8"}
#: Words with single spaces between them: SVG collapses longer gaps.
_WORDS = re.compile(r"\S+(?: \S+)*")
_SGR = re.compile(r"\x1b\[([0-9;]*)m")


class Piece(NamedTuple):
    """A part of a line in one colour."""

    text: str
    colour: str = ""
    bold: bool = False


def on_terminal(command: list[str], folder: Path) -> str:
    """Run *command* in *folder* with a terminal as its standard output, and return what it prints."""
    import pty

    ours, theirs = pty.openpty()
    environment = {**os.environ, "TERM": "xterm", "COLUMNS": str(COLUMNS), "PYTHONUTF8": "1"}
    for name in ("NO_COLOR", "FORCE_COLOR"):
        environment.pop(name, None)
    nothing = subprocess.DEVNULL
    process = subprocess.Popen(
        command, stdout=theirs, stdin=nothing, stderr=nothing, cwd=folder, env=environment
    )
    os.close(theirs)
    printed = b""
    while True:
        try:
            piece = os.read(ours, 1 << 16)
        except OSError:  # Linux says so at the end
            break
        if not piece:
            break
        printed += piece
    os.close(ours)
    process.wait()
    return printed.decode().replace("\r\n", "\n")


def record() -> list[str]:
    """Return the lines of the picture: each command behind a prompt, and what it prints."""
    lines: list[str] = []
    for command in COMMANDS:
        words = [word for part in command.split()[1:] for word in _expand(part)]
        printed = on_terminal([sys.executable, "-m", "charlens", *words], ROOT)
        lines += [f"\x1b[1m$ {command}\x1b[0m", *printed.rstrip("\n").split("\n"), ""]
    return lines[:-1]


def _expand(word: str) -> list[str]:
    """Return the paths that *word* matches, as a shell does, or the word."""
    return sorted(path.relative_to(ROOT).as_posix() for path in ROOT.glob(word)) if "*" in word else [word]


def pieces(line: str) -> Iterator[Piece]:
    """Yield the parts of *line* with the colours that its escape sequences give them."""
    state = Piece("")
    at = 0
    for match in _SGR.finditer(line):
        if match.start() > at:
            yield state._replace(text=line[at : match.start()])
        at = match.end()
        for code in match[1].split(";"):
            if code in ("", "0"):
                state = Piece("")
            elif code == "1":
                state = state._replace(bold=True)
            else:
                state = state._replace(colour=COLOURS[code])
    if at < len(line):
        yield state._replace(text=line[at:])


def draw(lines: list[str]) -> str:
    """Return the picture of *lines*."""
    width = round(COLUMNS * WIDTH + 2 * BORDER)
    height = len(lines) * HEIGHT + 2 * BORDER
    size = f'width="{width}" height="{height}" viewBox="0 0 {width} {height}"'
    drawn = [
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img" aria-label="charlens in a terminal">',
        f'<rect width="{width}" height="{height}" rx="10" fill="#14232b"/>',
        '<g font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, monospace" font-size="14" fill="#dfe8ea">',
    ]
    for number, line in enumerate(lines):
        column = 0
        for piece in pieces(line):
            look = f' fill="{piece.colour}"' if piece.colour else ""
            look += ' font-weight="bold"' if piece.bold else ""
            # Word by word, each with its place and length: columns stay aligned in every font.
            for words in _WORDS.finditer(piece.text):
                x, y = BORDER + (column + words.start()) * WIDTH, BORDER + number * HEIGHT + 14
                length = f'textLength="{len(words[0]) * WIDTH:.1f}"'
                drawn.append(f'<text x="{x:.1f}" y="{y}" {length}{look}>{escape(words[0])}</text>')
            column += len(piece.text)
    return "\n".join([*drawn, "</g>", "</svg>", ""])


def main(arguments: list[str] | None = None) -> int:
    """Write the picture, or check that it is current."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--check", action="store_true", help="only say whether the picture is current")
    check = parser.parse_args(arguments).check
    drawn = draw(record())
    if not check:
        PICTURE.write_text(drawn, encoding="utf-8")
    elif PICTURE.read_text(encoding="utf-8") != drawn:
        print(f"{PICTURE.name} is not current: run 'make figures'", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
