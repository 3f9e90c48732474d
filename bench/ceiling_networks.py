"""The models of `bench/ceiling_models.py`: networks over bytes, and linear models over n-grams.

Each takes a row of samples separated by gaps, and the sample number of each position; it returns scores by class.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from charlens.training.features import LEVELS, fold_table

#: The symbol between samples, which is not a byte. A convolution over seven bytes reaches three to each side.
NOTHING, GAP = 256, 3
#: Slots for the n-grams of one length.
HASHED = 1 << 20


class Around(nn.Module):
    """A layer that looks three bytes to each side, then at each place alone."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.norm = nn.LayerNorm(width)
        self.taps = nn.Parameter(torch.randn(7, width) * 0.3)
        self.up, self.down = nn.Linear(width, 2 * width), nn.Linear(2 * width, width)

    def forward(self, x: Tensor, mask: Tensor) -> Tensor:
        """Return *x* with what this layer adds."""
        padded = F.pad(self.norm(x) * mask, (0, 0, 3, 3))
        seen = sum(padded[tap : tap + len(x)] * self.taps[tap] for tap in range(7))
        return x + self.down(F.gelu(self.up(seen)))


class AtPlace(nn.Module):
    """A layer that looks at each place alone."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.norm = nn.LayerNorm(width)
        self.up, self.down = nn.Linear(width, 2 * width), nn.Linear(2 * width, width)

    def forward(self, x: Tensor, mask: Tensor) -> Tensor:
        """Return *x* with what this layer adds."""
        return x + self.down(F.gelu(self.up(self.norm(x))))


class Network(nn.Module):
    """Bytes to classes: windows of bytes, layers, attention over all places of a sample, classes."""

    def __init__(self, classes: int, window: int, layers: list[nn.Module], width: int) -> None:
        super().__init__()
        self.window, self.heads, self.width = window, 8, width
        self.letters = nn.Embedding(257, width if window == 1 else 64)
        self.join = nn.Identity() if window == 1 else nn.Linear(64 * window, width)
        self.layers = nn.ModuleList(layers)
        #: In the middle, each place hears of the mean of its sample.
        self.middle = nn.Linear(width, width) if isinstance(layers[0], Around) else None
        self.weigh, self.norm = nn.Linear(width, self.heads), nn.LayerNorm(width)
        self.last = nn.Sequential(nn.Linear(2 * width, 2 * width), nn.GELU(), nn.Linear(2 * width, classes))

    def forward(self, units: Tensor, owner: Tensor, size: int) -> Tensor:
        """Return the scores of the samples of a batch."""
        mask = (units != NOTHING)[:, None]
        x = self.letters(units)
        if self.window > 1:
            padded = F.pad(x * mask, (0, 0, 0, self.window - 1))
            x = torch.cat([padded[n : n + len(units)] for n in range(self.window)], 1)
        x = self.join(x)
        for number, layer in enumerate(self.layers):
            x = layer(x, mask)
            if self.middle is not None and number == len(self.layers) // 2:
                x = x + self.middle(_mean(x * mask, mask, owner, size)).index_select(0, owner)
        x = self.norm(x)
        weights = torch.exp(self.weigh(x).float().clamp(-12, 12)) * mask
        heads = (x.float().view(len(x), self.heads, -1) * weights[:, :, None]).view(len(x), -1)
        shares = _sum(weights, owner, size).clamp_min(1e-9).repeat_interleave(self.width // self.heads, 1)
        pooled = torch.cat([_sum(heads, owner, size) / shares, _mean(x * mask, mask, owner, size)], 1)
        scores: Tensor = self.last(pooled)[:size]
        return scores


def _sum(x: Tensor, owner: Tensor, size: int) -> Tensor:
    return torch.zeros(size + 1, x.shape[1], device=x.device).index_add(0, owner, x.float())


def _mean(x: Tensor, mask: Tensor, owner: Tensor, size: int) -> Tensor:
    return _sum(x, owner, size) / _sum(mask.float(), owner, size).clamp_min(1)


class Grams(nn.Module):
    """A linear model over n-grams of folded bytes, counted as `charlens.training.features` counts them."""

    def __init__(self, classes: int, orders: tuple[int, ...], ascii_too: bool = False) -> None:
        super().__init__()
        self.orders, self.ascii_too = orders, ascii_too
        self.register_buffer("fold", torch.tensor([*fold_table().tolist(), 0x20]))
        self.register_buffer("levels", torch.tensor([0, *LEVELS]).float() * 0.25)
        self.rows = nn.Parameter(torch.zeros((1 << 16) + HASHED * (len(orders) - 1), classes))

    def forward(self, units: Tensor, owner: Tensor, size: int) -> Tensor:
        """Return the scores of the samples of a batch."""
        return self.bag(self.rows, *self.found(units, owner, size))

    def bag(self, rows: Tensor, slots: Tensor, levels: Tensor, borders: Tensor) -> Tensor:
        """Return the sum of the rows of each sample's features."""
        return F.embedding_bag(slots, rows, borders, mode="sum", per_sample_weights=levels)

    def found(self, units: Tensor, owner: Tensor, size: int) -> tuple[Tensor, Tensor, Tensor]:
        """Return the features of all samples, how much each counts, and where each sample begins."""
        keys = []
        for number, order in enumerate(self.orders):
            slots, inside = self.slots(units, owner, size, order)
            base = 0 if number == 0 else (1 << 16) + HASHED * (number - 1)
            keys.append(((owner[: len(slots)] << 24) + base + slots)[inside])
        distinct, counts = torch.unique(torch.cat(keys), return_counts=True)
        borders = torch.searchsorted(distinct, torch.arange(size, device=units.device) << 24)
        return distinct & 0xFFFFFF, self.levels[counts.clamp_max(len(LEVELS))].to(self.rows.dtype), borders

    def slots(self, units: Tensor, owner: Tensor, size: int, order: int) -> tuple[Tensor, Tensor]:
        """Return the slot of the n-gram at each place, and whether there is one that tells something."""
        gram, telling = self.gram(units, order)
        inside = (owner[: len(gram)] == owner[order - 1 :]) & (owner[: len(gram)] < size)
        if not self.ascii_too:
            inside &= telling
        return (gram if order == 2 else (gram * 2654435761 >> 7) % HASHED), inside

    def gram(self, units: Tensor, order: int) -> tuple[Tensor, Tensor]:
        """Return the n-gram of folded bytes at each place as a number, and whether one byte is not ASCII."""
        length = len(units) - order + 1
        folded = self.fold[units]
        gram = torch.zeros(length, dtype=torch.long, device=units.device)
        telling = torch.zeros(length, dtype=torch.bool, device=units.device)
        for step in range(order):
            gram = gram * 256 + folded[step : step + length]
            telling |= (units[step : step + length] >= 0x80) & (units[step : step + length] < NOTHING)
        return gram, telling


class Small(Grams):
    """All pairs and the most telling trigrams, each a row of few numbers, which are mapped to the classes."""

    def __init__(self, classes: int, width: int, chosen: Tensor, bend: bool) -> None:
        super().__init__(1, (2,))
        self.rows = nn.Parameter(torch.randn((1 << 16) + len(chosen) + 1, width) * 0.05)
        places = torch.full((1 << 24,), -1)
        places[chosen.cpu()] = torch.arange(len(chosen))
        self.register_buffer("places", places)
        self.orders = (2, 3)
        self.out = nn.Linear(width, classes, bias=False)
        self.bent = nn.Linear(width, classes) if bend else None

    def slots(self, units: Tensor, owner: Tensor, size: int, order: int) -> tuple[Tensor, Tensor]:
        """Return the slot of the n-gram at each place, and whether it is a feature."""
        gram, telling = self.gram(units, order)
        inside = (owner[: len(gram)] == owner[order - 1 :]) & (owner[: len(gram)] < size) & telling
        if order == 2:
            return gram, inside
        place = self.places[gram]
        return place, inside & (place >= 0)

    def forward(self, units: Tensor, owner: Tensor, size: int) -> Tensor:
        """Return the scores of the samples of a batch."""
        summed = super().forward(units, owner, size)
        scores: Tensor = self.out(summed)
        return scores + self.bent(F.relu(summed)) if self.bent is not None else scores
