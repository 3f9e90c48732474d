"""The straight way of the native kernel: its verdicts are those of the stages, field by field."""

from __future__ import annotations

import random
import subprocess
import sys

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from prose_texts import PROSE, legacy, legacy_pairs

import charlens
from charlens.detect import judge_by_stages, straight_way
from charlens.types import Options

VERIFY = straight_way(False)
IGNORE = straight_way(True)

pytestmark = pytest.mark.skipif(VERIFY is None, reason="the kernel in use has no straight way")

SIZES = (1, 2, 7, 20, 60, 130, 255, 256, 400, 600, 1100, 4096)


def assert_same(data: bytes) -> bool:
    """Compare both ways and both policies; whether the straight way had an answer."""
    answered = False
    for lane, options in (
        (VERIFY, Options()),
        (VERIFY, Options(content_type="text/html; charset=koi8-r")),
        (IGNORE, Options(declared="ignore")),
    ):
        assert lane is not None
        said = lane(data, options.content_type)
        if said is not None:
            answered = True
            meant = judge_by_stages(data, options)
            assert said == meant
            assert [type(finding) for finding in said.findings] == [type(each) for each in meant.findings]
            assert said.steps == meant.steps
    return answered


@pytest.mark.parametrize(("encoding", "language"), legacy_pairs("single", "multi"))
def test_legacy_text_is_judged_alike(encoding: str, language: str) -> None:
    """Pieces of any size in any encoding get the verdict of the stages, and most of them get one here."""
    whole = legacy(encoding, language)
    assert whole is not None
    chance = random.Random(encoding + language)
    answered = 0
    for size in SIZES:
        start = chance.randrange(max(1, len(whole) - size))
        answered += assert_same(whole[start : start + size])
    assert answered >= len(SIZES) // 2


@pytest.mark.parametrize("language", sorted(PROSE))
def test_unicode_text_is_judged_alike(language: str) -> None:
    """So do pieces of UTF-8, whole characters or not, and of ASCII."""
    whole = PROSE[language].encode()
    assert all(assert_same(whole[:size]) for size in SIZES[4:])
    for size in SIZES:
        assert_same(whole[301 : 301 + size])  # perhaps from the middle of a character on
    plain = PROSE[language].encode("ascii", "ignore")
    for size in SIZES:
        assert_same(plain[:size])


LABELS = (
    *("windows-1251", "utf-8", "UTF-8", "iso-8859-1", "koi8-r", "shift_jis"),
    *("x-user-defined", "utf-16", "nonsense", "IBM850", ""),
)
HEADS = (
    '<html><head><meta charset="{0}"><title>{1}</title></head><body><p>',
    '<html lang="ru"><META HTTP-EQUIV="Content-Type" CONTENT="text/html; charset={0}"><p>',
    '<!-- <meta charset="koi8-u"> --><meta content="text/html;charset={0}" http-equiv=content-type><body>',
    '<?xml version="1.0" encoding="{0}"?>\n<doc xml:lang=\'uk\'><para>',
    "<?xml version='1.0' encoding='{0}'?><!DOCTYPE html><html><meta charset=\"koi8-r\"><p>",
    '<p>a<p title="<meta charset=latin1>">b<meta charset={0}><p lang=en-US xml:lang="de"><br>',
    '<meta http-equiv="Content-Language" content="bg"><p><p><p>',
    "<div><p>1 < 2 <b>and</b> -->\n<i>",
    "00:01:02,500 --> 00:01:04,000\n<i>",
    "[Script Info]\nDialogue: 0,0,0,,,,,,,",
    "From: somebody@example.org\nContent-Type: text/plain; charset={0}\n\n",
    '@charset "{0}";\n',
    "# -*- coding: {0} -*-\n",
    "a < b, c > d [x: y] ~{{ +Aa- \\ ",
    "@@@@@@@@ @ @ @ ",
    "line\r\n",
    "line\r",
    "",
)


@st.composite
def files(draw: st.DrawFn) -> bytes:
    """Something with a head, some words, and now and then bytes of any kind."""
    encoding, language = draw(st.sampled_from(legacy_pairs("single", "multi")))
    if draw(st.booleans()):
        encoding = "utf-8"
    text = PROSE[language]
    start = draw(st.integers(0, len(text) - 1))
    words = text[start : start + draw(st.integers(0, 900))]
    words = words.replace("\n", draw(st.sampled_from(("\n", "\r\n", "\r", "\n<p>", "<br/>\n"))))
    head = draw(st.sampled_from(HEADS)).format(draw(st.sampled_from(LABELS)), words[:20])
    noise = draw(
        st.one_of(
            st.just(b""), st.binary(max_size=12), st.sampled_from((b"\xff", b"\x80", b"<!--", b"<meta"))
        )
    )
    return (head + words).encode(encoding, "ignore") + noise + words[:40].encode(encoding, "ignore")


@settings(max_examples=400, deadline=None)
@given(files())
def test_pages_and_heads_are_judged_alike(data: bytes) -> None:
    """Whatever a file declares and whatever markup it has: the verdict is that of the stages."""
    assert_same(data)


@settings(max_examples=300, deadline=None)
@given(st.binary(max_size=400))
@example(b"")
@example(b"\r")
@example(b"\xe9")
@example(b"\x84\x31\x95\x33 caf\xe9")
@example(b"<?xml\xe9")
@example(b"<meta \xe9")
@example(b"<html lang\xe9")
@example(b'<a "x=" y><meta charset=koi8-r><p>\xc4\xcf\xc2\xd2\xd9\xca</p>')
def test_any_bytes_are_judged_alike(data: bytes) -> None:
    """Whatever the bytes: the verdict is that of the stages, or none."""
    assert_same(data)


def test_views_are_taken_like_bytes() -> None:
    """A view of a larger buffer is judged by its own bytes."""
    data = "Добрый день, уважаемые друзья!".encode("cp1251")
    for one in (bytearray(data), memoryview(b"xx" + data + b"yy")[2:-2]):
        assert charlens.detect(one) == charlens.detect(data)


def test_the_first_legacy_inputs_may_come_at_once() -> None:
    """Threads that all bring the first legacy input get what one thread gets."""
    program = (
        "import charlens\n"
        "data = 'Добрый день, уважаемые друзья!'.encode('cp1251') * 200\n"
        "found = set(v.encoding for v in charlens.detect_many([data] * 64, threads=16))\n"
        "assert found == {'cp1251'}, found\n"
    )
    subprocess.run([sys.executable, "-c", program], check=True)


def test_settings_that_do_not_fit_are_refused() -> None:
    """A lane without its tables is an error that names the first one missing."""
    native = pytest.importorskip("charlens.kernel._native")
    with pytest.raises(KeyError, match="the lane needs verdict"):
        native.make_lane({})
    with pytest.raises(TypeError, match="dict"):
        native.make_lane(7)


def test_bytes_that_change_meanwhile_do_no_harm() -> None:
    """A buffer that another thread writes to gets some verdict, and nothing worse."""
    program = (
        "import sys, threading, charlens\n"
        "sys.setswitchinterval(1e-6)\n"
        "data = bytearray(b'a' * 66000)\n"
        "done = False\n"
        "def write():\n"
        "    while not done:\n"
        "        data[-1] = 0x80\n"
        "        data[-1] = 0xC3\n"
        "writer = threading.Thread(target=write)\n"
        "writer.start()\n"
        "for _ in range(20000):\n"
        "    charlens.detect(data)\n"
        "done = True\n"
    )
    subprocess.run([sys.executable, "-c", program], check=True)
