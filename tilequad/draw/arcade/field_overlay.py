"""Walking distances as colors over the world."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tilequad.draw.arcade.cell_layer import Settings, TexelOverlay
from tilequad.draw.cell_overlays import CellsOfField

__all__ = ["FieldOverlay"]

# The values are distances, 0 where no way leads, and whether a way leads there.
FRAGMENT = """
uniform vec4 near;
uniform vec4 far;
uniform vec2 range;  // max_distance and band

void main() {
    vec2 value = blended();
    float share = value.y, distance = value.x / max(share, 1e-9);
    f_color = mix(near, far, clamp(distance / range.x, 0.0, 1.0));
    f_color.a *= share * (0.7 + 0.3 * cos(6.283185307179586 * fract(distance / range.y)));
}
"""


class FieldOverlay(TexelOverlay, CellsOfField):
    """Colors the ground by how far it is to the goals of a field, in bands of equal distance.

    Where no way leads, nothing is drawn. The layer follows the field: `draw` uploads the box around
    the distances that have changed, eight bytes for each cell.

    Cost: one quad over the screen. After a change of the field, all its distances are read and
    compared, 10 ns for each cell.

    Args:
        field: The `tilequad.nav.Field`; it may be set at any time to another one
            of the same grid.
        max_distance: The distance that has the last color; None for the largest of the field.
        band: How wide a band is, in world units; None for a 24th of `max_distance`.
        near: Red, green, blue, alpha at the goals, 0 to 255.
        far: The same at `max_distance`.

    Attributes:
        field: The field.

    Raises:
        TypeError: `field` is not a `Field`.
        ValueError: `max_distance` or `band` is not above 0, or the grid is larger than the textures
            of the GPU.

    Example:
        >>> import arcade
        >>> from tilequad.draw.arcade import FieldOverlay, MapView, visible_bounds
        >>> def show(map_view: MapView, overlay: FieldOverlay, camera: arcade.Camera2D) -> None:
        ...     with camera.activate():
        ...         map_view.draw(visible_bounds(camera))
        ...         overlay.draw()  # before the units
    """

    _fragment = FRAGMENT

    def _values(self) -> tuple[NDArray[np.float32], Settings]:
        values, colors = self._measured()
        return np.stack(values, axis=-1), {
            "range": (colors.max_distance, colors.band),
            "near": tuple(number / 255 for number in colors.near),
            "far": tuple(number / 255 for number in colors.far),
        }
