"""Train byte models on the samples that `charlens train` draws, and answer the tests of `bench/ceiling.py` with them.

    python bench/ceiling_models.py FOLDER TEXTS [--samples 12000] [--seconds 60] MODEL[:SECONDS]...

Needs PyTorch and a GPU.  Samples are drawn once, on all cores, and stored in FOLDER.  The models:

    large           twelve layers of convolutions over bytes, 14.5 million weights; sees 73 bytes and the mean of all
    window3         the same without context layers: sees windows of 3 bytes (or any other number)
    pairs           linear over byte pairs like the built-in model, but over all pairs, weights not tied
    pairs-3         also hashed trigrams; pairs-3-4, also hashed 4-grams; pairs-3-ascii, also n-grams of only ASCII
    small-96-8000   all pairs and the 8,000 most informative trigrams, each a row of 96 numbers, mapped to the classes:
                    3.2 MB as bytes (texts have 25,500 pairs); small-96-8000-bend has a ReLU in between

Each is trained for its number of seconds, with a learning rate that falls to zero, and tested with and without priors.
"""

from __future__ import annotations

import argparse
import random
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
from ceiling import WITHOUT, Tests, read_tests, view
from ceiling_networks import GAP, NOTHING, Around, AtPlace, Grams, Network, Small
from torch import Tensor, nn
from torch.nn import functional as F

from charlens.training.calibrate import find_sharpness
from charlens.training.classes import Class
from charlens.training.competitors import Competitors
from charlens.training.corpora import find_languages, read_texts
from charlens.training.fit import Classes
from charlens.training.recipe import _guests, _is_wide
from charlens.training.samples import Writer, make_samples

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"
#: Samples of a class that one task draws; a writer is made for each task, which takes as long as 1,000 samples.
_PER_TASK = 1500
_CALIBRATION = 30
#: Trigrams to choose from are the most frequent ones, in some of the samples.
_FREQUENT, _ASKED = 150_000, 300_000


class Samples(NamedTuple):
    """Samples one after the other, with the facts about each."""

    data: Any
    starts: Any
    lengths: Any
    classes: Any
    possible: Any
    right: Any

    def on_device(self) -> Samples:
        """Return the same in the memory of the GPU."""
        return Samples(*(torch.tensor(part, device=DEVICE) for part in self))


# ---- samples


def draw(texts: Path, tests: Tests, side: int, count: int) -> Samples:
    """Draw *count* samples of each class, from the texts to train on (side 0) or to calibrate on (side 1)."""
    found = find_languages(texts, WITHOUT)
    languages = sorted({language for _, language in tests.classes})
    often = sorted(languages, key=lambda tag: -sum(language == tag for _, language in tests.classes))
    rounds = [(tag, n, min(_PER_TASK, count - n)) for n in range(0, count, _PER_TASK) for tag in often]
    work = partial(_draw, found, [Class(*pair) for pair in tests.classes], tests.encodings, side)
    with ProcessPoolExecutor(mp_context=get_context("spawn")) as pool:
        parts = list(pool.map(work, rounds))
    data, lengths, classes, possible, right = (np.concatenate(part) for part in zip(*parts, strict=True))
    return Samples(data, np.cumsum(lengths) - lengths, lengths, classes, possible, right)


def _draw(
    found: dict[str, list[Path]],
    classes: list[Class],
    encodings: list[str],
    side: int,
    task: tuple[str, int, int],
) -> tuple[Any, ...]:
    language, first, count = task
    chance = random.Random(f"ceiling {language} {side} {first}")
    sources = read_texts(language, found[language.lower()])[side]
    guests = _guests(found, side) if language == "en" else ()
    writer = Writer(sources, chance, language, guests) if any(sources) else None
    made: list[bytes] = []
    numbers: list[int] = []
    for number, member in enumerate(classes):
        if writer and member.language == language:
            some = make_samples(writer, member.encoding, count, chance, wide=_is_wide(member.encoding))
            made += some
            numbers += [number] * len(some)
    possible, right = Competitors(encodings).judge(made, [classes[number].encoding for number in numbers])
    views = [view(sample) for sample in made]
    lengths = np.array([len(sample) for sample in views], np.int64)
    return np.frombuffer(b"".join(views), np.uint8), lengths, np.array(numbers, np.int64), possible, right


def _kept(path: Path, make: Any) -> Samples:
    if not path.exists():
        np.savez(path, *make())
    with np.load(path) as kept:
        return Samples(*(kept[name] for name in kept.files))


def _from_tests(tests: Tests, views: list[bytes]) -> Samples:
    lengths = np.array([len(sample) for sample in views], np.int64)
    data = np.frombuffer(b"".join(views), np.uint8)
    unknown = np.zeros(len(views), np.int64)
    return Samples(data, np.cumsum(lengths) - lengths, lengths, unknown, tests.possible, tests.right)


class Batch(NamedTuple):
    """Samples in one row, each between two spaces, with gaps; as many numbers in every batch."""

    units: Tensor
    #: The sample that each place belongs to; the last number is for gaps.
    owner: Tensor
    #: The most samples of a batch.
    size: int


def batches(
    lengths: np.ndarray, room: int, size: int, chance: np.random.Generator | None
) -> Iterator[np.ndarray]:
    """Yield the numbers of samples that fit into *room*, at most *size*; shuffled without end, or once in order."""
    while True:
        order = chance.permutation(len(lengths)) if chance else np.arange(len(lengths))
        ends = np.cumsum(lengths[order] + 2 + GAP)
        start = 0
        while start < len(order):
            before = ends[start - 1] if start else 0
            end = min(int(np.searchsorted(ends, before + room, "right")), start + size)
            yield order[start:end]
            start = end
        if chance is None:
            return


def assemble(samples: Samples, rows: Tensor, room: int, size: int) -> Batch:
    """Return the samples *rows* as one batch of *room* places."""
    lengths = samples.lengths[rows] + 2
    strides = lengths + GAP
    offsets = torch.cumsum(strides, 0) - strides
    total = int(strides.sum())
    owner = torch.repeat_interleave(torch.arange(len(rows), device=rows.device), strides)
    within = torch.arange(total, device=rows.device) - offsets[owner]
    inside = (within >= 1) & (within <= lengths[owner] - 2)
    place = (samples.starts[rows][owner] + within - 1).clamp(0, len(samples.data) - 1)
    units = torch.where(inside, samples.data[place].long(), 0x20)
    gap = within >= lengths[owner]
    units = F.pad(units.masked_fill(gap, NOTHING), (0, room - total), value=NOTHING)
    owner = F.pad(owner.masked_fill(gap, size), (0, room - total), value=size)
    return Batch(units, owner, size)


# ---- training and asking


def choose_trigrams(samples: Samples, count: int, classes: int) -> Tensor:
    """Return the trigrams with the most information about the class, as `charlens.training.select` chooses pairs."""
    grams = Grams(1, (3,)).to(DEVICE)
    some = torch.randperm(len(samples.lengths), device=DEVICE)[:_ASKED]
    seen = []
    for rows in some.split(4096):
        room = int((samples.lengths[rows] + 2 + GAP).sum())
        units, owner, size = assemble(samples, rows, room, len(rows))
        gram, telling = grams.gram(units, 3)
        inside = (owner[: len(gram)] == owner[2:]) & (owner[: len(gram)] < size) & telling
        pairs = torch.unique((owner[: len(gram)][inside] << 24) + gram[inside])
        seen.append((samples.classes[rows][pairs >> 24] << 24) + (pairs & 0xFFFFFF))
    keys, counts = torch.unique(torch.cat(seen), return_counts=True)
    gram, member = keys & 0xFFFFFF, keys >> 24
    total = torch.zeros(1 << 24, device=DEVICE).index_add(0, gram, counts.float())
    frequent = total.topk(min(_FREQUENT, int((total > 0).sum()))).indices
    places = torch.full((1 << 24,), -1, device=DEVICE)
    places[frequent] = torch.arange(len(frequent), device=DEVICE)
    known = places[gram] >= 0
    of_class = torch.bincount(samples.classes[some], minlength=classes).clamp_min(1)
    share = torch.zeros(len(frequent), classes, device=DEVICE)
    share[places[gram[known]], member[known]] = counts[known] / of_class[member[known]]
    met = share.sum(1)
    given = share / met[:, None]
    tells = met / classes * torch.where(given > 0, given * torch.log2(given * classes), 0.0).sum(1)
    return frequent[tells.topk(min(count, len(frequent))).indices]


class Plan(NamedTuple):
    """How a model is trained."""

    model: nn.Module
    rate: float
    decay: float
    room: int
    size: int


def make(name: str, samples: Samples, classes: int) -> Plan:
    """Return the model called *name*, and how to train it."""
    kind, *rest = name.split("-")
    if kind == "large":
        return Plan(Network(classes, 1, [Around(512) for _ in range(12)], 512), 1e-3, 0.05, 1 << 18, 1536)
    if kind.startswith("window"):
        layers: list[nn.Module] = [AtPlace(512) for _ in range(3)]
        return Plan(Network(classes, int(kind[6:]), layers, 512), 1e-3, 0.05, 1 << 18, 1536)
    if kind == "pairs":
        orders = (2, *(int(order) for order in rest if order.isdigit()))
        return Plan(Grams(classes, orders, "ascii" in rest), 0.01, 0.0, 1 << 20, 4096)
    if kind == "small":
        chosen = choose_trigrams(samples, int(rest[1]), classes)
        return Plan(Small(classes, int(rest[0]), chosen, "bend" in rest), 0.005, 0.0, 1 << 20, 4096)
    raise SystemExit(f"There is no model {name!r}; see the head of bench/ceiling_models.py.")


class Loss:
    """The loss of `charlens.training.fit`: half asks for the right text, half for the language as well."""

    def __init__(self, tests: Tests) -> None:
        tags = sorted({language for _, language in tests.classes})
        self.encoding = torch.tensor(
            [tests.encodings.index(name) for name, _ in tests.classes], device=DEVICE
        )
        self.language = torch.tensor([tags.index(tag) for _, tag in tests.classes], device=DEVICE)

    def __call__(self, scores: Tensor, samples: Samples, rows: Tensor) -> Tensor:
        scores = scores[: len(rows)].float().masked_fill(~samples.possible[rows][:, self.encoding], -1e9)
        logs = F.log_softmax(scores, 1)
        text = samples.right[rows][:, self.encoding]
        both = text & (self.language[None, :] == self.language[samples.classes[rows]][:, None])
        of_text = torch.logsumexp(logs.masked_fill(~text, -1e9), 1)
        of_both = torch.logsumexp(logs.masked_fill(~both, -1e9), 1)
        return -(of_text + of_both).mean() / 2


def _in_halves(model: nn.Module) -> bool:
    """Whether the model computes with 16 bits: networks on a GPU do."""
    return isinstance(model, Network) and DEVICE == "cuda"


def learn(plan: Plan, samples: Samples, lengths: np.ndarray, loss_of: Loss, seconds: float) -> None:
    """Train for *seconds*; the rate goes up at first, then down along a cosine."""
    model = plan.model.to(DEVICE).train()
    forward = torch.compile(model) if _in_halves(model) else model
    options = {"fused": True} if DEVICE == "cuda" else {}
    step = torch.optim.AdamW(model.parameters(), plan.rate, (0.9, 0.98), weight_decay=plan.decay, **options)
    started, done, seen, losses = 0.0, 0, 0, []
    for numbers in batches(lengths, plan.room, plan.size, np.random.default_rng(0)):
        rows = torch.as_tensor(numbers, device=DEVICE)
        batch = assemble(samples, rows, plan.room, plan.size)
        with torch.autocast(DEVICE, torch.bfloat16, enabled=_in_halves(model)):
            scores = forward(*batch)
        loss = loss_of(scores, samples, rows)
        step.zero_grad(set_to_none=True)
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0) if isinstance(model, Network) else None
        if done == 3:  # by then it is compiled
            started = time.monotonic()
        share = (time.monotonic() - started) / seconds if started else 0.0
        share = min(share, 1.0)
        rate = plan.rate * (
            share / 0.05 if share < 0.05 else 0.5 * (1 + np.cos(np.pi * (share - 0.05) / 0.95))
        )
        for group in step.param_groups:
            group["lr"] = rate
        step.step()
        done, seen = done + 1, seen + len(rows)
        losses.append(loss.detach())
        if share >= 1.0:
            break
        if done % 200 == 0:
            mean = float(torch.stack(losses[-200:]).mean())
            print(f"  {share:4.0%} {done} steps, {seen:,} samples, loss {mean:.4f}", flush=True)


@torch.no_grad()
def ask(plan: Plan, samples: Samples, lengths: np.ndarray) -> np.ndarray:
    """Return the scores of all samples."""
    plan.model.eval()
    found = []
    for numbers in batches(lengths, plan.room, plan.size, None):
        batch = assemble(samples, torch.as_tensor(numbers, device=DEVICE), plan.room, plan.size)
        with torch.autocast(DEVICE, torch.bfloat16, enabled=_in_halves(plan.model)):
            found.append(plan.model(*batch)[: len(numbers)].float().cpu().numpy())
    return np.concatenate(found)


def decide(
    tests: Tests, scores: np.ndarray, sharpness: list[tuple[int, float]], weight: float
) -> tuple[Any, Any]:
    """Return for each test the most likely encoding and its probability, the priors counting *weight*."""
    limits = np.array([limit for limit, _ in sharpness])
    factors = np.array([factor for _, factor in sharpness], np.float32)
    beyond = np.array([row.beyond_ascii for row in tests.rows])
    scores = scores * factors[np.minimum(np.searchsorted(limits, beyond), len(limits) - 1)][:, None]
    scores = scores + np.float32(weight) * np.array(tests.priors, np.float32)
    encoding = np.array([tests.encodings.index(name) for name, _ in tests.classes])
    scores = np.where(tests.possible[:, encoding], scores, -1e9)
    likely = np.exp(scores - scores.max(1, keepdims=True))
    shares = np.zeros((len(scores), len(tests.encodings)), np.float32)
    for number in range(shares.shape[1]):
        shares[:, number] = likely[:, encoding == number].sum(1)
    shares /= shares.sum(1, keepdims=True)
    return shares.argmax(1), shares.max(1)


def shuffle_words(data: bytes) -> bytes:
    """Return *data* with its words in random order, which removes the information in sequences of words."""
    words = data.split(b" ")
    random.Random(0).shuffle(words)
    return b" ".join(words)


def main() -> None:
    """Train the models that are named and write their answers."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument("texts", type=Path)
    parser.add_argument("models", nargs="*")
    parser.add_argument("--samples", type=int, default=12000)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--out", type=Path, help="where the answers go; FOLDER/answers unless given")
    given = parser.parse_intermixed_args()
    torch.set_float32_matmul_precision("high")
    tests = read_tests(given.folder)
    started = time.monotonic()
    path = given.folder / f"samples-{given.samples}.npz"
    drawn = _kept(path, lambda: draw(given.texts, tests, 0, given.samples))
    kept_apart = _kept(given.folder / "calibration.npz", lambda: draw(given.texts, tests, 1, _CALIBRATION))
    print(
        f"{len(drawn.lengths):,} samples, {len(drawn.data):,} bytes, {time.monotonic() - started:.0f} s",
        flush=True,
    )
    samples = drawn.on_device()
    for name in given.models:
        _measure(name, given, tests, (samples, drawn.lengths), kept_apart)


def _measure(name: str, given: Any, tests: Tests, samples: tuple[Samples, Any], kept_apart: Samples) -> None:
    """Train one model, say how good it is in short, and write its answers."""
    name, _, seconds = name.partition(":")
    started = time.monotonic()
    plan = make(name, samples[0], len(tests.classes))
    weights = sum(weight.numel() for weight in plan.model.parameters())
    loss_of = Loss(tests)
    learn(plan, *samples, loss_of, float(seconds or given.seconds))
    none_wide = np.zeros(0, np.int64)
    numbers = Classes(loss_of.encoding.cpu().numpy(), loss_of.language.cpu().numpy(), none_wide)
    apart = ask(plan, kept_apart.on_device(), kept_apart.lengths)
    beyond = np.add.reduceat(kept_apart.data >= 0x80, kept_apart.starts)
    sharpness = find_sharpness(apart, kept_apart.possible, kept_apart.right, numbers, beyond)
    answers: dict[str, Any] = {}
    for key, change in (("", bytes), ("shuffled_", shuffle_words)):
        if key and not name.startswith("large"):
            continue
        asked = _from_tests(tests, [change(sample) for sample in tests.views])
        scores = ask(plan, asked.on_device(), asked.lengths)
        answers[f"{key}plain"] = decide(tests, scores, sharpness, 0.0)[0].astype(np.uint8)
        best, share = decide(tests, scores, sharpness, 1.0)
        answers[f"{key}with_priors"], answers[f"{key}confidence"] = best.astype(np.uint8), share
    out = given.out or given.folder / "answers"
    out.mkdir(exist_ok=True)
    np.savez_compressed(out / f"{name}.npz", **answers)
    print(f"{name}: {weights:,} weights, {time.monotonic() - started:.0f} s, factors {sharpness}", flush=True)
    groups = [f"{row.group} {row.part} {row.size or ''}" for row in tests.rows]
    for key in [key for key in answers if not key.endswith("confidence")]:
        right = tests.right[np.arange(len(groups)), answers[key]]
        figures = {
            g: round(100 * float(right[np.array(groups) == g].mean()), 2) for g in dict.fromkeys(groups)
        }
        print(f"  {key}: {figures}", flush=True)


if __name__ == "__main__":
    main()
