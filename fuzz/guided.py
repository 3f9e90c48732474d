"""Run the entries of `checks.py` guided by coverage: `python fuzz/guided.py ENTRY [-max_total_time=60] [CORPUS]`.

Needs atheris (`pip install atheris`); the arguments after the entry are for libFuzzer, which keeps inputs that reach
new code. The first bytes of an input are the seed of the random choices; the rest is the data.
"""

from __future__ import annotations

import random
import sys
from contextlib import suppress

try:
    import atheris
except ImportError:
    sys.exit("atheris is not installed (pip install atheris); fuzz/entries.py does without it.")

with atheris.instrument_imports(include=["charlens"]):
    from checks import ENTRIES

    from charlens import CharlensError


def main() -> None:
    """Hand one entry to libFuzzer."""
    name = sys.argv[1] if len(sys.argv) > 1 else ""
    if name not in ENTRIES:
        sys.exit(f"Unknown entry {name!r}; use one of {', '.join(ENTRIES)}.")

    def call(data: bytes) -> None:
        with suppress(CharlensError):  # refused with a message
            ENTRIES[name](data[4:], random.Random(int.from_bytes(data[:4], "little")))

    atheris.Setup([sys.argv[0], *sys.argv[2:]], call)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
