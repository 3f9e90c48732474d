"""`charlens detect`: what is each file?"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Any

import click

from charlens.api import detect as detect_bytes
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
@click.option(
    "--format", "form", type=click.Choice(FORMATS), default="text", help="How to print (default: text)."
)
@click.option(
    "--only", multiple=True, metavar="ENCODING", help="Answer with these encodings only; repeatable."
)
@click.option(
    "--never", multiple=True, metavar="ENCODING", help="Never answer with this encoding; repeatable."
)
@click.option(
    "--language",
    multiple=True,
    metavar="LANGUAGE",
    help="A hint: likely in this language (ru, or Russian); repeatable.",
)
@click.option("--tld", metavar="DOMAIN", help="A hint: from a host under this top-level domain, such as ru.")
@click.option("--platform", metavar="NAME", help="A hint: written on windows, dos, mac or unix.")
@click.option(
    "--declared",
    type=click.Choice(["verify", "obey", "ignore"]),
    default="verify",
    help="What declarations are worth (default: verify).",
)
@click.option(
    "--model", metavar="DIR", help="Use this model of 'charlens train' instead of the one that is shipped."
)
@click.option(
    "--method",
    type=click.Choice(["detect", "lists"]),
    default="detect",
    help="lists: only tell text from binary, by zlib's two lists of bytes (default: detect).",
)
@click.option(
    "--equivalents", is_flag=True, help="In records: also list the encodings that give the same text."
)
@click.option("--content-type", metavar="HEADER", help="The HTTP header that came with the files.")
@click.option("--mime", is_flag=True, help="Print media type and charset, as 'file --mime' does.")
@click.option("--brief", "-b", is_flag=True, help="Leave the names of the files out, as 'file --brief' does.")
@click.option(
    "--minimal", is_flag=True, help="Print the name of the encoding only, as 'chardetect --minimal' does."
)
@click.option("-q", "--quiet", is_flag=True, help="Do not complain of files that cannot be read.")
@click.option("-v", "--verbose", is_flag=True, help="Print the steps that led to each answer (text only).")
def detect(paths: tuple[str, ...], form: str, verbose: bool, **given: Any) -> None:
    """Tell what each file is: text or binary, and in which encoding.

    Without a PATH, or with -, standard input is read. A file that cannot be read is reported, and the others are still
    done; the exit code is then 1.

    \b
    charlens detect notes.txt
    charlens detect --format jsonl data/*.csv
    charlens detect --only utf-8 --only windows-1252 letter.txt
    charlens detect --language ru --platform dos names.lst
    charlens detect --method lists *
    charlens detect --mime page.html             page.html: text/html; charset=koi8-r
    iconv -f $(charlens detect --minimal a.txt) -t utf-8 a.txt
    gunzip -c dump.gz | charlens detect
    """
    if not paths:
        if sys.stdin is None or sys.stdin.isatty():
            raise click.UsageError("name a file, or pipe something in: charlens detect notes.txt")
        paths = ("-",)
    equivalents = given.pop("equivalents")
    quiet, by_lists = given.pop("quiet"), given.pop("method") == "lists"
    style = Style(given.pop("mime"), given.pop("brief"), given.pop("minimal"))
    if style != PLAIN and (form != "text" or verbose):
        raise click.UsageError(
            "--mime, --brief and --minimal are for text without --verbose; leave --format out"
        )
    if by_lists and style.mime:
        raise click.UsageError("--method lists tells text from binary only; leave --mime out")
    if style.minimal and style.mime:
        raise click.UsageError("--minimal and --mime exclude each other")
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

    print_lines(render(reports(), form, verbose=verbose, style=style, equivalents=equivalents))
    sys.exit(1 if failed else 0)


def _report(path: str, keywords: dict[str, Any] | None, explained: bool, with_type: bool) -> Report:
    """Detect with *keywords*; without any, by the lists alone."""
    name = shown(path)
    try:
        if path != "-" and keywords is not None and not with_type and not explained:
            return Report(name, detect_path(path, **keywords))
        with spool_bytes(sys.stdin.buffer) if path == "-" else open_bytes(path) as data:
            if keywords is None:
                found = classify_content(scan(data))
                outcome = Outcome.TEXT if found.is_text else Outcome.BINARY
                return Report(name, Verdict(outcome, None, 0.0, findings=(found,)))
            verdict = detect_bytes(data, **keywords)
            if with_type:
                from charlens.compat.media import mime  # here: few calls need it

                return Report(name, verdict, mime=mime(data, verdict))
            if not explained:
                return Report(name, verdict)
            from charlens.explanation import explain  # here: it takes as long to import as all the rest

            return Report(name, verdict, steps=explain(data, verdict).steps)
    except IsADirectoryError:
        return Report(name, None, f"{name}: is a folder; use 'charlens scan {name}'")
    except OSError as error:
        return Report(name, None, f"{name}: {error.strerror or error}")
    except ValueError as error:  # a NUL in a path
        return Report(name, None, f"{name}: {error}")
    except MemoryError:
        return Report(name, None, f"{name}: too large for the memory of this machine")
