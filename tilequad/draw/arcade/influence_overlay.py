"""The influence of units as colors over the world."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tilequad.draw.arcade.cell_layer import Settings, TexelOverlay
from tilequad.draw.cell_overlays import CellsOfInfluence

__all__ = ["InfluenceOverlay"]

# The values are the influence above 0 and the influence below.
FRAGMENT = """
uniform vec4 high;
uniform vec4 low;
uniform float full;

void main() {
    vec2 value = blended();
    float share = (value.x - value.y) / full;
    f_color = share > 0.0 ? high : low;
    f_color.a *= min(abs(share), 1.0);
}
"""


class InfluenceOverlay(TexelOverlay, CellsOfInfluence):
    """Colors the ground by an influence map, the more strongly the greater the influence is.

    The layer follows the map: `draw` uploads the box around the cells that have changed, eight
    bytes for each cell.

    Cost: one quad over the screen. After an update of the map, all its cells are read and compared,
    10 ns for each cell.

    Args:
        influence: The `tilequad.nav.InfluenceMap`; it may be set at any time to another one of the
            same grid.
        full: The influence that has the whole color; None for the greatest on the map.
        high: Red, green, blue, alpha of an influence above 0, 0 to 255.
        low: The same below 0.

    Attributes:
        influence: The influence map.

    Raises:
        TypeError: `influence` is not an `InfluenceMap`.
        ValueError: `full` is not above 0, a color is not four numbers, or the grid is larger than
            the textures of the GPU.

    Example:
        >>> import arcade
        >>> from tilequad.draw.arcade import InfluenceOverlay, MapView, visible_bounds
        >>> def show(map_view: MapView, threat: InfluenceOverlay, camera: arcade.Camera2D) -> None:
        ...     with camera.activate():
        ...         map_view.draw(visible_bounds(camera))
        ...         threat.draw()  # before the units
    """

    _fragment = FRAGMENT

    def _values(self) -> tuple[NDArray[np.float32], Settings]:
        totals, tints = self._measured()
        values = np.stack((totals.clip(0.0), (-totals).clip(0.0)), axis=-1).astype(np.float32)
        return values, {
            "full": (tints.full,),
            "high": tuple(number / 255 for number in tints.high),
            "low": tuple(number / 255 for number in tints.low),
        }
