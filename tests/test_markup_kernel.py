"""Markup elimination in the kernel: both twins put out the same bytes, and those are the text by the HTML standard."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from test_kernel_twins import TWINS, _native, needs_native, placed, placements

from charlens.kernel import pure

#: Elements that the rules of tree construction know, and some that they do not.
NAMES = (
    b"a address applet area article aside b base basefont bgsound big blockquote body br button caption center "
    b"code col colgroup dd details dialog dir div dl dt em embed fieldset figcaption figure font footer form frame "
    b"frameset h1 h2 h3 h4 h5 h6 head header hgroup hr html i iframe image img input keygen li link listing main "
    b"marquee math menu meta nav nobr noembed noframes noscript object ol optgroup option p param plaintext pre "
    b"ruby s script search section select small source span strike strong style sub summary sup svg table tbody td "
    b"template textarea tfoot th thead title tr track tt u ul var wbr xmp q abbr x-y foreignObject"
).split(b" ")
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
#: Tags of all kinds, each with something after it.
tags = st.lists(
    st.tuples(
        st.sampled_from((b"<%s>", b"</%s>", b"<%s/>", b"<%s a='>'>", b"</%s b>")),
        st.sampled_from(NAMES),
        st.sampled_from(
            (b"", b"x", b" ", b"<!-- -->", b"</>", b"<!DOCTYPE html>", b"<![CDATA[y]]>", b"z" * 20)
        ),
    ),
    max_size=30,
).map(lambda parts: b"".join(shape % name + behind for shape, name, behind in parts))


@needs_native
@settings(max_examples=500)
@given(data=st.one_of(pages, tags, st.binary(max_size=80)), xml=st.integers(0, 1), placement=placements)
@example(data=b"b&#x=-->]SCRIPT'a\r\n<style>;/>/'", xml=0, placement=(0, 0x3C))
def test_strip_markup_is_the_same_in_both(data: bytes, xml: int, placement: tuple[int, int]) -> None:
    """Both twins give the same bytes for any input, wherever in memory it is."""
    assert _native.strip_markup(placed(data, *placement), xml) == pure.strip_markup(data, xml)


@pytest.mark.parametrize("twin", TWINS)
@settings(max_examples=200)
@given(data=pages, xml=st.integers(0, 1))
def test_nothing_comes_out_that_was_not_there(twin: Any, data: bytes, xml: int) -> None:
    """The output is a subsequence of the input, apart from spaces."""
    out = twin.strip_markup(data, xml)
    assert len(out) <= len(data)
    rest = iter(data)
    assert all(byte in rest for byte in out if byte != 0x20)


HTML = {
    b"plain": b"plain",
    b"a<b>c</b>d": b"a c d",
    b"  <p>  x </p>  <p> y": b"x y",
    b"1 < 2 <= 3 </": b"1 < 2 <= 3 </",
    b"a</>b</ x>c": b"ab c",
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
#: Tags that a parser ignores, by rule: the letters around them are one word.
BORDERS = {
    # an element that is not open, or not within reach
    b"a</b>b<i>c</i>d</i>e": b"ab c de",
    b"<a>a<a>b</a>c</a>d": b"a b cd",
    b"<a>a<table><a>b</a></table>c</a>d": b"a b cd",
    b"<button>a<button>b</button>c</button>d": b"a b cd",
    b"<span><p>a</span>b</p>c</span>d": b"ab c d",
    b"<p><span>a</p>b</span>c": b"a bc",
    b"<p><b>a</p>b</b>c</b>d": b"a b cd",
    b"<b><p>a</b>b</b>c": b"a bc",
    b"<div><q>a</div>b</q>c": b"a bc",
    b"<ul><li>a<li>b</li>c</li>d</ul>e": b"a b cd e",
    b"<li>a<ul>b</li>c</ul>d</li>e": b"a bc d e",
    b"<li>a<div>b<li>c</div>d": b"a b cd",
    b"<dl><dd>a<dt>b</dd>c</dt>d": b"a bc d",
    b"<h1>a<h2>b</h3>c</h1>d": b"a b cd",
    b"<p>a<h1>b</p>c": b"a b c",
    b"<object><b>a</object>b</b>c": b"a bc",
    b"<b><object>a</b>b": b"ab",
    b"<option>a<option>b</option>c</option>d": b"a b cd",
    b"<select>a<select>b</select>c": b"a bc",
    b"<img>a</img>b<hr>c</hr>d": b"ab cd",
    b"<abbr>a</cite>b</abbr>c</abbr>d": b"ab cd",
    # what makes an element, open or not
    b"a</p>b</BR>c": b"a b c",
    # the page, its head and its body have no borders in the text
    b"a</body></html>b<html><head>c</head><body>d": b"abcd",
    b"a</body><!-- x -->b</html><!-- x -->c<p></body>d": b"abc d",
    b"a</body></i><!-- x -->b": b"a b",
    b"a<!DOCTYPE html>b</>c": b"abc",
    b"a<frame>b<frameset>c</frameset>d": b"abcd",
    # parts of a table outside one, or in one that they are not a part of
    b"a<td>b</td>c<tr>d<th>e</tr>f<tbody>g<caption>h<col>i": b"abcdefghi",
    b"<table><tr><td>a</th>b</td></tr></table>c</table>d": b"ab cd",
    b"<table><td>a<td>b</div>c<tr><td>d</table>e</td>f": b"a bc d ef",
    b"<table><caption>a<b>b</caption><td>c</b>d</table>e": b"a b cd e",
    b"<table><td><b>a</table>b</b>c": b"a bc",
    b"<b><table><td>a</b>b</table>c</b>d": b"ab c d",
    b"<div><table><td>a</div>b</table>c</div>d": b"ab c d",
    b"<table><td>a<table><td>b</table>c</table>d</table>e": b"a b c de",
    b"<table><td><p>a<tr><td>b</p>c": b"a b c",
    b"<table><thead><tr><td>a</thead><tfoot><td>b</tfoot></table>c": b"a b c",
    # text that a tree moves to before the table
    b"a<table>b<tr>c<!-- x -->d</tr>e<td>f</table>g": b"abcde f g",
    b"<table>a<div>b</div>c<table>d": b"a b c d",
    b"<p>a<table>b": b"ab",
    b"<!DOCTYPE html><p>a<table>b": b"a b",
    # forms: one at a time, and their end tag does not close elements inside
    b"<form>a<form>b</form>c</form>d": b"ab cd",
    b"<form><div>a</form>b</div>c": b"ab c",
    b"<form><p>a</form>b": b"a b",
    b"<table>a<form>b<td>c</form>d": b"ab cd",
    # other languages inside
    b"<svg><g>a</g>b</g>c</svg>d</svg>e": b"a bc de",
    b"<svg><a>a<a>b</a>c</a>d<image>e</image>f": b"a b c d e f",
    b"<svg><g>a<p>b</g>c": b"a bc",
    b"<svg>a</p>b</svg>c": b"a bc",
    b"<svg>a<body>b": b"a b",
    # a script and a style of SVG have markup inside, and text that is none to read
    b"<svg><script>a<p>b": b"b",
    b"<math><STYLE>a<g>b</g>c</style>d": b"b d",
    b"<svg><style>a</svg>b": b"b",
    b"<svg><style>a < b <![CDATA[ <p>c ]]>d</ e>f</style>g": b"g",
    b"<svg><script/>a<style>b</": b"a",
    b"<div><svg>a</div>b</svg>c": b"a bc",
    b"<svg><xmp>a<b>c</xmp>": b"a c",
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
    b"a</b>c<td>d</td>e<p/>f</p>g": b"a c d e f g",
}


@pytest.mark.parametrize("twin", TWINS)
@pytest.mark.parametrize(("page", "words"), HTML.items(), ids=repr)
def test_html_is_read_as_the_standard_reads_it(twin: Any, page: bytes, words: bytes) -> None:
    """Each construct of HTML, whole, malformed or unfinished, leaves the text that the standard's tokenizer leaves."""
    assert twin.strip_markup(page, 0) == words


@pytest.mark.parametrize("twin", TWINS)
@pytest.mark.parametrize(("page", "words"), BORDERS.items(), ids=repr)
def test_words_end_where_a_parser_ends_them(twin: Any, page: bytes, words: bytes) -> None:
    """A tag that the rules of tree construction pass over ends no word."""
    assert twin.strip_markup(page, 0).split() == words.split()


@needs_native
@pytest.mark.parametrize("name", NAMES)
def test_every_name_is_the_same_element_in_both(name: bytes) -> None:
    """In upper or lower case, before, inside and after others, closed or not: both twins give the same result."""
    for spelt in (name, name.upper(), name + b"x", name[:-1] or b"z"):
        for page in (
            b"<p><b><q>x<%s>x</q>x</p>x</b>x</%s>x</%s>x" % (spelt, spelt, spelt),
            b"<table>x<%s>x<tr>x<%s>x<td>x<%s>x</table>x<td>x" % (spelt, spelt, spelt),
            b"<svg>x<g>x<%s>x</g>x</%s>x</svg>x</%s>" % (spelt, spelt, spelt),
            b"<%s>x<div>x<li>x</%s>x<li>x</div>x</%s>x" % (spelt, spelt, spelt),
        ):
            assert _native.strip_markup(page, 0) == pure.strip_markup(page, 0)


@pytest.mark.parametrize("twin", TWINS)
def test_where_too_many_are_open_the_outer_ones_are_forgotten(twin: Any) -> None:
    """Of 300 open elements the inner ones still end words; the end tags of those forgotten are passed over."""
    page = b"<i>" + b"<q>" * 300 + b"a" + b"</q>b" * 300 + b"</i>c"
    words = twin.strip_markup(page, 0).split()
    assert b"".join(words) == b"a" + b"b" * 300 + b"c"
    assert words[:100] == [b"a", *[b"b"] * 99]
    assert words[-1].endswith(b"bc")


@pytest.mark.parametrize("twin", TWINS)
@pytest.mark.parametrize(("page", "words"), XML.items(), ids=repr)
def test_xml_has_rules_of_its_own(twin: Any, page: bytes, words: bytes) -> None:
    """In XML there is CDATA everywhere, a doctype may have an inner part, and titles hold markup."""
    assert twin.strip_markup(page, 1) == words


@pytest.mark.parametrize("twin", TWINS)
def test_every_byte_of_a_text_comes_out_as_it_went_in(twin: Any) -> None:
    """All 256 values between two tags are unchanged, except '<' and '&' that begin markup."""
    text = b"x" + bytes(range(256)) + b"x"
    assert twin.strip_markup(b"<p class='a'>" + text + b"</p>", 0) == text + b" "


HOSTILE = (
    b"<!--", b"<", b"<!--<!--", b"<a b=\"", b"<a b='", b"<a ", b" a=b", b"<script>", b"<script><!--", b"<title>",
    b"<!DOCTYPE [>", b"<![CDATA[", b"<svg>", b"<svg><![CDATA[", b"&", b"&#", b"&#x1", b"&aaaaaaaa", b"</", b"<?", b"--",
    b"]]", b"<a/", b"</script", b"<script", b"<xmp></xm", b"<q>", b"<svg><math><p>", b"<table><tr>", b"<b><p></b>",
    b"</q>",
)  # fmt: skip


@needs_native
@pytest.mark.parametrize("piece", HOSTILE, ids=repr)
def test_hostile_pages_take_no_more_than_their_length(piece: bytes) -> None:
    """Eight times as much of the same is not sixty-four times the work: both twins finish 200 KB of it."""
    for lead in (b"", b"<a ", b"<!--", b"<script>", b"<q><div>" + b"<b>" * 250):
        page = lead + piece * (200_000 // len(piece))
        for xml in (0, 1):
            # Quadratic, this would take minutes; the twins are compared, so nothing is asserted about time.
            assert _native.strip_markup(page, xml) == pure.strip_markup(page, xml)
