"""A dark layer over everything that a team does not see."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from PIL import Image

from tilequad.draw.cells import CellSpace, checked_soft
from tilequad.draw.overlays import DARKNESS, checked_darkness, pixel_places

if TYPE_CHECKING:
    from tilequad.nav import Fog

__all__ = ["draw_fog"]


def draw_fog(
    picture: Image.Image,
    fog: Fog,
    bounds: Sequence[float],
    team: int = 0,
    *,
    soft: float = 1.0,
    darkness: tuple[int, int] = DARKNESS,
    y_up: bool = True,
) -> Image.Image:
    """Darken what a team does not see now, and black out what it has never seen.

    Cost: about a third of a second for a million pixels.

    Args:
        picture: A picture of a part of the world, as `render` returns it.
        fog: The `tilequad.nav.Fog`.
        bounds: The part of the world that the picture shows.
        team: The team whose view it is.
        soft: How wide the edges between cells are, in cells; 0 leaves them sharp.
        darkness: The darkness of cells never seen, and of cells seen before; 0 to 255.
        y_up: Whether y points up, the default of `load_map`.

    Returns:
        A new RGBA picture.

    Raises:
        ValueError: `bounds` is not a box, there is no such team, `soft` is not from 0 to 1, or
            `darkness` not from 0 to 255.

    Example:
        >>> from tilequad import load_map
        >>> from tilequad.draw.pillow import draw_fog, render
        >>> from tilequad.nav import BLOCKED, Fog, Grid, Rule
        >>> tile_map = load_map("maps/frontier.tmx")
        >>> fog = Fog(Grid.of(tile_map, Rule("trees", BLOCKED)))
        >>> tower = fog.add(4000, 4000, radius_in_cells=9)
        >>> part = (3600, 3600, 4400, 4400)
        >>> picture = draw_fog(render(tile_map, part, 0.5), fog, part)
        >>> picture.getpixel((0, 0))  # far away
        (0, 0, 0, 255)
    """
    width = checked_soft(soft)
    shades = checked_darkness(darkness)
    shade = shades[fog.states(team)]
    x, y = pixel_places(picture.size, bounds, y_up)
    alpha = CellSpace(fog.grid.frame).blend(shade, float(shades[0]), x, y, width)
    dark = Image.new("RGBA", picture.size, "black")
    dark.putalpha(Image.fromarray((alpha + 0.5).astype(np.uint8)))
    return Image.alpha_composite(picture.convert("RGBA"), dark)
