"""Text with a few NULs or other control bytes, as `find -print0` and damaged tables have them.

To charlens a short input with such a byte is binary; the packages that the drop-ins stand for call it text.  Each
drop-in says how many it takes.
"""

from __future__ import annotations

from typing import Any

from charlens.api import detect
from charlens.files.containers import find_container
from charlens.kernel.facts import BLOCKED_BYTES
from charlens.types import Outcome, Verdict

#: The share of control bytes up to which chardet 7.7 and charset-normalizer 3.5 take bytes for text.
FEW = 0.01


def detect_text(data: bytes, *, few: float = FEW, few_nuls: float = 0.0, **keywords: Any) -> Verdict:
    """Return the verdict on *data*, with as many control bytes as the caller takes passed over.

    *few* is the share of control bytes of any kind in any text, *few_nuls* that of NULs in ASCII without any other.
    """
    verdict = detect(data, **keywords)
    if verdict.outcome is not Outcome.BINARY:
        return verdict
    rest = data.translate(None, BLOCKED_BYTES)
    controls = len(data) - len(rest)
    only_nuls = controls == data.count(0) and rest.isascii()
    if not rest or controls > len(data) * (max(few, few_nuls) if only_nuls else few) or find_container(data):
        return verdict
    without = detect(rest, **keywords)
    if without.outcome is not Outcome.TEXT or without.damage:
        return verdict
    return without._replace(confidence=min(without.confidence, verdict.confidence), damage=(), cut=0)
