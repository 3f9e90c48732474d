"""Draw what DOS programs drew: frames, rules, tables, trees, shading, banners, menus, with or without colour codes.

A drawing has only signs that its encoding has, as a real one would.  The caller gives the words inside.
"""

from __future__ import annotations

import random
from functools import lru_cache

# Corners, edges and joints of a frame, in the order ┌ ─ ┐ │ └ ┘ ├ ┤ ┬ ┴ ┼; each style as often as it is here.
_FRAMES = (
    "┌─┐│└┘├┤┬┴┼", "┌─┐│└┘├┤┬┴┼", "┌─┐│└┘├┤┬┴┼", "╔═╗║╚╝╠╣╦╩╬", "╔═╗║╚╝╠╣╦╩╬", "╒═╕│╘╛╞╡╤╧╪", "╓─╖║╙╜╟╢╥╨╫",
    "█▀██▀▀███▀█", "█▀█▌▀▀▌▐▀▄█", "░░░░░░░░░░░", "━━┓┃┗┛┣┫┳┻╋",
)  # fmt: skip
# Blocks of banners and shadows; the last ones are those of East Asia.
_BLOCKS = ("░▒▓█", "▄▀█", "▄▀█▌▐", "░▒▓█▄▀▌▐", "■", "█", "▓▒░", "▀▄", "▄█▀ ", "■□", "●○", "★☆", "◆◇",
           "▁▂▃▄▅▆▇█", "◢◣◤◥", "█◢◣◤◥▆", "▎▌▊█", "●▲▼★", "╱╲")  # fmt: skip
# Signs before a heading or an entry of a menu.
_MARKS = (
    "■", "·", "∙", "•", "√", "»", "«", "≡", "▌", "▐", "°", "│", "─", "═", "╪", "┤", "├", "▒", "█▌", "──", "─=", "»»",
)  # fmt: skip
_COLOURS = (
    "\x1b[0m", "\x1b[1;34m", "\x1b[0;1;33m", "\x1b[37m", "\x1b[2J", "\x1b[5C", "\x1b[0;36;44m", "|#9", "|#1", "|08",
    "|15", "@X0F", "@X1E", "\x01n", "\x01h", "`%", "~1",
)  # fmt: skip
# What logos of plain text are made of; macrons are the upper edges, dots, cedillas and accents the small strokes.
_STROKES = "_/\\|().:-='`,<>"
_SIGNS_OF_LATIN_1 = "¯¯¯···¸°¬¦¡«»´×÷º³ø"
_MENU = (
    "[A] Main menu", "[Q]uit", "F1 Help", "1) Messages", "(Y/N)?", "Files: 120", "Node 1", "v1.02", "1993", "[ ]",
)  # fmt: skip


@lru_cache(maxsize=512)
def _fitting(signs: str, encoding: str) -> str:
    """Return those of *signs* that *encoding* has."""
    return "".join(sign for sign in signs if sign.isspace() or _has(sign, encoding))


@lru_cache(maxsize=4096)
def _has(sign: str, encoding: str) -> bool:
    try:
        return bool(sign.encode(encoding))
    except UnicodeError:
        return False


def can_draw(encoding: str) -> bool:
    """Whether *encoding* has the signs of a plain frame."""
    return _has("─", encoding) and _has("│", encoding)


def draw(lines: list[str], length: int, encoding: str, chance: random.Random) -> str:
    """Return a drawing of about *length* characters around *lines*, in signs that *encoding* has."""
    frames = [frame for frame in _FRAMES if _fitting(frame, encoding) == frame]
    blocks = [found for signs in _BLOCKS if (found := _fitting(signs, encoding)).strip()]
    lines = lines + chance.sample(_MENU, 3)
    parts: list[str] = []
    makers = (_frame, _frame, _rule, _table, _tree, _heads, _columns, _signs_apart, _calls, _edge)
    own = chance.sample(makers, chance.choice((1, 1, 2, 3)))
    colours = chance.sample(_COLOURS, 3) if chance.random() < 0.35 else []
    width = chance.choice((8, 12, 20, 30, 40, 60, 76, 78))
    while sum(map(len, parts)) < length:
        drawing = chance.choice(own)(lines, min(width, max(2, length)), chance.choice(frames), chance)
        if chance.random() < 0.25:
            drawing = chance.choice((_banner, _banner, _fade))(lines, width, chance.choice(blocks), chance)
        parts.append(_coloured(drawing, colours, chance))
    text = "".join(parts)
    start = chance.randrange(max(1, len(text) - length + 1))
    ended = text[start : start + length].replace("\n", chance.choice(("\n", "\r\n", "\r\n")))
    return "".join(sign for sign in ended if not "\u2500" <= sign <= "\u25ff" or _has(sign, encoding))


def draw_in_text(lines: list[str], length: int, chance: random.Random) -> str:
    """Return a drawing of slashes, underscores and the signs of Latin-1, as logos and message heads have them."""
    signs = chance.sample(_SIGNS_OF_LATIN_1, chance.choice((1, 2, 2, 4)))
    rows: list[str] = []
    width = chance.choice((12, 30, 60, 76))
    while sum(map(len, rows)) < length:
        kind = chance.random()
        if kind < 0.2:
            rows.append(chance.choice(signs) * chance.randrange(3, width))
        elif kind < 0.4:
            rows.append(f"{chance.choice(signs) * 2} {chance.choice(lines)[:30]} {chance.choice(signs) * 2}")
        else:
            row = ""
            while len(row) < width:
                pool = signs if chance.random() < 0.3 else _STROKES
                row += chance.choice(pool) * chance.choice((1, 1, 1, 2, 3, 6))
                row += " " * chance.choice((0, 0, 1, 4))
            rows.append(row)
        if chance.random() < 0.2:
            rows.append(chance.choice(lines))
    return chance.choice(("\n", "\n", "\r\n")).join(rows)[: max(length, 4)]


def _frame(lines: list[str], width: int, frame: str, chance: random.Random) -> str:
    left = " " * chance.choice((0, 0, 1, 4, 12))
    if chance.random() < 0.1:
        # An ornamental frame: its edges are made of joints.
        frame = (
            frame[0] + chance.choice(frame[8:]) + frame[2] + chance.choice(frame[3] + frame[6:8]) + frame[4:]
        )
    rows = [left + frame[0] + frame[1] * width + frame[2]]
    for _ in range(chance.randrange(1, 6)):
        rows.append(left + frame[3] + _cell(lines, width, chance) + frame[3])
        if chance.random() < 0.15:
            rows.append(left + frame[6] + frame[1] * width + frame[7])
    rows.append(left + frame[4] + frame[1] * width + frame[5])
    return "\n".join(rows) + "\n"


def _table(lines: list[str], width: int, frame: str, chance: random.Random) -> str:
    cells = [chance.randrange(2, 14) for _ in range(max(2, width // 12))]
    edge = {
        place: frame[place[1]].join(frame[1] * cell for cell in cells) for place in ((0, 8), (6, 10), (4, 9))
    }
    rows = [frame[0] + edge[0, 8] + frame[2]]
    for _ in range(chance.randrange(1, 5)):
        rows.append(frame[3] + frame[3].join(_cell(lines, cell, chance) for cell in cells) + frame[3])
        if chance.random() < 0.3:
            rows.append(frame[6] + edge[6, 10] + frame[7])
    rows.append(frame[4] + edge[4, 9] + frame[5])
    return "\n".join(rows) + "\n"


def _rule(lines: list[str], width: int, frame: str, chance: random.Random) -> str:
    kind = chance.random()
    if kind < 0.3:
        return chance.choice(lines) + "\n" + frame[1] * chance.randrange(2, width + 2) + "\n"
    ends = chance.choice((("", ""), (frame[7], frame[6]), (frame[0], frame[2]), (" ", " ")))
    arrow = chance.choice(("", "", ">", "<"))
    side = frame[1] * chance.randrange(1, 1 + max(2, width // 2))
    if kind < 0.45:
        return f"{side}{chance.choice(lines)[:20].upper()}{side}{arrow}\n"
    return f"{side}{ends[0]} {chance.choice(lines)} {ends[1]}{side}{arrow}\n"


def _tree(lines: list[str], width: int, frame: str, chance: random.Random) -> str:
    rows = [chance.choice(lines)]
    for _ in range(chance.randrange(2, 8)):
        depth = (frame[3] + "   ") * chance.choice((0, 0, 1, 2))
        rows.append(
            f"{depth}{chance.choice((frame[6], frame[6], frame[4]))}{frame[1] * chance.choice((1, 2, 2, 3))} "
            f"{chance.choice(lines)}"
        )
    return "\n".join(rows) + "\n"


def _banner(lines: list[str], width: int, signs: str, chance: random.Random) -> str:
    """Return rows of blocks with gaps, as letters of a logo are drawn, or shading along an edge."""
    rows = []
    for _ in range(chance.randrange(1, 5)):
        row = ""
        while len(row) < width:
            row += chance.choice(signs) * chance.choice((1, 1, 2, 3, 8)) + " " * chance.choice(
                (0, 0, 0, 1, 3)
            )
        rows.append(row[:width])
    if chance.random() < 0.3:
        rows.append(chance.choice(lines))
    return "\n".join(rows) + "\n"


def _fade(lines: list[str], width: int, signs: str, chance: random.Random) -> str:
    """Return shades that grow or fade along a line, around a word or without one."""
    shades = [sign for sign in signs if not sign.isspace()]
    side = "".join(sign * chance.choice((1, 1, 2, 3, 6)) for sign in shades)
    words = chance.choice(("", "", f" {chance.choice(lines)[:30]} "))
    return side[::-1] + words + side + "\n" if chance.random() < 0.5 else words + side + "\n"


def _edge(lines: list[str], width: int, frame: str, chance: random.Random) -> str:
    """Return a line of two signs in turns."""
    one, two = chance.choice(frame + "▀▄■·°"), chance.choice(frame + "▀▄■·° -")
    return (one + two) * max(1, chance.randrange(2, 2 + width) // 2) + "\n"


def _heads(lines: list[str], width: int, frame: str, chance: random.Random) -> str:
    mark = chance.choice((*_MARKS, frame[1], frame[3]))
    return f"{mark} {chance.choice(lines)}{chance.choice(('', ' ' + mark))}\n"


def _columns(lines: list[str], width: int, frame: str, chance: random.Random) -> str:
    gap = f"{chance.choice((' ', '', '  '))}{frame[3]}{chance.choice((' ', '', ' '))}"
    return gap.join(chance.choice(lines)[:12] for _ in range(chance.randrange(2, 6))) + "\n"


def _signs_apart(lines: list[str], width: int, frame: str, chance: random.Random) -> str:
    """Return the signs of a frame one by one, or in one string, as programs list them."""
    gap = chance.choice(("", "", " ", ", ", "', '", '","', "\n", "\t", " = "))
    shape = chance.choice(("{}", '"{}"', "'{}'", 'box = "{}";', "s := '{}';", "border={}"))
    return shape.format(gap.join(chance.sample(frame, chance.randrange(2, len(frame))))) + "\n"


def _calls(lines: list[str], width: int, frame: str, chance: random.Random) -> str:
    """Return calls that put one sign each on the screen."""
    shape = chance.choice(
        ("put( x, y, '{}', {} );", 'print("{}"); // {}', "mov al, '{}' ; {}", "Draw(x1, '{}', {})")
    )
    signs = chance.sample(frame + "░▒▓█▄▀■", chance.randrange(1, 7))
    return "\n".join(shape.format(sign, chance.choice(lines)[:12]) for sign in signs) + "\n"


def _cell(lines: list[str], width: int, chance: random.Random) -> str:
    text = " " + chance.choice(lines) if chance.random() < 0.7 else ""
    return text[:width].center(width) if chance.random() < 0.3 else text[:width].ljust(width)


def _coloured(drawing: str, colours: list[str], chance: random.Random) -> str:
    """Return *drawing* with codes around its signs, at the ends of lines or anywhere, or as strings of a program."""
    if not colours:
        shape = chance.choice(
            ("{}", "{}", "{}", "{}", 'print "{}"', '"{}\\n"', "/* {} */", "; {}", " * {}", "// {}")
        )
        return "\n".join(shape.format(line) if line else line for line in drawing.split("\n"))
    if chance.random() < 0.3:
        before, after = chance.choice(colours), chance.choice(colours)
        signs = (f"{before}{sign}{after}" if "\u2500" <= sign <= "\u25ff" else sign for sign in drawing)
        return "".join(signs)
    if chance.random() < 0.4:
        often = chance.choice((0.05, 0.15, 0.4))
        return "".join(chance.choice(colours) + sign if chance.random() < often else sign for sign in drawing)
    return "\n".join(
        chance.choice(colours) + line + (chance.choice(colours) if chance.random() < 0.5 else "")
        for line in drawing.split("\n")
    )
