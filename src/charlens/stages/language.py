"""Recognise the language of text whose encoding is known.

A bounded piece of the text is read as UTF-8 (other encodings are decoded first), and the kernel scores the languages
of the script that most of its letters are in (`python -m charlens.training.languages` makes the model).  For
single-byte text, the scores of the statistics count as well.  The encoding was decided before, and does not change
here.
"""

from __future__ import annotations

import math

from charlens import kernel
from charlens.encodings import all_encodings, rank
from charlens.encodings.maps import single_byte_map
from charlens.findings import Findings, Language, Scores
from charlens.models.language_model import NO_LANGUAGE, LanguageModel, default_language_model
from charlens.types import Buffer

#: Input up to this many bytes is read whole; of longer input, this number of windows of this size. Small windows at
#: non-ASCII bytes find the words among markup and English: of the Unicode files labelled with a language, 95 % are
#: right with these, and 93 % with six windows of 256 bytes. More does not help: with 64 to 80 bytes and 8 to 10
#: windows, the results differ by three files.
_WHOLE = 512
_WINDOWS, _WINDOW, _AHEAD, _BACK = 8, 72, 4096, 16
#: With fewer letters than this in the windows, larger ones are read: in pages that are nearly all markup, windows begin
#: inside tags and scripts. This raises the 95.4 % to 96.8 %.
_FEW = 100
_SECOND_LOOK = (12, 512, _AHEAD, _BACK)
#: If the text is decoded first, this number of pieces is read, each of this many units; if the encoding has escape
#: sequences, only the beginning is read.
_PIECES, _PIECE = 4, 256
_BEGINNING = 4096

_UTF8 = ("ascii", "utf-8")
_KINDS = {encoding.name: encoding.kind for encoding in all_encodings()}
_UNITS = {"utf-16-le": 2, "utf-16-be": 2, "utf-32-le": 4, "utf-32-be": 4}

#: How many classes the language model returns: on its own, and together with those of the statistics.
_MOST, _MOST_BESIDE = 4, 8
#: Together with the statistics, less text is enough.
_WHOLE_BESIDE, _WINDOW_BESIDE = 320, 40
#: With at least this many ASCII letters around, non-ASCII letters are not needed for the language.
_MOST_LETTERS = 40
#: Fewer letters than this are not enough ('ok', 'px'); an ideograph is half a word.
_LEAST_LETTERS = 3
#: A language is named if it is more likely than all others together. In our prose (20 characters each, 77 languages),
#: 89 % then get an answer, and 87 % of the answers are right (with 0.4: 96 and 82 %; with 0.6: 80 and 92 %); with 100
#: characters, 99 and 97 %. Of the labelled files, 99.9 % get an answer, and 98.3 % of the answers are right.
_MOST_OTHERS = 1.0
#: With this lead over the second of four, all others together are less likely than the first.
_CLEAR = math.log(3)
#: The weight of the logarithm of the statistics' shares, compared with the letters, and the least share of a language
#: by the letters. With these, the language of single-byte prose of 30 characters is right in 92 % instead of 79 %, of
#: 150 in 97 % instead of 90 %, and of the labelled files in 98.5 % instead of 98.3 %.
_STATISTICS = 0.4
_FLOOR = 0.02
_UNSEEN = 1e-6
#: With less than this share of other languages, the statistics decide alone. This saves a microsecond; of 35,324 files,
#: cuts, snippets and words, two get another language than with the letters, both the right one.
_HARDLY_OTHERS = 0.001


def recognise_language(data: Buffer, found: Findings, encoding: str) -> Language | None:
    """Return the language of *data*, text in *encoding*; ``None`` if the statistics are enough."""
    if found.bom:
        data = data[len(found.bom) :]  # it would count as a letter
    if found.likely_language is not None and found.scores is not None:
        return _recognise_beside(data, found, encoding)
    model = default_language_model()
    if encoding not in _UTF8:
        data = _utf8_piece(data, encoding)
    if len(data) > _WHOLE:
        numbers = kernel.languages(
            kernel.excerpt(data, _WINDOWS, _WINDOW, _AHEAD, _BACK), model.tables, _MOST
        )
        if numbers[2] < _FEW:
            numbers = kernel.languages(kernel.excerpt(data, *_SECOND_LOOK), model.tables, _MOST)
    else:
        numbers = kernel.languages(data, model.tables, _MOST)
    return Language(_judge(model, numbers), numbers, model, False)


def _recognise_beside(data: Buffer, found: Findings, encoding: str) -> Language | None:
    """Recognise the language of text for which the statistics have already named one.

    If there are surroundings, nearly all letters have been read already, and are not read again.
    """
    if _KINDS.get(encoding) != "single":
        return None  # in East Asian encodings, the statistics have found the language
    scores = found.scores
    assert scores is not None
    model, numbers = default_language_model(), scores.letters
    if len(numbers) <= 4 or numbers[1] < _MOST_LETTERS:
        if _is_certain(found, scores):
            return None
        if len(data) > _WHOLE_BESIDE:
            data = kernel.excerpt(data, _WINDOWS, _WINDOW_BESIDE, _AHEAD, _BACK)
        numbers = kernel.languages(data, model.tables, _MOST_BESIDE, single_byte_map(encoding))
    return Language(_judge_both(model, numbers, found, encoding), numbers, model, True)


def _is_certain(found: Findings, scores: Scores) -> bool:
    """Whether nearly all likely classes are in one language.

    If the caller allows a few encodings only, other languages had no chance.
    """
    assert found.candidates is not None
    if scores.possible != found.candidates.numbers:
        return False
    classes, known, others = scores.model.classes, found.likely_language, 0.0
    for number, share in zip(scores.numbers, scores.shares, strict=True):
        if classes[number][1] != known:
            others += share
    return others < _HARDLY_OTHERS


def _utf8_piece(data: Buffer, encoding: str) -> bytes:
    """Return the part of *data* to read, decoded from *encoding*, as UTF-8."""
    kind = _KINDS.get(encoding)
    if kind in ("utf", "single", "ebcdic") and encoding != "utf-7":
        text = "\n".join(piece.decode(encoding, "ignore") for piece in _pieces(data, _UNITS.get(encoding, 1)))
    else:
        text = bytes(data[:_BEGINNING]).decode(encoding, "ignore")
    return text.encode("utf-8", "ignore")


def _pieces(data: Buffer, unit: int) -> list[bytes]:
    """Return pieces from the whole of *data*, each of whole units."""
    size = unit * _PIECE
    if len(data) <= _PIECES * size:
        return [bytes(data)]
    share = len(data) // _PIECES
    share -= share % unit
    return [bytes(data[start : start + size]) for start in range(0, _PIECES * share, share)]


def _judge(model: LanguageModel, numbers: tuple[int, ...]) -> str | None:
    """Return the language that the letters indicate, if they do."""
    if numbers[1] < _LEAST_LETTERS:
        return None
    if len(numbers) < 8:  # the only language of its script
        return model.languages[numbers[4]]
    script, grams = numbers[0], numbers[3]
    if grams == 0 or numbers[5] < model.least[script - 1] * grams:
        return None
    number = numbers[4]
    lead = (numbers[5] - numbers[7]) * model.sharpness[script - 1]
    # If even the most common language would not come near, the odds are not computed.
    if lead < (_CLEAR + model.highest_prior - model.priors[number]) * math.sqrt(grams):
        odds = model.odds(numbers)
        best, number = odds[0]
        if (
            len(odds) > 1
            and best - odds[1][0] < _CLEAR
            and sum(math.exp(other - best) for other, _ in odds[1:]) > _MOST_OTHERS
        ):
            return None
    language = model.languages[number]
    return None if language == NO_LANGUAGE else language


def _judge_both(model: LanguageModel, numbers: tuple[int, ...], found: Findings, encoding: str) -> str | None:
    """Return the language that the letters and the statistics together indicate."""
    known = found.likely_language
    if numbers[1] < _LEAST_LETTERS:
        return None
    if len(numbers) <= 4 or model.languages[numbers[4]] == known:
        return known
    by_letters = dict(model.likely(numbers))
    shares = _by_statistics(found, encoding)
    if len(shares) == 1:
        return known
    best, likeliest = -math.inf, known
    for language, share in shares.items():
        both = _STATISTICS * math.log(share + _UNSEEN) + math.log(by_letters.get(language, 0.0) + _FLOOR)
        if both > best:
            best, likeliest = both, language
    return likeliest


def _by_statistics(found: Findings, encoding: str) -> dict[str, float]:
    """Return the probability of each language among the classes that give the text of the answer."""
    scores = found.scores
    assert scores is not None
    classes, members = scores.model.classes, scores.model.members
    ours = {rank(name) for name in (encoding, *found.equivalents)}
    shares: dict[str, float] = {}
    for number, share in zip(scores.numbers, scores.shares, strict=True):
        if not ours.isdisjoint(members[number]):
            language = classes[number][1]
            shares[language] = shares.get(language, 0.0) + share
    return shares
