"""The influence of units as colors over a picture."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from PIL import Image

from tilequad.draw.arguments import checked_influence
from tilequad.draw.cells import CellSpace
from tilequad.draw.overlays import HIGH, LOW, Color, checked_tints, influence_pixels, pixel_places

if TYPE_CHECKING:
    from tilequad.nav import InfluenceMap

__all__ = ["draw_influence"]


def draw_influence(
    picture: Image.Image,
    influence: InfluenceMap,
    bounds: Sequence[float],
    *,
    full: float | None = None,
    high: Color = HIGH,
    low: Color = LOW,
    y_up: bool = True,
) -> Image.Image:
    """Color a picture by an influence map, the more strongly the greater the influence is.

    Cost: about half a second for a million pixels.

    Args:
        picture: A picture of a part of the world, as `render` returns it.
        influence: The `tilequad.nav.InfluenceMap`.
        bounds: The part of the world that the picture shows.
        full: The influence that has the whole color; None for the greatest on the map.
        high: Red, green, blue, alpha of an influence above 0, 0 to 255.
        low: The same below 0.
        y_up: Whether y points up, the default of `load_map`.

    Returns:
        A new RGBA picture.

    Raises:
        TypeError: `influence` is not an `InfluenceMap`.
        ValueError: `bounds` is not a box, `full` is not above 0, or a color is not four numbers.

    Example:
        >>> from PIL import Image
        >>> from tilequad import DynamicQuadtree
        >>> from tilequad.draw.pillow import draw_influence
        >>> from tilequad.nav import Grid, InfluenceMap
        >>> units = DynamicQuadtree((0, 0, 200, 100))
        >>> units.add("orc", 55, 55)
        >>> threat = InfluenceMap(Grid([[True] * 20] * 10, cell_size=10), units, 40)
        >>> picture = draw_influence(Image.new("RGB", (200, 100)), threat, (0, 0, 200, 100))
        >>> picture.getpixel((55, 45))[0] > 60, picture.getpixel((150, 45))[0]
        (True, 0)
    """
    totals = checked_influence(influence).totals
    tints = checked_tints(totals, full, high, low)
    x, y = pixel_places(picture.size, bounds, y_up)
    layer = influence_pixels(totals, tints, CellSpace(influence.grid.frame), x, y)
    return Image.alpha_composite(picture.convert("RGBA"), Image.fromarray(layer))
