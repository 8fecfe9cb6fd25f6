"""The tiles of one layer as quads whose data lives on the GPU.

One texture has a texel for each cell, in pages that hold a tile: the centre of the tile and the
number of its look. Another has the size, turn, flips and place in the atlas of each look. They are
uploaded once. The id of a tile never changes, so a change of the map uploads the texels of the
changed cells only, and a frame uploads only where the texels of the tiles to draw are.
"""

from __future__ import annotations

from math import radians
from typing import NamedTuple

import arcade
import numpy as np
from arcade.gl import Texture2D
from arcade.texture_atlas import TextureAtlasBase
from numpy.typing import ArrayLike, NDArray

from tilequad.draw.arcade.looks import Look, ObjectRows, Rows, TileRows
from tilequad.draw.arcade.quads import OWN_UNIT, Quads
from tilequad.draw.arcade.tile_slots import TileSlots
from tilequad.tiled import ObjectLayer, TileLayer, TileMap, Tileset

__all__ = ["LayerTiles", "TileQuads"]

TILES_UNIT = OWN_UNIT
LOOKS_UNIT = OWN_UNIT + 1

# Texels in a row of a data texture; arcade's own are as long. A layer of 4096 x 4096 tiles fits.
TEXTURE_WIDTH = 4096

# Room for new pages, as a share of the texels. Beyond it all texels are written again, which takes
# a seventh of a second for a million.
SPARE = 1 / 8

# Up to this share of the texels are written one by one: that takes about 7 microseconds for each
# without a neighbour, and a fiftieth of that for each where all are written again.
FEW = 1 / 50

RECORD = np.dtype([("slot", np.int32)])

VERTEX = """
uniform sampler2D tiles;  // of each tile: centre x, centre y, number of its look
uniform sampler2D looks;  // of each look: width, height, turn, picture; and its opacity
uniform vec2 shift;
uniform vec4 tint;
in int in_slot;

vec4 texel(sampler2D data, int index) {
    int width = textureSize(data, 0).x;
    return texelFetch(data, ivec2(index % width, index / width), 0);
}

void main() {
    vec4 tile = texel(tiles, in_slot);
    vec4 look = texel(looks, int(tile.z) * 2);
    float opacity = texel(looks, int(tile.z) * 2 + 1).x;
    int picture = int(look.w);  // 8 * slot in the atlas + flips
    place(tile.xy + shift, look.xy, look.z, picture >> 3, picture & 7,
          tint * vec4(1.0, 1.0, 1.0, opacity));
}
"""


class TileQuads:
    """Draws the tiles of any layer.

    Args:
        context: The arcade context to draw in.
    """

    def __init__(self, context: arcade.ArcadeContext) -> None:
        self._quads = Quads(context, VERTEX, RECORD)
        self._quads.program["tiles"] = TILES_UNIT
        self._quads.program["looks"] = LOOKS_UNIT

    def draw(
        self,
        atlas: TextureAtlasBase,
        tiles: LayerTiles,
        ids: ArrayLike,
        shift: tuple[float, float],
        tint: tuple[float, float, float, float],
        mode: str,
    ) -> None:
        """Draw some tiles of a layer in the order of a list of ids, in one draw call."""
        records = np.require(tiles.slots(ids), np.int32, ["C", "W"])
        if not len(records):
            return
        self._quads.program["shift"] = shift
        self._quads.program["tint"] = tint
        tiles.use()
        self._quads.draw(atlas, records, mode)


class LayerTiles:
    """The tiles of one layer on the GPU, and what changes of them.

    Args:
        context: The arcade context to draw in.
        world: The map of the layer.
        layer: A tile layer, or an object layer, of which the tile objects are shown.
        slots: Where in the atlas the tiles are.
    """

    def __init__(
        self,
        context: arcade.ArcadeContext,
        world: TileMap,
        layer: TileLayer | ObjectLayer,
        slots: TileSlots,
    ) -> None:
        self._context = context
        self._world = world
        self._slots = slots
        hexagonal = world.orientation == "hexagonal"
        self._source = (
            TileRows(layer, hexagonal)
            if isinstance(layer, TileLayer)
            else ObjectRows(layer, hexagonal)
        )
        self._looks = np.empty((0, 2, 4), np.float32)
        self._animated: list[Animated] = []
        self._tiles_texture = data_texture(context, self._source.every(), SPARE)
        self._add_looks()

    def slots(self, ids: ArrayLike) -> NDArray[np.int32]:
        """Return what the shader knows the tiles of some ids by, once the GPU has all changes."""
        self._follow()
        return self._source.slots(ids)

    def use(self) -> None:
        """Bind the data for the next draw call."""
        self._tiles_texture.use(TILES_UNIT)
        self._looks_texture.use(LOOKS_UNIT)

    def set_time(self, time: float) -> None:
        """Show the frames of a time, in milliseconds; the GPU hears of it only on a change."""
        changed = False
        for look, tileset, local_id, codes in self._animated:
            code = codes[tileset.frame_at(local_id, time)]
            if code != self._looks[look, 0, 3]:
                self._looks[look, 0, 3] = code
                changed = True
        if changed:
            write_rows(self._looks_texture, self._looks.reshape(-1, 4))

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
        if len(self._source.looks) > len(self._looks):
            self._add_looks()

    def _add_looks(self) -> None:
        """Take over the looks that the source of rows has found since the last time."""
        known, looks = len(self._looks), self._source.looks
        fresh = np.zeros((len(looks) - known, 2, 4), np.float32)
        self._looks = np.concatenate((self._looks, fresh))
        for number, look in enumerate(looks[known:], known):
            if look.gid:
                self._set_look(number, look)
        self._looks_texture = data_texture(self._context, self._looks.reshape(-1, 4))

    def _set_look(self, number: int, look: Look) -> None:
        tileset = self._world.tileset_of(look.gid)
        local_id = look.gid - tileset.first_gid
        codes = {frame: slot * 8 + look.flips for frame, slot in self._slots.of(look.gid).items()}
        code = codes[tileset.frame_at(local_id)]
        self._looks[number, 0] = look.width, look.height, radians(look.turn), code
        self._looks[number, 1] = look.opacity
        if len(codes) > 1:
            self._animated.append(Animated(number, tileset, local_id, codes))


class Animated(NamedTuple):
    """A look that changes, and the code of the picture to show for each of its frames."""

    look: int
    tileset: Tileset
    local_id: int
    codes: dict[int, int]


def data_texture(context: arcade.ArcadeContext, rows: Rows, spare: float = 0) -> Texture2D:
    """Rows of numbers as texels, for `texelFetch`; and room for more, as a share of them."""
    room = len(rows) + int(len(rows) * spare) or 1
    width = min(room, TEXTURE_WIDTH)
    # a layer that just fits has no room to spare
    room = max(min(room, width * context.info.MAX_TEXTURE_SIZE), len(rows))
    texture = context.texture(
        (width, -(-room // width)),
        components=rows.shape[1],
        dtype="f4",
        filter=(context.NEAREST, context.NEAREST),
    )
    write_rows(texture, rows)
    return texture


def write_rows(texture: Texture2D, rows: Rows) -> None:
    """Write rows of numbers into a texture that has room for them."""
    width = texture.width
    full, rest = divmod(len(rows), width)
    if full:
        texture.write(rows[: full * width].data, viewport=(0, 0, width, full))
    if rest:
        texture.write(rows[full * width :].data, viewport=(0, full, rest, 1))


def write_some_rows(texture: Texture2D, places: NDArray[np.int32], rows: Rows) -> None:
    """Write rows of numbers to ascending places in a texture, those that are neighbours at once."""
    width = texture.width
    breaks = np.flatnonzero((np.diff(places) > 1) | (places[1:] % width == 0)) + 1
    starts, ends = [0, *breaks.tolist()], [*breaks.tolist(), len(rows)]
    for start, end in zip(starts, ends, strict=True):
        row, column = divmod(int(places[start]), width)
        texture.write(rows[start:end].data, viewport=(column, row, end - start, 1))
