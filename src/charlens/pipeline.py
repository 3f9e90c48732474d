"""The pipeline: the only place with the order of the stages.

    signature → unicode → escapes → ebcdic → container → content → declarations → markup → structure → statistics
    → reading → evenness → language → verdict

Each stage uses the findings before it.  Bytes in memory, streams and pools of strings differ only in the `Source`
that they pass to `run`.
"""

from __future__ import annotations

from charlens import survey
from charlens.encodings.maps import same_text
from charlens.findings import EbcdicForm, EscapeForm, Findings, UnicodeForm
from charlens.limits import check_time
from charlens.options import Options
from charlens.source import Source
from charlens.stages.container import find_container
from charlens.stages.content import TEXT, classify_content
from charlens.stages.declarations import find_declarations
from charlens.stages.ebcdic import find_ebcdic
from charlens.stages.escapes import SHIFTING, find_escapes
from charlens.stages.evenness import EVERY_LINE, find_unevenness
from charlens.stages.language import recognise_language
from charlens.stages.markup import strip_markup
from charlens.stages.reading import choose_reading
from charlens.stages.signature import find_signature
from charlens.stages.statistics import score_candidates
from charlens.stages.structure import find_candidates
from charlens.stages.structure.tables import window_tables
from charlens.stages.unicode import recognise_unicode
from charlens.stages.verdict import decide
from charlens.types import Verdict

#: What the structure of the bytes can decide.
Form = UnicodeForm | EscapeForm | EbcdicForm

#: '<': without it, there is no markup, and no declaration that matters for Unicode.
_LESS_THAN = 1 << 0x3C
_SPACE = 1 << 0x20


def run(source: Source, options: Options) -> Verdict:
    """Return the verdict for *source*."""
    found = examine(source, options)
    verdict = decide(found)
    del found.scan  # two kilobytes, which matter if a caller keeps a million verdicts
    return verdict


def examine(source: Source, options: Options) -> Findings:
    """Run the stages on *source*; each uses the findings before it."""
    found = Findings(source.scan, source.size)
    settled = None
    # If the survey found the candidates, the stages for Unicode, escapes and EBCDIC would find nothing.
    if source.surveyed is None:
        settled = _examine_form(found, source)
    if source.quiet:
        found.content = TEXT
    elif not _is_text(found, source, settled):
        return found
    if options.declared != "ignore" and (options.content_type or not source.quiet):
        _examine_declared(found, source, settled, options)
    doubtful = isinstance(settled, UnicodeForm) and settled.doubt is not None
    if settled is None or doubtful or (options.restricts and not _is_allowed(found, options)):
        _examine_legacy(found, source, options)
    choose_reading(found, source, options)
    if found.encoding is not None:
        may_have_parts = settled is None or (found.unicode is not None and found.unicode.encoding != "ascii")
        if may_have_parts and source.whole and not options.restricts:
            _examine_parts(found, source, options)
        if options.language:
            found.language = recognise_language(source.sample, found, found.encoding)
        else:
            found.likely_language = None
    return found


def _examine_form(found: Findings, source: Source) -> Form | None:
    """Look for Unicode, escape sequences and EBCDIC."""
    seen = found.scan.seen
    if not source.quiet:
        found.signature = find_signature(source.head)
    found.unicode = unicode = recognise_unicode(source, found.signature)
    sure = None if unicode is None or unicode.doubt is not None else unicode
    if sure is None or sure.encoding == "ascii":
        if seen & SHIFTING:
            found.escapes = find_escapes(source, found.signature)
        # Hebrew in EBCDIC is entirely below 0x80, and has no ASCII space.
        if found.escapes is None and (sure is None or not seen & _SPACE):
            found.ebcdic = find_ebcdic(source, sure)
    return found.escapes or found.ebcdic or unicode


def _is_text(found: Findings, source: Source, settled: Form | None) -> bool:
    """Tell text from binary."""
    scan, size = found.scan, found.size
    if source.declares and size:
        found.container = find_container(source.head, scan.seen)
    sample = source.controls() if scan.blocked >= 0 else b""
    found.content = classify_content(scan, settled, size, sample, found.container)
    return found.content.is_text


def _examine_declared(found: Findings, source: Source, settled: Form | None, options: Options) -> None:
    """Look for declarations that can matter; a page in UTF-16 or UTF-32 is decoded first."""
    if settled is not None and not found.scan.seen & _LESS_THAN and not options.content_type:
        return
    data, seen = (source.head, found.scan.seen) if source.declares and not source.quiet else (b"", 0)
    form = found.unicode
    if form is not None and form.encoding.startswith(("utf-16", "utf-32")):
        # At most four bytes per character; non-ASCII characters do not matter here.
        data = bytes(data[: 4 * options.prescan]).decode(form.encoding, "ignore").encode("ascii", "replace")
    late = options.declared == "obey"
    found.declarations = find_declarations(data, options.content_type, options.prescan, late, seen)


def _examine_parts(found: Findings, source: Source, options: Options) -> None:
    """Look for parts in other encodings if a quick check found signs of them."""
    found.uneven = find_unevenness(found, source, window_tables)
    if found.uneven is None and options.parts and found.unicode is None:
        found.uneven = EVERY_LINE
    if found.uneven is None or source.uniform:
        return
    from charlens.inputs.mixed import look_closer  # here: it is seldom needed

    found.uneven = look_closer(found.uneven, bytes(source.head), found.encoding, bool(found.damage), options)
    if found.uneven.parts:
        choose_reading(found, source, options)


def _is_allowed(found: Findings, options: Options) -> bool:
    """Whether the form that was found, or an encoding that reads the same text, may be the answer."""
    if found.escapes and options.allows(found.escapes.encoding):
        return True
    if found.ebcdic:
        return any(options.allows(name) for name, _ in found.ebcdic.pages)
    form = found.unicode
    if form is None or form.encoding != "ascii":
        return form is not None and options.allows(form.encoding)
    return any(map(options.allows, ("ascii", *same_text(found.scan.seen, "ascii"))))


def _examine_legacy(found: Findings, source: Source, options: Options) -> None:
    """Find the legacy encodings that decode the bytes, and how likely each is."""
    check_time()
    found.candidates = find_candidates(source, options)
    if source.surveyed is not None:  # there is no markup in it
        found.scores = score_candidates(found, source.words, options, source.surveyed[3], source.given)
        return
    words = source.words
    found.markup = strip_markup(source, options.markup)
    if found.markup is not None:
        if found.markup.enough:
            words = found.markup.words
        found.markup = found.markup._replace(words=b"")  # a verdict keeps nothing of the input
    found.scores = score_candidates(found, words, options)
    if survey.FULL is None and options.model is None:
        survey.prepare(True)
