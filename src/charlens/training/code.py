"""Write programs, their comments and notes beside them: words in ASCII, and a sign or two of the platform in them.

A file of this kind has few signs, but uses them again and again in the same way: a bullet before each entry, a row of
them as a rule, one at the end of each line that goes on, one after a number.
"""

from __future__ import annotations

import random
from collections.abc import Sequence

_PREFIXES = ("", "", "// ", "/* ", "; ", "# ", " * ", "-- ", "\t", "REM ", "    ")
#: Places of a sign: before, after and between words and numbers, in quotes, in rows.
_SHAPES = (
    "{s} {w}", "{s}{w}", "{s} {w} {s}", "{w}{s}", "{w} {s}", "{w} {s} {w}", "{w} {s}= {n}", '"{s}"', "'{s}'", "({s})",
    '"{w}{s}"', "{n}{s}", "{s}{n}", "{n} {s}", "{w} {s} {n}", "{s}{w}{s}", "{s}{s}{s} {w} {s}{s}{s}", "{r}", "{r}", "{r} {w}",
    "{w} ({s})", "{w}.{s}", "{s}.{w}", "-{w} {s}", '= "{s}";', "{n}{s}{w}", "{s}\n", "{w}{s}.", "{w}{s},", "{s}{n} {w}",
)  # fmt: skip
_ROWS = (3, 5, 8, 10, 16, 20, 30, 40, 60, 72, 76)
_NUMBERS = ("0", "1", "2", "10", "25", "90", "100", "180", "1.0", "1992", "1994", "3.5")


def write_code(words: Sequence[str], signs: str, length: int, chance: random.Random) -> str:
    """Return about *length* characters: lines of *words*, some of them with one of a few of *signs*."""
    own = [chance.choice(signs) for _ in range(chance.choice((1, 1, 1, 2, 3)))]
    shapes = chance.sample(_SHAPES, chance.choice((1, 1, 2, 3)))
    often = chance.choice((0.03, 0.1, 0.3, 0.8))
    prefix = chance.choice(_PREFIXES)
    lines = [_line(words, own, shapes, prefix, chance)]
    while sum(map(len, lines)) < length:
        if chance.random() < often:
            lines.append(_line(words, own, shapes, prefix, chance))
        else:
            start = chance.randrange(len(words))
            lines.append(chance.choice(_PREFIXES) + " ".join(words[start : start + chance.randrange(1, 12)]))
    chance.shuffle(lines)
    return chance.choice(("\n", "\n", "\n", "\r", " ")).join(lines)


def _line(words: Sequence[str], signs: list[str], shapes: list[str], prefix: str, chance: random.Random) -> str:
    sign = chance.choice(signs)
    start = chance.randrange(len(words))
    return prefix + chance.choice(shapes).format(
        s=sign,
        w=" ".join(words[start : start + chance.choice((1, 1, 2, 4))]),
        n=chance.choice(_NUMBERS),
        r=sign * chance.choice(_ROWS),
    )
