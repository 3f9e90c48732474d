"""Join neighbouring parts whose encodings differ only in name."""

from __future__ import annotations

from collections import Counter

from charlens.encodings import lookup
from charlens.types import Part


def join_alike(data: bytes, parts: list[Part]) -> list[Part]:
    """Join neighbouring parts that one encoding decodes to the same text."""
    sizes: Counter[str] = Counter()
    for part in parts:
        sizes[part.encoding] += part.end - part.start
    main = sizes.most_common(1)[0][0]
    joined: list[Part] = []
    for part in parts:
        before = joined[-1] if joined else part
        for name in dict.fromkeys((main, before.encoding)):
            if _reads_alike(data, part, name):
                part = part._replace(encoding=name)
                break
        # GBK before GB 18030: the larger encoding decodes both.
        if joined and _is_subset(before.encoding, part.encoding):
            joined[-1] = before._replace(encoding=part.encoding)
        if joined and joined[-1].encoding == part.encoding:
            joined[-1] = joined[-1]._replace(end=part.end)
        else:
            joined.append(part)
    return joined


def _reads_alike(data: bytes, part: Part, name: str) -> bool:
    """Whether *name* decodes *part* to the same text as its own encoding."""
    if name == part.encoding:
        return False
    piece = data[part.start : part.end]
    try:
        return piece.decode(name) == piece.decode(part.encoding)
    except UnicodeDecodeError:
        return False


def _is_subset(name: str, other: str) -> bool:
    """Whether *other* decodes every text in *name* in the same way."""
    encoding = lookup(name)
    while encoding is not None and encoding.subset_of:
        if encoding.subset_of == other:
            return True
        encoding = lookup(encoding.subset_of)
    return False


def keep_parts(parts: list[Part], there: set[str]) -> tuple[Part, ...]:
    """Join the parts whose encoding is not in *there* to the part before, or at the start to the next one."""
    encoding = next(part.encoding for part in parts if part.encoding in there)
    kept: list[Part] = []
    for part in parts:
        encoding = part.encoding if part.encoding in there else encoding
        if kept and kept[-1].encoding == encoding:
            kept[-1] = kept[-1]._replace(end=part.end)
        else:
            kept.append(part._replace(encoding=encoding))
    return tuple(kept)
