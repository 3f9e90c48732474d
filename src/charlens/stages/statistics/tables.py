"""The tables that `kernel.judge_legacy` needs for a model: priors, constants, and what languages and encodings mean."""

from __future__ import annotations

from array import array
from collections.abc import Iterable
from functools import cached_property, lru_cache
from math import log
from typing import TYPE_CHECKING, Any

from charlens import kernel
from charlens.encodings import rank
from charlens.encodings.sets import meanings, relatives_of_all
from charlens.kernel.shapes import JudgeRules
from charlens.models.language_model import REACH, LanguageModel, default_language_model
from charlens.stages.statistics import glued, surroundings

if TYPE_CHECKING:
    from charlens.kernel.pure_judge import JudgeTables
    from charlens.models.format import Model

#: The approximate number of non-ASCII bytes that are read, and the number of windows, spread over the input. On the
#: labelled files it does not matter whether 1,000 or all are read: there are 15 to 17 misses, each time others.
_ENOUGH = 1024
_WINDOWS = 32
#: The smallest and the largest size of a window; text with more non-ASCII bytes has smaller ones.
_LEAST_WINDOW = 64
_MOST_WINDOW = 4096
#: Classes whose odds are under 1 in e^8 (1 in 3,000) of the best do not matter, nor does the 33rd.
_REACH = 8.0
_MOST_CLASSES = 32
#: The log-odds of C1 controls against an encoding: they do not occur in text. Snippets of held-out sources gain 0.1
#: points; 2 and 6 have the same effect.
_DOUBT = 4.0

#: The weight of the logarithm of an encoding's share of the files in a language, the additional weight if there is one
#: non-ASCII byte, and the weight of the logarithm of the language's share. 1 would be right if the shares were those of
#: the user's files. Chosen with `bench/rules.py` on development files, cuts of them, snippets and words: with more for
#: the encoding, words gain and snippets, which are in all encodings equally, lose.
_PRIOR_WEIGHT = 0.12
_PRIOR_OF_ONE = 0.4
_LANGUAGE_WEIGHT = 1.0
#: The second of these is the weight if the calibration is that of the first (65 non-ASCII bytes or more). A rare
#: encoding then shows in many of them; what is still undecided is a sign or two, in which a rare relative differs
#: (KZ-1048 from windows-1251). Three development files are right with it; with 0.5, one sign of DOS that occurs a
#: hundred times in English was read in windows-1252.
_MANY, _PRIOR_OF_MANY = 128, 0.4

#: If only one byte value is non-ASCII, or at most one byte in 40, encodings less common than 3 are e^3 times less
#: likely than the byte pairs indicate: one or two letters are not enough evidence, nor is one letter again and again.
_SPARSE = 40
_COMMON = 3
_AGAINST_RARE = 3.0


class Tables:
    """The tables of one model."""

    def __init__(self, model: Model) -> None:
        self.model = model
        #: What `kernel.JudgeTables` takes.
        self.arguments = _arguments(model, default_language_model())
        self.kernel = kernel.JudgeTables(*self.arguments)
        self.rules: JudgeRules = self.arguments[-1]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Tables) and self.model == other.model

    def __hash__(self) -> int:
        return hash(self.model)

    @cached_property
    def defined(self) -> JudgeTables:
        """The same for the kernel in Python, whose parts can be asked one by one, for explanations."""
        from charlens.kernel.pure_judge import JudgeTables

        return JudgeTables(*self.arguments)


def tables_of(model: Model) -> Tables:
    """Return the tables of *model*, made once."""
    tables: Tables | None = model.judge
    if tables is None:
        tables = model.judge = Tables(model)
    return tables


def _arguments(model: Model, spoken: LanguageModel) -> tuple[Any, ...]:
    amounts = array("q", model.amounts).tobytes()
    families = b"".join([bytes(numbers[:16]).ljust(16, b"\xff") for numbers in model.members])
    begins = (amounts, array("d", model.factors).tobytes(), b"".join(map(array.tobytes, _priors(model))))
    others, sets = _language_sets(model, spoken)
    odds = (
        array("d", spoken.priors).tobytes(),
        array("d", spoken.sharpness).tobytes(),
        b"".join([each.to_bytes(32, "little") for each in (*sets, others)]),
    )
    pair = b"".join([each.to_bytes(16, "little") for each in (_rare(model), glued.with_letters())])
    rules = _rules(spoken)
    return model.parts, spoken.tables, families, meanings(), relatives_of_all(), begins, odds, pair, rules


def _rules(spoken: LanguageModel) -> JudgeRules:
    languages = spoken.languages
    return JudgeRules(
        few=surroundings.FEW,
        few_in_many=surroundings.FEW_IN_MANY,
        sparse=_SPARSE,
        enough=_ENOUGH,
        windows=_WINDOWS,
        least_window=_LEAST_WINDOW,
        most_window=_MOST_WINDOW,
        most_classes=_MOST_CLASSES,
        reach=_REACH,
        doubt=_DOUBT,
        glued=glued.POINTS,
        most_glued=glued.MOST_POINTS,
        against_rare=-_AGAINST_RARE,
        whole=surroundings.WHOLE,
        pieces=surroundings.WINDOWS,
        piece=surroundings.WINDOW,
        ahead=surroundings.AHEAD,
        back=surroundings.BACK,
        most_languages=surroundings.MOST,
        least_letters=surroundings.LEAST_LETTERS,
        language_reach=REACH,
        weight=surroundings.WEIGHT,
        left=surroundings.LEFT,
        others=surroundings.OTHERS,
        left_beside_english=surroundings.LEFT_BESIDE_ENGLISH,
        others_beside_english=surroundings.OTHERS_BESIDE_ENGLISH,
        english=languages.index(surroundings.ENGLISH) if surroundings.ENGLISH in languages else -1,
    )


def _priors(model: Model) -> list[array[int]]:
    """Return the initial score of each class, in steps of a score, for each amount of non-ASCII bytes."""
    return [
        array("i", [round(odd / factor) for odd in log_priors(model, amount)])
        for amount, factor in zip(model.amounts, model.factors, strict=True)
    ]


def log_priors(model: Model, amount: int) -> list[float]:
    """Return the logarithm of the prior probability of each class: of its language, and of its encoding in it."""
    weight = _PRIOR_OF_MANY if amount >= _MANY else _PRIOR_WEIGHT + _PRIOR_OF_ONE / amount
    return [weight * own + _LANGUAGE_WEIGHT * language for own, language in _log_shares(model)]


@lru_cache(maxsize=4)
def _log_shares(model: Model) -> list[tuple[float, float]]:
    """Return for each class the logarithms of the share of its encoding in its language, and of its language."""
    sums: dict[str, float] = {}
    for encoding, language in model.classes:
        sums[language] = sums.get(language, 0.0) + model.priors[encoding]
    return [
        (log(model.priors[encoding] / sums[language]), log(model.common_languages[language]))
        for encoding, language in model.classes
    ]


def _rare(model: Model) -> int:
    """Return the rare encodings that some class covers, as a set."""
    names = {name for family, common in model.priors.items() if common < _COMMON for name in model.families[family]}
    return encoding_set(model, names)


def encoding_set(model: Model, names: Iterable[str]) -> int:
    """Return the encodings of *names* that some class covers, as a set."""
    known = {member for family in model.families.values() for member in family}
    return sum(1 << rank(name) for name in set(names) if name in known)


def language_set(model: Model, tags: Iterable[str]) -> int:
    """Return the languages of *tags*, as a set."""
    wanted = {tag.lower() for tag in tags}
    return sum(1 << number for number, tag in enumerate(model.languages) if tag.lower() in wanted)


def _language_sets(model: Model, spoken: LanguageModel) -> tuple[int, list[int]]:
    """Return the languages of *model* that are not written in Latin letters, or unknown, and for each class of the
    language model the same language in *model*, all as sets.
    """
    latin = {spoken.languages[n] for n in kernel.languages(b"any words", spoken.tables, len(spoken.languages))[4::2]}
    others = sum(1 << number for number, tag in enumerate(model.languages) if tag not in latin)
    own = {tag.lower(): 1 << number for number, tag in enumerate(model.languages)}
    return others, [own.get(tag.lower(), 0) for tag in spoken.languages]
