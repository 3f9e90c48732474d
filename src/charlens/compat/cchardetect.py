"""The command `cchardetect` of faust-cchardet: the same options and lines, with the answers of charlens.

`python -m charlens.compat.cchardet` runs it.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from charlens.compat import cchardet


def main(argv: Sequence[str] | None = None) -> None:
    """Print a line for each file, or for standard input; stop at a file that cannot be read, as the original does."""
    parser = argparse.ArgumentParser(prog="cchardetect")
    parser.add_argument("files", nargs="*", help="files to look at; standard input if none is named")
    parser.add_argument("--chunk-size", type=int, default=256 * 1024, help="bytes to read at a time")
    parser.add_argument("--version", action="version", version=f"%(prog)s {cchardet.__version__}")
    options = parser.parse_args(argv)
    for path in options.files or [0]:
        try:
            with open(path, "rb", closefd=path != 0) as file, cchardet.UniversalDetector() as detector:
                while chunk := file.read(options.chunk_size):
                    detector.feed(chunk)
        except OSError as error:
            parser.error(f"can't open '{path}': {error.strerror}")
        found = detector.result
        print(f"{path or '<stdin>'}: {found['encoding']} with confidence {found['confidence']}")
