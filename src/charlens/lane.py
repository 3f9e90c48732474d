"""The straight way: what the native kernel needs to go through all stages in one call.

Most inputs have nothing out of the ordinary: no mark, no escape sequence, no stray byte, no declaration that the bytes
contradict.  For them `native/lane.c` gives the verdict that the stages give, to the last digit (tests/test_lane.py), in
a fifth of the time; for all others it gives ``None``, and the stages are asked.  They define what is right: here only
their tables and limits are handed over, and the few questions answered that are not worth answering in C.
"""

from __future__ import annotations

import sys
from array import array
from collections.abc import Callable
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from charlens import kernel
from charlens.encodings import rank, web_lookup, web_name
from charlens.encodings.maps import ODD_IN_EBCDIC, ODD_SOMEWHERE, same_text
from charlens.heads import LIMITS as HEADS
from charlens.models.language_model import NO_LANGUAGE, default_language_model
from charlens.stages import content, language, unicode
from charlens.types import (
    Alternative,
    Buffer,
    Candidates,
    Markup,
    Outcome,
    Scores,
    Surroundings,
    Tongue,
    UnicodeForm,
    Verdict,
)

if TYPE_CHECKING:
    from charlens.models.format import Model
    from charlens.stages.declarations.claims import Declaration, Declarations

#: Takes bytes and the HTTP header that came with them, or None; gives their verdict, or None.
Lane = Callable[[Buffer, str | None], Verdict | None]

#: As many encodings as a set of 16 bytes has room for.
_MOST_ENCODINGS = 128
_NO_ENCODING = 0xFF
#: Where the lane has read a label: in a meta element; 2 is the XML declaration.
_IN_META = 1

#: The platforms that the line ends speak for: none, CR, CR LF.
_PLATFORMS = ((), ("mac",), ("windows", "dos"))

#: A number for each tag of a language, in both models.
_tags: dict[str, int] = {}


def make_lane(sizes: dict[str, int], *, ignores: bool) -> Lane | None:
    """Return the straight way of the kernel in use, or ``None`` where it has none; *sizes* are those of `detect`.

    Whether it *ignores* declarations or verifies them is settled here; it takes no other options.
    """
    if kernel.NAME == "pure" or sys.byteorder != "little":  # its sets are in this order
        return None
    from charlens.kernel import _native

    model = default_language_model()
    settings: dict[str, Any] = {
        **sizes,
        **HEADS,
        **unicode.LIMITS,
        **language.LIMITS,
        "portable": kernel.NAME == "portable",
        "ignores": ignores,
        "verdict": Verdict,
        "unicode_form": UnicodeForm,
        "tongue": Tongue,
        "text": Outcome.TEXT,
        "content": content.TEXT,
        "ascii_form": unicode.ASCII,
        "ascii": "ascii",
        "utf8": "utf-8",
        "web_ascii": web_name("ascii"),
        "web_utf8": web_name("utf-8"),
        "sequences": unicode.BY_SEQUENCES,
        "language_model": model,
        "tags": model.languages,
        "same_as_ascii": _same_as_ascii,
        "declared": _declared_beside_unicode,
        "contradicts": _contradicts,
        "load_legacy": _legacy_settings,
        "odd_somewhere": _as_set(ODD_SOMEWHERE),
        "odd_in_ebcdic": _as_set(ODD_IN_EBCDIC),
        "tongue_tables": model.tables,
        "tongue_priors": array("d", model.priors),
        "tongue_sharpness": array("d", model.sharpness),
        "tongue_least": array("d", model.least),
        "tongue_tags": array("H", map(_number_of, model.languages)),
        "no_language": _number_of(NO_LANGUAGE),
        "english": _number_of("en"),
    }
    lane: Lane | None = _native.make_lane(settings)
    return lane


def _number_of(tag: str) -> int:
    return _tags.setdefault(tag, len(_tags))


def _as_set(numbers: int) -> bytes:
    return numbers.to_bytes(16, "little")


def _same_as_ascii(seen: int) -> tuple[str, ...]:
    return same_text(seen, "ascii")


#: What the lane has read itself: where the charset stands (1 in a meta element, 2 in the XML declaration), the label,
#: its offset, and the languages of the tags.
_Read = tuple[int, str, int, tuple[str, ...]]


def _declared_beside_unicode(
    given: Buffer | _Read | None, _row: int, _ends: int, _page: int, header: str | None
) -> Any:
    """Return the declarations alone, for what is settled; asked as `_evidence` is."""
    return _declared(given, header)


def _declared(given: Buffer | _Read | None, header: str | None) -> Any:
    """Return the declarations in *given*, the input or what was read of it, and in the HTTP *header*.

    ``NotImplemented`` for a label that has to be looked at in its surroundings.
    """
    from charlens.stages.declarations.claims import Declarations, declare

    if given is None:
        return None
    if not isinstance(given, tuple):
        from charlens.stages.declarations import find_declarations

        return find_declarations(given, header)
    from charlens.stages.declarations.prescan import meant_in_meta, meant_in_xml

    where, label, offset, languages = given
    charsets: tuple[Declaration, ...] = ()
    if where:
        web = web_lookup(label)
        if web is None and where == _IN_META:
            return NotImplemented
        meant = None if web is None else meant_in_meta(web) if where == _IN_META else meant_in_xml(web)
        named = declare("meta" if where == _IN_META else "xml", label, offset, web=meant)
        charsets = (named,) if named else ()
    return Declarations(charsets, languages) if charsets or languages else None


def _contradicts(declarations: Declarations, encoding: str, same: tuple[str, ...]) -> bool:
    """Whether the verdict needs a step that says what the declaration is not."""
    return any(not any(map(first.covers, (encoding, *same))) for first in declarations.charsets[:1])


@lru_cache(maxsize=1)
def _legacy_settings() -> dict[str, Any]:
    """Return what the lane needs for legacy text: the tables and limits of the stages that only such text reaches."""
    from charlens.encodings.sets import name_all
    from charlens.models import default_model
    from charlens.models.characters import character_weights
    from charlens.stages import ebcdic, markup, statistics, structure, verdict
    from charlens.stages.statistics import surroundings
    from charlens.stages.statistics.priors import find_strangers

    model = default_model()
    strangers = find_strangers(model, default_language_model())
    return {
        **unicode.LIMITS,
        **ebcdic.LIMITS,
        **markup.LIMITS,
        **structure.LIMITS,
        **statistics.LIMITS,
        **surroundings.LIMITS,
        **verdict.LIMITS,
        **_model_settings(model),
        **_structure_settings(),
        "markup": Markup,
        "candidates": Candidates,
        "scores": Scores,
        "surroundings": Surroundings,
        "alternative": Alternative,
        "flavours": ("html", "xml"),
        "strangers": strangers,
        "strange": bytes(number in set(strangers) for number in range(len(model.classes))),
        "evidence": _evidence,
        "differences": _differences,
        "others": name_all,
        "character_weights": character_weights(),
        "around_odds": surroundings.LIMITS["around_others"],
        "english_odds": surroundings.LIMITS["english_others"],
        "most_sure": verdict.LIMITS["most_sure"],
    }


def _model_settings(model: Model) -> dict[str, Any]:
    pairs, weights, levels, members = model.parts
    longest = max(map(len, model.members))
    return {
        "model": model,
        "languages": tuple(language for _, language in model.classes),
        "class_tags": array("H", [_number_of(language) for _, language in model.classes]),
        "pairs": pairs,
        "weights": weights,
        "levels": levels,
        "members": members,
        "families": b"".join(bytes(numbers).ljust(longest, bytes([_NO_ENCODING])) for numbers in model.members),
        "amounts": array("q", model.amounts),
        "factors": array("d", model.factors),
    }


def _structure_settings() -> dict[str, Any]:
    from charlens.encodings import all_encodings
    from charlens.encodings.maps import single_byte_map
    from charlens.stages.structure.tables import decoding_all, structure_tables, tolerant

    tables = structure_tables()
    encodings = all_encodings()
    single = [encoding.kind == "single" for encoding in encodings]
    maps = [single_byte_map(e.name).tobytes() if one else bytes(512) for e, one in zip(encodings, single, strict=True)]
    sizes = [size for table in tables.walks for size in (max(table[:256]) + 1, len(table))]
    strict, lax = decoding_all()
    return {
        "rules": tables.rules,
        "names": tables.rules.names,
        "webs": tuple(map(web_name, tables.rules.names)),
        "undefined": tables.rows.ljust(32 * 2 * _MOST_ENCODINGS, b"\xff"),
        "walk_tables": b"".join(tables.walks),
        "walk_sizes": array("q", sizes),
        "walk_masks": tables.pairs,
        "walked": bytes(tables.rules.walked),
        "strict": _as_set(strict),
        "lax": _as_set(lax),
        "tolerant": sum(1 << index for index, _ in tolerant()),
        "maps": b"".join(maps).ljust(512 * _MOST_ENCODINGS, b"\0"),
        "single": bytes(single).ljust(_MOST_ENCODINGS, b"\0"),
    }


def _evidence(
    given: Buffer | _Read | None, row: int, ends: int, is_page: int, header: str | None
) -> Any:
    """Return what is declared, which encodings that covers, what the line ends say, and what the classes begin with.

    *given* is as `_declared` takes it; *row* is the row of the model's sharpness, *ends* which line ends there are.
    """
    from charlens.hints import Hints, class_odds
    from charlens.models import default_model
    from charlens.stages.declarations.claims import add_odds, declared_odds
    from charlens.stages.statistics.priors import begin_with

    model = default_model()
    declarations = _declared(given, header)
    if declarations is NotImplemented:
        return declarations
    hints = class_odds(model, Hints(), _PLATFORMS[ends]) if ends else None
    odds = declared_odds(declarations, bool(is_page))
    begin = hints if odds is None else add_odds(model, hints, odds)
    covered = None
    if declarations is not None and declarations.charsets:
        names = declarations.charsets[0].covered
        covered = _as_set(sum(1 << rank(name) for name in names))
    return declarations, covered, hints, begin_with(model, row, begin)


def _differences(number: int) -> bytes:
    from charlens.encodings.sets import differences_of

    found = differences_of(number)
    return _as_set(found) if isinstance(found, int) else found
