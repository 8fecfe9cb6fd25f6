"""A soft dark layer over everything that a team does not see."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tilequad.draw.arcade.cell_layer import CellLayer
from tilequad.draw.arguments import checked_fog
from tilequad.draw.cells import checked_soft
from tilequad.draw.overlays import DARKNESS, checked_darkness

if TYPE_CHECKING:
    from tilequad.nav import Fog

__all__ = ["FogOverlay"]

FRAGMENT = """
void main() {
    f_color = vec4(0.0, 0.0, 0.0, blended().r);
}
"""


class FogOverlay:
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

    def __init__(
        self,
        fog: Fog,
        team: int = 0,
        *,
        soft: float = 1.0,
        darkness: tuple[int, int] = DARKNESS,
    ) -> None:
        self._shades = checked_darkness(darkness).astype(np.uint8)
        self.fog = checked_fog(fog)
        self.team = team
        self._uploads = 0  # how many cells the last `draw` uploaded
        self._known = -1, -1  # the revision and the team last uploaded
        hidden = int(self._shades[0])
        self._layer = CellLayer(fog.grid.frame, FRAGMENT, checked_soft(soft), "f1", hidden)

    @property
    def nbytes(self) -> int:
        """The memory of the cells, here and on the GPU, in bytes."""
        return self._layer.nbytes

    def draw(self) -> None:
        """Draw over the whole screen. The camera in use determines the view.

        Raises:
            ValueError: There is no such team.
        """
        known = self.fog.revision, self.team
        self._uploads = 0
        if known != self._known:
            self._layer.follow(self._shades.take(self.fog.states(self.team)))
            self._uploads = self._layer.uploads
            self._known = known
        self._layer.draw()
