"""What the writers refuse, so that no file is spoilt: each case was written wrongly once."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import pytest
from click.testing import CliRunner, Result

import charlens
from charlens.cli.app import app
from charlens.errors import CharlensError
from charlens.files import reading, streaming
from charlens.files.formats import unescape
from charlens.files.plan import plan_bytes
from charlens.files.reading import Refused, Request
from charlens.files.streaming import plan_large, transcode

RUSSIAN = "Съешь ещё этих мягких французских булок, да выпей чаю.\n"
CZECH = "Příliš žluťoučký kůň úpěl ďábelské ódy.\n"
FRENCH = "Dès Noël où un zéphyr haï me vêt de glaçons würmiens.\n"


def write(path: Path, data: bytes) -> str:
    path.write_bytes(data)
    return str(path)


def run(*arguments: str, stdin: str = "") -> Result:
    """Run the command in this process."""
    return CliRunner().invoke(app, arguments, input=stdin.encode())


def stray() -> bytes:
    """Return a letter in windows-1252 with one byte that it does not have."""
    text = "Le “café” de l’hôtel est fermé, dit-elle.\n" * 20
    return text.encode("cp1252") + b"fin \x81\n"


def test_text_with_controls_is_not_converted(monkeypatch):
    """A detected encoding that makes invisible controls of the bytes is refused, with the line; a given one is not."""
    data = stray()
    wrong = charlens.detect(data)._replace(encoding="iso8859-15", damage=(), confidence=1.0, alternatives=())
    with pytest.raises(Refused, match=r"line 1 .*U\+0093.*not iso8859-15.*--from"):
        reading.read(data, wrong, "iso8859-15", Request())
    assert reading.read(data, wrong, "iso8859-15", Request("iso8859-15")).encoding == "iso8859-15"
    assert reading.read(data, wrong, "iso8859-15", Request(source="iso8859-15")).encoding == "iso8859-15"
    assert plan_bytes(data, Request()).status == "refused"
    assert plan_bytes("a\x85b é\n".encode(), Request("utf-16")).status == "change"


def test_text_with_controls_is_not_streamed(tmp_path, monkeypatch):
    """A large file is refused for the same reason, with the right line."""
    path = write(tmp_path / "a.txt", FRENCH.encode("iso8859-15") * 40_000 + b"fin \x81\n")
    monkeypatch.setattr(streaming, "_refuse_doubt", lambda *arguments: None)
    verdict = charlens.detect(FRENCH.encode("iso8859-15") * 20)._replace(encoding="iso8859-15", damage=())
    monkeypatch.setattr(streaming, "detect_path", lambda path: verdict)
    plan, recipe = plan_large(path, Request())
    assert recipe is not None, plan
    with pytest.raises(Refused, match=r"line 40001 .*U\+0081"):
        list(transcode(path, recipe))


def mailbox(*messages: tuple[str, str]) -> bytes:
    """Return a mailbox: each message has a charset, and a text in it."""
    return b"".join(
        b"From a@b Thu Jan  1 00:00:00 2015\nSubject: hello\nMIME-Version: 1.0\n"
        b"Content-Type: text/plain; charset=%s\nContent-Transfer-Encoding: 8bit\n\n%s\n"
        % (charset.encode(), text.encode(charset))
        for charset, text in messages
    )


def test_each_message_is_read_by_its_own_charset():
    """With --mixed, a mailbox is decoded message by message; without it, several charsets are refused."""
    box = mailbox(("iso-8859-1", FRENCH), ("iso-8859-2", CZECH), ("koi8-r", RUSSIAN))
    plan = plan_bytes(box, Request(mixed=True), "a.mbox")
    assert plan.status == "change", plan.words
    text = plan.after.decode()
    assert all(each in text for each in (FRENCH, CZECH, RUSSIAN)) and text.lower().count("charset=utf-8") == 3
    assert plan_bytes(box, Request(), "a.mbox").status == "refused"


def test_a_mailbox_in_one_encoding_that_declares_several_is_refused_with_mixed():
    """--mixed does not permit to rewrite charsets that a file read in one encoding declares."""
    liar = mailbox(("iso-8859-1", FRENCH)) + mailbox(("cp1252", FRENCH)).replace(b"cp1252", b"iso-8859-7")
    # Text outside of the bodies: the messages cannot be read one by one.
    liar += "From ü@b Thu Jan  1 00:00:00 2015\nSubject: é\n\n".encode("iso-8859-1")
    assert plan_bytes(liar, Request(mixed=True), "a.mbox").status == "refused"


def test_a_message_in_utf8_is_not_read_by_a_charset_that_it_declares_wrongly():
    """UTF-8 that declares ISO 8859-1 is not decoded as that."""
    box = mailbox(("utf-8", FRENCH), ("koi8-r", RUSSIAN)).replace(b"=utf-8", b"=iso-8859-1")
    plan = plan_bytes(box, Request(mixed=True), "a.mbox")
    assert plan.status == "refused" or FRENCH in plan.after.decode()


@pytest.mark.parametrize("mark", [b"\xfe\xff", b"\xff\xfe"])
def test_a_mark_decides_the_byte_order(tmp_path, mark):
    """'utf-16' means the byte order of the mark, in every entry."""
    codec = "utf-16-be" if mark == b"\xfe\xff" else "utf-16-le"
    path = write(tmp_path / "a.txt", mark + RUSSIAN.encode(codec))
    assert charlens.load(path, encoding="utf-16").text == RUSSIAN
    assert charlens.convert(Path(path).read_bytes(), source="utf-16").decode() == RUSSIAN
    assert run("cat", "-e", "utf-16", path).output == RUSSIAN
    assert run("write", "-e", "utf-16", path, stdin="я\n").exit_code == 0
    assert Path(path).read_bytes() == mark + "я\n".encode(codec)
    assert run("convert", "-i", "--from", "utf-16", path).exit_code == 0
    assert Path(path).read_text("utf-8") == "я\n"


def test_a_mark_that_contradicts_the_byte_order_is_refused(tmp_path):
    """--from utf-16-le on a file with the other mark is refused; so is load()."""
    path = write(tmp_path / "a.txt", b"\xfe\xff" + RUSSIAN.encode("utf-16-be"))
    done = run("convert", "-i", "--from", "utf-16-le", path)
    assert done.exit_code == 1 and "the byte order mark says utf-16-be, not utf-16-le" in done.output
    with pytest.raises(CharlensError, match="byte order mark"):
        charlens.load(path, encoding="utf-16-le")


def test_an_error_names_the_encoding_as_the_user_did(tmp_path):
    """A file that is not in the given encoding is refused under the name that was given."""
    path = write(tmp_path / "a.txt", "abc".encode("utf-16") + b"\x00\xd8")
    done = run("convert", "-i", "--from", "utf-16", path)
    assert done.exit_code == 1 and "not utf-16: byte 6" in done.output


@pytest.mark.parametrize(("target", "status"), [("utf-16", 0), ("koi8-r", 1), ("utf-8", 0)])
def test_a_second_run_does_not_convert_twice(tmp_path, target, status):
    """--from A --to B on a file that is in B already leaves the bytes, and says so for legacy encodings."""
    path = write(tmp_path / "a.txt", (RUSSIAN * 20).encode("cp1251"))
    arguments = ("convert", "-i", "--from", "cp1251", "--to", target, path)
    assert run(*arguments).exit_code == 0
    once = Path(path).read_bytes()
    again = run(*arguments)
    assert Path(path).read_bytes() == once and again.exit_code == status
    assert status == 0 or "already seems to be koi8-r" in again.output


def converted(path: str, encoding: str = "utf-8", **keywords) -> bytes:
    """Return the file after `save(encoding=)`."""
    charlens.load(path).save(encoding=encoding, **keywords)
    return Path(path).read_bytes()


@pytest.mark.parametrize("name", ["a.sh", "a.json", "a.txt"])
def test_save_writes_utf8_without_the_mark_of_utf16(tmp_path, name):
    """UTF-16 has a mark; UTF-8 made from it has none, as with `convert`."""
    text = '{"a": "ü"}\n'
    assert converted(write(tmp_path / name, text.encode("utf-16"))) == text.encode()


@pytest.mark.parametrize(("encoding", "mark"), [("utf-16", b"\xff\xfe"), ("utf-8-sig", b"\xef\xbb\xbf")])
def test_save_writes_the_mark_that_the_name_implies(tmp_path, encoding, mark):
    """save(encoding='utf-16') writes what convert(to='utf-16') writes."""
    data = (RUSSIAN * 5).encode("cp1251")
    after = converted(write(tmp_path / "a.txt", data), encoding)
    assert after.startswith(mark) and after == charlens.convert(data, encoding)


def test_save_refuses_damage_and_mixtures_as_convert_does(tmp_path):
    """A damaged file, a cut one, and a line of UTF-8 in a legacy file are not converted."""
    legacy = (FRENCH * 5).encode("cp1252")
    line = "Größe: 5 µm\n".encode()
    for data in (FRENCH.encode() * 5 + b"\xff\n", FRENCH.encode() + b"\xc3", legacy + line + legacy):
        path = write(tmp_path / "a.txt", data)
        with pytest.raises(CharlensError, match="Nothing was written"):
            converted(path, "utf-8" if data.startswith(legacy) else "utf-16")
        assert Path(path).read_bytes() == data
    path = write(tmp_path / "a.txt", FRENCH.encode() * 5 + b"\xff\n")
    document = charlens.load(path)
    document.text = document.text.replace("\udcff", "ÿ")
    document.save(encoding="utf-16")
    assert Path(path).read_bytes().decode("utf-16") == FRENCH * 5 + "ÿ\n"
    assert converted(write(tmp_path / "b.txt", FRENCH.encode() * 5 + b"\xff\n"), errors="replace").decode()


def test_save_respects_the_charsets_of_a_mailbox(tmp_path):
    """save(encoding='utf-8') reads each message by its charset; text that was edited in one encoding is refused."""
    short = "Où ça ?\n"  # too little to be noticed between the others
    box = mailbox(("iso-8859-1", short), ("iso-8859-2", CZECH), ("koi8-r", RUSSIAN))
    document = charlens.load(write(tmp_path / "a.mbox", box))
    after = document.to_bytes(encoding="utf-8").decode()
    assert all(each in after for each in (short, CZECH, RUSSIAN))
    document.text = document.text.replace("hello", "Hello")
    with pytest.raises(CharlensError, match="convert it first"):
        document.to_bytes(encoding="utf-8")


def test_save_respects_the_project(tmp_path):
    """A conversion that contradicts .gitattributes is refused, unless declarations=False."""
    (tmp_path / ".gitattributes").write_text("*.txt working-tree-encoding=windows-1251\n")
    path = write(tmp_path / "a.txt", (RUSSIAN * 5).encode("cp1251"))
    with pytest.raises(CharlensError, match=r"\.gitattributes says .*declarations=False"):
        converted(path)
    assert converted(path, declarations=False).decode() == RUSSIAN * 5


EDITS = {
    "a declared page": ('<meta charset="iso-8859-1">\n', "ö", "iso-8859-1"),
    "a page that declares UTF-8": ('<meta charset="utf-8">\n', "ö", "utf-8"),
    "plain text": ("hello\n", "ö", "utf-8"),
}


@pytest.mark.parametrize("kind", EDITS)
def test_new_characters_are_in_the_declared_encoding(tmp_path, kind):
    """An ASCII file with new characters is saved in the encoding that it declares, as by `charlens write`."""
    text, added, encoding = EDITS[kind]
    path = write(tmp_path / "a.html", text.encode())
    document = charlens.load(path)
    document.text += added
    document.save()
    assert Path(path).read_bytes() == (text + added).encode(encoding)
    document.text += "ü"
    document.save()
    assert Path(path).read_bytes() == (text + added + "ü").encode(encoding)


def test_an_edit_does_not_make_a_declaration_false(tmp_path):
    """A declaration that the text gets must be true, and one that cannot hold the text is refused."""
    path = write(tmp_path / "a.py", b"# coding: ascii\n")
    document = charlens.load(path)
    document.text += "ö = 1\n"
    with pytest.raises(CharlensError, match="ascii"):
        document.save()
    data = ("# coding: latin-1\n" + "# Größe, Maße, Fläche, übrig\n" * 5).encode("cp1252")
    path = write(tmp_path / "b.py", data)
    document = charlens.load(path)
    document.text = document.text.replace("latin-1", "utf-8")
    with pytest.raises(CharlensError, match=r"now declares 'utf-8'.*encoding='utf-8'"):
        document.save()
    assert Path(path).read_bytes() == data
    document.save(encoding="utf-8")
    assert Path(path).read_text("utf-8") == document.text


@pytest.mark.parametrize(
    ("line", "escaped"),
    [
        (r"path=C:\übung", r"path=C:\u00FCbung"),
        (r"path=C:\\übung", r"path=C:\\\u00FCbung"),
        (r"path=C:\\\übung", r"path=C:\\\u00FCbung"),
        (r"a=é\n\u00e9\\u00e9", r"a=\u00E9\n\u00e9\\u00e9"),
    ],
)
def test_backslashes_in_properties(line, escaped):
    """A backslash before a non-ASCII letter means nothing in Java; one that is escaped is text."""
    after = plan_bytes(f"{line}\n".encode("latin-1"), Request(source="latin-1"), "a.properties").after
    assert after.decode() == f"{escaped}\n"


def test_the_proof_of_escapes_counts_backslashes():
    r"""``\\u00fc`` is a backslash and letters; it is not the same as a letter."""
    assert unescape(r"\\u00fc") != unescape(r"\u00fc") == "ü"
    assert unescape(r"\ü") == "ü"


UTF8_ONLY = {
    "a.py": "x = 'é'\n",
    "a.svg": "<svg><text>é</text></svg>\n",
    "page": '<?xml version="1.0"?><a>é</a>\n',
    "a.go": "package é\n",
    "a.rs": "// é\n",
    "a.yml": "name: é\n",
    "settings": '{"name": "é"}\n',
    "list": '[\n {"name": "é"}]\n',
}


@pytest.mark.parametrize("name", UTF8_ONLY)
def test_formats_that_are_utf8_by_default_stay_so(name):
    """A legacy encoding that nothing in the file declares is refused."""
    plan = plan_bytes(UTF8_ONLY[name].encode(), Request("cp1252"), name)
    assert plan.status == "refused" and "must be utf-8" in plan.words
    assert plan_bytes(b"abc: 1\n", Request("cp1252"), name).status == "unchanged"
    wide = plan_bytes(UTF8_ONLY[name].encode(), Request("utf-16"), name).status
    assert wide == ("change" if name in ("a.svg", "page", "a.yml") else "refused")


@pytest.mark.parametrize(
    ("name", "text"),
    [("a.py", "# coding: utf-8\nx = 'é'\n"), ("a.xml", '<?xml version="1.0" encoding="utf-8"?><a>é</a>\n')],
)
def test_a_declaration_permits_other_encodings(name, text):
    """With a declaration, Python and XML can be in a legacy encoding; the declaration is rewritten."""
    plan = plan_bytes(text.encode(), Request("iso8859-15"), name)
    assert plan.status == "change" and "8859-15" in plan.after.decode("iso8859-15")


def test_utf7_has_not_the_bytes_of_ascii():
    """A program in UTF-7 has other bytes for '+', so it is refused."""
    assert plan_bytes("int a = 1 + 2; // é\n".encode(), Request("utf-7"), "a.c").status == "refused"


@pytest.mark.parametrize("name", ["run", "a.py", "a.sh", ".env", ".bashrc", "a.zsh"])
@pytest.mark.parametrize("newline", ["crlf", "cr"])
def test_scripts_keep_lf(tmp_path, name, newline):
    """--newline crlf breaks scripts: convert refuses it, and check does not ask for it."""
    data = b"echo hello\n" if name.startswith(".") or name == "a.zsh" else b"#!/usr/bin/env x\nhello\n"
    path = write(tmp_path / name, data)
    done = run("convert", "-i", "--newline", newline, path)
    assert done.exit_code == 1 and "must end with LF" in done.output
    assert run("check", "--newline", newline, path).exit_code == 0
    assert run("check", "--fix", "--newline", newline, path).exit_code == 0
    Path(path).write_bytes(data.replace(b"\n", b"\r\n"))
    assert run("convert", "-i", "--newline", "lf", path).exit_code == 0 and Path(path).read_bytes() == data


@pytest.mark.parametrize("name", [".bashrc", ".profile", ".zshrc", "a.zsh", "a.ksh", ".htaccess"])
def test_files_of_shells_and_apache_get_no_mark(tmp_path, name):
    """--bom is refused for them."""
    path = write(tmp_path / name, "# é\n".encode())
    assert run("convert", "-i", "--bom", path).exit_code == 1


def test_registry_files_keep_their_kind():
    """Version 5 is UTF-16, version 4 is in a code page."""
    new = "Windows Registry Editor Version 5.00\r\n\r\n[HKEY_CURRENT_USER\\a]\r\n".encode("utf-16")
    old = 'REGEDIT4\r\n\r\n[HKEY_CURRENT_USER\\a]\r\n"é"="ç"\r\n'.encode("cp1252")
    assert plan_bytes(new, Request(), "a.reg").status == "refused"
    assert plan_bytes(new, Request("utf-16", newline="lf"), "a.reg").status == "change"
    assert plan_bytes(old, Request(source="cp1252"), "a.reg").status == "refused"
    assert plan_bytes(old, Request("cp850", source="cp1252"), "a.reg").status == "change"


def test_an_emptied_copy_does_not_empty_the_file(tmp_path):
    """An editor that leaves an empty copy has failed; the file stays as it is."""
    path = write(tmp_path / "a.txt", b"hello\n")
    done = run("edit", "--editor", "truncate -s 0", path)
    assert done.exit_code == 1 and "empty" in done.output and Path(path).read_bytes() == b"hello\n"


@pytest.mark.parametrize("options", [["-n"], ["-o", "out"], ["--log", "a.jsonl"], ["--backup"], ["-i"], ["--diff"]])
def test_options_for_files_are_errors_on_standard_input(options):
    """They would be ignored there."""
    done = run("convert", *options, "-", stdin="é\n")
    assert done.exit_code == 2 and "standard input" in done.output


def test_nul_is_not_written(tmp_path):
    """What a program writes by mistake is not text; a file that has NUL already may keep it."""
    path = write(tmp_path / "a.txt", b"hello\n")
    done = run("write", path, stdin="a\nb\0c\n")
    assert done.exit_code == 1 and "line 2 has a NUL" in done.output and Path(path).read_bytes() == b"hello\n"


def test_words_of_convert(tmp_path):
    """The message names what changed: line endings of ASCII, and the encoding that .properties really get."""
    text = write(tmp_path / "a.txt", b"a\r\nb\r\n")
    assert "a.txt: line endings crlf to lf\n" in run("convert", "-i", "--newline", "lf", text).output
    table = write(tmp_path / "a.properties", "a=é\n".encode("cp1252"))
    done = run("convert", "-i", "--from", "cp1252", table)
    assert "cp1252 to ascii (1 character as" in done.output


def test_words_of_check_name_the_command_that_has_the_option(tmp_path):
    """check has no --keep-declarations and no --from."""
    (tmp_path / ".editorconfig").write_text("[*]\ncharset = koi8-r\n")
    path = write(tmp_path / "a.txt", (RUSSIAN * 5).encode("cp1251"))
    assert "use 'charlens convert --in-place --keep-declarations FILE'" in run("check", "--fix", path).output


def test_words_of_undo(tmp_path):
    """A dry run says what would be done."""
    path, log = write(tmp_path / "a.txt", (RUSSIAN * 5).encode("cp1251")), str(tmp_path / "log.jsonl")
    assert run("convert", "-i", "--log", log, path).exit_code == 0
    assert "would be restored" in run("undo", "--dry-run", log).output


def test_text_that_was_decoded_twice_is_said_to_be(tmp_path):
    """The same wrong encoding is named once."""
    twice = "Grüße aus Köln, schöne Stühle".encode().decode("cp1252").encode().decode("cp1252")
    path = write(tmp_path / "a.txt", f"{twice}\n".encode() * 3)
    assert "decoded twice as cp1252:" in run("check", path).output


def test_a_damaged_part_of_utf_16_does_not_stop_reading(monkeypatch):
    """A file with a part in UTF-16 that is cut off is read as a whole, and keeps its bytes."""
    data = b"hello\n" + "я\n".encode("utf-16-le")[:-1]
    verdict = charlens.detect(b"hello\n")
    parts = [SimpleNamespace(start=0, end=6, encoding="ascii", verdict=verdict)]
    parts.append(SimpleNamespace(start=6, end=len(data), encoding="utf-16-le", verdict=verdict))
    monkeypatch.setattr("charlens.inputs.mixed.find_mixture", lambda data, verdict: parts)
    document = charlens.Document(data, verdict)
    assert document.encodings == ("ascii",) and document.text and document.to_bytes() == data


def test_a_mail_of_seven_bits_has_eight_afterwards(tmp_path):
    """ISO-2022-JP is 7bit; in UTF-8 it is not, and the header of the mail must not say so."""
    head = "MIME-Version: 1.0\nContent-Type: text/plain; charset={}\nContent-Transfer-Encoding: {}\n\n"
    text = head + "これは日本語の文章です。\n"
    path = write(tmp_path / "a.eml", text.format("ISO-2022-JP", "7bit").encode("iso2022_jp"))
    assert converted(path).decode() == text.format("UTF-8", "8bit")


@pytest.mark.parametrize("target", ["iso-8859-1", "ascii", "cp1251"])
def test_properties_in_utf_8_are_escaped_for_another_encoding(target):
    """Java 8 reads ISO 8859-1: whoever asks for another encoding than UTF-8 gets escapes, not an unchanged file."""
    plan = plan_bytes("a=Größe\n".encode(), Request(target), "a.properties")
    assert plan.after == b"a=Gr\\u00F6\\u00DFe\n"
    assert plan_bytes("a=Größe\n".encode(), Request("utf-8"), "a.properties").status == "unchanged"


def test_a_lost_character_is_named_by_its_column_in_the_file():
    """A declaration that would be rewritten before it does not count."""
    page = '<html><head><meta charset="utf-8"><title>Größe</title></head><body>“x”</body></html>\n'
    plan = plan_bytes(page.encode(), Request("iso-8859-1"), "a.html")
    assert f"column {1 + page.index('“')}:" in plan.refusal
