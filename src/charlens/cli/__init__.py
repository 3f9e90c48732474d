"""The command `charlens`: one module per verb, loaded when it is called.

Exit codes: 0 done, 1 something was found or could not be done, 2 wrong use.
"""

from __future__ import annotations

import sys


def main() -> None:
    """Run the command; say what to install where its libraries are missing."""
    try:
        from charlens.cli.app import app
    except ImportError as error:
        if error.name not in ("click", "rich"):
            raise
        print(f"charlens: the command needs {error.name}: pip install 'charlens[cli]'", file=sys.stderr)
        sys.exit(2)
    app(prog_name="charlens")
