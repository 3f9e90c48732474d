"""`charlens detect`: the encoding and language of each file."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Any

import click

from charlens.api import detect as detect_bytes
from charlens.cli.options import format_option, names_option, piped_in
from charlens.cli.output import FORMATS, PLAIN, Report, Style, render
from charlens.cli.terminal import print_lines, shown
from charlens.errors import UnknownEncodingError
from charlens.inputs.paths import detect_path, open_bytes, spool_bytes
from charlens.kernel import scan
from charlens.options import make_options
from charlens.stages.content import classify_content
from charlens.types import Outcome, Verdict


@click.command()
@click.argument("paths", nargs=-1, metavar="[PATH]...")
@format_option(FORMATS)
@names_option("--only", "ENCODING", "Consider only this encoding")
@names_option("--never", "ENCODING", "Never choose this encoding")
@names_option("--language", "LANGUAGE", "Hint: the likely language, such as ru or Russian")
@click.option("--tld", metavar="DOMAIN", help="Hint: the top-level domain the files came from, such as ru.")
@click.option(
    "--platform", metavar="NAME", help="Hint: the platform they were written on: windows, dos, mac or unix."
)
@click.option(
    "--declared",
    type=click.Choice(["verify", "obey", "ignore"]),
    default="verify",
    help="How to treat declarations such as <meta charset>: check them against the bytes, trust them, or "
    "ignore them.  [default: verify]",
)
@click.option(
    "--model", metavar="DIR", help="Use a model made by 'charlens train' instead of the built-in one."
)
@click.option(
    "--method",
    type=click.Choice(["detect", "lists"]),
    default="detect",
    help="detect: the full detection; lists: only tell text from binary, with zlib's byte lists.  [default: detect]",
)
@click.option(
    "--equivalents",
    is_flag=True,
    help="In JSON and CSV, also list the encodings that decode to the same text.",
)
@click.option(
    "--content-type", metavar="HEADER", help="The HTTP Content-Type header the files were served with."
)
@click.option("--mime", is_flag=True, help="Print media type and charset, like 'file --mime'.")
@click.option("--brief", "-b", is_flag=True, help="Do not print file names, like 'file --brief'.")
@click.option(
    "--minimal", is_flag=True, help="Print only the name of the encoding, like 'chardetect --minimal'."
)
@click.option(
    "-q", "--quiet", is_flag=True, help="Do not report files that cannot be read; the exit code is still 1."
)
@click.option(
    "-v", "--verbose", is_flag=True, help="Also print how each answer was reached (text format only)."
)
def detect(paths: tuple[str, ...], form: str, verbose: bool, **given: Any) -> None:
    """Detect the encoding and language of files, or that they are binary.

    Without a PATH, or with -, charlens reads standard input. If a file cannot be read, charlens reports it, continues
    with the others, and exits with code 1.

    \b
    charlens detect notes.txt
    charlens detect --format jsonl data/*.csv
    charlens detect --only utf-8,windows-1252 letter.txt
    charlens detect --language ru --platform dos names.lst
    charlens detect --method lists *
    charlens detect --mime page.html             page.html: text/html; charset=koi8-r
    iconv -f $(charlens detect --minimal a.txt) -t utf-8 a.txt
    gunzip -c dump.gz | charlens detect
    """
    paths = paths or piped_in("detect")
    equivalents = given.pop("equivalents")
    quiet, by_lists = given.pop("quiet"), given.pop("method") == "lists"
    style = Style(given.pop("mime"), given.pop("brief"), given.pop("minimal"))
    if style != PLAIN and (form != "text" or verbose):
        raise click.UsageError("--mime, --brief and --minimal cannot be combined with --format or --verbose.")
    if by_lists and style.mime:
        raise click.UsageError(
            "--method lists only tells text from binary, so it cannot be combined with --mime."
        )
    if style.minimal and style.mime:
        raise click.UsageError("--minimal and --mime cannot be combined.")
    hints = {name: given.pop(name) for name in ("language", "tld", "platform")}
    keywords = {name: value or None for name, value in given.items()}
    keywords["parts"] = True
    keywords["hints"] = {name: value for name, value in hints.items() if value} or None
    try:
        keywords["model"] = make_options(
            only=keywords["only"], never=keywords["never"], hints=keywords["hints"], model=keywords["model"]
        ).model
    except (UnknownEncodingError, ValueError) as error:  # a model error is a ValueError
        raise click.UsageError(str(error)) from None
    failed = False

    def reports() -> Iterator[Report]:
        nonlocal failed
        for path in paths:
            report = _report(path, None if by_lists else keywords, verbose and form == "text", style.mime)
            if report.error is not None:
                failed = True
                if not quiet:
                    click.echo(f"charlens: {report.error}", err=True)
            yield report

    # Columns are for terminals; a pipe gets one sentence per file.
    table = (
        [shown(path) for path in paths] if len(paths) > 1 and style == PLAIN and sys.stdout.isatty() else []
    )
    print_lines(render(reports(), form, verbose=verbose, style=style, equivalents=equivalents, paths=table))
    sys.exit(1 if failed else 0)


def _report(path: str, keywords: dict[str, Any] | None, explained: bool, with_type: bool) -> Report:
    """Detect with *keywords*, or if they are None, with the byte lists alone."""
    name = shown(path)
    try:
        if path != "-" and keywords is not None and not with_type and not explained:
            return Report(path, detect_path(path, **keywords))
        with spool_bytes(sys.stdin.buffer) if path == "-" else open_bytes(path) as data:
            if keywords is None:
                found = classify_content(scan(data))
                outcome = Outcome.TEXT if found.is_text else Outcome.BINARY
                return Report(path, Verdict(outcome, None, 0.0, findings=(found,)))
            verdict = detect_bytes(data, **keywords)
            if with_type:
                from charlens.compat.media import mime  # here: rarely needed

                return Report(path, verdict, mime=mime(data, verdict))
            if not explained:
                return Report(path, verdict)
            from charlens.explanation import explain  # here: this import takes as long as all others

            return Report(path, verdict, steps=explain(data, verdict).steps)
    except IsADirectoryError:
        return Report(path, None, f"{name}: is a folder; use 'charlens scan {name}'")
    except OSError as error:
        return Report(path, None, f"{name}: {error.strerror or error}")
    except ValueError as error:  # a NUL in a path
        return Report(path, None, f"{name}: {error}")
    except MemoryError:
        return Report(path, None, f"{name}: not enough memory to read it")
