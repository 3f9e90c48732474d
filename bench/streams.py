"""Measure streams on a folder of files: `python bench/streams.py FOLDER [--kept BYTES]`.

Each file is fed in pieces of 1,500 bytes. The script measures how often the verdict at the end equals that of
`charlens.detect` for the whole file, how early `done` is true, how often the early answer gives the same text, and
whether the names that the drop-ins for chardet and cchardet return give the same text. With `--kept`, a `Detector`
keeps only this many bytes, so that files of usual size test the streaming.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import charlens
from charlens import Verdict
from charlens.compat import cchardet, chardet
from charlens.inputs import stream, trackers

_PIECE = 1500
_ENOUGH = 0.99


def feed(data: bytes) -> tuple[Verdict, int, Verdict | None]:
    """Return the final verdict, the number of bytes when `done` became true, and the verdict at that time."""
    detector = charlens.Detector(enough=_ENOUGH)
    early, needed = None, len(data)
    for start in range(0, len(data), _PIECE):
        detector.feed(data[start : start + _PIECE])
        if detector.done and early is None:
            early, needed = detector.verdict, detector.fed
    return detector.close(), needed, early


def reads_alike(data: bytes, name: str | None, other: str | None) -> bool:
    """Whether two names give the same text, or both are None."""
    if name is None or other is None:
        return name is other
    try:
        return data.decode(name, "replace") == data.decode(other, "replace")
    except LookupError:
        return False


def main() -> None:
    """Print the counts."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--kept", type=int, default=stream.LARGEST)
    options = parser.parse_args()
    stream.LARGEST, trackers._FIRST_STRIDE = options.kept, max(options.kept // 16, 1)
    files = same = longer = longer_same = early = early_right = needed_of = of = named = 0
    for path in sorted(path for path in options.folder.rglob("*") if path.is_file()):
        data = path.read_bytes()
        whole = charlens.detect(data)
        verdict, needed, before = feed(data)
        alike = (whole.outcome, whole.encoding) == (verdict.outcome, verdict.encoding)
        files += 1
        same += alike
        longer += len(data) > options.kept
        longer_same += alike and len(data) > options.kept
        if before is not None and needed < len(data):
            early += 1
            early_right += reads_alike(data, before.codec, whole.codec)
            needed_of += needed
            of += len(data)
        names = [chardet.detect(data)["encoding"], cchardet.detect(data)["encoding"]]
        named += all(reads_alike(data, name, whole.codec) for name in names) or not data
    print(f"{files} files: the verdict of the whole for {same}")
    print(f"{longer} of them longer than the {options.kept} bytes that are kept: {longer_same}")
    share = needed_of / max(of, 1)
    print(f"done before the end: {early}, by {share:.1%} of the bytes; reads the whole alike: {early_right}")
    print(f"both drop-ins name an encoding that reads the file as charlens does: {named}")


if __name__ == "__main__":
    main()
