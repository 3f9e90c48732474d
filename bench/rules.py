"""Measure each rule: turn the rules off one by one, and count the misses again.

    python bench/rules.py --data LABELLED [--data FRESH] [--binary BINARY] [--text TRAIN] [--pages HTML] [RULE ...]

A rule is a constant of a stage; off, it has the value at which it decides nothing. Folders with a manifest are measured
whole and as cuts of 10 to 200 bytes. With `--text`, snippets of sources that were not used for training are added: in
EBCDIC, with stray or control bytes, aligned with full-width spaces, with one letter on every line, in a page that
declares its language, and with one symbol in a program; with `--pages`, pages in every encoding with no declaration, a
right one, a wrong one or windows-1252. Files with a source count only if it is in the part 'development'. The output
has the misses with all rules, and for each rule the number of additional misses without it, and the number of answers
(encoding, language, outcome) that change.
"""

from __future__ import annotations

import argparse
import importlib
import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from ceiling import short_strings

import charlens
from charlens.evaluation.datasets import Sample, read_binary, read_dataset
from charlens.evaluation.judge import judge
from charlens.evaluation.made import Recipe, cut_samples, make_snippets
from charlens.evaluation.made_pages import PageRecipe, made_pages
from charlens.evaluation.parts import DEVELOPMENT, samples_in
from charlens.evaluation.peers import Answer
from charlens.stages.structure.strays import TOLERANT
from charlens.training.samples import WITH_OPENING_MARKS

_CUTS = (10, 20, 50, 200)
_PER_CLASS = 20
#: Encodings that lack the byte 0x90.
_LACKING = ("cp1250", "cp1252", "cp1253", "cp1254", "cp1255", "cp1257", "cp1258")
_LATIN_EBCDIC = ("cp037", "cp500", "cp1140", "cp273", "cp1026")
_ALIGNED = ("cp932", "big5hkscs")
#: 'ァ' in Shift_JIS: its second byte is the space of EBCDIC.
_SMALL_A = b"\x83\x40"
_DECLARED = re.compile(rb"charset=[\"']?[\w-]+")
_OF_DOS = ("cp720", "cp737", "cp850", "cp852", "cp855", "cp862", "cp866")
_NON_ASCII = re.compile(r"[^\x00-\x7f]")
_EBCDIC = ("cp037", "cp500", "cp1140", "cp273", "cp1026", "cp424", "cp875")
#: Lines of programs for a platform, and the signs that its programs have.
_PROGRAMS = (
    ("mac-roman", 'OSErr result;\nDrawString("\\p{}");\n', "•…’™®«√∆ƒ≈πΩ≠∞"),
    ("mac-roman", "if (ch == '{}') result = FSSpecOf(file);\n", "•…’™®«√∆ƒ≈πΩ≠∞"),
    ("cp1252", "uses Forms, SysUtils;\nText := Name + '{}';\n", "°º½·£§²×’–®»±ª"),
)


class Rule(NamedTuple):
    """A constant of a module of the stages, and its value where the rule is off."""

    module: str
    constant: str
    off: Any
    words: str


RULES = (
    Rule("unicode", "DOUBTFUL_LEADS", 0, "few sequences that are not UTF-8: legacy text is likelier"),
    Rule("unicode", "LEAST_FAULTY", 0, "very short input with invalid UTF-8 is in another encoding"),
    Rule("unicode", "_LEAST_DAMAGED", -(10**6), "damaged UTF-8 must decode to likely characters"),
    Rule("unicode", "LEAST_NULLESS", 1 << 30, "UTF-16 without NULs"),
    Rule("unicode", "_UNITS_PER_VALUE", 1 << 30, "the same ideograph repeated is not UTF-16"),
    Rule("unicode", "_LEAST_TINY_WIDE", 10**6, "East Asian UTF-16, 2 to 7 characters"),
    Rule("unicode", "_LEAST_WIDE", 10**6, "East Asian UTF-16 with rare characters"),
    Rule("unicode", "_LEAST_WITH_PARITY", 10**6, "UTF-16 that consists of lines and tables"),
    Rule("unicode", "_LONGER_THAN_A_LINE", 0, "a line that ends in two non-ASCII bytes is not cut UTF-8"),
    Rule("escapes", "_LATIN", 0, "Latin letters in UTF-7 are likely"),
    Rule("ebcdic", "_MINOR_SCRIPT", 0, "EBCDIC: letters of a second script are unlikely"),
    Rule("ebcdic", "_FOREIGN", 0, "EBCDIC: the code page must suit the language"),
    Rule("ebcdic", "_LONE", 0, "EBCDIC: a single letter between words is a symbol of another code page"),
    Rule("ebcdic", "MOST_OTHERS", -1.0, "EBCDIC without spaces is recognised by its letters"),
    Rule("ebcdic", "_FULL_WIDTH_SPACES", (), "EBCDIC: full-width spaces of Japanese and Chinese are not EBCDIC spaces"),
    Rule("ebcdic", "_MOST_KANA", 1.0, "EBCDIC: Shift_JIS kana are not EBCDIC"),
    Rule("ebcdic", "_WITHOUT_ITS_SCRIPT", 0, "EBCDIC: text in a Greek or Hebrew code page has Greek or Hebrew letters"),
    Rule("content", "_LEAST", 1 << 60, "text may contain a few control bytes"),
    Rule("content.odds", "_PRIOR", 0.0, "input with control bytes is usually binary"),
    Rule("markup", "_ENOUGH", 0, "web pages with little text are scored with their markup"),
    Rule("structure", "FIRST_FORGIVEN", 1 << 60, "stray bytes in multi-byte text are damage"),
    Rule("structure.strays", "LEAST_BYTES", 1 << 60, "stray bytes in Windows code pages are damage"),
    Rule("statistics.tables", "_DOUBT", 0.0, "C1 control characters are unlikely"),
    Rule("statistics.surroundings", "FEW", -1, "the ASCII words around a few non-ASCII bytes"),
    Rule("statistics.surroundings", "FEW_IN_MANY", -1, "the same in longer input, and against rare encodings"),
    Rule("statistics", "MOST_BYTES", -1, "known words in short text"),
    Rule("statistics.glued", "POINTS", 0.0, "no Latin word begins inside a two-byte character"),
    Rule("statistics.platforms", "_NAMES", {}, "names in programs indicate the platform"),
    Rule("statistics.surroundings", "ENGLISH", "", "English text can contain words of any language"),
    Rule("statistics.tables", "_PRIOR_WEIGHT", 0.0, "common encodings are more likely"),
    Rule("statistics.tables", "_PRIOR_OF_ONE", 0.0, "even more so if there are few non-ASCII bytes"),
    Rule("statistics.tables", "_MANY", 1 << 60, "and if there are many: rare variants differ in a few symbols"),
    Rule("statistics.tables", "_LANGUAGE_WEIGHT", 0.0, "languages with more files are more likely"),
    Rule("statistics.evidence", "_LINE_ENDS", 0.0, "line endings indicate the platform"),
    Rule("statistics.evidence", "_DOS_CONTROLS", 0.0, "escape sequences and Ctrl-Z indicate DOS"),
    Rule("statistics.tables", "_AGAINST_RARE", 0.0, "one or two letters are no evidence for a rare encoding"),
    Rule("statistics.evidence", "_PAGE_ODDS", 0.0, "web pages are in encodings that browsers support"),
    Rule("statistics.evidence", "_CHARSET_ODDS", 0.0, "a declared encoding is more likely"),
    Rule("statistics.evidence", "_DEFAULT_ODDS", 8.0, "but less so if tools write it by default"),
    Rule("statistics.evidence", "_TAG_ODDS", 0.0, "a declared language is more likely"),
    Rule("reading", "_LEAST_LIKELY", 0.0, "a best reading that is unlikely is not an answer"),
    Rule("language", "_FEW", 0, "the language of pages that are nearly all markup is detected from their text"),
    Rule("language", "_STATISTICS", 0.0, "the byte statistics are evidence for the language"),
    Rule("evenness", "_LEAST_RUNS", 1 << 40, "legacy text is checked for a change of encoding"),
    Rule("evenness", "_FITS", 99.0, "but not where the chosen encoding fits well"),
    Rule("language", "_HARDLY_OTHERS", 0.0, "the letters are skipped if the statistics are certain of the language"),
)  # fmt: skip


@contextmanager
def switched_off(rule: Rule) -> Iterator[None]:
    """Run a block without *rule*."""
    module = importlib.import_module(f"charlens.stages.{rule.module}")
    on = getattr(module, rule.constant)
    setattr(module, rule.constant, rule.off)
    _forget()
    try:
        yield
    finally:
        setattr(module, rule.constant, on)
        _forget()


def _forget() -> None:
    """Clear caches that depend on constants."""
    charlens.models.default_model().judge = None
    survey = importlib.import_module("charlens.survey")
    survey.QUIET = survey.FULL = None
    importlib.import_module("charlens.stages.statistics.evidence")._from_hints.cache_clear()


def _gather(
    folders: Iterable[str], binary: str | None, text: str | None, pages: str | None
) -> dict[str, list[Sample]]:
    found: dict[str, list[Sample]] = {}
    for folder in folders:
        whole = read_dataset(Path(folder))
        whole = whole.subset(samples_in(whole.samples, DEVELOPMENT))
        found[Path(folder).name] = list(whole.samples)
        found[f"{Path(folder).name}, cuts"] = list(cut_samples(whole, Recipe(_CUTS, _PER_CLASS)).samples)
    if binary:
        found["binary"] = list(read_binary(Path(binary)).samples)
    if text:
        apart = partial(Recipe, kept_apart=True, without=("sl/tatoeba",))
        found["snippets"] = list(make_snippets(Path(text), apart((20, 100), 3)).samples)
        found["EBCDIC"] = list(make_snippets(Path(text), apart((50, 200), 5, encodings=_EBCDIC)).samples)
        found["EBCDIC lists"] = [
            replace(sample, data=re.sub(rb"[\x40\x25]+", b"\x25", sample.load()))
            for sample in make_snippets(Path(text), apart((200,), 5, encodings=_LATIN_EBCDIC)).samples
        ]
        long = make_snippets(Path(text), apart((4000,), 5, encodings=tuple(TOLERANT))).samples
        found["strays"] = [_spoilt(sample, b"\xff") for sample in long]
        long = make_snippets(Path(text), apart((1000,), 2, encodings=_LACKING)).samples
        found["strays, Windows"] = [_spoilt(sample, b"\x90") for sample in long]
        long = make_snippets(Path(text), apart((1000,), 1)).samples
        found["controls"] = [
            _spoilt(sample, control) for sample in long for control in (b"\x01", b"\x00", b"\x01" * 9)
        ]
        found["aligned"] = [
            _aligned(sample)
            for sample in make_snippets(Path(text), apart((100,), 20, encodings=_ALIGNED)).samples
        ]
        found["katakana"] = [
            sample
            for sample in make_snippets(Path(text), apart((24, 48), 400, encodings=("cp932",))).samples
            if _SMALL_A in sample.load()
        ]
        found["exclamations"] = [
            replace(sample, data=f"¡{word}!".encode(sample.encoding))
            for sample in make_snippets(Path(text), apart((20,), 60, encodings=("cp1252",))).samples
            if sample.language in WITH_OPENING_MARKS
            and (word := max(re.findall(r"\w+", sample.load().decode(sample.encoding)), key=len, default=""))
        ]
        found["one letter"] = [
            replace(sample, data=(letter + "\n").encode(sample.encoding) * 30)
            for sample in make_snippets(Path(text), apart((100,), 2, encodings=_OF_DOS)).samples
            if (
                letter := next(
                    filter(str.isalpha, _NON_ASCII.findall(sample.load().decode(sample.encoding))), ""
                )
            )
        ]
        few = make_snippets(Path(text), apart((10, 20), 1)).samples
        found["words"] = list(short_strings(Path(text)))
        found["programs"] = [
            Sample(f"{line} {sign}", encoding, data=line.format(sign).encode(encoding))
            for encoding, line, signs in _PROGRAMS
            for sign in signs
        ]
        found["lang="] = [replace(each, data=_page(each)) for each in few if each.encoding not in _EBCDIC]
    if pages:
        for declared in ("none", "right", "wrong"):
            found[f"pages, {declared}"] = list(
                made_pages(Path(pages), PageRecipe(2, declared=declared)).samples
            )
        found["pages, default"] = [
            replace(sample, data=_DECLARED.sub(b"charset=windows-1252", sample.load(), count=1))
            for sample in found["pages, wrong"]
        ]
    return found


def _aligned(sample: Sample) -> Sample:
    """Put a full-width space after every six characters."""
    text = sample.load().decode(sample.encoding)
    return replace(sample, data="\u3000".join(re.findall(".{1,6}", text)).encode(sample.encoding))


def _page(sample: Sample) -> bytes:
    return f'<html lang="{sample.language}"><body><p>'.encode() + sample.load() + b"</p></body></html>"


def _spoilt(sample: Sample, foreign: bytes) -> Sample:
    """Insert *foreign* in the middle of a sample, after a line ending or a space."""
    data = sample.load()
    at = max(data.find(b" ", len(data) // 2), data.find(b"\n", len(data) // 2), 0)
    return replace(sample, data=data[:at] + foreign + data[at:])


def _answers(loaded: list[tuple[bytes, str]]) -> tuple[int, list[object]]:
    """Return the number of misses, and the answers."""
    misses, answers = 0, []
    for data, truth in loaded:
        verdict = charlens.detect(data)
        answer = Answer(verdict.encoding, verdict.confidence, outcome=verdict.outcome)
        misses += not judge(data, truth, answer).grade.right
        answers.append((verdict.encoding, verdict.language, verdict.outcome, verdict.mixed))
    return misses, answers


def main() -> None:
    """Print a table with a line for each rule."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", action="append", required=True, metavar="FOLDER")
    parser.add_argument("--binary", metavar="FOLDER")
    parser.add_argument("--text", metavar="FOLDER")
    parser.add_argument("--pages", metavar="FOLDER")
    parser.add_argument(
        "rules", nargs="*", metavar="RULE", help="the names of constants; all where none is named"
    )
    given = parser.parse_args()
    sets = {
        name: [(sample.load(), sample.encoding) for sample in samples]
        for name, samples in _gather(given.data, given.binary, given.text, given.pages).items()
    }
    before = {name: _answers(loaded) for name, loaded in sets.items()}
    print(
        "| rule | "
        + " | ".join(f"{name} ({len(loaded):,})" for name, loaded in sets.items())
        + " | changed |"
    )
    print("| --- |" + " ---: |" * (len(sets) + 1))
    print("| all rules: misses | " + " | ".join(f"{before[name][0]:,}" for name in sets) + " | |", flush=True)
    for rule in RULES:
        if given.rules and rule.constant not in given.rules:
            continue
        with switched_off(rule):
            after = {name: _answers(loaded) for name, loaded in sets.items()}
        cells = [f"{after[name][0] - before[name][0]:+,}" for name in sets]
        changed = sum(
            old != new for name in sets for old, new in zip(before[name][1], after[name][1], strict=True)
        )
        print(f"| {rule.words} (`{rule.constant}`) | " + " | ".join(cells) + f" | {changed:,} |", flush=True)


if __name__ == "__main__":
    main()
