"""Measure what tolerance costs: `python bench/polluted.py LABELLED [LABELLED …] --binary DIR [--picture FILE]`.

For zlib's rule, text with a single blocked byte is binary; its author argues that tolerating a share of blocked bytes
would find more text, but call more binary files text.  Each line of the table is such a share.
LABELLED is a folder with a manifest.tsv; texts in UTF-16 and UTF-32 are left out, because the rule does not support
them.  Each text is tested as it is, and polluted: with one blocked byte, and with a share of blocked bytes.  Precision
is computed for equal numbers of polluted texts and binary files.
"""

from __future__ import annotations

import argparse
import csv
from collections.abc import Callable, Iterable
from pathlib import Path

from common import describe, table
from samples import HEADS, chance

import charlens
from charlens.kernel.facts import BLOCKED_BYTES

#: Shares of blocked bytes that are tolerated; 0 is zlib's rule.
_TOLERATED = (0, 0.00001, 0.0001, 0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.3)
#: Shares of the bytes that become blocked ones; None: one byte.
_POLLUTIONS: dict[str, float | None] = {"one byte": None, "0.01 %": 0.0001, "0.1 %": 0.001, "1 %": 0.01}
_NOT_MEANT = ("utf-16", "utf-32", "utf_16", "utf_32", "ucs", "utf16", "utf32")
_ALLOWED = bytes((9, 10, 13, *range(32, 256)))
_HEAD = max(HEADS.values())

Tells = Callable[[bytes], bool]


def tolerant(most: float) -> Tells:
    """Return zlib's rule with a share of blocked bytes up to *most*."""

    def tells(data: bytes) -> bool:
        blocked = len(data) - len(data.translate(None, BLOCKED_BYTES))
        return blocked <= most * len(data) and len(data.translate(None, _ALLOWED)) < len(data)

    return tells


def read_texts(folders: Iterable[Path]) -> list[bytes]:
    """Return the heads of the labelled texts that the rule is made for."""
    texts = []
    for folder in folders:
        with (folder / "manifest.tsv").open(encoding="utf-8", newline="") as manifest:
            for row in csv.DictReader(manifest, delimiter="\t", quoting=csv.QUOTE_NONE):
                if not row["true_encoding"].lower().startswith(_NOT_MEANT):
                    texts.append((folder / row["relpath"]).read_bytes()[:_HEAD])
    return [text for text in texts if text]


def pollute(text: bytes, share: float | None, name: str) -> bytes:
    """Replace a *share* of the bytes, at least one, by blocked ones, at random places."""
    rng = chance(name)
    polluted = bytearray(text)
    count = 1 if share is None else max(1, round(share * len(text)))
    for place in rng.sample(range(len(text)), min(count, len(text))):
        polluted[place] = rng.choice(BLOCKED_BYTES)
    return bytes(polluted)


def line(name: str, tells: Tells, sets: dict[str, list[bytes]], binaries: list[bytes]) -> tuple[str, ...]:
    """Return a line of the table: the share of text found in each set, and of binary files called text."""
    found = [sum(map(tells, texts)) / len(texts) for texts in sets.values()]
    taken = sum(map(tells, binaries))
    # The third set is that of one blocked byte in 10,000: the pollution that the rule is weighed by.
    recall = found[2] * len(binaries)
    precision = recall / (recall + taken) if recall + taken else 1.0
    return (name, *(f"{100 * share:.2f}" for share in found), str(taken), f"{100 * precision:.2f}")


def draw(lines: list[tuple[str, ...]], names: list[str], picture: Path) -> None:
    """Draw recall against precision, a curve for each set of texts."""
    import matplotlib  # type: ignore[import-not-found, unused-ignore]

    matplotlib.use("Agg")
    from matplotlib import pyplot  # type: ignore[import-not-found, unused-ignore]

    figure, axes = pyplot.subplots(figsize=(7, 4.5))
    shares = [100 * share for share in _TOLERATED]
    for place, name in enumerate(names, start=1):
        axes.plot(shares, [float(each[place]) for each in lines], marker="o", label=f"recall, {name}")
    axes.plot(shares, [float(each[-1]) for each in lines], "k--", marker="s", label="precision")
    axes.set_xscale("symlog", linthresh=0.001)
    axes.set_xlabel("blocked bytes that are tolerated, %")
    axes.set_ylabel("%")
    axes.grid(alpha=0.3)
    axes.legend(fontsize="small")
    figure.savefig(picture, bbox_inches="tight")


def main() -> None:
    """Read the files, pollute the texts, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("labelled", type=Path, nargs="+", help="folders with a manifest.tsv")
    parser.add_argument("--binary", type=Path, required=True, help="a folder of files that are all binary")
    parser.add_argument("--picture", type=Path, help="also draw the curves, as SVG or PNG by the name")
    given = parser.parse_args()
    texts = read_texts(given.labelled)
    paths = sorted(path for path in given.binary.rglob("*") if path.is_file())
    binaries = [path.read_bytes()[:_HEAD] for path in paths]
    sets = {"as they are": texts}
    for name, share in _POLLUTIONS.items():
        sets[name] = [pollute(text, share, f"{name} {place}") for place, text in enumerate(texts)]
    lines = [line(f"{100 * share:g} %", tolerant(share), sets, binaries) for share in _TOLERATED]
    ours = line("charlens.is_text", charlens.is_text, sets, binaries)
    print(f"# Polluted text\n\n{describe()}\n")
    print(f"{len(texts):,} texts, {len(binaries):,} binary files, first 64 KB of each\n")
    columns = ("tolerated", *(f"recall, {name}" for name in sets), "binaries taken for text", "precision")
    print(table(columns, [*lines, ours]))
    if given.picture:
        draw(lines, list(sets), given.picture)


if __name__ == "__main__":
    main()
