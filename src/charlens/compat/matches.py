"""The results of the drop-in for charset-normalizer: `CharsetMatch` and `CharsetMatches`.

They only present what `charlens.compat.charset_normalizer` found.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator
from encodings.aliases import aliases

from charlens.compat.tables import block_name
from charlens.encodings import lookup, squeeze

#: Declarations in a text: HTML, XML, and comments for editors.
_DECLARATION = re.compile(
    r"(?P<before>(?:charset|encoding|coding)\s{0,10}[=:]\s{0,10}[\"']?)(?P<name>[A-Za-z0-9_\-]{2,40})",
    re.IGNORECASE,
)
#: Characters searched for a declaration.
_TOP = 8192


class CharsetMatch:
    """One reading of some bytes, with all encodings that give it."""

    def __init__(
        self,
        payload: bytes | bytearray,
        guessed_encoding: str,
        mean_mess_ratio: float,
        has_sig_or_bom: bool,
        languages: list[tuple[str, float]],
        decoded_payload: str | None = None,
        preemptive_declaration: str | None = None,
    ) -> None:
        self._payload = payload
        self._encoding = guessed_encoding
        self._chaos = mean_mess_ratio
        self._marked = has_sig_or_bom
        self._languages = languages
        self._string = decoded_payload
        self._declared = preemptive_declaration
        self._submatches: list[CharsetMatch] = []

    def __eq__(self, other: object) -> bool:
        if isinstance(other, str):
            known = lookup(other)
            mine = lookup(self.encoding)
            return squeeze(other) == squeeze(self.encoding) or (known is not None and known == mine)
        if not isinstance(other, CharsetMatch):
            return False
        return self.encoding == other.encoding and self.fingerprint == other.fingerprint

    __hash__ = None  # type: ignore[assignment]

    def __lt__(self, other: object) -> bool:
        """Whether this is the better one."""
        if not isinstance(other, CharsetMatch):
            raise ValueError(f"a CharsetMatch compares with another one, not with {type(other).__name__}")
        return (self.chaos, -self.coherence) < (other.chaos, -other.coherence)

    def __str__(self) -> str:
        if self._string is None:
            # 'replace' for damaged UTF-8 and for a character cut off at the end: charlens names an encoding for both.
            text = bytes(self._payload).decode(self._encoding, "replace")
            self._string = text.removeprefix("\ufeff") if self._marked else text
        return self._string

    def __repr__(self) -> str:
        return f"<CharsetMatch '{self.encoding}' fp({self.fingerprint})>"

    def add_submatch(self, other: CharsetMatch) -> None:
        """Add an encoding that gives the same text."""
        if not isinstance(other, CharsetMatch) or other == self:
            raise ValueError(f"cannot add {other!r} to the matches of {self.encoding}")
        other._string = self._string
        self._submatches.append(other)

    @property
    def encoding(self) -> str:
        """The name of Python's codec."""
        return self._encoding

    @property
    def encoding_aliases(self) -> list[str]:
        """Other names that Python has for the codec."""
        name = codecs.lookup(self._encoding).name
        module = {"iso8859-1": "latin_1"}.get(name, name.replace("-", "_"))
        others = [alias for alias, target in aliases.items() if target == module]
        return [alias for alias in others if alias != self._encoding]

    @property
    def bom(self) -> bool:
        """Whether there is a byte order mark."""
        return self._marked

    byte_order_mark = bom

    @property
    def languages(self) -> list[str]:
        """The English names of the languages, the most likely first."""
        return [name for name, _ in self._languages]

    @property
    def language(self) -> str:
        """The English name of the most likely language; without one, 'English' for ASCII, else 'Unknown'."""
        if self._languages:
            return self._languages[0][0]
        return "English" if "ascii" in self.could_be_from_charset else "Unknown"

    @property
    def chaos(self) -> float:
        """One minus the confidence: 0 is best."""
        return self._chaos

    @property
    def coherence(self) -> float:
        """The confidence of the language."""
        return self._languages[0][1] if self._languages else 0.0

    @property
    def percent_chaos(self) -> float:
        """`chaos` in percent."""
        return round(self.chaos * 100, 3)

    @property
    def percent_coherence(self) -> float:
        """`coherence` in percent."""
        return round(self.coherence * 100, 3)

    @property
    def raw(self) -> bytes | bytearray:
        """The original bytes."""
        return self._payload

    @property
    def submatch(self) -> list[CharsetMatch]:
        """The other encodings that give the same text."""
        return self._submatches

    @property
    def has_submatch(self) -> bool:
        """Whether another encoding gives the same text."""
        return bool(self._submatches)

    @property
    def alphabets(self) -> list[str]:
        """The Unicode blocks of the characters in the text."""
        return sorted(
            {block_name(character) for character in set(str(self)) if character not in "\t\n\r"} - {""}
        )

    @property
    def could_be_from_charset(self) -> list[str]:
        """All encodings that give this text."""
        return [self._encoding, *(other.encoding for other in self._submatches)]

    @property
    def fingerprint(self) -> int:
        """A number that is the same for the same text, within one run of Python."""
        return hash(str(self))

    @property
    def multi_byte_usage(self) -> float:
        """The share of bytes that are not the first of their character."""
        return 1.0 - len(str(self)) / len(self._payload) if self._payload else 0.0

    def output(self, encoding: str = "utf_8") -> bytes:
        """Return the text in another *encoding*, with '?' for missing characters; a declaration at the top changes."""
        text = str(self)
        match = _DECLARATION.search(text, 0, _TOP)
        declared = lookup(match["name"]) if match else None
        if match and declared is not None and declared != lookup(encoding):
            text = text[: match.start("name")] + encoding.replace("_", "-") + text[match.end("name") :]
        return text.encode(encoding, "replace")


class CharsetMatches:
    """The readings of some bytes, the best first."""

    def __init__(self, results: list[CharsetMatch] | None = None) -> None:
        self._results = sorted(results) if results else []

    def __iter__(self) -> Iterator[CharsetMatch]:
        yield from self._results

    def __getitem__(self, item: int | str) -> CharsetMatch:
        if isinstance(item, int):
            return self._results[item]
        if isinstance(item, str):
            for match in self._results:
                if match == item or any(other == item for other in match.submatch):
                    return match
        raise KeyError(item)

    def __len__(self) -> int:
        return len(self._results)

    def __bool__(self) -> bool:
        return bool(self._results)

    def append(self, item: CharsetMatch) -> None:
        """Add a match, in order."""
        if not isinstance(item, CharsetMatch):
            raise ValueError(f"a CharsetMatch can be appended, not {type(item).__name__}")
        self._results.append(item)
        self._results.sort()

    def best(self) -> CharsetMatch | None:
        """Return the best match, or None."""
        return self._results[0] if self._results else None

    first = best
