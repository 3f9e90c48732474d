"""Measure how much generated mojibake is repaired, and how often clean text is changed; with ftfy, if installed.

    python bench/mojibake.py [FOLDER...]

The texts are those of tests/prose: 30 languages, cut at words into snippets of several lengths, decoded wrongly once or
twice. Clean text: all snippets of all languages, and every file in the folders that is UTF-8, or whose encoding
charlens detects with certainty.
"""

from __future__ import annotations

import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

from charlens import detect
from charlens.mojibake import repair

PROSE = Path(__file__).parent.parent / "tests" / "prose"
LANGUAGES = [
    *[
        "de",
        "fr",
        "es",
        "pt",
        "it",
        "nl",
        "sv",
        "da",
        "nb",
        "fi",
        "is",
        "pl",
        "cs",
        "sk",
        "hu",
        "ro",
        "hr",
        "sl",
    ],
    *[
        "lt",
        "lv",
        "et",
        "tr",
        "vi",
        "ru",
        "uk",
        "bg",
        "sr-Cyrl",
        "el",
        "ar",
        "he",
        "fa",
        "hi",
        "th",
        "ja",
        "zh-Hans",
        "ko",
    ],
]
CHAINS = (
    ("cp1252",),
    ("iso8859-1",),
    ("cp1251",),
    ("cp437",),
    ("mac-roman",),
    ("cp1250",),
    ("cp850",),
    ("cp1254",),
    ("cp1252", "cp1252"),
    ("cp1252", "cp1251"),
    ("iso8859-1", "cp1252"),
    ("cp1252", "cp1252", "cp1252"),
)
LENGTHS = ((10, 20), (20, 40), (40, 80), (80, 200))
#: Snippets of each language and length.
MOST = 40


def snippets(text: str, shortest: int, longest: int) -> Iterator[str]:
    """Yield pieces of *text* of whole words, shortest to longest characters each."""
    text = " ".join(text.split())
    start = 0
    while start < len(text) - longest:
        end = text.find(" ", start + shortest)
        end = end if 0 <= end - start <= longest else start + longest
        yield text[start:end]
        start = end + (text[end : end + 1] == " ")


def misread(text: str, chain: tuple[str, ...]) -> str:
    """Return *text* after its UTF-8 was decoded as each of *chain*; undefined bytes stand for themselves."""
    for codec in chain:
        signs = (bytes((byte,)).decode(codec, "replace") for byte in text.encode())
        text = "".join(
            chr(byte) if sign == "\ufffd" else sign for sign, byte in zip(signs, text.encode(), strict=True)
        )
    return text


def made(fix: Callable[[str], str]) -> None:
    """Print the results for generated mojibake."""
    for shortest, longest in LENGTHS:
        counts: Counter[str] = Counter()
        worst: Counter[tuple[str, ...]] = Counter()
        for language in LANGUAGES:
            text = (PROSE / f"{language}.txt").read_text(encoding="utf-8")
            for snippet in [s for s in snippets(text, shortest, longest) if not s.isascii()][:MOST]:
                for chain in CHAINS:
                    wrong = misread(snippet, chain)
                    result = fix(wrong)
                    status = "whole" if result == snippet else "left" if result == wrong else "half"
                    counts[status] += 1
                    if status == "half" and counts["half"] <= 4:
                        print(f"      {snippet!r} by {'+'.join(chain)} became {result!r}")
                    if status != "whole":
                        worst[(status, language, "+".join(chain))] += 1
        number = sum(counts.values())
        shares = ", ".join(f"{name} {counts[name] / number:.2%}" for name in ("whole", "left", "half"))
        print(f"  {shortest} to {longest} characters: {number:,} texts, {shares}")
        print("     ", ", ".join(f"{' '.join(key)} {count}" for key, count in worst.most_common(6)))


def clean(fix: Callable[[str], str], folders: list[str]) -> None:
    """Print how often clean text is changed."""
    texts = [
        snippet
        for path in sorted(PROSE.glob("*.txt"))
        for shortest, longest in LENGTHS
        for snippet in snippets(path.read_text(encoding="utf-8"), shortest, longest)
    ]
    report("snippets of prose", texts, fix)
    report("files", list(decoded(folders)), fix)
    lines = [line for text in decoded(folders) for line in text.split("\n") if line and not line.isascii()]
    report("lines of files", lines, fix)


def decoded(folders: list[str]) -> Iterator[str]:
    for folder in folders:
        for path in sorted(Path(folder).rglob("*")):
            if path.is_file():
                data = path.read_bytes()[:100_000]
                verdict = detect(data)
                if verdict.encoding and verdict.confidence > 0.9:
                    yield data.decode(verdict.encoding, "ignore")


def report(name: str, texts: list[str], fix: Callable[[str], str]) -> None:
    changed = [(text, fix(text)) for text in texts if not text.isascii()]
    wrong = [(before, after) for before, after in changed if before != after]
    print(f"  {len(changed):,} {name}: {len(wrong)} changed")
    for before, after in wrong[:12]:
        at = next(i for i, (a, b) in enumerate(zip(before + "\0", after + "\1", strict=False)) if a != b)
        print(f"      {before[max(0, at - 15) : at + 25]!r} to {after[max(0, at - 15) : at + 25]!r}")


def main() -> None:
    fixes: dict[str, Callable[[str], str]] = {"charlens": lambda text: repair(text).text}
    try:
        import ftfy

        fixes["ftfy"] = ftfy.fix_encoding
    except ImportError:
        pass
    for name, fix in fixes.items():
        begin = time.perf_counter()
        print(name)
        made(fix)
        clean(fix, sys.argv[1:])
        print(f"  {time.perf_counter() - begin:.0f} s")


if __name__ == "__main__":
    main()
