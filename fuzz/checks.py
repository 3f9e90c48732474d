"""What must be true of every public function for any bytes: one check each, called by `entries.py` and `guided.py`.

Only documented exceptions are allowed: a `CharlensError` is an answer; anything else is a finding.
"""

from __future__ import annotations

import atexit
import codecs
import gzip
import io
import json
import random
import shutil
import tempfile
import zipfile
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

from inputs import Maker, pieces
from twins import batch_differs, calls, given_to

import charlens
import charlens.html
from charlens import kernel
from charlens.codec import AutoDecoder
from charlens.compat import cchardet, chardet, charset_normalizer, icu, magic
from charlens.evaluation.datasets import read_manifest
from charlens.files.editing import plan_text
from charlens.files.line_ends import find_changes
from charlens.files.plan import Plan, plan_bytes
from charlens.files.reading import Request
from charlens.inputs.pooled import Pool
from charlens.integrations.zip import open_zip
from charlens.kernel import pure
from charlens.models import default_model, format, language_model
from charlens.types import MOST_SPANS

Check = Callable[[bytes, random.Random], None]
#: Entries by name, in this order; `rare` ones are slow and are called less often.
ENTRIES: dict[str, Check] = {}
RARE: set[str] = set()


def entry(check: Check) -> Check:
    """Make *check* an entry."""
    ENTRIES[check.__name__] = check
    return check


def rare(check: Check) -> Check:
    """Make *check* an entry that is called less often."""
    RARE.add(check.__name__)
    return entry(check)


@cache
def maker() -> Maker:
    """Return functions that make keywords of `detect`."""
    return Maker(0)


def options(chance: random.Random) -> dict[str, Any]:
    """Return keywords of `detect`; mostly none."""
    return maker().options(chance) if chance.random() < 0.5 else {}


@cache
def folder() -> Path:
    """Return a folder for this process, in memory if possible; it is removed at exit."""
    shared = Path("/dev/shm")
    made = tempfile.mkdtemp(prefix="charlens-fuzz-", dir=shared if shared.is_dir() else None)
    atexit.register(shutil.rmtree, made, ignore_errors=True)
    return Path(made)


# ---- detection


def check_verdict(data: bytes, verdict: charlens.Verdict) -> None:
    """An answer without damage or cut decodes, and the probabilities are such."""
    if verdict.encoding is not None and not verdict.damage and not verdict.mixed:
        data[len(verdict.bom) : len(data) - verdict.cut].decode(verdict.encoding).encode("utf-16-le")
    shares = [verdict.confidence, *(other.confidence for other in verdict.alternatives)]
    assert all(0 <= share <= 1 for share in shares), shares
    assert verdict.outcome is charlens.Outcome.BINARY or sum(shares) < 1.001, shares
    assert all(0 <= span.start < span.end <= len(data) for span in verdict.damage), verdict.damage
    assert 0 <= verdict.cut <= len(data) and data.startswith(verdict.bom)
    assert verdict.steps or not data


@entry
def detect(data: bytes, chance: random.Random) -> None:
    """The answer holds, with any options, and the record of it can be written as JSON."""
    verdict = charlens.detect(data, **options(chance))
    check_verdict(data, verdict)
    json.dumps(verdict.to_dict(), allow_nan=False).encode("utf-8")
    if verdict.encoding is not None and not (verdict.damage or verdict.mixed) and len(data) < 4096:
        names = (verdict.encoding, *(other.encoding for other in verdict.alternatives))
        texts = [codecs.getincrementaldecoder(name)("replace").decode(data) for name in names]
        assert len({*texts}) == len(texts), names


@entry
def until_done(data: bytes, chance: random.Random) -> None:
    """A loop that stops when the detector is done names the encoding that `detect` names."""
    detector = charlens.Detector()
    for piece in pieces(data, chance):
        detector.feed(piece)
        if detector.done:
            break
    assert detector.close().encoding == charlens.detect(data).encoding


@entry
def limited(data: bytes, chance: random.Random) -> None:
    """A limit of the detection loses no text: what decodes without one decodes with it."""
    most = chance.randrange(1, len(data) + 2)
    try:
        text = charlens.decode(data, max_bytes=most)
    except charlens.NotTextError:
        return
    if "\ufffd" in text and data:
        assert "\ufffd" in charlens.decode(data) or charlens.detect(data, max_bytes=most).cut or most >= len(data)
    assert sum(each.end - each.start for each in charlens.segments(data, max_bytes=most)) == len(data)


@entry
def parts(data: bytes, chance: random.Random) -> None:
    """With *parts*, the parts of a mixed text tile it."""
    verdict = charlens.detect(data, parts=True)
    check_verdict(data, verdict)
    ends = [0, *(part.end for part in verdict.mixed)]
    assert [part.start for part in verdict.mixed] == ends[:-1] and ends[-1] in (0, len(data)), verdict.mixed


@entry
def stream(data: bytes, chance: random.Random) -> None:
    """A stream in random pieces gives the same answer as one call, with any options."""
    keywords = options(chance)
    detector = charlens.Detector(**keywords)
    for piece in pieces(data, chance):
        detector.feed(piece)
    assert detector.close() == charlens.detect(data, **keywords)


@entry
def decode(data: bytes, chance: random.Random) -> None:
    """What is text decodes, as text that can be written."""
    assert charlens.is_text(data) in (True, False)
    try:
        charlens.decode(data, **options(chance)).encode("utf-8")
    except charlens.NotTextError:
        assert data


@entry
def pooled(data: bytes, chance: random.Random) -> None:
    """Strings that the answer does not decode are named as misfits."""
    strings = data.split(chance.choice((b"\n", b" ", b"\r\n", b"e")))
    verdict = charlens.detect_together(strings, **options(chance))
    pool = verdict.findings[0]
    assert isinstance(pool, Pool) and pool.strings == len(strings)
    if verdict.encoding is None or len(pool.misfits) >= MOST_SPANS or pool.blocked:
        return
    misfits = {strings[number] for number in pool.misfits}  # of equal strings the first is named
    for string in set(strings) - misfits:
        codecs.getincrementaldecoder(verdict.encoding)().decode(string)


@entry
def batch(data: bytes, chance: random.Random) -> None:
    """A column gives the same answer for each row as `detect`."""
    cuts = sorted(chance.randrange(len(data) + 1) for _ in range(chance.randrange(6)))
    rows = [data[start:end] for start, end in zip([0, *cuts], [*cuts, len(data)], strict=True)]
    headers = [chance.choice((None, None, "text/html; charset=koi8-r")) for _ in rows]
    assert not (words := batch_differs(rows, headers)), words


@rare
def segments(data: bytes, chance: random.Random) -> None:
    """Segments tile the input, and its text is theirs."""
    found = charlens.segments(data)
    ends = [0, *(each.end for each in found)]
    assert [each.start for each in found] == ends[:-1] and ends[-1] == len(data), ends
    assert charlens.decode_mixed(data) == "".join(each.decode(data) for each in found)


@rare
def explain(data: bytes, chance: random.Random) -> None:
    """Contributions add up to the difference, and their offsets are in the input."""
    found = charlens.explain(data, **options(chance))
    assert all(0 <= at < len(data) for part in found.contributions for at in part.offsets)
    if found.contributions:
        assert found.begin + sum(part.points for part in found.contributions) == found.total


@rare
def twins(data: bytes, chance: random.Random) -> None:
    """Every function of the kernel says the same in C and in Python."""
    for name, arguments in chance.sample(calls(data[:4096], chance), 4):
        one = getattr(pure, name)(*given_to(pure, arguments))
        two = getattr(kernel, name)(*given_to(kernel, arguments))
        assert tuple(one) == tuple(two) if isinstance(one, tuple) else one == two, (name, one, two)


# ---- text


@entry
def codec(data: bytes, chance: random.Random) -> None:
    """The codec in random pieces, and through its state, gives the text that it gives at once."""
    whole = AutoDecoder("replace").decode(data, True)
    decoder, text = AutoDecoder("replace"), ""
    for piece in pieces(data, chance):
        text += decoder.decode(piece)
        if chance.random() < 0.1:
            state = decoder.getstate()
            decoder = AutoDecoder("replace")
            decoder.setstate(state)
    assert text + decoder.decode(b"", True) == whole


@entry
def html(data: bytes, chance: random.Random) -> None:
    """A page is always read, as text that can be written."""
    header = chance.choice((None, "text/html; charset=koi8-r", "text/html; charset=iso-2022-jp"))
    declared = chance.choice(("verify", "obey", "ignore"))
    text, _ = charlens.html.decode(data, header, declared=declared, prescan=chance.choice((1, 1024, 9999)))
    text.encode("utf-8")
    name, text = charlens.html.html_to_unicode(header, data)
    "".encode(name)


@entry
def document(data: bytes, chance: random.Random) -> None:
    """Without a change, saving gives the same bytes; changed text can be read back, or is refused with a message."""
    found = charlens.Document(data)
    assert found.to_bytes() == data
    lines = found.text.split("\n")
    lines.insert(chance.randrange(len(lines) + 1), chance.choice(("x", "é", "")))
    found.text = "\n".join(lines)
    content, mark = found.to_bytes(), found.bom
    assert content.startswith(mark)
    if len(found.encodings) == 1 and found.encoding != "ascii":
        # Where the encoding is named, the mark of another one in front is text.
        again = charlens.Document(content.removeprefix(mark), encoding=found.encoding)
        assert again.text.lstrip("\ufeff") == found.text.lstrip("\ufeff")


@rare
def repair(data: bytes, chance: random.Random) -> None:
    """A repaired text differs only where the parts say so, and can be written."""
    text = data.decode(chance.choice(("utf-8", "cp1252", "latin-1", "cp437")), "replace")
    found = charlens.repair(text)
    assert found.changed or found.text == text
    done, made = 0, ""
    for part in found.parts:
        made += text[done : part.start] + part.new
        done = part.end
    assert not found.parts or made + text[done:] == found.text
    found.text.encode("utf-8")
    assert 0 <= found.probability <= 1


# ---- writers

TARGETS = (
    "utf-8",
    "utf-8",
    "utf-16",
    "utf-16-le",
    "utf-8-sig",
    "cp1252",
    "koi8-r",
    "cp932",
    "iso2022_jp",
    "cp037",
    None,
)
NAMES = ("-", "x.py", "x.html", "x.xml", "x.json", "x.properties", "x.css", "x.txt")


def check_plan(plan: Plan, request: Request) -> None:
    """What would be written decodes, is the text that the plan names, and needs no second run."""
    assert plan.status in ("change", "unchanged", "refused", "binary")
    if plan.status in ("refused", "binary"):
        assert plan.words and not plan.after
    if plan.status != "change":
        return
    assert plan.target is not None and (plan.changes or plan.source != plan.target)
    text = plan.after.decode(plan.target)
    assert text in (plan.new_text, "\ufeff" + plan.new_text)


@rare
def plan(data: bytes, chance: random.Random) -> None:
    """Planning never raises, for any target and any kind of file, and its result is verified."""
    request = Request(
        chance.choice(TARGETS),
        chance.choice((None, None, True, False)),
        chance.choice((None, None, "lf", "crlf", "cr")),
        chance.choice((0.9, 0.0)),
        source=chance.choice((None, None, None, "cp1252", "utf-8")),
        declarations=chance.random() < 0.8,
        repair=chance.random() < 0.1,
        spare_examples=chance.random() < 0.5,
        mixed=chance.random() < 0.2,
    )
    check_plan(plan_bytes(data, request, chance.choice(NAMES)), request)


@rare
def convert(data: bytes, chance: random.Random) -> None:
    """What is converted decodes in the target."""
    target = chance.choice(TARGETS) or "utf-8"
    charlens.convert(data, target, newline=chance.choice((None, "lf"))).decode(target)


@rare
def edit(data: bytes, chance: random.Random) -> None:
    """An edit is verified or refused with a message; unchanged lines keep their bytes."""
    found = charlens.Document(data)
    if not found.is_text:
        return
    text = found.text
    at = chance.randrange(len(text) + 1)
    text = text[:at] + chance.choice(("x", "\n", "é", "日", "\ufffd")) + text[at + chance.randrange(3) :]
    plan = plan_text(found, text)
    assert plan.status in ("change", "unchanged", "refused") and (plan.words or plan.status != "refused")


@entry
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


# ---- drop-ins and readers


@entry
def drop_ins(data: bytes, chance: random.Random) -> None:
    """The drop-ins answer anything, with names that Python knows and confidences from 0 to 1."""
    answer = chance.choice((chardet.detect, cchardet.detect, charset_normalizer.detect))(data)
    assert answer["confidence"] is None or 0 <= answer["confidence"] <= 1
    if answer["encoding"]:
        "".encode(answer["encoding"])
    which = chance.randrange(5)
    if which == 0:
        detector = chance.choice((chardet, cchardet)).UniversalDetector()
        for piece in pieces(data, chance):
            detector.feed(piece)
        detector.close()
        assert detector.result is not None
    elif which == 1:
        assert all(0 <= each["confidence"] <= 1 for each in chardet.detect_all(data))
    elif which == 2:
        best = charset_normalizer.from_bytes(data).best()
        assert best is None or isinstance(str(best), str)
        charset_normalizer.is_binary(data)
    elif which == 3:
        assert magic.Magic(chance.random() < 0.5, chance.random() < 0.5).from_buffer(data)
    else:
        assert all(
            0 <= match.getConfidence() <= 100 and str(match) is not None
            for match in icu.CharsetDetector(data).detectAll()
        )


@cache
def small_model() -> tuple[dict[str, Any], bytes]:
    """Return the header of the default model with a few classes, and all after it."""
    content = Path(default_model().path).read_bytes()
    size, length = format._HEAD.size, format._HEAD.unpack_from(content)[2]
    header = json.loads(content[size : size + length])
    header["classes"], header["wide"] = header["classes"][:6], []
    pairs = content[size + length : size + length + format._PAIRS]
    return header, pairs + bytes(6 * 40)


@rare
def models(data: bytes, chance: random.Random) -> None:
    """A model with any header is refused with a message, or works."""
    header, rest = small_model()
    text = bytearray(json.dumps(header, separators=(",", ":")).encode())
    for _ in range(chance.randrange(4)):
        at = chance.randrange(len(text))
        text[at : at + chance.randrange(3)] = data[: chance.randrange(4)]
    text += b" " * (-(format._HEAD.size + len(text)) % 64)
    body = bytes(text) + rest
    checksum = format.checksum_of(len(text), bytes(32), body)
    head = format._HEAD.pack(format.MAGIC, format.VERSION, len(text), checksum, bytes(32))
    charlens.detect(data[64:] + b"\xe9t\xe9", model=format.parse_model(head + body, "made"))


@rare
def language_models(data: bytes, chance: random.Random) -> None:
    """A language model of any bytes is refused with a message; a known head does not help it."""
    body, form = data[:2000], language_model._HEAD
    length = len(data) // 2
    sizes = length, language_model.checksum_of(length, body), form.size + len(body)
    head = form.pack(language_model.MAGIC, language_model.VERSION, *sizes)
    language_model.parse_language_model(chance.choice((data, head + body)), "made")


@rare
def manifest(data: bytes, chance: random.Random) -> None:
    """A manifest of any bytes is read with problems in words, or refused with a message."""
    head = chance.choice((b"path\tencoding\n", b"path\tencoding\tlanguage\n", b""))
    (folder() / "manifest.tsv").write_bytes(head + data.replace(b" ", b"\t"))
    found = read_manifest(folder())
    assert all(problem.words for problem in found.problems)


@entry
def archive_names(data: bytes, chance: random.Random) -> None:
    """Names in a ZIP file stay different, and every entry can be read."""
    names = [(name.replace(b"/", b"_")[:20] or b"_").ljust(20, b"_") for name in data[:120].split(b" ")]
    names = list(dict.fromkeys(name.replace(b"\0", b"0") for name in names))
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for number in range(len(names)):
            archive.writestr(f"{number:x>20}", bytes([number]))
    content = packed.getvalue()
    for number, name in enumerate(names):
        content = content.replace(f"{number:x>20}".encode(), name)
    with open_zip(io.BytesIO(content)) as archive:
        found = archive.namelist()
        assert len(set(found)) == len(found) == len(names), found
        assert [archive.read(name) for name in found] == [bytes([number]) for number in range(len(names))]


@rare
def warc(data: bytes, chance: random.Random) -> None:
    """What cannot be read of a crawl archive is a row with an error."""
    try:
        from charlens.integrations.warc import Settings, decode_unit, split
    except ImportError:
        return
    headers = b"", b"Content-Encoding: gzip\r\n", b"Transfer-Encoding: chunked\r\n"
    response = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n%s\r\n" % chance.choice(headers)
    records = b""
    for line in data[:3000].split(b"\n")[:3]:
        body = response + line
        lengths = (len(body) + 9, 0, 10**19, 10**3999)
        length = chance.choice(lengths) if chance.random() < 0.1 else len(body)
        record = bytearray(
            b"WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: http://a/\r\nContent-Type: application/http; "
            b"msgtype=response\r\nContent-Length: %d\r\n\r\n%s\r\n\r\n" % (length, body)
        )
        if chance.random() < 0.2:
            record[chance.randrange(len(record))] = chance.randrange(256)
        records += gzip.compress(record, 1) if len(data) & 1 else bytes(record)
    if chance.random() < 0.2:
        records = records[: chance.randrange(len(records))]
    path = folder() / "a.warc"
    path.write_bytes(records)
    for unit in split(str(path), chance.choice((100, 10_000))):
        for rows in decode_unit(unit, Settings(largest=chance.choice((100, 1 << 20)))):
            assert rows.num_rows
