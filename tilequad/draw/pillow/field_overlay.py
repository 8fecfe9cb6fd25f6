"""Walking distances as colors over a picture."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from PIL import Image

from tilequad.draw.cells import CellSpace
from tilequad.draw.overlays import (
    FAR,
    NEAR,
    Color,
    FieldValues,
    checked_colors,
    field_pixels,
    pixel_places,
)

if TYPE_CHECKING:
    from tilequad.nav import Field

__all__ = ["draw_field"]


def draw_field(
    picture: Image.Image,
    field: Field,
    bounds: Sequence[float],
    *,
    max_distance: float | None = None,
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
        field: The `tilequad.nav.Field`.
        bounds: The part of the world that the picture shows.
        max_distance: The distance that has the last color; None for the largest of the field.
        band: How wide a band is, in world units; None for a 24th of `max_distance`.
        near: Red, green, blue, alpha at the goals, 0 to 255.
        far: The same at `max_distance`.
        y_up: Whether y points up, the default of `load_map`.

    Returns:
        A new RGBA picture.

    Raises:
        ValueError: `bounds` is not a box, or `max_distance` or `band` is not above 0.

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
    values = FieldValues.of(field.distances)
    colors = checked_colors(values.distances, max_distance, band, near, far)
    x, y = pixel_places(picture.size, bounds, y_up)
    layer = field_pixels(values, colors, CellSpace(field.grid.frame), x, y)
    return Image.alpha_composite(picture.convert("RGBA"), Image.fromarray(layer))
