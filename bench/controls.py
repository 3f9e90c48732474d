"""Fit the probability that input with blocked control bytes is text: `python bench/controls.py [--binary DIR]`.

Text: the prose of the tests in many encodings, with control bytes inserted as in real files: stray bytes, one or two
kinds used as codes, the symbols that DOS shows for them, a few NULs, or NULs as padding.  Binary: the rows of
`binary_samples.py`.  The weights are fitted on half of the parts and shown on the other half;
`stages/content/odds.py` has them.
"""

from __future__ import annotations

import argparse
import random
from collections.abc import Iterator
from pathlib import Path
from zlib import crc32

import numpy as np
from binary_samples import binary_rows
from common import describe, table
from samples import Row, chance, some_size
from text_samples import legacy_texts

from charlens.kernel import scan
from charlens.kernel.facts import BLOCKED_BYTES
from charlens.source import CONTROLS_READ
from charlens.stages.content.odds import WEIGHTS, measure, prior

_COUNT = 400
_STEPS = 4000
_MOST_FROM_A_ROW = 400
#: The regularisation of the weights, because the samples are separable.
_HELD = 0.002


def _strays(text: bytes, rng: random.Random) -> bytes:
    """Put bytes of any kind in, one in 100 to 5,000."""
    made = bytearray(text)
    for _ in range(max(1, round(len(text) / some_size(rng, 100, 5000)))):
        made.insert(rng.randrange(len(made) + 1), rng.choice(BLOCKED_BYTES))
    return bytes(made)


def _codes(text: bytes, rng: random.Random) -> bytes:
    """Put one or two kinds in before words, or in a drawing before every few bytes, as colour codes are."""
    kinds = rng.sample(BLOCKED_BYTES[1:], rng.choice((1, 2)))
    often = rng.choice((0.02, 0.1, 0.5))
    step = rng.choice((0, 0, 2, 3, 6))
    words = [text[at : at + step] for at in range(0, len(text), step)] if step else text.split(b" ")
    coded = (bytes([rng.choice(kinds)]) + word if rng.random() < often else word for word in words)
    return (b"" if step else b" ").join(coded)


def _pictures(text: bytes, rng: random.Random) -> bytes:
    """Insert the arrows, hearts and pointers of DOS: alone, in rows and next to words."""
    kinds = rng.sample(BLOCKED_BYTES[1:], rng.randrange(1, 13))
    often = rng.choice((0.01, 0.05, 0.2))
    shapes = (b"%b ", b"%b", b" %b", b"'%b'", b"%b%b%b%b%b%b")
    words = []
    for word in text.split(b" "):
        shape = rng.choice(shapes)
        sign = bytes([rng.choice(kinds)])
        words.append(shape % ((sign,) * shape.count(b"%b")) + word if rng.random() < often else word)
    return b" ".join(words)


def _nuls(text: bytes, rng: random.Random) -> bytes:
    """Insert a few NULs, or pad the end of the text with them."""
    if rng.random() < 0.5:
        return text + bytes(rng.randrange(1, 2 + len(text) // 50))
    parts = [text]
    for _ in range(rng.randrange(1, 4)):
        whole = parts.pop()
        at = rng.randrange(len(whole) + 1)
        parts += [whole[:at], whole[at:]]
    return b"\0".join(parts)


_WAYS = {"strays": _strays, "codes": _codes, "pictures": _pictures, "NULs": _nuls}


def text_rows() -> Iterator[Row]:
    """Yield a row for each cause of control bytes, with parts by encoding."""
    for name, way in _WAYS.items():
        parts: dict[str, list[bytes]] = {}
        for encoding, texts in legacy_texts().items():
            rng = chance(f"controls/{name}/{encoding}")
            parts[encoding] = []
            for _ in range(_COUNT // 10):
                text = rng.choice(texts)
                size = some_size(rng, 64, len(text))
                start = rng.randrange(len(text) - size + 1)
                parts[encoding].append(way(text[start : start + size], rng))
        yield Row(name, True, parts)


def judged(data: bytes) -> tuple[float, ...] | None:
    """Return the measures of the content stage, or None without a blocked byte."""
    blocked = scan(data).blocked
    return measure(data[blocked : blocked + CONTROLS_READ], blocked) if blocked >= 0 else None


def gather(rows: Iterator[Row]) -> dict[tuple[str, bool], np.ndarray]:
    """Return the measures of each row, those of every other part apart."""
    found: dict[tuple[str, bool], list[tuple[float, ...]]] = {}
    for row in rows:
        for part, samples in row.parts.items():
            measured = [each for each in map(judged, samples) if each is not None]
            found.setdefault((row.name, bool(crc32(part.encode()) & 1)), []).extend(measured)
    chooser = random.Random(0)
    return {
        key: np.array(chooser.sample(values, min(len(values), _MOST_FROM_A_ROW)))
        for key, values in found.items()
        if values
    }


def fit(text: np.ndarray, binary: np.ndarray) -> np.ndarray:
    """Return the constant and the weights of a logistic regression, both sides as heavy."""
    values = np.vstack((text, binary))
    mean, spread = values.mean(0), values.std(0)
    scaled = np.hstack((np.ones((len(values), 1)), (values - mean) / spread))
    truth = np.repeat((1.0, 0.0), (len(text), len(binary)))
    heavy = np.repeat((0.5 / len(text), 0.5 / len(binary)), (len(text), len(binary)))
    weights = np.zeros(scaled.shape[1])
    for _ in range(_STEPS):
        likely = 1 / (1 + np.exp(-scaled @ weights))
        slope = scaled.T @ (heavy * (likely - truth)) + _HELD * weights
        curve = (scaled * (heavy * likely * (1 - likely))[:, None]).T @ scaled + _HELD * np.eye(len(weights))
        step = np.linalg.solve(curve, slope)
        weights -= step
        if np.abs(step).max() < 1e-9:
            break
    weights[1:] /= spread
    weights[0] -= weights[1:] @ mean
    return weights


def main() -> None:
    """Print the weights, and their result on each row that was not used to fit them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--binary", type=Path, metavar="DIR", help="a folder of files that are all binary")
    options = parser.parse_args()
    sides = {True: gather(text_rows()), False: gather(binary_rows(options.binary, _COUNT))}
    halves = [np.vstack([rows for (_, other), rows in side.items() if not other]) for side in sides.values()]
    weights = fit(*halves)
    print("fitted  ", ", ".join(f"{weight:.2f}" for weight in weights))
    print("in use  ", ", ".join(f"{weight:.2f}" for weight in WEIGHTS), end="\n\n")
    rows = []
    for text, side in sides.items():
        for (name, other), values in sorted(side.items()):
            if other:
                odds = WEIGHTS[0] + values @ np.array(WEIGHTS[1:]) + [prior(tuple(each)) for each in values]
                right = (odds > 0) == text
                sure = 1 / (1 + np.exp(-np.abs(odds)))
                shares = (f"{100 * each.mean():.1f}" for each in (right, sure))
                rows.append((f"{'text' if text else 'binary'}: {name}", str(len(values)), *shares))
    print(table(("row", "samples", "right %", "sure %"), rows))
    print(describe())


if __name__ == "__main__":
    main()
