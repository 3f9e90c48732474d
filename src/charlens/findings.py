"""What the stages pass to each other: one class for each finding, and `Findings`, which collects them.

A finding can describe itself as a `Step`.  The public answer is in `types`.
"""

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from charlens.plural import count
from charlens.types import Alternative, Buffer, Part, Span, Step

if TYPE_CHECKING:
    from charlens.kernel.shapes import Scan
    from charlens.stages.declarations.claims import Declarations


class Finding(Protocol):
    """What a stage returns: anything that can describe itself."""

    def step(self) -> Step:
        """Describe the finding."""


class Signature(NamedTuple):
    """A byte order mark: a claim that must still be checked against the rest."""

    encoding: str
    mark: bytes

    def step(self) -> Step:
        """Name the mark."""
        return Step(
            "signature",
            f"starts with {self.mark.hex(' ').upper()}, the byte order mark of {self.encoding}",
            0,
        )


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
    #: How many multi-byte sequences are whole, if that is how it was recognised.
    sequences: int = 0

    def step(self) -> Step:
        """Say which form, how it was recognised, and what is not whole."""
        how = self.how or f"{count(self.sequences, 'multi-byte sequence')}, all well-formed"
        words = f"{self.encoding}: {how}"
        if self.cut:
            words += f"; the last character is cut off after {count(self.cut, 'byte')}"
        if self.damaged:
            words += f"; {count(self.damaged, 'damaged range')}, the first at byte {self.damage[0].start}"
        return Step("unicode", words, self.damage[0].start if self.damage else None)


class EscapeForm(NamedTuple):
    """A 7-bit encoding that switches character sets with escape sequences."""

    encoding: str
    confidence: float
    how: str
    offset: int
    #: The number of bytes at the end that begin something unfinished.
    cut: int = 0

    def step(self) -> Step:
        """Name the encoding and the first sequence that switches."""
        words = f"{self.encoding}: {self.how}"
        if self.cut:
            words += f"; ends with an unfinished sequence of {count(self.cut, 'byte')}"
        return Step("escapes", words, self.offset)


#: From this length on, the ebcdic stage decides; shorter input has too few spaces, and the statistics decide.
EBCDIC_JUDGED_FROM = 24


class EbcdicForm(NamedTuple):
    """Text in a code page of the EBCDIC family, the most likely pages first."""

    pages: tuple[tuple[str, float], ...]
    spaces: float

    def step(self) -> Step:
        """Name the pages and the share of spaces."""
        names = ", ".join(name for name, _ in self.pages[:3])
        how = f"{self.spaces:.0%} of the bytes are EBCDIC spaces (0x40)"
        if not self.spaces:
            how = "nearly all bytes are its letters, digits and punctuation"
        return Step("ebcdic", f"reads as text in {names}: {how}")


#: The names of the bytes 0 to 31.
_CONTROLS = (  # noqa: SIM905
    "NUL SOH STX ETX EOT ENQ ACK BEL BS TAB LF VT FF CR SO SI "
    "DLE DC1 DC2 DC3 DC4 NAK SYN ETB CAN EM SUB ESC FS GS RS US"
).split()


class Container(NamedTuple):
    """The format of the file by its first bytes: its name and media type."""

    name: str
    media_type: str
    #: Whether non-ASCII bytes in such files are data, whatever text they could be.
    binary: bool = False

    @property
    def words(self) -> str:
        """The name with the media type."""
        return f"{self.name} file ({self.media_type})"

    def step(self) -> Step:
        """Name the format."""
        return Step("container", f"starts like a {self.words}", 0)


class Content(NamedTuple):
    """Text or binary, by the values of the bytes."""

    is_text: bool
    #: The first block-listed byte that counts and its offset, or None and -1.
    byte: int | None
    offset: int
    #: Why the lists do not apply, or "".
    settled: str = ""
    #: The probability that it is text, if it has blocked bytes.
    likely: float = 0.01

    @property
    def sign(self) -> str:
        """The name and value of the byte; '' without one."""
        return f"{_CONTROLS[self.byte]} (0x{self.byte:02X})" if self.byte is not None else ""

    def step(self) -> Step:
        """Name the byte that decided, if there is one."""
        if self.settled:
            kind = "text" if self.is_text else "binary"
            return Step("content", f"{kind}: {self.settled}", self.offset if self.byte is not None else None)
        if self.byte is not None:
            return Step("content", f"binary: contains {self.sign}", self.offset)
        if self.is_text:
            return Step("content", "text: contains no binary control bytes")
        return Step("content", "binary: contains only control bytes")


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
    #: For each encoding the byte values that are undefined in it, 32 bytes each.
    undefined: bytes


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
#: The offset of the first wrong sequence, for an encoding that was too unlikely to be checked to the end.
NOT_WALKED = -2


class Candidates(NamedTuple):
    """The legacy encodings that decode these bytes, and where the others failed."""

    #: The encodings that decode the whole input, as a set: bit *n* for encoding number *n*.
    numbers: int
    #: Those that decode some bytes to C1 controls: not ruled out, but unlikely.
    doubtful: int
    #: For each encoding that was walked, the offset of its first wrong sequence or -1, and the length of one cut off.
    walked: tuple[int, ...]
    #: The byte values that occur (bit *v* for value *v*), and where each occurs first in the input.
    seen: int
    first: bytes
    rules: Rules
    #: Encodings among the possible ones that decode all but a few stray bytes, with these bytes.
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
        """The encodings whose last character is cut off, with the number of its bytes that are there."""
        lengths = zip(self.rules.walked, self.walked[1::2], strict=True)
        return tuple((self.rules.names[number], length) for number, length in lengths if length)

    @property
    def ruled_out(self) -> tuple[tuple[str, int], ...]:
        """For each encoding that is ruled out, the offset of the first byte that it cannot have."""
        names, first = self.rules.names, memoryview(self.first).cast("q")
        walked = dict(zip(self.rules.walked, self.walked[::2], strict=True))
        found = []
        for number in self.rules.by_commonness:
            if not self.numbers >> number & 1:
                lacking = self.rules.undefined[32 * number : 32 * number + 32]
                offset = walked.get(number)
                if offset is None:
                    offsets = [
                        first[v] for v in range(256) if lacking[v >> 3] >> (v & 7) & 1 and first[v] >= 0
                    ]
                    if not offsets:
                        continue  # EBCDIC, which its own stage ruled out
                    offset = min(offsets)
                if offset != NOT_WALKED:
                    found.append((names[number], offset))
        return tuple(found)

    def cut_off(self, number: int) -> int:
        """Return the length of the character cut off at the end, read as encoding *number*."""
        place = self.rules.places[number]
        return self.walked[2 * place + 1] if place != NOT_AMONG_WALKED else 0

    def step(self) -> Step:
        """Count the candidates and the encodings that are ruled out."""
        possible = self.possible
        names = ", ".join(possible[:5]) + (" …" if len(possible) > 5 else "")
        return Step(
            "structure",
            f"{count(len(possible), 'legacy encoding')} can decode these bytes ({names or 'none'}); "
            f"{len(self.rules.by_commonness) - len(possible)} cannot"
            + "".join(
                f"; {name} except for {count(len(spans), 'stray byte')}" for name, spans in self.damaged
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
    """The language of the ASCII words, as log-odds against the languages that they do not indicate."""

    #: The numbers of the likely languages in the language model, with their log-odds, the most likely first.
    likely: tuple[tuple[int, float], ...]
    #: The log-odds of languages that are not written in Latin.
    others: float
    #: What `kernel.languages` returned, and the `LanguageModel` that reads it.
    numbers: tuple[int, ...]
    model: Any

    @property
    def languages(self) -> tuple[tuple[str, float], ...]:
        """The likely languages with their log-odds."""
        return tuple((self.model.languages[number], odds) for number, odds in self.likely)

    def step(self) -> Step:
        """Name the most likely languages."""
        names = {"zxx": "no language"}
        likely = ", ".join(f"{names.get(name, name)} {odds:+.1f}" for name, odds in self.languages[:3])
        words = f"language of the ASCII words around: {likely or 'unknown'}; languages in other scripts"
        return Step("surroundings", f"{words} {self.others:+.1f} (log-odds)")


class Score(NamedTuple):
    """A class of the model with its probability among all that are possible."""

    encoding: str
    language: str
    share: float


class Scores(NamedTuple):
    """The result of the statistics, the most likely class first."""

    #: The numbers of the most likely classes of the model, and how likely each is among them.
    numbers: tuple[int, ...]
    shares: tuple[float, ...]
    #: The number of byte pairs that were evidence, and of different ones.
    pairs: int
    distinct: int
    #: What they were computed from, for explanations; nothing of the input is kept. The
    #: `charlens.models.format.Model`, the prior of each class (32 bits each), the nudges (see `kernel.pure.score`),
    #: and the stride and size of the windows.
    model: Any
    bias: bytes
    nudges: tuple[int, ...]
    windows: tuple[int, int]
    #: The possible and the doubtful encodings, and the penalty of a class that covers only doubtful ones.
    possible: int
    doubtful: int
    penalty: int

    @property
    def ranked(self) -> tuple[Score, ...]:
        """The classes with their names."""
        classes: tuple[tuple[str, str], ...] = self.model.classes
        pairs = zip(self.numbers, self.shares, strict=True)
        return tuple(Score(classes[number][0], classes[number][1], share) for number, share in pairs)

    def step(self) -> Step:
        """Name the most likely classes and the amount of evidence."""
        likely = ", ".join(f"{s.encoding} {s.language} {s.share:.3f}" for s in self.ranked[:3])
        return Step(
            "statistics",
            f"{likely or 'nothing is likely'} ({count(self.pairs, 'byte pair')}, {self.distinct} distinct; "
            f"model {self.model.name})",
        )


class Language(NamedTuple):
    """The language of the text, by its letters."""

    #: BCP 47, or None if nothing is likely enough.
    language: str | None
    #: What `kernel.languages` returned, and the `LanguageModel` that reads it.
    numbers: tuple[int, ...]
    model: Any
    #: Whether the statistics counted as well.
    both: bool

    def step(self) -> Step:
        """Name the script and the most likely languages."""
        script, letters = self.numbers[:2]
        if not script:
            return Step("language", f"{self.language or 'unknown'}: the text has no letters")
        likely = ", ".join(f"{name} {share:.2f}" for name, share in self.model.likely(self.numbers)[:3])
        language = self.language or "unknown"
        words = f"{language}: {count(letters, f'{self.model.scripts[script - 1]} letter')}"
        if self.both:
            likely = f"by letters alone: {likely}; combined with the byte statistics: {language}"
        return Step("language", f"{words}{'; ' if self.both else ', '}{likely}")


class Uneven(NamedTuple):
    """A sign that the input is in several encodings."""

    words: str
    offset: int | None = None
    #: The parts that the closer look found, each a range and its encoding; () if it is one text after all.
    parts: tuple[Part, ...] = ()
    #: If only lines at three places were checked: the share of them in the encoding of the answer.
    share: float | None = None

    def step(self) -> Step:
        """Name the sign and the parts."""
        if not self.parts:
            words = "all lines are in one encoding"
            if self.share is not None:
                share = "all" if self.share == 1 else f"about {self.share:.0%}"
                words = f"{share} of the lines at three places are in this encoding (parts=True checks every line)"
            return Step("evenness", f"{self.words}; {words}", self.offset)
        names = ", ".join(dict.fromkeys(part.encoding for part in self.parts))
        return Step("evenness", f"{self.words}: {len(self.parts)} parts in {names}", self.parts[1].start)


class Note(NamedTuple):
    """How the answer was chosen if no stage decided it."""

    words: str
    offset: int | None = None

    def step(self) -> Step:
        """Repeat the words."""
        return Step("verdict", self.words, self.offset)


class Conflict(Note):
    """The answer is not the declared encoding, with the reason."""


class Findings:
    """What the stages found; each adds its finding.  A verdict keeps it and iterates over it."""

    # Slots: an attribute that only the class has takes ten times as long to read.
    __slots__ = (
        "alternatives",
        "bom",
        "candidates",
        "confidence",
        "container",
        "content",
        "cut",
        "damage",
        "declarations",
        "ebcdic",
        "encoding",
        "equivalents",
        "escapes",
        "hints",
        "language",
        "likely_language",
        "markup",
        "notes",
        "same",
        "scan",
        "scores",
        "signature",
        "size",
        "surroundings",
        "uneven",
        "unicode",
        "web_name",
    )

    def __init__(self, scan: "Scan", size: int) -> None:
        self.scan = scan
        #: The length of the input.
        self.size = size
        self.signature: Signature | None = None
        self.unicode: UnicodeForm | None = None
        self.escapes: EscapeForm | None = None
        self.ebcdic: EbcdicForm | None = None
        self.container: Container | None = None
        self.content: Content | None = None
        self.declarations: Declarations | None = None
        self.markup: Markup | None = None
        self.candidates: Candidates | None = None
        self.hints: Hints | None = None
        self.surroundings: Surroundings | None = None
        self.scores: Scores | None = None
        self.uneven: Uneven | None = None
        self.language: Language | None = None
        #: Notes of the stages that chose, in their order.
        self.notes: tuple[Finding, ...] = ()
        # What `reading` chose: the answer without the language.
        self.encoding: str | None = None
        self.confidence = 0.5
        #: The language of the most likely class, if the statistics decided.
        self.likely_language: str | None = None
        self.bom = b""
        self.equivalents: tuple[str, ...] = ()
        #: The answer and its equivalents as a set, if the statistics decided.
        self.same = 0
        self.alternatives: tuple[Alternative, ...] = ()
        self.damage: tuple[Span, ...] = ()
        self.cut = 0
        #: The name in the WHATWG standard, if a declaration decided it.
        self.web_name: str | None = None

    def __iter__(self) -> Iterator[Finding]:
        """Iterate over the findings, in the order of the stages."""
        found = (
            self.signature,
            self.unicode,
            self.escapes,
            self.ebcdic,
            self.container,
            self.content,
            self.declarations,
            self.markup,
            self.candidates,
            self.hints,
            self.surroundings,
            self.scores,
            self.uneven,
            *self.notes,
            self.language,
        )
        return iter([finding for finding in found if finding is not None])

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Iterable) and tuple(self) == tuple(other)

    def __hash__(self) -> int:
        return hash(tuple(self))
