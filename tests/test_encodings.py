"""Encodings as data: the names are real, the labels lead there, the maps say what the codecs say."""

from __future__ import annotations

import codecs
import encodings.aliases
import itertools
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import charlens.encodings as table
from charlens.encodings import all_encodings, canonical, lookup, maps, rank, web_codec, web_lookup, web_name
from charlens.encodings._table import WEB_CODECS, WEB_LABELS
from charlens.errors import UnknownEncodingError

ALL = {encoding.name: encoding for encoding in all_encodings()}
ONE_BYTE = [name for name, encoding in ALL.items() if encoding.kind in ("ascii", "single", "ebcdic")]
SUBSETS = [(encoding.name, encoding.subset_of) for encoding in ALL.values() if encoding.subset_of]
NOT_BY_BYTES = {"utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be"}

#: The ISO 2022 escape sequences that choose a set of one byte, and of two.
CHOOSE_ONE = (b"\x1b(B", b"\x1b(J", b"\x1b(I")
CHOOSE_TWO = tuple(b"\x1b$" + end for end in (b"@", b"B", b"A", b"(C", b"(D", b"(O", b"(P", b"(Q"))


def decoded(data: bytes, name: str) -> str | None:
    """What *data* says in *name*, or ``None`` where it is not valid."""
    try:
        return data.decode(name)
    except UnicodeDecodeError:
        return None


def mask_of(data: bytes) -> int:
    """The byte values in *data*, as a mask."""
    return sum(1 << value for value in set(data))


# ---- the table


def test_every_name_is_the_codec_s_own_name() -> None:
    """Each name is exactly the one that Python's codec gives itself, and a text encoding."""
    for name in ALL:
        assert codecs.lookup(name).name == name
        assert isinstance(b"".decode(name), str)


def test_there_are_at_least_95_encodings_each_once() -> None:
    """The table is as wide as the field, and lists nothing twice."""
    assert len(ALL) == len(all_encodings()) >= 95


def test_languages_are_bcp_47_tags_in_order() -> None:
    """Languages are tags such as 'ru' and 'sr-Latn', sorted; only the Unicode encodings name none."""
    for encoding in ALL.values():
        assert list(encoding.languages) == sorted(set(encoding.languages))
        assert all(re.fullmatch("[a-z]{2,3}(-[A-Z][a-z]{3})?", tag) for tag in encoding.languages)
        assert bool(encoding.languages) == (not encoding.name.startswith("utf"))


def test_every_character_of_a_language_s_core_can_be_written() -> None:
    """An encoding is only said to have held a language whose own letters it has."""
    core = {"ru": "жщыэя", "uk": "ґєії", "el": "αήώς", "tr": "ğışç", "pl": "ąęłż", "cs": "ěřů", "hu": "őű"}
    core |= {"de": "äöüß", "fr": "éèçà", "he": "אשת", "th": "กขค", "lv": "āģķ", "is": "ðþæ", "da": "æøå"}
    for encoding in ALL.values():
        for language in set(encoding.languages) & core.keys():
            if encoding.kind != "ascii":
                letters = core[language].replace("ґ", "")  # of Ukraine's alphabet only from 1990 on
                if encoding.name == "cp866":
                    letters = letters.replace("і", "")  # written with the Latin letter
                assert letters.encode(encoding.name, "ignore").decode(encoding.name) == letters, encoding.name


def test_the_common_ones_are_the_commonest() -> None:
    """Frequencies lie on their scale, and the order is the one that every survey of the web finds."""
    assert all(1 <= encoding.common <= 10_000 for encoding in ALL.values())
    ladder = ("cp1252", "cp1251", "gbk", "cp932", "cp1250", "koi8-r", "iso8859-3")
    figures = [ALL[name].common for name in ladder]
    assert figures == sorted(figures, reverse=True)


def sequences(name: str) -> Iterator[bytes]:
    """Every sequence of one and two bytes, and those of three and of escapes that *name* may know."""
    singles = [bytes([value]) for value in range(256)]
    pairs = [first + second for first in singles for second in singles]
    yield from singles
    yield from pairs
    if name.startswith("euc_j"):
        yield from (b"\x8f" + pair for pair in pairs if pair[0] > 0xA0 and pair[1] > 0xA0)
    if name.startswith("iso2022"):
        graphic = [pair for pair in pairs if 0x20 < pair[0] < 0x7F and 0x20 < pair[1] < 0x7F]
        for chosen in (itertools.product(CHOOSE_ONE, singles), itertools.product(CHOOSE_TWO, graphic)):
            yield from (choose + character + b"\x1b(B" for choose, character in chosen)
        yield from (b"\x1b" + pair for pair in pairs)


@pytest.mark.parametrize(("narrow", "wide"), SUBSETS)
def test_a_subset_reads_like_its_superset(narrow: str, wide: str) -> None:
    """Whatever is valid in a subset gives the same text in the encoding it is a subset of."""
    for sequence in sequences(narrow):
        text = decoded(sequence, narrow)
        assert text is None or text == decoded(sequence, wide), sequence


@pytest.mark.parametrize(
    ("narrow", "wide", "sequence"),
    [
        ("gb2312", "gbk", b"\xa1\xa4"),
        ("shift_jis", "cp932", b"\x81\x60"),
        ("big5", "big5hkscs", b"\xc6\xa1"),
        ("cp950", "big5hkscs", b"\xa1\x45"),
        ("euc_kr", "cp949", b"\xa4\xd4\xa4\xa1\xa4\xbf\xa4\xd4"),
        ("iso2022_jp_1", "iso2022_jp_2", b"\x1bN"),
        ("tis-620", "cp874", b"\x85"),
    ],
)
def test_a_near_subset_is_none(narrow: str, wide: str, sequence: bytes) -> None:
    """Where Python's codecs differ in a few characters no subset is claimed, common as the belief may be."""
    text = decoded(sequence, narrow)
    assert text is not None and text != decoded(sequence, wide)
    assert ALL[narrow].subset_of != wide


def test_rank_prefers_ascii_then_utf_8_then_the_web_then_the_rest() -> None:
    """Among encodings that give the same text the order is fixed, the more common first; cp437 is before cp866."""
    order = list(all_encodings())
    assert [encoding.name for encoding in order[:3]] == ["ascii", "utf-8", "cp1252"]
    assert rank("cp437") < rank("cp866")
    keys = [(encoding.web is None and encoding.name != "cp437", -encoding.common) for encoding in order[2:]]
    assert keys == sorted(keys)
    assert [rank(encoding.name) for encoding in order] == list(range(len(order)))
    assert rank("no such encoding") == len(order)


# ---- labels


def test_python_s_aliases_lead_where_python_says() -> None:
    """Every alias of a Python codec that is in the table finds that codec's name."""
    for alias in encodings.aliases.aliases:
        try:
            name = codecs.lookup(alias).name
        except LookupError:  # a codec of another operating system, or an alias that Python itself misses
            continue
        found = lookup(alias)
        if name in ALL:
            assert found is not None and found.name == name, alias


@pytest.mark.parametrize(
    ("label", "name"),
    [
        ("UTF_8", "utf-8"),
        (" latin-1\n", "iso8859-1"),
        ("shift-JIS", "shift_jis"),
        ("Mac Roman", "mac-roman"),
        ("MAC-CENTRALEUROPE", "mac-latin2"),
        ("cp65001", "utf-8"),
        ("utf-8-sig", "utf-8"),
        ("utf-16", "utf-16-le"),
        ("U32", "utf-32-le"),
        ("OEM 866", "cp866"),
    ],
)
def test_people_s_labels_are_understood(label: str, name: str) -> None:
    """Case, '-', '_', spaces and the house names of systems and programs make no difference."""
    found = lookup(label)
    assert found is not None
    assert found.name == canonical(label) == name


NO_TEXT_ENCODINGS = ("rot13", "hex", "base64", "idna", "punycode", "unicode_escape", "undefined", "charmap")


@pytest.mark.parametrize("label", [*NO_TEXT_ENCODINGS, "", "\0", "x" * 99, "日本"])
def test_what_is_no_text_encoding_is_not_found(label: str) -> None:
    """Codecs that are no encodings of text, and labels that are none, lead nowhere."""
    assert lookup(label) is None


def test_iana_names_and_web_names_are_labels_too() -> None:
    """A name that charlens gives out leads back to the encoding it was given for, or to its twin."""
    for encoding in ALL.values():
        if encoding.iana is not None:
            assert canonical(encoding.iana) == encoding.name
        if encoding.web is not None:
            assert canonical(encoding.web) in {encoding.name, "shift_jis", "big5", "euc_kr"}


def test_all_228_labels_of_the_web_resolve() -> None:
    """The 228 labels of the 40 WHATWG encodings are found, in any case and between ASCII spaces."""
    assert (len(WEB_LABELS), len(WEB_CODECS)) == (228, 40)
    assert set(WEB_LABELS.values()) == set(WEB_CODECS)
    for label, name in WEB_LABELS.items():
        assert web_lookup(label) == web_lookup(f"\t {label.upper()}\f\r\n") == name
        assert WEB_CODECS[name] is None or lookup(label) is not None


@pytest.mark.parametrize(
    "label", ["utf_8", "utf 8", "windows1252", "\u212aoi8-r", "\xa0utf-8", "utf-8\v", "johab"]
)
def test_the_web_is_strict(label: str) -> None:
    """What is no label of the standard is none on the web, however near it comes."""
    assert web_lookup(label) is None


def test_web_names_and_codecs_belong_together() -> None:
    """A WHATWG name is given to the encoding that decodes it (GBK: by its superset); two have no codec."""
    for name, codec in WEB_CODECS.items():
        assert codec is None or codec in ALL
        assert web_codec(name) == codec
    assert {name for name, codec in WEB_CODECS.items() if codec is None} == {"replacement", "x-user-defined"}
    for encoding in ALL.values():
        assert web_name(encoding.name) == encoding.web
        if encoding.web is not None:
            assert web_codec(encoding.web) in {encoding.name, encoding.subset_of}
    assert web_codec("no such encoding") is web_name("no such encoding") is None


@pytest.mark.parametrize(
    ("label", "data", "text"),
    [
        ("latin1", b"\x80", "€"),
        ("shift_jis", b"\x81\x60\x87\x40", "～①"),
        ("euc-kr", b"\x81\x41", "갂"),
        ("gb2312", b"\x81\x40\xa1\xa4", "丂·"),
        ("big5", b"\x87\x40", "䏰"),
        ("tis-620", b"\xa1\x85", "ก…"),
        ("x-mac-ukrainian", b"\xb6", "ґ"),
    ],
)
def test_a_page_is_read_as_a_browser_reads_it(label: str, data: bytes, text: str) -> None:
    """From a page's label to its text: the wider encoding that browsers take decodes it."""
    name = web_lookup(label)
    assert name is not None
    codec = web_codec(name)
    assert codec is not None
    assert data.decode(codec) == text


def test_an_unknown_name_gets_an_error_that_teaches() -> None:
    """The error has the unknown name, similar names, and where to find all names."""
    with pytest.raises(UnknownEncodingError, match=r"'windos-1252'.*'cp1252'.*all_encodings\(\)"):
        canonical("windos-1252")
    with pytest.raises(LookupError):  # as Python's own
        canonical("日本")
    with pytest.raises(TypeError, match=r"str, such as 'utf-8'; got int"):
        canonical(65001)  # type: ignore[arg-type]


# ---- what the bytes mean


@pytest.mark.parametrize("name", ONE_BYTE)
def test_maps_agree_with_the_codecs(name: str) -> None:
    """The shipped map of a single-byte encoding is what this Python's codec decodes."""
    points = maps.single_byte_map(name)
    texts = [decoded(bytes([value]), name) for value in range(256)]
    assert [maps.UNDEFINED if text is None else ord(text) for text in texts] == list(points)
    assert maps.defined_mask(name) == sum(1 << value for value in range(256) if texts[value] is not None)


def test_maps_say_what_to_ask_for() -> None:
    """A label, or an encoding without a map, is an error with a message."""
    with pytest.raises(ValueError, match="'cp932' is not a single-byte encoding"):
        maps.single_byte_map("cp932")
    with pytest.raises(ValueError, match=r"'latin-1' is a label; .* 'iso8859-1'"):
        maps.defined_mask("latin-1")
    with pytest.raises(UnknownEncodingError):
        maps.same_text(mask_of(b"abc"), "no such encoding")
    assert maps.same_text(mask_of(b"abc"), "utf-16-le") == ()


#: Bytes that are the same in many encodings, so random texts often agree.
AGREEING = list(b"ab 1\r\n\x0c%+\\~\x1b\x0e\xa0\xa9\xe9\xe4\xfc\x80\x95")
DATA = st.binary(max_size=12) | st.lists(st.sampled_from(AGREEING), max_size=12).map(bytes)


@settings(max_examples=400, deadline=None)
@given(data=DATA, name=st.sampled_from(ONE_BYTE))
def test_same_text_is_what_decoding_finds(data: bytes, name: str) -> None:
    """The encodings said to give the same text are all those whose codecs do, shifting ones aside."""
    text = decoded(data, name)
    found = maps.same_text(mask_of(data), name)
    alike = {other for other in ALL if other != name and decoded(data, other) == text}
    truth = set() if text is None else alike - NOT_BY_BYTES
    left_out = truth ^ set(found)
    assert left_out <= truth and all(ALL[other].kind == "escape" for other in left_out)
    assert not left_out or set(data) & set(b"\x1b\x0e\x0f+~")
    assert list(found) == sorted(found, key=rank)


@settings(deadline=None)
@given(seen=st.sets(st.integers(0, 127)), name=st.sampled_from(maps.MAPPED))
def test_the_short_way_for_ascii_agrees_with_the_long_way(seen: set[int], name: str) -> None:
    """For ASCII bytes the remembered answer is the one that comparing the maps gives."""
    mask = mask_of(bytes(seen))
    long_way = [other for other in maps.MAPPED if other != name and not maps.difference_mask(name, other) & mask]
    assert list(maps.same_text(mask, name)) == long_way


def test_odd_ascii_bytes_leave_encodings_out() -> None:
    """Plain ASCII is the same in all but EBCDIC, UTF-16 and UTF-32; '~', '+', '%', ESC leave some out."""
    plain = maps.same_text(mask_of(b"plain text\r\n"), "ascii")
    assert plain[:2] == ("utf-8", "cp1252")
    assert len(plain) == sum(encoding.kind != "ebcdic" for encoding in ALL.values()) - len(NOT_BY_BYTES) - 1
    gone_with = {b"~": "hz", b"+": "utf-7", b"%": "cp864", b"\x1b": "iso2022_jp", b"\\": "shift_jis_2004"}
    for odd, gone in gone_with.items():
        assert gone in plain
        assert gone not in maps.same_text(mask_of(b"plain text\r\n" + odd), "ascii")


# ---- the generated files


@pytest.fixture
def generate() -> ModuleType:
    """The generator, where there is a TOML reader for it."""
    pytest.importorskip("tomllib" if sys.version_info >= (3, 11) else "tomli")
    from charlens.encodings import generate

    return generate


@pytest.fixture
def workshop(generate: ModuleType, tmp_path: Path) -> Path:
    """A copy of the tables to damage."""
    for name in ("encodings.toml", "whatwg_labels.toml", "_table.py", "single_byte.bin"):
        shutil.copy(generate.HERE / name, tmp_path)
    return tmp_path


def test_generated_files_are_current(generate: ModuleType) -> None:
    """What is imported is what the hand-written tables and this Python's codecs give."""
    assert generate.main(["--check"]) == 0
    first_line = (generate.HERE / "_table.py").read_text(encoding="utf-8").splitlines()[0]
    assert first_line.startswith("# Generated by `python -m charlens.encodings.generate`")


@pytest.mark.parametrize("name", ["_table.py", "single_byte.bin"])
def test_a_stale_file_is_reported(
    generate: ModuleType, workshop: Path, name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """--check exits 1 and says which file and what to run; a run without it repairs the file."""
    (workshop / name).write_bytes(b"# stale")
    assert generate.main(["--check"], workshop) == 1
    assert re.search(f"{re.escape(name)} is not current. Run: python -m", capsys.readouterr().err)
    assert (workshop / name).read_bytes() == b"# stale"
    assert generate.main([], workshop) == 0
    assert generate.main(["--check"], workshop) == 0


def test_a_codec_is_added_with_one_command(generate: ModuleType, workshop: Path) -> None:
    """A codec that Python has and the table lacks gets a row, and the generated files know it."""
    assert generate.main(["--add", "palmos", "--languages", "en,de"], workshop) == 0
    row = next(row for row in generate.read_tables(workshop).encodings if row["name"] == "palmos")
    assert (row["kind"], row["languages"]) == ("single", ["en", "de"])
    assert "'palmos'" in (workshop / "_table.py").read_text(encoding="utf-8").replace('"', "'")
    assert generate.main(["--check"], workshop) == 0


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--add", "koi8-r", "--languages", "tt"), "charlens train --also koi8-r:xx"),
        (("--add", "palmos"), "--languages xx,yy"),
        (("--add", "palmos", "--languages", 'e"n'), "--languages xx,yy"),
        (("--add", "no-such-codec", "--languages", "en"), "Python has no codec"),
        (("--add", "rot13", "--languages", "en"), "not a text encoding"),
    ],
)
def test_what_cannot_be_added_is_refused(
    generate: ModuleType, workshop: Path, capsys: pytest.CaptureFixture[str], arguments: tuple[str, ...], words: str
) -> None:
    """The table is not changed, and the message says why."""
    before = (workshop / "encodings.toml").read_bytes()
    assert generate.main(arguments, workshop) == 1
    assert words in capsys.readouterr().err
    assert (workshop / "encodings.toml").read_bytes() == before


@pytest.mark.parametrize(
    ("right", "wrong", "words"),
    [
        ('name = "cp1252"', 'name = "windows-1252"', "Python calls it 'cp1252'"),
        ('subset_of = "gb18030"', 'subset_of = "gb18031"', "which is not in the table"),
        ('web = "KOI8-R"', 'web = "KOI8"', "is not a WHATWG encoding"),
        ('iana = "KOI8-R"', 'iana = "KOI8-U"', "given twice"),
        ('kind = "ebcdic"', 'kind = "mainframe"', "must be one of ascii, utf"),
        ("common = 1744", "common = 17440", "from 1 to 10000"),
        ('labels = ["cp20866"]', 'labels = ["koi8_r"]', "known without being listed"),
        ('labels = ["cp20866"]', 'lables = ["cp20866"]', "unknown field"),
    ],
)
def test_a_slip_of_the_hand_is_reported(
    generate: ModuleType, workshop: Path, right: str, wrong: str, words: str
) -> None:
    """A mistake in the hand-written table stops the generator, with words that say which."""
    source = workshop / "encodings.toml"
    text = source.read_text(encoding="utf-8")
    assert right in text
    source.write_text(text.replace(right, wrong, 1), encoding="utf-8")
    with pytest.raises(generate.TableError, match=re.escape(words)):
        generate.outputs(generate.read_tables(workshop))
    assert generate.main([], workshop) == 1


def test_importing_the_tables_is_cheap() -> None:
    """Using the tables needs no TOML reader, and nothing heavy that the standard library has."""
    heavy = {"tomllib", "tomli", "difflib", "argparse", "charlens.encodings.generate"}
    code = f"import sys, charlens.encodings.maps; print(sorted({heavy!r} & set(sys.modules)))"
    source = str(Path(table.__file__).parents[2])
    result = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "PYTHONPATH": source},
        capture_output=True,
        text=True,
        check=True,
    )
    assert result.stdout.strip() == "[]"
