"""`charlens encodings`: list the supported encodings."""

from __future__ import annotations

import click

from charlens.cli.options import format_option
from charlens.cli.records import render_records
from charlens.cli.terminal import columns, print_lines
from charlens.encodings import Encoding, all_encodings
from charlens.hints import tags_of


@click.command()
@click.option(
    "--for",
    "language",
    metavar="LANGUAGE",
    help="Only list encodings used for this language: ru, Russian, zh-TW.",
)
@format_option(("text", "json", "jsonl", "csv"))
def encodings(language: str | None, form: str) -> None:
    """List the supported encodings with their web names, kinds and languages.

    With --for, the Unicode encodings are not listed, because they cover every language; the most common encodings come
    first.

    \b
    charlens encodings
    charlens encodings --for russian
    charlens encodings --format json
    """
    found = all_encodings()
    if language is not None:
        try:
            tags = set(tags_of(language))
        except ValueError as error:
            raise click.UsageError(str(error)) from None
        found = tuple(
            sorted((each for each in found if tags & {*each.languages}), key=lambda each: -each.common)
        )
        if not found:
            raise click.UsageError(
                f"No legacy encoding is known for {language!r}. 'charlens encodings' lists all encodings."
            )
    if form == "text":
        rows = [["name", "web name", "kind", "languages"], *(_row(each) for each in found)]
        print_lines(columns(rows))
    else:
        keys = ("name", "web", "iana", "kind", "languages")
        records = ({key: getattr(each, key) for key in keys} for each in found)
        print_lines(render_records(records, form, keys, noun="encodings"))


def _row(encoding: Encoding) -> list[str]:
    return [encoding.name, encoding.web or "-", encoding.kind, " ".join(encoding.languages) or "all"]
