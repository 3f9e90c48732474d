"""`charlens convert`: to another encoding, in place or to a folder; nothing is written that cannot be proved right.

Arguments and words for the terminal; what may be written is planned and proved in `charlens.files.plan`.
"""

from __future__ import annotations

import os
import sys
from collections import Counter
from collections.abc import Iterator
from functools import partial
from typing import Any

import click

from charlens.cli.pool import map_paths
from charlens.cli.records import render_records
from charlens.cli.terminal import Interruption, columns, complain, paint, print_lines, reason, shown
from charlens.cli.walk import Entry, choice_of, choice_options, find_files, need_folder
from charlens.cli.writers import Job, Result, painted, refused, work_on, writer_options, writing_of
from charlens.encodings import canonical
from charlens.errors import CharlensError
from charlens.files.marks import MARKS
from charlens.files.plan import NEWLINES, Request, plan_bytes

INTERRUPTED = 130
_KEYS = ("path", "status", "from", "to", "confidence", "message", "output")


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
@click.option(
    "--keep-declarations", is_flag=True, help="Leave what the files declare of their encoding as it is."
)
@click.option("--mixed", is_flag=True, help="Put files in several encodings into one, part by part.")
@click.option(
    "--replace-damage",
    is_flag=True,
    help="Write U+FFFD for bytes that do not decode; else the file is refused.",
)
@click.option("--keep-times", is_flag=True, help="Leave the time of the last change as it was.")
@writer_options
@click.option(
    "--jobs", "-j", type=click.IntRange(0), default=0, help="Processes.  [default: one a processor]"
)
@choice_options
@click.option("--no-ignore", is_flag=True, help="Also convert what .gitignore files name.")
@click.option("--format", "form", type=click.Choice(("text", "json", "jsonl", "csv")), default="text")
@click.option("--quiet", "-q", is_flag=True, help="Say only what was refused.")
@click.option("--verbose", "-v", is_flag=True, help="Name files that need no change, too.")
def convert(paths: tuple[str, ...], **given: Any) -> None:
    """Convert files to another encoding, by default to UTF-8.

    Every change is proved before it is written: the text stays the same, what the file declares of its encoding becomes
    true, and a second run has nothing to do. A file for which that cannot be shown is listed, not written, and the exit
    code is 1: an encoding that is not sure enough, a character that would be lost, bytes that do not decode.
    Binary files and formats such as PDF are never touched. PATH may be a folder, or - for standard input to
    standard output.

    \b
    charlens convert --dry-run .                        a table of what would change
    charlens convert --in-place --backup old/           letter.txt, and letter.txt.bak
    charlens convert --in-place --log done.jsonl old/   'charlens undo done.jsonl' restores all
    charlens convert *.srt --output utf8/               into another folder
    charlens convert -i --to utf-8 --no-bom --newline lf src/
    charlens convert -i --from cp437 readme.nfo         you know better
    curl -s URL | charlens convert - | less
    """
    request = _request(given)
    if paths == ("-",):
        _convert_stream(request)
        return
    if given["in_place"] + bool(given["output"]) + given["dry_run"] == 0:
        raise click.UsageError("say where to write: --in-place, --output FOLDER, or --dry-run to look first")
    if given["in_place"] and given["output"]:
        raise click.UsageError("--in-place and --output exclude each other")
    if given["output"] and not given["dry_run"]:
        place = os.path.abspath(given["output"])
        while not os.path.lexists(place):
            place = os.path.dirname(place)
        need_folder(place, f"--output {given['output']}")
    writing = None if given["dry_run"] else writing_of(given, "convert")
    run = _Run(Job(request, writing, given["diff"]), given)
    print_lines(run.output(paths))
    sys.exit(INTERRUPTED if run.interrupted else 1 if run.counts["refused"] else 0)


def _request(given: dict[str, Any]) -> Request:
    try:
        target = canonical(given["target"])
        source = canonical(given["source"]) if given["source"] else None
    except CharlensError as error:
        raise click.UsageError(str(error)) from None
    if given["bom"] and target not in MARKS:
        raise click.UsageError(f"{target} has no byte order mark; leave --bom out")
    return Request(
        given["target"],
        given["bom"],
        given["newline"],
        given["min_confidence"],
        source,
        declarations=not given["keep_declarations"],
        mixed=given["mixed"],
        replace=given["replace_damage"],
    )


def _convert_stream(request: Request) -> None:
    plan = plan_bytes(sys.stdin.buffer.read(), request)
    if plan.status in ("refused", "binary"):
        complain(f"standard input: {plan.words}")
        sys.exit(1)
    sys.stdout.buffer.write(plan.after)
    sys.stdout.buffer.flush()


class _Run:
    """One call of the command: what was done to how many files."""

    def __init__(self, job: Job, given: dict[str, Any]) -> None:
        self.job = job
        self.given = given
        self.counts: Counter[str] = Counter()
        self.interrupted = False
        self._targets: dict[str, str] = {}
        self._seen: set[str] = set()
        self._several = False
        self._choice = choice_of(given, given["suffix"])

    def output(self, paths: tuple[str, ...]) -> Iterator[str]:
        given = self.given
        self._several = len(paths) > 1
        if given["form"] != "text":
            records = (self._record(result) for result in self._results(paths))
            yield from render_records(records, given["form"], _KEYS, lambda: dict(self.counts))
        elif given["dry_run"]:
            yield from self._table(paths)
        else:
            for result in self._results(paths):
                yield from self._line(result)
            if not given["quiet"]:
                yield self._summary()

    def _results(self, paths: tuple[str, ...]) -> Iterator[Result]:
        named = set(paths)
        with Interruption() as stop:
            work = partial(_work, job=self.job, targets=self._targets if self.given["output"] else None)
            # With --output the targets must be known before the processes are started.
            files = self._files(paths)
            found = list(files) if self.given["output"] else files
            for path, result in map_paths(work, found, self.given["jobs"], stop):
                result = result or Result(path, "refused", words="the process that worked on it ended")
                if result.status == "binary" and path in named:
                    result = result._replace(status="refused")
                yield self._counted(result)
            yield from map(self._counted, self._clashes)
            self.interrupted = stop.asked
        if self.interrupted:
            complain("interrupted; every file is the old one or the new one")

    def _counted(self, result: Result) -> Result:
        self.counts[result.status] += 1
        return result

    def _files(self, paths: tuple[str, ...]) -> Iterator[str]:
        """Yield each file once; links in folders are left alone, because they can lead out of them."""
        self._clashes: list[Result] = []

        def bad_folder(path: str, error: OSError) -> None:
            complain(f"{shown(path)}: {reason(error)}")
            self.counts["refused"] += 1

        named = set(paths)
        for entry in find_files(
            paths, ignore=not self.given["no_ignore"], complain=bad_folder, choice=self._choice
        ):
            real = os.path.realpath(entry.path)
            if entry.path not in named and (self._is_own(entry.path) or os.path.islink(entry.path)):
                continue
            if real in self._seen:
                continue
            self._seen.add(real)
            if not self.given["output"] or self._has_room(entry):
                yield entry.path

    def _is_own(self, path: str) -> bool:
        """Whether *path*, found in a folder, is the journal, or in the folder that is written to."""
        output, log = self.given["output"], self.given["log"]
        if output and os.path.abspath(path).startswith(os.path.join(os.path.abspath(output), "")):
            return True
        return bool(log) and os.path.abspath(path) == os.path.abspath(log)

    def _has_room(self, entry: Entry) -> bool:
        """Find the place of a file under --output; a place that is taken is a refusal."""
        target = os.path.join(self.given["output"], _inner(entry, self._several))
        words = ""
        if target in self._targets.values():
            words = "another file of this name goes to the same folder"
        elif not self.given["force"] and os.path.lexists(target):
            words = f"{shown(target)} is there already (see --force)"
        if words:
            self._clashes.append(Result(entry.path, "refused", words=words))
            return False
        self._targets[entry.path] = target
        return True

    def _line(self, result: Result) -> Iterator[str]:
        name = shown(result.path)
        if result.status == "refused":
            refused(result)
        elif result.status == "changed" and not self.given["quiet"]:
            words = f" ({result.words})" if result.words else ""
            place = f" in {shown(result.target)}" if result.target != result.path else ""
            yield f"{name}: {result.source} to {self.given['target']}{words}{place}"
            yield from painted(result.diff)
        elif self.given["verbose"]:
            yield f"{name}: {result.status}{f' ({result.words})' if result.words else ''}"

    def _table(self, paths: tuple[str, ...]) -> Iterator[str]:
        rows, diffs = [], []
        listed = {"change", "refused"} | ({"unchanged", "binary"} if self.given["verbose"] else set())
        for result in self._results(paths):
            if result.status in listed:
                sure = f"{result.confidence:.2f}" if result.confidence is not None else ""
                status = {"change": "convert", "refused": "REFUSE"}.get(result.status, result.status)
                rows.append([status, shown(result.path), result.source or "-", sure, result.words])
                diffs.append(result.diff)
        if rows and not self.given["quiet"]:
            lines = list(columns([["", "file", "from", "sure", "what"], *rows], right=(3,)))
            yield paint(lines[0], "", bold=True)
            for line, row, diff in zip(lines[1:], rows, diffs, strict=True):
                yield paint(line, "red" if row[0] == "REFUSE" else "")
                yield from painted(diff)
            yield ""
        yield self._summary()

    def _summary(self) -> str:
        done = "change" if self.given["dry_run"] else "changed"
        words = "would be converted" if self.given["dry_run"] else "converted"
        counts = self.counts
        return (
            f"{counts[done]:,} {words} to {self.given['target']}, {counts['unchanged']:,} need no change, "
            f"{counts['binary']:,} binary, {counts['refused']:,} refused"
        )

    def _record(self, result: Result) -> dict[str, Any]:
        status = {"change": "convert", "changed": "converted"}.get(result.status, result.status)
        return {
            "path": shown(result.path),
            "status": status,
            "from": result.source,
            "to": self.given["target"],
            "confidence": None if result.confidence is None else round(result.confidence, 4),
            "message": result.words,
            "output": shown(result.target) if status in ("convert", "converted", "unchanged") else None,
        }


def _work(path: str, job: Job, targets: dict[str, str] | None) -> Result:
    return work_on(path, job, targets[path] if targets is not None else None)


def _inner(entry: Entry, several: bool) -> str:
    """Return where a file goes under --output; with *several* arguments each keeps its own name in the path."""
    if not several:
        return entry.inner
    named = os.path.normpath(entry.path)
    if not os.path.isabs(named) and not named.startswith(".."):
        return named
    if not entry.found:
        return entry.inner
    top = entry.path[: len(entry.path) - len(entry.inner)]
    return os.path.join(os.path.basename(os.path.abspath(top)), entry.inner)
