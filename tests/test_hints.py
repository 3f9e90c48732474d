"""Hints: evidence that is added to what the bytes say, and never more than that."""

from __future__ import annotations

import pytest
from click.testing import CliRunner
from prose_texts import PROSE

import charlens
from charlens.cli.app import app
from charlens.encodings import all_encodings
from charlens.encodings.orthography import write
from charlens.hints import _tables, parse_hints
from charlens.models import default_model
from charlens.source import Bytes
from charlens.stages.statistics.evidence import from_hints, line_end_platforms

#: A word that reads as a word in several encodings: what a hint is for.
_DOUBTFUL = "upė".encode("cp1257")


def odds(**hints: object) -> dict[tuple[str, str], float]:
    """What each class of the shipped model gets by *hints*."""
    model = default_model()
    found = from_hints(model, parse_hints(hints), Bytes(b"").scan)
    points = dict.fromkeys(model.classes, 0.0)
    for evidence in found.evidence if found else ():
        for own, (encoding, language) in zip(model.members, model.classes, strict=True):
            fits = any(evidence.encodings >> member & 1 for member in own)
            if fits and evidence.languages >> model.language_numbers[language] & 1:
                points[encoding, language] += evidence.points
    return points


@pytest.mark.parametrize(
    ("tag", "classes"),
    [
        ("ru", {"ru"}),
        ("RU-ru", {"ru"}),
        ("zh", {"zh-Hans", "zh-Hant"}),
        ("zh-TW", {"zh-Hant"}),
        ("zh-Hant-HK", {"zh-Hant"}),
        ("no", {"nb", "nn"}),
        ("sr", {"sr-Cyrl", "sr-Latn"}),
        ("sr-Latn-RS", {"sr-Latn"}),
        ("pt_BR", {"pt"}),
        (["fr", "de"], {"fr", "de"}),
        ("hi", set()),
    ],
)
def test_a_language_is_evidence_for_its_classes(tag: object, classes: set[str]) -> None:
    """A BCP 47 tag raises all classes in that language, whatever its region or spelling, and no others."""
    assert {language for (_, language), points in odds(language=tag).items() if points} == classes


@pytest.mark.parametrize("tld", ["ru", ".ru", "RU", "www.example.ru", "xn--p1ai", "рф", ".РФ"])
def test_a_domain_is_evidence_for_its_languages(tld: str) -> None:
    """A top-level domain is accepted with a dot, in capitals, with its host, in punycode and in Unicode."""
    assert {language for (_, language), points in odds(tld=tld).items() if points} == {"ru"}


def test_a_language_may_be_named_in_english() -> None:
    """'Russian' means the same as 'ru'; the names are those of the model's languages."""
    assert odds(language="Russian") == odds(language="ru") != odds()
    assert odds(language="norwegian") == odds(language="no")


def test_an_unknown_domain_says_nothing() -> None:
    """Most domains belong to no language; they are not error, and move nothing."""
    assert set(odds(tld="com").values()) == {0.0}


def test_a_platform_is_evidence_for_its_encodings() -> None:
    """Under 'mac' the Macintosh encodings rise and those of Windows do not."""
    found = odds(platform="mac")
    assert found["mac-cyrillic", "ru"] > 0 == found["cp1251", "ru"]


def test_a_prior_counts_by_its_parts() -> None:
    """Of two encodings the one with more weight rises more; scale does not matter; others stay."""
    small, large = odds(prior={"cp1251": 1, "koi8-r": 3}), odds(prior={"windows-1251": 100, "KOI8-R": 300})
    assert small == large
    assert small["koi8-r", "ru"] > small["cp1251", "ru"] > 0 == small["cp866", "ru"]


def test_a_declared_charset_is_evidence_for_its_family() -> None:
    """Only bytes distinguish ISO-8859-1 from windows-1252, so a declaration of one raises the other's class."""
    assert odds(declared="ISO-8859-1")["cp1252", "fr"] > 0


def test_every_table_names_what_there_is() -> None:
    """Languages, encodings and domains in hints.json are real: a typing error there would be silence."""
    tables = _tables()
    languages = {language for _, language in default_model().classes}
    encodings = {encoding.name for encoding in all_encodings()}
    named = [tag for group in ("languages", "tlds") for tags in tables[group].values() for tag in tags]
    assert set(named) <= languages
    assert {name for names in tables["platforms"].values() for name in names} <= encodings
    assert all(key == key.lower() for group in ("languages", "tlds", "platforms") for key in tables[group])


@pytest.mark.parametrize(
    ("hints", "error", "words"),
    [
        ({"langauge": "ru"}, ValueError, "language, tld, platform, prior, declared"),
        ({"language": "not a tag"}, ValueError, "BCP 47"),
        ({"language": "rusian"}, ValueError, "Did you mean 'russian'"),
        ({"language": 7}, TypeError, "'ru'"),
        ({"language": [7]}, TypeError, "'ru'"),
        ({"tld": "no domain"}, ValueError, "'.jp'"),
        ({"tld": ""}, ValueError, "'.jp'"),
        ({"tld": 3}, TypeError, "'.jp'"),
        ({"platform": "amiga"}, ValueError, "windows, dos, mac, unix"),
        ({"platform": None, "prior": {}}, ValueError, "'koi8-r'"),
        ({"prior": {"cp1251": -1}}, ValueError, "not negative"),
        ({"prior": {"cp1251": float("nan")}}, ValueError, "not negative"),
        ({"prior": {"cp1251": "9"}}, TypeError, "number"),
        ({"prior": {"cp1521": 1}}, ValueError, "Did you mean"),
        ({"prior": ["cp1251"]}, TypeError, "mapping"),
        ({"declared": "x-nothing"}, ValueError, "Unknown encoding"),
        ({"declared": b"utf-8"}, TypeError, "label"),
        ("ru", TypeError, "mapping"),
    ],
)
def test_an_unusable_hint_is_an_error_that_helps(hints: object, error: type[Exception], words: str) -> None:
    """Invalid hints are refused for any bytes, with a message that says what to pass."""
    with pytest.raises(error, match=words):
        charlens.detect(b"plain", hints=hints)  # type: ignore[arg-type]


def test_the_right_language_helps_a_short_text() -> None:
    """Without a hint this Lithuanian word is taken for another; with its language given, its true reading wins."""

    def share(verdict: charlens.Verdict) -> float:
        readings = [
            (verdict.encoding, verdict.confidence),
            *((a.encoding, a.confidence) for a in verdict.alternatives),
        ]
        return dict(readings).get("cp1257", 0.0)

    plain, hinted = charlens.detect(_DOUBTFUL), charlens.detect(_DOUBTFUL, hints={"language": "lt"})
    assert (plain.encoding, hinted.encoding) == ("cp1252", "cp1257")
    assert share(hinted) > share(plain)


def test_evidence_outweighs_every_hint_together() -> None:
    """A page of Russian in KOI8-R stays KOI8-R against a wrong language, domain, platform, prior and declaration."""
    wrong = {
        "language": "fr",
        "tld": "fr",
        "platform": "mac",
        "prior": {"cp1252": 1},
        "declared": "windows-1252",
    }
    assert charlens.detect((write(PROSE["ru"], "koi8-r") or b""), hints=wrong).encoding == "koi8-r"


def test_a_hint_makes_nothing_possible() -> None:
    """What does not decode is no answer, whatever is declared: a lone 0xFF is no Shift_JIS."""
    hints = {"declared": "shift_jis", "language": "ja", "prior": {"shift_jis": 1}}
    verdict = charlens.detect(b"caf\xe9 \xff", hints=hints)
    assert verdict.encoding not in ("cp932", "shift_jis", "shift_jis_2004", "shift_jisx0213")
    assert verdict.encoding is None or b"caf\xe9 \xff".decode(verdict.encoding)


def test_unicode_is_not_moved() -> None:
    """UTF-8 is recognised by its form; a hint for another encoding changes nothing."""
    data = "Grüße".encode()
    assert charlens.detect(data, hints={"declared": "cp1252"}) == charlens.detect(data)


def test_the_steps_name_the_hints() -> None:
    """The verdict says which hints there were and what each was worth."""
    verdict = charlens.detect(_DOUBTFUL, hints={"language": "lt", "platform": "windows"})
    words = next(step.words for step in verdict.steps if step.stage == "hints")
    assert "language lt +" in words and "platform windows +" in words


@pytest.mark.parametrize(
    ("text", "platforms"),
    [("a\rb", ("mac",)), ("a\r\nb", ("windows", "dos")), ("a\nb", ()), ("a\nb\r\n", ()), ("a", ())],
)
def test_line_ends_hint_at_a_platform(text: str, platforms: tuple[str, ...]) -> None:
    """Bare CR is evidence for the Macintosh, CR LF for Windows and DOS, LF for nothing."""
    assert line_end_platforms(Bytes(text.encode()).scan) == platforms


def test_a_named_platform_replaces_line_endings() -> None:
    """Who says 'unix' of a file with CR LF knows better than its line endings."""
    verdict = charlens.detect("été\r\n".encode("latin-1"), hints={"platform": "unix"})
    words = next(step.words for step in verdict.steps if step.stage == "hints")
    assert words == "platform unix +2.0"


def test_all_ways_in_take_hints(tmp_path) -> None:  # type: ignore[no-untyped-def]
    """`detect_path`, `detect_many` and `decode` give the answer that `detect` gives with the same hints."""
    path = tmp_path / "word.txt"
    path.write_bytes(_DOUBTFUL)
    hints = {"language": iter(["lt"])}
    assert [v.encoding for v in charlens.detect_many([_DOUBTFUL] * 3, hints=hints)] == ["cp1257"] * 3
    assert charlens.detect_path(path, hints={"language": "lt"}).encoding == "cp1257"
    assert charlens.decode(_DOUBTFUL, hints={"language": "lt"}) == "upė"


def test_the_command_takes_hints(tmp_path) -> None:  # type: ignore[no-untyped-def]
    """`charlens detect` has the hints as options; a wrong one is wrong use."""
    path = tmp_path / "word.txt"
    path.write_bytes(_DOUBTFUL)
    run = CliRunner().invoke(
        app, ["detect", "--language", "lt", "--tld", "lt", "--platform", "windows", str(path)]
    )
    assert (run.exit_code, "cp1257" in run.output) == (0, True)
    assert CliRunner().invoke(app, ["detect", "--platform", "amiga", str(path)]).exit_code == 2


def test_priors_with_the_same_text_are_not_mixed_up() -> None:
    """Two priors with the same rounded log-odds still give different odds and answers."""
    assert odds(prior={"cp1251": 900, "koi8-r": 100}) != odds(prior={"cp1251": 900, "koi8-r": 101})
    data = "арфы".encode("koi8-r")
    verdicts = [
        charlens.detect(data, hints={"prior": {"cp1251": 900, "koi8-r": rest}}) for rest in (100, 105, 100)
    ]
    words = {step.words for verdict in verdicts for step in verdict.steps if step.stage == "hints"}
    assert words == {"prior cp1251 +3.8; prior koi8-r +1.8"}
    shares = [verdict.confidence for verdict in verdicts]
    assert shares[0] == shares[2] != shares[1]


@pytest.mark.parametrize("data", [b"\x1b[1;34m\xda\xc4\xbf", b"The end.\r\n\x1a"])
def test_controls_hint_at_dos(data: bytes) -> None:
    """Colour codes and the end of file of DOS are evidence for its pages, and for no others."""
    model = default_model()
    found = from_hints(model, None, Bytes(data).scan)
    assert found is not None
    controls = found.evidence[-1]
    names = {
        encoding.name for number, encoding in enumerate(all_encodings()) if controls.encodings >> number & 1
    }
    assert controls.points > 0 and {"cp437", "cp866"} <= names and not names & {"cp1252", "mac-roman"}


def test_controls_are_asked_without_line_ends() -> None:
    """The statistics look for controls of DOS where there is no carriage return."""
    verdict = charlens.detect(b"\x1b[0mmenu\n\xfa\xfa\xfa \xc4\xc4\n" * 3)
    assert any("controls of dos" in str(step) for step in verdict.steps), verdict.steps


def test_a_prior_for_every_encoding_is_taken() -> None:
    """However many encodings have a weight, with the other hints: there is room for all of them."""
    names = [each.name for each in all_encodings() if each.kind != "utf"]
    hints = {"prior": dict.fromkeys(names, 1.0), "language": "de", "tld": "de", "declared": "cp1252"}
    for text in ("Grüße aus Köln", "südlich", "é"):
        assert charlens.detect(text.encode("cp1252"), hints=hints).encoding == "cp1252"
