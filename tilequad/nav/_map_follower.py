"""How the grid of a map follows it: the rules are applied again to what has changed."""

from __future__ import annotations

from typing import Any
from weakref import ref

import numpy as np

from tilequad._core.array_kinds import Ints, Traits
from tilequad.nav._blocks import Blocks
from tilequad.nav._terrain import Terrain
from tilequad.tiled.model.tile_layer import places_of
from tilequad.tiled.model.tile_map import TileMap, observe

__all__ = ["MapFollower"]


class MapFollower:
    """Keeps the cells of a grid as its rules have them. The map holds it weakly, the grid firmly.

    Args:
        tile_map: The map.
        terrain: The rules, and the layers that they name.
        blocks: What changes the cells.
    """

    def __init__(self, tile_map: TileMap, terrain: Terrain, blocks: Blocks) -> None:
        self.blocks = blocks
        self._follow(terrain)
        observe(tile_map, self)

    def _follow(self, terrain: Terrain) -> None:
        """Follow the layers of a terrain."""
        self.terrain = terrain
        shifts = {part.layer: part.shift for part in terrain.tiles}
        self.layers = [_LayerFollower(self, layer, shift) for layer, shift in shifts.items()]

    def _map_changed(self, tile_map: TileMap) -> None:
        """Apply the rules again to all cells; the map calls this after a reload."""
        ground = self.blocks.ground
        self.terrain.drop_unused()
        terrain = self.terrain.again(tile_map, ground.costs.code_of)
        traits = terrain.traits().reshape(-1)
        self._follow(terrain)
        differ = traits != ground.cell_traits().reshape(-1)
        differ[list(self.blocks.held)] = True
        cells = np.flatnonzero(differ).astype(np.int32)
        self._set(cells, traits[cells])

    def _object_changed(self, layer: Any, item: Any) -> None:
        """Apply the rules again where an object has changed; the map calls this."""
        self.terrain.drop_unused()
        self._set(*self.terrain.object_changes(layer, item))

    def tiles_changed(self, layer: Any, shift: tuple[int, int], ids: Ints) -> None:
        """Apply the rules again to cells of a changed layer."""
        self.terrain.drop_unused()
        columns, rows = places_of(layer).tiles.ids.cells(ids)
        self._set(*self.terrain.changes(layer, columns + shift[0], rows + shift[1]))

    def _set(self, cells: Ints, traits: Traits) -> None:
        """Give cells their traits, and let what follows the grid know."""
        if len(cells):
            ground = self.blocks.ground
            with ground.turns:
                changed = self.blocks.set_ground(cells, traits)
            ground.notify(changed)


class _LayerFollower:
    """Reports the changes of one layer to a grid's follower, which it does not keep alive."""

    def __init__(self, owner: MapFollower, layer: Any, shift: tuple[int, int]) -> None:
        self.__setstate__((owner, layer, shift))
        layer.observe(self)

    def _tiles_changed(self, ids: Ints) -> None:
        """Report changed tiles."""
        owner = self.owner()
        if owner is not None:
            owner.tiles_changed(self.layer, self.shift, ids)

    def _layer_changed(self) -> None:
        """Leave it to the map, which tells of all layers at once."""

    def __getstate__(self) -> tuple[Any, ...]:
        return self.owner(), self.layer, self.shift

    def __setstate__(self, state: tuple[Any, ...]) -> None:
        owner, self.layer, self.shift = state
        self.owner = ref(owner)
