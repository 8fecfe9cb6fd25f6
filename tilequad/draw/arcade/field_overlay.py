"""Walking distances as colors over the world."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tilequad.draw.arcade.cell_layer import CellLayer
from tilequad.draw.arguments import checked_field
from tilequad.draw.overlays import FAR, NEAR, Color, FieldValues, checked_colors

if TYPE_CHECKING:
    from tilequad.nav import Field

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


class FieldOverlay:
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

    def __init__(
        self,
        field: Field,
        *,
        max_distance: float | None = None,
        band: float | None = None,
        near: Color = NEAR,
        far: Color = FAR,
    ) -> None:
        checked_colors(np.zeros((1, 1), np.float32), max_distance, band, near, far)
        self.field = checked_field(field)
        self._uploads = 0  # how many cells the last `draw` uploaded
        self._given = max_distance, band, near, far
        # The field and the revision that were uploaded
        self._known: tuple[Field | None, int] = (None, -1)
        self._layer = CellLayer(field.grid.frame, FRAGMENT, 1.0, "f4", 0)

    @property
    def nbytes(self) -> int:
        """The memory of the cells, here and on the GPU, in bytes."""
        return self._layer.nbytes

    def draw(self) -> None:
        """Draw over the whole screen. The camera in use determines the view."""
        known = self.field, self.field.revision
        self._uploads = 0
        if known != self._known:
            values = FieldValues.of(self.field.distances)
            colors = checked_colors(values.distances, *self._given)
            self._layer.follow(np.stack(values, axis=-1))
            self._uploads = self._layer.uploads
            self._known = known
            program = self._layer.program
            program["range"] = colors.max_distance, colors.band
            program["near"] = tuple(number / 255 for number in colors.near)
            program["far"] = tuple(number / 255 for number in colors.far)
        self._layer.draw()
