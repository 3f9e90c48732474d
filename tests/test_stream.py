"""Detection of streams: the same verdict as for the whole, early where that can be, in flat memory."""

from __future__ import annotations

import random
import tracemalloc

import pytest
from hypothesis import given
from hypothesis import strategies as st
from prose_texts import PROSE, THIN

import charlens
from charlens import Detector, Outcome, kernel
from charlens.encodings.walks import walk_table, walked_encodings
from charlens.findings import NOT_WALKED
from charlens.inputs import stream, stream_state, trackers
from charlens.inputs.stream_state import large_source
from charlens.models.characters import character_weights
from charlens.options import DEFAULTS
from charlens.source import Bytes, cut_at_end, find_faults
from charlens.stages.structure.tables import structure_tables
from charlens.stages.unicode import GOOD_PER_BAD, PATIENCE

ASCII = b"A plain line of ASCII, with nothing in it to decide by.\n"

once = pytest.mark.skipif(
    kernel.NAME == "pure", reason="slow in plain Python, and the kernel makes no difference"
)

#: (language, encoding) of every kind of encoding: what one shot recognises in windows, whole, by walks and by shifts.
KINDS = [
    ("en", "ascii"),
    ("fr", "utf-8"),
    ("ru", "utf-16-le"),
    ("zh-Hans", "utf-16-be"),
    ("de", "utf-32-le"),
    ("ja", "utf-16"),
    ("de", "utf-8-sig"),
    ("ru", "cp1251"),
    ("ru", "koi8-r"),
    ("de", "cp1252"),
    ("pl", "iso8859-2"),
    ("ja", "cp932"),
    ("ja", "euc_jp"),
    ("ko", "cp949"),
    ("zh-Hans", "gbk"),
    ("zh-Hans", "gb18030"),
    ("zh-Hant", "big5hkscs"),
    ("ja", "iso2022_jp"),
    ("ko", "iso2022_kr"),
    ("zh-Hans", "hz"),
    ("de", "utf-7"),
    ("de", "cp500"),
]
#: Those that ASCII can come before.
AFTER_ASCII = [pair for pair in KINDS if not pair[1].startswith(("utf-16", "utf-32", "utf-8-", "cp500"))]


def text_of(language: str, encoding: str, times: int = 1) -> bytes:
    return PROSE[language].encode(encoding, "ignore") * times


def fed(data: bytes, size: int, **keywords: object) -> charlens.Verdict:
    detector = Detector(**keywords)  # type: ignore[arg-type]
    for start in range(0, len(data), size):
        detector.feed(data[start : start + size])
    return detector.close()


def answer(verdict: charlens.Verdict) -> tuple[object, ...]:
    """What has to be the same, however the bytes came."""
    return (
        verdict.outcome,
        verdict.encoding,
        verdict.language,
        verdict.bom,
        verdict.cut,
        verdict.damage,
        verdict.equivalents,
    )


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> int:
    """Keep so little that the prose of a test outgrows it."""
    kept = 2048
    monkeypatch.setattr(stream, "LARGEST", kept)
    monkeypatch.setattr(stream, "_PIECE", 512)
    monkeypatch.setattr(trackers, "_FIRST_STRIDE", 1024)
    return kept


@pytest.mark.parametrize(("language", "encoding"), KINDS)
def test_what_fits_gets_the_verdict_of_one_shot(language: str, encoding: str) -> None:
    """Up to the bound the verdict is that of `detect`, to the last field."""
    data = text_of(language, encoding)
    assert fed(data, 7) == charlens.detect(data)


@pytest.mark.parametrize("size", [1021, 3])
@pytest.mark.parametrize(("language", "encoding"), KINDS)
def test_what_does_not_fit_gets_it_too(small: int, language: str, encoding: str, size: int) -> None:
    """Beyond the bound, whatever the pieces, the answer is the one for the whole."""
    if size == 3 and kernel.NAME == "pure":
        pytest.skip("thousands of calls of the plain kernel")
    data = text_of(language, encoding, 1 + 3 * small // len(text_of(language, encoding)))
    assert len(data) > small
    assert answer(fed(data, size)) == answer(charlens.detect(data))


@pytest.mark.parametrize(("language", "encoding"), AFTER_ASCII)
def test_what_comes_after_much_ascii_is_seen(small: int, language: str, encoding: str) -> None:
    """ASCII that fills more than is kept does not hide what follows."""
    data = ASCII * 100 + text_of(language, encoding)
    assert answer(fed(data, 777)) == answer(charlens.detect(data))


@pytest.mark.parametrize(
    "data",
    [
        ASCII * 100 + b"\0" + ASCII,
        PROSE["ru"].encode() * 3 + b"\xff\xfe" + PROSE["ru"].encode(),
        PROSE["ru"].encode() * 3 + "я".encode()[:1],
        text_of("ja", "cp932", 3) + b"\x82",
        text_of("ru", "utf-16-le", 2) + b"\x20",
        text_of("ru", "utf-16-le", 2) + b"\x00\xd8" + text_of("ru", "utf-16-le"),
        b"\xff\xfe" + text_of("ru", "utf-16-le", 2) + b"\x00\xd8" + text_of("ru", "utf-16-le"),
        text_of("de", "cp1252", 3) + b"\x81" + ASCII,
        text_of("zh-Hans", "gbk", 3) + b"\xff\n",
        text_of("ja", "iso2022_jp", 3) + "l'été à côté de la forêt".encode("latin-1"),
        ASCII * 100 + "é".encode(),
    ],
    ids=[
        "a NUL",
        "damaged UTF-8",
        "UTF-8 cut off",
        "Shift_JIS cut off",
        "UTF-16 cut off",
        "a lone surrogate without a mark",
        "a lone surrogate behind a mark",
        "a byte that windows-1252 lacks",
        "a byte that GBK lacks",
        "ISO-2022-JP, then Latin-1",
        "one letter at the very end",
    ],
)
def test_a_late_byte_counts(small: int, data: bytes) -> None:
    """A byte at the end that changes the answer for the whole changes that for the stream."""
    assert answer(fed(data, 1000)) == answer(charlens.detect(data))


def test_binary_is_settled_by_the_head(small: int) -> None:
    """A blocked byte near the start settles it; what follows is not even looked at."""
    detector = Detector()
    detector.feed(b"\x7fELF\x02\x01\x01\0" * 150_000)  # a megabyte, after which nothing makes text of it
    assert detector.done and detector.verdict.outcome is Outcome.BINARY
    detector.feed(ASCII * 100)
    assert detector.close().outcome is Outcome.BINARY


@pytest.mark.parametrize("name", walked_encodings())
def test_ascii_does_not_move_a_walk(name: str) -> None:
    """Pieces of ASCII may be left out of a walk that is between characters."""
    assert kernel.walk(bytes(range(128)) * 2, walk_table(name)) == (-1, 0, 0)


@given(st.binary(max_size=40))
def test_unfinished_is_what_a_decoder_would_wait_for(data: bytes) -> None:
    """Whenever a UTF-8 decoder waits for more bytes at the end, exactly these are held back."""
    scan = kernel.scan(data)
    held = stream_state._unfinished(data)
    assert held <= 3
    if scan.utf8_error < 0:
        assert held == scan.utf8_cut


#: Leads, continuations and bytes that are neither: what sequences break at.
BREAKING = b"A\x80\xbf\xc3\xe0\xa0\xed\xf0\x90\xf4\xf5\xc0\xff"


@given(st.lists(st.lists(st.sampled_from(BREAKING), max_size=6).map(bytes), min_size=1, max_size=4))
def test_damage_is_counted_across_borders(pieces: list[bytes]) -> None:
    """However UTF-8 with faults in it is cut: the same scan, and the same damaged ranges, as in one piece."""
    whole = b"".join(pieces)
    state = stream_state.StreamState(b"", DEFAULTS)
    state._damage = trackers.Damage(marked=True)
    for piece in pieces:
        state.add(piece)
    source = state.source()
    assert source.scan == Bytes(whole).scan
    good, bad, _, flat = kernel.damage(whole, 0, 0, 0, 1000, 1000)
    found = source.damage(0, 0)
    assert (found[0], found[1], tuple(found[2])) == (good, bad, flat)
    assert found[3] == (Bytes(whole).scan.utf8_cut if bad == 0 else cut_at_end(whole))


def test_too_much_damage_is_given_up() -> None:
    """Broken sequences at every border, until it cannot be UTF-8 any more: that is noticed, and stays so."""
    state = stream_state.StreamState(b"", DEFAULTS)
    for _ in range(100):
        state.add(b"\xf0")
    assert state.source().damage(GOOD_PER_BAD, PATIENCE)[3] == -1
    state.add("Größe".encode() * 10)
    assert state.source().damage(GOOD_PER_BAD, PATIENCE)[3] == -1


@given(
    st.lists(st.binary(max_size=7), min_size=1, max_size=4),
    st.sampled_from(["utf-16-le", "utf-16-be", "utf-32-le"]),
)
def test_units_are_weighed_across_borders(pieces: list[bytes], encoding: str) -> None:
    """However UTF-16 or UTF-32 is cut: the same characters, weights, faulty ranges and rest as in one piece."""
    units = trackers.Units(encoding, 0)
    for piece in pieces:
        units.add(piece)
    width, big = (2 if "16" in encoding else 4), int(encoding.endswith("be"))
    whole = b"".join(pieces)
    assert units.weighed == kernel.weigh(whole, width, big, character_weights())
    assert tuple(units.faults.spans if units.faults else ()) == find_faults(whole, encoding)[0]


@pytest.mark.parametrize("mark", [b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff"])
def test_a_mark_is_enough(mark: bytes) -> None:
    """With `enough`, `done` is true soon after a byte order mark has arrived; without it, `marked` is."""
    detector, sure = Detector(enough=0.99), Detector()
    encoding = {b"\xef\xbb\xbf": "utf-8", b"\xff\xfe": "utf-16-le", b"\xfe\xff": "utf-16-be"}[mark]
    for each in (detector, sure):
        each.feed(mark)
        assert not each.done and not each.marked
        each.feed("Text".encode(encoding))
        assert each.verdict.encoding == encoding
    assert detector.done and detector.marked
    assert not sure.done and sure.marked


@pytest.mark.parametrize("mark", [b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff", b"\xff\xfe\x00\x00"])
@pytest.mark.parametrize("text", [0, 3000])
def test_done_does_not_contradict_detect(mark: bytes, text: int) -> None:
    """What starts with a mark and turns out to be binary is not `done` as text, even with text behind the mark."""
    encoding = {2: "utf-16-le" if mark == b"\xff\xfe" else "utf-16-be", 3: "utf-8", 4: "utf-32-le"}[len(mark)]
    data = mark + ("Some text. " * text).encode(encoding)[:text] + random.Random(1).randbytes(1 << 17)
    detector = Detector()
    for start in range(0, len(data), 500):
        detector.feed(data[start : start + 500])
        if detector.done:
            break
    whole = charlens.detect(data)
    assert (detector.close().outcome, detector.verdict.encoding) == (whole.outcome, whole.encoding)
    assert whole.outcome is Outcome.BINARY


def test_enough_evidence_is_enough() -> None:
    """With `enough`, `done` turns true long before the end of a clear text, and the answer does not change after it."""
    data = text_of("ru", "cp1251", 20)
    detector = Detector(enough=0.99)
    for start in range(0, len(data), 256):
        detector.feed(data[start : start + 256])
        if detector.done:
            break
    assert detector.fed < len(data) / 4
    assert detector.verdict.encoding == charlens.detect(data).encoding == "cp1251"


def test_ascii_is_never_enough() -> None:
    """However much plain ASCII has come, the next byte may be another."""
    detector = Detector()
    for _ in range(200 // THIN):
        detector.feed(ASCII * 10)
    assert not detector.done
    assert detector.close().encoding == "ascii"
    assert detector.done


def test_what_is_enough_can_be_said() -> None:
    """A higher bar is passed later, or not at all."""
    data = text_of("fr", "cp1252")
    lax, strict = Detector(enough=0.5), Detector(enough=1.0)
    for detector in (lax, strict):
        detector.feed(data)
    assert lax.done and not strict.done


def test_feeding_continues_after_done() -> None:
    """Who wants every byte checked goes on: the verdict is for all of it."""
    detector = Detector(enough=0.9)
    detector.feed(b"\xef\xbb\xbfText")
    assert detector.done
    detector.feed(b" and a \xff byte that is none of UTF-8's")
    assert detector.close().damage


def test_after_close_it_is_over_until_reset() -> None:
    """feed() after close() is an error that says what to do; reset() starts again."""
    detector = Detector()
    detector.feed(b"abc")
    assert detector.close() is detector.close()
    with pytest.raises(ValueError, match="reset"):
        detector.feed(b"d")
    detector.reset()
    assert not detector.done and detector.fed == 0
    detector.feed("Grüße".encode())
    assert detector.close().encoding == "utf-8"


def test_nothing_is_nothing() -> None:
    """A stream without bytes is undecided, as b"" is."""
    with Detector() as detector:
        detector.feed(b"")
    assert detector.verdict == charlens.detect(b"")


@pytest.mark.parametrize("data", [bytearray(b"abc"), memoryview(b"abc")])
def test_any_bytes_can_be_fed(data: bytearray | memoryview) -> None:
    """Whatever `detect` takes, `feed` takes."""
    detector = Detector()
    detector.feed(data)
    assert detector.close().encoding == "ascii"


def test_text_is_refused_in_words() -> None:
    """A str is already decoded; the error says so."""
    with pytest.raises(TypeError, match="already decoded"):
        Detector().feed("abc")  # type: ignore[arg-type]


def test_the_keywords_of_detect_are_taken(small: int) -> None:
    """`only` and `never` hold for streams, also beyond the bound; an unknown name is an error at once."""
    data = text_of("ru", "cp1251", 3)
    assert fed(data, 500, never=iter(["cp1251"])).encoding != "cp1251"
    assert fed(data[:1000], 500, only=["koi8-r"]).encoding == "koi8-r"
    with pytest.raises(charlens.UnknownEncodingError):
        Detector(only=["no-such-thing"])


@once
def test_memory_stays_flat(small: int) -> None:
    """Eight times the bytes need no more memory than the bytes themselves once did."""

    def most(times: int) -> int:
        detector = Detector()
        piece = text_of("ja", "cp932") + ASCII
        tracemalloc.start()
        for _ in range(times):
            detector.feed(piece)
        detector.close()
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return peak

    most(4)  # tables are loaded once
    few, many = most(64), most(512)
    assert many < few + 200_000


@once
def test_what_is_unlikely_in_the_head_is_not_walked_to_the_end() -> None:
    """Of a large text in windows-1252, no multi-byte encoding is followed; of one in Shift_JIS, its family is."""
    tables = structure_tables().kernel
    german = ("Zwölf Boxkämpfer jagen Viktor quer über den großen Sylter Deich. " * 80_000).encode("cp1252")
    walked = memoryview(large_source(german, DEFAULTS).candidates(*tables)[3]).cast("q").tolist()[::2]
    assert NOT_WALKED in walked and -1 not in walked
    japanese = ("色は匂へど散りぬるを、我が世誰ぞ常ならむ。" * 120_000).encode("cp932")
    walked = memoryview(large_source(japanese, DEFAULTS).candidates(*tables)[3]).cast("q").tolist()[::2]
    assert walked[walked_encodings().index("cp932")] == -1
    for data, encoding in ((german, "cp1252"), (japanese, "cp932")):
        assert charlens.detect(data).encoding == encoding
