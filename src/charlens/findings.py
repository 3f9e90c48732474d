"""What the stages pass to each other: one class for each finding, and `Findings`, which collects them.

A finding can describe itself as a `Step`.  The public answer is in `types`.
"""

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from charlens.legacy_findings import NOT_AMONG_WALKED as NOT_AMONG_WALKED
from charlens.legacy_findings import NOT_WALKED as NOT_WALKED
from charlens.legacy_findings import Candidates as Candidates
from charlens.legacy_findings import Evidence as Evidence
from charlens.legacy_findings import Hints as Hints
from charlens.legacy_findings import KnownWords as KnownWords
from charlens.legacy_findings import Markup as Markup
from charlens.legacy_findings import Record
from charlens.legacy_findings import Rules as Rules
from charlens.legacy_findings import Score as Score
from charlens.legacy_findings import Scores as Scores
from charlens.plural import count
from charlens.types import Alternative, Part, Span, Step

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


class UnicodeForm(Record):
    """A form of Unicode (or ASCII) that the bytes are in."""

    __slots__ = ("confidence", "cut", "damage", "damaged", "doubt", "encoding", "how", "sequences")

    def __init__(
        self,
        encoding: str,
        confidence: float,
        how: str,
        cut: int = 0,
        damage: tuple[Span, ...] = (),
        damaged: int = 0,
        sequences: int = 0,
        doubt: float | None = None,
    ) -> None:
        self.encoding = encoding
        self.confidence = confidence
        #: How it was recognised, in words.
        self.how = how
        #: The length of a character cut off at the end.
        self.cut = cut
        self.damage = damage
        #: How many ranges are damaged; `damage` lists the first ones.
        self.damaged = damaged
        #: How many multi-byte sequences are whole, if that is how it was recognised.
        self.sequences = sequences
        #: The likelihood of the characters, in bits, if a legacy text may be more likely.
        self.doubt = doubt

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


class Content(Record):
    """Text or binary, by the values of the bytes."""

    __slots__ = ("byte", "is_text", "likely", "offset", "settled")

    def __init__(
        self, is_text: bool, byte: int | None, offset: int, settled: str = "", likely: float = 0.01
    ) -> None:
        self.is_text = is_text
        #: The first block-listed byte that counts and its offset, or None and -1.
        self.byte = byte
        self.offset = offset
        #: Why the lists do not apply, or "".
        self.settled = settled
        #: The probability that it is text, if it has blocked bytes.
        self.likely = likely

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


class Language(Record):
    """The language of the text, by its letters."""

    __slots__ = ("both", "language", "model", "numbers")

    def __init__(self, language: str | None, numbers: tuple[int, ...], model: Any, both: bool) -> None:
        #: BCP 47, or None if nothing is likely enough.
        self.language = language
        #: What `kernel.languages` returned, and the `LanguageModel` that reads it.
        self.numbers = numbers
        self.model = model
        #: Whether the statistics counted as well.
        self.both = both

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
            words = "no part was found that is clearly in another encoding"
            if self.share is not None:
                share = "all" if self.share == 1 else f"about {self.share:.0%}"
                words = f"{share} of the lines at three places are in this encoding (parts=True checks every line)"
            return Step("evenness", f"{self.words}; {words}", self.offset)
        names = ", ".join(dict.fromkeys(part.encoding for part in self.parts))
        return Step("evenness", f"{self.words}: {len(self.parts)} parts in {names}", self.parts[1].start)


class Equal(NamedTuple):
    """Encodings that decode legacy text in the same way as the answer: their probabilities are added."""

    encoding: str
    others: int
    likely: float

    def step(self) -> Step:
        """Say how many they are, and how likely they are together."""
        words = f"{self.encoding} and {count(self.others, 'other encoding')} give the same text"
        return Step("reading", f"{words}; together {self.likely:.3f}")


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
        "known_words",
        "language",
        "likely_language",
        "markup",
        "notes",
        "same",
        "scan",
        "scores",
        "signature",
        "size",
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
        self.known_words: KnownWords | None = None
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
            self.scores and self.scores.surroundings,
            self.known_words,
            self.scores,
            self._equal(),
            self.uneven,
            *self.notes,
            self.language,
        )
        return iter([finding for finding in found if finding is not None])

    def _equal(self) -> Equal | None:
        """Return the encodings that give the text of the answer, if the statistics decided."""
        if self.scores is None or self.encoding is None or not self.equivalents:
            return None
        return Equal(self.encoding, len(self.equivalents), self.confidence)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Iterable) and tuple(self) == tuple(other)

    def __hash__(self) -> int:
        return hash(tuple(self))
