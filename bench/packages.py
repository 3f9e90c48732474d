"""Measure detectors on files of source packages: `python bench/packages.py ARCHIVE…`.

Programs, their comments, changelogs and manuals are mostly ASCII, with a few names and symbols.  Their UTF-8 files,
whose text is certain, are written in the encodings of Windows, the Macintosh and DOS that have all their characters;
half of them with the line endings of that platform.  An ARCHIVE is a tar archive or a folder; those that the built-in
model was not trained on are listed in `docs/results/packages/measured.txt`.  Catalogues of messages are left out, since
their text is not English, and so are files that declare an encoding.
"""

from __future__ import annotations

import random
import re
import sys
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from common import table

from charlens.evaluation.judge import judge
from charlens.evaluation.peers import ask, encoding_peers
from charlens.training.readers.excerpts import read_files

_PEERS = ("charlens-native", "chardetng", "chardet", "uchardet", "charset-normalizer")
#: The encodings of a platform and its line endings.
_PLATFORMS = (("cp1252", "\r\n"), ("mac-roman", "\r"), ("cp850", "\r\n"), ("cp437", "\r\n"))
#: Files of one package, their non-ASCII characters (at most one in ten characters), and their size.
_MOST_FILES, _MOST_CHARACTERS, _SPARSE, _LARGEST = 6, 200, 10, 100_000
_NON_ASCII = re.compile(r"[^\x00-\x7f]")
_DECLARES = re.compile("coding|charset", re.IGNORECASE)
_SURE = 0.95


class File(NamedTuple):
    """The bytes of a file and its encoding."""

    data: bytes
    encoding: str


def files_of(source: Path) -> Iterator[File]:
    """Yield the files of one package, each in every encoding that has its characters."""
    chance = random.Random(source.name)
    found = [(name, data) for name, data in read_files(source) if not name.endswith(".po")]
    chance.shuffle(found)
    seen: set[str] = set()
    for _, data in found:
        try:
            text = data[:_LARGEST].decode("utf-8-sig", "ignore" if len(data) > _LARGEST else "strict")
        except UnicodeDecodeError:
            continue
        beyond = "".join(_NON_ASCII.findall(text))
        if not 0 < len(beyond) <= min(_MOST_CHARACTERS, len(text) / _SPARSE) or _DECLARES.search(text):
            continue
        if beyond[:12] in seen:  # another copy of the same notice
            continue
        seen.add(beyond[:12])
        for encoding, ending in _PLATFORMS:
            lines = text.replace("\r\n", "\n").replace("\n", ending) if chance.random() < 0.5 else text
            try:
                yield File(lines.encode(encoding), encoding)
            except UnicodeEncodeError:
                continue
        if len(seen) == _MOST_FILES:
            break


def main(arguments: list[str]) -> None:
    """Print the share of right texts for each encoding and detector, and the wrong answers that are certain."""
    known = {peer.name: peer for peer in encoding_peers() if peer.available}
    peers = [known[name] for name in _PEERS if name in known]
    right: dict[str, dict[str, list[bool]]] = defaultdict(lambda: defaultdict(list))
    certain: list[bool] = []
    for source in sorted(map(Path, arguments)):
        for data, encoding in files_of(source):
            for peer in peers:
                answer = ask(peer, data)
                is_right = judge(data, encoding, answer).grade.right
                right[encoding][peer.name].append(is_right)
                if peer is peers[0] and (answer.confidence or 0.0) >= _SURE:
                    certain.append(is_right)
    right["all"] = {
        peer.name: [each for encoding in list(right) for each in right[encoding][peer.name]] for peer in peers
    }
    rows = [
        [name, f"{len(own[peers[0].name]):,}", *(f"{100 * sum(own[p.name]) / len(own[p.name]):.1f}" for p in peers)]
        for name, own in right.items()
        if own[peers[0].name]
    ]
    print(table(["percentage of right texts", "files", *(peer.name for peer in peers)], rows))
    print(f"\nOf {len(certain):,} answers of charlens with a confidence of {_SURE} or more,", end=" ")
    print(f"{len(certain) - sum(certain)} are wrong.")


if __name__ == "__main__":
    main(sys.argv[1:])
