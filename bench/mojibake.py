"""How often text that was encoded once is taken for double-encoded, and how often double-encoded text is found.

    python bench/mojibake.py FOLDER...

Takes every file under the folders that is UTF-8 beyond ASCII.  Each is tried as it is, and encoded twice through
several code pages.
"""

from __future__ import annotations

import sys
from pathlib import Path

from charlens.repair.mojibake import CODECS, _sequences, _words, find_double_encoding, undo_double_encoding

#: Long files are cut: time is not what is measured.
_MOST = 4_000


def texts(folders: list[str]) -> list[tuple[Path, str]]:
    """Return the files that are UTF-8 and not ASCII."""
    found = []
    for folder in folders:
        for path in sorted(Path(folder).rglob("*")):
            if path.is_file():
                try:
                    text = path.read_bytes().decode("utf-8")[:_MOST]
                except UnicodeDecodeError:
                    continue
                if not text.isascii():
                    found.append((path, text))
    return found


def doubled(text: str, codec: str) -> str:
    """Return *text* as it is after being encoded twice; bytes that *codec* lacks stand for themselves."""
    return "".join(
        sign if (sign := bytes((byte,)).decode(codec, "replace")) != "\ufffd" else chr(byte)
        for byte in text.encode()
    )


def main() -> None:
    samples = texts(sys.argv[1:])
    wrong = [(path, found) for path, text in samples if (found := find_double_encoding(text))]
    chance = [
        max(sum(_sequences(w.original) for w in _words(text, codec)) for codec in CODECS)
        for _, text in samples
    ]
    print(
        f"{len(samples)} texts encoded once: {len(wrong)} taken for double-encoded; with 1 or 2 sequences by chance: "
        f"{sum(0 < number < 3 for number in chance)}"
    )
    for path, found in wrong:
        print("   ", path.name, len(found), found[0].codec, [word.original for word in found[:3]])
    for codec in ("cp1252", "cp1251", "cp437"):
        whole = sum(bool(find_double_encoding(doubled(text, codec))) for _, text in samples)
        undone = sum(undo_double_encoding(doubled(text, codec)) == text for _, text in samples)
        print(
            f"twice through {codec}: {whole / len(samples):.1%} found, {undone / len(samples):.1%} undone to the letter"
        )


if __name__ == "__main__":
    main()
