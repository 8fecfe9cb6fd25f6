"""The tiles of a Wang set by their colors, and which of several alike a cell gets."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..cells import FLAG_SHIFT, GID_MASK, Colors, Raw

__all__ = ["NO_WAY", "Candidate", "WangTiles", "hashed", "packed"]

Ints = NDArray[np.integer]
Hashes = NDArray[np.uint64]

NO_WAY = 1000  # more than any distance between colors
_PIECE = 1 << 16  # cells at a time, so that numpy's arrays stay in the cache
_HALF = np.uint64(32)
_LOW_HALF = np.uint64(0xFFFFFFFF)

# Odd numbers that spread the bits of a column, a row and a seed, then those of
# https://xoshiro.di.unimi.it/splitmix64.c.
_COLUMN, _ROW, _SEED = 0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F, 0xD6E8FEB86659FD93
_ROUNDS = ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB))


class Candidate(NamedTuple):
    """A tile that a cell may get."""

    local_id: int
    wang_id: tuple[int, ...]
    weight: float  #: the probability of the tile, relative to others


class WangTiles:
    """The tiles of a Wang set by their Wang ids, in maps of one orientation.

    Wang ids are rows of eight numbers; two ids are equal if they agree at the places that count,
    `where`. The first id is that of an empty cell. `flips` is what each sum of flip bits does to a
    Wang id; see `flip_orders`. A painted tile has one of the `allowed` sums; none, if it may
    `prefer_untransformed` tiles and there is one.
    """

    def __init__(
        self,
        tiles: list[Candidate],
        first_gid: int,
        where: range,
        flips: Mapping[int, tuple[int, ...]],
        allowed: Iterable[int],
        prefer_untransformed: bool,
    ) -> None:
        self.where = where
        self._first_gid = first_gid
        tiles = sorted(tiles)
        plain = np.array([tile.wang_id for tile in tiles], np.uint8).reshape(-1, 8)
        plain[:, [place for place in range(8) if place not in where]] = 0
        # the last one stands for all other tiles
        self._local_ids = np.array([*(tile.local_id for tile in tiles), 1 << 32], np.int64)
        # what a cell shows, by flags and tile
        shown = np.zeros((16, len(tiles) + 1, 8), np.uint8)
        known = np.zeros((16, len(tiles) + 1), bool)
        for flags, order in flips.items():
            shown[flags, :-1] = plain[:, order]
            known[flags, :-1] = True
        self._shown, self._known = shown.reshape(-1, 8), known.reshape(-1)
        self._build(tiles, shown, sorted(allowed), prefer_untransformed)

    def _build(
        self, tiles: list[Candidate], shown: Colors, allowed: list[int], prefer_plain: bool
    ) -> None:
        """Group what may be painted by Wang id."""
        groups: dict[tuple[int, ...], list[tuple[float, int]]] = {(0,) * 8: [(1.0, 0)]}
        plain: set[tuple[int, ...]] = set()
        for flags in allowed:  # 0 is the first one
            for tile, colors in zip(tiles, shown[flags].tolist(), strict=False):
                wang_id = tuple(colors)
                if any(wang_id) and tile.weight > 0 and wang_id not in plain:
                    raw = self._first_gid + tile.local_id | flags << FLAG_SHIFT
                    groups.setdefault(wang_id, []).append((tile.weight, raw))
            if prefer_plain and not flags:
                plain = set(groups)
        ids = np.array(list(groups), np.uint8)
        order = np.argsort(packed(ids))
        self.ids: Colors = ids[order]
        self._keys = packed(self.ids)
        groups_in_order = [list(groups.values())[number] for number in order]
        self._counts = np.array([len(group) for group in groups_in_order], np.uint64)
        self._starts = np.cumsum(self._counts) - self._counts
        tables = [_alias_table(group) for group in groups_in_order]
        self._thresholds, self._first, self._second = (
            np.concatenate(arrays) for arrays in zip(*tables, strict=True)
        )

    def ids_of(self, raw: Raw) -> tuple[Colors, NDArray[np.bool_]]:
        """Return the Wang ids that cells show, (n, 8), and whether they hold a tile of the set."""
        local_ids = (raw & np.uint32(GID_MASK)).astype(np.int64) - self._first_gid
        places = self._local_ids.searchsorted(local_ids)
        is_known = self._local_ids.take(places) == local_ids
        places = np.where(is_known, places, len(self._local_ids) - 1)
        places += (raw >> np.uint32(FLAG_SHIFT)) * len(self._local_ids)
        return self._shown.take(places, axis=0), self._known.take(places)

    def find(self, ids: Colors) -> tuple[Ints, NDArray[np.bool_]]:
        """Return the numbers of the tiles that fit Wang ids best, and which of them fit exactly.

        The others have the fewest wrong colors; of several, the one with the lowest number counts.
        """
        keys = packed(ids)
        numbers = np.empty(len(keys), np.int64)
        for start in range(0, len(keys), _PIECE):
            part = slice(start, start + _PIECE)
            numbers[part] = self._keys.searchsorted(keys[part])
        np.minimum(numbers, len(self._keys) - 1, out=numbers)
        fits = self._keys.take(numbers) == keys
        [wrong] = (~fits).nonzero()
        if len(wrong):
            _, first, which = np.unique(keys[wrong], return_index=True, return_inverse=True)
            best = [self.nearest(ids[row]) for row in wrong[first].tolist()]
            numbers[wrong] = np.array(best)[which.reshape(-1)]
        return numbers, fits

    def nearest(self, wang_id: Colors, empty: bool = True) -> int:
        """Return the number of the tile with the fewest wrong colors; of an empty cell, too."""
        wrong = (self.ids != wang_id).sum(axis=1)
        if not empty and len(wrong) > 1:
            wrong[0] = 9
        return int(wrong.argmin())

    def choose(self, numbers: Ints, columns: Ints, rows: Ints, seed: int) -> Raw:
        """Choose a tile of each cell's Wang id by probability; cell and seed alone decide."""
        chosen = np.empty(len(numbers), np.uint32)
        for start in range(0, len(numbers), _PIECE):
            part = slice(start, start + _PIECE)
            number = numbers[part]
            chance = hashed(columns[part], rows[part], seed)
            slot = (chance >> _HALF) * self._counts.take(number) >> _HALF
            slot = (slot + self._starts.take(number)).astype(np.int64)
            kept = (chance & _LOW_HALF) < self._thresholds.take(slot)
            chosen[part] = np.where(kept, self._first.take(slot), self._second.take(slot))
        return chosen

    @cached_property
    def distances(self) -> NDArray[np.int16]:
        """How many tiles it takes from one color to another, (256, 256); NO_WAY if none do."""
        steps = np.full((256, 256), NO_WAY, np.int16)
        for wang_id in self.ids.tolist():
            colors = list({wang_id[place] for place in self.where})
            steps[np.ix_(colors, colors)] = 1
        np.fill_diagonal(steps, 0)
        for color in np.unique(self.ids).tolist():
            np.minimum(steps, steps[:, color, None] + steps[color], out=steps)
        return steps


def hashed(columns: Ints, rows: Ints, seed: int) -> Hashes:
    """Return 64 bits of chance for each cell."""
    start = np.uint64(seed * _SEED & (1 << 64) - 1)
    chance = columns.astype(np.int64).view(np.uint64) * np.uint64(_COLUMN) + start
    chance += rows.astype(np.int64).view(np.uint64) * np.uint64(_ROW)
    for shift, factor in _ROUNDS:
        chance ^= chance >> np.uint64(shift)
        chance *= np.uint64(factor)
    chance ^= chance >> np.uint64(31)
    return chance


def packed(ids: Colors) -> Hashes:
    """Return Wang ids as one number each; the order is that of the last place first."""
    return np.ascontiguousarray(ids).view("<u8").reshape(-1).astype(np.uint64, copy=False)


def _alias_table(group: list[tuple[float, int]]) -> tuple[Hashes, Raw, Raw]:
    """Return a table for Walker's alias method: by slot, a limit of 2**32, and two tiles."""
    most = max(weight for weight, _ in group)  # so that no sum is infinite
    total = sum(weight / most for weight, _ in group)
    shares = [weight / most / total * len(group) for weight, _ in group]
    raw = [value for _, value in group]
    thresholds, second = [1 << 32] * len(group), raw.copy()
    low = [slot for slot, share in enumerate(shares) if share < 1]
    high = [slot for slot, share in enumerate(shares) if share >= 1]
    while low and high:
        slot, giver = low.pop(), high[-1]
        thresholds[slot], second[slot] = int(shares[slot] * (1 << 32)), raw[giver]
        shares[giver] -= 1 - shares[slot]
        if shares[giver] < 1:
            low.append(high.pop())
    return np.array(thresholds, np.uint64), np.array(raw, np.uint32), np.array(second, np.uint32)
