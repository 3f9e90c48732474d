"""The codec for VISCII, and its place among the encodings."""

from __future__ import annotations

import codecs
import io
import subprocess
import sys
import unicodedata
from pathlib import Path

import pytest
from click.testing import CliRunner
from prose_texts import PROSE

import charlens
from charlens.cli.app import app
from charlens.compat import cchardet
from charlens.encodings import all_encodings, euctw_table, lookup
from charlens.encodings.orthography import write

#: Written as people did: VISCII has neither the curly quotation marks nor the sign of the dong.
DATA = write(PROSE["vi"], "viscii") or b""
TEXT = DATA.decode("viscii")
#: The letters with which Vietnamese is written beyond ASCII: twelve vowels with six tones, and đ.
LETTERS = {
    letter
    for vowel in "aăâeêioôơuưy"
    for tone in ("", "\u0300", "\u0301", "\u0303", "\u0309", "\u0323")
    for letter in map(unicodedata.normalize, ("NFC", "NFC"), (vowel + tone, vowel.upper() + tone))
    if not letter.isascii()
} | {"đ", "Đ"}


def test_the_prose_goes_there_and_back() -> None:
    """Vietnamese is written in VISCII and read back without loss, one byte for each letter."""
    assert TEXT.encode("viscii") == DATA
    assert len(DATA) == len(TEXT) > 1000


def test_every_letter_has_a_byte_and_every_byte_a_character() -> None:
    """The 134 letters and ASCII without six control characters are all that the encoding has."""
    characters = bytes(range(256)).decode("viscii")
    assert set(characters) - set(map(chr, range(128))) == LETTERS
    assert set(map(chr, range(128))) - set(characters) == set("\x02\x05\x06\x14\x19\x1e")
    assert characters.encode("viscii") == bytes(range(256))


def test_the_table_is_that_of_the_c_library() -> None:
    """glibc reads every byte alike, where there is glibc."""
    ask = euctw_table.open_iconv(b"VISCII")
    if ask is None:
        pytest.skip("the C library here has no VISCII")
    assert [ask(bytes([value])) for value in range(256)] == [
        ord(c) for c in bytes(range(256)).decode("viscii")
    ]


@pytest.mark.parametrize("label", ["VISCII", "viscii", "csVISCII", "x-viscii"])
def test_python_and_charlens_know_its_labels(label: str) -> None:
    """`bytes.decode` takes the usual names after `import charlens`, and the table of encodings has the same one."""
    encoding = lookup(label)
    assert encoding is not None
    assert codecs.lookup(label).name == encoding.name == "viscii"


def test_python_decodes_every_label_of_our_own_codecs() -> None:
    """The search function knows the names of the encodings that Python lacks, and leaves other names alone."""
    names = {encoding.name for encoding in all_encodings()}
    assert {codecs.lookup(name).name for name in names} == names
    with pytest.raises(LookupError):
        codecs.lookup("no-such-encoding")


def test_the_codec_is_there_after_the_import_alone() -> None:
    """In a fresh interpreter `import charlens` is enough, and does not load the module."""
    code = (
        "import sys, charlens; assert 'charlens.encodings.viscii' not in sys.modules; "
        "print(ascii(b'\\xae\\x02'.decode('viscii')))"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == r"'\u1ec7\u1eb2'"


def test_error_handlers_are_asked() -> None:
    """What VISCII lacks raises, or is what the handler says; a control character that gave way to a letter, too."""
    assert "a€b".encode("viscii", "xmlcharrefreplace") == b"a&#8364;b"
    with pytest.raises(UnicodeEncodeError) as caught:
        "ab\x02".encode("viscii")
    assert caught.value.start == 2


def test_files_open_with_it() -> None:
    """`open(encoding='viscii')` reads and writes, line by line and in pieces."""
    raw = io.BytesIO()
    with io.TextIOWrapper(raw, encoding="viscii", newline="\n", write_through=True) as file:
        file.write(TEXT)
        assert raw.getvalue() == DATA
    assert io.TextIOWrapper(io.BytesIO(DATA), encoding="viscii", newline="\n").read() == TEXT
    assert "".join(codecs.iterdecode((DATA[at : at + 3] for at in range(0, len(DATA), 3)), "viscii")) == TEXT
    assert codecs.getreader("viscii")(io.BytesIO(DATA)).read() == TEXT


def test_the_command_converts_to_it_and_back(tmp_path: Path) -> None:
    """`charlens convert` writes the six capitals as control bytes, and reads them again if it is told the encoding."""
    path = tmp_path / "capitals.txt"
    path.write_bytes("Việt Nam\nẲẴẪỶỸỴ\n".encode())
    run = CliRunner().invoke(app, ["convert", "--to", "viscii", "--in-place", str(path)])
    assert (run.exit_code, path.read_bytes()) == (0, b"Vi\xaet Nam\n\x02\x05\x06\x14\x19\x1e\n")
    back = ["convert", "--from", "viscii", "--to", "utf-8", "--in-place", str(path)]
    assert CliRunner().invoke(app, back).exit_code == 0
    assert path.read_text("utf-8") == "Việt Nam\nẲẴẪỶỸỴ\n"


def test_a_document_keeps_it(tmp_path: Path) -> None:
    """A document that is loaded as VISCII is edited and saved in it."""
    path = tmp_path / "text.txt"
    path.write_bytes(DATA)
    document = charlens.load(path, encoding="viscii")
    document.text += "Hết"
    document.save()
    assert path.read_bytes() == (TEXT + "Hết").encode("viscii")


def test_control_bytes_are_no_evidence_for_it() -> None:
    """Bytes of which six are capitals only in VISCII stay binary: elsewhere they are control characters."""
    assert charlens.detect(b"\x02\x05\x06\x14\x19\x1e" * 20).outcome is charlens.Outcome.BINARY


def test_it_is_recognised() -> None:
    """Vietnamese in VISCII is recognised without help, with its language; the drop-in has cchardet's name for it."""
    verdict = charlens.detect(DATA)
    assert (verdict.encoding, verdict.language) == ("viscii", "vi")
    assert cchardet.detect(DATA)["encoding"] == "VISCII"
