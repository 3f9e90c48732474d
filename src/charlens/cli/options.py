"""Options that several verbs share, so that each is written once and reads the same everywhere."""

from __future__ import annotations

import click

jobs_option = click.option(
    "--jobs",
    "-j",
    type=click.IntRange(0),
    default=0,
    help="Number of worker processes.  [default: one per processor]",
)
#: For verbs that read one file: skips detection.
encoding_option = click.option(
    "--encoding", "-e", metavar="ENCODING", help="Read the file in this encoding instead of detecting it."
)
no_ignore_option = click.option(
    "--no-ignore", is_flag=True, help="Also process files that .gitignore excludes."
)
