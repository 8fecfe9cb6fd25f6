"""The tiles of one layer as quads whose data lives on the GPU.

One texture has a texel per cell: the centre of its tile and the index of the tile's appearance.
Another has the size, turn, flips and atlas slot of each appearance. Both are uploaded once. Tile
ids never change, so a changed map uploads the texels of the changed cells only, and a frame uploads
only the slots of the tiles to draw.
"""

from __future__ import annotations

from math import radians
from typing import NamedTuple

import arcade
import numpy as np
from arcade.gl import Texture2D
from arcade.texture_atlas import TextureAtlasBase
from numpy.typing import ArrayLike, NDArray

from tilequad.draw.arcade.quads import OWN_UNIT, Quads
from tilequad.draw.arcade.shaders import break_ties
from tilequad.draw.arcade.tile_rows import Appearance, ObjectRows, Rows, TileRows
from tilequad.draw.arcade.tile_slots import TileSlots
from tilequad.tiled import ObjectLayer, TileLayer, TileMap, Tileset

__all__ = ["LayerTiles", "TileQuads"]

TILES_UNIT = OWN_UNIT
APPEARANCES_UNIT = OWN_UNIT + 1

# Texels in a row of a data texture, as in arcade's own. A layer of 4096 x 4096 tiles fits.
TEXTURE_WIDTH = 4096

# Spare texels for new pages, as a fraction of the texture. Without any left, all texels are written
# again: 0.14 s per million.
SPARE = 1 / 8

# Up to this fraction of the texels are written one by one, at about 7 microseconds per isolated
# texel. Writing all of them takes a fiftieth of that per texel.
FEW = 1 / 50

RECORD = np.dtype([("slot", np.int32)])

VERTEX = """
uniform sampler2D tiles;  // per tile: centre x, centre y, index of its appearance
uniform sampler2D appearances;  // per appearance: width, height, turn, picture; then its opacity
uniform vec2 shift;
uniform vec4 tint;
in int in_slot;

vec4 texel(sampler2D data, int index) {
    int width = textureSize(data, 0).x;
    return texelFetch(data, ivec2(index % width, index / width), 0);
}

void main() {
    vec4 tile = texel(tiles, in_slot);
    vec4 appearance = texel(appearances, int(tile.z) * 2);
    float opacity = texel(appearances, int(tile.z) * 2 + 1).x;
    int picture = int(appearance.w);  // 8 * slot in the atlas + flips
    place(tile.xy + shift, appearance.xy, appearance.z, picture >> 3, picture & 7,
          tint * vec4(1.0, 1.0, 1.0, opacity));
}
"""


class TileQuads:
    """Draws the tiles of a layer.

    Args:
        context: The arcade context to draw in.
    """

    def __init__(self, context: arcade.ArcadeContext) -> None:
        self._context = context
        self._quads = Quads(context, VERTEX, RECORD)
        self._quads.program["tiles"] = TILES_UNIT
        self._quads.program["on_white"] = True
        self._quads.program["appearances"] = APPEARANCES_UNIT

    def draw(
        self,
        atlas: TextureAtlasBase,
        tiles: LayerTiles,
        ids: ArrayLike,
        shift: tuple[float, float],
        tint: tuple[float, float, float, float],
        mode: str,
    ) -> None:
        """Draw tiles of a layer in the order of their ids' list, in one draw call."""
        records = np.require(tiles.slots(ids), np.int32, ["C", "W"])
        if not len(records):
            return
        self._quads.program["shift"] = shift
        self._quads.program["tint"] = tint
        break_ties(self._context, self._quads.program)
        tiles.use()
        self._quads.draw(atlas, records, mode)


class LayerTiles:
    """The tiles of one layer on the GPU, kept up to date with the layer.

    Args:
        context: The arcade context to draw in.
        tile_map: The map of the layer.
        layer: A tile layer, or an object layer, whose tile objects are drawn.
        slots: The atlas slots of the tiles.
    """

    def __init__(
        self,
        context: arcade.ArcadeContext,
        tile_map: TileMap,
        layer: TileLayer | ObjectLayer,
        slots: TileSlots,
    ) -> None:
        self._context = context
        self._tile_map = tile_map
        self._slots = slots
        hexagonal = tile_map.orientation == "hexagonal"
        self._source = (
            TileRows(layer, hexagonal)
            if isinstance(layer, TileLayer)
            else ObjectRows(layer, hexagonal)
        )
        self._appearances = np.empty((0, 2, 4), np.float32)
        self._animated: list[Animated] = []
        self._tiles_texture = data_texture(context, self._source.every(), SPARE)
        self._add_appearances()

    def slots(self, ids: ArrayLike) -> NDArray[np.int32]:
        """Upload pending changes and return the slots by which the shader finds tiles."""
        self._follow()
        return self._source.slots(ids)

    def use(self) -> None:
        """Bind the data for the next draw call."""
        self._tiles_texture.use(TILES_UNIT)
        self._appearances_texture.use(APPEARANCES_UNIT)

    def set_time(self, time: float) -> None:
        """Show the animation frames of a time in milliseconds; upload only if one changes."""
        changed = False
        for appearance, tileset, local_id, codes in self._animated:
            code = codes[tileset.frame_at(local_id, time)]
            if code != self._appearances[appearance, 0, 3]:
                self._appearances[appearance, 0, 3] = code
                changed = True
        if changed:
            write_rows(self._appearances_texture, self._appearances.reshape(-1, 4))

    def _follow(self) -> None:
        """Upload the changes of a tile layer since the last call."""
        ids = self._source.changed()
        if not len(ids):
            return
        texture, size = self._tiles_texture, self._source.size
        if size > texture.width * texture.height:
            self._tiles_texture = data_texture(self._context, self._source.every(), SPARE)
        elif len(ids) > size * FEW:
            write_rows(texture, self._source.every())
        else:
            write_some_rows(texture, self._source.slots(ids), self._source.rows(ids))
        if len(self._source.appearances) > len(self._appearances):
            self._add_appearances()

    def _add_appearances(self) -> None:
        """Upload the appearances that the source has added since the last call."""
        known, appearances = len(self._appearances), self._source.appearances
        fresh = np.zeros((len(appearances) - known, 2, 4), np.float32)
        self._appearances = np.concatenate((self._appearances, fresh))
        for number, appearance in enumerate(appearances[known:], known):
            if appearance.gid:
                self._set_appearance(number, appearance)
        self._appearances_texture = data_texture(self._context, self._appearances.reshape(-1, 4))

    def _set_appearance(self, number: int, appearance: Appearance) -> None:
        tileset = self._tile_map.tileset_of(appearance.gid)
        local_id = appearance.gid - tileset.first_gid
        codes = {
            frame: slot * 8 + appearance.flips
            for frame, slot in self._slots.of(appearance.gid).items()
        }
        code = codes[tileset.frame_at(local_id)]
        self._appearances[number, 0] = (
            appearance.width,
            appearance.height,
            radians(appearance.turn),
            code,
        )
        self._appearances[number, 1] = appearance.opacity
        if len(codes) > 1:
            self._animated.append(Animated(number, tileset, local_id, codes))


class Animated(NamedTuple):
    """An animated appearance, and the picture code of each of its frames."""

    appearance: int
    tileset: Tileset
    local_id: int
    codes: dict[int, int]


def data_texture(context: arcade.ArcadeContext, rows: Rows, spare: float = 0) -> Texture2D:
    """Make a texture of rows for `texelFetch`, with a fraction `spare` of extra texels."""
    size = len(rows) + int(len(rows) * spare) or 1
    width = min(size, TEXTURE_WIDTH)
    # a layer that just fits gets no spare texels
    size = max(min(size, width * context.info.MAX_TEXTURE_SIZE), len(rows))
    texture = context.texture(
        (width, -(-size // width)),
        components=rows.shape[1],
        dtype="f4",
        filter=(context.NEAREST, context.NEAREST),
    )
    write_rows(texture, rows)
    return texture


def write_rows(texture: Texture2D, rows: Rows) -> None:
    """Write rows to the start of a texture that is large enough."""
    width = texture.width
    full, rest = divmod(len(rows), width)
    if full:
        texture.write(rows[: full * width].data, viewport=(0, 0, width, full))
    if rest:
        texture.write(rows[full * width :].data, viewport=(0, full, rest, 1))


def write_some_rows(texture: Texture2D, places: NDArray[np.int32], rows: Rows) -> None:
    """Write rows to ascending places in a texture, each run of neighbours in one call."""
    width = texture.width
    breaks = np.flatnonzero((np.diff(places) > 1) | (places[1:] % width == 0)) + 1
    starts, ends = [0, *breaks.tolist()], [*breaks.tolist(), len(rows)]
    for start, end in zip(starts, ends, strict=True):
        row, column = divmod(int(places[start]), width)
        texture.write(rows[start:end].data, viewport=(column, row, end - start, 1))
