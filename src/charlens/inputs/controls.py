"""Text with a few NULs or other control bytes, such as the output of `find -print0` or a damaged table.

For `detect`, a short input with such a byte is binary.  The packages that the drop-ins replace call it text, and so
do callers that open a file as text; each caller says how many control bytes it accepts.
"""

from __future__ import annotations

from typing import Any

from charlens.api import detect
from charlens.kernel.facts import BLOCKED_BYTES
from charlens.types import Buffer, Outcome, Verdict

#: Up to this share of control bytes, chardet 7.7 and charset-normalizer 3.5 call bytes text.
FEW = 0.01
#: Up to this share of NULs, ASCII and UTF-8 are accepted when a file is opened as text: a short table with one NUL.
FEW_NULS = 0.1
#: The highest confidence for text that `detect` calls binary: chardet's for ASCII with NULs.
_MOST = 0.99


def detect_text(
    data: Buffer,
    *,
    few: float = FEW,
    few_nuls: float = 0.0,
    beside_nuls: tuple[str, ...] = ("ascii", "utf-8"),
    **keywords: Any,
) -> Verdict:
    """Return the verdict for *data*, ignoring as many control bytes as the caller accepts.

    *few* is the accepted share of control bytes of any kind, *few_nuls* that of NULs in text without other control
    bytes; NULs are only accepted in the encodings *beside_nuls*, if there are any.
    """
    verdict = detect(data, **keywords)
    if verdict.outcome is not Outcome.BINARY:
        return verdict
    whole = bytes(data)
    rest = whole.translate(None, BLOCKED_BYTES)
    controls = len(whole) - len(rest)
    only_nuls = controls == whole.count(0)
    if not rest or controls > len(whole) * (max(few, few_nuls) if only_nuls else few):
        return verdict
    without = detect(rest, **keywords)
    if without.outcome is not Outcome.TEXT or without.damage:
        return verdict
    if controls > len(whole) * few and beside_nuls and without.encoding not in beside_nuls:
        return verdict
    return without._replace(confidence=min(without.confidence, _MOST), damage=(), cut=0)
