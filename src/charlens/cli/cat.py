"""`charlens cat`: any text file as UTF-8 on standard output, for `git diff`, `less`, `rg --pre`, previews.

It writes only to standard output.  Bytes that are not text are copied, as `cat` does.
"""

from __future__ import annotations

import codecs
import sys
from collections.abc import Iterator
from contextlib import AbstractContextManager, nullcontext
from functools import partial
from itertools import chain, islice
from typing import BinaryIO

import click

from charlens.api import decode_as, detect
from charlens.cli.options import encoding_option, piped_in
from charlens.cli.terminal import complain, print_bytes, reason, shown
from charlens.encodings import canonical
from charlens.errors import CharlensError
from charlens.files.marks import named
from charlens.inputs.paths import detect_path, open_regular
from charlens.source import LARGEST_MIXED
from charlens.types import Verdict

#: Bytes read at a time, and bytes that --head uses to detect the encoding.
_PIECE = 1 << 20


@click.command()
@click.argument("paths", nargs=-1, metavar="[PATH]...")
@click.option(
    "--head", type=click.IntRange(1), metavar="N", help="Print only the first N lines of each file."
)
@encoding_option
def cat(paths: tuple[str, ...], head: int | None, encoding: str | None) -> None:
    """Print files, or standard input, as UTF-8, whatever their encoding.

    The byte order mark is dropped and line endings are kept. Bytes that do not decode become U+FFFD, and binary files
    are printed unchanged. If a file cannot be read, charlens reports it, continues with the others, and exits with
    code 1.

    \b
    charlens cat letter.txt | less
    charlens cat --head 20 *.srt
    git config diff.charlens.textconv 'charlens cat'      with '*.txt diff=charlens' in .gitattributes
    rg --pre charlens --pre-glob '*.txt' Größe            with a script that runs 'charlens cat "$1"'
    """
    try:
        canonical(encoding or "utf-8")
    except CharlensError as error:
        raise click.UsageError(str(error)) from None
    failed = False
    for path in paths or piped_in("cat"):
        try:
            _print(path, head, encoding)
        except (OSError, ValueError, CharlensError) as error:
            complain(f"{shown(path)}: {reason(error)}")
            failed = True
    sys.exit(1 if failed else 0)


def _print(path: str, head: int | None, encoding: str | None) -> None:
    source: AbstractContextManager[BinaryIO] = (
        nullcontext(sys.stdin.buffer) if path == "-" else open_regular(path)
    )
    with source as file:
        examined = file.read(_PIECE if head else LARGEST_MIXED)
        verdict = detect(examined, parts=True)
        pieces = chain((examined,), iter(partial(file.read, _PIECE), b""))
        if path != "-" and not head and len(examined) == LARGEST_MIXED:
            verdict = detect_path(path)
        converted = _convert(pieces, verdict, named(encoding, examined) if encoding else None)
        print_bytes(converted if head is None else _first_lines(converted, head))


def _convert(pieces: Iterator[bytes], verdict: Verdict, encoding: str | None) -> Iterator[bytes]:
    """Yield text as UTF-8, and anything else unchanged."""
    name = encoding or verdict.encoding
    if name is None:
        yield from pieces
        return
    if verdict.mixed and not encoding:
        name = verdict.mixed[-1].encoding
        yield decode_as(next(pieces), name, verdict.bom, verdict.mixed).encode("utf-8", "replace")
    decoder = codecs.getincrementaldecoder(name)("replace")
    first = True
    for piece in pieces:
        text = decoder.decode(piece)
        if first and text:
            text, first = text.removeprefix("\ufeff"), False
        yield text.encode("utf-8", "replace")
    yield decoder.decode(b"", True).encode("utf-8", "replace")


def _first_lines(pieces: Iterator[bytes], number: int) -> Iterator[bytes]:
    """Yield the first *number* lines of the text in *pieces*."""
    for piece in pieces:
        lines = list(islice(piece.splitlines(keepends=True), number))
        yield b"".join(lines)
        number -= sum(line.endswith((b"\n", b"\r")) for line in lines)
        if number <= 0:
            return
