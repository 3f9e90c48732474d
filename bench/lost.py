"""Measure how well `check` finds text that was damaged before it was saved: precision and recall.

    python bench/lost.py LABELLED [--part test]

LABELLED has real files and a manifest of their true encodings.  Clean: every file as it is; reports about them are
printed, because some files really are damaged. Damaged: 400 characters of each file with at least eight non-ASCII
characters, written in an encoding that lacks its letters ('?' and U+FFFD), decoded as ISO 8859-1 instead of
windows-1252, or repaired in part. Genuine question marks: the clean files without the space after theirs ('Tu
viens?Oui.'), and with ASCII instead of full-width ones. Recall is the share of damaged texts that are found; precision
is the share of right reports if half of the texts are damaged, and if one in 100 is.
"""

from __future__ import annotations

import argparse
import re
from collections import Counter

from common import table
from mojibake import misread
from mojibake_unseen import texts

from charlens.evaluation.parts import PARTS
from charlens.mojibake.damage import find_damage

_LENGTH = 400
_LEAST = 8
#: Fewer question marks are never reported.
_LEAST_ASKED = 2


def damaged(text: str) -> dict[str, str]:
    """Return *text* damaged in several ways; a way that changes nothing is left out."""
    quoted = "\u201c" + text + "\u201d \u2013 " + text
    replaced = text.encode("cp1252", "replace").decode("utf-8", "replace")
    ways = {
        "'?' for letters": text.encode("ascii", "replace").decode("ascii"),
        "U+FFFD": replaced if "\ufffd" in replaced else text,
        "C1 controls": quoted.encode("cp1252", "ignore").decode("iso8859-1"),
        "leftovers": "\u00e9 " + misread("l\u2019\u00e9t\u00e9 d\u00e9j\u00e0", ("cp1252",)) + " " + text,
    }
    return {name: wrong for name, wrong in ways.items() if wrong not in (text, quoted)}


def joined(text: str) -> str:
    """Return *text* with question marks of ASCII, and no space behind them."""
    return re.sub(r"\?[ \t\r\n]+", "?", text.replace("\uff1f", "?"))


def sample(text: str) -> str:
    """Return the first piece of *text* with enough non-ASCII characters, or ''."""
    text = " ".join(text.split())
    for start in range(0, len(text), _LENGTH):
        piece = text[start : start + _LENGTH]
        if sum(character > "\x7f" for character in piece) >= _LEAST:
            return piece
    return ""


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", metavar="LABELLED")
    parser.add_argument("--part", choices=PARTS, default="")
    given = parser.parse_args()
    found: Counter[str] = Counter()
    tried: Counter[str] = Counter()
    reports = []
    files = asking = alarms = 0
    for file in texts(given.folder, given.part):
        files += 1
        said = find_damage(file.text)
        if said:
            reports.append((said[0].words, file.text[max(0, said[0].start - 20) : said[0].end + 20]))
        if not said and joined(file.text).count("?") >= _LEAST_ASKED:
            asking += 1
            alarms += bool(find_damage(joined(file.text)))
        piece = sample(file.text)
        if not piece or said:
            continue
        for name, wrong in damaged(piece).items():
            tried[name] += 1
            found[name] += bool(find_damage(wrong))
    print(f"{files:,} files of {given.folder}, part: {given.part or 'all'}\n")
    rate = len(reports) / files
    rows = []
    for name in tried:
        recall = found[name] / tried[name]
        precision = [f"{recall * share / (recall * share + rate * (1 - share)):.2%}" for share in (0.5, 0.01)]
        rows.append((name, f"{tried[name]:,}", f"{recall:.2%}", *precision))
    print(table(("damage", "texts", "recall", "precision, half damaged", "one in 100 damaged"), rows) + "\n")
    print(f"{alarms} of {asking:,} files with question marks are reported if nothing is behind these\n")
    print(f"{len(reports)} of {files:,} files as they stand are reported ({rate:.2%}):\n")
    for words, number in Counter(words for words, _ in reports).most_common():
        print(f"  {number:4} {words}")
        for each in [text for said, text in reports if said == words][:12]:
            print(f"         {each!r}")


if __name__ == "__main__":
    main()
