"""The pictures of tiles in a texture atlas: which slot shows which tile."""

from __future__ import annotations

import arcade
from arcade.hitbox import algo_bounding_box
from arcade.texture_atlas import TextureAtlasBase
from PIL import Image

from tilequad.tiled import TileImage, TileMap

__all__ = ["TilePictures"]


class TilePictures:
    """Puts each tile that a map shows into the atlas, once, and knows its slot.

    Args:
        world: The map.
        atlas: Where the pictures go.

    Attributes:
        textures: What is in the atlas. It forgets a texture that nobody refers to: keep this list
            as long as the slots are used.
    """

    def __init__(self, world: TileMap, atlas: TextureAtlasBase) -> None:
        self.textures: list[arcade.Texture] = []
        self._world = world
        self._atlas = atlas
        self._slots: dict[int, int | None] = {}
        self._sheets: dict[int, Image.Image] = {}  # by the identity of the map's picture

    def slot(self, gid: int) -> int | None:
        """Where in the atlas the picture of a tile is; None for a tile without any.

        Args:
            gid: Tiled's number of the tile, without flip bits. Animations are not looked at.

        Raises:
            MapError: The tileset's image cannot be opened.
        """
        if gid not in self._slots:
            tileset = self._world.tileset_of(gid)
            source = tileset.image_source(gid - tileset.first_gid)
            self._slots[gid] = None if source is None else self._add(source)
        return self._slots[gid]

    def _add(self, source: TileImage) -> int:
        sheet = self._sheets.get(id(source.picture))
        if sheet is None:
            sheet = self._sheets[id(source.picture)] = source.picture.open()
        right, bottom = source.left + source.width, source.top + source.height
        # Tiles do not collide as sprites do, so the cheapest hit box serves.
        texture = arcade.Texture(
            sheet.crop((source.left, source.top, right, bottom)),
            hit_box_algorithm=algo_bounding_box,
        )
        self.textures.append(texture)
        return self._atlas.add(texture)[0]
