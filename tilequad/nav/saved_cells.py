"""The cells and the buildings of a grid as rows of numbers and back: for `pack` and `unpack`."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tilequad._core.array_kinds import Floats, Ints, Traits
from tilequad._core.shown import shown
from tilequad._core.tree.rows import CELLS, RowReader, need, need_all, row_from
from tilequad._core.ways.traits import OPAQUE_TRAIT, kind_numbers, with_kinds
from tilequad.nav._blocks import Covered, shown_traits
from tilequad.nav._kinds import MOST_CORNERS, Kinds
from tilequad.nav._shapes import THIN
from tilequad.nav.buildings import Building
from tilequad.nav.grid import Grid
from tilequad.nav.rules import LEAST_COST, MOST_COST
from tilequad.quadtree import DynamicQuadtree

__all__ = ["Cells"]


CODES = np.uint64(OPAQUE_TRAIT - 1)
MOST_COVERS = 1 << 20  # how often a cell may be blocked
NEAR = 1e-6  # relative to a cell: more than shapes are beyond it, or dented, by rounding


class Cells:
    """A grid beside a tree: which of its cells are closed, and the buildings of the tree.

    Args:
        grid: The grid.
        units: The tree in which its buildings stand.

    Attributes:
        codes: What cells cost and which are closed, as soon as the bytes are taken over.
        opaque: Which cells stop looks then, (rows, columns).
        changed: How many cells have changed then.
        revision: The revision of the grid then.
    """

    _kind = CELLS

    def __init__(self, grid: Grid, units: DynamicQuadtree[Any]) -> None:
        grid._follow()
        self.grid, self.units = grid, units
        self.codes, self.opaque = np.empty(0, np.uint8), np.empty((0, 0), np.bool_)
        self.changed = self.revision = 0

    def __repr__(self) -> str:
        return repr(self.grid)

    def _packed(self, slots: int) -> dict[str, memoryview]:
        grid, ground = self.grid, self.grid._ground
        traits = ground.cell_traits().reshape(-1)
        covered = sorted(grid._blocks.held.items())
        cells = np.array([cell for cell, _ in covered], np.int32)
        traits[cells] = np.array([own for _, (_, _, own) in covered], np.uint64)
        traits, parts, corners = _with_parts(traits, grid._kinds)
        starts = np.flatnonzero(np.concatenate(([True], traits[1:] != traits[:-1])))
        towns = [town for town in grid._sites().towns if town.held]
        if any(town.units is not self.units for town in towns):
            raise ValueError(
                f"parts must be about the same tree, but {grid!r} has buildings in two"
            )
        held = [pair for town in towns for pair in sorted(town.held.items())]
        return {
            "listed": row_from("i", [slot for slot, _ in held]),
            "unsettled": row_from("i", starts),
            "inside": row_from("i", cells),
            "events": row_from("i", [cell for _, one in held for cell in one.cells]),
            "parts": row_from("i", [number for part in parts for number in part]),
            "size": row_from("i", [ground.rows, ground.columns, ground.kind]),
            "corners": row_from("d", np.concatenate(corners, axis=None)),
            "costs": row_from("d", ground.costs.values),
            "traits": row_from("q", traits[starts].view(np.int64)),
            "covers": row_from("i", [n for _, (a, b, _) in covered for n in (a, b)]),
            "serials": row_from("q", [one.serial for _, one in held]),
            "blocks": row_from("i", [n for _, one in held
                                     for n in (one.hiding, one.clear, len(one.cells))]),
        }  # fmt: skip

    def _read(self, reader: RowReader, tree: DynamicQuadtree[Any]) -> Callable[[], object]:
        grid, ground = self.grid, self.grid._ground
        n = ground.rows * ground.columns
        slots, starts, cells, sites, numbers = (
            np.array(reader.take(name, "i"), np.int32)
            for name in ("listed", "unsettled", "inside", "events", "parts")
        )
        need(len(numbers) % 3 == 0, "the shapes")
        parts = numbers.reshape(-1, 3)
        size = reader.take("size", "i", 3).tolist()
        if size != [ground.rows, ground.columns, ground.kind]:
            raise ValueError(
                f"grid must have {size[0]} rows and {size[1]} columns, got {shown(grid)}"
            )
        need_all((parts[:, 2] >= 2) & (parts[:, 2] <= MOST_CORNERS), "the shapes")
        corners = np.array(reader.take("corners", "d", 2 * int(parts[:, 2].sum()))).reshape(-1, 2)
        costs = reader.take("costs", "d").tolist()
        runs = np.array(reader.take("traits", "q", len(starts)), np.int64).view(np.uint64)
        covers = np.array(reader.take("covers", "i", 2 * len(cells)), np.int32).reshape(-1, 2)
        serials = np.array(reader.take("serials", "q", len(slots)), np.int64)
        blocks = np.array(reader.take("blocks", "i", 3 * len(slots)), np.int32).reshape(-1, 3)
        reader.end()
        self._check_costs(costs)
        need((len(starts) > 0 and starts[0] == 0) or n == 0, "the cells")
        need_all((np.diff(starts) > 0) & (starts[1:] < n), "the cells")
        self._check_traits(runs, len(costs), int(parts[-1:, 0].sum()))
        if len(parts) and grid._kinds is None:
            raise ValueError(f"grid must have rules as it had, with shapes in cells, got {grid!r}")
        if grid._kinds is not None:
            runs = with_kinds(runs, _kinds_from(parts, corners, grid._kinds))
        traits = np.repeat(runs, np.diff(np.append(starts, n)))
        need_all(np.diff(cells, prepend=-1) > 0, "a blocked cell")
        need_all(cells < n, "a blocked cell")
        need_all((covers >= 0) & (covers < MOST_COVERS), "a blocked cell")
        need_all(covers.sum(axis=1) > 0, "a blocked cell")
        held: dict[int, Covered] = {
            cell: (*pair, own)
            for cell, pair, own in zip(
                cells.tolist(), covers.tolist(), traits[cells].tolist(), strict=True
            )
        }
        traits[cells] = [shown_traits(one) for one in held.values()]
        news: dict[Any, Any] = dict.fromkeys(grid._blocks.held)
        news.update(held)
        town = grid._sites().town_of(self.units)
        halls: dict[Any, Any] = dict.fromkeys(town.held)
        halls.update(_buildings(slots, serials, blocks, sites, n, tree))
        changed = np.flatnonzero(ground.cell_traits().reshape(-1) != traits).astype(np.int32)
        self.codes = (traits & CODES).astype(np.uint8)
        self.opaque = (traits & np.uint64(OPAQUE_TRAIT) != 0).reshape(ground.rows, ground.columns)
        self.changed = ground.changed + len(changed)
        self.revision = grid.revision + (len(changed) > 0)
        for cost in costs[1:]:  # a new kind of cost that no cell has yet changes nothing
            ground.costs.code_of(cost)
        books: list[tuple[dict[Any, Any], dict[Any, Any]]]
        books = [(grid._blocks.held, news), (town.held, halls)]
        return partial(ground.set_traits, changed.data, traits[changed].data, books)

    def _check_costs(self, costs: list[float]) -> None:
        """Refuse costs whose codes are others than in the grid."""
        known = self.grid._ground.costs.values
        for mine, packed in zip(known, costs, strict=False):
            if mine != packed:
                raise ValueError(
                    f"grid must have the costs that it had, got {mine}, not {packed}: make it anew"
                )
        need(1 <= len(costs) <= CODES, "the costs")
        need(all(LEAST_COST <= cost <= MOST_COST for cost in costs[1:]), "the costs")

    def _check_traits(self, traits: Traits, codes: int, kinds: int) -> None:
        """Refuse cells that cannot be."""
        need_all((traits & CODES) < codes, "the cost of a cell")
        need_all((traits >> np.uint64(9)) & np.uint64(0x7F) == 0, "a cell")
        for held in kind_numbers(traits):
            need_all(held <= kinds, "the shapes in a cell")


def _with_parts(
    traits: Traits, kinds: Kinds | None
) -> tuple[Traits, list[tuple[int, int, int]], list[Floats]]:
    """Number the kinds of cells from 1, in the order of the cells, and list their parts.

    Returns:
        The traits with these numbers; for each part the number of its kind, the number of its shape
        in there, and of its corners; and the corners.
    """
    if kinds is None:
        return traits, [], [np.empty(0)]
    numbers, first = np.unique(np.stack(kind_numbers(traits), axis=1), return_index=True)
    order = numbers[np.argsort(first)]
    order = order[order > 0]
    table = np.zeros(int(numbers.max(initial=0)) + 1, np.int32)
    table[order] = np.arange(1, len(order) + 1)
    rows = [
        (number + 1, own, part)
        for number, kind in enumerate(order.tolist())
        for own, part in kinds.rows(kinds.shapes[kind])
    ]
    parts = [(number, own, len(part)) for number, own, part in rows]
    return with_kinds(traits, table), parts, [np.empty(0), *(part for _, _, part in rows)]


def _kinds_from(parts: Ints, corners: Floats, kinds: Kinds) -> Ints:
    """The kinds of a grid by the numbers of `_with_parts`."""
    ends = np.cumsum(parts[:, 2])
    steps = np.diff(parts[:, :2], axis=0, prepend=[[0, 0]])
    is_new = steps[:, 0] == 1  # the first part of its kind
    need_all(is_new | (steps[:, 0] == 0), "the shapes")
    need_all(np.where(is_new, parts[:, 1], steps[:, 1] * (1 - steps[:, 1])) == 0, "the shapes")
    after = np.arange(1, len(corners) + 1)
    after[ends - 1] = ends - parts[:, 2]
    most = np.abs(kinds.ring).max(axis=0) + NEAR * kinds.size
    need_all(np.abs(corners) <= most, "a corner of a shape")
    sides = corners[after] - corners
    turns = sides[:, 0] * sides[after, 1] - sides[:, 1] * sides[after, 0]
    need_all(np.hypot(*sides.T) > NEAR * THIN * kinds.size, "a corner of a shape")
    need_all(turns >= -NEAR * kinds.size**2, "a corner of a shape")
    held: list[dict[int, list[bytes]]] = [{} for _ in range(int(parts[-1:, 0].sum()) + 1)]
    for (kind, own, _), part in zip(parts.tolist(), np.split(corners, ends[:-1]), strict=False):
        held[kind].setdefault(own, []).append(part.tobytes())
    found = [kinds.of({tuple(shape) for shape in shapes.values()}) for shapes in held]
    kinds.flush()
    return np.array(found, np.int32)


def _buildings(
    slots: Ints, serials: NDArray[np.int64], blocks: Ints, sites: Ints, n: int, tree: Any
) -> dict[int, Building]:
    """The buildings from their numbers, by slot."""
    alive = (slots >= 0) & (serials >= 0)
    alive[alive] = tree.serial_many(slots[alive]) == serials[alive]
    need_all(alive, "the unit of a building")
    need(len(np.unique(slots)) == len(slots), "the unit of a building")
    need_all((blocks >= 0) & (blocks <= (1, 1, n)), "a building")
    need_all((sites >= 0) & (sites < n), "the cell of a building")
    need(int(blocks[:, 2].sum()) == len(sites), "the cells of buildings")
    found, at, cells = {}, 0, sites.tolist()
    for slot, serial, (hiding, clear, count) in zip(
        slots.tolist(), serials.tolist(), blocks.tolist(), strict=True
    ):
        found[slot] = Building(serial, cells[at : at + count], hiding, clear)
        at += count
    return found
