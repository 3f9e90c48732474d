"""`charlens.repair` repairs mojibake completely, or changes nothing."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from prose_texts import PROSE

import charlens
from charlens.files.repairing import Inverse, Part, unrepaired
from charlens.mojibake import repair
from charlens.mojibake.chains import CODECS
from charlens.mojibake.damage import find_damage


def misread(text: str, *chain: str) -> str:
    """Read the UTF-8 of *text* as each of *chain*; bytes that one lacks stand for themselves."""
    for codec in chain:
        signs = (bytes((byte,)).decode(codec, "replace") for byte in text.encode())
        text = "".join(
            chr(byte) if sign == "\ufffd" else sign for sign, byte in zip(signs, text.encode(), strict=True)
        )
    return text


@pytest.mark.parametrize("codec", CODECS)
@pytest.mark.parametrize("language", ["de", "fr", "ru", "ja", "el", "pl", "fa"])
def test_what_was_read_wrongly_comes_back(language: str, codec: str) -> None:
    """The text comes back to the letter, through each code page."""
    text = PROSE[language][:600]
    found = repair(misread(text, codec))
    assert found.text == text and found.probability > 0.99 and len(found.chain) == 1


@pytest.mark.parametrize(
    "chain", [("cp1252", "cp1252"), ("cp1252", "cp1251"), ("iso8859-1", "cp1252"), ("cp1252",) * 3]
)
@pytest.mark.parametrize("language", ["de", "ru", "vi", "ar"])
def test_up_to_three_times(language: str, chain: tuple[str, ...]) -> None:
    """Chains are undone to their beginning, and named."""
    text = PROSE[language][:300]
    found = repair(misread(text, *chain))
    assert found.text == text and len(found.chain) == len(chain)


@pytest.mark.parametrize(
    ("wrong", "right"),
    [
        ("GrÃ¼ÃŸe", "Grüße"),
        ("JosÃ©,MÃ¡laga", "José,Málaga"),
        ("cafÃ©", "café"),
        ("Ã–sterreich und Ãœber", "Österreich und Über"),
        ("РџСЂРёРІРµС‚", "Привет"),
        ("voilÃ  le travail, dÃ©jÃ  vu", "voilà le travail, déjà vu"),
        ("VoilÃ\xa0 lâ\x80\x99Ã©tÃ©", "Voilà l’été"),
    ],
)
def test_short_strings(wrong: str, right: str) -> None:
    """A word or two are enough."""
    assert repair(wrong).text == right
    assert repair(wrong.encode()).text == right


@pytest.mark.parametrize(
    ("language", "encoding"),
    [
        *[("ru", "cp1251"), ("ru", "koi8-r"), ("ja", "cp932"), ("ja", "euc_jp"), ("ko", "cp949")],
        *[("zh-Hans", "gb18030"), ("zh-Hant", "big5"), ("el", "cp1253"), ("ar", "cp1256"), ("th", "cp874")],
    ],
)
@pytest.mark.parametrize("codec", ["cp1252", "iso8859-1"])
def test_other_scripts_that_were_read_as_latin(language: str, encoding: str, codec: str) -> None:
    """Legacy text of another script comes back whole, with the encoding that it was in; a single word does not."""
    text = PROSE[language].replace("\n", " ")[:120].encode(encoding, "ignore").decode(encoding)
    signs = ((byte, bytes((byte,)).decode(codec, "replace")) for byte in text.encode(encoding))
    wrong = "".join(chr(byte) if sign == "\ufffd" else sign for byte, sign in signs)
    found = repair(wrong)
    assert found.text == text and found.probability > 0.98 and found.encoding != "utf-8"
    assert repair(found.text).text == found.text


def test_a_line_that_is_right_stops_it() -> None:
    """Where part of the text is in its own script already, nothing is changed: it is whole or nothing."""
    wrong = "Привет\n".encode("cp1251").decode("cp1252") * 9
    assert repair(wrong + "Привет\n").text == wrong + "Привет\n"


def test_only_the_lines_concerned_change() -> None:
    """In a text that is half right, the right lines stay."""
    text = "Schöne Grüße\n" + misread("Änderung, Größe, Übermut\n", "cp1252")
    found = repair(text)
    assert found.text == "Schöne Grüße\nÄnderung, Größe, Übermut\n" and len(found.parts) == 1


@pytest.mark.parametrize(
    "text",
    [
        "Voilà lâ\x80\x99Ã©tÃ© déjà",
        "GrÃ¼ÃŸe aus Köln",
        "GrÃ¼ÃŸe\nVoilà lâ€™été\n",
        "ã\x83\x86ã ã",
    ],
)
def test_never_half(text: str) -> None:
    """If some mojibake would remain, nothing is changed."""
    assert repair(text).text == text


@pytest.mark.parametrize("language", sorted(PROSE))
def test_what_is_right_is_left_alone(language: str) -> None:
    """No language looks like text that was decoded wrongly, nor damaged; neither do its single lines."""
    assert not repair(PROSE[language]).changed
    assert not any(repair(line).changed for line in PROSE[language].splitlines())
    assert find_damage(PROSE[language]) == ()


@pytest.mark.parametrize(
    "text",
    [
        "l’écoutez d’être j’émettrai qu’è",
        "bilýäñizmi? bilýäñmi? bilýäñ!",
        "",
        "plain",
        "« MARCHÉ »",
        "Ã",
        "TÜ” Ä– Ö«",
        "так, чай, как; только",
        "AMANHÃ…",
        "PÄŤDESIAT",
        "Ăştia nu vin",
        "na hÉireann",
        "├── été\n└── à",
        "alminnelig bruk.\x8e\x8eDet har blitt anslått at på øya er det får",
    ],
)
def test_a_little_is_chance(text: str) -> None:
    """A few characters that could be sequences prove nothing."""
    assert repair(text).text == text


@given(st.text(max_size=60))
def test_a_second_repair_finds_nothing(text: str) -> None:
    """For any input, a second repair changes nothing, and the number of lines stays the same."""
    once = repair(text).text
    assert repair(once).text == once
    assert once.count("\n") == text.count("\n")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Gr\ufffd\ufffde aus K\ufffdln", "U+FFFD"),
        ("Gr??e aus K?ln und M?nchen, sch?n", "'?' instead"),
        ("?????? ??? ????, ?? ????? ???.", "'?' instead"),
        ("Gr?fe und M?ller", "'?' instead"),
        ("GR?FE UND M?LLER", "'?' instead"),
        ("caf? cr?me", "'?' instead"),
        ("???????? ????", "'?' instead"),
        ("Ру?сский язы?к", "'?' instead"),
        ("he said \x93yes\x94", "control"),
        ("Voilà lâ€™été", "windows-1252"),
    ],
)
def test_what_was_damaged_before_is_found(text: str, words: str) -> None:
    """Each kind of damage is found, with words for it."""
    assert words in find_damage(text)[0].words


@pytest.mark.parametrize(
    "text", ["a ? b : c", "http://x.y/?a=b&c=d?e", "Why?Because", "foo?.bar?.baz", "SELECT ?x ?y"]
)
def test_question_marks_of_programs_are_no_damage(text: str) -> None:
    """What programs and addresses do with question marks is not taken for lost letters."""
    assert find_damage(text) == ()


@pytest.mark.parametrize("times", [2, 3])
def test_no_half_repair(times: int) -> None:
    """If the result would still look like misread UTF-8 but not like real text, nothing is changed."""
    text = "message78= yyyy年 mmm"
    for _ in range(times):
        text = text.encode().decode("cp1252")
    assert repair(text).text == text


def test_the_probability_knows_other_readings() -> None:
    """Another possible letter lowers the probability; an unambiguous repair keeps it."""
    wrong = "dĂĽnsten"
    assert repair(wrong).text == "dünsten" and 0.9 < repair(wrong).probability < 0.99
    assert repair("GrÃ¼ÃŸe aus KÃ¶ln").probability > 0.999


def test_many_lines_are_undone_by_habit() -> None:
    """After hundreds of lines the chain is known; lines that it does not fit are still looked at alone."""
    lines = [f"{number} GrÃ¼ÃŸe aus KÃ¶ln" for number in range(900)]
    lines[700] = "РџСЂРёРІРµС‚ из Казани".encode().decode("utf-8")
    lines[800] = "schöne Straßen"
    found = repair("\n".join(lines))
    new = found.text.split("\n")
    assert new[0] == "0 Grüße aus Köln" and new[899] == "899 Grüße aus Köln" and new[800] == lines[800]
    assert len(found.parts) == 898 + (new[700] != lines[700])


@pytest.mark.parametrize(
    "text",
    [
        "message0=Nezn?m? message1=Nezn?m? (nep?elo?en? IP) message2=Ostatn? message3=Prohl?dnout",
        'msgid "Chart type" msgstr "????? ?????????" msgid "Help" msgstr "???????" msgid "Quit" msgstr "?? ???"',
    ],
)
def test_letters_that_became_question_marks(text: str) -> None:
    """Several in one word, and words that are nothing else, amid other text."""
    assert find_damage(text)


@pytest.mark.parametrize(
    "text",
    [
        "x=a?b:c;\ny=d?e:f;\n" * 9,
        "What??? Who??? Why???\n" * 9,
        "f(a?b=1&c?d=2)\n" * 9,
        "元気ですか?はい、元気です。" * 2,
        "你在哪里?我等了你一整晚。" * 2,
        "잘 지내?응. 정말?네.",
        "ไปไหน?กลับบ้าน ทำไม?ไม่รู้",
        "ok?yes\nreally?no",
        "WHY?BECAUSE WHO?ME",
        "Tu viens?Oui. Ça va?Très bien.",
        "Why?Mr. Smith. Who?Dr. Who",
        "See index.php?id=5&x=colou?r and foo?bar …",
        "??? ???",
    ],
)
def test_question_marks_that_are_meant(text: str) -> None:
    """Question marks in programs, addresses and '???', and those without a space behind them, are not lost letters."""
    assert not find_damage(text)


def test_repair_needs_text_or_bytes() -> None:
    """The error names the function that was called."""
    with pytest.raises(TypeError, match=r"charlens.repair\(\) needs str or bytes; got int"):
        repair(3)  # type: ignore[arg-type]
    with pytest.raises(charlens.NotTextError, match=r"charlens.repair\(\) needs text"):
        repair(b"\x89PNG\r\n\x1a\n\x00\x00")


@pytest.mark.parametrize("between", ["", "plain\n", "schöne Öfen\n"])
def test_what_was_right_between_two_pieces_stays_when_the_repair_is_undone(
    tmp_path: Path, between: str
) -> None:
    """The old bytes come back, also if a piece ends with letters that were right and the next has others."""
    wrong = "Grüße\n".encode().decode("cp1252")
    pieces = [(wrong + between).encode(), (wrong + "und mehr\n").encode()]
    inverse, path = Inverse(0), tmp_path / "new"
    fixed = [piece.replace(wrong.encode(), "Grüße\n".encode()) for piece in pieces]
    for old, new in zip(pieces, fixed, strict=True):
        inverse.add(old, [Part(0, len(wrong.encode()), "Grüße\n", ("cp1252",))], new)
    path.write_bytes(b"".join(fixed))
    assert b"".join(unrepaired(str(path), inverse.to_text())) == b"".join(pieces)


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_one_wrong_column_is_repaired(delimiter: str, end: str) -> None:
    """In a table, cells are repaired one by one: the other columns can be right."""
    rows = [
        ["Name", "Stadt", "Höhe"],
        ["Jürgen", "Köln", "groß"],
        ["Zoë", "Bonn", "üblich"],
        ["Müller", "München", "é"],
    ]
    wrong = [[name, town.encode().decode("cp1252"), size] for name, town, size in rows]
    right, text = (end.join(delimiter.join(row) for row in table) + end for table in (rows, wrong))
    found = repair(text)
    assert found.text == right and len(found.parts) == 2
    assert repair(right).parts == ()


@pytest.mark.parametrize(
    "text",
    [
        "Write Grüße, not GrÃ¼ÃŸe.\nThat is all.\n",
        "Grüße, GrÃ¼ÃŸe",
        "a,b\nGrüße GrÃ¼ÃŸe,Köln\nc,d\n",
    ],
)
def test_a_part_of_a_line_that_is_no_cell_is_left_alone(text: str) -> None:
    """In prose, and inside a cell, wrong words beside right ones stay."""
    assert repair(text).text == text
    assert find_damage(text)[0].rule == "mojibake"


def test_many_places_are_listed_in_part_and_the_last_one_says_so() -> None:
    """Of a hundred places the first twenty are listed, and nobody has to take twenty for all."""
    found = find_damage("".join(f"line {number}: GrÃ¼ÃŸe, and Größe\n" for number in range(100)))
    assert len(found) == 20 and found[-1].words.endswith("(only the first 20 places are listed)")
    assert not any("places are listed" in each.words for each in found[:-1])
