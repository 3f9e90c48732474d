"""Declarations: claims of the file, or of its sender, about its charset and language.

The stage finds declarations; the statistics decide how much one counts against the bytes.
"""

from functools import lru_cache

from charlens.encodings import all_encodings, lookup, rank, web_codec, web_lookup, web_of
from charlens.legacy_findings import Record
from charlens.stages.declarations.sources import BY_NAME
from charlens.types import Step, Verdict


class Declaration(Record):
    """One charset, as it was declared."""

    __slots__ = ("covered", "encoding", "label", "offset", "source", "web")

    def __init__(self, source: str, label: str, web: str | None, encoding: str | None, offset: int = -1) -> None:
        #: 'http', or the name of a row of `sources`.
        self.source = source
        self.label = label
        #: The meaning of the label in the WHATWG standard, if it has one.
        self.web = web
        #: The encoding that decodes it, by our name; None if there is none ('replacement').
        self.encoding = encoding
        #: Its offset, or -1.
        self.offset = offset
        #: Every encoding with the declared name on the web, as a set.
        self.covered = _covered(web, encoding)

    def __str__(self) -> str:
        meant = self.web or self.encoding or "no decodable encoding"
        same = meant.lower() == self.label.lower()
        who = BY_NAME[self.source].words if self.source in BY_NAME else "the HTTP header"
        return f"{who} says {self.label!r}" + ("" if same else f", which means {meant}")


class Declarations(Record):
    """All declarations; the one that a browser uses comes first."""

    __slots__ = ("charsets", "languages")

    def __init__(self, charsets: tuple[Declaration, ...], languages: tuple[str, ...] = ()) -> None:
        self.charsets = charsets
        #: BCP 47 tags, as they are declared.
        self.languages = languages

    def step(self) -> Step:
        """Name the declarations."""
        words = [str(declaration) for declaration in self.charsets]
        if self.languages:
            words.append(f"the declared language is {', '.join(self.languages)}")
        offsets = [declaration.offset for declaration in self.charsets if declaration.offset >= 0]
        return Step("declarations", "; ".join(words), offsets[0] if offsets else None)


def charsets_of(verdict: Verdict) -> tuple[Declaration, ...]:
    """Return the charsets that were declared."""
    return next((found.charsets for found in verdict.findings if isinstance(found, Declarations)), ())


@lru_cache(maxsize=256)
def _covered(web: str | None, encoding: str | None) -> int:
    """Return every encoding that *web* means on the web: windows-1252 also means ISO 8859-1."""
    if web is None:
        return 1 << rank(encoding) if encoding else 0
    return sum(1 << number for number, each in enumerate(all_encodings()) if web_of(each) == web)


@lru_cache(maxsize=1024)
def declare(source: str, label: str, offset: int = -1, *, web: str | None = None) -> Declaration | None:
    """Return the declaration of *label*; ``None`` if the label is unknown.

    *web* is its meaning in the standard, if already known.  Labels that the web does not know are looked
    up as people use them.
    """
    web = web or web_lookup(label)
    if web is not None:
        return Declaration(source, label, web, web_codec(web), offset)
    known = lookup(label)
    return Declaration(source, label, None, known.name, offset) if known else None
