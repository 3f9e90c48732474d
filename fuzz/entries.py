"""Call every public entry with made input: `python fuzz/entries.py [--seconds 60] [--seed 1] [--entry NAME]`.

What must hold for all bytes: only documented exceptions; an answer without damage or cut decodes; confidences add up to
one at most; segments tile the input; explanations add up, with real offsets; a stream and the codec in random pieces
say what one call says; a document that nobody changed gives its bytes, and a changed one the changed text; a repaired
text can be written.  The number of calls by entry is printed, and each finding with the bytes that show it.
"""

from __future__ import annotations

import argparse
import io
import random
import sys
import time
import traceback
import zipfile
from collections import Counter
from collections.abc import Callable
from typing import Any

from inputs import Maker, pieces

import charlens
import charlens.html
from charlens.codec import AutoDecoder
from charlens.files.line_ends import find_changes
from charlens.files.plan import Request, plan_bytes
from charlens.integrations.zip import open_zip
from charlens.models.format import parse_model
from charlens.models.language_model import parse_language_model

OPTIONS: tuple[dict[str, Any], ...] = (
    {},
    {"declared": "obey"},
    {"declared": "ignore"},
    {"markup": "none"},
    {"parts": True},
    {"only": ["utf-16-le", "cp1252"]},
    {"never": ["utf-8"]},
    {"content_type": "text/html; charset=shift_jis"},
    {"hints": {"language": "ru"}},
)


def check_verdict(data: bytes, verdict: charlens.Verdict) -> None:
    """An answer without damage or cut decodes, and the probabilities are such."""
    if verdict.encoding is not None and not verdict.damage and not verdict.mixed:
        data[len(verdict.bom) : len(data) - verdict.cut].decode(verdict.encoding).encode("utf-16-le")
    shares = [verdict.confidence, *(other.confidence for other in verdict.alternatives)]
    assert all(0 <= share <= 1 for share in shares), shares
    assert verdict.encoding is None or sum(shares) < 1.001, shares
    assert all(0 <= span.start < span.end <= len(data) for span in verdict.damage), verdict.damage
    assert verdict.steps or not data


def detect(data: bytes, chance: random.Random) -> None:
    """Detect with some options; a stream of the same bytes says the same."""
    options = chance.choice(OPTIONS)
    verdict = charlens.detect(data, **options)
    check_verdict(data, verdict)
    detector = charlens.Detector(**options)
    for piece in pieces(data, chance):
        detector.feed(piece)
    assert detector.close() == verdict


def explain(data: bytes, chance: random.Random) -> None:
    """Contributions add up to the difference, and their offsets are in the input."""
    found = charlens.explain(data)
    assert all(0 <= at < len(data) for part in found.contributions for at in part.offsets)
    if found.contributions:
        assert found.begin + sum(part.points for part in found.contributions) == found.total


def segments(data: bytes, chance: random.Random) -> None:
    """Segments tile the input."""
    found = charlens.segments(data)
    ends = [0, *(each.end for each in found)]
    assert [each.start for each in found] == ends[:-1] and ends[-1] == len(data), ends
    charlens.decode_mixed(data)


def codec(data: bytes, chance: random.Random) -> None:
    """The codec in random pieces gives the text that it gives at once."""
    whole = AutoDecoder("replace").decode(data, True)
    decoder = AutoDecoder("replace")
    at, text = 0, ""
    while at < len(data):
        size = chance.choice((1, 13, 4000))
        text += decoder.decode(data[at : at + size])
        at += size
    assert text + decoder.decode(b"", True) == whole


def html(data: bytes, chance: random.Random) -> None:
    """A page is always read, as text that can be written."""
    text, _ = charlens.html.decode(data, chance.choice((None, "text/html; charset=koi8-r")))
    text.encode("utf-8")


def document(data: bytes, chance: random.Random) -> None:
    """Nothing changed gives the same bytes; a changed text comes back, or is refused in words."""
    found = charlens.Document(data)
    assert found.to_bytes() == data
    lines = found.text.split("\n")
    lines.insert(chance.randrange(len(lines) + 1), "x")
    found.text = "\n".join(lines)
    changed = found.text
    found = charlens.Document(
        found.to_bytes(), encoding=found.encoding if len(found.encodings) == 1 else None
    )
    # The mark of UTF-7 is part of its text where the encoding was named.
    same = found.text.removeprefix("\ufeff") == changed.removeprefix("\ufeff")
    assert len(found.encodings) != 1 or same or found.encoding == "ascii"


def repair(data: bytes, chance: random.Random) -> None:
    """A repaired text differs only where the parts say so."""
    text = data.decode(chance.choice(("utf-8", "cp1252", "latin-1")), "replace")
    found = charlens.repair(text)
    assert found.changed or found.text == text
    done, made = 0, ""
    for part in found.parts:
        made += text[done : part.start] + part.new
        done = part.end
    assert not found.parts or made + text[done:] == found.text


def plan(data: bytes, chance: random.Random) -> None:
    """A plan that changes something gives bytes that decode; planning never raises."""
    found = plan_bytes(data, Request("utf-8"))
    if found.status == "change":
        found.after.decode("utf-8")


def changes(data: bytes, chance: random.Random) -> None:
    """The changed ranges lead from the old lines to the new ones."""
    old = data.decode("latin-1").split("\n")
    new = [line for line in old if chance.random() < 0.8]
    chance.shuffle(new[: chance.randrange(len(new) + 1)])
    made: list[str] = []
    done = 0
    for change in find_changes(old, new):
        made += [*old[done : change.old_start], *new[change.new_start : change.new_end]]
        done = change.old_end
    assert made + old[done:] == new


def readers(data: bytes, chance: random.Random) -> None:
    """Models and archives out of anything are refused in words."""
    for magic, parse in ((b"CHARLENS\3\0\0\0", parse_model), (b"CHARLANG\1\0\0\0", parse_language_model)):
        try:
            parse(magic + data, "made")
        except charlens.CharlensError:
            continue
        raise AssertionError("a made model was taken")
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("x" * 20, b"1")
    names = data[:20].replace(b"/", b"_").ljust(20, b"_")
    with open_zip(io.BytesIO(packed.getvalue().replace(b"x" * 20, names))) as archive:
        assert len(archive.namelist()) == 1


ENTRIES: dict[str, Callable[[bytes, random.Random], None]] = {
    each.__name__: each
    for each in (detect, explain, segments, codec, html, document, repair, plan, changes, readers)
}


def main() -> int:
    """Run until the time is up; return 1 after a finding."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--entry", action="append", choices=ENTRIES)
    given = parser.parse_args()
    chance = random.Random(given.seed)
    maker = Maker(given.seed)
    done: Counter[str] = Counter()
    findings = 0
    end = time.monotonic() + given.seconds
    while time.monotonic() < end and findings < 10:
        data = maker.make()[: chance.choice((64, 64, 512, 4096, 70_000))]
        name = chance.choice(given.entry or list(ENTRIES))
        done[name] += 1
        try:
            ENTRIES[name](data, chance)
        except charlens.CharlensError:
            continue  # refused in words
        except Exception:
            findings += 1
            print(f"{name}: {data!r}\n{traceback.format_exc(limit=-3)}", flush=True)
    print(f"seed {given.seed}: " + ", ".join(f"{name} {count:,}" for name, count in sorted(done.items())))
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
