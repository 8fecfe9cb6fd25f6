"""The methods that this package calls on solid things, as protocols for type checkers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

__all__ = ["SolidTiles", "WallIndex"]


class SolidTiles(Protocol):
    """The methods that `LineOfSight` calls on tiles. Selections of `tilequad.tiled` have them."""

    layer: Any

    @property
    def ids(self) -> NDArray[np.int32]:
        """The ids of all tiles."""

    def boxes(self, ids: NDArray[np.int32], /) -> NDArray[np.float64]:
        """Return the boxes of tiles, (n, 4): min_x, min_y, max_x, max_y."""


class WallIndex(Protocol):
    """The methods that `Walls` calls. A `Grid`, and layers and selections of a map, have them."""

    def query(self, bounds: Sequence[float], /) -> NDArray[np.int32]:
        """Return the ids of the boxes that overlap or touch a box."""

    def boxes(self, ids: NDArray[np.int32], /) -> NDArray[np.float64]:
        """Return the boxes with these ids, (n, 4): min_x, min_y, max_x, max_y."""


def __dir__() -> list[str]:
    """List the public names."""
    return list(__all__)
