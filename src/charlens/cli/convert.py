"""`charlens convert`: to another encoding, in place or to a folder; nothing is written that is in doubt.

Arguments and words for the terminal; what may be written, and how, is in `converting`.
"""

from __future__ import annotations

import os
import sys
from collections import Counter
from collections.abc import Iterator
from typing import Any

import click

from charlens.cli.converting import NEWLINES, Plan, Wish, plan_bytes, plan_file, write_plan, write_to
from charlens.cli.records import render_records
from charlens.cli.terminal import Interruption, columns, complain, paint, print_lines, reason, shown
from charlens.cli.walk import Entry, find_files
from charlens.encodings import canonical
from charlens.errors import CharlensError
from charlens.files.document import Document

INTERRUPTED = 130
_KEYS = ("path", "status", "from", "to", "confidence", "words", "output")


@click.command()
@click.argument("paths", nargs=-1, required=True, metavar="PATH...", type=click.Path())
@click.option(
    "--to", "-t", "target", default="utf-8", show_default=True, metavar="ENCODING", help="Write this."
)
@click.option("--from", "-f", "source", metavar="ENCODING", help="Read this; nothing is detected then.")
@click.option("--in-place", "-i", is_flag=True, help="Replace the files, each in one step.")
@click.option("--output", "-o", type=click.Path(file_okay=False), help="Write to this folder instead.")
@click.option("--force", is_flag=True, help="With --output: replace files that are there.")
@click.option("--dry-run", "-n", is_flag=True, help="Only show what would change.")
@click.option("--backup", "-b", is_flag=True, help="Keep the old file beside the new one.")
@click.option("--suffix", default=".bak", show_default=True, help="What --backup puts behind the name.")
@click.option(
    "--min-confidence",
    type=click.FloatRange(0, 1),
    default=0.9,
    show_default=True,
    help="Refuse files below it.",
)
@click.option("--bom/--no-bom", default=None, help="Write a byte order mark, or none.  [default: as it was]")
@click.option(
    "--newline", type=click.Choice(tuple(NEWLINES)), help="Line ends to write.  [default: as they were]"
)
@click.option("--keep-declarations", is_flag=True, help="Leave meta, XML, PEP 263 and @charset as they are.")
@click.option("--no-ignore", is_flag=True, help="Also convert what .gitignore files name.")
@click.option("--format", "form", type=click.Choice(("text", "json", "jsonl", "csv")), default="text")
@click.option("--quiet", "-q", is_flag=True, help="Say only what was refused.")
@click.option("--verbose", "-v", is_flag=True, help="Name files that need no change, too.")
def convert(paths: tuple[str, ...], **given: Any) -> None:
    """Convert files to another encoding, UTF-8 unless told otherwise.

    A file is not written, but listed, if its encoding is not sure enough, if a character would be lost, if bytes in it
    do not decode, or if it is in several encodings; the exit code is then 1. Binary files are never touched. Mark and
    line ends stay as they were; what the file declares about itself is made to match. PATH may be a folder, or - for
    standard input to standard output.

    \b
    charlens convert --dry-run .                        a table of what would change
    charlens convert --in-place --backup old/           letter.txt, and letter.txt.bak
    charlens convert *.srt --output utf8/               into another folder
    charlens convert -i --to utf-8 --no-bom --newline lf src/
    charlens convert -i --from cp437 readme.nfo         you know better
    curl -s URL | charlens convert - | less
    """
    wish = _wish(given)
    if paths == ("-",):
        _convert_stream(wish)
        return
    if given["in_place"] + bool(given["output"]) + given["dry_run"] == 0:
        raise click.UsageError("say where to write: --in-place, --output FOLDER, or --dry-run to look first")
    if given["in_place"] and given["output"]:
        raise click.UsageError("--in-place and --output exclude each other")
    run = _Run(wish, given)
    print_lines(run.output(paths))
    sys.exit(INTERRUPTED if run.interrupted else 1 if run.counts["refused"] else 0)


def _wish(given: dict[str, Any]) -> Wish:
    try:
        target = given["target"]
        canonical(target)
        source = canonical(given["source"]) if given["source"] else None
        wish = Wish(target, given["bom"], given["newline"], given["min_confidence"], source)
        Document(b"").to_bytes(encoding=target, bom=wish.mark)
    except (CharlensError, ValueError) as error:
        raise click.UsageError(str(error)) from None
    return wish._replace(declarations=not given["keep_declarations"])


def _convert_stream(wish: Wish) -> None:
    plan = plan_bytes(sys.stdin.buffer.read(), wish)
    if plan.status in ("refused", "binary"):
        complain(f"standard input: {plan.words}")
        sys.exit(1)
    sys.stdout.buffer.write(plan.content)
    sys.stdout.buffer.flush()


class _Run:
    """One call of the command: what was done to how many files."""

    def __init__(self, wish: Wish, given: dict[str, Any]) -> None:
        self.wish = wish
        self.given = given
        self.counts: Counter[str] = Counter()
        self.interrupted = False
        self._written: set[str] = set()

    def output(self, paths: tuple[str, ...]) -> Iterator[str]:
        given = self.given
        if given["form"] != "text":
            records = (self._record(plan, target) for plan, target in self._plans(paths))
            yield from render_records(records, given["form"], _KEYS, lambda: dict(self.counts))
        elif given["dry_run"]:
            yield from self._table(paths)
        else:
            for plan, target in self._plans(paths):
                yield from self._line(plan, target)
            if not given["quiet"]:
                yield self._summary()

    def _plans(self, paths: tuple[str, ...]) -> Iterator[tuple[Plan, str]]:
        def bad_folder(path: str, error: OSError) -> None:
            complain(f"{shown(path)}: {reason(error)}")
            self.counts["refused"] += 1

        named = set(paths)
        with Interruption() as stop:
            for entry in find_files(paths, ignore=not self.given["no_ignore"], complain=bad_folder):
                if stop():
                    break
                if entry.path not in named and self._is_own(entry.path):
                    continue
                plan = plan_file(entry.path, self.wish)
                target = self._target(entry)
                if plan.status == "binary" and entry.path in named:
                    plan = plan._replace(status="refused")
                plan = self._carry_out(plan, target)
                self.counts[plan.status] += 1
                yield plan, target
            self.interrupted = stop.asked
        if self.interrupted:
            complain("interrupted; every file is the old one or the new one")

    def _is_own(self, path: str) -> bool:
        """Whether *path*, found in a folder, is a backup or in the folder that is written to."""
        output = self.given["output"]
        if output and os.path.abspath(path).startswith(os.path.join(os.path.abspath(output), "")):
            return True
        return bool(self.given["backup"]) and path.endswith(self.given["suffix"])

    def _target(self, entry: Entry) -> str:
        return os.path.join(self.given["output"], entry.inner) if self.given["output"] else entry.path

    def _carry_out(self, plan: Plan, target: str) -> Plan:
        """Write what was planned; where that fails, the file is refused after all."""
        elsewhere = bool(self.given["output"])
        if plan.status not in ("convert", "unchanged") or (plan.status == "unchanged" and not elsewhere):
            return plan
        if elsewhere and target in self._written:
            return plan._replace(status="refused", words="another file of this name goes to the same folder")
        if elsewhere and not self.given["force"] and os.path.lexists(target):
            return plan._replace(status="refused", words=f"{shown(target)} is there already (see --force)")
        self._written.add(target)
        if self.given["dry_run"]:
            return plan
        try:
            if elsewhere:
                write_to(plan, target)
            else:
                write_plan(plan, self.wish, backup=self.given["suffix"] if self.given["backup"] else None)
        except (OSError, CharlensError) as error:
            return plan._replace(status="refused", words=reason(error))
        return plan if plan.status == "unchanged" else plan._replace(status="converted")

    def _line(self, plan: Plan, target: str) -> Iterator[str]:
        name = shown(plan.path)
        if plan.status == "refused":
            complain(f"{name}: not written: {plan.words}")
        elif plan.status == "converted" and not self.given["quiet"]:
            words = f" ({plan.words})" if plan.words else ""
            place = f" in {shown(target)}" if target != plan.path else ""
            yield f"{name}: {plan.source} to {self.wish.target}{words}{place}"
        elif self.given["verbose"]:
            yield f"{name}: {plan.status}{f' ({plan.words})' if plan.words else ''}"

    def _table(self, paths: tuple[str, ...]) -> Iterator[str]:
        rows = []
        listed = {"convert", "refused"} | ({"unchanged", "binary"} if self.given["verbose"] else set())
        for plan, _ in self._plans(paths):
            if plan.status in listed:
                sure = f"{plan.verdict.confidence:.2f}" if plan.verdict else ""
                status = {"convert": "convert", "refused": "REFUSE"}.get(plan.status, plan.status)
                rows.append([status, shown(plan.path), plan.source or "-", sure, plan.words])
        if rows and not self.given["quiet"]:
            lines = list(columns([["", "file", "from", "sure", "what"], *rows], right=(3,)))
            yield paint(lines[0], "", bold=True)
            for line, row in zip(lines[1:], rows, strict=True):
                yield paint(line, "red" if row[0] == "REFUSE" else "")
            yield ""
        yield self._summary()

    def _summary(self) -> str:
        done = "convert" if self.given["dry_run"] else "converted"
        words = "would be converted" if self.given["dry_run"] else "converted"
        counts = self.counts
        return (
            f"{counts[done]:,} {words} to {self.wish.target}, {counts['unchanged']:,} need no change, "
            f"{counts['binary']:,} binary, {counts['refused']:,} refused"
        )

    def _record(self, plan: Plan, target: str) -> dict[str, Any]:
        return {
            "path": shown(plan.path),
            "status": plan.status,
            "from": plan.source,
            "to": self.wish.target,
            "confidence": round(plan.verdict.confidence, 4) if plan.verdict else None,
            "words": plan.words,
            "output": shown(target) if plan.status in ("convert", "converted", "unchanged") else None,
        }
