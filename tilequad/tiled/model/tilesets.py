"""Tilesets: what one tile looks like, how large it is drawn, and what the map says of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .collision import CollisionShape
from .pictures import Picture, TileImage

__all__ = ["Frame", "Stamp", "Tile", "Tileset", "TilesetList"]


class Frame(NamedTuple):
    """One picture of an animation."""

    local_id: int
    milliseconds: int


class Stamp(NamedTuple):
    """How a tile is drawn at its place: the room it gets, and the image in the middle of it."""

    room_width: float
    room_height: float
    width: float
    height: float
    offset_x: float
    offset_y: float  # down


@dataclass
class Tile:
    """What a tileset says of one tile apart from the others."""

    class_name: str = ""
    properties: dict[str, Any] = field(default_factory=dict)
    frames: list[Frame] = field(default_factory=list)
    picture: Picture | None = None
    part: tuple[int, int, int, int] | None = None  # left, top, width, height in the picture
    shapes: list[CollisionShape] = field(default_factory=list)


@dataclass
class Tileset:
    """A numbered set of tiles: cut from one image in a grid, or a collection of images.

    Attributes:
        first_gid: Tiled's number of its first tile in this map.
        name: As the map says.
        path: The tileset's own file, or None where the map holds it.
        tile_width: Width of a tile in pixels; of the widest one in a collection.
        tile_height: Height of a tile in pixels.
        tile_count: Number of tiles; reckoned from the image where the map does not say it.
        counted: Whether the map says the number of tiles.
        missing: Whether its file could not be read; its tiles are marked, as Tiled does.
        columns: Tiles in a row of the image, as declared; 0 for a collection.
        margin: Pixels around the grid of the image.
        spacing: Pixels between the tiles of the image.
        tile_offset: Where the tiles are drawn beside their place, (x, y) in pixels, y down.
        render_size: "tile" draws a tile at its own size, "grid" at the size of the map's cells.
        fill_mode: How "grid" fills a cell: "stretch" or "preserve-aspect-fit".
        object_alignment: Which point of a tile object stands at its position; "unspecified" is
            bottom-left, and bottom in isometric maps.
        grid: Orientation, width and height of the cells that its collision shapes are drawn in.
        properties: Custom properties of the tileset.
        picture: The image of a grid tileset, or None.
    """

    first_gid: int
    name: str
    path: Path | None
    tile_width: int = 0
    tile_height: int = 0
    tile_count: int = 0
    columns: int = 0
    margin: int = 0
    spacing: int = 0
    tile_offset: tuple[int, int] = (0, 0)
    render_size: str = "tile"
    fill_mode: str = "stretch"
    object_alignment: str = "unspecified"
    grid: tuple[str, int, int] = ("orthogonal", 0, 0)
    properties: dict[str, Any] = field(default_factory=dict)
    picture: Picture | None = None
    counted: bool = True
    missing: bool = False
    tiles: dict[int, Tile] = field(default_factory=dict, repr=False)

    def tile_properties(self, local_id: int) -> dict[str, Any]:
        """Custom properties of a tile; empty where it has none.

        Args:
            local_id: The tile's number in this tileset: gid - first_gid.
        """
        return self._tile(local_id).properties

    def tile_class(self, local_id: int) -> str:
        """The class (once called type) of a tile, or ""."""
        return self._tile(local_id).class_name

    def animation(self, local_id: int) -> list[Frame]:
        """The frames of an animated tile as (local_id, milliseconds); empty for a still one."""
        return self._tile(local_id).frames

    def frame_at(self, local_id: int, time: float = 0) -> int:
        """The tile that is shown for `local_id` at a time.

        Args:
            local_id: The tile's number in this tileset.
            time: Milliseconds since the map was opened.
        """
        frames = self._tile(local_id).frames
        total = sum(frame.milliseconds for frame in frames)
        if not frames:
            return local_id
        moment = time % total if total > 0 else 0
        for frame in frames:
            if moment < frame.milliseconds:
                return frame.local_id
            moment -= frame.milliseconds
        return frames[0].local_id

    def tile_size(self, local_id: int) -> tuple[int, int]:
        """Width and height of a tile's image in pixels."""
        tile = self._tile(local_id)
        if tile.part is not None:
            return tile.part[2:]
        size = None if tile.picture is None else tile.picture.declared or tile.picture.size
        return size or (self.tile_width, self.tile_height)

    def image_source(self, local_id: int) -> TileImage | None:
        """The part of an image that shows a tile; None where the tileset has none for it."""
        tile = self._tile(local_id)
        if tile.picture is not None:
            width, height = tile.picture.size or self.tile_size(local_id)
            return TileImage(tile.picture, *(tile.part or (0, 0, width, height)))
        columns, rows = self.shape
        if self.picture is None or not 0 <= local_id < columns * rows:
            return None
        row, column = divmod(local_id, columns)
        left = self.margin + column * (self.tile_width + self.spacing)
        top = self.margin + row * (self.tile_height + self.spacing)
        return TileImage(self.picture, left, top, self.tile_width, self.tile_height)

    def stamp(self, local_id: int, target: tuple[float, float] | None = None) -> Stamp:
        """How a tile is drawn.

        Args:
            local_id: The tile's number in this tileset.
            target: The size asked for, as tile objects do; None for the tile's own size.
        """
        width, height = self.tile_size(local_id)
        room_x, room_y = target or (width, height)
        scale_x, scale_y = room_x / max(width, 1), room_y / max(height, 1)
        if self.fill_mode == "preserve-aspect-fit":
            scale_x = scale_y = min(scale_x, scale_y)
        offset_x, offset_y = self.tile_offset
        return Stamp(
            room_x,
            room_y,
            width * scale_x,
            height * scale_y,
            offset_x * scale_x,
            offset_y * scale_y,
        )

    def stamps(self, local_ids: NDArray[np.int64], cell: tuple[int, int]) -> NDArray[np.float64]:
        """The stamps of many tiles in a tile layer, (n, 6).

        Args:
            local_ids: The tiles' numbers in this tileset.
            cell: Width and height of a cell of the map, for tiles drawn at its size.
        """
        target = cell if self.render_size == "grid" else None
        if not self._own_sizes and self.has_image(0):
            stamps = np.broadcast_to(np.array(self.stamp(0, target)), (len(local_ids), 6))
            if int(local_ids.max(initial=0)) < self.tile_count:
                return stamps
        used, which = np.unique(local_ids, return_inverse=True)
        # what has no image is marked in the whole cell, and knows no offset
        missing = Stamp(*cell, *cell, 0, 0)
        kinds = [
            self.stamp(number, target) if self.has_image(number) else missing
            for number in used.tolist()
        ]
        return np.array(kinds, float).reshape(-1, 6)[which]

    @property
    def shape(self) -> tuple[int, int]:
        """Columns and rows of the grid, counted as Tiled does on the image itself."""
        if self.picture is None or not self.tile_width or not self.tile_height:
            return 0, 0
        width, height = self.picture.size or (0, 0)
        spare = self.spacing - self.margin
        columns = max(0, (width + spare) // (self.tile_width + self.spacing)) or self.columns
        rows = max(0, (height + spare) // (self.tile_height + self.spacing))
        return columns, rows

    def collision_shapes(self, local_id: int) -> list[CollisionShape]:
        """The shapes that Tiled's collision editor gave to a tile.

        Args:
            local_id: The tile's number in this tileset.

        Returns:
            Outlines in pixels of the tile's image from its top-left corner, y down.
        """
        return self._tile(local_id).shapes

    def has_image(self, local_id: int) -> bool:
        """Whether there is an image to draw a tile with; a look at its file, not into it."""
        own = self._tile(local_id).picture
        if own is None and not 0 <= local_id < self.tile_count:
            return False
        picture = own or self.picture
        return picture is not None and not picture.missing

    @property
    def end_id(self) -> int:
        """One more than the highest local id; collections with gaps have ids above their count."""
        return max(self.tile_count, max(self.tiles, default=-1) + 1)

    @property
    def end_gid(self) -> int:
        """The first gid beyond the tileset."""
        return self.first_gid + self.end_id

    @cached_property
    def _own_sizes(self) -> bool:
        return any(tile.picture is not None for tile in self.tiles.values())

    def _tile(self, local_id: int) -> Tile:
        return self.tiles.get(local_id, _NO_TILE)


_NO_TILE = Tile()


class TilesetList(Sequence[Tileset]):
    """The tilesets of a map by ascending gid, and whose gid is whose."""

    def __init__(self, tilesets: list[Tileset], cell: tuple[int, int]) -> None:
        self._cell = cell
        self.as_written = tilesets  # in the order of the file, which is not always that of gids
        self._tilesets = sorted(tilesets, key=lambda tileset: tileset.first_gid)
        self._first_gids = np.array([tileset.first_gid for tileset in self._tilesets], np.int64)

    def __len__(self) -> int:
        return len(self._tilesets)

    def __getitem__(self, index: Any) -> Any:
        return self._tilesets[index]

    def owner(self, gid: int) -> Tileset:
        """The tileset of a gid.

        Raises:
            KeyError: No tileset begins at or below it, or it is beyond the last tile of the last.
        """
        number = int(np.searchsorted(self._first_gids, gid, "right")) - 1
        if number < 0 or gid <= 0:
            raise KeyError(gid)
        found: Tileset = self._tilesets[number]
        # Maps of old Tiled versions do not say how many tiles a tileset has, and use more than
        # its image seems to hold: Tiled marks those, and so do we.
        if found is self._tilesets[-1] and found.counted and gid >= found.end_gid:
            raise KeyError(gid)
        return found

    def matches(self, gid: int, class_name: str | None, properties: dict[str, Any]) -> bool:
        """Whether a tile has the class, unless that is None, and all of the properties."""
        tileset = self.owner(gid)
        local_id = gid - tileset.first_gid
        has = tileset.tile_properties(local_id)
        return class_name in (None, tileset.tile_class(local_id)) and all(
            name in has and has[name] == value for name, value in properties.items()
        )

    def strays(self, gids: NDArray[np.uint32]) -> NDArray[np.bool_]:
        """Which gids lie between the last tile of one tileset and the first of the next."""
        ends = np.array(
            [1 << 62 if tileset.missing else tileset.end_gid for tileset in self], np.int64
        )
        owners = np.searchsorted(self._first_gids, gids, "right") - 1
        stray: NDArray[np.bool_] = gids >= ends[owners]
        return stray

    def stamps(self, gids: NDArray[np.uint32]) -> NDArray[np.float64]:
        """The stamps of many tiles of a tile layer, (n, 6)."""
        stamps = np.empty((len(gids), 6))
        owners = np.searchsorted(self._first_gids, gids, "right") - 1
        for number in np.unique(owners):
            tileset = self._tilesets[number]
            mine = owners == number
            local_ids = gids[mine].astype(np.int64) - tileset.first_gid
            stamps[mine] = tileset.stamps(local_ids, self._cell)
        return stamps
