"""What verdicts and their helpers promise beyond the answer: they travel, and they say what they cannot do."""

from __future__ import annotations

import copy
import pickle

import pytest
from prose_texts import PROSE

import charlens

VERDICTS = {
    "legacy": "caf\xe9 na\xefve".encode("latin-1"),
    "ascii": b"some words",
    "utf-8": "Привет, мир".encode(),
    "cp932": "いろはにほへと".encode("cp932"),
    "page": "<html><p>Привет, как дела?</p>".encode("cp1251"),
    "binary": b"\0\1\2",
    "empty": b"",
}


@pytest.mark.parametrize("data", VERDICTS.values(), ids=VERDICTS)
def test_a_verdict_travels(data: bytes) -> None:
    """Pickled, copied and hashed, a verdict is the same, and small: models are named, not carried."""
    verdict = charlens.detect(data)
    packed = pickle.dumps(verdict)
    assert len(packed) < 20_000
    again = pickle.loads(packed)
    assert again == verdict and hash(again) == hash(verdict)
    assert again.steps == verdict.steps == copy.deepcopy(verdict).steps


@pytest.mark.parametrize(
    ("language", "encoding"), [("ko", "cp949"), ("zh-Hans", "gbk"), ("zh-Hant", "big5"), ("ja", "euc_jp")]
)
def test_one_stray_byte_in_a_page_of_text_is_damage(language: str, encoding: str) -> None:
    """One wrong byte in one or two kilobytes of East Asian text is damage; the encoding stays."""
    data = PROSE[language].encode(encoding, "ignore")
    middle = data.index(b"\n", len(data) // 2)
    verdict = charlens.detect(data[:middle] + b"\xff" + data[middle:])
    assert verdict.encoding is not None
    assert data.decode(verdict.encoding) == data.decode(encoding)
    assert verdict.damage and verdict.damage[0].start == middle


def test_what_is_not_allowed_is_explained() -> None:
    """With nothing allowed that decodes the bytes there is nothing to take apart, and no error."""
    explanation = charlens.explain(b"caf\xe9 na\xefve", only=["utf-8"])
    assert explanation.winner is None and explanation.verdict.encoding is None


def test_an_answer_by_prior_frequency_reports_damage() -> None:
    """Where `only` names one encoding that fails in one place, the verdict says where."""
    data = ("привет" * 100 + "–" + "привет " * 100).encode()
    verdict = charlens.detect(data, only=["gb18030"])
    assert verdict.encoding == "gb18030" and verdict.damage
    kept = bytes(b for i, b in enumerate(data) if not any(s.start <= i < s.end for s in verdict.damage))
    assert kept.decode("gb18030")


def test_equivalents_keep_to_what_is_allowed() -> None:
    """Neither `never` nor `only` is forgotten in the equivalents of ASCII."""
    assert not {"big5", "iso8859-1"} & set(charlens.detect(b"-i", never=["big5", "latin-1"]).equivalents)
    assert charlens.detect(b"abc", only=["windows-1251"]).equivalents == ()


def test_a_mark_is_no_letter() -> None:
    """The byte order mark does not count for the language."""
    for step in charlens.detect(b"\xef\xbb\xbfab").steps:
        assert "Arabic" not in step.words


def test_wrong_keywords_are_named_in_words() -> None:
    """What cannot be used is named, with what to pass instead."""
    with pytest.raises(TypeError, match="must be a str"):
        charlens.detect(b"\xe9", content_type=b"text/html")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="verify, obey, ignore"):
        charlens.detect_together([b"a"], declared="always")
    with pytest.raises(ValueError, match="from 0 to 1"):
        charlens.Detector(enough=2)


@pytest.mark.parametrize("page", [b"<k>t</n>\xbc", b"<r><r>\xc9</b>.", b"<p>caf<b>\xe9</b>s \xe0 la mer</p>"])
def test_places_on_a_page_are_places_in_it(page: bytes) -> None:
    """The offsets of an explanation are those of the page, even if a tag is inside a word."""
    for part in charlens.explain(page, declared="ignore").contributions:
        assert all(0 <= offset < len(page) for offset in part.offsets)


def test_a_complete_stream_is_not_cut() -> None:
    """HZ that ends where it should is not cut off, however long it is."""
    data = "你好世界\n".encode("hz") * 250_000
    detector = charlens.Detector()
    for start in range(0, len(data), 1 << 20):
        detector.feed(data[start : start + (1 << 20)])
    assert detector.close().cut == charlens.detect(data).cut == 0
