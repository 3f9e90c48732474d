"""Known words in short text, and Latin words in the middle of two-byte characters: evidence besides the byte pairs."""

from __future__ import annotations

import random
import struct

import pytest

import charlens
from charlens import kernel
from charlens.encodings import all_encodings, lookup
from charlens.kernel.facts import WORD_SIGN
from charlens.kernel.pure_judge import count_glued
from charlens.kernel.pure_words import word_key, words_of
from charlens.models import default_model
from charlens.models.words import packed_words, salt_of
from charlens.stages.statistics.glued import glued_evidence
from charlens.training.samples import in_capitals
from charlens.training.words import pack_words

ANY = (1 << 128) - 1


def stages(data: bytes) -> list[str]:
    return [step.stage for step in charlens.detect(data).steps]


def words(text: str, name: str) -> list[str]:
    encoding = lookup(name)
    assert encoding is not None
    return ["".join(map(chr, word)) for word in words_of(packed_words(text.encode(name), encoding))]


@pytest.mark.parametrize(
    ("text", "encoding"),
    [("sąrašas", "cp1257"), ("Łódź", "cp1250"), ("öğrenci", "cp1254"), ("年齢", "cp932")],
)
def test_a_word_that_its_language_knows_is_read(text: str, encoding: str) -> None:
    """A single word is read in the encoding in which its language knows it, and a step says so."""
    verdict = charlens.detect(text.encode(encoding))
    assert charlens.decode(text.encode(encoding)) == text
    assert verdict.confidence > 0.5


def test_known_words_are_a_step_of_short_text_only() -> None:
    """Words are looked up where several texts are likely and few bytes tell; prose does not need them."""
    assert "words" in stages("vertė".encode("cp1257"))
    assert "words" not in stages("Visi žmonės gimsta laisvi ir lygūs savo orumu ir teisėmis. ".encode("cp1257") * 9)


def test_all_words_of_a_set_are_known_and_few_others() -> None:
    """A packed set knows every word that was put in, and about one in 256 of the others."""
    chance, salt = random.Random(5), salt_of("lt")
    letters = [tuple(chance.choices(range(0x100, 0x17F), k=5)) for _ in range(3000)]
    table = pack_words({word_key(salt, word) for word in letters[:1000]})

    def points(word: tuple[int, ...]) -> int:
        packed = struct.pack("<6H", *word, 0)
        return kernel.known_words(packed, 1, b"\x00\x01", struct.pack("=I", salt), table)[0]

    assert all(points(word) == 1 for word in letters[:1000])
    assert sum(map(points, letters[1000:])) < 40


def test_a_set_without_words_knows_none() -> None:
    """The empty set can be packed and asked."""
    assert pack_words(set()) == b""
    assert kernel.known_words("ä\0".encode("utf-16-le"), 1, b"\x00\x01", bytes(4), b"") == (0,)


def test_what_a_word_is_depends_on_the_script() -> None:
    """Words are in lower case; Thai and ideographs, which have no spaces, are cut into neighbours."""
    assert words("Über den Wolken, ÄÖÜ", "cp1252") == ["über", "äöü"]
    assert words("สวัสดี", "cp874") == ["สวั", "วัส", "ัสด", "สดี"]
    assert words("東京都 abc カタカナ", "cp932") == ["東京", "京都", "カタカナ"]


def test_greek_capitals_have_no_accents_and_turkish_ones_have_a_dot() -> None:
    """Capitals are written as people write them."""
    assert in_capitals("Ελλάδα, προϊόν", "el") == "ΕΛΛΑΔΑ, ΠΡΟΪΟΝ"
    assert in_capitals("ısı ile", "tr") == "ISI İLE"
    assert in_capitals("straße", "de") == "STRASSE"


@pytest.mark.parametrize(
    ("data", "points"),
    [
        (b"\xa1Hola!", -4.0),
        (b"\xa1Hola! \xa1Hola! \xa1Hola!", -8.0),
        (b"\xa1HOLA!", None),
        ("你好 abc".encode("big5"), None),
        ("用python".encode("gbk"), None),
    ],
)
def test_a_latin_word_that_begins_in_a_character_is_evidence(data: bytes, points: float | None) -> None:
    """A single non-ASCII byte, a letter and a small letter are unlikely in Big5 and its like; others do not count."""
    count = count_glued(data)
    assert (glued_evidence(count, ANY).points if count else None) == points


def test_encodings_whose_characters_end_beyond_ascii_are_not_affected() -> None:
    """The evidence is against Big5, GBK, Shift_JIS, cp949 and Johab, not against EUC."""
    found = glued_evidence(1, ANY)
    members = {each.name for number, each in enumerate(all_encodings()) if found.encodings >> number & 1}
    assert {"big5", "gbk", "cp932", "cp949", "johab"} <= members
    assert not members & {"euc_jp", "euc_kr", "gb2312", "cp1252"}


def test_the_words_of_the_model_are_those_of_its_languages() -> None:
    """The built-in model knows common words, and not what they become in another encoding."""
    model = default_model()
    salts = struct.pack("=I", salt_of("pl"))
    for word, known in (("może", True), ("moľe", False)):
        packed = (word + "\0").encode("utf-16-le")
        assert bool(kernel.known_words(packed, 1, bytes((0, 1)), salts, model.words)[0]) is known


def test_a_number_is_never_a_known_word() -> None:
    """A number or a sign is no word, even if the set takes it for one: it would be one for every text with numbers."""
    salt = salt_of("pl")
    table = pack_words({word_key(salt, word) for word in ((WORD_SIGN, WORD_SIGN), (0x119, WORD_SIGN), (0x119,))})

    def points(*word: int) -> int:
        packed = struct.pack(f"<{len(word) + 1}H", *word, 0)
        return kernel.known_words(packed, 1, b"\x00\x01", struct.pack("=I", salt), table)[0]

    assert points(0x119) == 1
    assert points(WORD_SIGN, WORD_SIGN) == points(0x119, WORD_SIGN) == 0
