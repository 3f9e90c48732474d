"""The functions that most programs call: `detect`, `decode`, `is_text`, `detect_many`.

Everything that reads files, streams or pools of strings is in `charlens.inputs`.
"""

from __future__ import annotations

from codecs import getincrementaldecoder
from collections.abc import Iterable, Iterator
from itertools import islice
from mmap import mmap
from typing import TYPE_CHECKING

from charlens import survey
from charlens.errors import NotTextError
from charlens.findings import Uneven
from charlens.kernel import scan
from charlens.limits import Limited, end_of_character, time_limit
from charlens.options import DEFAULTS, Options, make_options, options_for
from charlens.pipeline import run
from charlens.processors import number_of_threads
from charlens.source import CODEC_ERRORS, LARGEST, Bytes, as_buffer
from charlens.stages.content import classify_content
from charlens.types import Buffer, Outcome, Part, Verdict

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from charlens.keywords import Keywords


def detect(data: bytes | bytearray | memoryview | mmap, **keywords: Unpack[Keywords]) -> Verdict:
    """Detect the encoding and language of *data*, or that it is binary.

    All keywords are optional:

    - *only* and *never* are lists of encodings that may, or may not, be the answer.
    - *hints* is what you know about the data, such as `{"language": "ru", "platform": "windows"}`. Hints are evidence,
      which the bytes can outweigh. The keys are 'language', 'tld', 'platform', 'prior' and 'declared' (docs/hints.md).
    - *content_type* is the HTTP header that came with the data.
    - *declared* says how to treat declarations in the header or in the data: 'verify' treats them as evidence, 'obey'
      trusts them as a browser does, and 'ignore' looks only at the bytes.
    - *prescan* is the number of bytes at the beginning in which a page can declare its encoding.
    - *markup* says how to read web pages: 'direct' with the built-in scanner, 'parser' with lexbor (needs the extra
      `html`), or 'none' as plain text.
    - *parts* checks every line of legacy text for a change of encoding (`Verdict.mixed`), not just three places, and
      does so up to 32 MB, not 4, however long it takes.
    - *language* can be False to skip the detection of the language.
    - *model* is a model made by `charlens train`, or its folder.
    - *max_bytes* limits how many bytes the detection reads; the steps say so. Functions that return text decode all
      bytes; if the answer does not decode those after the limit, they detect again without it. *max_seconds* limits
      the time; if it is exceeded, `LimitError` is raised.
    """
    view = data if type(data) is bytes else as_buffer(data, "detect")
    return detect_with(view, options_for(keywords) if keywords else DEFAULTS)


def detect_with(data: Buffer, options: Options) -> Verdict:
    """Return the verdict on *data* with *options* that were checked before."""
    if options.limits is not None:
        return _detect_limited(data, options)
    if len(data) <= LARGEST:
        if len(data) > survey.MOST_BYTES:
            return run(Bytes(data), options)
        given = options.evidence
        if given is None:
            given = survey.evidence_of(options)
        return run(Bytes(data, survey.FULL or survey.QUIET or survey.prepare(False), options.survey, given), options)
    from charlens.inputs.stream_state import large_source  # here: rarely needed

    return run(large_source(data, options), options)


def list_parts(verdict: Verdict, data: Buffer, options: Options) -> Verdict:
    """Return *verdict*; if it noticed several encodings but had no time to list the parts, one that lists them."""
    if any(isinstance(found, Uneven) and found.share not in (None, 1) for found in verdict.findings):
        return detect_with(data, options.replace(parts=True))
    return verdict


def _detect_limited(data: Buffer, options: Options) -> Verdict:
    most, seconds = options.limits
    with time_limit(seconds):
        part = data if most is None else data[: end_of_character(data, most)]
        verdict = detect_with(part, options.replace(limits=None))
    if most is None or len(data) <= most:
        return verdict
    return verdict._replace(findings=(*verdict.findings, Limited(most)))


def is_text(data: bytes | bytearray | memoryview | mmap, *, method: str = "detect") -> bool:
    """Return whether *data* is text, even if no encoding is likely enough to be named.

    With *method* 'lists', only zlib's byte lists decide: text contains a byte of the allow list and none of the block
    list. UTF-16 then counts as binary, and so does a long text with one stray control byte.
    """
    if method not in ("detect", "lists"):
        raise ValueError(f"method= is {method!r}; use 'detect' or 'lists'.")
    view = as_buffer(data, "is_text")
    if method == "lists":
        return classify_content(scan(view)).is_text
    verdict = detect_with(view, DEFAULTS)
    return verdict.outcome is Outcome.TEXT or (
        verdict.outcome is Outcome.UNDECIDED and bool(verdict.alternatives)
    )


def decode(
    data: bytes | bytearray | memoryview | mmap, *, errors: str = "replace", **keywords: Unpack[Keywords]
) -> str:
    """Detect the encoding of *data* and return its text, without the byte order mark.

    *errors* is the error handler for bytes that do not decode, as in `bytes.decode`. If a text has several encodings,
    each part is decoded with its own. The other keywords are those of `detect`; *parts* is True by default, so
    every line of legacy text is checked.

    Raises `NotTextError` if *data* is not text.
    """
    return decode_for("decode", data, errors, **keywords)


def decode_for(caller: str, data: object, errors: str = "replace", **keywords: Unpack[Keywords]) -> str:
    """Do what `decode` does, with messages that name the function *caller*."""
    view = as_buffer(data, caller)
    keywords.setdefault("parts", True)
    verdict = detect(view, **keywords)
    if not decodes_all(view, verdict):
        keywords["max_bytes"] = None
        verdict = detect(view, **keywords)
    if not view:
        return ""
    if verdict.encoding is None:
        raise NotTextError(
            f"charlens.{caller}() needs text, but this is not ({why_not_text(verdict)}). "
            f"To decode it anyway, name the encoding: data.decode('latin-1')."
        )
    return decode_as(view, verdict.encoding, verdict.bom, verdict.mixed, errors)


def why_not_text(verdict: Verdict) -> str:
    """Return the outcome and the reason, as the last step says it."""
    why = verdict.steps[-1].words
    return why if why.startswith(verdict.outcome.value) else f"{verdict.outcome.value}: {why}"


def decode_as(
    data: Buffer, encoding: str, bom: bytes, mixed: tuple[Part, ...] = (), errors: str = "replace"
) -> str:
    """Decode *data* with *encoding*, or each part of *mixed* with its own, and leave out the byte order mark *bom*."""
    if mixed:
        # Bytes after the last part were not examined; they belong to it.
        mixed = (*mixed[:-1], mixed[-1]._replace(end=len(data)))
        parts = ((max(start, len(bom)), end, name) for start, end, name in mixed)
        return "".join(bytes(data[start:end]).decode(name, errors) for start, end, name in parts)
    text = bytes(data[len(bom) :]).decode(encoding, errors)
    # In UTF-7 the mark can be in the same Base64 run as the text; *bom* is empty then.
    return text.removeprefix("\ufeff") if encoding == "utf-7" and not bom else text


def decodes_all(data: Buffer, verdict: Verdict, final: bool = True) -> bool:
    """Whether a *verdict* with a limit (`max_bytes`) decodes also the bytes of *data* after the limit.

    Unless *data* is *final*, its last character can be incomplete.

    It does if there was no limit, and if it names no encoding. Otherwise, text would be lost: ASCII, for instance, does
    not decode the first letter with an accent after the limit.
    """
    if verdict.encoding is None or not any(isinstance(found, Limited) for found in verdict.findings):
        return True
    *parts, last = verdict.mixed or (Part(len(verdict.bom), len(data), verdict.encoding),)
    try:
        for start, end, name in parts:
            bytes(data[start:end]).decode(name)
        getincrementaldecoder(last.encoding)().decode(bytes(data[last.start :]), final)
    except CODEC_ERRORS:
        return False
    return True


def detect_many(
    items: Iterable[bytes | bytearray | memoryview | mmap],
    *,
    threads: int | None = None,
    **keywords: Unpack[Keywords],
) -> Iterator[Verdict]:
    """Detect many inputs in parallel threads; yield the verdicts in the order of *items*.

    The native kernel releases the interpreter lock, so threads help if the items have a few kilobytes or more. *items*
    is read as needed and may be endless. *threads* is the number of threads; None and 0 mean one per processor. The
    other keywords are those of `detect`.
    """
    from concurrent.futures import ThreadPoolExecutor  # here: this import takes 10 ms

    options = make_options(**keywords)

    def work(item: bytes | bytearray | memoryview | mmap) -> Verdict:
        return detect_with(as_buffer(item, "detect_many"), options)

    wanted = number_of_threads(threads)
    with ThreadPoolExecutor(wanted) as pool:
        waiting = iter(items)
        ahead = 4 * wanted
        queue = [pool.submit(work, item) for item in islice(waiting, ahead)]
        while queue:
            yield queue.pop(0).result()
            queue += (pool.submit(work, item) for item in islice(waiting, 1))
