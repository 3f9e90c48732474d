"""Evidence for classes of a model from outside the text: hints, line endings, declarations; and known words.

Each piece of evidence is log-odds for the classes that cover one of its encodings and one of its languages.  The kernel
adds them to the initial scores of the classes.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from itertools import chain
from math import log
from typing import TYPE_CHECKING

from charlens.encodings import all_encodings, web_of
from charlens.findings import Evidence, Hints, KnownWords, Markup
from charlens.hints import Hints as Given
from charlens.hints import platform_encodings, tld_languages
from charlens.stages.statistics.tables import encoding_set, language_set

if TYPE_CHECKING:
    from charlens.kernel.shapes import Scan
    from charlens.models.format import Model
    from charlens.stages.declarations.claims import Declarations

# Log-odds of a hint that fits. Measured by `python bench/hints.py` on 4,882 cuts of labelled files, 85.5 % of which are
# right at 10 bytes and 97.9 % at 100 without a hint. With more, right hints gain little, and wrong hints
# do more harm.
#: Right: 96.9 % at 10 bytes, 98.7 % at 100. Wrong: 97.2 % at 100, 99.0 % (instead of 99.1 %) at 500.
_LANGUAGE = 4.0
#: Right: 92.6 % at 10 bytes, 98.3 % at 100. Wrong: 97.3 % at 100. 4 gained one point more and lost two at 10 bytes.
_DOMAIN = 3.0
#: Right: 87.2 % at 10 bytes. Wrong: 97.4 % at 100. More than 2 does not help: within a platform, languages decide.
_PLATFORM = 2.0
#: Right: 96.3 % at 10 bytes, 99.1 % at 100. Wrong (declared charsets sometimes are): 96.9 % at 100, a point less.
_DECLARED = 3.0
#: The log-odds of line endings for a platform. From 0.5 to 2, no answer on 2,954 labelled files changes.
_LINE_ENDS = 1.0
#: The log-odds of an escape (colour codes of a terminal) or Ctrl-Z (the end of a file) for code pages of DOS.
_DOS_CONTROLS = 2.0
#: An encoding with the whole of a prior's weight gets ln(1 + 1 / this), 3.9; one with a tenth of it 1.8.
_PRIOR_FLOOR = 0.02

#: A declared charset is e^8 times as likely as the bytes alone indicate; one that many tools write by default, e^4.
#: Set by `charlens evaluate html`: pages with a wrong declaration and pages with a right one both count.
_CHARSET_ODDS = 8.0
_DEFAULT_ODDS = 4.0
_UNASKED = frozenset(("windows-1252", "UTF-8"))
#: Log-odds for encodings that browsers support, if the input is a page.
_PAGE_ODDS = 4.0
#: A declared language.
_TAG_ODDS = 1.5

_ALL_ENCODINGS = (1 << 128) - 1
_ALL_LANGUAGES = (1 << 256) - 1
_CR, _LF = 13, 10
#: Ctrl-Z and the escape.
CONTROLS_OF_DOS = 1 << 26 | 1 << 27
#: Without any of these, control bytes are no evidence for a platform.
PLATFORM_SIGNS = 1 << _CR | CONTROLS_OF_DOS

#: Log-odds for the classes that cover one of these encodings and one of these languages, both as sets.
Odds = tuple[int, int, float]


def flatten(evidence: Iterable[Odds]) -> tuple[float, ...]:
    """Return *evidence* as the kernel takes it: three numbers for each piece."""
    return tuple(chain.from_iterable(evidence))


def from_caller(model: Model, declarations: Declarations | None, hints: Given | None) -> tuple[float, ...]:
    """Return what the caller says, in a header or in hints, as the kernel takes it."""
    evidence = from_declarations(model, declarations, None)
    return flatten(evidence + [each[1:] for each in _from_hints(model, hints, ())])


def from_hints(model: Model, given: Given | None, scan: Scan) -> Hints | None:
    """Return the evidence of the hints and of the line endings, or ``None``."""
    signs = _platform_signs(scan) if scan.seen & PLATFORM_SIGNS else ()
    if given is None and not signs:
        return None
    evidence = _from_hints(model, given, signs)
    return Hints(evidence) if evidence else None


#: A description, the platforms that it is evidence for, log-odds.
_Sign = tuple[str, tuple[str, ...], float]


def _platform_signs(scan: Scan) -> tuple[_Sign, ...]:
    """Return the evidence of control bytes for a platform."""
    ends = line_end_platforms(scan)
    signs: tuple[_Sign, ...] = ((f"line endings of {'/'.join(ends)}", ends, _LINE_ENDS),) if ends else ()
    return (*signs, ("controls of dos", ("dos",), _DOS_CONTROLS)) if scan.seen & CONTROLS_OF_DOS else signs


def line_end_platforms(scan: Scan) -> tuple[str, ...]:
    """Return the platforms that the line endings are evidence for: bare CR for mac, CR LF for windows and dos."""
    if not scan.seen >> _CR & 1:
        return ()
    if not scan.seen >> _LF & 1:
        return ("mac",)
    first = memoryview(scan.first).cast("q")
    return ("windows", "dos") if first[_CR] + 1 == first[_LF] else ()


@lru_cache(maxsize=256)
def _from_hints(model: Model, given: Given | None, signs: tuple[_Sign, ...]) -> tuple[Evidence, ...]:
    found = []
    given = given or Given()
    if given.languages:
        tags = [tag for _, known in given.languages for tag in known]
        words = f"language {'/'.join(tag for tag, _ in given.languages)}"
        found.append(Evidence(words, _ALL_ENCODINGS, language_set(model, tags), _LANGUAGE))
    if given.tld:
        spoken = language_set(model, tld_languages(given.tld))
        found.append(Evidence(f"tld {given.tld}", _ALL_ENCODINGS, spoken, _DOMAIN))
    if given.platform:
        native = encoding_set(model, platform_encodings(given.platform))
        found.append(Evidence(f"platform {given.platform}", native, _ALL_LANGUAGES, _PLATFORM))
        signs = ()
    for words, platforms, points in signs:
        native = encoding_set(
            model, [name for platform in platforms for name in platform_encodings(platform)]
        )
        found.append(Evidence(words, native, _ALL_LANGUAGES, points))
    for name, part in given.prior:
        points = log(1 + part / _PRIOR_FLOOR)
        found.append(Evidence(f"prior {name}", encoding_set(model, [name]), _ALL_LANGUAGES, points))
    if given.declared:
        native = encoding_set(model, [given.declared])
        found.append(Evidence(f"declared {given.declared}", native, _ALL_LANGUAGES, _DECLARED))
    return tuple(found)


def from_declarations(model: Model, declarations: Declarations | None, markup: Markup | None) -> list[Odds]:
    """Return the evidence of declarations, and of the input being a page."""
    found = []
    if markup is not None and markup.flavour == "html":
        found.append((_readable(), _ALL_LANGUAGES, _PAGE_ODDS))
    if declarations is None:
        return found
    done = 0
    # The first one counts most: the others add nothing to the encodings that it covers.
    for declaration in declarations.charsets:
        points = _DEFAULT_ODDS if declaration.web in _UNASKED else _CHARSET_ODDS
        covered = declaration.covered
        found.append((covered & ~done, _ALL_LANGUAGES, points))
        done |= covered
    for tag in dict.fromkeys(tag.split("-")[0].lower() for tag in declarations.languages):
        found.append((_ALL_ENCODINGS, model.by_main_tag.get(tag, 0), _TAG_ODDS))
    return found


@lru_cache(maxsize=1)
def _readable() -> int:
    """Return the encodings that the web has a label for, as a set."""
    return sum(1 << number for number, encoding in enumerate(all_encodings()) if web_of(encoding))


def from_known_words(model: Model, found: KnownWords) -> list[Odds]:
    """Return the evidence of known words for the classes whose reading has them."""
    numbers, classes, leaders = model.language_numbers, model.classes, model.leaders
    return [(leaders[number], 1 << numbers[classes[number][1]], points) for number, points in found.classes]
