"""The drop-in for py-encoding-detect."""

from __future__ import annotations

import pytest

from charlens.compat.encdect import EncodingDetectFile

TEXT = "Test string 👍☺\r\n"


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (b"\xef\xbb\xbf" + TEXT.encode(), ("utf_8", b"\xef\xbb\xbf", TEXT)),
        (TEXT.encode(), ("utf_8", None, TEXT)),
        (b"Test string\n", ("ascii", None, "Test string\n")),
        (b"\xff\xfe" + TEXT.encode("utf-16-le"), ("utf_16_le", b"\xff\xfe", TEXT)),
        (b"\xfe\xff" + TEXT.encode("utf-16-be"), ("utf_16_be", b"\xfe\xff", TEXT)),
        (TEXT.encode("utf-16-le"), ("utf_16_le", None, TEXT)),
        (TEXT.encode("utf-16-be"), ("utf_16_be", None, TEXT)),
        (b"", ("ascii", None, "")),
        ("Grüße\n".encode("cp1252"), False),
        (b"\x00\x01\x02\x03", False),
        ("日本語\n".encode("iso2022_jp"), False),
    ],
)
def test_load_answers_as_py_encoding_detect_does(tmp_path, content, expected):
    """(encoding, mark or None, text) for its four encodings, False for anything else."""
    path = tmp_path / "file.txt"
    path.write_bytes(content)
    assert EncodingDetectFile().load(str(path)) == expected


def test_the_update_example_of_its_readme_works(tmp_path):
    """Load, change the text, write mark and text back: the shape of its documented use."""
    path = tmp_path / "file.txt"
    path.write_bytes(b"\xff\xfe" + TEXT.encode("utf-16-le"))
    result = EncodingDetectFile().load(path)
    assert result
    encoding, bom_marker, text = result
    written = (bom_marker or b"") + text.replace("string", "STRING").encode(encoding)
    assert written == b"\xff\xfe" + TEXT.replace("string", "STRING").encode("utf-16-le")
