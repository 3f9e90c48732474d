"""Choose the kernel, once: the native twin if it is built, else the one in plain Python.

`CHARLENS_KERNEL` forces one: `pure`, `native`, or `portable` (native without vector instructions).
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

__all__ = [
    "NAME",
    "JudgeTables",
    "SurveyTables",
    "candidates",
    "compare",
    "damage",
    "excerpt",
    "find_charsets",
    "find_label",
    "find_values",
    "judge_legacy",
    "known_words",
    "languages",
    "line_windows",
    "mentions",
    "misfits",
    "misread",
    "page_flavour",
    "same_reading",
    "scan",
    "scan_many",
    "score",
    "score_families",
    "strays",
    "strip_markup",
    "survey",
    "walk",
    "walk_all",
    "weigh",
]

_CHOICES = ("native", "portable", "pure")


def _choose() -> str:
    wanted = os.environ.get("CHARLENS_KERNEL", "")
    if wanted and wanted not in _CHOICES:
        raise ImportError(f"CHARLENS_KERNEL is {wanted!r}; use one of {', '.join(_CHOICES)}, or unset it.")
    if wanted == "pure":
        return "pure"
    try:
        from charlens.kernel import _native  # type: ignore[attr-defined]

        missing = [name for name in __all__ if name != "NAME" and not hasattr(_native, name)]
        if missing:
            raise ImportError(f"the native kernel is of another version: it lacks {', '.join(missing)}")
    except ImportError as error:
        if wanted:
            raise ImportError(
                f"CHARLENS_KERNEL asks for {wanted!r}, but the native kernel cannot be used ({error}). Install "
                "charlens again on a machine with a C compiler and Python's headers, or unset the variable."
            ) from error
        return "pure"
    return wanted or "native"


#: The kernel in use: 'native', 'portable' or 'pure'.
NAME = _choose()

if TYPE_CHECKING or NAME == "pure":
    from charlens.kernel.pure import (
        JudgeTables,
        SurveyTables,
        candidates,
        compare,
        damage,
        excerpt,
        find_charsets,
        find_label,
        find_values,
        judge_legacy,
        known_words,
        languages,
        line_windows,
        mentions,
        misfits,
        misread,
        page_flavour,
        same_reading,
        scan,
        scan_many,
        score,
        score_families,
        strays,
        strip_markup,
        survey,
        walk,
        walk_all,
        weigh,
    )
else:
    from charlens.kernel import _native

    globals().update({name: getattr(_native, name) for name in __all__ if name != "NAME"})
    if NAME == "portable":
        scan, survey = _native.scan_portable, _native.survey_portable
