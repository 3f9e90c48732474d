"""Judge the languages that detectors name, and make tables of the shares.

A label is often wider than an answer: 'zh' for both ways of writing Chinese, 'no' for both forms of Norwegian.  What
counts as the same is decided here.  Samples without a language in their label are not counted; whether the encoding was
right does not matter.
"""

from __future__ import annotations

from collections.abc import Sequence

from charlens.evaluation.metrics import group
from charlens.evaluation.results import Evaluation, Row
from charlens.evaluation.tables import Cell, Table

# Answers that a wider label includes. Cantonese is written in Chinese characters; no label distinguishes them.
_MEMBERS: dict[str, frozenset[str]] = {
    "zh": frozenset(("zh", "yue")),
    "no": frozenset(("no", "nb", "nn")),
    "ku": frozenset(("ku", "kmr", "ckb")),
}
# Answers that are wider than the label, because the detector cannot be more specific.
_WIDER: dict[str, str] = {"nb": "no", "nn": "no", "yue": "zh", "kmr": "ku", "ckb": "ku"}

# charset-normalizer names languages in English.
_NAMES: dict[str, str] = {
    "arabic": "ar", "bulgarian": "bg", "chinese": "zh", "classical chinese": "zh", "croatian": "hr", "czech": "cs",
    "danish": "da", "dutch": "nl", "english": "en", "estonian": "et", "farsi": "fa", "finnish": "fi", "french": "fr",
    "german": "de", "greek": "el", "hebrew": "he", "hindi": "hi", "hungarian": "hu", "indonesian": "id",
    "italian": "it", "japanese": "ja", "kazakh": "kk", "korean": "ko", "lithuanian": "lt", "norwegian": "no",
    "polish": "pl",
    "portuguese": "pt", "romanian": "ro", "russian": "ru", "serbian": "sr", "simplified chinese": "zh-Hans",
    "slovak": "sk", "slovene": "sl", "spanish": "es", "swedish": "sv", "thai": "th", "traditional chinese": "zh-Hant",
    "turkish": "tr", "ukrainian": "uk", "vietnamese": "vi",
}  # fmt: skip


def same_language(label: str, answer: str | None) -> bool:
    """Whether *answer* names the language of *label*; both are BCP 47 tags, or *answer* a name in English."""
    if not answer:
        return False
    given = _NAMES.get(answer.lower(), answer).lower()
    wanted = label.lower()
    if given == wanted:
        return True
    # A script in the label is required; one in the answer alone is not a contradiction.
    language, _, script = wanted.partition("-")
    given_language, _, given_script = given.partition("-")
    if script and given_script:
        return False
    return given_language in _MEMBERS.get(language, (language,)) or given_language == _WIDER.get(language)


def named_languages(evaluation: Evaluation) -> Table | None:
    """The share of right languages by detector: of all samples that have one in their label, and of those answered."""
    rows = _labelled(evaluation)
    peers = _tellers(evaluation, rows)
    if not peers:
        return None
    lines: list[tuple[Cell, ...]] = []
    for peer in peers:
        answered = [row for row in rows if row.answers[peer].language]
        right = sum(_is_right(row, peer) for row in rows)
        by_language = group(rows, lambda row: row.sample.language).values()
        macro = sum(_share(members, peer) for members in by_language) / len(by_language)
        lines.append(
            (
                peer,
                right / len(rows),
                macro,
                len(answered) / len(rows),
                right / len(answered),
                len(rows) - right,
            )
        )
    note = (
        f"Of the {len(rows):,} samples whose label names a language. Macro: mean over the languages. 'zh' is right "
        "with any Chinese, 'no' with nb or nn, 'sr' with either script, 'nb' and 'nn' also with 'no'."
    )
    columns = ("detector", "right language", "macro", "answered", "right of answered", "misses")
    return Table("Language", columns, tuple(lines), note)


def by_named_language(evaluation: Evaluation) -> Table | None:
    """The share of right languages by the language of the label."""
    rows = _labelled(evaluation)
    peers = _tellers(evaluation, rows)
    if not peers:
        return None
    groups = sorted(
        group(rows, lambda row: row.sample.language).items(), key=lambda entry: (-len(entry[1]), entry[0])
    )
    lines: list[tuple[Cell, ...]] = [
        (language, len(members), *(_share(members, peer) for peer in peers)) for language, members in groups
    ]
    return Table("Right language, by language", ("language", "samples", *peers), tuple(lines))


def _labelled(evaluation: Evaluation) -> list[Row]:
    return [row for row in evaluation.rows if row.sample.language]


def _tellers(evaluation: Evaluation, rows: Sequence[Row]) -> list[str]:
    """Return the detectors that name languages."""
    return [peer for peer in evaluation.namers if any(row.answers[peer].language for row in rows)]


def _is_right(row: Row, peer: str) -> bool:
    return same_language(row.sample.language, row.answers[peer].language)


def _share(rows: Sequence[Row], peer: str) -> float:
    return sum(_is_right(row, peer) for row in rows) / len(rows)
