"""Choose the text that the bytes are: of what the stages before found, the first that settles it.

For legacy text, classes that give the same text are taken together, and the likeliest text is the answer.  Among
encodings that give the same text the declared one is named, else ASCII, UTF-8, the encodings of the WHATWG standard,
the rest.  The language of the text and the verdict are for the stages behind.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from charlens import kernel
from charlens.encodings import Encoding, all_encodings, rank
from charlens.encodings.maps import same_text
from charlens.encodings.sets import differences_of, name_all, relatives
from charlens.findings import Candidates, Findings, Note, Reading, Scores
from charlens.options import Options
from charlens.source import Source
from charlens.types import Alternative

#: What nobody has measured: that the commonest encoding is right because it is common.
_MOST_BY_COMMONNESS = 0.5
#: Nothing that is judged by statistics is surer than this.
_MOST_SURE = 0.999
#: A best reading under this is no answer. Of 7,248 snippets of 10 to 500 bytes one had less than 0.3, and was wrong.
_LEAST_LIKELY = 0.2
#: The most readings that are listed besides the answer.
_MOST_ALTERNATIVES = 7
#: No answer of the EBCDIC stage is surer than this: its pages differ in a few signs.
_MOST_SURE_EBCDIC = 0.95

#: A page that is what it declares, and one whose bytes cannot be: of declarations, about one in thirty is wrong.
_OBEYED = 0.97
_OBEYED_BROKEN = 0.3
#: The marks that browsers know: they count more than any declaration.
_MARKS_OF_THE_WEB = ("utf-8", "utf-16-le", "utf-16-be")

_NONE_ALLOWED = Note("no encoding that was allowed decodes these bytes")
_BY_COMMONNESS = Note("the most common of the candidates; the words were not scored")


def choose_reading(found: Findings, source: Source, options: Options) -> Reading | None:
    """Return the text that the bytes are taken for; ``None`` where nothing is likely enough, or allowed."""
    if options.declared == "obey" and found.declarations and not _has_mark_of_the_web(found):
        reading = _from_declaration(found, source, options)
        if reading is not None:
            return reading
    reading = _from_form(found, options)
    if reading is not None:
        return reading
    if found.scores and found.scores.numbers:
        texts = _texts(found.scores, found.candidates)  # type: ignore[arg-type]
        if texts:
            return _from_texts(found, texts, options)
    return _from_candidates(found, options)


def _from_form(found: Findings, options: Options) -> Reading | None:
    """Answer with what the form of the bytes settled, if that is allowed."""
    if found.escapes:
        return _from_escapes(found, options)
    if found.ebcdic:
        return _from_ebcdic(found, options)
    if found.unicode:
        return _from_unicode(found, options)
    if _has_mark_of_gb18030(found) and options.allows("gb18030"):
        return _from_mark_of_gb18030(found)
    return None


def _has_mark_of_the_web(found: Findings) -> bool:
    return found.signature is not None and found.signature.encoding in _MARKS_OF_THE_WEB


def _from_declaration(found: Findings, source: Source, options: Options) -> Reading | None:
    """Answer with the first declaration that names something, whatever the bytes are."""
    assert found.declarations is not None
    for declaration in found.declarations.charsets:
        name = declaration.encoding
        if name is not None and options.allows(name):
            damage, cut = source.faults(name)
            is_single = all_encodings()[rank(name)].kind == "single"
            found.notes += (Note(f"{declaration}, and declarations are obeyed"),)
            return Reading(
                name,
                _OBEYED_BROKEN if damage else _OBEYED,
                equivalents=same_text(found.scan.seen, name) if is_single and not damage else (),
                damage=damage,
                cut=cut,
                web_name=declaration.web,
            )
    return None


def _from_unicode(found: Findings, options: Options) -> Reading | None:
    form = found.unicode
    assert form is not None
    name = form.encoding
    same = same_text(found.scan.seen, "ascii") if name == "ascii" else ()
    if options.restricts:
        allowed = [other for other in (name, *same) if options.allows(other)]
        if not allowed:
            return None
        name = allowed[0]
        same = tuple(allowed[1:])
    if same and found.declarations is not None and found.declarations.charsets:
        covered = found.declarations.charsets[0].covered
        declared = next((other for other in (name, *same) if other in covered), name)
        same = tuple(other for other in (name, *same) if other != declared)
        name = declared
    mark = b""
    if found.signature and found.signature.encoding == form.encoding:
        mark = found.signature.mark
    return Reading(name, form.confidence, None, mark, same, (), form.damage, form.cut)


def _from_escapes(found: Findings, options: Options) -> Reading | None:
    form, signature = found.escapes, found.signature
    assert form is not None
    if not options.allows(form.encoding):
        return _from_unicode(found, options)
    has_mark = signature and signature.encoding == form.encoding and signature.mark.endswith(b"-")
    return Reading(
        form.encoding,
        form.confidence,
        bom=signature.mark if signature and has_mark else b"",
        alternatives=(Alternative("ascii", round(1 - form.confidence, 6)),),
        cut=form.cut,
    )


def _from_ebcdic(found: Findings, options: Options) -> Reading | None:
    form = found.ebcdic
    assert form is not None
    allowed = [(name, share) for name, share in form.pages if options.allows(name)]
    if not allowed:
        return None
    name, confidence = allowed[0]
    same = same_text(found.scan.seen, name)
    sure = confidence + sum(share for other, share in form.pages if other in same)
    others = tuple(Alternative(n, c) for n, c in allowed[1:] if n not in same)
    return Reading(name, min(sure, _MOST_SURE_EBCDIC), equivalents=same, alternatives=others)


def _has_mark_of_gb18030(found: Findings) -> bool:
    """Whether the input opens with the mark and GB 18030 decodes the whole of it."""
    signature, candidates = found.signature, found.candidates
    if signature is None or candidates is None:
        return False
    return signature.encoding == "gb18030" and "gb18030" in candidates.possible


def _from_mark_of_gb18030(found: Findings) -> Reading:
    signature, candidates = found.signature, found.candidates
    assert signature is not None and candidates is not None
    language = found.scores.ranked[0].language if found.scores and found.scores.numbers else None
    return Reading(
        "gb18030",
        0.99,
        language if language and language.startswith("zh") else None,
        signature.mark,
        damage=dict(candidates.damaged).get("gb18030", ()),
        cut=candidates.cut_off(rank("gb18030")),
    )


#: One text that the bytes may be: how likely it is, the encodings that read it so, as a set, and its likeliest class.
_Text = tuple[float, int, int]


def _texts(scores: Scores, candidates: Candidates) -> list[_Text]:
    """Join the classes of the model that give the same text; the likeliest text comes first."""
    members, possible = scores.model.members, scores.possible
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
    texts: list[_Text] = []
    done = 0
    for encoding in shares if len(shares) == 1 else sorted(shares, key=shares.__getitem__, reverse=True):
        if done >> encoding & 1:
            continue
        same = _same_reading(candidates, encoding) & possible
        share = shares[encoding]
        for other in shares:
            if other != encoding and same >> other & 1 and not done >> other & 1:
                share += shares[other]
        texts.append((share, same, first[encoding]))
        done |= same
    texts.sort(key=lambda text: -text[0])
    return texts


def _same_reading(candidates: Candidates, number: int) -> int:
    """Return the encodings that give the same text as *number* for these bytes, itself among them, as a set."""
    table = differences_of(number)
    return table if isinstance(table, int) else kernel.disjoint(candidates.seen, table)


def _from_texts(found: Findings, texts: list[_Text], options: Options) -> Reading | None:
    """Answer with the text that is likeliest, all encodings and languages that give it taken together."""
    candidates, scores = found.candidates, found.scores
    assert candidates is not None and scores is not None
    names, classes = candidates.rules.names, scores.model.classes
    share, same, best = texts[0]
    others = tuple([Alternative(names[_lowest(s)], p, classes[c][1]) for p, s, c in texts[1:8]])
    if share < _LEAST_LIKELY and not options.restricts:
        first = Alternative(names[_lowest(same)], share, classes[best][1])
        return _undecided(found, (first, *others))
    number = _preferred_number(same, found)
    return Reading(
        names[number],
        min(share, _MOST_SURE),
        classes[best][1],
        b"",
        name_all(same & ~(1 << number)),
        others,
        dict(candidates.damaged).get(names[number], ()) if candidates.damaged else (),
        candidates.cut_off(number),
    )


def _preferred_number(same: int, found: Findings) -> int:
    """Return the encoding to name of those that give the same text: the declared one, else the first."""
    declarations = found.declarations
    if declarations is not None and declarations.charsets:
        declared = [rank(name) for name in declarations.charsets[0].covered if same >> rank(name) & 1]
        if declared:
            return min(declared)
    return _lowest(same)


def _lowest(numbers: int) -> int:
    """Return the first of a set of encodings, which is the preferred one."""
    return (numbers & -numbers).bit_length() - 1


def _undecided(found: Findings, readings: tuple[Alternative, ...]) -> None:
    """Note that no reading is likely enough; what there is becomes the alternatives."""
    best = f"nothing is likely enough: {readings[0].encoding} is the best of {len(readings)} readings with "
    advice = f"{readings[0].confidence:.2f}; name the possible encodings with only=, or give hints="
    found.notes += (Note(best + advice),)
    found.undecided = readings


def _from_candidates(found: Findings, options: Options) -> Reading | None:
    """Answer with the most common candidate; the others are its alternatives."""
    candidates = found.candidates
    possible = candidates.possible if candidates else ()
    allowed = [encoding for encoding in map(_known, possible) if options.allows(encoding.name)]
    if candidates is None or not allowed:
        found.notes += (_NONE_ALLOWED,)
        return None
    found.notes += (_BY_COMMONNESS,)
    groups = sorted(_group_by_text(allowed, found.scan.seen), key=_share, reverse=True)
    # Every reading keeps a little: the commonest can be out of place.
    total = sum(_share(group) for group in groups)
    shares = [_MOST_BY_COMMONNESS * _share(group) / total for group in groups]
    best = _preferred(groups[0])
    others = zip(groups[1 : 1 + _MOST_ALTERNATIVES], shares[1:], strict=False)
    return Reading(
        best,
        shares[0],
        equivalents=tuple(name for name in sorted(groups[0], key=rank) if name != best),
        alternatives=tuple(Alternative(_preferred(group), share) for group, share in others),
        damage=dict(candidates.damaged).get(best, ()),
        cut=candidates.cut_off(rank(best)),
    )


def _group_by_text(encodings: Sequence[Encoding], seen: int) -> Iterator[list[str]]:
    """Yield the names of the encodings that give the same text, in the order of their first one."""
    left = {encoding.name: encoding for encoding in encodings}
    while left:
        name, encoding = next(iter(left.items()))
        same = relatives(name) if encoding.kind == "multi" else same_text(seen, name)
        group = [name, *(other for other in same if other in left)]
        for member in group:
            del left[member]
        yield group


def _share(group: list[str]) -> float:
    return 1.0 + sum(_known(name).common for name in group)


def _preferred(group: list[str]) -> str:
    return min(group, key=rank)


def _known(name: str) -> Encoding:
    return all_encodings()[rank(name)]
