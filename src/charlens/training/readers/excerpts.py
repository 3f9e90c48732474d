"""`charlens train files`: what is around the non-ASCII characters of real files.

Prose does not have it: a name in a changelog, a symbol in a comment, a translated message. Only UTF-8 files are read,
since their text is certain. `training.corpora.read_excerpts` reads what is written here.
"""

from __future__ import annotations

import json
import re
import tarfile
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import NamedTuple

import click

from charlens import detect
from charlens.files.atomic import write_atomically
from charlens.plural import count
from charlens.training.corpora import EXCERPTS
from charlens.training.readers.cells import folder_of

#: Larger files are data, and take long to read.
_LARGEST = 400_000
#: The entries of a folder or an archive that are looked at.
_MOST_FILES = 6000
#: Characters before and after a non-ASCII one, of one file, and of one package in one language.
_AROUND = 120
_LONGEST = 8000
_MOST = 30_000
#: With a smaller share of non-ASCII characters, a file is English with names or symbols, or a program.
_LEAST_SHARE = 0.01
_NON_ASCII = re.compile(r"[^\x00-\x7f]")
_BLANK = re.compile(r"\s")
_CATALOGUE = re.compile(r'^"Language: *([\w-]+)', re.M)
_ENGLISH = "en"


class Excerpt(NamedTuple):
    """The places of a file that are not ASCII, with what is around them."""

    package: str
    language: str
    text: str


@click.command("files")
@click.argument("sources", nargs=-1, required=True, type=click.Path(exists=True, path_type=Path), metavar="SOURCE…")
@click.option(
    "--out", type=click.Path(exists=True, file_okay=False, path_type=Path), required=True,
    help="The folder with the texts.",
)  # fmt: skip
def files(sources: tuple[Path, ...], out: Path) -> None:
    """Add pieces of real files to a folder of texts by language, for 'charlens train --corpus'.

    A SOURCE is a folder or a tar archive, such as the source code of a program. Each language in OUT gets a file
    excerpts.jsonl with the places in UTF-8 files that are not ASCII, and what is around them.

    \b
    charlens train files downloads/*.tar.* --out texts/
    """
    try:
        written = write_excerpts((excerpt for source in sources for excerpt in read_package(source)), out)
    except OSError as error:
        raise click.ClickException(str(error)) from error
    click.echo(f"{out}: {sum(written.values()):,} excerpts in {count(len(written), 'language')}")


def write_excerpts(excerpts: Iterable[Excerpt], out: Path) -> dict[str, int]:
    """Write the excerpts of each language that has a folder in *out*, and return how many there are."""
    found: dict[str, list[str]] = {path.name: [] for path in out.iterdir() if path.is_dir()}
    for excerpt in excerpts:
        if (known := found.get(excerpt.language)) is not None:
            row = {"package": excerpt.package, "text": excerpt.text}
            known.append(json.dumps(row, ensure_ascii=False) + "\n")
    for folder, lines in found.items():
        if lines:
            write_atomically(out / folder / EXCERPTS, "".join(lines).encode())
    return {folder: len(lines) for folder, lines in found.items() if lines}


def read_package(source: Path) -> Iterator[Excerpt]:
    """Yield the excerpts of the files in *source*; a line that several files have is in one of them only."""
    package = source.name.partition(".tar")[0]
    seen: set[str] = set()
    sizes: dict[str, int] = {}
    for name, data in read_files(source):
        try:
            text = data.decode("utf-8-sig")
        except UnicodeDecodeError:
            continue
        excerpt = _excerpt(text, seen)
        if not excerpt:
            continue
        language = _language(name, text, excerpt)
        if sizes.get(language, 0) < _MOST:
            sizes[language] = sizes.get(language, 0) + len(excerpt)
            yield Excerpt(package, language, excerpt)


def read_files(source: Path) -> Iterator[tuple[str, bytes]]:
    """Yield the name and the bytes of each file of *source* that may be text with non-ASCII characters."""
    for name, data in _below(source) if source.is_dir() else _members(source):
        if not data.isascii() and b"\0" not in data:
            yield name, data


def _below(folder: Path) -> Iterator[tuple[str, bytes]]:
    for path in sorted(folder.rglob("*"))[:_MOST_FILES]:
        if path.is_file() and path.stat().st_size <= _LARGEST:
            yield str(path.relative_to(folder)), path.read_bytes()


def _members(archive: Path) -> Iterator[tuple[str, bytes]]:
    try:
        with tarfile.open(archive) as opened:
            for member in islice(opened, _MOST_FILES):
                file = opened.extractfile(member) if member.isfile() and member.size <= _LARGEST else None
                if file is not None:
                    yield member.name, file.read()
    except (tarfile.TarError, EOFError, OSError) as error:
        click.echo(f"{archive}: skipped ({error})", err=True)


def _excerpt(text: str, seen: set[str]) -> str:
    """Return the places of *text* that are not ASCII, up to the limit, without lines that were *seen*."""
    parts: list[str] = []
    end = -1
    for match in _NON_ASCII.finditer(text):
        place = match.start()
        if place < end:
            continue
        line = text[text.rfind("\n", 0, place) + 1 : place + _AROUND].partition("\n")[0].strip()
        if line in seen:
            continue
        seen.add(line)
        start = min(place, _between_words(text, max(end, place - _AROUND, 0)))
        end = _between_words(text, place + _AROUND)
        parts.append(text[start:end])
        if sum(map(len, parts)) > _LONGEST:
            break
    return "\n".join(parts)


def _between_words(text: str, place: int) -> int:
    """Return the end of the word at *place*, if it is near: a part of a word is not one."""
    found = _BLANK.search(text, place, place + _AROUND // 2) if place else None
    return found.start() if found else place


def _language(name: str, text: str, excerpt: str) -> str:
    """Return the folder of the language of a file: as a catalogue of messages says, or as it is recognised."""
    if name.endswith(".po"):
        named = _CATALOGUE.search(text)
        return folder_of((named[1] if named else Path(name).stem).partition("@")[0])
    if len(_NON_ASCII.findall(text)) < _LEAST_SHARE * len(text):
        return _ENGLISH
    return (detect(excerpt.encode()).language or _ENGLISH).lower()
