"""Draw units among tall tiles: those farther back are drawn first."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import arcade
import numpy as np
from arcade.hitbox import algo_bounding_box
from numpy.typing import ArrayLike, NDArray
from pyglet.image.atlas import AllocatorException

from tilequad._core.checks import finite_number, number_of
from tilequad._core.shown import shown
from tilequad.bounds import Bounds
from tilequad.draw.arcade.sprite_batch import RECORD, SpriteBatch, Style
from tilequad.draw.arcade.tile_kinds import MOST_SIZES, flips_and_turn, too_large
from tilequad.draw.arguments import checked_layers, checked_tile_map, set_rows
from tilequad.draw.tile_pictures import TilePictures, is_tint
from tilequad.tiled import ImageLayer, Layer, ObjectLayer, TileLayer, TileMap
from tilequad.tiled.cells import FLAG_SHIFT, GID_MASK

__all__ = ["StandingLayers"]

Size = tuple[int, int]  # width and height, in pixels
Standing = tuple[np.ndarray, NDArray[np.float64]]  # the records of tiles or objects, and their feet
NOTHING: Standing = np.empty(0, RECORD), np.empty(0)


class StandingLayers:
    """Draws the tiles of chosen layers and a game's units sorted by their feet, in one draw call.

    A unit in front of a tree hides it, and a unit behind it is hidden. Draw the other layers with
    `MapView.draw(bounds, layers)`: the lower ones before, the upper ones afterwards. While neither
    the view nor the layers change, no tile is asked for again; else each tile in view costs half a
    microsecond, and the picture of each new kind a tenth of a millisecond. A layer that is removed
    from the map stands no more.

    Args:
        tile_map: The map, with y up.
        layers: Tile layers and object layers; of object layers, only tile objects stand.
        batch: Draws the units; its atlas also takes the pictures of the tiles.
        feet: How far above the lower edge of its picture a tile stands, in world units: one number
            for all, or a dict of layers and numbers, 0 for a layer that it lacks.

    Raises:
        ValueError: The map was loaded with `y_up=False`.
        KeyError: A layer belongs to another map.
        TypeError: A layer is an image layer, or an argument is something else than it should be.

    Example:
        >>> from tilequad.draw.arcade import MapView, SpriteBatch, StandingLayers
        >>> def show(map_view: MapView, standing: StandingLayers, bounds, positions) -> None:
        ...     map_view.draw(bounds, [map_view.tile_map.layer("ground")])
        ...     standing.draw(bounds, positions, feet=positions[:, 1] - 12)
    """

    def __init__(
        self,
        tile_map: TileMap,
        layers: Sequence[Layer],
        batch: SpriteBatch,
        feet: float | Mapping[Layer, float] = 0.0,
    ) -> None:
        checked_tile_map(tile_map, y_up=True)
        if not isinstance(batch, SpriteBatch):
            raise TypeError(f"batch must be a SpriteBatch, got {shown(batch)}")
        chosen = checked_layers(layers, tile_map)
        heights = feet if isinstance(feet, Mapping) else dict.fromkeys(chosen, feet)
        for layer in heights:
            if not isinstance(layer, Layer):
                raise TypeError(f"feet must be a number for each layer, got one for {shown(layer)}")
        for layer in chosen:
            if isinstance(layer, ImageLayer):
                raise TypeError(f"an image layer cannot stand, got {shown(layer)}")
        self._batch = batch
        kinds = self._kinds = Kinds(tile_map, batch)
        self._time = 0.0
        self._parts = [
            StandingLayer(tile_map, layer, kinds, number_of(heights.get(layer, 0.0), "feet"))
            for layer in chosen
        ]

    def draw(
        self,
        bounds: Sequence[float],
        positions: ArrayLike = (),
        textures: ArrayLike = 0,
        *,
        feet: ArrayLike | None = None,
        sizes: ArrayLike | None = None,
        angles: ArrayLike = 0.0,
        colors: ArrayLike = (255, 255, 255, 255),
        flash: ArrayLike = 0.0,
    ) -> None:
        """Draw the tiles in view and the units, the highest foot first. The camera must be in use.

        Args:
            bounds: What the camera sees: `visible_bounds(camera)`.
            positions: (n, 2) centers of the units in world units; those in view are enough.
            textures: As for `SpriteBatch.draw`, like the arguments after `feet`.
            feet: (n,) the y at which each unit stands; by default the lower edge of its picture.
                At the same foot, tiles come first, then units in their order.
            sizes: As for `SpriteBatch.draw`.
            angles: As for `SpriteBatch.draw`.
            colors: As for `SpriteBatch.draw`.
            flash: As for `SpriteBatch.draw`.

        Raises:
            ValueError: As `SpriteBatch.draw`; `bounds` is not a box, or `feet` do not match.
            TypeError: As `SpriteBatch.draw`.
            IndexError: As `SpriteBatch.draw`.
            MapError: A picture cannot be read, or does not fit into the atlas.
        """
        seen = Bounds.of(bounds)
        units = self._batch._records_of(positions, Style(textures, sizes, angles, colors, flash))
        own = np.empty(len(units), np.float64)
        if feet is None:
            own[:] = units["center"][:, 1] - abs(units["size"][:, 1]) / 2
        else:
            set_rows(own, feet, "feet")
        self._kinds.follow()
        found = [part.standing(seen, self._time) for part in self._parts]
        records = np.concatenate([*(part for part, _ in found), units])
        heights = np.concatenate([*(part for _, part in found), own])
        self._batch._draw_records(records[np.argsort(-heights, kind="stable")])

    @property
    def nbytes(self) -> int:
        """The memory of the tiles in view, in bytes, without the atlas."""
        return sum(part.nbytes for part in self._parts)

    def set_time(self, time: float) -> None:
        """Set the time that animated tiles show; at first it is 0.

        Args:
            time: Milliseconds since the map was opened.
        """
        self._time = finite_number(time, "time")


class Kinds:
    """The pictures of kinds of tiles in the atlas, each added when it is first in view.

    Units and tiles are drawn in one call, so they need one texture: the atlas of the units. The
    slots stay valid as long as this object lives.
    """

    def __init__(self, tile_map: TileMap, batch: SpriteBatch) -> None:
        self._tile_map = tile_map
        self._batch = batch
        self._hexagonal = tile_map.orientation == "hexagonal"
        self._begin()

    def _begin(self) -> None:
        """Take all pictures anew."""
        self._revision = self._tile_map.revision
        self._pictures = TilePictures.of(self._tile_map)
        self._slots: dict[tuple[int, Size | None], int] = {}  # without animations
        self._sizes: set[Size] = set()  # of markers
        # The atlas drops a texture without other references.
        self._textures: list[arcade.Texture] = []
        self._pixels_left = self._batch._context.info.MAX_TEXTURE_SIZE**2
        self._cache: dict[int, tuple[dict[int, int], int, float, float, float]] = {}
        self.animated: set[int] = set()

    def follow(self) -> None:
        """Follow a reload of the map."""
        if self._revision != self._tile_map.revision:
            self._begin()

    def look(
        self, raw: int, time: float, size: Size | None = None
    ) -> tuple[int, float, float, float]:
        """Return a kind's picture code for a RECORD, its rotation, and its own width and height.

        An object has a size in pixels: the marker of a missing image is drawn for it, for its lines
        are as wide at any size. A MapError says that an image cannot be read, or that the pictures
        are too large for the atlas.
        """
        if raw not in self._cache:
            gid = raw & GID_MASK
            flips, turn = flips_and_turn(raw >> FLAG_SHIFT, self._hexagonal)
            box = self._tile_map.tilesets.draw_boxes(np.array([gid], np.uint32))[0]
            width, height = float(box[2]), float(box[3])
            if flips & 1:
                width, height = height, width
            frames = self._pictures.frames(gid)
            codes = {frame: self._slot(frame) << 4 | flips for frame in frames}
            self._cache[raw] = codes, gid, turn, width, height
            if len(codes) > 1:
                self.animated.add(raw)
        codes, gid, turn, width, height = self._cache[raw]
        is_marker = gid not in self._pictures.animated and self._pictures.is_marker(gid)
        if size and is_marker and (size in self._sizes or len(self._sizes) < MOST_SIZES):
            self._sizes.add(size)
            code = self._slot(gid, size) << 4 | codes[gid] & 7
            return code, turn, width, height
        return codes[self._pictures.frame(gid, time)], turn, width, height

    def _slot(self, gid: int, size: Size | None = None) -> int:
        """Return the slot of a tile's picture in the atlas, or that of a marker of a size."""
        key = gid, size
        if key not in self._slots:
            image, context = self._pictures.still(gid, size), self._batch._context
            # An atlas grows to the GPU's largest texture; refuse more pixels before it does.
            self._pixels_left -= image.width * image.height
            if self._pixels_left < 0 or max(image.size) > context.info.MAX_TEXTURE_SIZE:
                raise too_large(self._tile_map, context)
            # Nothing tests these textures for collisions, so use the cheapest hit box.
            texture = arcade.Texture(image, hit_box_algorithm=algo_bounding_box)
            self._textures.append(texture)
            try:
                self._slots[key] = self._batch.atlas.add(texture)[0]
            except AllocatorException:
                raise too_large(self._tile_map, context) from None
        return self._slots[key]


class StandingLayer:
    """The standing tiles of one layer."""

    def __init__(self, tile_map: TileMap, layer: Layer, kinds: Kinds, foot: float) -> None:
        self._tile_map = tile_map
        self._layer = layer
        self._kinds = kinds
        self._foot = foot
        self._revision = 0
        self._animated = False
        self._shown: tuple[object, ...] = ()
        self._found = NOTHING
        if isinstance(layer, TileLayer):
            layer.observe(self)

    @property
    def nbytes(self) -> int:
        """The memory of the tiles in view, in bytes."""
        return sum(part.nbytes for part in self._found)

    def _tiles_changed(self, ids: NDArray[np.int32]) -> None:
        """Remember that the tiles must be asked for again."""
        self._revision += 1

    def standing(self, view: Bounds, time: float) -> Standing:
        """Return the tiles in view; asked for again only if something has changed."""
        layer = self._layer
        shift = self._tile_map.parallax_shift(layer, view)
        objects = layer.revision if isinstance(layer, ObjectLayer) else 0
        revision = self._revision, objects, self._tile_map.revision
        key = view, revision, shift, layer.opacity, layer.tint, layer.visible
        if (*key, time if self._animated else None) != self._shown:
            seen = view.shifted(-shift[0], -shift[1])
            self._animated = False
            shows = layer.visible and layer in self._tile_map.layers  # it may have been removed
            self._found = self._find(seen, shift, time) if shows else NOTHING
            self._shown = *key, time if self._animated else None
        return self._found

    def _find(self, view: Bounds, shift: tuple[float, float], time: float) -> Standing:
        layer = self._layer
        ids = layer.query(view)
        if isinstance(layer, ObjectLayer):
            records, ids = self._objects(layer, ids, time)
        else:
            assert isinstance(layer, TileLayer)
            records = self._tiles(layer, ids, time)
        boxes = layer.boxes(ids)
        records["center"] = (boxes[:, :2] + boxes[:, 2:]) / 2 + shift
        red, green, blue, alpha = layer.tint or (255, 255, 255, 255)
        if is_tint(layer.tint):
            records["code"] |= 8
        alphas = records["color"][:, 3] * (alpha * layer.opacity / 255)
        records["color"] = red, green, blue, 0
        records["color"][:, 3] = alphas.round()
        return records, boxes[:, 1] + self._foot + shift[1]

    def _tiles(self, layer: TileLayer, ids: NDArray[np.int32], time: float) -> np.ndarray:
        raw = layer.gids(ids) | layer.flags(ids).astype(np.uint32) << np.uint32(FLAG_SHIFT)
        kinds, which = np.unique(raw, return_inverse=True)
        looks = [self._kinds.look(kind, time) for kind in kinds.tolist()]
        self._animated = not self._kinds.animated.isdisjoint(kinds.tolist())
        table = np.array(looks, float).reshape(-1, 4)[which.reshape(-1)]
        records = np.zeros(len(ids), RECORD)
        records["code"] = table[:, 0]
        records["angle"] = table[:, 1]
        records["size"] = table[:, 2:]
        records["color"] = 255
        return records

    def _objects(
        self, layer: ObjectLayer, ids: NDArray[np.int32], time: float
    ) -> tuple[np.ndarray, NDArray[np.int32]]:
        chosen = [
            number
            for number in ids.tolist()
            if layer.objects[number].gid and layer.objects[number].visible
        ]
        records = np.zeros(len(chosen), RECORD)
        for record, number in zip(records, chosen, strict=True):
            item = layer.objects[number]
            raw = item.gid | item.flags << FLAG_SHIFT
            self._animated |= raw in self._kinds.animated
            corners = item.points
            size = [float(np.hypot(*(corners[i] - corners[0]))) for i in (1, 3)]
            shown = max(round(size[0]), 1), max(round(size[1]), 1)
            code, turn, _, _ = self._kinds.look(raw, time, shown)
            record["code"], record["angle"], record["size"] = code, turn + item.rotation, size
            record["color"] = 255, 255, 255, round(255 * item.opacity)
        return records, np.array(chosen, np.int32)
