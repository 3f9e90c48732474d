"""Cut a text into the words that a model may know, as `kernel.known_words` reads them.

`charlens.training.words` makes the set of known words, and `stages.statistics.known_words` uses it as evidence.
"""

from __future__ import annotations

import re
from codecs import charmap_decode
from functools import cache
from unicodedata import category, combining
from zlib import crc32

from charlens.encodings import Encoding
from charlens.kernel.facts import WORD_SIGN

# Scripts without spaces: three letters of Thai, two of hiragana or ideographs count as a word.
_THAI, _HIRAGANA, _IDEOGRAPHS = "\u0e00-\u0e7f", "\u3041-\u3096", "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"


def packed_words(data: bytes, encoding: Encoding) -> bytes:
    """Return the words of *data* in lower case: 16 bits for each letter, and 0 after each word."""
    letters = _letters_of(encoding)
    if letters is not None:
        text = charmap_decode(data, "ignore", letters)[0] + "\0"
    else:
        text = "".join([word + "\0" for word in _words_in(data.decode(encoding.name, "ignore"))])
    return text.encode("utf-16-le", "surrogatepass")


def salt_of(language: str) -> int:
    """Return the 32 bits with which the hashes of the words of *language* begin."""
    return crc32(language.encode())


@cache
def _letters_of(encoding: Encoding) -> str | None:
    """Return the letter in lower case of each byte, or NUL; ``None`` if words are not what is between such NULs.

    Digits and signs, but not punctuation, are part of a word, which is then not known: '¼ubomír' is not 'ubomír'.
    """
    if encoding.kind == "multi":
        return None
    text = bytes(range(256)).decode(encoding.name, "replace")
    if "\u0e01" in text:
        return None
    return "".join(map(_letter, text))


def _letter(sign: str) -> str:
    if sign.isalpha() or combining(sign):
        return sign.lower()[0]
    is_part = sign.isdigit() if sign.isascii() else category(sign)[0] in "SN"
    return chr(WORD_SIGN) if is_part else "\0"


@cache
def _runs() -> re.Pattern[str]:
    """Return the pattern of letters in a row; it takes a millisecond to make."""
    wide = f"[{_HIRAGANA}]+|[{_IDEOGRAPHS}]+"
    return re.compile(f"([{_THAI}]+)|({wide})|([^\\W\\d_{_THAI}{_HIRAGANA}{_IDEOGRAPHS}]+)")


def _words_in(text: str) -> list[str]:
    found: list[str] = []
    for thai, wide, word in _runs().findall(text):
        if word:
            found.append(word.lower())
        else:
            run, width = (thai, 3) if thai else (wide, 2)
            found += [run[at : at + width] for at in range(len(run) - width + 1)]
    return found
