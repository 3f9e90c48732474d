"""Check an installation: `python -m charlens.selftest`.

It says which kernel is in use, compares the models with the hash and the checksum in their files, and detects a few
texts that every installation must recognise.  The exit code is 1 if something is wrong.
"""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Iterator
from pathlib import Path

import charlens
from charlens import kernel
from charlens.models import default_model
from charlens.models.format import HASHED_FROM
from charlens.models.language_model import default_language_model

#: Texts, with the encodings that must be detected for them.
CASES = (
    ("Hello, world", "ascii"),
    ("Grüße aus Köln", "utf-8"),
    ("Привет из Казани, где сегодня идёт дождь", "cp1251"),
    ("Съешь же ещё этих мягких французских булок", "koi8-r"),
    ("吾輩は猫である。名前はまだ無い。", "shift_jis"),
    ("吾輩は猫である。名前はまだ無い。", "iso2022_jp"),
    ("어제는 비가 왔고 오늘은 맑습니다", "utf-16-le"),
)


def find_faults() -> Iterator[str]:
    """Yield a sentence for each fault."""
    for text, encoding in CASES:
        data = text.encode(encoding)
        verdict = charlens.detect(data)
        if verdict.encoding is None or data.decode(verdict.encoding) != text:
            yield f"text in {encoding} was taken for {verdict.encoding or verdict.outcome.value}"
    model = default_model()
    content = Path(model.path).read_bytes()
    if hashlib.sha256(content[HASHED_FROM:]).hexdigest()[:16] != model.name:
        yield f"{model.path} does not have the hash that it names; install charlens again"
    if not default_language_model().languages:
        yield "the language model has no languages"


def main() -> int:
    """Print the result; return 1 if something is wrong."""
    print(f"charlens {charlens.__version__}, Python {sys.version.split()[0]}, {kernel.NAME} kernel, ", end="")
    print(f"model {default_model().name}")
    faults = list(find_faults())
    for fault in faults:
        print(f"wrong: {fault}", file=sys.stderr)
    print(f"{len(CASES)} texts and 2 models checked, {len(faults)} wrong")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
