"""What the stages for legacy text pass to each other: markup, candidates, evidence and scores.

`findings` has them, too, next to the findings of the other stages.
"""

from collections.abc import Sequence
from sys import byteorder
from typing import TYPE_CHECKING, Any, NamedTuple

from charlens.encodings import rank
from charlens.kernel.shapes import Judged
from charlens.plural import count
from charlens.types import Buffer, Span, Step

if TYPE_CHECKING:
    from charlens.models.format import Model
    from charlens.stages.statistics.tables import Tables


class Record:
    """A finding that the stages read often: a slot is read in a twentieth of the time of an item of a named tuple."""

    __slots__: tuple[str, ...] = ()

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and self._values() == other._values()

    def __hash__(self) -> int:
        return hash(self._values())

    def __repr__(self) -> str:
        values = zip(self.__slots__, self._values(), strict=True)
        return f"{type(self).__name__}({', '.join(f'{name}={value!r}' for name, value in values)})"

    def _values(self) -> tuple[Any, ...]:
        return tuple(getattr(self, name) for name in self.__slots__)


class Rules(NamedTuple):
    """The tables of the structure stage; encodings have numbers, their places in the order of preference."""

    #: The name of each encoding.
    names: tuple[str, ...]
    #: The numbers of all legacy encodings, the most common first.
    by_commonness: tuple[int, ...]
    #: The numbers of the multi-byte ones, in the order of the tables they are walked by.
    walked: tuple[int, ...]
    #: For each encoding its place in `walked`, or 255.
    places: bytes
    #: For each encoding the byte values that are undefined in it, as a set.
    undefined: tuple[int, ...]


class Markup(NamedTuple):
    """The words of a page, as the same bytes."""

    #: 'html', 'xml' or 'subtitles'.
    flavour: str
    #: The words; b"" if a verdict carries this.
    words: Buffer
    #: The number of bytes in the words, and how many of them are non-ASCII.
    length: int
    non_ascii: int
    #: The number of bytes that the words were taken from: a long page is not read to its end.
    size: int
    #: Whether the words alone are scored; if they say too little, the whole page is.
    enough: bool

    def step(self) -> Step:
        """Say how much of the page is words."""
        share = (
            f"{self.length:,} of {self.size:,} bytes are text, not markup; {self.non_ascii:,} are non-ASCII"
        )
        more = "" if self.enough else "; attributes, comments and scripts are scored too"
        return Step("markup", f"{self.flavour}: {share}{more}")


#: The place of an encoding that is not walked.
NOT_AMONG_WALKED = 255
#: The lowest byte of the second of two numbers of 64 bits: it is the length of a character, so the others are 0.
_LOWEST = 8 if byteorder == "little" else 15
#: The offset of the first wrong sequence, for an encoding that was too unlikely to be checked to the end.
NOT_WALKED = -2


class Candidates(Record):
    """The legacy encodings that decode these bytes, and where the walks of the multi-byte ones failed."""

    __slots__ = ("damaged", "doubtful", "numbers", "rules", "walks")

    def __init__(
        self,
        numbers: int,
        doubtful: int,
        walks: bytes,
        rules: Rules,
        damaged: tuple[tuple[str, tuple[int, ...]], ...] = (),
    ) -> None:
        #: The encodings that decode the whole input, as a set: bit *n* for encoding number *n*.
        self.numbers = numbers
        #: Those that decode some bytes to C1 controls, or end in the middle of a character: they are unlikely.
        self.doubtful = doubtful
        #: `walked` as bytes, 64 bits for each number.
        self.walks = walks
        self.rules = rules
        #: Encodings among the possible ones that decode all but a few stray bytes, with the offsets of these.
        self.damaged = damaged

    @property
    def walked(self) -> Sequence[int]:
        """For each encoding that was walked: where its first wrong sequence is, or -1; the length of a cut one."""
        return memoryview(self.walks).cast("q")

    @property
    def possible(self) -> tuple[str, ...]:
        """The names of the encodings that decode the whole input: the most common first, the doubtful last."""
        names = self.rules.names
        able = [number for number in self.rules.by_commonness if self.numbers >> number & 1]
        able.sort(key=lambda number: self.doubtful >> number & 1)
        return tuple(names[number] for number in able)

    def cut_off(self, number: int) -> int:
        """Return the length of the character cut off at the end, read as encoding *number*."""
        place = self.rules.places[number]
        if place == NOT_AMONG_WALKED:
            return 0
        return self.walks[16 * place + _LOWEST]

    def damage_of(self, name: str) -> tuple[Span, ...]:
        """Return the stray bytes of the encoding *name*."""
        return tuple([Span(at, at + 1) for at in dict(self.damaged).get(name, ())])

    @property
    def strays(self) -> tuple[int, ...]:
        """For each encoding with stray bytes three sets: itself, the values that it lacks, those that lack the same."""
        found: list[int] = []
        alike: dict[tuple[int, ...], int] = {}
        for name, offsets in self.damaged:
            alike[offsets] = alike.get(offsets, 0) | 1 << rank(name)
        for name, offsets in self.damaged:
            number = rank(name)
            found += (1 << number, self.rules.undefined[number], alike[offsets])
        return tuple(found)

    def step(self) -> Step:
        """Count the candidates and the encodings that are ruled out."""
        possible = self.possible
        names = ", ".join(possible[:5]) + (" …" if len(possible) > 5 else "")
        return Step(
            "structure",
            f"{count(len(possible), 'legacy encoding')} can decode these bytes ({names or 'none'}); "
            f"{len(self.rules.by_commonness) - len(possible)} cannot"
            + "".join(
                f"; {name} except for {count(len(offsets), 'stray byte')}" for name, offsets in self.damaged
            ),
        )


class Evidence(NamedTuple):
    """The evidence of a hint or of line endings for some classes."""

    words: str
    #: The encodings and the languages that it is evidence for, as sets; a class has to be in both.
    encodings: int
    languages: int
    #: Log-odds.
    points: float


class Hints(NamedTuple):
    """The evidence that hints and line endings give."""

    evidence: tuple[Evidence, ...]

    def step(self) -> Step:
        """Name each hint with its log-odds."""
        words = (
            f"{each.words} {each.points:+.1f}"
            if each.encodings and each.languages
            else f"{each.words} is not known to the model, so it has no effect"
            for each in self.evidence
        )
        return Step("hints", "; ".join(words))


class Surroundings(NamedTuple):
    """The language of the ASCII words around."""

    #: What `kernel.languages` returned for them, and the constants by which it is evidence (`JudgeRules`).
    numbers: tuple[int, ...]
    rules: Any

    @property
    def odds(self) -> tuple[float, tuple[tuple[str, float], ...]]:
        """The log-odds of languages in other scripts, and those of the likely languages, the most likely first."""
        from charlens.kernel.pure_judge import language_odds  # here: only explanations need it
        from charlens.models.language_model import default_language_model

        model = default_language_model()
        found = language_odds(self.rules, model.sharpness, model.priors, self.numbers)
        assert found is not None
        return found[0], tuple((model.languages[number], odds) for odds, number in found[1])

    def step(self) -> Step:
        """Name the most likely languages."""
        names = {"zxx": "no language"}
        others, languages = self.odds
        likely = ", ".join(f"{names.get(name, name)} {odds:+.1f}" for name, odds in languages[:3])
        words = f"language of the ASCII words around: {likely or 'unknown'}; languages in other scripts"
        return Step("surroundings", f"{words} {others:+.1f} (log-odds)")


class KnownWords(NamedTuple):
    """What the languages of the likely classes know of the words in a short text."""

    #: The numbers of the classes with their log-odds, the greatest first.
    classes: tuple[tuple[int, float], ...]
    #: The `charlens.models.format.Model` that knows them.
    model: Any

    def step(self) -> Step:
        """Name the classes whose words are known best."""
        names = self.model.classes
        each = (f"{' '.join(names[number])} {points:+.1f}" for number, points in self.classes[:3])
        return Step("words", f"known words: {', '.join(each)} (log-odds)")


class Score(NamedTuple):
    """A class of the model with its probability among all that are possible."""

    encoding: str
    language: str
    share: float


class Scores(Record):
    """The result of the statistics, the most likely class first: what `kernel.judge_legacy` was given and returned."""

    __slots__ = ("facts", "given", "judged", "letters", "numbers", "shares", "tables", "texts")

    def __init__(
        self, tables: "Tables", facts: tuple[int, int, int, int], given: tuple[float, ...], judged: Judged
    ) -> None:
        #: The `charlens.stages.statistics.tables.Tables` of the model; nothing of the input is kept.
        self.tables = tables
        #: The byte values, the number of non-ASCII bytes, the possible encodings and the doubtful ones.
        self.facts = facts
        #: The evidence from outside the text, and of known words, as `kernel.judge_legacy` takes it.
        self.given = given
        #: A plain tuple from the native kernel; see `judgement`.
        self.judged = judged
        #: The parts that are read often: the words around, the numbers of the likely classes, how likely each is among
        #: them, and the likely texts.
        _, _, _, _, _, self.letters, _, self.numbers, self.shares, self.texts = judged

    def __reduce__(self) -> tuple[Any, ...]:
        return _scores_of, (self.model, self.facts, self.given, tuple(self.judged))

    @property
    def judgement(self) -> Judged:
        """What `kernel.judge_legacy` returned, with names."""
        return Judged._make(self.judged)

    @property
    def surroundings(self) -> Surroundings | None:
        """The ASCII words around, if they were evidence."""
        rules, letters = self.tables.rules, self.letters
        return Surroundings(letters, rules) if len(letters) > 4 and letters[1] >= rules.least_letters else None

    @property
    def model(self) -> "Model":
        """The model that scored."""
        return self.tables.model

    @property
    def possible(self) -> int:
        """The encodings that took part, as a set."""
        return self.facts[2]

    @property
    def doubtful(self) -> int:
        """The doubtful ones among them, as a set."""
        return self.facts[3]

    @property
    def bias(self) -> bytes:
        """The prior of each class, 32 bits each."""
        from charlens.kernel.pure_judge import bias_of  # here and below: only explanations need it

        return bytes(bias_of(self.tables.defined, self.judgement.row))

    @property
    def nudges(self) -> tuple[int, ...]:
        """All evidence except the byte pairs, as nudges."""
        from charlens.kernel.pure_judge import as_nudges, own_evidence

        row, _, _, sparse, glued = self.judged[:5]
        rare = sparse and self.facts[1] <= self.tables.rules.few_in_many
        own = own_evidence(self.tables.defined, self.possible, glued, self.letters, rare)
        return as_nudges(self.given + own, self.model.factors[row])

    @property
    def penalty(self) -> int:
        """What a class loses that covers only doubtful encodings."""
        return int(self.tables.rules.doubt / self.model.factors[self.judgement.row])

    @property
    def ranked(self) -> tuple[Score, ...]:
        """The classes with their names."""
        classes = self.model.classes
        pairs = zip(self.numbers, self.shares, strict=True)
        return tuple(Score(classes[number][0], classes[number][1], share) for number, share in pairs)

    def step(self) -> Step:
        """Name the most likely classes and the amount of evidence."""
        likely = ", ".join(f"{s.encoding} {s.language} {s.share:.3f}" for s in self.ranked[:3])
        _, pairs, distinct, *_ = self.judged
        how = f"{count(pairs, 'byte pair')}, {distinct} distinct; model {self.model.name}"
        return Step("statistics", f"{likely or 'nothing is likely'} ({how})")


def _scores_of(model: "Model", *parts: Any) -> Scores:
    """Return the scores that were pickled."""
    from charlens.stages.statistics.tables import tables_of

    return Scores(tables_of(model), *parts)
