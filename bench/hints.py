"""Measure how much hints help: short pieces of labelled files without a hint, with the right one, and with a wrong one.

    python bench/hints.py FOLDER [STRENGTH...]    a folder with a manifest.tsv; other strengths to try

Wrong hints are chosen at random: another language of the set, another encoding, another platform.
"""

from __future__ import annotations

import random
import sys
from pathlib import Path

import charlens
import charlens.hints
from charlens.encodings import lookup
from charlens.evaluation.datasets import Sample, read_dataset
from charlens.evaluation.judge import judge
from charlens.evaluation.made import Recipe, cut_samples
from charlens.evaluation.peers import Answer
from charlens.stages.statistics import evidence

SIZES = (10, 20, 50, 100, 500)
PER_CLASS = 60
_CONSTANTS = {"language": "_LANGUAGE", "tld": "_DOMAIN", "platform": "_PLATFORM", "declared": "_DECLARED"}


def main(arguments: list[str]) -> None:
    """Print a table for each hint."""
    made = cut_samples(read_dataset(Path(arguments[0])), Recipe(SIZES, PER_CLASS))
    samples = [sample for sample in made.samples if _is_legacy(sample) and sample.language]
    print(f"{len(samples):,} cuts; right texts in percent")
    print(f"{'':32}" + "".join(f"{size:>8}" for size in SIZES))
    _row("no hint", samples, lambda sample: None)
    for hint, constant in _CONSTANTS.items():
        for strength in arguments[1:] or [str(getattr(evidence, constant))]:
            setattr(evidence, constant, float(strength))
            evidence._from_hints.cache_clear()
            for right in (True, False):
                words = f"{'right' if right else 'wrong'} {hint}, {strength}"
                _row(words, samples, _hints(hint, right, samples))


def _is_legacy(sample: Sample) -> bool:
    encoding = lookup(sample.encoding)
    return encoding is not None and encoding.kind in ("single", "multi")


def _hints(hint, right, samples):  # type: ignore[no-untyped-def]
    """Return a function that makes the hint for a sample, or None."""
    chance = random.Random(hint)
    values = sorted({value for sample in samples if (value := _truth(hint, sample))})

    def make(sample: Sample) -> dict[str, object] | None:
        truth = _truth(hint, sample)
        value = truth if right else chance.choice([other for other in values if other != truth])
        return {hint: value} if value else None

    return make


def _truth(hint: str, sample: Sample) -> str:
    tables = charlens.hints._tables()
    if hint == "language":
        return sample.language
    if hint == "tld":
        tags = {tag.lower() for tag in charlens.hints._tags_of(sample.language)}
        found = (tld for tld, spoken in tables["tlds"].items() if {tag.lower() for tag in spoken} & tags)
        return next(found, "")
    name = sample.true_name
    if hint == "declared":
        return name
    return next((platform for platform, names in tables["platforms"].items() if name in names), "")


def _row(words, samples, make):  # type: ignore[no-untyped-def]
    right = dict.fromkeys(SIZES, 0)
    whole = dict.fromkeys(SIZES, 0)
    for sample in samples:
        data = sample.load()
        verdict = charlens.detect(data, hints=make(sample))
        answer = Answer(verdict.encoding, verdict.confidence, outcome=verdict.outcome)
        right[sample.cut] += judge(data, sample.encoding, answer).grade.right
        whole[sample.cut] += 1
    print(f"{words:32}" + "".join(f"{100 * right[size] / whole[size]:>8.2f}" for size in SIZES), flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
