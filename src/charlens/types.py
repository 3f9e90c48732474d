"""The vocabulary: what the parts of charlens say to one another and to the user.

This module imports nothing of ours, so every part may import it.  A *finding* is what one
stage saw; it can put itself into words as a `Step`.  A `Verdict` is the answer.
"""

# Named tuples, not dataclasses, and annotations that are not strings: both for the import, which is 8 ms
# shorter for it (docs/decisions/0002).

from collections.abc import Mapping
from enum import Enum
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

if TYPE_CHECKING:
    from charlens.stages.declarations.claims import Declarations

#: What the stages read: `bytes`, or a flat `memoryview` of unsigned bytes over anything else.
Buffer = bytes | memoryview


class Outcome(Enum):
    """What the bytes are."""

    TEXT = "text"
    BINARY = "binary"
    UNDECIDED = "undecided"


class Span(NamedTuple):
    """A range of bytes, *end* not included."""

    start: int
    end: int


class Step(NamedTuple):
    """What one stage found, in words, with the offset that it speaks of where there is one."""

    stage: str
    words: str
    offset: int | None = None

    def __str__(self) -> str:
        return f"{self.stage}: {self.words}"


class Alternative(NamedTuple):
    """Another reading of the same bytes, with the probability that it is the right one."""

    encoding: str
    confidence: float
    language: str | None = None


class Scan(NamedTuple):
    """What one pass over the bytes saw; `charlens.kernel.pure.scan` defines the counts."""

    data: Buffer
    #: The byte values that occur: bit *v* for value *v*.
    seen: int
    #: The offset of the first block-listed byte, or -1.
    blocked: int
    non_ascii: int
    #: Bytes of 0xC0 or more: in UTF-8, one for each multi-byte sequence.
    leads: int
    #: The offset of the first byte that is not UTF-8, or -1.
    utf8_error: int
    #: The length of the sequence cut off at the end, 0 to 3.
    utf8_cut: int
    nuls_even: int
    nuls_odd: int
    ends_even: int
    ends_odd: int
    #: Where each byte value comes first, or -1: 256 numbers of 64 bits.
    first: bytes


class Finding(Protocol):
    """What a stage returns: anything that can say itself in words."""

    def step(self) -> Step:
        """Put the finding into words."""


class Signature(NamedTuple):
    """A byte order mark: a claim that still has to be checked against the rest."""

    encoding: str
    mark: bytes

    def step(self) -> Step:
        """Name the mark."""
        return Step("signature", f"opens with {self.mark.hex(' ').upper()}, the mark of {self.encoding}", 0)


class UnicodeForm(NamedTuple):
    """A form of Unicode (or ASCII) that the bytes are in."""

    encoding: str
    confidence: float
    #: How it was recognised, in words.
    how: str
    #: The length of a character cut off at the end.
    cut: int = 0
    damage: tuple[Span, ...] = ()
    #: How many ranges are damaged; `damage` lists the first ones.
    damaged: int = 0
    #: How many multi-byte sequences are whole, where that is how it was recognised.
    sequences: int = 0

    def step(self) -> Step:
        """Say which form, how it was recognised, and what is not whole."""
        how = self.how or f"{self.sequences} multi-byte sequences, all well-formed"
        words = f"{self.encoding}: {how}"
        if self.cut:
            words += f"; the last character is cut off ({self.cut} bytes of it are there)"
        if self.damaged:
            words += f"; {self.damaged} damaged range(s), the first at byte {self.damage[0].start}"
        return Step("unicode", words, self.damage[0].start if self.damage else None)


class EscapeForm(NamedTuple):
    """A 7-bit encoding that switches character sets with escape sequences."""

    encoding: str
    confidence: float
    how: str
    offset: int
    #: So many bytes at the end begin what is not finished there.
    cut: int = 0

    def step(self) -> Step:
        """Name the encoding and the first sequence that switches."""
        words = f"{self.encoding}: {self.how}"
        if self.cut:
            words += f"; the last {self.cut} bytes are the beginning of something"
        return Step("escapes", words, self.offset)


class EbcdicForm(NamedTuple):
    """Text in a code page of the EBCDIC family, the likeliest pages first."""

    pages: tuple[tuple[str, float], ...]
    spaces: float

    def step(self) -> Step:
        """Say what gave it away."""
        names = ", ".join(name for name, _ in self.pages[:3])
        share = f"{self.spaces:.0%}"
        return Step("ebcdic", f"reads as text in {names}: {share} of the bytes are its space, 0x40")


class Content(NamedTuple):
    """Text or binary, by the values of the bytes."""

    is_text: bool
    #: Why it is not text: the first block-listed byte and its offset, or None and -1.
    byte: int | None
    offset: int
    #: Why the lists were not asked, or "".
    settled: str = ""

    def step(self) -> Step:
        """Name the byte that decided, or say that none is on the block list."""
        if self.settled:
            return Step("content", f"text: {self.settled}")
        if self.byte is not None:
            return Step("content", f"binary: byte 0x{self.byte:02X} is on the block list", self.offset)
        if self.is_text:
            return Step("content", "text: no byte is on the block list")
        return Step("content", "not text: no byte is on the allow list")


class Rules(NamedTuple):
    """What the structure stage judges by; encodings go by their number, their place in the order of preference."""

    #: The name of each encoding.
    names: tuple[str, ...]
    #: The numbers of all legacy encodings, the most common first.
    by_commonness: tuple[int, ...]
    #: The numbers of the multi-byte ones, in the order of the tables they are walked by.
    walked: tuple[int, ...]
    #: For each encoding the byte values that mean nothing in it, 32 bytes each.
    undefined: bytes


class Markup(NamedTuple):
    """The words of a page, as the same bytes."""

    #: 'html', 'xml' or 'subtitles'.
    flavour: str
    #: The words; b"" where a verdict carries this.
    words: Buffer
    #: How many bytes they are.
    length: int
    #: How many bytes of the words are beyond ASCII.
    non_ascii: int
    #: How many bytes of the page they were taken from: a long one is not read to its end.
    size: int
    #: Whether the words are what is scored; where they say too little, everything is.
    enough: bool

    def step(self) -> Step:
        """Say how much was words."""
        share = (
            f"{self.length:,} of {self.size:,} bytes are words, {self.non_ascii:,} of them beyond ASCII"
        )
        more = "" if self.enough else "; attributes, comments and scripts count, too"
        return Step("markup", f"{self.flavour}: {share}{more}")


class Candidates(NamedTuple):
    """The legacy encodings that decode these bytes, and where each other one failed."""

    #: The encodings that decode the whole input, as a set: bit *n* for encoding number *n*.
    numbers: int
    #: Those of them in which there are C1 controls: nothing is ruled out by that, but it speaks against them.
    doubtful: int
    #: For each encoding that was walked, the offset of its first wrong sequence or -1, and the length of one cut off.
    walked: tuple[int, ...]
    #: The byte values that occur (32 bytes), and where each comes first in the input.
    seen: bytes
    first: bytes
    rules: Rules
    #: Of those possible, multi-byte encodings that decode all but a few stray bytes, with these.
    damaged: tuple[tuple[str, tuple[Span, ...]], ...] = ()

    @property
    def possible(self) -> tuple[str, ...]:
        """The names of the encodings that decode the whole input: the most common first, the doubtful last."""
        names = self.rules.names
        able = [number for number in self.rules.by_commonness if self.numbers >> number & 1]
        able.sort(key=lambda number: self.doubtful >> number & 1)
        return tuple(names[number] for number in able)

    @property
    def cut(self) -> tuple[tuple[str, int], ...]:
        """The encodings whose last character is cut off, with the bytes of it that are there."""
        lengths = zip(self.rules.walked, self.walked[1::2], strict=True)
        return tuple((self.rules.names[number], length) for number, length in lengths if length)

    @property
    def ruled_out(self) -> tuple[tuple[str, int], ...]:
        """For each encoding ruled out, the offset of the first byte that it cannot have."""
        names, first = self.rules.names, memoryview(self.first).cast("q")
        walked = dict(zip(self.rules.walked, self.walked[::2], strict=True))
        found = []
        for number in self.rules.by_commonness:
            if not self.numbers >> number & 1:
                lacking = self.rules.undefined[32 * number : 32 * number + 32]
                offset = walked.get(number)
                if offset is None:
                    offset = min(
                        first[v] for v in range(256) if lacking[v >> 3] >> (v & 7) & 1 and first[v] >= 0
                    )
                found.append((names[number], offset))
        return tuple(found)

    def step(self) -> Step:
        """Count the candidates and the others."""
        possible = self.possible
        names = ", ".join(possible[:5]) + (" …" if len(possible) > 5 else "")
        return Step(
            "structure",
            f"{len(possible)} legacy encodings decode these bytes ({names or 'none'}); "
            f"{len(self.rules.by_commonness) - len(possible)} are ruled out"
            + "".join(f"; {name} but for {len(spans)} stray byte(s)" for name, spans in self.damaged),
        )


class Score(NamedTuple):
    """A class of the model with its probability among all that are possible."""

    encoding: str
    language: str
    share: float


class Scores(NamedTuple):
    """What the statistics say, the likeliest class first."""

    #: The numbers of the likeliest classes of the model, and how likely each is among them.
    numbers: tuple[int, ...]
    shares: tuple[float, ...]
    #: How many pairs of bytes were evidence, and how many different ones.
    pairs: int
    distinct: int
    #: What they were worked out with, so that they can be explained; nothing of the input is kept. The
    #: `charlens.models.Model`, what each class began with (32 bits each), and the stride and size of the windows.
    model: Any
    bias: bytes
    windows: tuple[int, int]
    #: The sets of what was possible and what doubtful, and what a class loses that speaks only for the doubtful.
    sets: bytes
    penalty: int

    def begins(self, number: int) -> int:
        """Return what class *number* began with, before any byte was seen."""
        clean = int.from_bytes(self.sets[:16], "little") & ~int.from_bytes(self.sets[16:], "little")
        doubted = not any(clean >> member & 1 for member in self.model.members[number])
        begin = memoryview(self.bias).cast("i")[number]
        return begin - (self.penalty if doubted else 0)

    @property
    def ranked(self) -> tuple[Score, ...]:
        """The classes with their names."""
        classes: tuple[tuple[str, str], ...] = self.model.classes
        pairs = zip(self.numbers, self.shares, strict=True)
        return tuple(Score(classes[number][0], classes[number][1], share) for number, share in pairs)

    def step(self) -> Step:
        """Name the likeliest classes and the amount of evidence."""
        likely = ", ".join(f"{s.encoding} {s.language} {s.share:.3f}" for s in self.ranked[:3])
        return Step(
            "statistics",
            f"{likely or 'nothing is likely'} ({self.pairs} pairs of bytes, {self.distinct} different; "
            f"model {self.model.name})",
        )


class Surroundings(NamedTuple):
    """What the words in ASCII say of the language, as log-odds over languages that they do not speak for."""

    #: The likely languages, with their log-odds.
    languages: tuple[tuple[str, float], ...]
    #: The log-odds of the classes whose languages are not written in Latin, and their numbers.
    others: float
    strangers: tuple[int, ...]
    #: What `kernel.tongue` gave.
    numbers: tuple[int, ...]

    def step(self) -> Step:
        """Name the likeliest languages."""
        likely = ", ".join(f"{name} {odds:+.1f}" for name, odds in self.languages[:3])
        words = f"the words in ASCII look like {likely or 'no language'}; other scripts {self.others:+.1f}"
        return Step("surroundings", words)


class Hinted(NamedTuple):
    """What the hints say, as log-odds that the classes of the model begin with."""

    #: Each hint with its log-odds.
    words: str
    #: One number for each class.
    odds: tuple[float, ...]
    #: What they come from, to the last digit: the same key, the same odds. `words` are rounded.
    key: str

    def step(self) -> Step:
        """Name the hints and their log-odds."""
        return Step("hints", self.words)


class Tongue(NamedTuple):
    """The language of the text, by its letters."""

    #: BCP 47, or None where nothing is likely enough.
    language: str | None
    #: What `kernel.tongue` gave, and the `charlens.models.language_model.LanguageModel` that reads it.
    numbers: tuple[int, ...]
    model: Any
    #: Whether what the statistics say of the language counted as well.
    both: bool

    def step(self) -> Step:
        """Name the script and the likeliest languages."""
        script, letters = self.numbers[:2]
        if not script:
            return Step("language", f"{self.language or 'not told'}: there are no letters to tell it by")
        likely = ", ".join(f"{name} {share:.2f}" for name, share in self.model.likely(self.numbers)[:3])
        words = (
            f"{self.language or 'not told'}: {letters} letters of {self.model.scripts[script - 1]}, {likely}"
        )
        return Step(
            "language", words + (" by the letters, and the statistics beside them" if self.both else "")
        )


class Choice(NamedTuple):
    """How the answer was chosen where nothing before settled it."""

    words: str

    def step(self) -> Step:
        """Repeat the words."""
        return Step("verdict", self.words)


class Verdict(NamedTuple):
    """One answer about one input."""

    outcome: Outcome
    #: A name that `bytes.decode` takes; it decodes this input, unless there is `damage`.
    encoding: str | None
    #: A probability: of the answers given with 0.9, nine in ten are right.
    confidence: float
    #: BCP 47, such as 'ru', 'zh-Hant', 'sr-Latn'.
    language: str | None = None
    #: The byte order mark that the input opens with, or b"".
    bom: bytes = b""
    #: Other encodings that give exactly the same text for these bytes.
    equivalents: tuple[str, ...] = ()
    #: Readings that give another text, the likeliest first.
    alternatives: tuple[Alternative, ...] = ()
    #: Ranges of bytes that do not decode; only the first `MOST_SPANS` are listed.
    damage: tuple[Span, ...] = ()
    #: So many bytes at the end begin a character that is not finished there: a cut, no damage.
    cut: int = 0
    #: What the stages found, in their order; `steps` puts it into words.
    findings: tuple[Finding, ...] = ()
    #: The name of the encoding in the WHATWG standard ('Shift_JIS'), where it has one.
    web_name: str | None = None

    def __repr__(self) -> str:
        parts = ", ".join(
            f"{name}={value!r}"
            for name, value in zip(self._fields, self, strict=True)
            if name in ("outcome", "encoding", "confidence") or (value and name != "findings")
        )
        return f"Verdict({parts})"

    @property
    def steps(self) -> tuple[Step, ...]:
        """What each stage found, in order: the explanation of the answer."""
        return tuple(finding.step() for finding in self.findings)

    def with_language(self, tongue: Tongue) -> "Verdict":
        """Return the same verdict with the language that was found for its text."""
        # Without _replace, which takes as long as the rest of the stage: most inputs come through here.
        cells: list[Any] = list(self)
        cells[3] = tongue.language
        cells[9] += (tongue,)
        return tuple.__new__(Verdict, cells)

    @property
    def is_text(self) -> bool:
        """Whether the outcome is `Outcome.TEXT`."""
        return self.outcome is Outcome.TEXT

    @property
    def codec(self) -> str | None:
        """The codec that also takes the mark away: 'utf-8-sig' or 'utf-16' for a file with a mark.

        `open(path, encoding=verdict.codec)` reads the text without a U+FEFF in front of it.
        """
        return _MARK_EATING.get(self.encoding or "", self.encoding) if self.bom else self.encoding


class Findings:
    """What the stages found on the way; each adds its own."""

    signature: Signature | None = None
    unicode: UnicodeForm | None = None
    escapes: EscapeForm | None = None
    ebcdic: EbcdicForm | None = None
    content: Content | None = None
    declarations: "Declarations | None" = None
    markup: Markup | None = None
    candidates: Candidates | None = None
    hints: Hinted | None = None
    surroundings: Surroundings | None = None
    scores: Scores | None = None

    def __init__(self, scan: Scan) -> None:
        self.scan = scan

    def all(self) -> tuple[Finding, ...]:
        """Return what was found, in the order of the stages."""
        found = (
            self.signature,
            self.unicode,
            self.escapes,
            self.ebcdic,
            self.content,
            self.declarations,
            self.markup,
            self.candidates,
            self.hints,
            self.surroundings,
            self.scores,
        )
        return tuple(filter(None, found))


#: At most so many damaged ranges are listed in a verdict; hostile input could have millions.
MOST_SPANS = 1000

_MARK_EATING: Mapping[str, str] = {
    "utf-8": "utf-8-sig",
    "utf-16-le": "utf-16",
    "utf-16-be": "utf-16",
    "utf-32-le": "utf-32",
    "utf-32-be": "utf-32",
}


class Options(NamedTuple):
    """The keywords of `detect` as they travel inside."""

    only: frozenset[str] | None = None
    never: frozenset[str] = frozenset()
    #: A `charlens.hints.Hints`, or None.
    hints: Any = None
    content_type: str | None = None
    declared: str = "verify"
    #: 'direct', 'none', or a function that takes a page and gives its words.
    markup: Any = "direct"
    #: In how many bytes a page must declare its charset.
    prescan: int = 1024
    #: A `charlens.models.Model`, or None for the one that ships.
    model: Any = None

    @property
    def restricts(self) -> bool:
        """Whether *only* or *never* were given."""
        return self.only is not None or bool(self.never)

    def allows(self, encoding: str) -> bool:
        """Whether the caller lets *encoding* be an answer."""
        return (self.only is None or encoding in self.only) and encoding not in self.never
