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
        start, end, encoding = part
        before = joined[-1] if joined else part
        for name in dict.fromkeys((main, before.encoding)):
            if _reads_alike(data, part, name):
                encoding = name
                break
        # GBK before GB 18030: the larger encoding decodes both.
        if joined and (before.encoding == encoding or _is_subset(before.encoding, encoding)):
            joined[-1] = Part(before.start, end, encoding)
        else:
            joined.append(Part(start, end, encoding))
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
    for start, end, own in parts:
        encoding = own if own in there else encoding
        if kept and kept[-1].encoding == encoding:
            kept[-1] = Part(kept[-1].start, end, encoding)
        else:
            kept.append(Part(start, end, encoding))
    return tuple(kept)
