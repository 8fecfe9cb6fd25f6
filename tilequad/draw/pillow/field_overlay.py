"""How far it is to walk, in colors over a picture."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from tilequad.draw.pillow.cell_blend import CellSpace
from tilequad.draw.pillow.fog_overlay import FogGrid, pixel_places

__all__ = ["FieldColors", "FieldLayer", "checked_colors", "draw_field"]

Color = tuple[int, int, int, int]

NEAR: Color = (255, 214, 90, 150)
FAR: Color = (70, 40, 150, 150)
BANDS = 24  # unless told otherwise


class FieldLayer(Protocol):
    """What overlays ask of a field. `tilequad.nav.Field` has it."""

    @property
    def grid(self) -> FogGrid:
        """The cells."""

    @property
    def revision(self) -> int:
        """Counts the changes."""

    @property
    def distances(self) -> NDArray[np.float64]:
        """How far it is from each cell, (rows, columns); inf where there is no way."""


class FieldColors(NamedTuple):
    """Which color a distance has.

    Attributes:
        reach: The distance that has the last color.
        band: How wide a band is, from dark to dark, in world units.
        near: Red, green, blue, alpha of distance 0.
        far: That of `reach`.
    """

    reach: float
    band: float
    near: Color
    far: Color


def draw_field(
    picture: Image.Image,
    field: FieldLayer,
    bounds: Sequence[float],
    *,
    reach: float | None = None,
    band: float | None = None,
    near: Color = NEAR,
    far: Color = FAR,
    y_up: bool = True,
) -> Image.Image:
    """Color a picture by how far it is to the goals of a field, in bands of equal distance.

    Where no way leads, nothing is drawn.

    Cost: about half a second for a million pixels.

    Args:
        picture: A picture of a part of the world, as `render` returns it.
        field: The field, such as a `tilequad.nav.Field`.
        bounds: The part of the world that the picture shows.
        reach: The distance that has the last color; None for the largest of the field.
        band: How wide a band is, in world units; None for a 24th of `reach`.
        near: Red, green, blue, alpha at the goals, 0 to 255.
        far: The same at `reach`.
        y_up: Whether y points up, as `load_map` has it unless it is told otherwise.

    Returns:
        A new RGBA picture.

    Raises:
        ValueError: `bounds` is not a box, or `reach` or `band` is not above 0.

    Example:
        >>> from tilequad import load_map
        >>> from tilequad.draw.pillow import draw_field, render
        >>> from tilequad.nav import BLOCKED, Field, Grid, Rule
        >>> tile_map = load_map("maps/frontier.tmx")
        >>> grid = Grid.of(tile_map, Rule("ground", BLOCKED, {"solid": True}))
        >>> field = Field(grid, [(4000, 4000)])
        >>> part = (3600, 3600, 4400, 4400)
        >>> picture = draw_field(render(tile_map, part, 0.5), field, part)
        >>> picture.size
        (400, 400)
    """
    distances = field.distances
    colors = checked_colors(distances, reach, band, near, far)
    x, y = pixel_places(picture.size, bounds, y_up)
    space = CellSpace(field.grid.frame)
    values = np.where(np.isinf(distances), 0.0, distances).astype(np.float32)
    known = np.isfinite(distances).astype(np.float32)
    far_off, share = np.zeros(x.shape), np.zeros(x.shape)
    for columns, rows, weights in space.around(x, y, 1.0):
        held = weights * space.taken(known, 0.0, columns, rows)
        share += held
        far_off += held * space.taken(values, 0.0, columns, rows)
    distance = far_off / np.maximum(share, 1e-9)
    layer = _mixed(distance / colors.reach, colors)
    layer[..., 3] *= share * (0.7 + 0.3 * np.cos(2 * np.pi * distance / colors.band))
    over = Image.fromarray((layer + 0.5).clip(0, 255).astype(np.uint8))
    return Image.alpha_composite(picture.convert("RGBA"), over)


def _mixed(share: NDArray[np.float64], colors: FieldColors) -> NDArray[np.float64]:
    """The colors of some shares of the reach, (..., 4)."""
    near, far = np.array(colors.near, float), np.array(colors.far, float)
    mixed: NDArray[np.float64] = near + share.clip(0, 1)[..., None] * (far - near)
    return mixed


def checked_colors(
    distances: NDArray[np.float64],
    reach: float | None,
    band: float | None,
    near: Color,
    far: Color,
) -> FieldColors:
    """How to color distances; raise ValueError unless `reach` and `band` are above 0."""
    if reach is None:
        reach = float(distances.max(initial=0.0, where=np.isfinite(distances))) or 1.0
    if not 0.0 < reach < inf:
        raise ValueError(f"reach must be above 0 and finite, got {reach!r}")
    if band is None:
        band = reach / BANDS
    if not 0.0 < band < inf:
        raise ValueError(f"band must be above 0 and finite, got {band!r}")
    for name, color in (("near", near), ("far", far)):
        if len(color) != 4:
            raise ValueError(f"{name} must be red, green, blue, alpha, got {color!r}")
    return FieldColors(float(reach), float(band), near, far)
