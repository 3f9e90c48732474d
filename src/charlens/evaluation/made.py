"""Make samples of a given size from UTF-8 text by language, or from the files of a dataset.

The size is in bytes and never exceeded; a snippet ends at a character.  The same seed makes the same
samples.  A class that cannot be filled is reported as a problem, since an average over classes would hide it.
"""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from charlens.encodings import Encoding, all_encodings
from charlens.encodings.orthography import write
from charlens.evaluation.datasets import Dataset, DatasetError, Problem, Sample, finish
from charlens.evaluation.judge import read
from charlens.evaluation.names import BINARY, resolve

#: The sizes of the tables by length.
SIZES = (10, 20, 50, 100, 200, 500, 2000)

# A snippet that stops at a character its encoding lacks must still fill three quarters of its size.
_LEAST_FILLED = 0.75
# With fewer non-ASCII bytes, no detector can know.
_LEAST_NON_ASCII = 2
# The number of places tried for one snippet before a class is reported as short: English has one character
# outside ASCII in a thousand, and its snippets of 10 bytes are found by looking for that.
_TRIES = 40
_NON_ASCII = re.compile(r"[^\x00-\x7f]")


@dataclass(frozen=True, slots=True)
class Recipe:
    """What to make."""

    sizes: Sequence[int] = SIZES
    #: How many snippets of each class and size.
    per_class: int = 10
    seed: int = 0
    #: Only these encodings; all that have languages where this is empty.
    encodings: Sequence[str] = ()
    #: Only texts of these sources, by the name of their file; all if this is empty.
    sources: Sequence[str] = ()
    #: Only the texts that `charlens train` holds out for its test; and the sources that it left out, as 'sl/tatoeba'.
    kept_apart: bool = False
    without: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class _Text:
    source: str
    text: str


def make_snippets(folder: Path, recipe: Recipe) -> Dataset:
    """Cut the texts of *folder*, `<language>/<source>.txt` or `<language>.txt`, into samples.

    A class is a pair of an encoding and a language that was written in it; all classes have the same weight.
    """
    texts = _kept_apart(folder, recipe) if recipe.kept_apart else _read_texts(folder, recipe.sources)
    if not texts:
        raise DatasetError(
            f"{folder} holds no text to cut. It must hold UTF-8 files <language>/<source>.txt or "
            f"<language>.txt{' of the sources ' if recipe.sources else ''}{', '.join(recipe.sources)}."
        )
    samples: list[Sample] = []
    problems: list[Problem] = []
    for encoding in _chosen(recipe.encodings):
        for language in sorted(_languages(encoding, texts)):
            made = [
                sample
                for size in recipe.sizes
                for sample in _snippets(encoding.name, language, texts[language], size, recipe)
            ]
            samples.extend(made)
            problems.extend(_shortage(f"{language} in {encoding.name}", made, recipe))
    return Dataset("made", tuple(samples), tuple(problems))


def cut_samples(dataset: Dataset, recipe: Recipe) -> Dataset:
    """Cut the files of *dataset* into samples; a class is an encoding here."""
    groups: dict[str, list[Sample]] = {}
    for sample in dataset.samples:
        name = resolve(sample.encoding)
        if sample.encoding != BINARY and name is not None and name.codec is not None:
            groups.setdefault(name.codec, []).append(sample)
    samples: list[Sample] = []
    problems: list[Problem] = []
    for codec, members in sorted(groups.items()):
        made = [sample for size in recipe.sizes for sample in _windows(codec, members, size, recipe)]
        samples.extend(made)
        problems.extend(_shortage(codec, made, recipe))
    return Dataset(f"{dataset.name}, cut", tuple(samples), tuple(problems), dataset.name)


def _read_texts(folder: Path, sources: Sequence[str]) -> dict[str, list[_Text]]:
    """Read the texts by language, in lower case."""
    texts: dict[str, list[_Text]] = {}
    for path in sorted((*folder.glob("*.txt"), *folder.glob("*/*.txt"))):
        if sources and path.stem not in sources:
            continue
        language = path.stem if path.parent == folder else path.parent.name
        text = path.read_bytes().decode("utf-8-sig", "ignore")
        if text.strip():
            texts.setdefault(language.lower(), []).append(_Text(path.stem, text))
    return texts


def _kept_apart(folder: Path, recipe: Recipe) -> dict[str, list[_Text]]:
    """Read the texts that are held out in a training on *folder*."""
    from charlens.training.corpora import find_languages, read_texts  # needs only Python

    # The hold-out depends on the spelling of the tag in training: 'zh-Hant', not 'zh-hant'.
    tags = {tag.lower(): tag for encoding in all_encodings() for tag in encoding.languages}
    return {
        language: [_Text("test", text) for text in read_texts(tags[language], paths).test if text.strip()]
        for language, paths in find_languages(folder, recipe.without).items()
        if language in tags
    }


def _chosen(names: Sequence[str]) -> Iterable[Encoding]:
    """Return the encodings to use: those requested, else all that have languages."""
    wanted = {name.name for label in names if (name := resolve(label)) is not None}
    return [each for each in all_encodings() if (each.name in wanted if wanted else _tells(each))]


def _tells(encoding: Encoding) -> bool:
    """Whether the encoding has to be guessed; ASCII and Unicode are recognised by their form."""
    return bool(encoding.languages) and encoding.kind not in ("ascii", "utf")


def _languages(encoding: Encoding, texts: dict[str, list[_Text]]) -> set[str]:
    filled = {language for language, known in texts.items() if known}
    if not encoding.languages:
        return filled
    return {language.lower() for language in encoding.languages} & filled


def _snippets(codec: str, language: str, texts: list[_Text], size: int, recipe: Recipe) -> Iterator[Sample]:
    rng = random.Random(f"{recipe.seed}/{codec}/{language}/{size}")
    chosen = (rng.choice(texts) for _ in range(recipe.per_class * _TRIES))
    name = f"{language}/{codec}/{size}/"
    found = ((each.text, Sample(name, codec, language=language, source=each.source, kind="made")) for each in chosen)
    return _cut_each(found, codec, size, recipe.per_class, rng)


def _windows(codec: str, members: list[Sample], size: int, recipe: Recipe) -> Iterator[Sample]:
    rng = random.Random(f"{recipe.seed}/{codec}/{size}")
    found = (
        (
            read(each.load(), codec) or "",
            Sample(
                f"{each.id}@{size}#",
                each.encoding,
                language=each.language,
                source=each.source,
                kind=each.kind,
            ),
        )
        # Files in turn, so that no large source fills its class alone.
        for each in rng.sample(members, len(members)) * 3
        if each.length >= size
    )
    return _cut_each(found, codec, size, recipe.per_class, rng)


def _cut_each(
    texts: Iterable[tuple[str, Sample]], codec: str, size: int, count: int, rng: random.Random
) -> Iterator[Sample]:
    """Cut *count* different samples out of *texts*; each text comes with a sample that lacks the bytes."""
    seen: set[bytes] = set()
    for text, sample in texts:
        data = cut(text, codec, size, rng) if text else None
        if data is not None and data not in seen:
            seen.add(data)
            yield finish(replace(sample, id=f"{sample.id}{len(seen)}", data=data, cut=size))
            if len(seen) == count:
                return


def cut(text: str, codec: str, size: int, rng: random.Random) -> bytes | None:
    """Cut one snippet of at most *size* bytes from around some non-ASCII character of *text*."""
    found = _NON_ASCII.search(text, rng.randrange(len(text))) or _NON_ASCII.search(text)
    if found is None:
        return None
    start = max(0, found.start() - rng.randrange(size))
    # A snippet starts at a word if it still contains the character.
    space = text.find(" ", start, found.start())
    start = space + 1 if start and space >= 0 else start
    data = _fill(text[start : start + size], codec, size)
    if data is None or len(data) < _LEAST_FILLED * size:
        return None
    return data if _tells_something(data, codec) else None


def _fill(text: str, codec: str, size: int) -> bytes | None:
    """Return the longest prefix of *text* that fits into *size* bytes."""
    low, high = 0, len(text)
    best = None
    while low <= high:
        middle = (low + high) // 2
        data = write(text[:middle], codec)
        if data is None or len(data) > size:
            high = middle - 1
        else:
            best, low = data, middle + 1
    return best


def _tells_something(data: bytes, codec: str) -> bool:
    """Whether the snippet has enough non-ASCII text, and the codec decodes it to the same text."""
    text = read(data, codec)
    if text is None:
        return False
    if sum(byte >= 0x80 for byte in data) >= _LEAST_NON_ASCII:
        return True
    # 7-bit encodings have no such bytes; there the characters count.
    return len(data) != len(text) and len(_NON_ASCII.findall(text)) >= _LEAST_NON_ASCII


def _shortage(name: str, made: list[Sample], recipe: Recipe) -> list[Problem]:
    """Return one line with the sizes at which a class could not be filled."""
    counts = Counter(sample.cut for sample in made)
    short = [f"{counts[size]} of {size} bytes" for size in recipe.sizes if counts[size] < recipe.per_class]
    if not short:
        return []
    return [Problem(name, f"fewer than {recipe.per_class} samples could be made: {', '.join(short)}")]
