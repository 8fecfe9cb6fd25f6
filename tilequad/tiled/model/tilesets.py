"""Tilesets: the image, size, class, properties and animation of each tile."""

from __future__ import annotations

import os
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import accumulate
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tilequad._core.checks import finite_number
from tilequad._core.shown import shown

from ..cells import GID_MASK
from ..checks import text_of, whole_within
from ..filters import matches
from . import verbs
from .collision import CollisionShape
from .pictures import Picture, TileImage
from .properties import Properties, properties_of
from .wang_sets import WangSet

__all__ = ["DrawBox", "Frame", "Tile", "Tileset", "TilesetList", "Transformations"]


class Frame(NamedTuple):
    """One frame of an animation."""

    local_id: int
    milliseconds: int


class DrawBox(NamedTuple):
    """The box of a tile, the size of the image in the middle of it, and its offset."""

    width: float
    height: float
    image_width: float
    image_height: float
    offset_x: float
    offset_y: float  # down


@dataclass(frozen=True)
class Transformations:
    """How Tiled may transform tiles to complete a Wang set.

    Attributes:
        flip_horizontally: Whether tiles may be flipped left to right.
        flip_vertically: Whether tiles may be flipped top to bottom.
        rotate: Whether tiles may be rotated by 90 degrees.
        prefer_untransformed: Whether tiles that are not transformed are chosen first.
    """

    flip_horizontally: bool = False
    flip_vertically: bool = False
    rotate: bool = False
    prefer_untransformed: bool = False


@dataclass
class Tile:
    """The data of a tileset about a single tile."""

    class_name: str = ""
    probability: float = 1.0
    properties: Properties = field(default_factory=Properties)
    frames: list[Frame] = field(default_factory=list)
    picture: Picture | None = None
    part: tuple[int, int, int, int] | None = None  # left, top, width, height in the picture
    shapes: list[CollisionShape] = field(default_factory=list)

    def _own_properties(self, tools: Any) -> Properties:
        """Return what objects have from the tile: all but the usual members of its class."""
        found: Properties = tools.without_members(self.properties, self.class_name, "tile")
        return found

    @cached_property
    def frame_ends(self) -> tuple[int, list[int]]:
        """Return the length of the animation and the end of each frame, in milliseconds."""
        ends = list(accumulate(frame.milliseconds for frame in self.frames))
        return ends[-1], list(accumulate(ends, max))


@dataclass
class Tileset:
    """Tiles cut from one image in a grid, or a collection of images.

    See https://doc.mapeditor.org/en/stable/manual/editing-tilesets/. Methods take local ids: a
    tile's gid minus `first_gid`.

    Attributes:
        first_gid: The gid of its first tile in this map.
        name: Its name.
        path: The tileset's own file, or None if it is part of the map's or its path is absolute.
        tile_width: Width of a tile in pixels; of the widest one in a collection.
        tile_height: Height of a tile in pixels.
        tile_count: Number of tiles; counted in the image if the map does not declare it. Ids of
            a collection of images may have gaps.
        missing: Whether its file could not be read; its tiles are drawn as markers, as in Tiled.
        columns: Tiles in a row of the image; 0 for a collection.
        margin: Pixels around the grid of the image.
        spacing: Pixels between the tiles of the image.
        tile_offset: Pixels by which tiles are moved when drawn, (x, y), y down.
        render_size: "tile" draws a tile at its own size, "grid" at the size of the map's cells.
        fill_mode: How "grid" fills a cell: "stretch" or "preserve-aspect-fit".
        object_alignment: Which point of a tile object is at its position; "unspecified" is
            bottom-left, and bottom in isometric maps.
        grid: Orientation, width and height of the cells that its collision shapes are drawn in.
        class_name: The class given to the tileset in Tiled, or "".
        properties: Custom properties of the tileset.
        transformations: How tiles may be transformed to complete a Wang set.
        wang_sets: The rules for which tiles fit next to each other.
        picture: The image of a grid tileset, or None.
        tiles: Data about single tiles, by local id.
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
    class_name: str = ""
    properties: Properties = field(default_factory=Properties)
    transformations: Transformations = Transformations()
    wang_sets: tuple[WangSet, ...] = field(default=(), repr=False)
    picture: Picture | None = None
    missing: bool = False
    tiles: dict[int, Tile] = field(default_factory=dict, repr=False)

    _tools: Any = field(default=None, repr=False, compare=False)  # the MapTools of its map

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the tileset to a file of its own; all that was not changed stays as it was.

        The map goes on naming the file that it named.

        Cost: reads the tileset's file again.

        Args:
            path: The .tsx, .tsj or .json file; `tileset.path` to write over its own one.

        Raises:
            MapError: The tileset's file cannot be read, or a change cannot be saved.
            OSError: The file cannot be written.
            ValueError: The suffix is none of these.

        Example:
            >>> from tempfile import TemporaryDirectory
            >>> from tilequad import load_map
            >>> terrain = load_map("maps/frontier.tmx").tilesets[0]
            >>> terrain.edit_tile(3, properties={"solid": True})
            >>> with TemporaryDirectory() as folder:
            ...     terrain.save(f"{folder}/terrain.tsx")
        """
        verbs.save_tileset(self, path)

    def edit_tile(
        self,
        local_id: int,
        *,
        class_name: str | None = None,
        properties: Mapping[str, Any] | None = None,
        probability: float | None = None,
        animation: Sequence[tuple[int, int]] | None = None,
    ) -> None:
        """Change what the tileset says of a tile; what is None stays as it is.

        Selections, grids and views follow, and objects that show the tile. All tilesets of a map
        with the same file follow.

        Cost: that of a reload: selections, grids and pictures are made anew. So edit tiles before
        you make them.

        Args:
            local_id: The tile.
            class_name: Its class.
            properties: All of its custom properties.
            probability: How likely Tiled is to choose it, relative to others.
            animation: Its frames as (local_id, milliseconds); empty for a still tile.

        Raises:
            KeyError: The tileset lacks the tile, or that of a frame.
            TypeError: An argument is of the wrong type.
            ValueError: A number is negative or not finite.

        Example:
            >>> from tilequad import load_map
            >>> terrain = load_map("maps/frontier.tmx").tilesets[0]
            >>> terrain.edit_tile(3, class_name="wall", properties={"solid": True})
            >>> terrain.tile_class(3), terrain.tile_properties(3)
            ('wall', {'solid': True})
        """
        number = self._checked_tile(local_id, "local_id")
        changes: dict[str, Any] = {}
        if class_name is not None:
            changes["class_name"] = text_of(class_name, "class_name")
        if properties is not None:
            changes["properties"] = properties_of(properties)
        if probability is not None:
            changes["probability"] = finite_number(probability, "probability")
            if changes["probability"] < 0:
                raise ValueError(f"probability must not be negative, got {shown(probability)}")
        if animation is not None:
            changes["frames"] = self._frames_of(animation)
        was = self.tiles.get(number, Tile())
        tile = replace(was, **changes)
        if tile.class_name != was.class_name:
            own = replace(tile, class_name=was.class_name)
            tile.properties = own._own_properties(self._tools)
        self._tools.complete(tile.properties, tile.class_name, "tile")
        followers = self._tools.followers
        try:
            self.tiles[number] = tile
            followers.tell(lambda tile_map: tile_map._tile_changed(self, number, was))
        except BaseException:  # such as Ctrl-C; some may not know yet
            self.tiles[number] = tile
            followers.tell(lambda tile_map: tile_map._tile_changed(self, number, was))
            raise

    def _frames_of(self, animation: Sequence[tuple[int, int]]) -> list[Frame]:
        try:
            pairs = [(tile, time) for tile, time in animation]
        except (TypeError, ValueError):
            raise TypeError(
                f"animation must be pairs of a local id and milliseconds, got {shown(animation)}"
            ) from None
        return [
            Frame(self._checked_tile(tile, "animation"), whole_within(time, "animation", 0))
            for tile, time in pairs
        ]

    def _checked_tile(self, local_id: int, name: str) -> int:
        number = whole_within(local_id, name, 0)
        if not self.has_tile(number):
            raise KeyError(f"{name}: the tileset {self.name!r} has no tile {number}")
        return number

    def tile_properties(self, local_id: int) -> Properties:
        """Return the custom properties of a tile; empty if it has none."""
        return self._tile(local_id).properties

    def tile_class(self, local_id: int) -> str:
        """Return the class of a tile, called type by some versions of Tiled; or ""."""
        return self._tile(local_id).class_name

    def tile_probability(self, local_id: int) -> float:
        """Return how likely Tiled is to choose a tile, relative to others; usually 1."""
        return self._tile(local_id).probability

    def animation(self, local_id: int) -> list[Frame]:
        """Return the frames of a tile as (local_id, milliseconds); empty for a still tile."""
        return self._tile(local_id).frames

    def frame_at(self, local_id: int, time: float = 0) -> int:
        """Return the local id of the tile that an animated tile shows at a time.

        Args:
            local_id: The animated tile; a still tile shows itself.
            time: Milliseconds since the animation began.
        """
        tile = self._tile(local_id)
        if not tile.frames:
            return local_id
        total, ends = tile.frame_ends
        at = bisect_right(ends, time % total if total > 0 else 0)
        return tile.frames[at % len(ends)].local_id

    def tile_size(self, local_id: int) -> tuple[int, int]:
        """Return width and height of a tile's image in pixels."""
        tile = self._tile(local_id)
        if tile.part is not None:
            return tile.part[2:]
        size = None if tile.picture is None else tile.picture.declared or tile.picture.size
        return size or (self.tile_width, self.tile_height)

    def image_source(self, local_id: int) -> TileImage | None:
        """Return the part of an image that shows a tile, or None."""
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

    def _draw_box(self, size: tuple[int, int], target: tuple[float, float] | None) -> DrawBox:
        """Return where and how large an image of a size is drawn; (0, 0) if it is missing.

        `target` is the size to draw it at, as tile objects have; None for its own size.
        """
        width, height = size
        if target and not (width and height):  # a marker of that size
            return DrawBox(*target, *target, 0, 0)
        box_width, box_height = target or (width, height)
        scale_x, scale_y = box_width / max(width, 1), box_height / max(height, 1)
        if self.fill_mode == "preserve-aspect-fit":
            scale_x = scale_y = min(scale_x, scale_y)
        offset_x, offset_y = self.tile_offset
        return DrawBox(
            box_width,
            box_height,
            width * scale_x,
            height * scale_y,
            offset_x * scale_x,
            offset_y * scale_y,
        )

    def _draw_boxes(
        self, local_ids: NDArray[np.int64], cell: tuple[int, int]
    ) -> NDArray[np.float64]:
        """Return the draw boxes of many tiles in a tile layer, (n, 6); a marker fills the cell."""
        target = cell if self.render_size == "grid" else None
        usual = np.array(self._draw_box((self.tile_width, self.tile_height), target))
        highest = int(local_ids.max(initial=0))
        if not len(self._with_pictures) and highest < self.tile_count and self.has_image(highest):
            return np.broadcast_to(usual, (len(local_ids), 6))
        missing = DrawBox(*cell, *cell, 0, 0)  # a marker fills the cell
        boxes = np.tile(np.array(missing, float), (len(local_ids), 1))
        if self.picture is not None and not self.picture.missing:
            boxes[local_ids < self._image_end(highest)] = usual
        special = np.isin(local_ids, self._with_pictures)
        used, which = np.unique(local_ids[special], return_inverse=True)
        drawn = [
            self._draw_box(self.tile_size(number), target) if self.has_image(number) else missing
            for number in used.tolist()
        ]
        boxes[special] = np.array(drawn, float).reshape(-1, 6)[which]
        return boxes

    @property
    def shape(self) -> tuple[int, int]:
        """Columns and rows of the grid, counted in the image itself, as Tiled does."""
        if self.picture is None or not self.tile_width or not self.tile_height:
            return 0, 0
        width, height = self.picture.size or (0, 0)
        spare = self.spacing - self.margin
        columns = max(0, (width + spare) // (self.tile_width + self.spacing)) or self.columns
        rows = max(0, (height + spare) // (self.tile_height + self.spacing))
        return columns, rows

    def collision_shapes(self, local_id: int) -> list[CollisionShape]:
        """Return the shapes that Tiled's collision editor gave to a tile.

        Returns:
            Outlines in pixels of the tile's image from its top-left corner, y down.
        """
        return self._tile(local_id).shapes

    def has_tile(self, local_id: int) -> bool:
        """Return whether the tileset has a tile; if not, a marker is drawn.

        Opens the image only for a tile beyond `tile_count`: it may have grown since the map was
        saved.
        """
        return local_id in self.tiles or 0 <= local_id < self._image_end(local_id)

    def has_image(self, local_id: int) -> bool:
        """Return whether a tile has an image file, or one embedded in the map.

        Opens the image only for a tile beyond `tile_count`.
        """
        own = self._tile(local_id).picture
        if own is not None:
            return not own.missing
        if self.picture is None or self.picture.missing:
            return False
        return 0 <= local_id < self._image_end(local_id)

    @cached_property
    def end_id(self) -> int:
        """One more than the highest local id."""
        return max(self.tile_count, max(self.tiles, default=-1) + 1)

    @property
    def end_gid(self) -> int:
        """The first gid beyond the tileset."""
        return self.first_gid + self.end_id

    def _image_end(self, local_id: int) -> int:
        """One more than the highest id in the image; opens the image only if it may have grown."""
        if self.picture is None:
            return 0
        if local_id < self.tile_count:
            return self.tile_count
        columns, rows = self.shape
        return max(self.tile_count, columns * rows)

    @cached_property
    def _with_pictures(self) -> NDArray[np.int64]:
        """The tiles that have an image of their own."""
        own = [number for number, tile in self.tiles.items() if tile.picture is not None]
        return np.array(own, np.int64)

    def _described(self) -> Iterator[tuple[Properties, str, str]]:
        """Yield the properties of the tileset and of all in it, each with its class and its use."""
        yield self.properties, self.class_name, "tileset"
        for tile in self.tiles.values():
            yield tile.properties, tile.class_name, "tile"
            for shape in tile.shapes:
                yield shape.properties, shape.class_name, "object"
        for wang_set in self.wang_sets:
            yield wang_set.properties, wang_set.class_name, "wangset"
            for color in wang_set.colors:
                yield color.properties, color.class_name, "wangcolor"

    def _tile(self, local_id: int) -> Tile:
        return self.tiles.get(local_id, _NO_TILE)


_NO_TILE = Tile()


class TilesetList(Sequence[Tileset]):
    """The tilesets of a map by ascending gid; finds the tileset of a gid."""

    def __init__(self, tilesets: list[Tileset], cell: tuple[int, int]) -> None:
        self._cell = cell
        self.as_written = tilesets  # in the order of the file, not always by gid
        self.added: list[Tileset] = []  # those that the file does not have yet
        self._sort(tilesets)

    def _sort(self, tilesets: list[Tileset]) -> None:
        self._tilesets = sorted(tilesets, key=lambda tileset: tileset.first_gid)
        self._starts = [tileset.first_gid for tileset in self._tilesets]
        self._first_gids = np.array(self._starts, np.int64)

    def __len__(self) -> int:
        return len(self._tilesets)

    def __getitem__(self, index: Any) -> Any:
        return self._tilesets[index]

    def add(self, tileset: Tileset) -> None:
        """Add a tileset whose gids are above those of all others."""
        self.as_written.append(tileset)
        self.added.append(tileset)
        self._sort(self.as_written)
        vars(self).pop("known_to", None)

    def owner(self, gid: int) -> Tileset:
        """Return the tileset of a gid: the last one that begins at it or below.

        As in Tiled, the tileset may lack the tile: a marker is drawn for it.

        Raises:
            KeyError: The gid is below the first tileset, or has more than 28 bits.
        """
        number = bisect_right(self._starts, gid) - 1
        if number < 0 or not 0 < gid <= GID_MASK:
            if gid == 0:
                raise KeyError("gid 0 stands for an empty cell: clear_tile clears one")
            raise KeyError(f"no tileset of the map has gid {shown(gid)}")
        found: Tileset = self._tilesets[number]
        return found

    def _tile_of(self, gid: int) -> Tile:
        """Return what is known of the tile of a gid."""
        tileset = self.owner(gid)
        return tileset._tile(gid - tileset.first_gid)

    def matches(self, gid: int, properties: dict[str, Any], class_name: str | None) -> bool:
        """Return whether a tile has the class, unless that is None, and all properties."""
        return matches(self._tile_of(gid), properties, class_name)

    @cached_property
    def known_to(self) -> int:
        """Return the lowest gid, from 1 on, whose tile may be missing, without opening an image."""
        end = 1
        for tileset in self._tilesets:
            if tileset.first_gid > end or tileset.missing:
                break
            end = tileset.end_gid
        return end

    def strays(self, gids: NDArray[np.uint32]) -> NDArray[np.bool_]:
        """Return which gids are beyond the last tile of their tileset."""
        ends = np.array(
            [1 << 62 if tileset.missing else tileset.end_gid for tileset in self], np.int64
        )
        owners = np.searchsorted(self._first_gids, gids, "right") - 1
        for number in np.unique(owners[gids >= ends[owners]]).tolist():
            tileset = self._tilesets[number]  # its image may have grown
            end = tileset._image_end(tileset.end_id)
            ends[number] = max(ends[number], tileset.first_gid + end)
        stray: NDArray[np.bool_] = gids >= ends[owners]
        return stray

    def draw_boxes(self, gids: NDArray[np.uint32]) -> NDArray[np.float64]:
        """Return the draw boxes of many tiles of a tile layer, (n, 6)."""
        owners = np.searchsorted(self._first_gids, gids, "right") - 1
        if len(owners) and owners.min() == owners.max():  # the usual case
            only: Tileset = self._tilesets[owners[0]]
            return only._draw_boxes(gids.astype(np.int64) - only.first_gid, self._cell)
        boxes = np.empty((len(gids), 6))
        for number in np.unique(owners):
            tileset = self._tilesets[number]
            mine = owners == number
            local_ids = gids[mine].astype(np.int64) - tileset.first_gid
            boxes[mine] = tileset._draw_boxes(local_ids, self._cell)
        return boxes
