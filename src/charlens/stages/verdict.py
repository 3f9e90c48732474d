"""Make one answer of what the stages found.

This is the only place that builds a `Verdict`.  It weighs nothing anew: the first stage that settled
the question gives the answer.  For legacy text, until statistics have spoken, the share of each candidate
is how common it is, and the confidence says so.
"""

from __future__ import annotations

from codecs import getincrementaldecoder
from collections.abc import Iterator, Sequence
from operator import itemgetter

from charlens import kernel
from charlens.encodings import Encoding, all_encodings, rank, web_name
from charlens.encodings.maps import same_text
from charlens.types import (
    MOST_SPANS,
    Alternative,
    Buffer,
    Candidates,
    Choice,
    Findings,
    Options,
    Outcome,
    Scores,
    Span,
    Verdict,
)

#: The block list never took a text of the evaluation for binary, but "polluted" texts exist.
_BINARY_CONFIDENCE = 0.99
#: What nobody measured yet: that the commonest encoding is right because it is common.
_MOST_BY_COMMONNESS = 0.5

#: Nothing that is judged by statistics is surer than this.
_MOST_SURE = 0.999
#: A best reading under this is no answer. Of 7,248 snippets of 10 to 500 bytes one had less than 0.3, and was wrong.
_LEAST_LIKELY = 0.2

#: A page that is what it declares, and one whose bytes cannot be: of declarations, about one in thirty is wrong.
_OBEYED = 0.97
_OBEYED_BROKEN = 0.3
#: The marks that browsers know.
_MARKS_OF_THE_WEB = ("utf-8", "utf-16-le", "utf-16-be")
_PIECE = 1 << 16

_EMPTY = Choice("there are no bytes, so there is nothing to decide")
_NONE_ALLOWED = Choice("no encoding that was allowed decodes these bytes")
_BY_COMMONNESS = Choice("the most common of the candidates; the words were not looked at")

#: What the native lane goes by, with the names that it has for it.
LIMITS = {"most_sure": _MOST_SURE, "least_likely": _LEAST_LIKELY}


def decide(findings: Findings, options: Options) -> Verdict:
    """Return the verdict that *findings* add up to, with an encoding that *options* allow."""
    if not findings.scan.data:
        return Verdict(Outcome.UNDECIDED, None, 1.0, findings=(_EMPTY,))
    if findings.content is not None and not findings.content.is_text:
        return Verdict(Outcome.BINARY, None, _BINARY_CONFIDENCE, findings=findings.all())
    verdict = None
    if options.declared == "obey" and findings.declarations and not _has_mark_of_the_web(findings):
        verdict = _from_declaration(findings, options)
    if verdict:
        return verdict
    if findings.escapes:
        verdict = _from_escapes(findings, options)
    elif findings.ebcdic:
        verdict = _from_ebcdic(findings, options)
    elif findings.unicode:
        verdict = _from_unicode(findings, options)
    elif _has_mark_of_gb18030(findings) and options.allows("gb18030"):
        verdict = _from_mark_of_gb18030(findings)
    elif findings.scores and findings.scores.numbers:
        verdict = _from_scores(findings, options)
    verdict = verdict or _from_candidates(findings, options)
    return _with_conflict(verdict, findings) if findings.declarations else verdict


def _has_mark_of_the_web(findings: Findings) -> bool:
    """Whether there is a mark that a browser puts above any declaration."""
    return findings.signature is not None and findings.signature.encoding in _MARKS_OF_THE_WEB


def _from_declaration(findings: Findings, options: Options) -> Verdict | None:
    """Answer with the first declaration that names something, whatever the bytes are."""
    assert findings.declarations is not None
    for declaration in findings.declarations.charsets:
        name = declaration.encoding
        if name is not None and options.allows(name):
            damage, cut = _faults(findings.scan.data, name)
            same = same_text(findings.scan.seen, name) if _known(name).kind == "single" and not damage else ()
            return Verdict(
                Outcome.TEXT,
                name,
                _OBEYED_BROKEN if damage else _OBEYED,
                equivalents=same,
                damage=damage,
                cut=cut,
                findings=(*findings.all(), Choice(f"{declaration}, and declarations are obeyed")),
                web_name=declaration.web or web_name(name),
            )
    return None


def _faults(data: Buffer, encoding: str) -> tuple[tuple[Span, ...], int]:
    """Return the ranges of *data* that do not decode, and the length of a character cut off at the end."""
    spans: list[Span] = []
    start = 0
    while len(spans) < MOST_SPANS:
        # Pieces, so that every fault costs a decoding of one piece and not of all the rest.
        piece = bytes(data[start : start + _PIECE])
        decoder = getincrementaldecoder(encoding)()
        try:
            decoder.decode(piece)
            kept = len(decoder.getstate()[0])
        except UnicodeDecodeError as error:
            end = max(error.end, error.start + 1)
            spans.append(Span(start + error.start, start + end))
            start += end
            continue
        start += len(piece) - kept
        if start + kept >= len(data):
            return tuple(spans), kept
    return tuple(spans), 0


def _with_conflict(verdict: Verdict, findings: Findings) -> Verdict:
    """Add a step where what was declared is not what was answered."""
    assert findings.declarations is not None
    answer = verdict.encoding
    for declaration in findings.declarations.charsets[:1]:
        if answer is None or any(map(declaration.covers, (answer, *verdict.equivalents))):
            continue
        if answer.startswith("utf-16") and declaration.label.lower().startswith("utf-16"):
            continue  # 'utf-16' means UTF-8 only where the label could be read byte by byte
        from charlens.stages.declarations.claims import Conflict  # most inputs never get here

        conflict = Conflict(declaration, answer, _contradiction(findings, declaration.encoding))
        return verdict._replace(findings=(*verdict.findings, conflict))
    return verdict


def _contradiction(findings: Findings, declared: str | None) -> str:
    """Say why the bytes are not what was declared."""
    if findings.signature:
        return "the byte order mark says otherwise"
    if findings.unicode or findings.escapes or findings.ebcdic:
        return "the bytes have another form"
    if declared == "utf-8":
        return f"the bytes are not UTF-8 from byte {findings.scan.utf8_error} on"
    if findings.candidates and declared not in findings.candidates.possible:
        return "that does not decode the bytes"
    return "the words say otherwise"


def _from_unicode(findings: Findings, options: Options) -> Verdict | None:
    form = findings.unicode
    assert form is not None
    name = form.encoding
    same = same_text(findings.scan.seen, "ascii") if name == "ascii" else ()
    if options.only is not None or options.never:
        names = (name, *same)
        allowed = [other for other in names if options.allows(other)]
        if not allowed:
            return None
        name = allowed[0]
        same = tuple(other for other in allowed if other != name)
    signature = findings.signature
    mark = signature.mark if signature and signature.encoding == form.encoding else b""
    web = web_name(name)
    found = findings.all()
    # tuple.__new__ is what Verdict() comes to, without a call in between; most inputs end here.
    return tuple.__new__(
        Verdict,
        (Outcome.TEXT, name, form.confidence, None, mark, same, (), form.damage, form.cut, found, web),
    )


def _from_escapes(findings: Findings, options: Options) -> Verdict | None:
    form = findings.escapes
    assert form is not None
    if not options.allows(form.encoding):
        return _from_unicode(findings, options)
    mark = b""
    signature = findings.signature
    if signature and signature.encoding == form.encoding and signature.mark.endswith(b"-"):
        mark = signature.mark
    return Verdict(
        Outcome.TEXT,
        form.encoding,
        form.confidence,
        bom=mark,
        alternatives=(Alternative("ascii", round(1 - form.confidence, 6)),),
        cut=form.cut,
        findings=findings.all(),
        web_name=web_name(form.encoding),
    )


def _from_ebcdic(findings: Findings, options: Options) -> Verdict | None:
    form = findings.ebcdic
    assert form is not None
    allowed = [(name, share) for name, share in form.pages if options.allows(name)]
    if not allowed:
        return None
    name, confidence = allowed[0]
    same = same_text(findings.scan.seen, name)
    sure = confidence + sum(share for other, share in form.pages if other in same)
    return Verdict(
        Outcome.TEXT,
        name,
        min(sure, 0.95),
        equivalents=same,
        alternatives=tuple(Alternative(n, c) for n, c in allowed[1:] if n not in same),
        findings=findings.all(),
        web_name=web_name(name),
    )


def _has_mark_of_gb18030(findings: Findings) -> bool:
    """Whether the input opens with the mark and GB 18030 decodes the whole of it."""
    signature, candidates = findings.signature, findings.candidates
    if signature is None or candidates is None:
        return False
    return signature.encoding == "gb18030" and "gb18030" in candidates.possible


def _from_mark_of_gb18030(findings: Findings) -> Verdict:
    signature, candidates = findings.signature, findings.candidates
    assert signature is not None and candidates is not None
    language = findings.scores.ranked[0].language if findings.scores and findings.scores.numbers else None
    return Verdict(
        Outcome.TEXT,
        "gb18030",
        0.99,
        language if language and language.startswith("zh") else None,
        signature.mark,
        cut=_cut_off(candidates, rank("gb18030")),
        findings=findings.all(),
        web_name=web_name("gb18030"),
    )


def _from_scores(findings: Findings, options: Options) -> Verdict | None:
    """Answer with the text that is likeliest, all encodings and languages that give it taken together."""
    scores, candidates = findings.scores, findings.candidates
    assert scores is not None and candidates is not None
    possible = candidates.numbers
    if options.restricts:
        possible &= sum(1 << rank(name) for name in candidates.possible if options.allows(name))
    readings = _readings(scores, candidates, possible)
    if not readings:
        return None
    from charlens.encodings.sets import name_all

    share, same, language = readings[0]
    names, classes = candidates.rules.names, scores.model.classes
    if share < _LEAST_LIKELY and not options.restricts:
        return _undecided(findings, [Alternative(names[_lowest(r[1])], r[0], classes[r[2]][1]) for r in readings])
    number = _lowest(same)
    best = names[number]
    # tuple.__new__ is what Verdict() comes to, without a call in between.
    return tuple.__new__(
        Verdict,
        (
            Outcome.TEXT,
            best,
            share if share < _MOST_SURE else _MOST_SURE,
            classes[language][1],
            b"",
            name_all(same & ~(1 << number)),
            tuple([Alternative(names[_lowest(r[1])], r[0], classes[r[2]][1]) for r in readings[1:8]]),
            dict(candidates.damaged).get(best, ()) if candidates.damaged else (),
            _cut_off(candidates, number),
            findings.all(),
            web_name(best),
        ),
    )


def _undecided(findings: Findings, readings: list[Alternative]) -> Verdict:
    """Answer that no reading is likely enough; what there is comes as alternatives."""
    most = f"nothing is likely enough: {readings[0].encoding} is the best of {len(readings)} readings with "
    words = Choice(most + f"{readings[0].confidence:.2f}; name the encodings that it may be with only=, or give hints=")
    return Verdict(
        Outcome.UNDECIDED,
        None,
        1.0 - readings[0].confidence,
        alternatives=tuple(readings[:8]),
        findings=(*findings.all(), words),
    )


#: One text that the bytes may be: how likely it is, the encodings that read it so, as a set, and its likeliest class.
_Reading = tuple[float, int, int]


def _readings(scores: Scores, candidates: Candidates, possible: int) -> list[_Reading]:
    """Join the classes of the model that give the same text; the likeliest text comes first."""
    members = scores.model.members
    shares: dict[int, float] = {}
    first: dict[int, int] = {}
    for number, share in zip(scores.numbers, scores.shares, strict=True):
        family = members[number]
        encoding = family[0]
        if not possible >> encoding & 1:
            # Another member of the family stands for it where the leader cannot decode this, or may not.
            encoding = next((member for member in family if possible >> member & 1), -1)
            if encoding < 0:
                continue
        if encoding in shares:
            shares[encoding] += share
        else:
            shares[encoding] = share
            first[encoding] = number
    if len(shares) == 1:
        ((encoding, share),) = shares.items()
        return [(share, _same_reading(candidates, encoding) & possible, first[encoding])]
    readings: list[_Reading] = []
    done = 0
    for encoding in sorted(shares, key=shares.__getitem__, reverse=True):
        if done >> encoding & 1:
            continue
        same = _same_reading(candidates, encoding) & possible
        share = shares[encoding]
        for other in shares:
            if same & ~done & ~(1 << encoding) & 1 << other:
                share += shares[other]
        readings.append((share, same, first[encoding]))
        done |= same
    readings.sort(key=_first_of, reverse=True)
    return readings


_first_of = itemgetter(0)


def _same_reading(candidates: Candidates, number: int) -> int:
    """Return the encodings that give the same text as *number* for these bytes, itself among them, as a set."""
    from charlens.encodings.sets import differences_of  # here and below: only legacy text needs it

    table = differences_of(number)
    if isinstance(table, int):
        return table
    return kernel.disjoint(candidates.seen, table)


def _lowest(numbers: int) -> int:
    """Return the first of a set of encodings, which is the preferred one."""
    return (numbers & -numbers).bit_length() - 1


def _cut_off(candidates: Candidates, number: int) -> int:
    """Return the length of the character cut off at the end, read as encoding *number*."""
    walked = candidates.rules.walked
    return candidates.walked[2 * walked.index(number) + 1] if number in walked else 0


def _from_candidates(findings: Findings, options: Options) -> Verdict:
    """Answer with the most common candidate; the others are its alternatives."""
    possible = findings.candidates.possible if findings.candidates else ()
    allowed = [encoding for encoding in map(_known, possible) if options.allows(encoding.name)]
    if not allowed:
        return Verdict(Outcome.UNDECIDED, None, 0.5, findings=(*findings.all(), _NONE_ALLOWED))
    groups = sorted(_group_by_text(allowed, findings.scan.seen), key=_share, reverse=True)
    # Every reading keeps a little: the commonest can be out of place.
    total = sum(_share(group) for group in groups)
    shares = [_MOST_BY_COMMONNESS * _share(group) / total for group in groups]
    best = _preferred(groups[0])
    return Verdict(
        Outcome.TEXT,
        best,
        shares[0],
        equivalents=tuple(name for name in sorted(groups[0], key=rank) if name != best),
        alternatives=tuple(
            Alternative(_preferred(g), s) for g, s in zip(groups[1:], shares[1:], strict=True)
        ),
        damage=dict(findings.candidates.damaged).get(best, ()) if findings.candidates else (),
        cut=_cut_off(findings.candidates, rank(best)) if findings.candidates else 0,
        findings=(*findings.all(), _BY_COMMONNESS),
        web_name=web_name(best),
    )


def _group_by_text(encodings: Sequence[Encoding], seen: int) -> Iterator[list[str]]:
    """Yield the names of the encodings that give the same text, in the order of their first one."""
    from charlens.encodings.sets import relatives

    left = {encoding.name: encoding for encoding in encodings}
    while left:
        name, encoding = next(iter(left.items()))
        group = [name]
        if encoding.kind != "multi":
            group += [other for other in same_text(seen, name) if other in left]
        else:
            group += [other for other in relatives(name) if other in left]
        for member in group:
            del left[member]
        yield group


def _share(group: list[str]) -> float:
    return 1.0 + sum(_known(name).common for name in group)


def _preferred(group: list[str]) -> str:
    return min(group, key=rank)


def _known(name: str) -> Encoding:
    return all_encodings()[rank(name)]
