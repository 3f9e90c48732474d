"""The pipeline: what `detect` does, from the bytes to the verdict.

`examine` runs the stages in their order, each with what those before it found.  Everything that reads files is in
`charlens.inputs.paths`.
"""

from __future__ import annotations

import mmap as memory_map
import os
from array import array
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache, partial
from itertools import islice
from mmap import mmap
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

from charlens import kernel
from charlens.encodings import canonical, squeeze
from charlens.errors import NotTextError
from charlens.stages.content import classify_content
from charlens.stages.ebcdic import find_ebcdic
from charlens.stages.escapes import find_escapes
from charlens.stages.signature import find_signature
from charlens.stages.unicode import recognise_unicode
from charlens.stages.verdict import decide
from charlens.types import Buffer, Findings, Hinted, Options, Outcome, Scan, Verdict

if TYPE_CHECKING:
    from charlens.lane import Lane
    from charlens.models.format import Model

_DEFAULTS = Options()
_CONTENT_ONLY = Options(declared="ignore")
_POLICIES = ("verify", "obey", "ignore")
_WAYS = ("direct", "parser", "none")
#: '<': without it there is no markup, and nothing declared that could matter to Unicode.
_LESS_THAN = 1 << 0x3C

#: A blocked byte in the first 64 KB settles "binary" for an input of any size, if its first megabyte is no text.
_GLANCE = 1 << 16
_PROBE = 1 << 20
#: A mapped file is scanned in windows of this size.
_WINDOW = 16 << 20


def detect(
    data: bytes | bytearray | memoryview | mmap,
    *,
    only: Iterable[str] | None = None,
    never: Iterable[str] | None = None,
    hints: Mapping[str, object] | None = None,
    content_type: str | None = None,
    declared: str = "verify",
    markup: str = "direct",
    model: Model | str | os.PathLike[str] | None = None,
) -> Verdict:
    """Tell whether *data* is text, in which encoding, and why.

    *only* and *never* name the encodings that may, or may not, be the answer; *model* is a model of your own,
    or its folder.  *hints* is what you know beforehand, as evidence: 'language', 'tld', 'platform', 'prior' and
    'declared' (docs/hints.md).  *content_type* is the HTTP header.  *declared* says what declarations are worth:
    'verify' takes them for evidence that the bytes can outweigh, 'obey' does what a browser does, 'ignore' looks at the
    bytes only.  *markup* is how a page is read: 'direct', 'parser' (with lexbor: the extra `html`), or 'none'.
    """
    view = data if type(data) is bytes else as_buffer(data, "detect")
    plain = only is None and never is None and model is None and hints is None
    options = _DEFAULTS if plain else make_options(only, never, model, hints)
    if content_type is not None or declared != "verify" or markup != "direct":
        options = page_options(options, content_type, declared, markup)
    return judge(view, options)


def page_options(
    options: Options, content_type: str | None, declared: str, markup: str, prescan: int | None = None
) -> Options:
    """Check the keywords of `detect` that are for pages and put them into *options*."""
    if not isinstance(content_type, str | None):
        raise TypeError(f"content_type= takes the header as a str; got {type(content_type).__name__}")
    if declared not in _POLICIES:
        raise ValueError(f"declared= is {declared!r}; use one of {', '.join(_POLICIES)}.")
    if markup not in _WAYS:
        raise ValueError(f"markup= is {markup!r}; use one of {', '.join(_WAYS)}.")
    way: Any = markup
    if markup == "parser":
        # By its name: the core imports nothing from outside, and this does.
        from importlib import import_module

        way = import_module("charlens.integrations.lexbor").strip_markup
    return options._replace(
        content_type=content_type, declared=declared, markup=way, prescan=prescan or options.prescan
    )


def make_options(
    only: Iterable[str] | None = None,
    never: Iterable[str] | None = None,
    model: Model | str | os.PathLike[str] | None = None,
    hints: Mapping[str, object] | None = None,
) -> Options:
    """Check the keywords of `detect` and put them together."""
    if hints is not None:
        from charlens.hints import parse_hints

        hints = parse_hints(hints)  # type: ignore[assignment]
    if model is not None:
        from charlens.models.format import Model, read_model

        model = model if isinstance(model, Model) else read_model(model)
    return Options(
        model=model,
        hints=hints,
        only=None if only is None else _names(only, "only"),
        never=frozenset() if never is None else _names(never, "never"),
    )


def _names(labels: Iterable[str], keyword: str) -> frozenset[str]:
    if isinstance(labels, str):
        raise TypeError(f"{keyword}= takes several names: write {keyword}=[{labels!r}]")
    names = set()
    for label in labels:
        name = canonical(label)
        names.add(name)
        # 'utf-16' names a form, not an order of bytes.
        if squeeze(label) in ("utf16", "utf32"):
            names.add(name.replace("-le", "-be"))
    return frozenset(names)


def judge(data: Buffer, options: Options) -> Verdict:
    """Return the verdict on *data*, by the straight way where there is one."""
    header = options.content_type
    asked = options if header is None else options._replace(content_type=None)
    plain = asked is _DEFAULTS or asked == _DEFAULTS
    if plain or asked == _CONTENT_ONLY:
        lane = straight_way(not plain)
        # An empty header declares nothing.
        verdict = lane(data, (header or None) if plain else None) if lane else None
        if verdict is not None:
            return verdict
    return judge_by_stages(data, options)


def judge_by_stages(data: Buffer, options: Options = _DEFAULTS) -> Verdict:
    """Return the verdict on *data*, stage by stage: what any quicker way has to agree with."""
    return conclude(_examine_enough(data, options), data, options)


@lru_cache(maxsize=2)
def straight_way(ignores: bool) -> Lane | None:
    """Return the native kernel's way through all stages in one call, where it has one.

    It is for the options that most calls have: the defaults, or with *ignores* those where declarations do not count.
    """
    from charlens.lane import make_lane  # here: the language model is read for it

    return make_lane({"glance": _GLANCE, "probe": 4 * _PROBE, "longest": _WINDOW}, ignores=ignores)


def conclude(found: Findings, data: Buffer, options: Options) -> Verdict:
    """Return the verdict that *found* adds up to, with the language of *data*, the input or some of it."""
    verdict = decide(found, options)
    if verdict.encoding is not None:
        tongue = _recognise_language()(data, verdict, found.scores, found.surroundings)
        if tongue is not None:
            return verdict.with_language(tongue)
    return verdict


@lru_cache(maxsize=1)
def _recognise_language() -> Any:
    from charlens.stages.language import recognise_language

    return recognise_language


def _examine_enough(data: Buffer, options: Options) -> Findings:
    """Examine *data*, or only its beginning where that settles it."""
    if len(data) > 4 * _PROBE and kernel.scan(data[:_GLANCE])[1] >= 0:
        early = examine(data[:_PROBE], options)
        if early.content is not None and early.content.byte is not None:
            return early
    return examine(data, options)


def examine(data: Buffer, options: Options = _DEFAULTS) -> Findings:
    """Run the stages over *data*; each takes what was found before it."""
    scan = scan_bytes(data)
    found = Findings(scan)
    found.signature = find_signature(data)
    found.unicode = unicode = recognise_unicode(scan, found.signature)
    if unicode is None or unicode.encoding == "ascii":
        found.escapes = find_escapes(scan)
        # Hebrew in EBCDIC is all under 0x80; its line ends are on the block list.
        if found.escapes is None and (unicode is None or scan.blocked >= 0):
            found.ebcdic = find_ebcdic(scan)
    settled = found.escapes or found.ebcdic or unicode
    found.content = classify_content(scan, settled)
    matters = settled is None or scan.seen & _LESS_THAN or options.content_type
    if matters and options.declared != "ignore" and found.content.is_text:
        _examine_declared(found, options)
    if found.content.is_text and (settled is None or options.restricts):
        _examine_legacy(found, settled is None, options)
    return found


def _examine_declared(found: Findings, options: Options) -> None:
    """Run the stage for declarations; a page in 16 or 32 bits is read as what it is."""
    data = found.scan.data
    form = found.unicode
    if form is not None and form.encoding.startswith(("utf-16", "utf-32")):
        # At most four bytes a character, and what is not ASCII says nothing here.
        data = bytes(data[: 4 * options.prescan]).decode(form.encoding, "ignore").encode("ascii", "replace")
    late = options.declared == "obey"
    tagless = form is None and not found.scan.seen & _LESS_THAN
    found.declarations = _find_declarations()(data, options.content_type, options.prescan, late, tagless)


@lru_cache(maxsize=1)
def _find_declarations() -> Any:
    from charlens.stages.declarations import find_declarations

    return find_declarations


def _examine_legacy(found: Findings, score: bool, options: Options) -> None:
    """Run the stages for legacy encodings; with *score*, ask the model as well."""
    stages = _legacy_stages()
    scan = found.scan
    found.candidates = stages.find_candidates(scan)
    if options.only is not None and scan.non_ascii:
        from charlens.stages.structure.strays import forgive_allowed

        found.candidates = forgive_allowed(scan.data, found.candidates, options.allows)
    if score:
        markup = stages.strip_markup(scan, options.markup)
        if markup is not None:
            found.markup = markup._replace(words=b"")  # a verdict keeps nothing of the input
        if markup is not None and markup.enough:
            score_words(found, markup.words, markup.non_ascii, options)
        else:
            score_words(found, scan.data, scan.non_ascii, options)


def score_words(found: Findings, words: Buffer, beyond_ascii: int, options: Options) -> None:
    """Ask the model about *words*, all of the input or some of it, with the candidates found before."""
    stages = _legacy_stages()
    scan, candidates = found.scan, found.candidates
    assert candidates is not None
    numbers = candidates.numbers
    if options.restricts:
        numbers &= sum(1 << n for n, name in enumerate(candidates.rules.names) if options.allows(name))
    model = options.model or stages.default_model()
    found.hints = hints = _hinted(scan, model, options)
    if beyond_ascii <= stages.few:
        found.surroundings = stages.read_surroundings(words, model)
    if candidates.damaged:
        from charlens.stages.structure.strays import weigh_strays

        hints = weigh_strays(candidates, model, hints)
    odds = stages.declared_odds(found.declarations, found.markup is not None and found.markup.flavour == "html")
    if odds is not None:
        hints = stages.add_odds(model, hints, odds)
    asked = stages.asked(numbers, candidates.doubtful, beyond_ascii, hints, found.surroundings)
    found.scores = stages.score_candidates(words, asked, model)


@lru_cache(maxsize=1)
def _legacy_stages() -> SimpleNamespace:
    """Import what most inputs need nothing of, once."""
    from charlens.models import default_model
    from charlens.stages.declarations.claims import add_odds, declared_odds
    from charlens.stages.markup import strip_markup
    from charlens.stages.statistics import Asked, score_candidates
    from charlens.stages.statistics.surroundings import FEW, read_surroundings
    from charlens.stages.structure import find_candidates

    # Not a named tuple: making one takes a quarter of a millisecond, at import.
    return SimpleNamespace(
        find_candidates=find_candidates,
        read_surroundings=read_surroundings,
        score_candidates=score_candidates,
        asked=Asked,
        default_model=default_model,
        few=FEW,
        strip_markup=strip_markup,
        declared_odds=declared_odds,
        add_odds=add_odds,
    )


def _hinted(scan: Scan, model: Model, options: Options) -> Hinted | None:
    """Return what the hints and the line ends say; without either, nothing is imported for it."""
    if options.hints is None and not scan.seen >> 13 & 1:
        return None
    from charlens.hints import Hints, class_odds, line_end_platforms

    return class_odds(model, options.hints or Hints(), line_end_platforms(scan))


def scan_bytes(data: Buffer) -> Scan:
    """Scan *data* with the kernel in use."""
    if len(data) > _WINDOW and isinstance(data, memoryview) and isinstance(data.obj, OwnMap):
        return _scan_mapped(data, data.obj)
    result = kernel.scan(data)
    # tuple.__new__ is what Scan() comes to, without a call in between; this runs for every input.
    return tuple.__new__(Scan, (data, int.from_bytes(result[0], "little"), *result[1:]))


class OwnMap(mmap):
    """A file that charlens has mapped itself: its pages can be let go of without losing anything."""


def _scan_mapped(data: memoryview, mapped: OwnMap) -> Scan:
    """Scan a mapped file window by window and let go of the pages behind, so that memory stays flat."""
    whole = empty_scan(data)
    start = 0
    while start < len(data):
        end = min(start + _WINDOW, len(data))
        end = _character_start(data, end)
        whole = join_scans(whole, scan_bytes(bytes(data[start:end])), start)
        if hasattr(memory_map, "MADV_DONTNEED"):  # not on every system
            mapped.madvise(memory_map.MADV_DONTNEED, start - start % memory_map.PAGESIZE, _WINDOW)
        start = end
    return whole


def empty_scan(data: Buffer) -> Scan:
    """Return the scan of nothing, to join others to; it carries *data*."""
    return Scan(data, 0, -1, 0, 0, -1, 0, 0, 0, 0, 0, array("q", [-1] * 256).tobytes())


def _character_start(data: memoryview, at: int) -> int:
    """Return where the UTF-8 sequence begins that *at* lies in, or *at* itself."""
    for back in range(1, 4):
        if at >= len(data) or at < back or data[at] & 0xC0 != 0x80:
            break
        byte = data[at - back]
        if byte >= 0xC0:
            # E0 to EF are three bytes long, F0 and over four: does this one reach over the border?
            return at - back if back < (2 + (byte >= 0xE0) + (byte >= 0xF0)) else at
    return at


def join_scans(left: Scan, right: Scan, start: int) -> Scan:
    """Return the scan of two neighbours, the second of which begins at *start*."""
    error = left.utf8_error
    if error < 0 and left.utf8_cut:
        error = start - left.utf8_cut  # cut off, and yet more came: a wrong sequence
    if error < 0 and right.utf8_error >= 0:
        error = start + right.utf8_error
    nuls = (right.nuls_even, right.nuls_odd)
    ends = (right.ends_even, right.ends_odd)
    odd = start & 1
    return Scan(
        left.data,
        left.seen | right.seen,
        left.blocked if left.blocked >= 0 or right.blocked < 0 else start + right.blocked,
        left.non_ascii + right.non_ascii,
        left.leads + right.leads,
        error,
        right.utf8_cut if error < 0 else 0,
        left.nuls_even + nuls[odd],
        left.nuls_odd + nuls[1 - odd],
        left.ends_even + ends[odd],
        left.ends_odd + ends[1 - odd],
        _join_first(left.first, right.first, start),
    )


def _join_first(left: bytes, right: bytes, start: int) -> bytes:
    """Return where each byte value comes first in two neighbours."""
    pairs = zip(memoryview(left).cast("q"), memoryview(right).cast("q"), strict=True)
    return array("q", [one if one >= 0 or two < 0 else start + two for one, two in pairs]).tobytes()


def as_buffer(data: object, function: str) -> Buffer:
    """Return *data* as bytes or a flat view of bytes; anything else is an error that says what to pass."""
    if isinstance(data, bytes):
        return data
    if isinstance(data, str):
        raise TypeError(
            f"charlens.{function}() needs bytes; got str, which is decoded already. "
            f"For a file, use charlens.detect_path(path) or charlens.load(path)."
        )
    try:
        view = memoryview(data)  # type: ignore[arg-type]
    except TypeError:
        raise TypeError(
            f"charlens.{function}() needs bytes, bytearray, memoryview or mmap; got {type(data).__name__}."
        ) from None
    return view.cast("B") if view.c_contiguous else view.tobytes()


def is_text(data: bytes | bytearray | memoryview | mmap) -> bool:
    """Tell whether *data* is text in some encoding."""
    return judge(as_buffer(data, "is_text"), _DEFAULTS).outcome is Outcome.TEXT


def decode(data: bytes | bytearray | memoryview | mmap, *, errors: str = "replace", **keywords: Any) -> str:
    """Return the text of *data*, without its byte order mark; *keywords* are those of `detect`.

    *errors* is for bytes that do not decode, and for a character cut off at the end.
    """
    view = as_buffer(data, "decode")
    verdict = detect(view, **keywords)
    if not view:
        return ""
    if verdict.encoding is None:
        why = verdict.steps[-1].words
        if not why.startswith(verdict.outcome.value):
            why = f"{verdict.outcome.value}: {why}"
        raise NotTextError(
            f"charlens.decode() found no text ({why}). "
            f"To read it anyway, name the encoding yourself: data.decode('latin-1')."
        )
    text = bytes(view[len(verdict.bom) :]).decode(verdict.encoding, errors)
    # In UTF-7 the mark can share its run with the text.
    return text.removeprefix("\ufeff") if verdict.encoding == "utf-7" else text


def detect_many(
    items: Iterable[bytes | bytearray | memoryview | mmap], *, threads: int | None = None, **keywords: Any
) -> Iterator[Verdict]:
    """Yield a verdict for each of *items*, in their order, worked out in threads.

    The native kernel lets the interpreter lock go, so threads help from a few kilobytes an item on.
    Items are drawn as they are needed; *items* may be endless.
    """
    from concurrent.futures import ThreadPoolExecutor  # here: it takes 10 ms of an import that should take 20

    if keywords.get("hints") is not None:
        from charlens.hints import parse_hints

        keywords["hints"] = parse_hints(keywords["hints"])
    # What was given as an iterator must serve for all items.
    for name in ("only", "never"):
        if not isinstance(keywords.get(name), str | None):
            keywords[name] = list(keywords[name])
    work = partial(detect, **keywords)
    with ThreadPoolExecutor(threads) as pool:
        waiting = iter(items)
        ahead = 4 * (threads or 8)
        queue = [pool.submit(work, item) for item in islice(waiting, ahead)]
        while queue:
            yield queue.pop(0).result()
            queue += (pool.submit(work, item) for item in islice(waiting, 1))
