"""Measure how often 5 KB of UTF-8 with one bad byte is detected as UTF-8: `python bench/damage.py [EACH]`.

The prose of the tests in every language, 20 inputs each; at a random position, an invalid byte is inserted
or a byte is overwritten. The other detectors get the same inputs.
"""

from __future__ import annotations

import random
import sys
from collections import Counter
from collections.abc import Iterator

from common import describe, languages, prose, table
from legacy import contenders

_SIZE = 5_000
_BAD = (b"\xff", b"\xe9", b"\x92", b"\x80")


def inputs(each: int) -> Iterator[bytes]:
    """Yield UTF-8 of about 5 KB with one fault in it."""
    for tag in languages():
        lines = prose(tag).splitlines(keepends=True)
        chance = random.Random(tag)
        made = 0
        while made < each:
            text = ""
            while len(text.encode()) < _SIZE:
                text += chance.choice(lines)
            data = text.encode()
            at = chance.randrange(len(data))
            data = data[:at] + chance.choice(_BAD) + data[at + chance.randrange(2) :]
            try:
                data.decode()
            except UnicodeDecodeError:
                made += 1
                yield data


def main(arguments: list[str]) -> None:
    """Ask everybody and print the shares."""
    asked = contenders()
    right: Counter[str] = Counter()
    count = 0
    for data in inputs(int(arguments[0]) if arguments else 20):
        count += 1
        for name, detect in asked.items():
            answer = detect(data)
            said = answer if isinstance(answer, str) else getattr(answer, "encoding", None)
            said = answer.get("encoding") if isinstance(answer, dict) else said
            right[name] += (said or "").lower().startswith("utf-8")
    print(f"# One bad byte in 5 KB of UTF-8\n\n{describe()}\n")
    rows = [(name, f"{100 * right[name] / count:.2f}") for name in asked]
    print(table((f"percent of {count:,} called UTF-8", ""), rows))


if __name__ == "__main__":
    main(sys.argv[1:])
