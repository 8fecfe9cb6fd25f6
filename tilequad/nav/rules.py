"""Rules: what the tiles or objects of a layer do to the cells below them."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from math import inf
from typing import Any, NoReturn

from tilequad._core.checks import number_of
from tilequad._core.shown import shown
from tilequad.tiled.filters import checked_filter, shown_filter

__all__ = ["BLOCKED", "LEAST_COST", "MOST_COST", "Rule"]

#: The cost of a cell that nobody enters.
BLOCKED = inf
LEAST_COST, MOST_COST = 0.01, 1000.0


class Rule:
    """Says what the cells below some tiles or objects are: what a way costs, and what is seen.

    `BLOCKED` closes a cell to walkers. What stops walkers stops looks, too, unless `opaque` says
    otherwise: water and fences are closed and not opaque, bushes are opaque and not closed.

    A grid applies its rules in order, so a later rule opens what an earlier one has closed, such as
    a bridge over water. Shapes that stop walkers add up, in any order: a pane of glass takes away
    no stone beside it.

    Args:
        layer: The name of a tile layer or an object layer; None for all tile layers.
        cost: How much a way through the cell costs: 1 on ordinary ground, from 0.01 to 1000, or
            `BLOCKED`.
        properties: Only tiles or objects with these properties, such as `{"solid": True}`; None for
            any.
        class_name: Only tiles or objects of this class; None for any.
        gids: Only these tiles, by gid; None for any.
        tileset: Only tiles of the tilesets with this name; None for any.
        tiles: Only these tiles, by their number in the tileset, as Tiled shows it; None for any.
        opaque: Whether looks stop here; None for yes if walkers do.
        covered: The least share of the cell, from 0 to 1, that the collision shapes of its tile, or
            objects, must cover. With 0 a tile needs no shape, and an object counts in each cell
            that it overlaps, however little; only then do points and polylines count, because they
            have no area.

    Raises:
        TypeError: `properties` is not a dict, or another argument has a wrong type.
        ValueError: `cost` or `covered` is out of its range, or `tiles` are given and no `tileset`.

    Example:
        >>> from tilequad import load_map
        >>> from tilequad.nav import BLOCKED, Grid, Rule
        >>> tile_map = load_map("maps/frontier.tmx")
        >>> grid = Grid.of(tile_map, Rule("ground", BLOCKED, {"solid": True}), Rule("trees", 3))
        >>> len(grid)
        65536
        >>> water = Rule("ground", BLOCKED, tileset="terrain", tiles=[70], opaque=False)
        >>> bool(Grid.of(tile_map, water).opaque.any())
        False
    """

    __slots__ = (
        "class_name",
        "cost",
        "covered",
        "gids",
        "layer",
        "opaque",
        "properties",
        "tiles",
        "tileset",
    )

    def __init__(
        self,
        layer: str | None,
        cost: float,
        properties: Mapping[str, Any] | None = None,
        *,
        class_name: str | None = None,
        gids: Collection[int] | None = None,
        tileset: str | None = None,
        tiles: Collection[int] | None = None,
        covered: float = 0.0,
        opaque: bool | None = None,
        **others: NoReturn,
    ) -> None:
        if others:  # usually a property, as a newcomer writes it
            name = next(iter(others))
            raise TypeError(
                f"Rule has no argument {shown(name)}; properties are a dict: "
                f'Rule("ground", BLOCKED, {{"{name}": ...}})'
            )
        share = number_of(covered, "covered")
        if not 0.0 <= share <= 1.0:
            raise ValueError(f"covered must be from 0 to 1, got {shown(covered)}")
        if tiles is not None and tileset is None:
            raise ValueError(f"tileset must be given beside tiles, got tiles={shown(tiles)}")
        if not (tileset is None or isinstance(tileset, str)):
            raise TypeError(f"tileset must be a name, got {shown(tileset)}")
        number = number_of(cost, "cost")
        if not (LEAST_COST <= number <= MOST_COST or number == inf):
            limits = f"from {LEAST_COST} to {MOST_COST:g}, or inf"
            raise ValueError(f"cost must be {limits}, got {shown(cost)}")
        self.layer = layer
        self.cost = number
        self.class_name = class_name
        self.gids = _numbers(gids, "gids")
        self.tileset = tileset
        self.tiles = _numbers(tiles, "tiles")
        self.opaque = self.cost == inf if opaque is None else bool(opaque)
        self.covered = share
        self.properties = checked_filter(properties, "Rule(layer, cost, ")

    def __repr__(self) -> str:
        parts = [repr(self.layer), "BLOCKED" if self.cost == inf else f"{self.cost:g}"]
        parts += shown_filter(self.properties, self.class_name)
        if self.gids is not None:
            parts.append(f"gids={sorted(self.gids)}")
        if self.tileset is not None:
            parts.append(f"tileset={self.tileset!r}")
        if self.tiles is not None:
            parts.append(f"tiles={sorted(self.tiles)}")
        if self.covered:
            parts.append(f"covered={self.covered}")
        if self.opaque != (self.cost == inf):
            parts.append(f"opaque={self.opaque}")
        return f"Rule({', '.join(parts)})"


def _numbers(numbers: Any, name: str) -> frozenset[int] | None:
    """Return numbers of tiles as a set, None for any."""
    if not (numbers is None or isinstance(numbers, Collection)):
        raise TypeError(f"{name} must be a list of {name}, got {shown(numbers)}")
    return None if numbers is None else frozenset(numbers)
