"""Slots of a texture atlas for the tiles of a map."""

from __future__ import annotations

from itertools import accumulate

import arcade
from arcade.hitbox import algo_bounding_box
from arcade.texture_atlas import TextureAtlasBase
from pyglet.image.atlas import AllocatorException

from tilequad.draw.tile_pictures import TilePictures
from tilequad.tiled import MapError, TileMap

__all__ = ["TileSlots"]


class TileSlots:
    """Adds the pictures of tiles to an atlas when they are first needed, each once.

    The slots stay valid as long as this object lives.

    Args:
        tile_map: The map.
        atlas: The atlas to fill.

    Attributes:
        pictures: The Pillow images of the tiles.
    """

    def __init__(self, tile_map: TileMap, atlas: TextureAtlasBase) -> None:
        self.pictures = TilePictures.of(tile_map)
        # The atlas drops a texture without other references.
        self._textures: list[arcade.Texture] = []
        self._tile_map = tile_map
        self._atlas = atlas
        self._slots: dict[int, dict[int, int]] = {}
        # An atlas grows to the GPU's largest texture; refuse more pixels before it does.
        self._largest = atlas.ctx.info.MAX_TEXTURE_SIZE
        self._pixels_left = self._largest**2

    def of(self, gid: int) -> dict[int, int]:
        """Return the slots of a tile: one per animation frame, by the frame's local id.

        A tile without an animation is its own single frame.

        Args:
            gid: Tiled's number of the tile, without flip bits.

        Raises:
            MapError: An image cannot be read, and the map was opened with `strict=True`; or the
                pictures are too large for the atlas.
        """
        if gid not in self._slots:
            tileset = self._tile_map.tileset_of(gid)
            frames = tileset.animation(gid - tileset.first_gid)
            starts = accumulate((frame.milliseconds for frame in frames), initial=0)
            self._slots[gid] = {
                tileset.frame_at(gid - tileset.first_gid, start): self._add(gid, start)
                for start in list(starts)[: len(frames) or 1]
            }
        return self._slots[gid]

    def _add(self, gid: int, time: float) -> int:
        image = self.pictures.tile(gid, time)
        self._pixels_left -= image.width * image.height
        if self._pixels_left < 0 or max(image.size) > self._largest:
            raise self._too_large()
        # Nothing tests these textures for collisions, so use the cheapest hit box.
        texture = arcade.Texture(image, hit_box_algorithm=algo_bounding_box)
        self._textures.append(texture)
        try:
            return self._atlas.add(texture)[0]
        except AllocatorException:
            raise self._too_large() from None

    def _too_large(self) -> MapError:
        most = f"{self._largest} x {self._largest} pixels at most"
        reason = f"the pictures of its tiles do not fit into the texture atlas ({most})"
        return MapError(self._tile_map.path, reason)
