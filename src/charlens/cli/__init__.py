"""The command `charlens`: one module per verb, loaded when it is called.

Exit codes: 0 done, 1 something was found or could not be done, 2 wrong use, 130 Ctrl-C.
"""

from __future__ import annotations

import gc
import os
import sys


def main() -> None:
    """Run the command; if one of its libraries is missing, say what to install."""
    # Garbage collection during the imports finds nothing and takes 5 ms of a start of 75 ms.
    gc.set_threshold(100_000)
    _need_output()
    try:
        from charlens.cli.app import app

        if os.environ.get("_CHARLENS_COMPLETE", "").startswith("powershell"):
            from charlens.cli import completion as completion  # registers PowerShell with click
        app(prog_name="charlens")
    except ImportError as error:
        if error.name not in ("click", "rich", "pathspec"):
            raise
        print(f"charlens: the command needs {error.name}: pip install 'charlens[cli]'", file=sys.stderr)
        sys.exit(2)
    except OSError as error:
        if error.filename is not None:
            raise
        from charlens.cli.terminal import stop_writing

        stop_writing(error)  # help, versions; verbs that print much catch it themselves
    except KeyboardInterrupt:  # while a verb was imported; the rest is for the verbs
        print("charlens: interrupted", file=sys.stderr)
        sys.exit(130)


def _need_output() -> None:
    """Exit if standard output is closed: the next file that is opened would take its place."""
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w")  # noqa: SIM115
    if sys.stdout is None:
        print("charlens: standard output is closed; to print nothing, use > /dev/null", file=sys.stderr)
        sys.exit(1)
