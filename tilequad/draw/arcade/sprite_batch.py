"""Draw thousands of units from a few numpy arrays."""

from __future__ import annotations

from collections.abc import Sequence

import arcade
import numpy as np
from arcade.texture_atlas import TextureAtlasBase
from numpy.typing import ArrayLike, NDArray

from tilequad.draw.arcade.quads import Quads
from tilequad.draw.arcade.unit_marks import BAR, RING, SHADOW, UnitMarks

__all__ = ["RECORD", "SpriteBatch"]

RECORD = np.dtype(
    [
        ("center", np.float32, 2),
        ("size", np.float32, 2),
        ("angle", np.float32),
        ("code", np.int32),  # 8 * (slot in the atlas) + flips
        ("color", np.uint8, 4),
        ("flash", np.float32),
    ]
)

VERTEX = """
in vec2 in_center;
in vec2 in_size;
in float in_angle;
in int in_code;
in vec4 in_color;
in float in_flash;

void main() {
    place(in_center, in_size, radians(in_angle), in_code >> 3, in_code & 7, in_color);
    v_flash = in_flash;
}
"""

# Types of an argument that is one value for all units
SAME_FOR_ALL = (int, float, tuple, type(None))

SHADOW_COLOR = (0, 0, 0, 110)
RING_COLOR = (120, 255, 120, 255)
FULL, EMPTY = np.array((100, 210, 70, 255)), np.array((230, 70, 70, 255))


class SpriteBatch:
    """Draws thousands of units in one draw call, and their shadows, rings and bars in one each.

    A game keeps the positions of its units in arrays, and `draw` copies them into one buffer. No
    unit needs a sprite object: 10,000 units cost a quarter of a millisecond before the GPU.

    Args:
        textures: The pictures. Each unit shows one of them, by its index.
        atlas: The texture atlas that holds them; by default the window's own, which they share
            with arcade's sprites.

    Raises:
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
        if not textures:
            raise ValueError("textures must hold at least one texture")
        self._context = arcade.get_window().ctx
        self._atlas = atlas or self._context.default_atlas
        # An atlas drops a texture without other references, so keep them all.
        self._textures = list(textures)
        self._slots = np.array([self._atlas.add(texture)[0] for texture in textures], np.int32)
        self._sizes = np.array([texture.size for texture in textures], np.float32)
        self._quads = Quads(self._context, VERTEX, RECORD)
        self._marks: UnitMarks | None = None
        self._records = np.empty(0, RECORD)  # records reused while only positions change
        self._filled: tuple[object, ...] = ()  # the arguments that made `_records`

    @property
    def nbytes(self) -> int:
        """The memory of the units that were drawn last, in bytes, without the atlas."""
        return self._records.nbytes + self._quads.nbytes

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
            colors: (n, 4) red, green, blue, alpha from 0 to 255, multiplied with the picture.
            flash: (n,) from 0 to 1, how much a unit turns white, as after a hit.

        Raises:
            ValueError: `positions` is not (n, 2), or the shape of another argument does not match.
            IndexError: A texture index is out of range.
        """
        self._draw_records(self._placed(positions, textures, sizes, angles, colors, flash))

    def _records_of(
        self,
        positions: ArrayLike,
        textures: ArrayLike = 0,
        *,
        sizes: ArrayLike | None = None,
        angles: ArrayLike = 0.0,
        colors: ArrayLike = (255, 255, 255, 255),
        flash: ArrayLike = 0.0,
    ) -> np.ndarray:
        """Return what `draw` would draw, one record for each unit, to be sorted with others.

        The arguments are those of `draw`.
        """
        records = self._placed(positions, textures, sizes, angles, colors, flash)
        return records.view(np.uint8).copy().view(RECORD)  # copying bytes is five times as fast

    def _placed(
        self,
        positions: ArrayLike,
        textures: ArrayLike,
        sizes: ArrayLike | None,
        angles: ArrayLike,
        colors: ArrayLike,
        flash: ArrayLike,
    ) -> np.ndarray:
        """Return complete records; the next call may overwrite them."""
        centers = points_of(positions)
        shared = textures, sizes, angles, colors, flash
        if not all(isinstance(value, SAME_FOR_ALL) for value in shared):
            records = self._fill(len(centers), *shared)
        else:
            if (len(centers), *shared) != self._filled:
                self._records = self._fill(len(centers), *shared)
                self._filled = len(centers), *shared
            records = self._records
        records["center"] = centers
        return records

    def _fill(
        self,
        count: int,
        textures: ArrayLike,
        sizes: ArrayLike | None,
        angles: ArrayLike,
        colors: ArrayLike,
        flash: ArrayLike,
    ) -> np.ndarray:
        """Return records that have no positions yet."""
        numbers = np.asarray(textures)
        records = np.empty(count, RECORD)
        records["size"] = self._sizes[numbers] if sizes is None else sizes
        records["angle"] = angles
        records["code"] = self._slots[numbers] << 3
        records["color"] = colors
        records["flash"] = flash
        return records

    def _draw_records(self, records: np.ndarray) -> None:
        """Draw records in their order, in one draw call. The camera must be in use.

        Args:
            records: From `_records_of`, in any order.
        """
        self._quads.draw(self._atlas, np.ascontiguousarray(records))

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
            ValueError: `positions` is not (n, 2), or the shape of another argument does not match.
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
            ValueError: `positions` is not (n, 2), or the shape of another argument does not match.
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
            shares: (n,) how much of a bar is filled, 0 to 1.
            widths: (n,) in world units, or one for all.
            height: The height of all bars, in world units.
            colors: (n, 4) or one color, 0 to 255; by default from red to green as the share grows.

        Raises:
            ValueError: `positions` is not (n, 2), or the shape of another argument does not match.
        """
        centers = points_of(positions)
        filled = np.broadcast_to(np.asarray(shares, np.float32), len(centers)).clip(0, 1)
        if colors is None:
            colors = EMPTY + filled[:, None] * (FULL - EMPTY)
        halves = np.empty((len(centers), 2), np.float32)
        halves[:, 0] = np.asarray(widths, np.float32) / 2
        halves[:, 1] = height / 2
        self._marked().draw(BAR, centers, halves, np.asarray(colors, np.uint8), filled)

    def _draw_round(
        self, shape: int, positions: ArrayLike, radii: ArrayLike, colors: ArrayLike, flatness: float
    ) -> None:
        centers = points_of(positions)
        halves = np.empty((len(centers), 2), np.float32)
        halves[:, 0] = radii
        halves[:, 1] = halves[:, 0] * flatness
        self._marked().draw(shape, centers, halves, np.asarray(colors, np.uint8))

    def _marked(self) -> UnitMarks:
        if self._marks is None:
            self._marks = UnitMarks(self._context)
        return self._marks


def points_of(positions: ArrayLike) -> NDArray[np.float32]:
    """Return positions as an array, (n, 2)."""
    centers = np.asarray(positions, np.float32)
    if centers.ndim != 2 or centers.shape[1] != 2:
        raise ValueError(f"positions must have shape (n, 2), got {centers.shape}")
    return centers
