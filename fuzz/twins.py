"""Compare the kernels on generated input: `python fuzz/twins.py [--seconds 60 | --inputs N] [--seed 1]`.

Every kernel function in C is compared with its twin in Python, and `detect` with any options under both kernels; a
stream of the same bytes in random pieces, and a column with the same bytes in a row, must give the same answer as one
call.  A difference is printed with the call that shows it.
"""

from __future__ import annotations

import argparse
import os
import pickle
import random
import subprocess
import sys
from array import array
from functools import cache
from itertools import accumulate
from typing import Any

from inputs import Limit, Maker, pieces

import charlens
from charlens import survey
from charlens.batch import detect_batch
from charlens.encodings.maps import single_byte_map
from charlens.encodings.sets import meanings, relatives_of_all
from charlens.encodings.walks import packed_tables, pair_masks, walk_table, walked_encodings
from charlens.kernel import pure
from charlens.models import default_model
from charlens.models.characters import character_weights
from charlens.models.language_model import default_language_model
from charlens.mojibake.chains import CODECS, _pages
from charlens.stages.statistics.tables import tables_of
from charlens.stages.structure.tables import structure_tables

#: The pure kernel takes seconds for more than this.
_LARGEST_FOR_PURE = 70_000


#: Stand for the tables of `judge_legacy` and of `survey`, which each kernel has in a form of its own.
TABLES, SURVEY = object(), object()


@cache
def _judge_tables(twin: Any) -> Any:
    return twin.JudgeTables(*tables_of(default_model()).arguments)


@cache
def _survey_tables(twin: Any) -> Any:
    return twin.SurveyTables(_judge_tables(twin), *survey.arguments()[1:])


def given_to(twin: Any, arguments: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return *arguments* for the kernel *twin*."""
    own = {id(TABLES): _judge_tables, id(SURVEY): _survey_tables}
    return tuple(own[id(each)](twin) if id(each) in own else each for each in arguments)


def calls(data: bytes, chance: random.Random) -> list[tuple[str, tuple[Any, ...]]]:
    """Return calls of every kernel function about *data*."""
    seen = pure.scan(data).seen
    model = default_model()
    count = len(model.classes)
    salts = b"".join(model.salts[:9])
    columns, tables, masks, owners = structure_tables().kernel
    starts = sum(chance.randrange(4) << 2 * table for table in range(len(owners)))
    alive = chance.choice(((1 << 32) - 1, chance.getrandbits(32)))
    begin = (
        bytes(4 * count),
        (chance.getrandbits(128), chance.getrandbits(256), chance.randrange(-900, 900)),
    )
    sets = (chance.getrandbits(128), chance.getrandbits(128))
    possible = chance.choice((pure.candidates(data[:5000], seen, columns, tables, masks, owners)[0], sets[0]))
    amount = chance.choice((pure.scan(data[:5000]).non_ascii, chance.randrange(300)))
    facts = (seen, amount, possible, chance.choice((0, sets[1])))
    strays = (1 << chance.randrange(90), chance.getrandbits(256), sets[0])
    evidence = (*begin[1][:2], chance.uniform(-9, 9))
    groups = (*sets, sets[0] >> 1)[-chance.randrange(2, 4) :]
    cut = chance.choice(((0, 0), (1000, 64), (257, 4096)))
    table = walk_table(chance.choice(walked_encodings()))
    begins = [chance.randrange(len(data) + 1) for _ in range(chance.randrange(4))]
    windows = tuple(place for at in begins for place in (at, min(at + chance.randrange(300), len(data))))
    return [
        ("scan", (data,)),
        ("damage", (data, chance.randrange(len(data) + 1), 0, chance.randrange(3), chance.choice((0, 64, 1 << 40)), 5)),
        ("walk", (data, table)),
        ("walk_all", (data, packed_tables(), pair_masks(), starts, alive)),
        ("candidates", (data, seen, columns, tables, masks, owners)),
        ("same_reading", (seen, chance.randrange(90), meanings(), relatives_of_all())),
        ("survey", (SURVEY, data, chance.randrange(4), evidence * chance.randrange(2))),
        ("judge_legacy", (TABLES, data[:5000], facts, evidence, strays * chance.randrange(2))),
        ("find_values", (data, chance.choice((1 << 0x20, 1 << 0x81 | 1 << 0xFF, seen)), chance.choice((0, 3, 99_999)))),
        ("known_words", (data[: len(data) & ~1], chance.choice((1, 2)), b"\0\1\5\7", salts, model.words)),
        ("weigh", (data, chance.choice((2, 4)), chance.randrange(2), character_weights())),
        ("score", (data[:5000], model.parts, sets, begin, cut, (chance.choice((0, 5, 32)), 500, 100))),
        ("score_families", (data[:5000], model.parts, begin[0], sets[0], chance.choice((0, 500, 1 << 20)))),
        ("misfits", (data, windows, model.parts, chance.randrange(count), chance.randrange(-60, 60))),
        ("compare", (data, windows, structure_tables().kernel, model.parts, begin[0], groups)),
        ("languages", (data[:5000], default_language_model().tables, 5)),
        ("excerpt", (data, chance.randrange(1, 9), chance.randrange(1, 99), 4096, 16)),
        ("strip_markup", (data, chance.randrange(2))),
        ("page_flavour", (data[:4096],)),
        ("find_charsets", (data[:4096], chance.randrange(2))),
        ("find_label", (data[:300],)),
        ("mentions", (data[:4096], chance.choice((b"charset=\ncoding", b"fenc=\n", b"\n\nab", b"x\n9\nq", b"")))),
        ("scan_many", (data, *column_offsets(len(data), chance), chance.randbytes(128), chance.randbytes(32), 3000)),
        ("misread", (data, *_pages(), len(CODECS), chance.choice((0, 0, 9)), chance.randrange(9))),
        (
            "languages",
            (
                data[:5000],
                default_language_model().tables,
                5,
                chance.choice((single_byte_map("cp1253"), chance.randbytes(512))),
            ),
        ),
        ("line_windows", (data, chance.choice((1, 7, 160, 4096)))),
        *([("strays", (data, table, chance.randrange(len(data)), 20, 50))] if data else []),
    ]  # fmt: skip


def column_offsets(length: int, chance: random.Random) -> tuple[bytes, int]:
    """Return offsets that cut *length* bytes into rows, and how many bytes each of them has."""
    cuts = sorted(chance.randrange(length + 1) for _ in range(chance.randrange(1, 20)))
    width = chance.choice((4, 8))
    return array("i" if width == 4 else "q", cuts).tobytes(), width


def batch_differs(rows: list[bytes], headers: list[str | None]) -> str:
    """Say where `detect_batch` differs from `detect`; "" where it does not."""
    offsets = list(accumulate(map(len, rows), initial=0))
    columns = detect_batch(b"".join(rows), offsets, headers)
    names = ("outcome", "encoding", "confidence", "language", "damage", "cut")
    found = zip(*(getattr(columns, name) for name in names), strict=True)
    for row, header, ours in zip(rows, headers, found, strict=True):
        verdict = charlens.detect(row, content_type=header)
        if ours != tuple(getattr(verdict, name) for name in names):
            return f"detect_batch: {ours}, detect: {verdict}, for {row[:200]!r} …, {header!r}"
    return ""


def answer(data: bytes, options: dict[str, Any]) -> tuple[object, ...]:
    """Return what has to be the same under every kernel, or the error."""
    try:
        verdict = charlens.detect(data, **options)
    except Exception as error:  # any error is a finding; the twin has to have it, too
        return "error", type(error).__name__, str(error)
    steps = tuple(map(str, verdict.steps))
    return (*verdict[:9], steps)


class Other:
    """The same package in another process, with the pure kernel."""

    def __init__(self) -> None:
        environment = {**os.environ, "CHARLENS_KERNEL": "pure"}
        self._process = subprocess.Popen(
            [sys.executable, __file__, "--serve"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=environment,
        )

    def ask(self, data: bytes, options: dict[str, Any]) -> tuple[object, ...]:
        assert self._process.stdin and self._process.stdout
        pickle.dump((data, options), self._process.stdin)
        self._process.stdin.flush()
        result: tuple[object, ...] = pickle.load(self._process.stdout)
        return result

    def close(self) -> None:
        self._process.kill()
        self._process.communicate()


def serve() -> None:
    """Answer questions from standard input until it ends."""
    while True:
        try:
            data, options = pickle.load(sys.stdin.buffer)
        except EOFError:
            return
        pickle.dump(answer(data, options), sys.stdout.buffer)
        sys.stdout.buffer.flush()


def streamed(data: bytes, options: dict[str, Any], chance: random.Random) -> tuple[object, ...]:
    """Return the answer for *data* fed in random pieces."""
    detector = charlens.Detector(**options)
    for piece in pieces(data, chance):
        detector.feed(piece)
    verdict = detector.close()
    return (*verdict[:9], tuple(map(str, verdict.steps)))


def fuzz(limit: Limit, seed: int) -> int:
    """Fuzz and return how many differences there were."""
    from charlens.kernel import _native

    chance = random.Random(seed)
    maker = Maker(seed)
    other = Other()
    runs = differences = 0
    rows: list[bytes] = []
    headers: list[str | None] = []
    for runs in limit.turns():
        if differences >= 10:
            break
        data, options = maker.make(), maker.options()
        for name, arguments in calls(data[:_LARGEST_FOR_PURE], chance) if runs % 4 == 0 else ():
            one = getattr(pure, name)(*given_to(pure, arguments))
            two = getattr(_native, name)(*given_to(_native, arguments))
            if tuple(one) != tuple(two) if isinstance(one, tuple) else one != two:
                differences += 1
                print(
                    f"{name}: {one} in Python, {two} in C, for {data[:200]!r} …, seed {seed}, run {runs}"
                )
        rows.append(data)
        headers.append(options.get("content_type"))
        if len(rows) == 100:
            if words := batch_differs(rows, headers):
                differences += 1
                print(f"{words}; seed {seed}, run {runs}")
            rows, headers = [], []
        ours = answer(data, options)
        theirs = other.ask(data, options)
        if ours != theirs:
            differences += 1
            print(
                f"detect({data[:200]!r} …, **{options}): {ours[:4]} native, {theirs[:4]} pure; seed {seed}, run {runs}"
            )
        if ours[0] == "error" or (ours != streamed(data, options, chance)):
            differences += 1
            print(f"stream or error: {ours[:4]}, {data[:200]!r} …, **{options}; seed {seed}, run {runs}")
    other.close()
    print(f"{runs} inputs, {differences} differences, seed {seed}")
    return differences


def main() -> int:
    """Fuzz for a while."""
    parser = argparse.ArgumentParser(description=__doc__)
    Limit.add_options(parser)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--serve", action="store_true", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.serve:
        serve()
        return 0
    return 1 if fuzz(Limit(arguments.seconds, arguments.inputs), arguments.seed) else 0


if __name__ == "__main__":
    sys.exit(main())
