"""How well `check` finds text that was damaged before it was saved: precision on clean files, recall on made damage.

    python bench/lost.py FOLDER...

Clean: every file under the folders that charlens is sure of. Damage: the prose of tests/prose, 400 characters each,
written in an encoding that lacks its letters ('?' and U+FFFD), read as ISO 8859-1 instead of
windows-1252, and half repaired.
"""

from __future__ import annotations

import sys
from collections import Counter

from mojibake import PROSE, decoded, misread

from charlens.mojibake.damage import find_damage


def damaged(text: str) -> dict[str, str]:
    """Return *text* damaged in several ways; a way that changes nothing is left out."""
    quoted = "\u201c" + text + "\u201d \u2013 " + text
    ways = {
        "? for letters": text.encode("ascii", "replace").decode("ascii"),
        "U+FFFD": text.encode("cp1252", "replace").decode("utf-8", "replace"),
        "C1 controls": quoted.encode("cp1252", "ignore").decode("iso8859-1"),
        "leftovers": "\u00e9 " + misread("l\u2019\u00e9t\u00e9 d\u00e9j\u00e0", ("cp1252",)) + " " + text,
    }
    return {name: wrong for name, wrong in ways.items() if wrong not in (text, quoted)}


def main() -> None:
    found: Counter[str] = Counter()
    tried: Counter[str] = Counter()
    for path in sorted(PROSE.glob("*.txt")):
        text = path.read_text(encoding="utf-8")[:400]
        if text.isascii() or sum(character > "\x7f" for character in text) < 8:
            continue
        for name, wrong in damaged(text).items():
            if name == "U+FFFD" and "\ufffd" not in wrong:
                continue
            tried[name] += 1
            found[name] += bool(find_damage(wrong))
    for name in tried:
        print(f"{name}: {found[name]} of {tried[name]} found ({found[name] / tried[name]:.1%})")
    texts = list(decoded(sys.argv[1:]))
    wrong_texts = [(text, damage) for text in texts if (damage := find_damage(text))]
    print(f"{len(texts):,} files: {len(wrong_texts)} said to be damaged")
    kinds = Counter(damage[0].words for _, damage in wrong_texts)
    for words, number in kinds.most_common():
        print(f"  {number:4} {words}")
        shown = [text[d[0].start - 12 : d[0].end + 12] for text, d in wrong_texts if d[0].words == words]
        print("       ", [repr(each) for each in shown[:6]])


if __name__ == "__main__":
    main()
