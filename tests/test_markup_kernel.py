"""Markup elimination in the kernel: both twins put out the same bytes, and those are the text by the HTML standard."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from test_kernel_twins import TWINS, _native, needs_native, placed, placements

from charlens.kernel import pure

#: What the states of a tokenizer turn on.
PIECES = (
    b"< > / </ /> = - -- ! ? & ; # \" ' [ ] a b \xe9 \xd0\xb0 <!-- --> --!> <!--> <!---> <!DOCTYPE <! <? ?> <![CDATA[ "
    b"]]> <a <a\thref= <p> </p> <script <script> </script </script> <SCRIPT> <style> </style> <title> </title> "
    b"<textarea> </textarea\t> <svg> <svg/> </svg> <math> <xmp> </xmp> <iframe> <noembed> <noframes> <plaintext> "
    b"<noscript> <template> <blockquote> <span> <H1> &amp; &#65; &#x41 &nbsp &CounterClockwiseContourIntegral;"
    b" class=\"x>y\" '> alt='y"
).split(b" ")
pages = st.lists(st.sampled_from([*PIECES, b" ", b"\n", b"\r\n", b"\f", b"\0", b"x" * 20]), max_size=40).map(
    b"".join
)


@needs_native
@settings(max_examples=500)
@given(data=st.one_of(pages, st.binary(max_size=80)), xml=st.integers(0, 1), placement=placements)
@example(data=b"b&#x=-->]SCRIPT'a\r\n<style>;/>/'", xml=0, placement=(0, 0x3C))
def test_strip_markup_is_the_same_in_both(data: bytes, xml: int, placement: tuple[int, int]) -> None:
    """Both twins give the same bytes for any input, wherever in memory it is."""
    assert _native.strip_markup(placed(data, *placement), xml) == pure.strip_markup(data, xml)


@pytest.mark.parametrize("twin", TWINS)
@settings(max_examples=200)
@given(data=pages, xml=st.integers(0, 1))
def test_nothing_comes_out_that_was_not_there(twin: Any, data: bytes, xml: int) -> None:
    """What is not a space comes out in the order in which it went in, and never more of it."""
    out = twin.strip_markup(data, xml)
    assert len(out) <= len(data)
    rest = iter(data)
    assert all(byte in rest for byte in out if byte != 0x20)


HTML = {
    b"plain": b"plain",
    b"a<b>c</b>d": b"a c d",
    b"  <p>  x </p>  <p> y": b"x y",
    b"1 < 2 <= 3 </": b"1 < 2 <= 3 </",
    b"a</>b</ x>c": b"a b c",
    b"<a href=\"x>y\" title='p>q' c=d/>z": b"z",
    b'<a =b="c>">d': b"d",
    b'<a b=c"d>e': b"e",
    b"<a b='c": b"",
    b"a<!-- <b>x</b> -->c": b"a c",
    b"a<!-->b<!--->c<!-- --!>d<!-- - -- ->e": b"a b c d ",
    b'<!DOCTYPE html PUBLIC "-//W3C//DTD" "x">b': b"b",
    b"<?php echo 'x' ?>b<?xml a>c": b"b c",
    b"<![CDATA[x]]>y": b"y",
    b"<svg><![CDATA[x<y]]></svg><![CDATA[z]]>": b"x<y ",
    b"<svg><p><![CDATA[x]]>y<blockquotes>": b"y ",
    b"a<script>if (a<b) '</scrip>'</script>b": b"a b",
    b"<script><!-- <script> </script> </script>x</script>y": b"xy",
    b"a</b>b<i>c</i>d</i>e</p>f</BR>g": b"ab c de f g",
    b"<script><!-- <script> </script> --></script>y": b"y",
    b"<script><!--></script>y": b"y",
    b"<script>a</scripty></script >y": b"y",
    b"a<script>never closed": b"a ",
    b"<style>p > b { }</style>x": b"x",
    b"<title>a <b> &amp; c</title>d": b"a <b> c d",
    b"<textarea><p></textarea>x": b"<p> x",
    b"<xmp><b>&amp;</xmp>y": b"<b>&amp; y",
    b"<noscript><p>a</p></noscript><template><p>b": b"a b",
    b"<noframes><body>a</noframes>b": b"<body>a b",
    b"<plaintext><b>a</plaintext>": b"<b>a</plaintext>",
    b"<svg><title>a<g/>b</title><style/>c</svg>": b"a b c ",
    b"AT&amp;T &lt;x&gt; a&nbsp;b &copy; &#1234 &#x4e2d;c a&b;c a&bc d&e": b"AT T x a b c a&b;c a&bc d&e",
}
XML = {
    b"<?xml version='1.0' encoding='x>y'?><a>b</a>": b"b ",
    b'<!DOCTYPE a [ <!ENTITY b "c"> ]><a>d': b"d",
    b"<!DOCTYPE a [ <b>c": b"c",
    b"<a><![CDATA[<b>&amp;]]></a>": b"<b>&amp; ",
    b"<title>a<b>c</b></title>": b"a c ",
    b"<script/>a<script>b</script>c": b"a c",
    b"<style>a<b/></style>c": b"c",
    b"<a:b c='d'/>e": b"e",
}


@pytest.mark.parametrize("twin", TWINS)
@pytest.mark.parametrize(("page", "words"), HTML.items(), ids=repr)
def test_html_is_read_as_the_standard_reads_it(twin: Any, page: bytes, words: bytes) -> None:
    """Each construct of HTML, whole, malformed or unfinished, leaves the text that the standard's tokenizer leaves."""
    assert twin.strip_markup(page, 0) == words


@pytest.mark.parametrize("twin", TWINS)
@pytest.mark.parametrize(("page", "words"), XML.items(), ids=repr)
def test_xml_has_rules_of_its_own(twin: Any, page: bytes, words: bytes) -> None:
    """In XML there is CDATA everywhere, a doctype may have an inner part, and titles hold markup."""
    assert twin.strip_markup(page, 1) == words


@pytest.mark.parametrize("twin", TWINS)
def test_every_byte_of_a_text_comes_out_as_it_went_in(twin: Any) -> None:
    """All 256 values between two tags come out unchanged, but for '<' and '&' where they begin markup."""
    text = b"x" + bytes(range(256)) + b"x"
    assert twin.strip_markup(b"<p class='a'>" + text + b"</p>", 0) == text + b" "


HOSTILE = (
    b"<!--", b"<", b"<!--<!--", b"<a b=\"", b"<a b='", b"<a ", b" a=b", b"<script>", b"<script><!--", b"<title>",
    b"<!DOCTYPE [>", b"<![CDATA[", b"<svg>", b"<svg><![CDATA[", b"&", b"&#", b"&#x1", b"&aaaaaaaa", b"</", b"<?", b"--",
    b"]]", b"<a/", b"</script", b"<script", b"<xmp></xm",
)  # fmt: skip


@needs_native
@pytest.mark.parametrize("piece", HOSTILE, ids=repr)
def test_hostile_pages_take_no_more_than_their_length(piece: bytes) -> None:
    """Eight times as much of the same is not sixty-four times the work: both twins finish 200 KB of it."""
    for lead in (b"", b"<a ", b"<!--", b"<script>"):
        page = lead + piece * (200_000 // len(piece))
        for xml in (0, 1):
            # Quadratic, this would take minutes; the twins are compared, so nothing is asserted about time.
            assert _native.strip_markup(page, xml) == pure.strip_markup(page, xml)
