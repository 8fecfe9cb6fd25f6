"""Draw thousands of units from a few numpy arrays."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import Any, NamedTuple

import arcade
import numpy as np
from arcade.texture_atlas import TextureAtlasBase
from numpy.typing import ArrayLike, NDArray

from tilequad._core.shown import shown
from tilequad.draw.arcade.shaders import VERTEX_HEADER, InWindow, Records, program_of
from tilequad.draw.arcade.unit_marks import BAR, RING, SHADOW, UnitMarks
from tilequad.draw.arguments import misfit, points_of, rgba, set_rows

__all__ = ["RECORD", "SpriteBatch", "Style"]

RECORD = np.dtype(
    [
        ("center", np.float32, 2),
        ("size", np.float32, 2),
        ("angle", np.float32),
        ("code", np.int32),  # 16 * (slot in the atlas) + 8 if tinted as a tile + flips
        ("color", np.uint8, 4),
        ("flash", np.float32),
    ]
)

PICTURES_UNIT, UV_UNIT = 0, 1  # texture units of the atlas

# gl_VertexID 0..3 are the corners of a triangle strip: upper left, upper right, lower left, lower
# right, as in the atlas. Tiled applies flip 1 (diagonal) first, then 4 (left to right),
# then 2 (top to bottom); undoing them in reverse gives the corner of the picture to show.
VERTEX = (
    VERTEX_HEADER
    + """
#include :system:shaders/lib/sprite.glsl

uniform sampler2D pictures;
uniform sampler2D uv_texture;

in vec2 in_center;
in vec2 in_size;
in float in_angle;
in int in_code;
in vec4 in_color;
in float in_flash;
out vec2 v_uv;
flat out vec4 v_limits;
flat out float v_flash;
flat out int v_is_tile;
out vec4 v_color;

void main() {
    ivec2 corner = ivec2(gl_VertexID & 1, gl_VertexID >> 1);
    vec2 arm = in_size * vec2(float(corner.x) - 0.5, 0.5 - float(corner.y));
    float c = cos(radians(in_angle)), s = sin(radians(in_angle));
    gl_Position = to_screen(in_center + vec2(c * arm.x + s * arm.y, c * arm.y - s * arm.x));
    if ((in_code & 2) != 0) corner.y = 1 - corner.y;
    if ((in_code & 4) != 0) corner.x = 1 - corner.x;
    if ((in_code & 1) != 0) corner = corner.yx;
    vec2 uv[4];
    getSpriteUVs(uv_texture, in_code >> 4, uv[0], uv[1], uv[2], uv[3]);
    v_uv = uv[corner.y * 2 + corner.x];
    vec2 half_texel = 0.5 / vec2(textureSize(pictures, 0));
    v_limits = vec4(min(uv[0], uv[3]) + half_texel, max(uv[0], uv[3]) - half_texel);
    v_color = in_color;
    v_flash = in_flash;
    v_is_tile = in_code & 8;
}
"""
)

# With multisampling, a pixel on the edge of a quad samples beyond it. Zoomed out, that would show
# the next picture of the atlas, so v_limits keeps samples within the outermost texels of this one.
# Transparent texels are dropped, as arcade's sprites do. The tint of a tile sees half-transparent
# texels on white, as in Tiled.
FRAGMENT = """#version 330
uniform sampler2D pictures;
in vec2 v_uv;
flat in vec4 v_limits;
flat in float v_flash;  // how much of the color turns white
flat in int v_is_tile;
in vec4 v_color;
out vec4 f_color;

void main() {
    f_color = texture(pictures, clamp(v_uv, v_limits.xy, v_limits.zw));
    if (v_is_tile != 0) f_color.rgb = mix(vec3(1.0), f_color.rgb, f_color.a);
    f_color *= v_color;
    f_color.rgb = mix(f_color.rgb, vec3(1.0), v_flash);
    if (f_color.a == 0.0) discard;
}
"""

# Types of an argument that is one value for all units
SAME_FOR_ALL = (int, float, tuple, type(None))

SHADOW_COLOR = (0, 0, 0, 110)
RING_COLOR = (120, 255, 120, 255)
FULL, EMPTY = np.array((100, 210, 70, 255)), np.array((230, 70, 70, 255))


class Style(NamedTuple):
    """The look of units. Each field has one value for all units, or a row for each."""

    textures: ArrayLike
    sizes: ArrayLike | None
    angles: ArrayLike
    colors: ArrayLike
    flash: ArrayLike


class SpriteBatch(InWindow):
    """Draws thousands of units in one draw call, and their shadows, rings and bars in one each.

    A game keeps the positions of its units in arrays, and `draw` copies them into one buffer. No
    unit needs a sprite object: 10,000 units cost a quarter of a millisecond before the GPU.

    Args:
        textures: The pictures. Each unit shows one of them, by its index.
        atlas: The texture atlas that holds them; by default the window's own, which they share
            with arcade's sprites.

    Raises:
        TypeError: `textures` are not textures of arcade.
        ValueError: `textures` is empty.

    Example:
        >>> import arcade
        >>> import numpy as np
        >>> from tilequad.draw.arcade import SpriteBatch
        >>> def show() -> None:  # with a window open
        ...     orc, elf = (arcade.make_soft_circle_texture(24, c) for c in ("red", "green"))
        ...     units = SpriteBatch([orc, elf])
        ...     positions = np.array([(100, 80), (130, 90)])
        ...     units.draw_shadows(positions - (0, 10), 12)
        ...     units.draw(positions, [0, 1], flash=[0.8, 0])  # the orc was hit
        ...     units.draw_bars(positions + (0, 18), [0.4, 1])
    """

    def __init__(
        self, textures: Sequence[arcade.Texture], atlas: TextureAtlasBase | None = None
    ) -> None:
        # An atlas drops a texture without other references, so keep them all.
        self._textures = checked_textures(textures)
        self._atlas = atlas or self._context.default_atlas
        slots = [self._atlas.add(texture)[0] for texture in self._textures]
        self._slots = np.array(slots, np.int32)
        self._sizes = np.array([texture.size for texture in self._textures], np.float32)
        context = self._context
        places = {"pictures": PICTURES_UNIT, "uv_texture": UV_UNIT}
        vertex = context.shader_inc(VERTEX)
        self._program = program_of(context, vertex, FRAGMENT, places=places)
        self._sprites = Records(context, RECORD)
        self._records = np.empty(0, RECORD)  # records reused while only positions change
        self._filled: tuple[object, ...] = ()  # the arguments that made `_records`

    @property
    def nbytes(self) -> int:
        """The memory of the units that were drawn last, in bytes, without the atlas."""
        return self._records.nbytes + self._sprites.nbytes

    @property
    def atlas(self) -> TextureAtlasBase:
        """The texture atlas that holds the pictures."""
        return self._atlas

    def draw(
        self,
        positions: ArrayLike,
        textures: ArrayLike = 0,
        *,
        sizes: ArrayLike | None = None,
        angles: ArrayLike = 0.0,
        colors: ArrayLike = (255, 255, 255, 255),
        flash: ArrayLike = 0.0,
    ) -> None:
        """Draw a picture at each position, in order, later ones on top. The camera must be in use.

        Every argument after `positions` is one value for all units, or one row for each.

        Args:
            positions: (n, 2) centers in world units.
            textures: (n,) indices into the batch's textures.
            sizes: (n, 2) width and height in world units; by default the size of each picture in
                pixels. A negative width mirrors the picture.
            angles: (n,) degrees clockwise, as for arcade's sprites.
            colors: (n, 4) red, green, blue, alpha from 0 to 255, multiplied with the picture; or
                (n, 3) without alpha.
            flash: (n,) from 0 to 1, how much a unit turns white, as after a hit.

        Raises:
            ValueError: `positions` is not (n, 2), the shape of another argument does not match, or
                a color is not from 0 to 255.
            TypeError: A texture index is not a whole number.
            IndexError: A texture index is out of range.
        """
        style = Style(textures, sizes, angles, colors, flash)
        self._draw_records(self._records_of(positions, style))

    def _records_of(self, positions: ArrayLike, style: Style) -> np.ndarray:
        """Return what to draw, one record for each unit; the next call may overwrite them."""
        centers = points_of(positions, np.float32)
        wanted = len(centers), *style
        if not all(isinstance(value, SAME_FOR_ALL) for value in style):
            records = self._styled(len(centers), style)
        else:
            if wanted != self._filled:
                self._records, self._filled = self._styled(len(centers), style), wanted
            records = self._records
        records["center"] = centers
        return records

    def _styled(self, count: int, style: Style) -> np.ndarray:
        """Return records that have no positions yet."""
        numbers, records = self._checked_numbers(style.textures, count), np.empty(count, RECORD)
        records["code"] = self._slots[numbers] << 4
        sizes = self._sizes[numbers] if style.sizes is None else style.sizes
        set_rows(records["size"], sizes, "sizes")
        set_rows(records["angle"], style.angles, "angles")
        records["color"] = rgba(style.colors, count)
        set_rows(records["flash"], style.flash, "flash")
        return records

    def _checked_numbers(self, textures: ArrayLike, count: int) -> NDArray[np.integer[Any]]:
        """Return the indices of the textures of units as an array."""
        numbers, last = np.asarray(textures), len(self._slots) - 1
        if numbers.ndim > 1 or numbers.size not in (1, count):
            raise misfit(textures, "textures", count)
        if not numbers.size:
            return numbers.astype(np.intp)  # numpy takes an empty list for floats
        if numbers.dtype.kind not in "iu":
            raise TypeError(f"textures must be whole numbers, got {shown(textures)}")
        if numbers.min() < 0 or numbers.max() > last:
            raise IndexError(f"textures must be from 0 to {last}, got {shown(textures)}")
        return numbers

    def _draw_records(self, records: np.ndarray) -> None:
        """Draw what `_records_of` returned, sorted or not. The camera must be in use."""
        if not len(records):
            return
        # Ask for the texture in every frame: an atlas that grows replaces it.
        context, pictures = self._context, self._atlas.texture
        pictures.filter = context.NEAREST, context.NEAREST
        pictures.use(PICTURES_UNIT)
        self._atlas.use_uv_texture(UV_UNIT)
        self._sprites.draw(self._program, np.ascontiguousarray(records))

    def draw_shadows(
        self,
        positions: ArrayLike,
        radii: ArrayLike,
        *,
        colors: ArrayLike = SHADOW_COLOR,
        flatness: float = 0.5,
    ) -> None:
        """Draw a soft shadow on the ground at each position; draw it before the units.

        Args:
            positions: (n, 2) centers in world units, where the feet are.
            radii: (n,) half the widths in world units, or one for all.
            colors: (n, 4) or one color, 0 to 255.
            flatness: Height of a shadow as a share of its width.

        Raises:
            ValueError: `positions` is not (n, 2), the shape of another argument does not match, or
                a color is not from 0 to 255.
        """
        self._draw_round(SHADOW, positions, radii, colors, flatness)

    def draw_rings(
        self,
        positions: ArrayLike,
        radii: ArrayLike,
        *,
        colors: ArrayLike = RING_COLOR,
        flatness: float = 0.5,
    ) -> None:
        """Draw a ring on the ground around each position, two pixels wide at every zoom.

        Args:
            positions: (n, 2) centers in world units.
            radii: (n,) half the widths in world units, or one for all.
            colors: (n, 4) or one color, 0 to 255.
            flatness: Height of a ring as a share of its width.

        Raises:
            ValueError: `positions` is not (n, 2), the shape of another argument does not match, or
                a color is not from 0 to 255.
        """
        self._draw_round(RING, positions, radii, colors, flatness)

    def draw_bars(
        self,
        positions: ArrayLike,
        shares: ArrayLike,
        *,
        widths: ArrayLike = 24.0,
        height: float = 4.0,
        colors: ArrayLike | None = None,
    ) -> None:
        """Draw a bar at each position, such as the health of a unit.

        Args:
            positions: (n, 2) centers in world units.
            shares: (n,) how much of a bar is filled, 0 to 1; more is full, and less is empty.
            widths: (n,) in world units, or one for all.
            height: The height of all bars, in world units.
            colors: (n, 4) or one color, 0 to 255; by default from red to green as the share grows.

        Raises:
            ValueError: `positions` is not (n, 2), the shape of another argument does not match, a
                share is not a number, or a color is not from 0 to 255.
        """
        centers = points_of(positions, np.float32)
        filled = np.empty(len(centers), np.float32)
        set_rows(filled, shares, "shares")
        if np.isnan(filled).any():
            raise ValueError(f"shares must be from 0 to 1, got {shown(shares)}")
        filled = filled.clip(0, 1)
        if colors is None:
            colors = (EMPTY + filled[:, None] * (FULL - EMPTY)).astype(np.uint8)
        halves = np.empty((len(centers), 2), np.float32)
        set_rows(halves[:, 0], widths, "widths")
        halves[:, 0] /= 2
        halves[:, 1] = height / 2
        self._marks.draw(self._context, BAR, centers, halves, rgba(colors, len(centers)), filled)

    def _draw_round(
        self, shape: int, positions: ArrayLike, radii: ArrayLike, colors: ArrayLike, flatness: float
    ) -> None:
        centers = points_of(positions, np.float32)
        halves = np.empty((len(centers), 2), np.float32)
        set_rows(halves[:, 0], radii, "radii")
        halves[:, 1] = halves[:, 0] * flatness
        self._marks.draw(self._context, shape, centers, halves, rgba(colors, len(centers)))

    @cached_property
    def _marks(self) -> UnitMarks:
        return UnitMarks(self._context)


def checked_textures(textures: Sequence[arcade.Texture]) -> list[arcade.Texture]:
    """Return textures as a list; raise an error if there is none, or something else."""
    if not isinstance(textures, Iterable):
        raise TypeError(f"textures must be a list of textures, got {shown(textures)}")
    found = list(textures)
    if not found:
        raise ValueError("textures must hold at least one texture")
    for texture in found:
        if not isinstance(texture, arcade.Texture):
            raise TypeError(f"textures must be textures of arcade, got {shown(texture)}")
    return found
