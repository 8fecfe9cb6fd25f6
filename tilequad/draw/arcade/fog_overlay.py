"""A soft dark layer over everything that a team does not see."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tilequad.draw.arcade.cell_layer import Settings, TexelOverlay
from tilequad.draw.cell_overlays import CellsOfFog

__all__ = ["FogOverlay"]

FRAGMENT = """
void main() {
    f_color = vec4(0.0, 0.0, 0.0, blended().r);
}
"""


class FogOverlay(TexelOverlay, CellsOfFog):
    """Darkens what a team does not see now, and blacks out what it has never seen.

    The layer follows the fog: `draw` uploads the box around the cells that have changed, a byte for
    each, and nothing while the fog stays the same.

    Cost: one quad over the screen, on any size of map.

    Args:
        fog: The `tilequad.nav.Fog`.
        team: The team whose view it is; it may be set at any time.
        soft: How wide the edges between cells are, in cells; 0 leaves them sharp.
        darkness: The darkness of cells never seen, and of cells seen before; 0 to 255.

    Attributes:
        fog: The fog.
        team: The team.

    Raises:
        TypeError: `fog` is not a `Fog`.
        ValueError: `soft` is not from 0 to 1, `darkness` not from 0 to 255, or the grid is larger
            than the textures of the GPU.

    Example:
        >>> import arcade
        >>> from tilequad.draw.arcade import FogOverlay, MapView, visible_bounds
        >>> def show(map_view: MapView, overlay: FogOverlay, camera: arcade.Camera2D) -> None:
        ...     with camera.activate():
        ...         map_view.draw(visible_bounds(camera))
        ...         overlay.draw()  # after the units
    """

    _fragment, _dtype = FRAGMENT, "f1"

    def _outside(self) -> int:
        return int(self._shades[0])

    def _values(self) -> tuple[NDArray[np.uint8], Settings]:
        return self._dark().astype(np.uint8), {}
