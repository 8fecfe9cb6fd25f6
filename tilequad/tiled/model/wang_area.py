"""The cells that a Wang brush paints, with those around them, on the lattice of their edges."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tilequad._core.cells.cell_ids import CellOrder

from ..cells import Colors, Ints64, Mask
from ..geometry.wang_lattice import WangLattice, cells_at, lattice_places
from ..index.wang_tiles import WangTiles
from .tile_layer import TileLayer

__all__ = ["Area", "CellsAt", "Place", "Scene"]

Place = tuple[int, int]  # u and v of a cell, or of an edge or corner with twice as many of each

_MOST_CELLS = 1 << 26  # in the box around an area


class Scene(NamedTuple):
    """A layer, and the tiles to paint on it."""

    layer: TileLayer
    tiles: WangTiles

    @property
    def order(self) -> CellOrder:
        """How the cells of the layer lie on the lattice."""
        return self.layer._tiles.order

    def is_inside(self, columns: Ints64, rows: Ints64) -> Mask:
        """Return which cells lie inside the map."""
        return self.layer._edits.are_inside(columns, rows)

    def check_inside(self, columns: Ints64, rows: Ints64) -> None:
        """Refuse cells outside the map."""
        [outside] = (~self.is_inside(columns, rows)).nonzero()
        for wrong in outside[:1].tolist():
            raise ValueError(f"cell ({columns[wrong]}, {rows[wrong]}) lies outside the map")

    def raw(self, columns: Ints64, rows: Ints64) -> NDArray[np.uint32]:
        """Return the raw values of cells inside the map."""
        return self.layer._tiles.raw(columns.astype(np.int32), rows.astype(np.int32))


class CellsAt(NamedTuple):
    """Cells, and their places in an area."""

    u: Ints64
    v: Ints64
    columns: Ints64
    rows: Ints64

    def take(self, some: NDArray[Any]) -> CellsAt:
        """Return some of the cells."""
        return CellsAt(*(array[some] for array in self))

    def places(self) -> list[Place]:
        """Return the places as Python's own numbers."""
        return list(zip(self.u.tolist(), self.v.tolist(), strict=True))


class Area:
    """Some cells of a layer, all inside the map, and one more on each side."""

    def __init__(self, scene: Scene, columns: Ints64, rows: Ints64) -> None:
        is_plain = not scene.order.stagger  # so that places are cells
        if not is_plain:
            scene.check_inside(columns, rows)
        u, v = lattice_places(scene.order, columns, rows)
        self.scene = scene
        left, top, right, bottom = int(u.min()), int(v.min()), int(u.max()), int(v.max())
        is_box_inside = scene.layer._edits.is_box_inside
        if is_plain and not is_box_inside(left, top, right, bottom):
            scene.check_inside(columns, rows)
        self.left, self.top = left - 1, top - 1  #: u and v of the lattice where the area begins
        self._is_amid = is_plain and is_box_inside(left - 1, top - 1, right + 1, bottom + 1)
        width, height = right - left + 3, bottom - top + 3
        if width * height > _MOST_CELLS:
            raise ValueError(
                f"the box around the cells must have at most {_MOST_CELLS} cells, "
                f"got {width} x {height}"
            )
        self.cells = CellsAt(u - self.left, v - self.top, columns, rows)
        #: which places, (height, width), are cells of the area
        self.inside: Mask = np.zeros((height, width), bool)
        self.inside[self.cells.v, self.cells.u] = True
        self.lattice = WangLattice(width, height)  #: the colors of their edges and corners

    def around(self, with_inside: bool) -> CellsAt:
        """Return the cells next to those of the area, in the map, row by row of the lattice."""
        near = self.inside.copy()
        near[:, 1:] |= self.inside[:, :-1]
        near[:, :-1] |= self.inside[:, 1:]
        across = near.copy()
        near[1:] |= across[:-1]
        near[:-1] |= across[1:]
        if not with_inside:
            near &= ~self.inside
        v, u = near.nonzero()
        found = CellsAt(u, v, *cells_at(self.scene.order, u + self.left, v + self.top))
        if self._is_amid:
            return found
        return found.take(self.scene.is_inside(found.columns, found.rows))

    def plane(self, colors: NDArray[Any], beyond: int, cells: CellsAt | None = None) -> Colors:
        """Return colors by place, (height, width): those of the cells, and one `beyond` them."""
        places = cells or self.cells
        found = np.full(self.inside.shape, beyond, np.uint8)
        found[places.v, places.u] = colors
        return found

    def cells_at(self, places: list[Place]) -> CellsAt:
        """Return the cells at places of the area, or farther out."""
        u, v = np.array(places, np.int64).reshape(-1, 2).T
        return CellsAt(u, v, *cells_at(self.scene.order, u + self.left, v + self.top))

    def shown_at(self, place: Place) -> tuple[int, ...] | None:
        """Return the Wang id of a cell; None outside the map."""
        cell = self.cells_at([place])
        if not self.scene.is_inside(cell.columns, cell.rows).all():
            return None
        ids, _ = self.scene.tiles.ids_of(self.scene.raw(cell.columns, cell.rows))
        return tuple(ids[0].tolist())
