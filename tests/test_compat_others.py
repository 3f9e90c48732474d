"""The drop-ins for charset-normalizer and cchardet beside the real ones, and putting a drop-in into `sys.modules`."""

from __future__ import annotations

import importlib
import importlib.util
import inspect
import io
import json
import logging
import subprocess
import sys
import threading
from pathlib import Path
from types import ModuleType

import pytest
from prose_texts import PROSE

from charlens import compat
from charlens.compat import cchardet as our_cchardet
from charlens.compat import charset_normalizer as our_normalizer

normalizer = pytest.importorskip(
    "charset_normalizer", reason="charset-normalizer is not installed (extra: dev)"
)
cchardet = pytest.importorskip("cchardet", reason="faust-cchardet is not installed (extra: dev)")

NORMALIZERS = pytest.mark.parametrize(
    "cn", [normalizer, our_normalizer], ids=["charset-normalizer", "charlens"]
)
CCHARDETS = pytest.mark.parametrize("cc", [cchardet, our_cchardet], ids=["cchardet", "charlens"])

RUSSIAN = PROSE["ru"].encode("cp1251", "ignore")
BINARY = bytes(range(32)) * 20 + b"\xff\xfe\x00\x81" * 50


@NORMALIZERS
def test_a_match_says_what_it_is(cn: ModuleType) -> None:
    """Encoding, text, bytes, language, mark and the rest, by the names and types of charset-normalizer."""
    matches = cn.from_bytes(RUSSIAN)
    best = matches.best()
    assert best is matches.first() is matches[0]
    assert best.encoding == "cp1251"
    assert "windows_1251" in best.encoding_aliases
    assert str(best) == RUSSIAN.decode("cp1251")
    assert best.raw == RUSSIAN
    assert best.language == "Russian" and best.languages[0] == "Russian"
    assert best.bom is best.byte_order_mark is False
    assert best.could_be_from_charset[0] == "cp1251"
    assert best.has_submatch is bool(best.submatch)
    assert 0 <= best.chaos <= 1 and best.percent_chaos == round(best.chaos * 100, 3)
    assert 0 <= best.coherence <= 1 and best.percent_coherence == pytest.approx(
        best.coherence * 100, abs=0.001
    )
    assert {"Basic Latin", "Cyrillic"} <= set(best.alphabets)
    assert best.multi_byte_usage == 0.0
    assert best.output() == RUSSIAN.decode("cp1251").encode()
    assert repr(best).startswith("<CharsetMatch 'cp1251'")


@NORMALIZERS
@pytest.mark.parametrize(
    ("data", "encoding", "bom"),
    [
        (b"abc", "ascii", False),
        ("Grüße aus Köln".encode(), "utf_8", False),
        ("Grüße aus Köln".encode("utf-8-sig"), "utf_8", True),
        (PROSE["de"].encode("utf-16"), "utf_16", True),
        (PROSE["de"].encode("utf-32"), "utf_32", True),
        (PROSE["de"].encode("utf-16-le"), "utf_16_le", False),
        (b"", "utf_8", False),
    ],
)
def test_marks_are_reported_and_taken_off(cn: ModuleType, data: bytes, encoding: str, bom: bool) -> None:
    """'utf_8' with `bom`, 'utf_16' and 'utf_32' by their marks; the text is without the mark."""
    best = cn.from_bytes(data).best()
    assert (best.encoding, best.bom) == (encoding, bom)
    assert not str(best).startswith("\ufeff")


@NORMALIZERS
def test_matches_behave_as_a_list(cn: ModuleType) -> None:
    """len, iteration, [number], [name], truth, append, and the errors."""
    matches = cn.from_bytes(RUSSIAN)
    assert len(matches) == len(list(matches)) >= 1 and matches
    assert matches["cp1251"] is matches["windows-1251"] is matches[0]
    with pytest.raises(IndexError):
        matches[1000]
    with pytest.raises(KeyError):
        matches["no-such-encoding"]
    with pytest.raises(ValueError):
        matches.append("cp1251")
    nothing = cn.CharsetMatches()
    assert (len(nothing), bool(nothing), nothing.best(), nothing.first()) == (0, False, None, None)
    nothing.append(matches[0])
    assert nothing.best() is matches[0]


@NORMALIZERS
def test_matches_compare(cn: ModuleType) -> None:
    """Equal by encoding and text, or to the name of the encoding; ordered among themselves only."""
    one, two = cn.from_bytes(RUSSIAN).best(), cn.from_bytes(RUSSIAN).best()
    assert one == two and one == "cp1251" and one == "windows-1251"
    assert one != "koi8-r" and one != 5
    assert not one < two
    with pytest.raises(ValueError):
        one < 5  # noqa: B015


@NORMALIZERS
def test_output_rewrites_a_declaration(cn: ModuleType) -> None:
    """The text in another encoding, with the name at its top changed, and '?' for what that lacks."""
    page = f'<?xml version="1.0" encoding="windows-1251"?><a>{PROSE["ru"][:500]}</a>'.encode(
        "cp1251", "ignore"
    )
    best = cn.from_bytes(page).best()
    assert best.encoding == "cp1251"
    assert best.output().startswith(b'<?xml version="1.0" encoding="utf-8"?><a>')
    assert b"?" in best.output("latin_1").partition(b"<a>")[2]


@NORMALIZERS
@pytest.mark.parametrize("data", ["abc", None, 5, memoryview(b"abc")])
def test_only_bytes_are_taken(cn: ModuleType, data: object) -> None:
    """bytes and bytearray; anything else is a TypeError."""
    for entry in (cn.from_bytes, cn.detect):
        with pytest.raises(TypeError):
            entry(data)
    assert cn.from_bytes(bytearray(b"abc")).best().encoding == "ascii"


@NORMALIZERS
def test_files_are_read(cn: ModuleType, tmp_path: Path) -> None:
    """from_path and from_fp read all of a file; a missing one is a FileNotFoundError."""
    path = tmp_path / "text"
    path.write_bytes(RUSSIAN)
    assert cn.from_path(path).best().encoding == cn.from_path(str(path)).best().encoding == "cp1251"
    assert cn.from_fp(io.BytesIO(RUSSIAN)).best().encoding == "cp1251"
    with pytest.raises(FileNotFoundError):
        cn.from_path(tmp_path / "missing")


@NORMALIZERS
def test_binary_is_recognised_for_paths_files_and_bytes(cn: ModuleType, tmp_path: Path) -> None:
    """is_binary takes a path (a str is one), an open file or bytes."""
    path = tmp_path / "file"
    path.write_bytes(BINARY)
    assert cn.is_binary(path) and cn.is_binary(str(path)) and cn.is_binary(BINARY)
    assert cn.is_binary(io.BytesIO(BINARY))
    for text in (b"abc", bytearray(b"abc"), RUSSIAN, b""):
        assert cn.is_binary(text) is False


@NORMALIZERS
def test_encodings_can_be_isolated_and_excluded(cn: ModuleType) -> None:
    """cp_isolation and cp_exclusion, by any name of the encoding; other names and empty lists are ignored."""
    assert cn.from_bytes(RUSSIAN, cp_isolation=[], cp_exclusion=[]).best().encoding == "cp1251"
    assert cn.from_bytes(b"abc", cp_isolation=["utf-8"]).best().encoding == "utf_8"
    assert cn.from_bytes(b"abc", cp_exclusion=["ascii"]).best().encoding == "utf_8"
    assert cn.from_bytes(RUSSIAN, cp_isolation=["koi8-r", "nonsense", "cp1251"]).best().encoding == "cp1251"
    assert cn.from_bytes(RUSSIAN, cp_exclusion=["windows-1251", "nonsense"]).best().encoding != "cp1251"


@NORMALIZERS
@pytest.mark.parametrize(
    ("data", "encoding", "language"),
    [
        (b"", "utf-8", ""),
        (b"abc", "ascii", "English"),
        ("Grüße".encode(), "utf-8", ""),
        ("Grüße".encode("utf-8-sig"), "UTF-8-SIG", ""),
        (RUSSIAN, "windows-1251", "Russian"),
        (PROSE["ru"].encode("koi8-r", "ignore"), "KOI8-R", "Russian"),
    ],
)
def test_detect_answers_like_chardet(cn: ModuleType, data: bytes, encoding: str, language: str) -> None:
    """Three keys, chardet's names, the language in English, '' for none."""
    result = cn.detect(data)
    assert set(result) == {"encoding", "language", "confidence"}
    assert (result["encoding"], result["language"]) == (encoding, language)


@NORMALIZERS
def test_detect_can_keep_pythons_names(cn: ModuleType) -> None:
    """With should_rename_legacy the name is that of Python's codec; other keywords are warned about."""
    assert cn.detect(RUSSIAN, should_rename_legacy=True)["encoding"] == "cp1251"
    with pytest.warns(UserWarning, match="nonsense"):
        assert cn.detect(b"abc", nonsense=1)["encoding"] == "ascii"


def test_nothing_found_is_none() -> None:
    """For binary: no match, and None, '' and None from detect."""
    assert our_normalizer.from_bytes(BINARY).best() is None
    assert our_normalizer.detect(BINARY) == {"encoding": None, "language": "", "confidence": None}


@NORMALIZERS
def test_explain_logs(cn: ModuleType, caplog: pytest.LogCaptureFixture) -> None:
    """explain=True logs under 'charset_normalizer', ends with the answer, and leaves the logger as it was."""
    logger = logging.getLogger("charset_normalizer")
    before = (logger.level, list(logger.handlers))
    cn.from_bytes(RUSSIAN, explain=True)
    assert "Encoding detection: " in caplog.text and "cp1251" in caplog.text.splitlines()[-1]
    assert (logger.level, logger.handlers) == before
    caplog.clear()
    cn.from_bytes(RUSSIAN)
    assert caplog.text == ""


@NORMALIZERS
@pytest.mark.parametrize(
    ("data", "encoding"),
    [
        ("\ufeffпривет, мир, это текст".encode("gb18030"), "gb18030"),
        (b"+/v8-testing", "utf_7"),
        (b"+/v/YPdwV-", "utf_7"),
    ],
)
def test_marks_of_gb18030_and_utf7_are_taken_off(cn: ModuleType, data: bytes, encoding: str) -> None:
    """The text has no U+FEFF in front, whatever the mark is."""
    best = cn.from_bytes(data).best()
    assert (best.encoding, best.bom) == (encoding, True)
    assert not str(best).startswith("\ufeff")


@NORMALIZERS
def test_output_leaves_a_declaration_that_is_true(cn: ModuleType) -> None:
    """A declared UTF-8 keeps its spelling."""
    page = b'<?xml version="1.0" encoding="UTF-8"?>'
    assert cn.from_bytes(page).best().output() == page


NULS = {
    "one in a long line": ("Grüße, " * 30).encode() + b"\0" + "é".encode(),
    "find -print0": b"/home/a\0/home/b\0" * 8,
    "find -print0, UTF-8": "./Straße/grün.txt\0./Köln/häßlich.txt\0".encode() * 10,
    "find -print0, windows-1251": "./письма/отчёт за год.txt\0./данные/таблица.csv\0".encode("cp1251") * 10,
    "git grep -z": b"src/a.c\0int main(void) { return 7; }\n" * 40,
}


@pytest.mark.parametrize("data", NULS.values(), ids=NULS.keys())
def test_a_text_with_nuls_is_what_it_is_to_the_originals(data: bytes) -> None:
    """Text with NULs is answered as the packages answer it; binary data have no encoding."""
    theirs, ours = normalizer.from_bytes(data).best(), our_normalizer.from_bytes(data).best()
    assert (theirs and theirs.encoding) == (ours and ours.encoding)
    assert normalizer.is_binary(data) == our_normalizer.is_binary(data)
    assert cchardet.detect(data)["encoding"] == our_cchardet.detect(data)["encoding"]
    assert our_cchardet.detect(BINARY)["encoding"] is our_normalizer.from_bytes(BINARY).best() is None


@pytest.mark.parametrize(
    ("package", "parts"),
    [
        ("chardet", ("cli", "detector", "enums", "registry", "universaldetector")),
        (
            "charset_normalizer",
            ("api", "cd", "cli", "constant", "legacy", "md", "models", "utils", "version"),
        ),
        ("cchardet", ("cli", "version")),
    ],
)
def test_the_parts_of_a_package_are_installed(package: str, parts: tuple[str, ...]) -> None:
    """Submodules that programs import from are there under install."""
    with compat.install(package):
        for part in parts:
            assert getattr(importlib.import_module(package), part) is importlib.import_module(
                f"{package}.{part}"
            )


def test_the_parts_of_charset_normalizer_give_the_same_answers() -> None:
    """Names, marks, declarations and kinds of characters, as the original's functions tell them."""
    from charset_normalizer import constant, utils

    from charlens.compat import normalizer_parts as parts

    assert set(parts.IANA_SUPPORTED) <= set(constant.IANA_SUPPORTED)
    assert parts.TRACE == constant.TRACE and parts.TOO_BIG_SEQUENCE == constant.TOO_BIG_SEQUENCE
    for name in ("UTF-8", "latin-1", "windows-1251", "cp932", "sjis", "big5"):
        assert parts.iana_name(name) == utils.iana_name(name)
    with pytest.raises(ValueError, match="nothing"):
        parts.iana_name("nothing")
    for page in (b'<meta charset="koi8-r">', b"# coding: cp1251", b"plain", b'<meta charset="nothing">'):
        assert parts.any_specified_encoding(page) == utils.any_specified_encoding(page)
    for data in (b"\xef\xbb\xbfa", b"\xff\xfea\0", b"\x84\x31\x95\x33", b"+/v8-", b"plain"):
        assert parts.identify_sig_or_bom(data)[0] == utils.identify_sig_or_bom(data)[0]
    for kind in (
        "accentuated",
        "latin",
        "punctuation",
        "cjk",
        "hiragana",
        "katakana",
        "hangul",
        "thai",
        "arabic",
    ):
        ours, theirs = getattr(parts, f"is_{kind}"), getattr(utils, f"is_{kind}")
        assert [each for each in "aéß.,日あア한กب5 " if bool(ours(each)) != bool(theirs(each))] == [], kind
    assert parts.is_cp_similar("cp1252", "iso8859_1") and not parts.is_cp_similar("cp1252", "cp866")
    assert parts.mess_ratio("Ein sauberer Satz.") == 0.0 < parts.mess_ratio("schÃ¶ne GrÃ¼ÃŸe")
    assert parts.coherence_ratio(PROSE["ru"][:200])[0][0] == "Russian"
    assert parts.encoding_languages("koi8_r") and parts.mb_encoding_languages("cp932") == ["Japanese"]


def test_the_normalizer_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """JSON or names, and files in UTF-8 beside the old ones or in their place; wrong use is 1."""
    from charlens.compat.normalizer import cli_detect

    path = tmp_path / "letter.txt"
    path.write_bytes(RUSSIAN)
    assert cli_detect([str(path)]) == 0
    record = json.loads(capsys.readouterr().out)
    assert (record["encoding"], record["language"], record["unicode_path"]) == ("cp1251", "Russian", None)
    assert cli_detect(["--minimal", str(path)]) == 0
    assert capsys.readouterr().out == "cp1251\n"
    assert cli_detect(["--normalize", str(path)]) == 0
    assert (tmp_path / "letter.cp1251.txt").read_bytes() == RUSSIAN.decode("cp1251").encode()
    assert path.read_bytes() == RUSSIAN
    assert cli_detect(["--replace", str(path)]) == 1
    assert cli_detect(["--normalize", "--replace", "--force", str(path)]) == 0
    assert path.read_bytes() == RUSSIAN.decode("cp1251").encode()
    with pytest.raises(SystemExit):
        cli_detect([str(tmp_path / "missing")])


def test_the_cchardetect_command(tmp_path: Path) -> None:
    """The line of each file is that of the original, but for the confidence; so is standard input."""
    path = tmp_path / "letter.txt"
    path.write_bytes(RUSSIAN)
    for module in ("cchardet", "charlens.compat.cchardet"):
        done = subprocess.run([sys.executable, "-m", module, str(path)], capture_output=True, text=True)
        assert done.stdout.startswith(f"{path}: WINDOWS-1251 with confidence 0."), done.stderr
        piped = subprocess.run([sys.executable, "-m", module], input=b"abc", capture_output=True)
        assert piped.stdout.startswith(b"<stdin>: ASCII with confidence"), piped.stderr


def test_the_exports_of_charset_normalizer_are_there() -> None:
    """Every public name, and every public attribute of its classes; from_bytes with the same parameters."""
    assert set(normalizer.__all__) <= set(our_normalizer.__all__)
    for name in ("CharsetMatch", "CharsetMatches"):
        theirs = {n for n in dir(getattr(normalizer, name)) if not n.startswith("_")}
        assert theirs <= set(dir(getattr(our_normalizer, name)))
    theirs, ours = (
        inspect.signature(module.from_bytes).parameters for module in (normalizer, our_normalizer)
    )
    assert [(p.name, p.default) for p in theirs.values()] == [(p.name, p.default) for p in ours.values()]


@CCHARDETS
@pytest.mark.parametrize(
    ("data", "encoding"),
    [
        (b"", None),
        (b"abc", "ASCII"),
        ("Grüße aus Köln".encode(), "UTF-8"),
        ("Grüße aus Köln".encode("utf-8-sig"), "UTF-8-SIG"),
        (PROSE["de"].encode("utf-16"), "UTF-16"),
        (RUSSIAN, "WINDOWS-1251"),
        (PROSE["ru"].encode("koi8-r", "ignore"), "KOI8-R"),
        (PROSE["ja"].encode("cp932", "ignore"), "SHIFT_JIS"),
        (PROSE["ja"].encode("euc_jp", "ignore"), "EUC-JP"),
        (PROSE["ko"].encode("cp949", "ignore"), "UHC"),
        (PROSE["zh-Hans"].encode("gbk", "ignore"), "GB18030"),
        (PROSE["zh-Hant"].encode("big5", "ignore"), "BIG5"),
        (PROSE["ru"].encode("mac-cyrillic", "ignore"), "maccyrillic"),
    ],
)
def test_cchardet_names_in_capitals(cc: ModuleType, data: bytes, encoding: str | None) -> None:
    """Two keys, uchardet's names; nothing is None and None."""
    result = cc.detect(data)
    assert set(result) == {"encoding", "confidence"}
    assert result["encoding"] == encoding
    assert (result["confidence"] is None) == (encoding is None)


@pytest.mark.parametrize(
    ("language", "encoding"), [("et", "WINDOWS-1257"), ("lt", "ISO-8859-13"), ("lv", "ISO-8859-13")]
)
@CCHARDETS
def test_cchardet_names_the_narrower_but_for_estonian(cc: ModuleType, language: str, encoding: str) -> None:
    """Letters alone are the same in both; uchardet knows Windows-1257 for Estonian only, and names it first there."""
    letters = "".join(letter for letter in PROSE[language] if letter.isalpha() or letter in " \n")
    assert cc.detect(letters.encode("cp1257", "ignore"))["encoding"] == encoding


@CCHARDETS
@pytest.mark.parametrize("data", ["abc", bytearray(b"abc"), memoryview(b"abc"), None, 5])
def test_cchardet_takes_bytes_only(cc: ModuleType, data: object) -> None:
    """Anything but bytes is a TypeError, in detect and in feed."""
    with pytest.raises(TypeError):
        cc.detect(data)
    with pytest.raises(TypeError):
        cc.UniversalDetector().feed(data)


@CCHARDETS
def test_the_detector_of_cchardet_has_a_result_at_any_time(cc: ModuleType) -> None:
    """`result` is for the bytes so far, close() returns nothing, and later bytes are ignored."""
    unfed = cc.UniversalDetector()
    assert (unfed.done, unfed.result) == (False, {"encoding": None, "confidence": None})
    detector = cc.UniversalDetector()
    detector.feed(b"abc ")
    assert not detector.done
    assert detector.result["encoding"] == "ASCII"
    assert detector.close() is None
    assert detector.done
    detector.feed("Grüße".encode())
    assert detector.result["encoding"] == "ASCII"


@CCHARDETS
def test_the_detector_of_cchardet_is_a_context_manager(cc: ModuleType) -> None:
    """The end of the block closes it; the result stays."""
    with cc.UniversalDetector() as detector:
        detector.feed(RUSSIAN)
    assert detector.done and detector.result["encoding"] == "WINDOWS-1251"


def test_reset_opens_a_closed_detector() -> None:
    """After reset() another input can be fed, as its documentation says."""
    detector = our_cchardet.UniversalDetector()
    detector.feed(b"abc")
    detector.close()
    detector.reset()
    assert not detector.done
    detector.feed("Grüße".encode())
    assert detector.result["encoding"] == "UTF-8"


def test_install_and_undo() -> None:
    """`import chardet` gives the drop-in, its parts as well; undo() gives the real one back, once."""
    before = {name: module for name, module in sys.modules.items() if name.partition(".")[0] == "chardet"}
    installed = compat.install("chardet")
    try:
        import chardet
        from chardet.universaldetector import UniversalDetector

        assert (
            chardet.detect is compat.chardet.detect and UniversalDetector is compat.chardet.UniversalDetector
        )
        assert chardet.__name__ == "chardet" and "charlens" in repr(chardet)
        assert importlib.util.find_spec("chardet") is chardet.__spec__
        assert {"detect", "cli"} <= set(dir(chardet))
        with pytest.MonkeyPatch.context() as patch:  # the replacement is also seen inside the drop-in
            patch.setattr(chardet, "detect", None)
            assert compat.chardet.detect is None
        assert compat.chardet.detect is not None
    finally:
        installed.undo()
    after = {name: module for name, module in sys.modules.items() if name.partition(".")[0] == "chardet"}
    assert after == before
    installed.undo()


def test_install_is_a_context_manager() -> None:
    """In the block the drop-ins are there, after it the real ones."""
    with compat.install("charset_normalizer", "cchardet"):
        import charset_normalizer
        from charset_normalizer.models import CharsetMatch

        assert charset_normalizer.from_bytes is our_normalizer.from_bytes
        assert CharsetMatch is our_normalizer.CharsetMatch
        assert sys.modules["cchardet"].detect is our_cchardet.detect
    assert sys.modules["charset_normalizer"] is normalizer and sys.modules["cchardet"] is cchardet


def test_undoing_the_outer_one_first_does_no_harm() -> None:
    """Of two installs the last to be undone brings the real package back, whichever it is."""
    one = compat.install("cchardet")
    two = compat.install("cchardet")
    one.undo()
    assert sys.modules["cchardet"].detect is our_cchardet.detect
    two.undo()
    assert sys.modules["cchardet"] is cchardet


@pytest.mark.parametrize("names", [(), ("nonsense",)])
def test_what_cannot_be_installed_is_named(names: tuple[str, ...]) -> None:
    """No name, or one without a drop-in, is an error that lists those there are."""
    with pytest.raises(ValueError, match="charset_normalizer"):
        compat.install(*names)


def test_install_from_many_threads() -> None:
    """Installing and undoing in eight threads at once leaves the real package behind."""

    def work() -> None:
        for _ in range(50):
            with compat.install("cchardet"):
                assert "cchardet" in sys.modules

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sys.modules["cchardet"] is cchardet


def python(code: str) -> str:
    done = subprocess.run(
        [sys.executable, "-X", "utf8", "-c", code], capture_output=True, text=True, encoding="utf-8"
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


INSTALL = "import charlens.compat; charlens.compat.install({}); "


@pytest.mark.parametrize("package", ["chardet", "charset_normalizer"])
def test_requests_uses_it_unchanged(package: str) -> None:
    """`response.apparent_encoding` and `response.text` come from the drop-in, and requests does not complain."""
    pytest.importorskip("requests", reason="requests is not installed (extra: dev)")
    code = INSTALL.format(f"'{package}'") + (
        f"import sys; sys.modules.setdefault('chardet', None) if {package!r} != 'chardet' else None\n"
        "import warnings; warnings.simplefilter('error')\n"
        "import requests\n"
        "r = requests.Response(); r._content = 'Съешь ещё этих мягких французских булок'.encode('cp1251')\n"
        "assert 'charlens' in requests.compat.chardet.__file__, requests.compat.chardet\n"
        f"assert requests.compat.chardet.__name__ == {package!r}\n"
        "print(r.apparent_encoding.lower(), r.text)"
    )
    assert python(code) == "windows-1251 Съешь ещё этих мягких французских булок"


@pytest.mark.parametrize("package", ["chardet", "charset_normalizer", "cchardet"])
def test_beautiful_soup_uses_it_unchanged(package: str) -> None:
    """`BeautifulSoup(bytes)` asks the drop-in for pages that declare nothing."""
    pytest.importorskip("bs4", reason="beautifulsoup4 is not installed (extra: dev)")
    others = {"chardet", "charset_normalizer", "cchardet"} - {package}
    code = (
        f"import sys; sys.modules.update(dict.fromkeys({sorted(others)!r}))\n"
        + INSTALL.format(f"'{package}'")
        + "\nfrom bs4 import BeautifulSoup\n"
        "page = '<p>Съешь ещё этих мягких французских булок, да выпей чаю</p>'.encode('cp1251')\n"
        "soup = BeautifulSoup(page, 'html.parser'); print(soup.original_encoding, soup.p.string)"
    )
    assert python(code) == "windows-1251 Съешь ещё этих мягких французских булок, да выпей чаю"
