"""The tiles of one layer as quads whose data lives on the GPU.

What never changes goes there once: a texture with one texel a tile says where the tile's centre
is and which look it has, another says of each look its size, turn, flips and place in the atlas.
A frame then uploads nothing but the ids of the tiles to draw.
"""

from __future__ import annotations

from math import cos, radians, sin
from typing import NamedTuple

import arcade
import numpy as np
from arcade.gl import Texture2D
from arcade.texture_atlas import TextureAtlasBase
from numpy.typing import ArrayLike, NDArray

from tilequad.draw.arcade.quads import OWN_UNIT, Quads
from tilequad.draw.arcade.tile_slots import TileSlots
from tilequad.tiled import ObjectLayer, TileLayer, TileMap, Tileset

__all__ = ["LayerTiles", "TileQuads"]

TILES_UNIT = OWN_UNIT
LOOKS_UNIT = OWN_UNIT + 1

# Texels in a row of a data texture; arcade's own are as long. A layer of 4096 x 4096 tiles fits.
TEXTURE_WIDTH = 4096

# Tiles that are worked on at a time: what that takes beside the texture stays below 10 MB.
BLOCK = 1 << 16

RECORD = np.dtype([("id", np.int32)])

Rows = NDArray[np.float32]

# Tiled's flip bits, as `TileLayer.flags` and `MapObject.flags` give them.
DIAGONAL = 2
TURN_120 = 1

VERTEX = """
uniform sampler2D tiles;  // of each tile: centre x, centre y, number of its look
uniform sampler2D looks;  // of each look: width, height, turn, picture; and its opacity
uniform vec2 shift;
uniform vec4 tint;
in int in_id;

vec4 texel(sampler2D data, int index) {
    int width = textureSize(data, 0).x;
    return texelFetch(data, ivec2(index % width, index / width), 0);
}

void main() {
    vec4 tile = texel(tiles, in_id);
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
        """Draw some tiles of a layer in the order of their ids, in one draw call."""
        records = np.require(ids, np.int32, ["C", "W"])
        if not len(records):
            return
        self._quads.program["shift"] = shift
        self._quads.program["tint"] = tint
        tiles.use()
        self._quads.draw(atlas, records, mode)


class LayerTiles:
    """Where the tiles of one layer stand and how they look, on the GPU.

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
        hexagonal = world.orientation == "hexagonal"
        if isinstance(layer, TileLayer):
            rows, looks = rows_of_tiles(layer, hexagonal)
        else:
            rows, looks = rows_of_objects(layer, hexagonal)
        self._looks = np.zeros((len(looks), 2, 4), np.float32)
        self._animated: list[Animated] = []
        for number, look in enumerate(looks):
            if look.gid:
                self._set_look(number, look, world, slots)
        self._tiles_texture = data_texture(context, rows)
        self._looks_texture = data_texture(context, self._looks.reshape(-1, 4))

    def _set_look(self, number: int, look: Look, world: TileMap, slots: TileSlots) -> None:
        tileset = world.tileset_of(look.gid)
        local_id = look.gid - tileset.first_gid
        codes = {frame: slot * 8 + look.flips for frame, slot in slots.of(look.gid).items()}
        code = codes[tileset.frame_at(local_id)]
        self._looks[number, 0] = look.width, look.height, radians(look.turn), code
        self._looks[number, 1] = look.opacity
        if len(codes) > 1:
            self._animated.append(Animated(number, tileset, local_id, codes))

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


class Look(NamedTuple):
    """What tiles of one kind have in common."""

    gid: int
    flips: int  #: 4 left to right, 2 upside down, 1 diagonal
    width: float
    height: float
    turn: float  #: clockwise, in degrees
    opacity: float


NOTHING = Look(0, 0, 0, 0, 0, 0)  # what is not seen: shapes, hidden objects


class Animated(NamedTuple):
    """A look that changes, and the code of the picture to show for each of its frames."""

    look: int
    tileset: Tileset
    local_id: int
    codes: dict[int, int]


def rows_of_tiles(layer: TileLayer, hexagonal: bool) -> tuple[Rows, list[Look]]:
    """Centre x, centre y and look of every tile of a layer, and the looks."""
    rows = np.empty((len(layer), 3), np.float32)
    looks: list[Look] = []
    numbers: dict[int, int] = {}  # of the looks, by gid and flip bits
    for start in range(0, len(layer), BLOCK):
        part = slice(start, start + BLOCK)
        boxes = layer.boxes(part)
        kinds, first, which = np.unique(
            layer.gids(part).astype(np.int64) << 4 | layer.flags(part),
            return_index=True,
            return_inverse=True,
        )
        for kind, box in zip(kinds.tolist(), boxes[first].tolist(), strict=True):
            if kind not in numbers:
                numbers[kind] = len(looks)
                looks.append(look_of_tile(kind >> 4, kind & 15, box, hexagonal))
        rows[part, :2] = (boxes[:, :2] + boxes[:, 2:]) / 2
        rows[part, 2] = np.array([numbers[kind] for kind in kinds.tolist()])[which]
    return rows, looks


def look_of_tile(gid: int, flags: int, box: list[float], hexagonal: bool) -> Look:
    """The look of a tile that is drawn into a box, which goes around it where it is turned."""
    flips, turn = flips_and_turn(flags, hexagonal)
    width, height = box[2] - box[0], box[3] - box[1]
    cosine, sine = abs(cos(radians(turn))), abs(sin(radians(turn)))
    # The box of a turned w x h tile is cw + sh wide and sw + ch high: solve for w and h. Tiled
    # turns by 60, 120 and 180 degrees, so the divisor is never 0.
    divisor = cosine * cosine - sine * sine
    own_width = (width * cosine - height * sine) / divisor
    own_height = (height * cosine - width * sine) / divisor
    return Look(gid, flips, own_width, own_height, turn, 1.0)


def rows_of_objects(layer: ObjectLayer, hexagonal: bool) -> tuple[Rows, list[Look]]:
    """The same of an object layer: each object has a look of its own."""
    rows = np.zeros((len(layer), 3), np.float32)
    rows[:, 2] = np.arange(len(layer))
    looks = []
    for number, item in enumerate(layer.objects):
        if not item.gid or not item.visible:
            looks.append(NOTHING)
            continue
        corners = item.points  # of the picture, rotated: left top, right top, ...
        width, height = (float(np.hypot(*(corners[i] - corners[0]))) for i in (1, 3))
        flips, turn = flips_and_turn(item.flags, hexagonal)
        rows[number, :2] = corners.mean(axis=0)
        looks.append(Look(item.gid, flips, width, height, turn + item.rotation, item.opacity))
    return rows, looks


def flips_and_turn(flags: int, hexagonal: bool) -> tuple[int, float]:
    """What Tiled's flip bits mean: flips as the shader wants them, and degrees clockwise."""
    if not hexagonal:
        return flags >> 1, 0
    return (flags & ~DIAGONAL) >> 1, 60 * bool(flags & DIAGONAL) + 120 * bool(flags & TURN_120)


def data_texture(context: arcade.ArcadeContext, rows: Rows) -> Texture2D:
    """Rows of numbers as texels, for `texelFetch`."""
    width = min(len(rows), TEXTURE_WIDTH) or 1
    height = -(-len(rows) // width) or 1
    texture = context.texture(
        (width, height),
        components=rows.shape[1],
        dtype="f4",
        filter=(context.NEAREST, context.NEAREST),
    )
    write_rows(texture, rows)
    return texture


def write_rows(texture: Texture2D, rows: Rows) -> None:
    """Write as many rows of numbers as the texture was made for."""
    full, rest = divmod(len(rows), texture.width)
    whole = full * texture.width
    if full:
        texture.write(rows[:whole].data, viewport=(0, 0, texture.width, full))
    if rest:
        texture.write(rows[whole:].data, viewport=(0, full, rest, 1))
