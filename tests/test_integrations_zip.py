"""Names in ZIP archives of old programs."""

from __future__ import annotations

import io
import struct
import zipfile
import zlib
from pathlib import Path
from typing import Any

import pytest

from charlens.integrations.zip import _rename, fix_names, open_zip

RUSSIAN = ["Документы/Отчёт за год.txt", "Документы/Смета.xls", "Фото/Дача 2003.jpg"]
JAPANESE = ["写真/東京タワー.jpg", "写真/富士山.jpg", "はじめに読んでください.txt"]
CHINESE = ["文件/年度报告.doc", "照片/北京.jpg", "说明.txt"]


def write_old(path: Path, names: list[str], encoding: str, marked: str = "") -> None:
    """Make an archive as programs did before UTF-8: the bytes of the names, and no flag; *marked* gets one."""
    with zipfile.ZipFile(path, "w") as archive:
        for number, name in enumerate(names):
            archive.writestr(placeholder(number, name, encoding), f"content {number}")
        if marked:
            archive.writestr(marked, "marked")
    data = path.read_bytes()
    for number, name in enumerate(names):
        data = data.replace(placeholder(number, name, encoding).encode(), name.encode(encoding))
    path.write_bytes(data)


def placeholder(number: int, name: str, encoding: str) -> str:
    """An ASCII name of the same length, to be replaced by the bytes: zipfile itself would set the flag."""
    return chr(ord("p") + number) * len(name.encode(encoding))


@pytest.mark.parametrize(
    ("names", "encoding"),
    [
        (RUSSIAN, "cp866"),
        (RUSSIAN, "cp1251"),
        (RUSSIAN, "utf-8"),
        (JAPANESE, "cp932"),
        (CHINESE, "gbk"),
    ],
)
def test_names_come_out_right(tmp_path: Path, names: list[str], encoding: str) -> None:
    """Names are correct, and entries can be opened and unpacked with them."""
    path = tmp_path / "old.zip"
    write_old(path, names, encoding)
    with open_zip(path) as archive:
        assert archive.namelist() == names
        for number, name in enumerate(names):
            assert archive.read(name) == f"content {number}".encode()
        archive.extractall(tmp_path / "out")
    assert (tmp_path / "out" / names[0]).read_bytes() == b"content 0"


def test_an_open_archive_is_fixed_in_place(tmp_path: Path) -> None:
    """fix_names returns the verdict; `only` and the other keywords work."""
    path = tmp_path / "old.zip"
    write_old(path, RUSSIAN, "cp866")
    with zipfile.ZipFile(path) as archive:
        assert archive.namelist() != RUSSIAN
        verdict = fix_names(archive, only=["cp866", "cp1251"])
        assert verdict is not None and verdict.encoding == "cp866"
        assert archive.namelist() == RUSSIAN
        assert fix_names(archive) is not None
        assert archive.namelist() == RUSSIAN


def test_names_of_today_are_left_alone(tmp_path: Path) -> None:
    """ASCII names, and names marked as UTF-8, stay; there is nothing to find out."""
    path = tmp_path / "new.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("plain.txt", "a")
        archive.writestr("Größe.txt", "b")
    with zipfile.ZipFile(path) as archive:
        assert fix_names(archive) is None
        assert archive.namelist() == ["plain.txt", "Größe.txt"]


def test_marked_and_unmarked_names_live_together(tmp_path: Path) -> None:
    """Only the unmarked ones are found out."""
    path = tmp_path / "mixed.zip"
    write_old(path, RUSSIAN, "cp866", "Größe.txt")
    with open_zip(path) as archive:
        assert archive.namelist() == [*RUSSIAN, "Größe.txt"]


def test_the_field_of_info_zip_is_believed(tmp_path: Path) -> None:
    """A name in UTF-8 in the extra field counts, if it belongs to the plain name."""
    path = tmp_path / "extra.zip"
    plain = b"Gr\x94\xe1e.txt"  # 'Größe.txt' in cp850
    info = zipfile.ZipInfo("x" * len(plain))
    body = struct.pack("<BL", 1, zlib.crc32(plain)) + "Größe.txt".encode()
    info.extra = struct.pack("<HH", 0x7075, len(body)) + body
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr(info, "b")
    path.write_bytes(path.read_bytes().replace(b"x" * len(plain), plain))
    with open_zip(path) as archive:
        assert archive.namelist() == ["Größe.txt"]
        assert archive.read("Größe.txt") == b"b"


def test_what_is_no_archive_is_an_error() -> None:
    """open_zip raises what zipfile raises."""
    with pytest.raises(zipfile.BadZipFile):
        open_zip(Path(__file__))


def test_names_that_decode_to_the_same_text_stay_different(tmp_path: Path) -> None:
    """Two entries with different names are two files, whatever their names decode to."""
    path = tmp_path / "old.zip"
    names = ["Straße.txt", "Größe.txt", "Äpfel.txt", "Öl und Übung.txt"]
    write_old(path, names, "cp1252", marked="Straße.txt")
    with open_zip(path, only=["cp1252"]) as archive:
        assert sorted(archive.namelist()) == sorted([*names, "Straße (2).txt"])
        archive.extractall(tmp_path / "out")
    assert len(list((tmp_path / "out").iterdir())) == 5


def test_thousands_of_names_that_decode_alike_get_numbers_in_linear_time(tmp_path: Path) -> None:
    """Each name knows its last number; counting from 2 for every entry took minutes for one small file."""
    zipfile.ZipFile(tmp_path / "many.zip", "w").close()
    made = zipfile.ZipFile(tmp_path / "many.zip")
    for number in range(4000):
        info = zipfile.ZipInfo("a.txt")
        info.orig_filename = f"{number}"
        made.filelist.append(info)
    steps = 0

    class Names(dict[str, zipfile.ZipInfo]):
        def get(self, *arguments: Any) -> Any:
            nonlocal steps
            steps += 1
            return super().get(*arguments)

    made.NameToInfo = Names()
    _rename(made, dict.fromkeys(made.filelist, "é.txt"))
    assert len({info.filename for info in made.filelist}) == 4000
    assert steps < 5 * 4000


def test_a_name_that_is_not_utf8_although_marked_is_a_damaged_archive() -> None:
    """zipfile raises UnicodeDecodeError there, which nobody expects who opens an archive."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("ä.txt", b"")
    with pytest.raises(zipfile.BadZipFile, match="marked as UTF-8"):
        open_zip(io.BytesIO(packed.getvalue().replace("ä".encode(), b"\xc3\x28")))
