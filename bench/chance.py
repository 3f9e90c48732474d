"""Count short strings that are valid UTF-8 by chance: `python bench/chance.py --text TRAIN`.

Pieces of 1 to 16 characters are cut from the texts of each language.  All of them should be recognised in UTF-8.
In the legacy encodings of the language, those that happen to be valid UTF-8 should not be detected as UTF-8.
"""

from __future__ import annotations

import argparse
import random
import re
from pathlib import Path

import charlens
from charlens import kernel
from charlens.encodings.orthography import write
from charlens.models import default_model
from charlens.training.corpora import find_languages, read_texts

_LENGTHS = (1, 2, 3, 4, 6, 8, 12, 16)
_PIECES = 6000
#: One in this many pieces is measured as UTF-8; nearly all are right.
_AS_UTF8 = 10
_MOST_TEXT = 3_000_000
_NON_ASCII = re.compile(r"[^\x00-\x7f]")


def cut_pieces(text: str, chance: random.Random) -> list[str]:
    """Return pieces with a non-ASCII character, each once; some in capitals."""
    places = [match.start() for match in _NON_ASCII.finditer(text)]
    pieces: dict[str, None] = {}
    for _ in range(_PIECES if places else 0):
        length = chance.choice(_LENGTHS)
        start = max(0, chance.choice(places) - chance.randrange(length))
        piece = text[start : start + length]
        piece = piece.upper() if chance.random() < 0.15 else piece
        if not piece.isascii():
            pieces[piece] = None
    return list(pieces)


def is_valid(data: bytes) -> bool:
    scan = kernel.scan(data)
    return scan.utf8_error < 0 and not scan.utf8_cut


def is_utf8(data: bytes) -> bool:
    return charlens.detect(data, language=False).encoding == "utf-8"


def main() -> None:
    """Print how many of both kinds are right."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--text", type=Path, required=True, metavar="FOLDER")
    given = parser.parse_args()
    chance = random.Random(3)
    languages = find_languages(given.text, ("sl/tatoeba",))
    encodings: dict[str, list[str]] = {}
    for encoding, language in default_model().classes:
        encodings.setdefault(language, []).append(encoding)
    right, all_utf8, by_chance = 0, 0, dict[bytes, None]()
    for language, names in sorted(encodings.items()):
        text = "\n".join(filter(None, read_texts(language, languages[language.lower()])[0]))
        for number, piece in enumerate(cut_pieces(text[:_MOST_TEXT], chance)):
            if number % _AS_UTF8 == 0:
                all_utf8 += 1
                right += is_utf8(piece.encode())
            for data in filter(None, (write(piece, name) for name in names)):
                if not data.isascii() and is_valid(data):
                    by_chance[data] = None
    found = sum(not is_utf8(data) for data in by_chance)
    print(f"{right:,} of {all_utf8:,} strings in UTF-8 are recognised")
    print(
        f"{found:,} of {len(by_chance):,} legacy strings that are valid UTF-8 are not taken for it"
    )


if __name__ == "__main__":
    main()
