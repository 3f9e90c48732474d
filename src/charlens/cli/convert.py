"""`charlens convert`: convert files to another encoding, and write only what was verified.

Arguments and messages; `charlens.files.plan` decides what may be written and verifies it.
"""

from __future__ import annotations

import os
import sys
from collections import Counter
from collections.abc import Iterator
from functools import partial
from typing import Any

import click

from charlens.cli.options import (
    INPUT,
    format_option,
    jobs_option,
    no_ignore_option,
    on_the_line,
    piped_in,
)
from charlens.cli.pool import map_paths
from charlens.cli.records import render_records
from charlens.cli.terminal import (
    Interruption,
    columns,
    complain,
    count,
    paint,
    print_lines,
    reason,
    shown,
)
from charlens.cli.walk import Entry, choice_of, choice_options, find_files, need_folder
from charlens.cli.writers import (
    Job,
    Result,
    convert_input,
    foreseen,
    painted,
    refuse_for_input,
    refused,
    work_on,
    writer_options,
    writing_of,
)
from charlens.encodings import canonical, has_ascii
from charlens.errors import CharlensError
from charlens.files.confined import within
from charlens.files.marks import MARKS
from charlens.files.plan import NEWLINES
from charlens.files.reading import Request

INTERRUPTED = 130
_ADVICE = "to see why, run 'charlens explain FILE'; if you know the encoding of a refused file, use --from"
_KEYS = ("path", "status", "from", "to", "confidence", "message", "output")


@click.command()
@click.argument("paths", nargs=-1, metavar="[PATH]...", type=INPUT)
@click.option(
    "--to",
    "-t",
    "target",
    default="utf-8",
    show_default=True,
    metavar="ENCODING",
    help="The encoding to convert to.",
)
@click.option(
    "--from",
    "-f",
    "source",
    metavar="ENCODING",
    help="The current encoding; skips detection. Files that are already UTF-8 stay unchanged.",
)
@click.option("--in-place", "-i", is_flag=True, help="Replace the files (each atomically).")
@click.option(
    "--output", "-o", type=click.Path(file_okay=False), help="Write the converted files to this folder."
)
@click.option("--force", is_flag=True, help="With --output: overwrite existing files.")
@click.option("--dry-run", "-n", is_flag=True, help="Show what would change, and write nothing.")
@click.option(
    "--min-confidence",
    type=click.FloatRange(0, 1),
    default=0.9,
    show_default=True,
    help="Refuse files detected with a lower confidence.",
)
@click.option("--bom/--no-bom", default=None, help="Add or remove the byte order mark.  [default: unchanged]")
@click.option(
    "--newline",
    type=click.Choice(tuple(NEWLINES), case_sensitive=False),
    help="Convert line endings.  [default: unchanged]",
)
@click.option(
    "--keep-declarations",
    is_flag=True,
    help="Do not update declarations such as <meta charset> or coding lines.",
)
@click.option("--mixed", is_flag=True, help="Also convert files that mix several encodings, part by part.")
@click.option(
    "--replace-damage",
    is_flag=True,
    help="Write U+FFFD for bytes that do not decode, instead of refusing the file.",
)
@click.option("--keep-times", is_flag=True, help="Keep the modification time.")
@writer_options
@jobs_option
@choice_options
@no_ignore_option
@format_option(("text", "json", "jsonl", "csv"))
@click.option("--quiet", "-q", is_flag=True, help="Only print what was refused.")
@click.option("--verbose", "-v", is_flag=True, help="Also list files that need no change.")
def convert(paths: tuple[str, ...], **given: Any) -> None:
    """Convert files to another encoding, by default to UTF-8.

    Before charlens writes a file, it verifies that the new bytes decode to the same text, that declarations inside the
    file (<meta charset>, coding lines, ...) match the new encoding, and that a second run would change nothing. A file
    that fails a check (low confidence, undecodable bytes, a character that the target encoding lacks) is left unchanged
    and reported, and the exit code is 1. Binary files and formats such as PDF are skipped. PATH may be a folder.
    Without a PATH, or with -, charlens converts standard input to standard output.

    \b
    charlens convert --dry-run .                        preview the changes
    charlens convert --in-place --backup old/           keep letter.txt.bak
    charlens convert --in-place --log done.jsonl old/   revert with 'charlens undo done.jsonl'
    charlens convert *.srt --output utf8/               write to another folder
    charlens convert -i --to utf-8 --no-bom --newline lf src/
    charlens convert -i --from cp437 readme.nfo         if you know the encoding
    curl -s URL | charlens convert | less
    """
    request = _request(given)
    if not paths and any(map(on_the_line, ("in_place", "output", "dry_run"))):
        raise click.UsageError("No input: name files or folders (charlens convert --in-place notes.txt).")
    if (paths or piped_in("convert")) == ("-",):
        refuse_for_input(given, ("in_place", "output", "dry_run", "log", "backup", "diff"), "converted")
        convert_input(request)
        return
    _choose_place(given)
    for path in paths if given["output"] else ():
        if os.path.isdir(path) and _is_below(path, given["output"]):
            raise click.UsageError(
                f"--output {given['output']}: {path} is this folder or inside it, so nothing would be converted. "
                "Name another folder, or use --in-place."
            )
    if given["output"] and not given["dry_run"]:
        place = os.path.abspath(given["output"])
        while not os.path.lexists(place):
            place = os.path.dirname(place)
        need_folder(place, f"--output {given['output']}")
    writing = None if given["dry_run"] else writing_of(given, "convert")
    run = _Run(Job(request, writing, given["diff"]), given)
    print_lines(run.output(paths))
    sys.exit(INTERRUPTED if run.interrupted else 1 if run.counts["refused"] else 0)


def _choose_place(given: dict[str, Any]) -> None:
    """Drop --in-place or --output if it is only in the settings, and the other on the command line."""
    if not (given["in_place"] or given["output"] or given["dry_run"]):
        raise click.UsageError(
            "Where should the result go? Use --in-place or --output FOLDER, or --dry-run to preview."
        )
    if given["in_place"] and given["output"]:
        if on_the_line("in_place") is on_the_line("output"):
            raise click.UsageError("--in-place and --output cannot be combined.")
        given["output" if on_the_line("in_place") else "in_place"] = None


def _request(given: dict[str, Any]) -> Request:
    try:
        target = canonical(given["target"])
        canonical(given["source"] or "utf-8")
    except CharlensError as error:
        raise click.UsageError(str(error)) from None
    if given["bom"] and target not in MARKS:
        raise click.UsageError(f"--bom: {target} has no byte order mark.")
    return Request(
        given["target"],
        given["bom"],
        given["newline"],
        given["min_confidence"],
        given["source"],
        declarations=not given["keep_declarations"],
        mixed=given["mixed"],
        replace=given["replace_damage"],
    )


class _Run:
    """One call of the command, with its counts."""

    def __init__(self, job: Job, given: dict[str, Any]) -> None:
        self.job = job
        self.given = given
        self.counts: Counter[str] = Counter()
        self.interrupted = False
        #: The number of files that were not reached yet, if it is known.
        self._left: int | None = None
        #: Whether a file was refused because the confidence was too low.
        self._doubted = False
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
        if self._doubted and given["form"] == "text" and not given["quiet"]:
            complain(_ADVICE)

    def _results(self, paths: tuple[str, ...]) -> Iterator[Result]:
        named = set(paths)
        with Interruption() as stop:
            work = partial(_work, job=self.job, targets=self._targets if self.given["output"] else None)
            files = self._files(paths)
            # With --output, the targets must be known before the processes start.
            known = self.given["output"] or not any(map(os.path.isdir, paths))
            found = list(files) if known else files
            self._left = len(found) if isinstance(found, list) else None
            for path, result in map_paths(work, found, self.given["jobs"], stop):
                if self._left is not None:
                    self._left -= 1
                result = result or Result(path, "refused", words="the worker process crashed")
                if result.status == "binary" and path in named:
                    result = result._replace(status="refused")
                yield self._counted(result)
            yield from map(self._counted, self._clashes)
            self.interrupted = stop.asked
        if self.interrupted:
            complain("interrupted; every file is either fully converted or unchanged")

    def _counted(self, result: Result) -> Result:
        self.counts[result.status] += 1
        # A file in several encodings also has confidence 0, but its message already says what to do.
        least = self.job.request.min_confidence
        self._doubted |= result.status == "refused" and 0 < (result.confidence or 0) < least
        return result

    def _files(self, paths: tuple[str, ...]) -> Iterator[str]:
        """Yield each file once; links found in folders are skipped, because they can point outside."""
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
        """Whether *path*, found in a folder, is the journal or inside the output folder."""
        output, log = self.given["output"], self.given["log"]
        if output and _is_below(path, output):
            return True
        return bool(log) and os.path.abspath(path) == os.path.abspath(log)

    def _has_room(self, entry: Entry) -> bool:
        """Find the path of a file under --output; refuse the file if another one has that path."""
        target = os.path.join(self.given["output"], _inner(entry, self._several))
        words = ""
        if target in self._targets.values():
            words = "another file would be written to the same place"
        elif not self.given["force"] and os.path.lexists(target):
            words = f"{shown(target)} already exists; use --force to overwrite it"
        elif not within(os.path.realpath(self.given["output"]), target):
            words = f"{shown(target)} is outside of the output folder, because of a link"
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
            place = f", written to {shown(result.target)}" if result.target != result.path else ""
            # Only a mark or line endings: the same encoding, or text that has the same bytes in both.
            same = result.source == result.encoding or (
                result.source == "ascii" and has_ascii(result.encoding or "")
            )
            change = result.words if same and words else f"{result.source} to {self._new(result)}{words}"
            yield f"{name}: {change}{place}"
            yield from painted(result.diff)
        elif self.given["verbose"]:
            yield f"{name}: {result.status}{f' ({result.words})' if result.words else ''}"

    def _new(self, result: Result) -> str:
        """Return the new encoding as it was asked for, unless the format needs another one."""
        target = str(self.given["target"])
        return "ascii" if result.encoding == "ascii" and result.source != "ascii" else target

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
            lines = list(columns([["", "file", "from", "confidence", "details"], *rows], right=(3,)))
            yield paint(lines[0], "", bold=True)
            for line, row, diff in zip(lines[1:], rows, diffs, strict=True):
                yield paint(line, "red" if row[0] == "REFUSE" else "")
                yield from painted(diff)
            yield ""
        yield self._summary()

    def _summary(self) -> str:
        done = "change" if self.given["dry_run"] else "changed"
        words = "Would convert" if self.given["dry_run"] else "Converted"
        counts = self.counts
        left = f", {self._left:,} not reached" if self._left and self.interrupted else ""
        return (
            f"{words} {count(counts[done], 'file')} to {self.given['target']} ({counts['unchanged']:,} unchanged, "
            f"{counts['binary']:,} binary, {counts['refused']:,} refused{left})"
        )

    def _record(self, result: Result) -> dict[str, Any]:
        status = {"change": "convert", "changed": "converted"}.get(result.status, result.status)
        return {
            "path": result.path,
            "status": status,
            "from": result.source,
            "to": self._new(result),
            "confidence": None if result.confidence is None else round(result.confidence, 4),
            "message": result.words,
            "output": result.target if status in ("convert", "converted", "unchanged") else None,
        }


def _work(path: str, job: Job, targets: dict[str, str] | None) -> Result:
    result = work_on(path, job, targets[path] if targets is not None else None)
    return result if job.writing else foreseen(result)


def _is_below(path: str, folder: str) -> bool:
    """Whether *path* is *folder* or in it."""
    return os.path.join(os.path.abspath(path), "").startswith(os.path.join(os.path.abspath(folder), ""))


def _inner(entry: Entry, several: bool) -> str:
    """Return the path of a file under --output; with *several* arguments, it starts with the name of its argument."""
    if not several:
        return entry.inner
    named = os.path.normpath(entry.path)
    if not os.path.isabs(named) and not named.startswith(".."):
        return named
    if not entry.found:
        return entry.inner
    top = entry.path[: len(entry.path) - len(entry.inner)]
    return os.path.join(os.path.basename(os.path.abspath(top)), entry.inner)
