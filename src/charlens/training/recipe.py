"""The recipe of the built-in model: texts, samples, features, fit, calibration, and the folder they end in.

Each step is kept in a work folder and taken from there when its inputs are the same, so an interrupted training
continues where it stopped.  The same corpus, settings and seed give the same model.
"""

from __future__ import annotations

import hashlib
import json
import pickle
import random
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from datetime import datetime, timezone
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from charlens import __version__
from charlens.encodings import all_encodings, lookup
from charlens.models.format import write_model
from charlens.training.buckets import Features, apply_levels, choose_features
from charlens.training.calibrate import find_sharpness
from charlens.training.classes import Class, family, find_classes
from charlens.training.competitors import Competitors
from charlens.training.corpora import EXCERPTS, find_languages, read_cells, read_excerpts, read_texts
from charlens.training.features import LEVELS, count_pairs, find_characters, folded_pairs
from charlens.training.fit import Bools, Classes, Examples, Floats, Settings, Weights, fit, probabilities
from charlens.training.samples import MANIFOLD, NAME, WORD, Writer, make_samples
from charlens.training.ties import tie_weights
from charlens.training.words import find_words, pack_words

#: One weight in this many, the largest ones, is clipped. The range that is left is spread over the values of a byte.
_CUT_ONE_IN = 20_000

#: The languages of Windows Vista, which had 36 language packs. Files in one of them are more common than files in
#: another language; how much more is a guess.
_LANGUAGES_OF_WINDOWS = frozenset((
    "ar", "bg", "cs", "da", "de", "el", "en", "es", "et", "fi", "fr", "he", "hr", "hu", "it", "ja", "ko", "lt", "lv",
    "nb", "nl", "pl", "pt", "ro", "ru", "sk", "sl", "sr-Latn", "sv", "th", "tr", "uk", "zh-Hans", "zh-Hant",
))  # fmt: skip
_COMMON, _LESS_COMMON = 8, 3
#: Languages whose names occur in English text; those with more speakers in the West twice.
_GUESTS = (
    *("de", "fr", "es", "pt", "sv") * 2, "it", "nl", "da", "nb", "fi", "is", "et", "ca", "hu", "cs", "pl", "sk", "sl",
    "hr", "ro", "tr", "lt", "lv",
)  # fmt: skip
_MOST_GUESTS = 2000
#: Encodings with thousands of characters, and English on each platform, are learned from more samples.
_MORE = 4
_MORE_ENGLISH = 10


class Recipe(NamedTuple):
    """What to train, on what."""

    corpus: Path
    out: Path
    work: Path
    encodings: tuple[str, ...] = ()
    languages: tuple[str, ...] = ()
    also: tuple[tuple[str, str], ...] = ()
    #: Sources to leave out, as 'sl/tatoeba'.
    without: tuple[str, ...] = ()
    features: int = 8300
    samples: int = 2500
    settings: Settings = Settings()


class Drawn(NamedTuple):
    """Samples of one side, counted and judged."""

    counts: sp.csr_matrix
    characters: sp.csr_matrix
    classes: NDArray[np.int64]
    possible: Bools
    right: Bools
    sizes: NDArray[np.int64]
    beyond_ascii: NDArray[np.int64]


Report = Callable[[str, float], None]
#: The weights of the features and of the characters.
Quantised = tuple[NDArray[np.int8], NDArray[np.int8]]


def train(recipe: Recipe, report: Report) -> dict[str, Any]:
    """Train a model into `recipe.out` and return its manifest; *report* is called with the progress."""
    found = find_languages(recipe.corpus, recipe.without)
    languages = {tag.lower() for tag in recipe.languages} or set(found)
    classes = find_classes(languages & set(found), recipe.encodings, recipe.also)
    _check_classes(classes, found)
    key = _key(recipe, classes, found)
    sides = _kept(recipe.work / f"samples-{key}.pickle", lambda: _draw_all(recipe, classes, found, report))
    names = sorted({c.encoding for c in classes})
    tags = sorted({c.language for c in classes})
    numbers = Classes(
        np.array([names.index(c.encoding) for c in classes]),
        np.array([tags.index(c.language) for c in classes]),
        np.array([number for number, c in enumerate(classes) if _is_wide(c.encoding)], np.int64),
    )
    train_side, calibration, test = sides
    chosen = choose_features(train_side.counts, train_side.classes, recipe.features)
    report("features chosen", 1.0)
    learn = partial(_learn, recipe, (train_side, chosen), (numbers, classes), report)
    fit_key = f"{key}-{len(chosen)}-{_digest(repr(recipe.settings))}"
    quantised, unit = _quantise(_kept(recipe.work / f"weights-{fit_key}.pickle", learn))
    scores = _scores(calibration, chosen, (quantised, unit), numbers)
    judged = calibration.possible, calibration.right
    header = {
        "classes": [list(c) for c in classes],
        "families": {name: family(name) for name in names},
        "unit": unit,
        "priors": _priors(names),
        "languages": _common_languages(classes),
        "sharpness": find_sharpness(scores, *judged, numbers, calibration.beyond_ascii),
        "levels": list(LEVELS),
        "wide": numbers.wide.tolist(),
    }
    figures = _figures(test, _scores(test, chosen, (quantised, unit), numbers), numbers)
    words = pack_words(_known_words(recipe, classes, found))
    manifest = _write(recipe, header, (chosen, quantised, words), figures)
    # For the caller, not for the file: it is a fact about the folder of texts.
    return manifest | {"unused": _unused(classes, found)}


def _learn(
    recipe: Recipe, side: tuple[Drawn, Features], classes: tuple[Classes, list[Class]], report: Report
) -> Weights:
    """Return the weights that fit the samples of *side*."""
    drawn, chosen = side
    numbers, named = classes
    examples = Examples(apply_levels(drawn.counts, chosen), *drawn[1:5])
    return fit(
        examples,
        numbers,
        tie_weights(named, chosen, drawn.counts, drawn.classes),
        recipe.settings,
        lambda done, loss: report(f"fit, loss {loss:.3f}", done),
    )


def _quantise(weights: Weights) -> tuple[Quantised, float]:
    """Return *weights* as signed bytes, and what one step of a score is worth."""
    largest = float(np.quantile(np.abs(weights.features), 1 - 1 / _CUT_ONE_IN))
    if largest == 0:
        raise ValueError("nothing was learned from so few samples; raise --samples or --passes")
    features, characters = (
        np.clip(np.rint(each * (127 / largest)), -127, 127).astype(np.int8) for each in weights
    )
    return (features, characters), 0.25 * largest / 127


def _check_classes(classes: list[Class], found: dict[str, list[Path]]) -> None:
    textless = sorted({c.language for c in classes if c.language.lower() not in found})
    if textless:
        raise ValueError(
            f"no text found in {', '.join(textless)}: put UTF-8 files in <corpus>/{textless[0]}/<source>.txt"
        )
    if len({c.encoding for c in classes}) < 2:
        unused = ", ".join(_unused(classes, found)[:5])
        hint = f" For {unused} no encoding is known: --also ENCODING:xx adds one." if unused else ""
        raise ValueError(
            "a model needs texts for at least two encodings; name more --encodings or --languages." + hint
        )


def _unused(classes: list[Class], found: dict[str, list[Path]]) -> list[str]:
    """Return the languages that there is text in, but no class."""
    return sorted(set(found) - {c.language.lower() for c in classes})


def _draw_all(
    recipe: Recipe, classes: list[Class], found: dict[str, list[Path]], report: Report
) -> list[Drawn]:
    """Write the samples of all languages, several languages at a time; each has its own chance, so order is nothing."""
    languages = sorted({c.language for c in classes})
    work = partial(_draw, recipe, classes, found)
    sides: list[list[Drawn]] = [[], [], []]
    with ProcessPoolExecutor(mp_context=get_context("spawn")) as pool:
        for done, drawn in enumerate(pool.map(work, languages)):
            for side, part in zip(sides, drawn, strict=True):
                side.extend(part)
            report("samples", (done + 1) / len(languages))
    return [_join(parts) for parts in sides]


def _draw(recipe: Recipe, classes: list[Class], found: dict[str, list[Path]], language: str) -> list[list[Drawn]]:
    """Write the samples of one language: for each side one part, or none if it has no text."""
    competitors = Competitors(sorted({c.encoding for c in classes}))
    texts, cells = read_texts(language, found[language.lower()]), read_cells(recipe.corpus, language)
    excerpts = read_excerpts(recipe.corpus, language)
    sides: list[list[Drawn]] = []
    for side, (sources, count) in enumerate(zip(texts, _counts(recipe.samples), strict=True)):
        chance = random.Random(f"{recipe.settings.seed} {language} {side}")
        made: list[bytes] = []
        numbers: list[int] = []
        guests = _guests(recipe, found, side) if language == "en" else ()
        writer = Writer(sources, chance, language, guests, cells[side], excerpts[side]) if any(sources) else None
        for number, member in enumerate(classes):
            if writer and member.language == language:
                wide = _is_wide(member.encoding)
                more = 1 if side else _MORE if wide else _MORE_ENGLISH if member in MANIFOLD else 1
                some = make_samples(writer, member.encoding, more * count, chance, wide=wide)
                made.extend(some)
                numbers.extend([number] * len(some))
        sides.append([_drawn(made, numbers, classes, competitors)] if made else [])
    return sides


def _guests(recipe: Recipe, found: dict[str, list[Path]], side: int) -> list[str]:
    """Return names and words of other languages, from one side: English stands around them in files."""
    guests: list[str] = []
    for language in filter(found.__contains__, _GUESTS):
        for texts in (read_texts(language, found[language])[side], read_cells(recipe.corpus, language)[side]):
            for pattern, most in ((NAME, _MOST_GUESTS), (WORD, _MOST_GUESTS // 3)):
                some = sorted({word for text in texts for word in pattern.findall(text) if not word.isascii()})
                guests += some[:: 1 + len(some) // most]
    return guests


def _join(parts: list[Drawn]) -> Drawn:
    counts, characters = (sp.vstack([part[place] for part in parts]).tocsr() for place in range(2))
    rest = zip(*(part[2:] for part in parts), strict=True)
    return Drawn(counts, characters, *map(np.concatenate, rest))


def _counts(samples: int) -> tuple[int, int, int]:
    return samples, max(20, samples // 20), max(20, samples // 20)


def _drawn(samples: list[bytes], numbers: list[int], classes: list[Class], competitors: Competitors) -> Drawn:
    possible, right = competitors.judge(samples, [classes[number].encoding for number in numbers])
    return Drawn(
        count_pairs(samples),
        find_characters(samples),
        np.array(numbers),
        possible,
        right,
        np.array([len(sample) for sample in samples]),
        np.array([sum(byte >= 0x80 for byte in sample) for sample in samples]),
    )


def _is_wide(name: str) -> bool:
    encoding = lookup(name)
    return encoding is not None and encoding.kind == "multi"


def _scores(side: Drawn, chosen: Features, weights: tuple[Quantised, float], numbers: Classes) -> Floats:
    (features, characters), unit = weights
    scores: Floats = apply_levels(side.counts, chosen) @ features.astype(np.float32)
    scores[:, numbers.wide] += LEVELS[0] * (side.characters @ characters.astype(np.float32))
    return scores * np.float32(unit)


def _figures(test: Drawn, scores: Floats, numbers: Classes) -> dict[str, Any]:
    """Return the share of right texts and languages by size, on sources that were not trained on."""
    probable = probabilities(scores, test.possible, numbers)
    encodings = np.zeros_like(test.right, np.float32)
    for number in range(encodings.shape[1]):
        encodings[:, number] = probable[:, numbers.encoding == number].sum(axis=1)
    rows = np.arange(len(scores))
    right = test.right[rows, encodings.argmax(axis=1)]
    language = numbers.language[probable.argmax(axis=1)] == numbers.language[test.classes]
    figures = {}
    for low, high in ((8, 16), (16, 32), (32, 64), (64, 128), (128, 512), (512, 4001)):
        here = (test.sizes >= low) & (test.sizes < high)
        if here.any():
            figures[f"{low}-{high - 1}"] = {
                "samples": int(here.sum()),
                "text": round(100 * float(right[here].mean()), 2),
                "language": round(100 * float(language[here].mean()), 2),
            }
    return figures


def _write(
    recipe: Recipe,
    header: dict[str, Any],
    learned: tuple[Features, Quantised, bytes],
    figures: dict[str, Any],
) -> dict[str, Any]:
    chosen, quantised, words = learned
    # The last place is for pairs that are not features: -1 is its number, too.
    places = np.append(np.where(chosen.places < 0, 0xFFFF, chosen.places), 0xFFFF)
    pairs = places[folded_pairs()].astype("<u2")
    recipe.out.mkdir(parents=True, exist_ok=True)
    weights, characters = (part.tobytes() for part in quantised)
    digest = write_model(recipe.out / "model.bin", header, pairs.tobytes(), weights, characters, words)
    covered = sorted({member for members in header["families"].values() for member in members})
    manifest = {
        "sha256": digest,
        "charlens": __version__,
        "made": datetime.now(timezone.utc).strftime("%Y-%m-%d"),
        "classes": len(header["classes"]),
        "encodings": covered,
        "languages": sorted(header["languages"]),
        "features": len(chosen),
        "bytes_of_words": len(words),
        "samples_per_class": recipe.samples,
        "left_out": list(recipe.without),
        "settings": recipe.settings._asdict(),
        "bytes": (recipe.out / "model.bin").stat().st_size,
        "figures": figures,
        "figures_are": "percent right by size in bytes, all classes alike, on sources that were not trained on",
    }
    (recipe.out / "manifest.json").write_text(json.dumps(manifest, indent=1) + "\n", encoding="utf-8")
    return manifest


def _known_words(recipe: Recipe, classes: list[Class], found: dict[str, list[Path]]) -> set[int]:
    """Return the keys of the words of all languages, several languages at a time."""
    languages = sorted({c.language for c in classes})
    with ProcessPoolExecutor(mp_context=get_context("spawn")) as pool:
        return set().union(*pool.map(partial(_words_of, recipe, classes, found), languages))


def _words_of(recipe: Recipe, classes: list[Class], found: dict[str, list[Path]], language: str) -> set[int]:
    """Return the keys of the words of one language, from what is trained on."""
    texts, cells = read_texts(language, found[language.lower()]).train, read_cells(recipe.corpus, language)[0]
    excerpts = (text for package in read_excerpts(recipe.corpus, language)[0] for text in package)
    return find_words(language, (*texts, *excerpts), classes, cells)


def _priors(names: list[str]) -> dict[str, int]:
    common = {encoding.name: encoding.common for encoding in all_encodings()}
    return {name: sum(common.get(member, 1) for member in family(name)) for name in names}


def _common_languages(classes: list[Class]) -> dict[str, int]:
    """Return how common files in each language are, on the scale of a few."""
    languages = sorted({c.language for c in classes})
    return {tag: _COMMON if tag in _LANGUAGES_OF_WINDOWS else _LESS_COMMON for tag in languages}


def _key(recipe: Recipe, classes: list[Class], found: dict[str, list[Path]]) -> str:
    """Return a hash of the settings that the samples depend on."""
    files = [
        (str(path.relative_to(recipe.corpus)), path.stat().st_size)
        for paths in (*found.values(), recipe.corpus.glob("*/cells.txt"), recipe.corpus.glob(f"*/{EXCERPTS}"))
        for path in paths
    ]
    return _digest(repr((classes, files, recipe.samples, recipe.settings.seed, __version__, "characters")))


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def _kept(path: Path, make: Callable[[], Any]) -> Any:
    """Return the result cached in *path*, or compute and cache it."""
    if path.exists():
        with path.open("rb") as file:
            return pickle.load(file)
    made = make()
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_suffix(".part")
    with part.open("wb") as file:
        pickle.dump(made, file, protocol=5)
    part.replace(path)
    return made
