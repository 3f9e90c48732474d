"""Collect the words of each language that the model knows, and pack them into its set of words.

Only words with a non-ASCII letter matter, as they are written in the encodings of the language: Romanian has the comma
of ISO 8859-16 and the cedilla of windows-1250.  `kernel.known_words` reads the set.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from charlens.encodings import lookup
from charlens.encodings.orthography import write
from charlens.kernel.pure_words import places_of, word_key, words_of
from charlens.models.words import packed_words, salt_of
from charlens.training.classes import Class
from charlens.training.samples import in_capitals

#: The most words of a language, the most frequent ones (`docs/decisions/0012-known-words.md`). Of ideographs two
#: neighbours are a word, and there are more of them: 20,000 have 74 % of the 3,000 most common words of Chinese.
_MOST = 20_000
_MOST_PAIRS = 40_000
_IN_PAIRS = ("ja", "yue", "zh-Hans", "zh-Hant")
#: Words with more non-ASCII letters have enough byte pairs; with at most four, there are 6 % more misses.
_MOST_LETTERS = 6
#: A word of a name or a label counts as if it occurred this many times more in the texts. With 1,000, names took the
#: place of words that occur every day: of the 1,000 most common words of Chinese, 560 were known.
_AS_OFTEN = 3
#: A table with 1.23 bytes for each key can nearly always be filled; otherwise a larger one is tried.
_ROOM = 1.23
_LARGER = 1.02


def find_words(
    language: str, texts: Sequence[str], classes: Iterable[Class], cells: Sequence[str] = ()
) -> set[int]:
    """Return the keys of the words of *cells* and of the most frequent ones of *texts*, as each encoding has them."""
    counts = Counter(word for text in texts for word in text.split() if not word.isascii())
    for name in {name for cell in cells for name in cell.split() if not name.isascii()}:
        counts[name] += _AS_OFTEN
    if language == "el":  # its capitals have no accents
        counts.update({in_capitals(word, language): times for word, times in counts.items()})
    salt = salt_of(language)
    keys: set[int] = set()
    for name in sorted({each.encoding for each in classes if each.language == language}):
        encoding = lookup(name)
        assert encoding is not None
        words: Counter[tuple[int, ...]] = Counter()
        for written, times in counts.items():
            data = write(written, name)
            for word in words_of(packed_words(data, encoding)) if data else ():
                if sum(letter >= 0x80 for letter in word) <= _MOST_LETTERS:
                    words[word] += times
        most = _MOST_PAIRS if language in _IN_PAIRS else _MOST
        keys.update(word_key(salt, word) for word, _ in words.most_common(most))
    return keys


def pack_words(keys: set[int]) -> bytes:
    """Return the table of a set that holds *keys*."""
    part = int(_ROOM * len(keys) / 3) + 11 if keys else 0
    while True:
        order = _peel(sorted(keys), part)
        if order is not None:
            break
        part = int(part * _LARGER) + 1
    table = bytearray(3 * part)
    for key, place in reversed(order):
        first, second, third = places_of(key, part)
        # The place itself still has 0.
        table[place] = key >> 24 ^ table[first] ^ table[second] ^ table[third]
    return bytes(table)


def _peel(keys: Sequence[int], part: int) -> list[tuple[int, int]] | None:
    """Return each key with a place that no later key has; ``None`` if there is no such order."""
    users = [0] * (3 * part)
    together = [0] * (3 * part)
    for key in keys:
        for place in places_of(key, part):
            users[place] += 1
            together[place] ^= key
    alone = [place for place, count in enumerate(users) if count == 1]
    order: list[tuple[int, int]] = []
    while alone:
        place = alone.pop()
        if users[place] != 1:
            continue
        key = together[place]
        order.append((key, place))
        for other in places_of(key, part):
            users[other] -= 1
            together[other] ^= key
            if users[other] == 1:
                alone.append(other)
    return order if len(order) == len(keys) else None
