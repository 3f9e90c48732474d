"""Train the language model: `python -m charlens.training.languages CORPUS --out FOLDER`.

CORPUS holds UTF-8 text, `<language>/<source>.txt`.  For each script with more than one language a linear model over
hashed n-grams is fitted with the logistic loss, on pieces of 8 to 400 characters.  It is measured on
sources that the fit never saw; the model that is written is then fitted once more on all sources, with the same
settings.  The same corpus and seed give the same file.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import random
import sys
import unicodedata
from base64 import b64encode
from collections.abc import Sequence
from datetime import datetime, timezone
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from charlens.errors import CharlensError
from charlens.models.language_model import FILE, NO_LANGUAGE, write_language_model
from charlens.training.corpora import Texts, find_languages, read_texts
from charlens.training.fit import Adam, Floats, batches, rate_at, softmax
from charlens.training.language_samples import (
    ALSO,
    COMMON,
    SCRIPTS,
    TO_LATIN,
    Script,
    block_table,
    count_slots,
    letter_table,
)

#: Pieces in characters, log-uniform between these.
SHORTEST, LONGEST = 8, 400
#: The lengths that are measured, in characters.
LENGTHS = (20, 50, 100, 200, 1000)
#: Sources that are not in the language of their folder: four in five lines of this one are Slovak.
WRONG = {("sl", "tatoeba")}
#: Of the pieces in other languages of the Latin script, one in this many has English in it, as files and pages do.
_ENGLISH_IN = 7
#: Of the Vietnamese pieces, one in this many has its tone marks as separate characters, as windows-1258 writes them.
_MARKS_APART_IN = 4
#: Settings of the fit, found with 64 Latin languages. More passes overfit.
_PASSES, _BATCH, _RATE = 5, 1024, 0.02
_KEEP_SQUARE = 0.999
#: One weight in this many, the largest ones, is clipped; the range that is left is spread over a signed byte.
_CUT_ONE_IN = 5000
#: How much of the logarithm of the amount of text in a language counts as its prior, and what more a common one has.
_PRIOR, _COMMON_PRIOR = 0.3, 0.7
#: Text that is mixed with other languages has a smaller mean sum than the pure texts of the corpus: the least that is
#: taken for a language is this part of what one piece of pure text in 200 falls under.
_LEAST_ONE_IN, _LEAST_SHARE = 200, 0.5


class Fitted(NamedTuple):
    """The model of one script: which slots have rows, and their weights, in signed bytes and in what they stand for."""

    chosen: NDArray[np.int64]
    weights: NDArray[np.int8]
    unit: float


class Drawn(NamedTuple):
    """Pieces of text with the number of their language."""

    texts: list[str]
    languages: NDArray[np.int64]


def main(arguments: list[str] | None = None) -> int:
    """Train, measure, write, and print the figures."""
    parser = argparse.ArgumentParser(prog="python -m charlens.training.languages", description=__doc__)
    parser.add_argument("corpus", type=Path, help="folder of UTF-8 text by language")
    parser.add_argument("--out", type=Path, required=True, help="folder to write the model to")
    parser.add_argument(
        "--samples", type=int, default=2500, help="pieces of each language (default: %(default)s)"
    )
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument(
        "--blind",
        action="store_true",
        help="write the model that was measured, which has not seen the held-out sources",
    )
    options = parser.parse_args(arguments)
    try:
        manifest = train(options.corpus, options.out, options.samples, options.seed, options.blind)
    except CharlensError as error:
        print(error, file=sys.stderr)
        return 1
    print_figures(manifest)
    return 0


def train(corpus: Path, out: Path, samples: int = 2500, seed: int = 0, blind: bool = False) -> dict[str, Any]:
    """Train a language model into the folder *out* and return its manifest; *blind*, only on sources for training."""
    found = find_languages(corpus)
    texts = {tag: _texts(tag, found) for script in SCRIPTS for tag in script.languages}
    fitted: list[Fitted | None] = []
    sharpness, least, figures = [], [], {}
    for number, script in enumerate(SCRIPTS, 1):
        if not script.rows:
            fitted.append(None)
            sharpness.append(1.0)
            least.append(0.0)
            continue
        print(f"{script.name}: {len(script.languages)} languages", file=sys.stderr)
        trial = _fit_script(number, _draw(script, texts, ("train",), samples, seed))
        calibrate = _draw(script, texts, ("calibrate",), max(20, samples // 10), seed + 1)
        sharp = _sharpness(number, trial, calibrate)
        figures[script.name] = _measure(number, trial, script, texts, seed)
        last = trial if blind else _fit_script(number, _draw(script, texts, Texts._fields, samples, seed))
        fitted.append(last)
        sharpness.append(sharp * last.unit)
        least.append(_least(number, last, script, texts, seed))
    tags = [tag for script in SCRIPTS for tag in script.languages]
    sizes = {tag: sum(len(text) for side in texts[tag] for text in side) for tag in tags}
    header: dict[str, list[Any]] = {
        "languages": tags,
        "scripts": [script.name for script in SCRIPTS],
        "sharpness": [round(value, 8) for value in sharpness],
        "least": [round(value, 3) for value in least],
        "priors": [
            round(_PRIOR * float(np.log(sizes[tag] + 1)) + _COMMON_PRIOR * (tag in COMMON), 4) for tag in tags
        ],
    }
    out.mkdir(parents=True, exist_ok=True)
    data = write_language_model(out / FILE, header, _tables(fitted))
    return _write_manifest(out, data, figures, samples, seed, blind)


def _texts(tag: str, found: dict[str, list[Path]]) -> Texts:
    """Read the texts of a class, but for the sources that are known to be wrong."""
    sides: tuple[tuple[str, ...], ...] = ((), (), ())
    for folder in (*ALSO.get(tag, ()), tag.lower()):
        paths = [path for path in found.get(folder, []) if (folder, path.stem) not in WRONG]
        if paths:
            sides = tuple(one + two for one, two in zip(sides, read_texts(folder, paths), strict=True))
    if tag == NO_LANGUAGE:
        return Texts(*((_no_language(random.Random(side)),) for side in Texts._fields))
    if tag == "sr-Latn" and "sr-cyrl" in found:
        written = read_texts("sr-cyrl", found["sr-cyrl"])
        latin = [tuple(text.translate(TO_LATIN) for text in side) for side in written]
        sides = (sides[0] + latin[0], sides[1] + latin[1], sides[2])
    if not any(sides):
        raise CharlensError(
            f"the corpus has no text in {tag!r}: put some in CORPUS/{tag.lower()}/<source>.txt"
        )
    return Texts(*sides)


def _no_language(chance: random.Random) -> str:
    """Return letters in no language: base64, hexadecimal numbers, random words and keys."""
    pieces = []
    for _ in range(3000):
        kind = chance.randrange(4)
        if kind == 0:
            pieces.append(b64encode(chance.randbytes(chance.randrange(10, 60))).decode())
        elif kind == 1:
            pieces.append(" ".join(chance.randbytes(4).hex() for _ in range(chance.randrange(1, 9))))
        elif kind == 2:
            letters = "abcdefghijklmnopqrstuvwxyz" if chance.random() < 0.7 else "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
            words = ("".join(chance.choices(letters, k=chance.randrange(1, 10))) for _ in range(8))
            pieces.append(chance.choice((" ", "_", ",")).join(words))
        else:
            letters = "bcdfghjklmnpqrstvwxz"
            pieces.append(" ".join("".join(chance.choices(letters, k=3)) for _ in range(9)))
    return "\n".join(pieces)


def _draw(script: Script, texts: dict[str, Texts], sides: Sequence[str], count: int, seed: int) -> Drawn:
    """Cut *count* pieces of each language of *script* out of its texts on these sides."""
    drawn: list[str] = []
    numbers: list[int] = []
    for number, tag in enumerate(script.languages):
        chance = random.Random(f"{seed} {tag} {' '.join(sides)}")
        sources = [text for side in sides for text in getattr(texts[tag], side) if text]
        for _ in range(count):
            length = int(SHORTEST * (LONGEST / SHORTEST) ** chance.random())
            piece = _piece(sources, length, chance)
            if (
                script.name == "Latin"
                and tag not in ("en", NO_LANGUAGE)
                and chance.randrange(_ENGLISH_IN) == 0
            ):
                piece += " " + _piece(texts["en"].train, int(length * chance.random() / 2), chance)
            if tag == "vi" and chance.randrange(_MARKS_APART_IN) == 0:
                piece = unicodedata.normalize("NFD", piece)
            drawn.append(piece)
            numbers.append(number)
    return Drawn(drawn, np.array(numbers))


def _piece(sources: Sequence[str], length: int, chance: random.Random) -> str:
    # Not quite by size: a small source of another kind tells more than more of the same.
    source = chance.choices(sources, [len(text) ** 0.7 for text in sources])[0]
    start = int(chance.random() * max(1, len(source) - length))
    return source[start : start + length]


def _fit_script(number: int, drawn: Drawn) -> Fitted:
    """Fit all slots, keep the rows that tell most, fit those again, and round them."""
    script = SCRIPTS[number - 1]
    counts = count_slots(drawn.texts, number)
    weights = fit(_scaled(counts), drawn.languages, len(script.languages))
    often = np.sqrt(np.asarray((counts > 0).sum(axis=0)).ravel())
    telling = often * weights.std(axis=1)
    chosen = np.sort(np.argsort(-telling, kind="stable")[: script.rows])
    weights = fit(_scaled(counts[:, chosen]), drawn.languages, len(script.languages))
    weights -= weights.mean(axis=1, keepdims=True)
    largest = float(np.quantile(np.abs(weights), 1 - 1 / _CUT_ONE_IN))
    unit = largest / 127
    return Fitted(chosen, np.clip(np.rint(weights / unit), -127, 127).astype(np.int8), unit)


def _scaled(counts: sp.csr_matrix) -> sp.csr_matrix:
    """Divide every row by the square root of its n-grams: neighbouring n-grams are correlated."""
    amount = np.asarray(counts.sum(axis=1)).ravel()
    return (sp.diags((1 / np.sqrt(np.maximum(amount, 1))).astype(np.float32)) @ counts).tocsr()


def fit(features: sp.csr_matrix, classes: NDArray[np.int64], count: int) -> Floats:
    """Return the weights, features by classes, by the logistic loss and Adam."""
    learned = Adam((features.shape[1], count), _KEEP_SQUARE)
    for done, rows in batches(features.shape[0], _BATCH, _PASSES, 0):
        part = features[rows]
        slope = softmax(part @ learned.weights)
        slope[np.arange(len(rows)), classes[rows]] -= 1
        learned.learn(np.asarray(part.T @ (slope / np.float32(len(rows)))), _RATE * rate_at(done, 0))
    return learned.weights


def _scores(number: int, fitted: Fitted, texts: Sequence[str]) -> tuple[Floats, Floats]:
    """Return the sums of the texts in steps of the weights, and how many n-grams had a row."""
    counts = count_slots(texts, number)[:, fitted.chosen]
    return np.asarray(counts @ fitted.weights.astype(np.float32)), np.asarray(counts.sum(axis=1)).ravel()


def _sharpness(number: int, fitted: Fitted, drawn: Drawn) -> float:
    """Return the factor on the scores that makes the right languages of held-out texts most likely."""
    sums, amount = _scores(number, fitted, drawn.texts)
    scores = (sums * np.float32(fitted.unit) / np.sqrt(np.maximum(amount, 1))[:, None]).astype(np.float32)
    rows = np.arange(len(scores))
    best, found = np.inf, 1.0
    for factor in np.exp(np.linspace(np.log(0.3), np.log(4), 53)):
        right = softmax((scores * np.float32(factor)).astype(np.float32))[rows, drawn.languages]
        loss = float(-np.log(0.98 * right + 0.02 / scores.shape[1]).mean())
        if loss < best:
            best, found = loss, float(factor)
    return found


def _least(number: int, fitted: Fitted, script: Script, texts: dict[str, Texts], seed: int) -> float:
    """Return the mean sum per n-gram of the best class that nearly all text has."""
    means = []
    for tag in script.languages:
        chance = random.Random(f"{seed} least {tag}")
        sums, amount = _scores(number, fitted, [_piece(texts[tag].train, 100, chance) for _ in range(100)])
        means.append(sums.max(axis=1) / np.maximum(amount, 1))
    return _LEAST_SHARE * float(np.quantile(np.concatenate(means), 1 / _LEAST_ONE_IN))


def _measure(
    number: int, fitted: Fitted, script: Script, texts: dict[str, Texts], seed: int
) -> dict[str, dict[str, float]]:
    """Return the share of right languages by length and language, on sources that the fit never saw."""
    figures: dict[str, dict[str, float]] = {}
    for tag_number, tag in enumerate(script.languages):
        chance = random.Random(f"{seed} test {tag}")
        sources = [text for text in texts[tag].test if text]
        figures[tag] = {}
        for length in LENGTHS:
            sums, _ = _scores(number, fitted, [_piece(sources, length, chance) for _ in range(100)])
            figures[tag][str(length)] = round(100 * float((sums.argmax(axis=1) == tag_number).mean()), 1)
    return figures


def _tables(fitted: Sequence[Fitted | None]) -> bytes:
    """Return the counts, letters, blocks, scripts, slots and weights as the kernel takes them."""
    numbers, slots, weights = [], [], []
    first = slot_start = weight_start = 0
    for script, model in zip(SCRIPTS, fitted, strict=True):
        classes = len(script.languages)
        rows = len(model.chosen) if model else 0
        bits = script.bits if rows else 0
        numbers.append(
            (script.letter, int(script.wide), classes, first, slot_start, bits, weight_start, rows)
        )
        first += classes
        if model is not None:
            table = np.full(1 << bits, 0xFFFF, "<u2")
            table[model.chosen] = np.arange(rows)
            slots.append(table.tobytes())
            weights.append(model.weights.tobytes())
            slot_start += 1 << bits
            weight_start += rows * classes
    parts = (
        np.array((len(numbers), slot_start, weight_start, 0), "<u4").tobytes(),
        letter_table().astype("<u2").tobytes(),
        block_table(),
        np.array(numbers, "<u4").tobytes(),
        *slots,
        *weights,
    )
    return b"".join(parts)


def _write_manifest(
    out: Path,
    data: bytes,
    figures: dict[str, dict[str, dict[str, float]]],
    samples: int,
    seed: int,
    blind: bool,
) -> dict[str, Any]:
    manifest = {
        "sha256": hashlib.sha256(data).hexdigest(),
        "made": datetime.now(timezone.utc).strftime("%Y-%m-%d"),
        "bytes": len(data),
        "languages": [tag for script in SCRIPTS for tag in script.languages],
        "samples_per_language": samples,
        "seed": seed,
        "left_out": sorted("/".join(pair) for pair in WRONG),
        "figures": figures,
        "figures_are": "percent right by length in characters on sources that the fit never saw, nothing left "
        f"unanswered; the model itself was fitted on {'the other sources only' if blind else 'all sources'}",
    }
    (out / "manifest.json").write_text(json.dumps(manifest, indent=1) + "\n", encoding="utf-8")
    return manifest


def print_figures(manifest: dict[str, Any]) -> None:
    """Print the share of right languages by length: the mean of each script, then each language."""
    print(f"{manifest['bytes']:,} bytes, {len(manifest['languages'])} languages")
    print(f"{'characters':<22}" + "".join(f"{length:>8}" for length in LENGTHS))
    for script, by_tag in manifest["figures"].items():
        means = [np.mean([row[str(length)] for row in by_tag.values()]) for length in LENGTHS]
        print(f"{script + f' ({len(by_tag)})':<22}" + "".join(f"{mean:>8.2f}" for mean in means))
        for tag, row in by_tag.items():
            print(f"  {tag:<20}" + "".join(f"{row[str(length)]:>8}" for length in LENGTHS))


if __name__ == "__main__":
    sys.exit(main())
