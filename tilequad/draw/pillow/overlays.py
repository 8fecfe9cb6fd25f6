"""Fogs, fields and influence maps as colors over a picture."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from PIL import Image

from tilequad.draw.overlays import (
    DARKNESS,
    FAR,
    HIGH,
    LOW,
    NEAR,
    CellsOfField,
    CellsOfFog,
    CellsOfInfluence,
    field_pixels,
    influence_pixels,
    pixel_places,
)
from tilequad.tiled import Color

if TYPE_CHECKING:
    from tilequad.nav import Field, Fog, InfluenceMap

__all__ = ["draw_field", "draw_fog", "draw_influence"]


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
        TypeError: `fog` is not a `Fog`.
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
    cells = CellsOfFog(fog, team, soft=soft, darkness=darkness)
    dark = Image.new("RGBA", picture.size, "black")
    dark.putalpha(Image.fromarray(cells._dark_at(*pixel_places(picture.size, bounds, y_up))))
    return Image.alpha_composite(picture.convert("RGBA"), dark)


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
        TypeError: `field` is not a `Field`.
        ValueError: `bounds` is not a box, `max_distance` or `band` is not above 0, or a color is
            not four numbers.

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
    cells = CellsOfField(field, max_distance=max_distance, band=band, near=near, far=far)
    x, y = pixel_places(picture.size, bounds, y_up)
    layer = field_pixels(*cells._measured(), cells._space, x, y)
    return Image.alpha_composite(picture.convert("RGBA"), Image.fromarray(layer))


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
    cells = CellsOfInfluence(influence, full=full, high=high, low=low)
    x, y = pixel_places(picture.size, bounds, y_up)
    layer = influence_pixels(*cells._measured(), cells._space, x, y)
    return Image.alpha_composite(picture.convert("RGBA"), Image.fromarray(layer))
