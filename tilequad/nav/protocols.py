"""What this package calls on what is solid, as protocols for type checkers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

__all__ = ["SolidTiles", "WallIndex"]


class SolidTiles(Protocol):
    """What `LineOfSight` calls on tiles. The selections of `tilequad.tiled` have it."""

    layer: Any

    @property
    def ids(self) -> NDArray[np.int32]:
        """The ids of all tiles."""

    def boxes(self, ids: NDArray[np.int32], /) -> NDArray[np.float64]:
        """Return the boxes of tiles, (n, 4): min_x, min_y, max_x, max_y."""


class WallIndex(Protocol):
    """What `Walls` calls. Layers and selections of `tilequad.tiled` and a `Grid` have it."""

    def query(self, bounds: Sequence[float], /) -> NDArray[np.int32]:
        """Return the ids of the boxes that overlap or touch a box."""

    def boxes(self, ids: NDArray[np.int32], /) -> NDArray[np.float64]:
        """Return the boxes with these ids, (n, 4): min_x, min_y, max_x, max_y."""


def __dir__() -> list[str]:
    """List the public names."""
    return list(__all__)
