"""The faces of `file`, python-magic and ICU: their shapes, our answers."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from command import run
from prose_texts import PROSE

from charlens.compat import magic
from charlens.compat.icu import CharsetDetector, ICUError

RUSSIAN = PROSE["ru"].encode("koi8-r", "ignore")
#: The head of an OpenDocument text: an entry of a ZIP archive, not compressed, named 'mimetype'.
TEXT_DOCUMENT = (
    b"PK\x03\x04\x14"
    + bytes(17)
    + bytes([39, 0, 0, 0, 8, 0, 0, 0])
    + b"mimetypeapplication/vnd.oasis.opendocument.text"
)


@pytest.mark.parametrize(
    ("data", "words", "mime", "charset"),
    [
        (b"plain\n", "ASCII text", "text/plain", "us-ascii"),
        ("Größe\n".encode(), "Unicode text, UTF-8 text", "text/plain", "utf-8"),
        ("Größe\n".encode("utf-16"), "Unicode text, UTF-16LE (with BOM) text", "text/plain", "utf-16le"),
        (RUSSIAN, "KOI8-R text", "text/plain", "koi8-r"),
        (b'<meta charset="utf-8"><p>plain', "Unicode text, UTF-8 text", "text/html", "utf-8"),
        (b"\x89PNG\r\n\x1a\n" + bytes(20), "data", "image/png", "binary"),
        (TEXT_DOCUMENT, "data", "application/vnd.oasis.opendocument.text", "binary"),
        (TEXT_DOCUMENT.replace(b"application/", b"appli\n\x1b[m/"), "data", "application/zip", "binary"),
        (b"", "empty", "inode/x-empty", "binary"),
    ],
)
def test_magic_answers_in_words_and_types(
    tmp_path: Path, data: bytes, words: str, mime: str, charset: str
) -> None:
    """from_buffer, from_file and from_descriptor agree; Magic gives the charset, or both."""
    path = tmp_path / "file"
    path.write_bytes(data)
    assert magic.from_buffer(data) == magic.from_file(path) == words
    assert magic.from_buffer(data, mime=True) == magic.from_file(str(path), mime=True) == mime
    assert magic.Magic(mime_encoding=True).from_buffer(data) == charset
    assert magic.Magic(mime=True, mime_encoding=True).from_file(path) == f"{mime}; charset={charset}"
    handle = os.open(path, os.O_RDONLY)
    try:
        assert magic.from_descriptor(handle, mime=True) == mime
    finally:
        os.close(handle)


def test_icu_answers_as_pyicu_does() -> None:
    """Name, confidence out of 100, language and text; None for binary; nothing set is an error."""
    detector = CharsetDetector()
    with pytest.raises(ICUError, match="setText"):
        detector.detect()
    match = detector.setText(RUSSIAN).detect()
    assert match is not None
    assert (match.getName(), match.getLanguage()) == ("KOI8-R", "ru")
    assert 90 <= match.getConfidence() <= 100
    assert str(match) == RUSSIAN.decode("koi8-r")
    assert detector.detectAll()[0].getName() == "KOI8-R"
    assert CharsetDetector(b"\x00\x01\x02" * 9).detect() is None
    japanese = PROSE["ja"].encode("cp932", "ignore")
    assert str(CharsetDetector(japanese).detect()) == japanese.decode("cp932")
    assert {"UTF-8", "windows-1252", "Shift_JIS"} <= set(detector.getAllDetectableCharsets())


def test_icu_takes_a_declaration_and_filters_markup() -> None:
    """A declared encoding counts as evidence, and the filter can be asked for."""
    data = "Съел и сказал: спасибо".encode("koi8-r")
    alone, declared = CharsetDetector(data).detect(), CharsetDetector(data, "koi8-r").detect()
    assert alone is not None and declared is not None
    assert declared.getName() == "KOI8-R" and declared.getConfidence() >= alone.getConfidence()
    detector = CharsetDetector(data)
    assert detector.enableInputFilter(True) is False and detector.isInputFilterEnabled()
    assert detector.detect() is not None


def test_detect_prints_as_file_does(tmp_path: Path) -> None:
    """--mime, --brief and --minimal, together where that makes sense; other combinations are wrong use."""
    path = tmp_path / "a.txt"
    path.write_bytes(RUSSIAN)
    picture = tmp_path / "a.png"
    picture.write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(20))
    assert run("detect", "--mime", path)[1] == f"{path}: text/plain; charset=koi8-r\n"
    assert run("detect", "--mime", "--brief", path, picture)[1].splitlines() == [
        "text/plain; charset=koi8-r",
        "image/png; charset=binary",
    ]
    assert run("detect", "--minimal", path, picture)[1] == "koi8-r\nbinary\n"
    assert run("detect", "--brief", path)[1].startswith("koi8-r, confidence")
    assert run("detect", "--mime", "--minimal", path)[0] == 2
    assert run("detect", "--mime", "--format", "json", path)[0] == 2
