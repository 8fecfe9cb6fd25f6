"""What a fog knows, as rows of numbers and back: its viewers, and the cells that were seen."""

from __future__ import annotations

from math import nan
from typing import Any

import numpy as np

from tilequad._core.array_kinds import Bools
from tilequad._core.tree.rows import RowReader, need, need_all, row_from
from tilequad._core.tree.units import slots_of
from tilequad._core.ways.layout import HIDDEN, OPAQUE, STATE
from tilequad._core.ways.view_counts import ViewCounts
from tilequad.nav._circles import picture, view_grid_of
from tilequad.nav._fog_store import FogStore
from tilequad.nav._viewers import Viewers, checked_reach
from tilequad.quadtree import DynamicQuadtree
from tilequad.quadtree.dynamic import store_of

__all__ = ["read_state", "rows_of_state"]


def rows_of_state(fog: FogStore) -> dict[str, Any]:
    """Return the viewers and what the teams know, for `write_rows`."""
    viewers, core, states = fog.viewers, fog.core, fog.states
    each = viewers.rows()
    numbers = np.array([row[0] for row in each], np.intp)
    slots, serials = viewers.lives(numbers)
    places = [(nan, nan) if one.position is None else one.position for one in viewers.all]
    reaches = [[nan if far is None else far for far in row[2]] for row in each]
    spots = [core.spot_of(row[0]) for row in each]
    return {
        "listed": row_from("i", numbers),
        "unused": row_from("i", viewers.unused()),
        "teams": row_from("i", [row[1] for row in each]),
        "over_walls": row_from("i", [row[3] for row in each]),
        "spots": row_from("i", spots),
        "slots": row_from("i", slots),
        "serials": row_from("q", serials),
        "places": row_from("d", np.reshape(places, -1)),
        "reaches": row_from("d", np.reshape(reaches, -1)),
        "size": row_from("i", states.shape),
        "explored": _bits(states & STATE != HIDDEN),
        "closed": _bits(states[0] & OPAQUE != 0),
    }


def read_state(
    reader: RowReader, tree: DynamicQuadtree[Any], fog: FogStore, opaque: Bools | None
) -> dict[str, Any]:
    """Read what `rows_of_state` returned, as attributes of a store with the same size and grid.

    Args:
        reader: The rows.
        tree: The tree that they are about.
        fog: The store.
        opaque: Which cells of its grid will be opaque; None for those that are.
    """
    numbers, unused = (reader.take(name, "i").tolist() for name in ("listed", "unused"))
    n = len(numbers)
    need(sorted(numbers + unused) == list(range(n + len(unused))), "the numbers of viewers")
    teams, walls, spots, slots = (
        np.array(reader.take(name, "i", n)) for name in ("teams", "over_walls", "spots", "slots")
    )
    serials = np.array(reader.take("serials", "q", n))
    places = np.reshape(reader.take("places", "d", 2 * n), (n, 2))
    reaches = np.reshape(reader.take("reaches", "d", 2 * n), (n, 2))
    size = tuple(reader.take("size", "i", 2))
    if size != fog.states.shape:
        raise ValueError(f"fog must have {size} teams and cells, got {fog.states.shape}")
    states = _from_bits(reader, "explored", size).view(np.uint8)  # EXPLORED is 1
    closed = _from_bits(reader, "closed", size[1:])
    reader.end()
    if opaque is None:
        opaque = picture(fog.ground, fog.states[0]) & OPAQUE != 0
    if (picture(fog.ground, closed.view(np.uint8)) != opaque).any():
        raise ValueError("the grid of the fog must have the same opaque cells as it had")
    follows = slots >= 0
    need_all((slots >= -1) & (slots < slots_of(store_of(tree))), "the unit of a viewer")
    need_all((teams >= 0) & (teams < size[0]), "the team of a viewer")
    need_all((spots >= -1) & (spots < size[1]), "the cell of a viewer")
    need_all(np.where(follows, np.isnan(places).all(1), np.isfinite(places).all(1)), "a place")
    need_all(np.isnan(reaches).sum(1) == 1, "the radius of a viewer")
    far = [checked_reach(*(None if one != one else one for one in row)) for row in reaches.tolist()]
    items = _followed(tree, slots, serials)
    at = [
        None if item else tuple(place) for item, place in zip(follows, places.tolist(), strict=True)
    ]
    lives = slots.tolist(), serials.tolist()
    made = items, at, teams.tolist(), far, (walls != 0).tolist()
    states[:, closed] |= OPAQUE
    counts = np.zeros(size, np.uint16)
    core = ViewCounts(
        view_grid_of(fog.ground.shape), states.reshape(-1).data, counts.reshape(-1).data
    )
    for number, team, spot, reach, wall in zip(numbers, teams, spots, far, walls, strict=True):
        core.set_viewer(number, team, spot, fog.circle(reach), not wall)
    viewers = Viewers.again(size[0], zip(numbers, *lives, *made, strict=True), unused)
    return {"states": states, "counts": counts, "core": core, "viewers": viewers}


def _followed(tree: DynamicQuadtree[Any], slots: Any, serials: Any) -> list[Any]:
    """The units that viewers follow; None for a viewer at a place, or of a unit that is gone."""
    alive = slots >= 0
    alive[alive] = tree.serial_many(slots[alive]) == serials[alive]
    return [tree.item(slot) if lives else None for slot, lives in zip(slots, alive, strict=True)]


def _bits(cells: Bools) -> memoryview:
    """Return booleans as numbers of 32 bits each, for `write_rows`."""
    packed = np.packbits(cells)
    return row_from("i", np.append(packed, np.zeros(-len(packed) % 4, np.uint8)).view("<i4"))


def _from_bits(reader: RowReader, name: str, shape: tuple[int, ...]) -> Bools:
    """Read what `_bits` has returned."""
    count = int(np.prod(shape))
    packed = np.array(reader.take(name, "i", -(-count // 32)), "<i4").view(np.uint8)
    return np.unpackbits(packed, count=count).astype(np.bool_).reshape(shape)
