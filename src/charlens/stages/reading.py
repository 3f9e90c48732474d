"""Choose the text of the bytes, by the first finding of the earlier stages that decides it.

For legacy text, classes that give the same text are grouped, and the most likely text is the answer.  Among
encodings that give the same text, the declared one is named, otherwise ASCII, UTF-8, the encodings of the WHATWG
standard, then the rest.  The later stages add the language and build the verdict.
"""

from __future__ import annotations

from codecs import getincrementaldecoder
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import cache, lru_cache
from math import log2
from operator import itemgetter

from charlens.encodings import Encoding, all_encodings, rank
from charlens.encodings.maps import same_text
from charlens.encodings.sets import name_all, relatives
from charlens.findings import Findings, Note, Scores
from charlens.kernel.facts import MARKS
from charlens.models.characters import likelihood
from charlens.options import Options
from charlens.source import CODEC_ERRORS, Source
from charlens.types import Alternative, Part

#: The confidence if only the frequency of encodings decides; not measured.
_MOST_BY_COMMONNESS = 0.5
#: The highest confidence that statistics can give.
_MOST_SURE = 0.999
#: If the best reading is below this, there is no answer. Of 7,248 snippets of 10 to 500 bytes, one was below 0.3, and
#: wrong.
_LEAST_LIKELY = 0.2
#: The most readings that are listed besides the answer.
_MOST_ALTERNATIVES = 7
#: Input up to this many bytes is decoded to compare texts of multi-byte encodings: a few dozen microseconds for each.
#: Longer text has characters in which they differ.
_MOST_COMPARED = 4096
#: No answer of the EBCDIC stage is more certain than this: its pages differ in a few signs.
_MOST_SURE_EBCDIC = 0.95

#: The confidence in an obeyed declaration, and if the bytes contradict it: about one declaration in thirty is wrong.
_OBEYED = 0.97
_OBEYED_BROKEN = 0.3
#: The marks that browsers know: they count more than any declaration.
_MARKS_OF_THE_WEB = ("utf-8", "utf-16-le", "utf-16-be")

#: GB 18030 after its mark.
_MARKED_GB18030 = 0.99

#: A legacy text must be this much likelier than UTF-8, in bits, with half of the log-odds of its share added (without
#: the share, `bench/chance.py` recognises fewer). With lower values, strings in UTF-8 are lost, with higher ones, fewer
#: legacy strings are recognised. A declaration counts as it does between legacy encodings (e^8).
_MUCH_LIKELIER = 4.5
_WEIGHT_OF_SHARE = 0.5
_DECLARED_BITS = 11.5
_BY_CHANCE = "the bytes are also valid UTF-8, but its characters are rarer in text than those of {}"

_UNLIKELY = (
    "nothing is likely enough: {} is the best of {} readings with {:.2f}; name the possible encodings with only=, "
    "or give hints="
)
_NONE_ALLOWED = Note("no encoding that was allowed decodes these bytes")
_BY_COMMONNESS = Note("the most common candidate; the text was not scored")


def choose_reading(found: Findings, source: Source, options: Options) -> None:
    """Choose the text of the bytes; none if nothing is likely enough, or allowed.

    If parts in several encodings were found since, choose again.
    """
    if found.uneven is not None and found.uneven.parts:
        _take_main_part(found, source, found.uneven.parts)
        return
    if options.declared == "obey" and found.declarations and not _has_mark_of_the_web(found):
        _take_declaration(found, source, options)
    scores = found.scores
    if found.encoding is None:
        if scores is not None and scores.texts and _is_by_chance(found, scores, source):
            found.unicode = None
        _take_form(found, options)
    if found.encoding is not None:
        return
    if scores is None or not scores.texts:
        _take_commonest(found, source, options)
    else:
        _take_likeliest(found, scores, source, options)


def _take_main_part(found: Findings, source: Source, parts: tuple[Part, ...]) -> None:
    """Name the encoding of most of the input, if the one chosen for all of it is in none of the parts."""
    lengths: Counter[str] = Counter()
    for start, end, name in parts:
        lengths[name] += end - start
    if found.encoding not in lengths:
        found.encoding = max(lengths, key=lengths.__getitem__)
        found.damage, found.cut = source.faults(found.encoding)
        # They belong to the encoding that was chosen for all of it.
        found.equivalents = found.alternatives = ()
        found.same = 0


def _take_form(found: Findings, options: Options) -> None:
    """Answer with what the structure of the bytes decided, if that is allowed."""
    if found.escapes:
        _take_escapes(found, options)
    elif found.ebcdic:
        _take_ebcdic(found, options)
    elif found.unicode:
        _take_unicode(found, options)
    elif found.signature and _has_mark_of_gb18030(found) and options.allows("gb18030"):
        _take_gb18030(found)


def _is_by_chance(found: Findings, scores: Scores, source: Source) -> bool:
    """Whether the bytes are valid UTF-8, but the characters of the most likely legacy text are much likelier.

    EBCDIC is not compared: its text is ASCII, which has no likelihood.
    """
    form = found.unicode
    if form is None or form.doubt is None or found.signature is not None:
        return False
    same = scores.texts[0][1]
    encoding = all_encodings()[_lowest(same)]
    if encoding.kind == "ebcdic":
        return False
    least = _MUCH_LIKELIER
    if found.declarations is not None and found.declarations.charsets:
        covered = found.declarations.charsets[0].covered
        if covered >> rank("utf-8") & 1:
            return False
        least -= _DECLARED_BITS if covered & same else 0
    share = min(scores.texts[0][0], _MOST_SURE)
    text = bytes(source.head).decode(encoding.name, "ignore")
    if likelihood(text) + _WEIGHT_OF_SHARE * log2(share / (1 - share)) < form.doubt + least:
        return False
    found.notes += (Note(_BY_CHANCE.format(encoding.name)),)
    return True


def _has_mark_of_the_web(found: Findings) -> bool:
    return found.signature is not None and found.signature.encoding in _MARKS_OF_THE_WEB


def _take_declaration(found: Findings, source: Source, options: Options) -> None:
    """Answer with the first declaration that names an encoding, without regard to the bytes."""
    assert found.declarations is not None
    for declaration in found.declarations.charsets:
        name = declaration.encoding
        if name is not None and options.allows(name):
            found.encoding = name
            found.web_name = declaration.web
            found.damage, found.cut = source.faults(name)
            found.confidence = _OBEYED_BROKEN if found.damage else _OBEYED
            if all_encodings()[rank(name)].kind == "single" and not found.damage:
                found.equivalents = same_text(found.scan.seen, name)
            found.notes += (Note(f"{declaration}, and declared='obey' trusts declarations"),)
            return


def _take_unicode(found: Findings, options: Options) -> None:
    form = found.unicode
    assert form is not None
    name = form.encoding
    same = same_text(found.scan.seen, "ascii") if name == "ascii" else ()
    chosen: str | None = name
    if options.restricts:
        chosen, same = _first_allowed(name, same, options.only, options.never)
        if chosen is None:
            return
    if same and found.declarations is not None and found.declarations.charsets:
        chosen, same = _declared_first(chosen, same, found.declarations.charsets[0].covered)
    found.encoding, found.equivalents, found.confidence = chosen, same, form.confidence
    found.damage, found.cut = form.damage, form.cut
    if found.signature is not None:
        marks = (mark for mark, encoding in MARKS if encoding == name)
        found.bom = next((mark for mark in marks if found.signature.mark.startswith(mark)), b"")


@lru_cache(maxsize=256)
def _first_allowed(
    name: str, equivalents: tuple[str, ...], only: frozenset[str] | None, never: frozenset[str]
) -> tuple[str | None, tuple[str, ...]]:
    """Return the first encoding that may be the answer, and the others."""
    options = Options(only, never)
    names = [each for each in (name, *equivalents) if options.allows(each)]
    return (names[0], tuple(names[1:])) if names else (None, ())


@lru_cache(maxsize=256)
def _declared_first(
    name: str, equivalents: tuple[str, ...], covered: int
) -> tuple[str, tuple[str, ...]]:
    """Return an encoding that was declared, if one of those that read the same text was, and the others."""
    names = (name, *equivalents)
    first = next((each for each in names if covered >> rank(each) & 1), name)
    return (first, tuple(each for each in names if each != first)) if first != name else (name, equivalents)


def _take_escapes(found: Findings, options: Options) -> None:
    form, signature = found.escapes, found.signature
    assert form is not None
    if not options.allows(form.encoding):
        _take_unicode(found, options)
        return
    found.encoding = form.encoding
    found.confidence = form.confidence
    if options.allows("ascii"):
        found.alternatives = (Alternative("ascii", round(1 - form.confidence, 6)),)
    found.cut = form.cut
    if signature and signature.encoding == form.encoding and signature.mark.endswith(b"-"):
        found.bom = signature.mark


def _take_ebcdic(found: Findings, options: Options) -> None:
    form = found.ebcdic
    assert form is not None
    left = {name: share for name, share in form.pages if options.allows(name)}
    texts: list[tuple[float, str]] = []
    while left:
        name = next(iter(left))
        same = (name, *same_text(found.scan.seen, name))
        texts.append((sum(left.pop(other, 0.0) for other in same), name))
    if not texts:
        return
    texts.sort(key=itemgetter(0), reverse=True)
    (share, best), *others = texts
    found.encoding = best
    found.equivalents = tuple(filter(options.allows, same_text(found.scan.seen, best)))
    found.confidence = min(share, _MOST_SURE_EBCDIC)
    found.alternatives = tuple(Alternative(name, share) for share, name in others)


def _has_mark_of_gb18030(found: Findings) -> bool:
    """Whether the input starts with the mark and GB 18030 decodes all of it."""
    signature, candidates = found.signature, found.candidates
    if signature is None or candidates is None:
        return False
    return signature.encoding == "gb18030" and "gb18030" in candidates.possible


def _take_gb18030(found: Findings) -> None:
    signature, candidates = found.signature, found.candidates
    assert signature is not None and candidates is not None
    language = found.scores.ranked[0].language if found.scores and found.scores.numbers else None
    found.encoding = "gb18030"
    found.same = 1 << rank("gb18030")
    found.confidence = _MARKED_GB18030
    found.likely_language = language if language and language.startswith("zh") else None
    found.bom = signature.mark
    found.damage = candidates.damage_of("gb18030")
    found.cut = candidates.cut_off(rank("gb18030"))


#: A possible text: its probability, the encodings that give it, as a set, and its most likely class.
_Text = tuple[float, int, int]


@cache
def _multi() -> int:
    """Return the multi-byte encodings, as a set."""
    return sum(1 << number for number, each in enumerate(all_encodings()) if each.kind == "multi")


def _join_equal(texts: Sequence[_Text], source: Source, names: Sequence[str]) -> Sequence[_Text]:
    """Join the texts of multi-byte encodings that are equal for this short input.

    Punctuation and full-width digits have the same bytes in EUC-KR and GBK. Whether all characters do, only decoding
    shows, so this is done only if two or more such texts are likely.
    """
    wide = _multi()
    multi = [place for place, (_, same, _) in enumerate(texts) if same & wide]
    if len(multi) < 2:
        return texts
    joined: list[_Text] = list(texts)
    for first, *others in _equal_texts(multi, [names[_lowest(texts[place][1])] for place in multi], source):
        for place in others:
            share, same, best = joined[first]
            joined[first] = (share + texts[place][0], same | texts[place][1], best)
            joined[place] = (0.0, 0, 0)
    return sorted([text for text in joined if text[1]], key=itemgetter(0), reverse=True)


def _equal_texts(places: Iterable[int], names: Sequence[str], source: Source) -> list[list[int]]:
    """Group *places* by the text that the encodings in *names* give; each group keeps its order."""
    groups: dict[object, list[int]] = {}
    for place, name in zip(places, names, strict=True):
        groups.setdefault(_text(name, source) or place, []).append(place)
    return list(groups.values())


def _text(name: str, source: Source) -> tuple[str, bytes] | None:
    """Return the text of a short input and the bytes of a character cut off at its end; None if it does not decode."""
    if not len(source.head) == source.size <= _MOST_COMPARED:
        return None
    decoder = getincrementaldecoder(name)()
    try:
        return decoder.decode(bytes(source.head)), decoder.getstate()[0]
    except CODEC_ERRORS:
        return None


def _take_likeliest(found: Findings, scores: Scores, source: Source, options: Options) -> None:
    """Answer with the most likely text, counting all encodings and languages that give it."""
    candidates = found.candidates
    assert candidates is not None
    texts: Sequence[_Text] = scores.texts
    names, model = candidates.rules.names, scores.tables.model
    others: Sequence[_Text] = ()
    if len(texts) > 1:
        texts = _join_equal(texts, source, names)
        others = texts[1:]
        if candidates.damaged:  # alternatives decode everything
            stray = sum(1 << rank(name) for name, _ in candidates.damaged)
            others = [text for text in others if text[1] & ~stray]
        others = others[:_MOST_ALTERNATIVES]
    share, same, best = texts[0]
    if share < _LEAST_LIKELY and not options.restricts:
        others = texts[: 1 + _MOST_ALTERNATIVES]
        found.notes += (Note(_UNLIKELY.format(names[_lowest(same)], len(texts), share)),)
    else:
        wide = same & _multi()  # only in these, a character can be cut off, and a class has encodings of several texts
        own = model.sets[best] & same if wide else same
        number = _lowest(own)
        if found.declarations is not None and found.declarations.charsets:
            number = _lowest(found.declarations.charsets[0].covered & same or 1 << number)
        found.encoding = names[number]
        found.confidence = share if share < _MOST_SURE else _MOST_SURE
        found.likely_language = model.classes[best][1]
        found.same = same
        if same != 1 << number:
            found.equivalents = name_all(same ^ 1 << number)
        if wide:
            found.cut = candidates.cut_off(number)
        if candidates.damaged:
            found.damage = candidates.damage_of(names[number])
    if others:
        found.alternatives = tuple(
            [Alternative(names[_lowest(s)], p, model.classes[c][1]) for p, s, c in others]
        )


def _lowest(numbers: int) -> int:
    """Return the first of a set of encodings, which is the preferred one."""
    return (numbers & -numbers).bit_length() - 1


def _take_commonest(found: Findings, source: Source, options: Options) -> None:
    """Answer with the most common candidate; the others are its alternatives."""
    candidates = found.candidates
    possible = candidates.possible if candidates else ()
    allowed = [encoding for encoding in map(_known, possible) if options.allows(encoding.name)]
    if candidates is None or not allowed:
        found.notes += (_NONE_ALLOWED,)
        return
    found.notes += (_BY_COMMONNESS,)
    groups = sorted(_group_by_text(allowed, found.scan.seen, source), key=_share, reverse=True)
    # Every reading keeps a small probability: the most common encoding can be wrong.
    total = sum(_share(group) for group in groups)
    shares = [_MOST_BY_COMMONNESS * _share(group) / total for group in groups]
    best = found.encoding = _preferred(groups[0])
    found.confidence = shares[0]
    found.equivalents = tuple(name for name in sorted(groups[0], key=rank) if name != best)
    others = zip(groups[1 : 1 + _MOST_ALTERNATIVES], shares[1:], strict=False)
    found.alternatives = tuple(Alternative(_preferred(group), share) for group, share in others)
    found.damage = candidates.damage_of(best)
    found.cut = candidates.cut_off(rank(best))


def _group_by_text(encodings: Sequence[Encoding], seen: int, source: Source) -> list[list[str]]:
    """Return the names of the encodings that give the same text, in the order of their first one."""
    groups = list(_group_by_values(encodings, seen))
    equal = _equal_texts(range(len(groups)), [group[0] for group in groups], source)
    return [[name for place in places for name in groups[place]] for places in equal]


def _group_by_values(encodings: Sequence[Encoding], seen: int) -> Iterator[list[str]]:
    """Yield groups of encodings that give the same text by the byte values alone, or as members of one family."""
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
