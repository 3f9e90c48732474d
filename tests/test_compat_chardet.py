"""The drop-in for chardet, side by side with chardet: what both have to do is asked of both."""

from __future__ import annotations

import inspect
import io
import subprocess
import sys
import warnings
import zipfile
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from prose_texts import PROSE, legacy_pairs

from charlens.compat import chardet as dropin
from charlens.compat import chardetect
from charlens.encodings import all_encodings

real = pytest.importorskip("chardet", reason="chardet is not installed (extra: dev)")

BOTH = pytest.mark.parametrize("chardet", [real, dropin], ids=["chardet", "charlens"])


def archive(name: str, content: str = "<xml/>") -> bytes:
    """An archive whose last entry is *name*; a document's own type is its first one, as it is."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_STORED) as made:
        if name != "mimetype":
            made.writestr("[Content_Types].xml", "<xml/>")
        made.writestr(name, content)
    return file.getvalue()


KEYS = {"encoding", "confidence", "language", "mime_type"}
NOTHING = {"encoding": None, "confidence": 0.0, "language": None, "mime_type": None}


@BOTH
@pytest.mark.parametrize(
    ("data", "encoding"),
    [
        (b"plain", "ascii"),
        ("Grüße aus Köln".encode(), "utf-8"),
        ("Grüße aus Köln".encode("utf-8-sig"), "UTF-8-SIG"),
        ("Grüße aus Köln".encode("utf-16"), "UTF-16"),
        ("Grüße aus Köln".encode("utf-32"), "UTF-32"),
        (PROSE["de"].encode("cp1252"), "Windows-1252"),
        (PROSE["ru"].encode("cp1251", "ignore"), "Windows-1251"),
        (PROSE["ru"].encode("koi8-r", "ignore"), "KOI8-R"),
        (PROSE["ja"].encode("euc_jp", "ignore"), "EUC-JP"),
        (PROSE["ja"].encode("iso2022_jp", "ignore"), "ISO-2022-JP"),
        (PROSE["ko"].encode("iso2022_kr", "ignore"), "ISO-2022-KR"),
        (PROSE["zh-Hans"].encode("hz", "ignore"), "HZ-GB-2312"),
        (PROSE["zh-Hans"].encode("gbk", "ignore"), "GB18030"),
        (PROSE["zh-Hant"].encode("big5", "ignore"), "Big5"),
        (PROSE["ru"].encode("cp866", "ignore"), "IBM866"),
        (PROSE["ru"].encode("mac-cyrillic", "ignore"), "MacCyrillic"),
        (b"\x00\x01\x02\x03" * 20, None),
    ],
)
def test_the_names_are_the_same(chardet: ModuleType, data: bytes, encoding: str | None) -> None:
    """The four keys, and the name of the encoding spelt as chardet 7 spells it."""
    result = chardet.detect(data)
    assert set(result) == KEYS
    assert result["encoding"] == encoding
    assert isinstance(result["confidence"], float) and 0 <= result["confidence"] <= 1


@BOTH
def test_languages_are_iso_codes(chardet: ModuleType) -> None:
    """Two letters, without a script."""
    assert chardet.detect(PROSE["ru"].encode("cp1251", "ignore"))["language"] == "ru"
    assert chardet.detect(PROSE["zh-Hans"].encode("gbk", "ignore"))["language"] == "zh"


@BOTH
def test_an_empty_input_is_what_the_caller_says(chardet: ModuleType) -> None:
    """utf-8 at 0.10, or the encoding that was asked for."""
    assert chardet.detect(b"") == {
        "encoding": "utf-8",
        "confidence": 0.1,
        "language": None,
        "mime_type": "text/plain",
    }
    assert chardet.detect(b"", empty_input_encoding="latin1")["encoding"] == "ISO-8859-1"
    assert chardet.detect_all(b"") == [chardet.detect(b"")]
    with pytest.warns(UserWarning, match="empty_input_encoding"):
        assert chardet.detect(b"", exclude_encodings=["utf-8"])["encoding"] is None


@BOTH
@pytest.mark.parametrize(
    ("keywords", "words"),
    [
        ({"max_bytes": 0}, "max_bytes"),
        ({"max_bytes": "many"}, "max_bytes"),
        ({"include_encodings": ["nonsense"]}, "nonsense.*include_encodings"),
        ({"exclude_encodings": ["nonsense"]}, "nonsense.*exclude_encodings"),
        ({"include_encodings": "utf-8"}, "include_encodings"),
        ({"include_encodings": []}, "must not be empty"),
        ({"no_match_encoding": "nonsense"}, "no_match_encoding"),
        ({"empty_input_encoding": "nonsense"}, "empty_input_encoding"),
    ],
)
def test_wrong_keywords_are_value_errors(
    chardet: ModuleType, keywords: dict[str, object], words: str
) -> None:
    """A keyword that makes no sense is a ValueError that names it, in all three entries."""
    for entry in (
        lambda: chardet.detect(b"abc", **keywords),
        lambda: chardet.detect_all(b"abc", **keywords),
        lambda: chardet.UniversalDetector(**keywords),
    ):
        with pytest.raises(ValueError, match=words):
            entry()


@BOTH
@pytest.mark.parametrize("data", ["text", None])
def test_what_is_no_bytes_is_a_type_error(chardet: ModuleType, data: object) -> None:
    """str and None are refused."""
    with pytest.raises(TypeError):
        chardet.detect(data)
    with pytest.raises(TypeError):
        chardet.UniversalDetector().feed(data)


@BOTH
@pytest.mark.parametrize("data", [bytearray(b"abc"), memoryview(b"abc")])
def test_other_bytes_are_taken(chardet: ModuleType, data: object) -> None:
    """bytearray and memoryview are as good as bytes."""
    assert chardet.detect(data)["encoding"] == "ascii"


@BOTH
def test_deprecated_keywords_warn(chardet: ModuleType) -> None:
    """chunk_size, should_rename_legacy and lang_filter are taken, with a DeprecationWarning."""
    with pytest.warns(DeprecationWarning, match="chunk_size"):
        chardet.detect(b"abc", chunk_size=10)
    with pytest.warns(DeprecationWarning, match="should_rename_legacy"):
        assert chardet.detect(b"abc", should_rename_legacy=True)["encoding"] == "Windows-1252"
    with pytest.warns(DeprecationWarning, match="lang_filter"):
        chardet.UniversalDetector(lang_filter=chardet.LanguageFilter.CJK)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        chardet.UniversalDetector()
        chardet.detect(b"abc")


@BOTH
def test_names_can_be_chosen(chardet: ModuleType) -> None:
    """prefer_superset gives the Windows page, compat_names=False the name of Python's codec."""
    assert chardet.detect(b"abc", prefer_superset=True)["encoding"] == "Windows-1252"
    marked = "Grüße".encode("utf-8-sig")
    assert chardet.detect(marked, compat_names=False)["encoding"] == "utf-8-sig"
    assert chardet.detect(PROSE["ru"].encode("cp1251", "ignore"), compat_names=False)["encoding"] == "cp1251"
    assert chardet.detect(PROSE["zh-Hans"].encode("utf-16-le"), compat_names=False)["encoding"] == "utf-16-le"


@BOTH
def test_encodings_can_be_filtered(chardet: ModuleType) -> None:
    """include_encodings, exclude_encodings and encoding_era restrict the answer."""
    data = PROSE["ru"].encode("cp1251", "ignore")
    assert chardet.detect(b"abc", include_encodings=["utf-8"])["encoding"] == "utf-8"
    assert chardet.detect(data, include_encodings=["koi8-r", "windows-1251"])["encoding"] == "Windows-1251"
    assert chardet.detect(data, exclude_encodings=["windows-1251"])["encoding"] != "Windows-1251"
    assert chardet.detect(data, encoding_era=chardet.EncodingEra.MODERN_WEB)["encoding"] == "Windows-1251"
    cyrillic = PROSE["ru"].encode("cp866", "ignore")
    assert chardet.detect(cyrillic, encoding_era=chardet.EncodingEra.DOS)["encoding"] == "IBM866"
    gbk = PROSE["zh-Hans"].encode("gbk", "ignore")
    assert chardet.detect(gbk, include_encodings=["gb18030"])["encoding"] == "GB18030"


@BOTH
def test_no_match_is_what_the_caller_says(chardet: ModuleType) -> None:
    """Where nothing that is allowed decodes the bytes: None with a warning, as cp1252 is not allowed either."""
    with pytest.warns(UserWarning, match="no_match_encoding"):
        result = chardet.detect("é".encode(), include_encodings=["ascii"])
    assert result == {**NOTHING, "mime_type": "application/octet-stream"}


@BOTH
def test_all_readings_are_ranked(chardet: ModuleType) -> None:
    """detect_all is a list of the same dicts, the best first, those under the threshold only on request."""
    data = "№ 5, Привет".encode("cp1251")
    some, every = chardet.detect_all(data), chardet.detect_all(data, ignore_threshold=True)
    assert some and len(every) >= len(some)
    confidences = [result["confidence"] for result in every]
    assert confidences == sorted(confidences, reverse=True)
    assert all(set(result) == KEYS for result in every)
    passed = [result for result in every if result["confidence"] > chardet.MINIMUM_THRESHOLD]
    assert some == (passed or every)
    assert chardet.detect(data) == every[0]


@BOTH
def test_the_detector_goes_through_its_states(chardet: ModuleType) -> None:
    """Nothing before close, the answer after it, an error for more, and a new beginning."""
    detector = chardet.UniversalDetector()
    assert (detector.done, detector.result) == (False, NOTHING)
    detector.feed(b"abc ")
    detector.feed(bytearray(b"def"))
    assert detector.result["encoding"] is None
    result = detector.close()
    assert result["encoding"] == "ascii" and detector.done
    assert detector.close() == result == detector.result
    with pytest.raises(ValueError, match=r"close\(\)"):
        detector.feed(b"more")
    detector.reset()
    assert (detector.done, detector.result) == (False, NOTHING)
    detector.feed("Grüße".encode())
    assert detector.close()["encoding"] == "utf-8"


@BOTH
def test_the_loop_of_the_documentation_works(chardet: ModuleType) -> None:
    """feed line by line until done, then close: the answer of detect."""
    data = PROSE["ru"].encode("koi8-r", "ignore")
    detector = chardet.UniversalDetector()
    for line in data.splitlines(keepends=True):
        detector.feed(line)
        if detector.done:
            break
    assert detector.close()["encoding"] == "KOI8-R"


@BOTH
def test_an_unfed_detector_answers_as_for_nothing(chardet: ModuleType) -> None:
    """close() without feed() is detect(b"")."""
    assert chardet.UniversalDetector().close() == chardet.detect(b"")


@BOTH
def test_a_limit_is_kept(chardet: ModuleType) -> None:
    """With max_bytes, the detector is done there, and later bytes do not count."""
    detector = chardet.UniversalDetector(max_bytes=5)
    detector.feed(b"abc")
    assert not detector.done
    detector.feed(b"defgh")
    assert detector.done
    detector.feed(b"\xe9")
    assert detector.close()["encoding"] == "ascii"
    assert chardet.detect(b"abcde\xe9", max_bytes=5)["encoding"] == "ascii"


@BOTH
@pytest.mark.parametrize(
    ("opening", "mime"),
    [
        (b"\xff\xd8\xff\xe0", "image/jpeg"),
        (b"GIF89a", "image/gif"),
        (b"PK\x03\x04\0\0", "application/zip"),
        (b"\x1f\x8b\x08\0", "application/gzip"),
        (b"\x7fELF\x02\x01", "application/x-elf"),
        (b"RIFF\x01\x02\x03\x04WEBPVP8 ", "image/webp"),
        (b"RIFF\x01\x02\x03\x04WAVEfmt ", "audio/wav"),
        (b"RIFF\x01\x02\x03\x04AVI LIST", "video/x-msvideo"),
        (b"BZh91AY&SY", "application/x-bzip2"),
        (b"Rar!\x1a\x07\0", "application/vnd.rar"),
        (b"wOFF\0\1\0\0", "font/woff"),
        (b"OTTO\0\x0b", "font/otf"),
        (b"\0\0\1\0\1\0", "image/vnd.microsoft.icon"),
        (b"BM\x36\0\0\0\0\0\0\0", "image/bmp"),
        (b"\x1a\x45\xdf\xa3\x01", "video/webm"),
        (b"\0" * 257 + b"ustar\0", "application/x-tar"),
        (
            archive("word/document.xml"),
            "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
        ),
        (archive("xl/workbook.xml"), "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"),
        (
            archive("mimetype", "application/vnd.oasis.opendocument.text"),
            "application/vnd.oasis.opendocument.text",
        ),
        (archive("picture.bin"), "application/zip"),
        (b"\0\1\2", "application/octet-stream"),
    ],
)
def test_binary_files_have_a_mime_type(chardet: ModuleType, opening: bytes, mime: str) -> None:
    """No encoding, and the type by the first bytes."""
    result = chardet.detect(opening + b"\0\1\2" * 20)
    assert (result["encoding"], result["mime_type"]) == (None, mime)


def test_every_public_name_is_there() -> None:
    """What chardet exports, the drop-in exports, with the same parameters in the same order."""
    assert set(real.__all__) <= set(dropin.__all__)
    for name in ("detect", "detect_all"):
        theirs, ours = (inspect.signature(getattr(module, name)).parameters for module in (real, dropin))
        assert [(p.name, p.kind, p.default) for p in theirs.values()] == [
            (p.name, p.kind, p.default) for p in ours.values()
        ]
    theirs, ours = (inspect.signature(module.UniversalDetector).parameters for module in (real, dropin))
    assert [(p.name, p.kind, p.default) for p in theirs.values()] == [
        (p.name, p.kind, p.default) for p in ours.values()
    ]
    assert real.EncodingEra.__members__ == dropin.EncodingEra.__members__
    assert real.LanguageFilter.__members__ == dropin.LanguageFilter.__members__
    assert real.UniversalDetector.LEGACY_MAP == dropin.UniversalDetector.LEGACY_MAP
    assert (real.MINIMUM_THRESHOLD, real.DEFAULT_MAX_BYTES) == (
        dropin.MINIMUM_THRESHOLD,
        dropin.DEFAULT_MAX_BYTES,
    )


@BOTH
def test_the_result_class_gives_the_dict(chardet: ModuleType) -> None:
    """DetectionResult.to_dict is what detect returns."""
    result = chardet.DetectionResult("utf-8", 0.5, None)
    assert result.to_dict() == {"encoding": "utf-8", "confidence": 0.5, "language": None, "mime_type": None}


def test_every_encoding_belongs_to_an_era() -> None:
    """No encoding of ours is lost by asking for all eras one by one."""
    eras = dropin.table("chardet_eras")
    assert {e.name for e in all_encodings()} == {name for names in eras.values() for name in names}


@pytest.mark.parametrize(("encoding", "language"), legacy_pairs("single", "multi", "escape")[::7])
def test_the_name_always_decodes_the_whole_input(encoding: str, language: str) -> None:
    """Whatever name is given, Python's codec of that name reads all the bytes, and the text is ours."""
    data = PROSE[language].encode(encoding, "ignore")
    ours = dropin.detect(data, compat_names=False)["encoding"]
    assert ours is not None
    for name in (dropin.detect(data)["encoding"], dropin.detect(data, prefer_superset=True)["encoding"]):
        assert name is not None
        assert data.decode(name) == data.decode(ours)


def test_a_late_byte_is_seen() -> None:
    """One letter after 300 KB of ASCII counts, where chardet answers 'ascii' and the decoder raises."""
    data = b"x" * 300_000 + "Köln".encode("cp1252")
    assert data.decode(str(dropin.detect(data)["encoding"])).endswith("Köln")
    detector = dropin.UniversalDetector()
    detector.feed(data)
    assert detector.close()["encoding"] == dropin.detect(data)["encoding"]


def test_done_comes_with_the_mark() -> None:
    """A loop over a file with a byte order mark ends at once, where chardet reads 200 KB."""
    detector = dropin.UniversalDetector()
    detector.feed("Grüße".encode("utf-8-sig"))
    assert detector.done


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "a.txt").write_bytes(b"abc")
    (tmp_path / "mark.txt").write_bytes(b"\xef\xbb\xbfabc")
    (tmp_path / "empty").write_bytes(b"")
    (tmp_path / "zeros").write_bytes(b"\0\1\2\3\0\0\0")
    return tmp_path


@pytest.mark.parametrize("module", ["chardet", "charlens.compat.chardet"])
@pytest.mark.parametrize(
    ("arguments", "lines", "code"),
    [
        (
            ["a.txt", "mark.txt"],
            ["a.txt: ascii with confidence 1.0", "mark.txt: UTF-8-SIG with confidence 1.0"],
            0,
        ),
        (["--minimal", "a.txt", "zeros"], ["ascii", "None"], 0),
        (["empty"], ["empty: utf-8 with confidence 0.1"], 0),
        (["-m", "a.txt"], ["a.txt: ascii text/plain with confidence 1.0"], 0),
        (["--minimal", "-m", "zeros"], ["None application/octet-stream"], 0),
        (["--minimal", "-i", "utf-8", "a.txt"], ["utf-8"], 0),
        (["a.txt", "missing"], ["a.txt: ascii with confidence 1.0"], 0),
        (["missing"], [], 1),
        (["-i", "nonsense", "a.txt"], [], 1),
        (["-e", "nonsense", "a.txt"], [], 2),
    ],
)
def test_chardetect_prints_the_same(
    folder: Path, module: str, arguments: list[str], lines: list[str], code: int
) -> None:
    """The same lines, and the same exit code, for the same options."""
    command = [sys.executable, "-m", module, *arguments]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    assert done.stdout.splitlines() == lines
    assert done.returncode == code
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("module", ["chardet", "charlens.compat.chardet"])
def test_chardetect_reads_standard_input(module: str) -> None:
    """Without a file it reads standard input and calls it stdin."""
    done = subprocess.run([sys.executable, "-m", module], input=b"abc", capture_output=True)
    assert done.stdout == b"stdin: ascii with confidence 1.0\n"


def test_chardetect_names_the_language(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """With -l the code and the English name; 'und' where there is none."""
    (folder / "ru.txt").write_bytes(PROSE["ru"].encode("cp1251", "ignore"))
    chardetect.main(["-l", str(folder / "ru.txt")])
    assert "Windows-1251 ru (Russian) with confidence" in capsys.readouterr().out
    chardetect.main(["-l", str(folder / "zeros")])
    assert "None und (Undetermined) with confidence" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("data", "keywords", "expected"),
    [
        (b"\xef\xbb\xbfHello world", {"exclude_encodings": ["utf-8-sig"]}, "utf-8"),
        (b"\xef\xbb\xbfHello world", {"include_encodings": ["utf-8"]}, "utf-8"),
        (b"\xef\xbb\xbfHello world", {"include_encodings": ["utf-8-sig"]}, "UTF-8-SIG"),
        (b"Hello \xc3\xa9 more", {"max_bytes": 7}, "utf-8"),
        (b"Hello!!\xff", {"max_bytes": 7}, "ascii"),
        (b'<meta charset="iso-8859-1"><p>plain', {}, "ISO-8859-1"),
        (b"# -*- coding: latin-1 -*-\nx = '\xe9'\n", {}, "ISO-8859-1"),
        (b"/home/user/report.txt\x00/home/user/notes.txt\x00", {}, "ascii"),
        ("Grüße aus Köln und überall\0".encode("cp1252") * 4, {}, None),
    ],
)
def test_names_follow_chardet(data: bytes, keywords: dict[str, Any], expected: str | None) -> None:
    """Marks that are excluded, a limit inside a character, declared names and NULs: the answer is chardet's."""
    assert real.detect(data, **keywords)["encoding"] == expected
    assert dropin.detect(data, **keywords)["encoding"] == expected


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b'<meta charset="utf-8"><p>plain', "text/html"),
        (b'<?xml version="1.0" encoding="utf-8"?><a/>', "text/xml"),
        (b"# -*- coding: utf-8 -*-\nx = 1\n", "text/x-python"),
        (b"plain", "text/plain"),
        (b"\x89PNG\r\n\x1a\n" + bytes(32), "image/png"),
    ],
)
def test_the_mime_type_is_chardets(data: bytes, expected: str) -> None:
    """What declares its charset has the type of its kind; the rest is plain text, or known by its first bytes."""
    assert real.detect(data)["mime_type"] == expected
    assert dropin.detect(data)["mime_type"] == expected


def test_a_mark_that_is_not_true_is_no_answer() -> None:
    """If the bytes after a mark do not decode, the mark does not decide."""
    data = b"\xef\xbb\xbf" + "Caf\xe9 cr\xe8me, na\xefve".encode("cp1252")
    assert dropin.detect(data)["encoding"] != "UTF-8-SIG"


def test_a_stream_answers_as_one_call() -> None:
    """With a limit, UniversalDetector and detect agree, also where the limit cuts a character."""
    data = "h\xe9llo w\xf6rld ".encode() * 20
    for limit in range(60, 70):
        detector = dropin.UniversalDetector(max_bytes=limit)
        for start in range(0, len(data), 7):
            detector.feed(data[start : start + 7])
        assert detector.close() == dropin.detect(data, max_bytes=limit)


def test_the_registry_is_chardets() -> None:
    """The encodings of chardet are there by its names, with its eras; labels mean what they mean there."""
    from chardet import registry

    from charlens.compat import chardet_registry

    assert registry.REGISTRY.keys() <= chardet_registry.REGISTRY.keys()
    for name, info in registry.REGISTRY.items():
        mine = chardet_registry.REGISTRY[name]
        assert (int(mine.era), mine.is_multibyte_cjk) == (int(info.era), info.is_multibyte_cjk), name
    for label in ("latin-1", "sjis", "GBK", "utf8", "UTF-16", "tis620", "windows-1252", "nothing"):
        assert chardet_registry.lookup_encoding(label) == registry.lookup_encoding(label)
    with pytest.raises(ValueError, match="include_encodings"):
        chardet_registry.normalize_encodings(["nothing"], "include_encodings")


def test_a_detector_that_is_done_has_its_answer() -> None:
    """A loop that stops at `done` and reads `result` without `close`, as some programs do, gets the answer."""
    detector = dropin.UniversalDetector()
    assert detector.result["encoding"] is None
    detector.feed("Grüße".encode("utf-16"))
    assert detector.done
    assert detector.result["encoding"] == "UTF-16"
    assert detector.close() == detector.result


def test_records_that_end_in_nul_are_ascii_as_in_the_original() -> None:
    """The output of `find -print0` has chardet's answer and confidence, though `charlens.detect` calls it binary."""
    data = b"/home/user/documents/report.txt\0/home/user/documents/notes.txt\0/home/user/music/song.mp3\0"
    for module in (real, dropin):
        found = module.detect(data)
        assert (found["encoding"], found["confidence"]) == ("ascii", 0.99)
