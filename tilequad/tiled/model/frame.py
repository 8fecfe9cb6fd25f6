"""What the parts of a map share: its cells, its axes, its tilesets, and the next free ids."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from functools import cached_property
from typing import Any

from ..geometry.grids import Axes, Grid
from ..index.tile_edits import Observers
from .properties import Properties
from .tilesets import Tileset, TilesetList

__all__ = ["MapFrame", "MapTools"]


@dataclass(eq=False)
class MapTools:
    """What the parts of a map need of its project, and who follows them. It refers to no part.

    The map follows them: it is told of changes in its parts. It is not saved with a part.
    """

    enums: dict[str, type[Enum]]
    project: Any  #: the `Project` itself, or None
    followers: Observers = field(default_factory=Observers)

    def __getstate__(self) -> dict[str, Any]:
        return {**vars(self), "followers": Observers()}

    def complete(self, properties: Properties, class_name: str, use: str) -> None:
        """Add the members that a class of the project has to the properties of a part.

        `use` is what the part is: "layer", "object", "tileset", "tile", "wangset", "wangcolor".
        """
        if self.project is not None:
            self.project.complete_part(properties, class_name, use)

    def without_members(self, properties: Properties, class_name: str, use: str) -> Properties:
        """Return properties without the members that are as a class of the project has them."""
        usual = Properties()
        self.complete(usual, class_name, use)
        found = Properties(properties)
        for name in usual.keys() & found.keys() - properties.inherited:
            if found[name] == usual[name]:
                del found[name]
        found.types = {name: kind for name, kind in properties.types.items() if name in found}
        found.class_name = properties.class_name
        found.inherited, found._template = properties.inherited, properties._template
        return found

    def complete_all(self, tileset: Tileset) -> None:
        """Do so for a tileset and all that is in it."""
        for described in tileset._described():
            self.complete(*described)


@dataclass(eq=False)
class MapFrame:
    """What the layers of a map need to know of it; all of them hold the same one."""

    grid: Grid
    infinite: bool
    tilesets: TilesetList
    axes: Axes
    tools: MapTools
    next_layer_id: int = 1  #: of the next layer or group; no other one has ever had it
    next_object_id: int = 1

    @cached_property
    def unprojection(self) -> tuple[float, float, float, float]:
        """That of the grid: two rows of two numbers."""
        a, b, c, d = self.grid.unprojection().ravel().tolist()
        return a, b, c, d

    def place_in_file(self, x: float, y: float, offset: tuple[float, float]) -> tuple[float, float]:
        """Return the position that a file gives to an object at a point."""
        left, top = self.axes.point(x, y)
        origin = self.grid.object_origin()
        away_x, away_y = left - offset[0] - origin[0], top - offset[1] - origin[1]
        a, b, c, d = self.unprojection
        return round(a * away_x + b * away_y, 9), round(c * away_x + d * away_y, 9)

    def take_layer_id(self) -> int:
        """Return the id of a new layer or group."""
        self.next_layer_id += 1
        return self.next_layer_id - 1
