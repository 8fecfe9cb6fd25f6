"""Which slot of a texture atlas shows which tile."""

from __future__ import annotations

from itertools import accumulate

import arcade
from arcade.hitbox import algo_bounding_box
from arcade.texture_atlas import TextureAtlasBase
from pyglet.image.atlas import AllocatorException

from tilequad.draw.pillow import TilePictures
from tilequad.tiled import MapError, TileMap

__all__ = ["TileSlots"]


class TileSlots:
    """Puts the pictures of a map's tiles into an atlas, each once, as they are asked for.

    Its slots are good as long as it lives.

    Args:
        world: The map.
        atlas: Where the pictures go.

    Attributes:
        pictures: The same tiles for Pillow.
    """

    def __init__(self, world: TileMap, atlas: TextureAtlasBase) -> None:
        self.pictures = TilePictures.of(world)
        # The atlas forgets a texture that nobody else refers to.
        self._textures: list[arcade.Texture] = []
        self._world = world
        self._atlas = atlas
        self._slots: dict[int, dict[int, int]] = {}
        # An atlas that is full has grown to all that the GPU has by then: what cannot fit is
        # refused before.
        self._largest = atlas.ctx.info.MAX_TEXTURE_SIZE
        self._room = self._largest**2

    def of(self, gid: int) -> dict[int, int]:
        """The slots of a tile: one for each frame of its animation, by the frame's local id.

        A tile that is not animated is its own only frame.

        Args:
            gid: Tiled's number of the tile, without flip bits.

        Raises:
            MapError: An image cannot be read, and the map was opened with `strict=True`; or the
                pictures are too large for the atlas.
        """
        if gid not in self._slots:
            tileset = self._world.tileset_of(gid)
            frames = tileset.animation(gid - tileset.first_gid)
            starts = accumulate((frame.milliseconds for frame in frames), initial=0)
            self._slots[gid] = {
                tileset.frame_at(gid - tileset.first_gid, start): self._add(gid, start)
                for start in list(starts)[: len(frames) or 1]
            }
        return self._slots[gid]

    def _add(self, gid: int, time: float) -> int:
        image = self.pictures.tile(gid, time)
        self._room -= image.width * image.height
        if self._room < 0 or max(image.size) > self._largest:
            raise self._too_large()
        # Tiles do not collide as sprites do, so the cheapest hit box serves.
        texture = arcade.Texture(image, hit_box_algorithm=algo_bounding_box)
        self._textures.append(texture)
        try:
            return self._atlas.add(texture)[0]
        except AllocatorException:
            raise self._too_large() from None

    def _too_large(self) -> MapError:
        most = f"{self._largest} x {self._largest} pixels at most"
        reason = f"the pictures of its tiles do not fit into the texture atlas ({most})"
        return MapError(self._world.path, reason)
