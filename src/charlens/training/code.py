"""Write programs, their comments, and notes about them: ASCII words with one or two signs of the platform.

A file of this kind has few signs, but uses them again and again in the same way: a bullet before each entry, a row of
them as a line, one at the end of each line that continues, one after a number.
"""

from __future__ import annotations

import random
from collections.abc import Sequence

#: Signs as often as programs have them. On a Macintosh after 1,300 files of Macintosh programs of 1994 and 1995: the
#: copyright in most, then bullets, quotes, ellipses; ∂ ends a line that continues, ƒ is in make rules, π in names.
SIGNS_OF_MAC = (
    "©" * 14 + "•" * 12 + "’" * 8 + "…" * 8 + "“" * 6 + "ƒ" * 4 + "∂" * 4 + "™" * 6 + "—" * 3 + "π" * 6
    + "≈≈∆∆µµ®®––∞∞¬§§«»≥≤≠°°±±√◊†∑∫´¶¿¡£¢¥Ω÷\u00a0\u00a0"
)  # fmt: skip
#: Under DOS lines and frames, then signs of the key maps.
SIGNS_OF_DOS = (
    "─" * 8 + "═" * 6 + "││││║║║■■■" + "·····∙∙°°°°££½½«««¬¼²²±µ≡≡√√≥≤⌠⌡÷≈ππΩααß∞ª¢¥ⁿ░▒▓█▄▀▌▐ΘδσΣΦφεΓτ\u00a0"
)
#: Elsewhere what is on keyboards, and what word processors put in.
SIGNS = "©" * 10 + "°°°°°®®®£££€€§§µµ±±²²³··½«»´´´×™•••……’’’“”–––—\u00a0\u00a0\u00a0¿¡÷ªº¦¦ßß××££"

_PREFIXES = ("", "", "// ", "/* ", "; ", "# ", " * ", "-- ", "\t", "REM ", "    ")
#: Where a sign may be: before, after and between words and numbers, in quotes, in rows.
_SHAPES = (
    "{s} {w}", "{s}{w}", "{s} {w} {s}", "{w}{s}", "{w} {s}", "{w} {s} {w}", "{w} {s}= {n}", '"{s}"', "'{s}'", "({s})",
    '"{w}{s}"', "{n}{s}", "{s}{n}", "{n} {s}", "{w} {s} {n}", "{s}{w}{s}", "{s}{s}{s} {w} {s}{s}{s}", "{r}",
    "{w} ({s})", "{w}.{s}", "-{w} {s}", '= "{s}";', "{s}\n", "{w}{s}.", "{w}{s},",
)  # fmt: skip
#: The usual place of a sign.
_HABITS = {
    "∂": ("{w} {s}\n", "{w} {s}\n", "{s}n{w}", '{s}"{w}{s}"'), "ƒ": ("{w} {s} {w}", "{w} {s}", "{s}.{w}"),
    "•": ("{w}{s}", '"{w}{s}"', "{s} {w}", "{s}{w}", "{r}", "{r} {w} {r}", "{s}{s} {w}"),
    "…": ("{w}{s}", '"{w}{s}"', "{s}{w}"),
    "·∙■√◊≡": ("{s} {w}", "{r}", "{w} {s} {w}"), "─═": ("{r}",), "│║¦": ("{s} {w} {s}", "{s} {w}", "{w} {s} {w}"),
    "©": ("{s} {n}", "Copyright {s} {n} {w}", "{s}{n}", "{s} {w}", "{s}\u00a0{n}"), "®™": ("{w}{s}", "{w}{s} {w}"),
    "°": ("{n}{s}", "{n}{s}C", "{n} {s}C"), "’´": ("don{s}t", "it{s}s {w}", "{w}{s}s"),
    "“": ("“{w}”",), "«": ("«{w}»",), "„": ("„{w}“", "„{w}”"), "‹": ("‹{w}›",), "‰": ("{n}{s}", "{n} {s}"),
    "†": ("{s} {n}", "{w} {s}", "{w}{s}"), "±": ("{s}{n}", "{n} {s} {n}"),
    "–—": ("{n}{s}{n}", "{w} {s} {w}", "{w}{s}{w}", "{r}"),
    "π": ("{w}.{s}", "{w}.{s}.{w}", "{w} {s}", "2*{s}", "{s}/{n}"),
    "αß": ("{n}{s}", "{n}{s}{n}", '"{s} {n}"'),
    "ΘδσΣΦφεΓτΩ": ("{s} = {n}", "sin {s}", "{n}{s}", "{w}({s})", "{s}x/{s}y"),
    "²³": ("{w}{s}", "{n}m{s}"), "µ": ("{n} {s}s", "{s}s", "{n}{s}m", "{s}C", "{s}P {w}"),
    "£€¥": ("{s}{n}", "{n} {s}", '"{s}"', '!"{s}$%^&*()', "$!{s}@", "{n},{n} {s}"),
    "§": ("{s} {n}", "{s}{n}"), "≤≥≠": ("{w} {s} {n}", "{n} {s} {w}"), "½¼": ("{n}{s}", "{s} {w}"),
    "×÷": ("{n} {s} {n}", "{n}{s}{n}", "%d{s}%d", "{w} {s} {w}"),
    "\u00a0": ("{w}{s}{w}", "{s}{s}{w}", "{n}{s}{w}"), "≈": ("{s}.{w}", "{s} {n}", "-{w} {s}"),
}  # fmt: skip
_BY_SIGN = {sign: shapes for signs, shapes in _HABITS.items() for sign in signs}
_ROWS = (3, 5, 8, 10, 16, 20, 30, 40, 60, 72, 76)
_NUMBERS = ("0", "1", "2", "10", "25", "90", "100", "180", "1.0", "1992", "1994", "2001", "3.5")


def write_code(words: Sequence[str], signs: str, length: int, chance: random.Random) -> str:
    """Return about *length* characters: lines of *words*, some of them with one of a few of *signs*."""
    few = [chance.choice(signs) for _ in range(chance.choice((1, 1, 1, 2, 3)))]
    habits = [(sign, chance.choice(_shapes(sign, chance))) for sign in few]
    often = chance.choice((0.03, 0.1, 0.3, 0.8))
    prefix = chance.choice(_PREFIXES)
    lines = [_line(words, chance.choice(habits), prefix, chance)]
    while sum(map(len, lines)) < length:
        if chance.random() < often:
            lines.append(_line(words, chance.choice(habits), prefix, chance))
        else:
            start = chance.randrange(len(words))
            lines.append(chance.choice(_PREFIXES) + " ".join(words[start : start + chance.randrange(1, 12)]))
    chance.shuffle(lines)
    return chance.choice(("\n", "\n", "\n", "\r", " ")).join(lines)


def place_sign(sign: str, words: Sequence[str], chance: random.Random) -> str:
    """Return *sign* in one of its usual places, with some of *words* or a number."""
    return _line(words, (sign, chance.choice(_shapes(sign, chance))), "", chance)


def _shapes(sign: str, chance: random.Random) -> Sequence[str]:
    return _SHAPES if chance.random() < 0.2 else _BY_SIGN.get(sign, _SHAPES)


def _line(words: Sequence[str], habit: tuple[str, str], prefix: str, chance: random.Random) -> str:
    sign, shape = habit
    start = chance.randrange(len(words))
    return prefix + shape.format(
        s=sign,
        w=" ".join(words[start : start + chance.choice((1, 1, 2, 4))]),
        n=chance.choice(_NUMBERS),
        r=sign * chance.choice(_ROWS),
    )
