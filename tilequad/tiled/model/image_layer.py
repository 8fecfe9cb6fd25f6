"""Image layers: one picture, which may repeat endlessly."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from tilequad.bounds import Bounds

from ..cells import Ids
from ..checks import switches_of
from ..index.tile_store import ids_below
from .layer import SETTINGS, Check, Layer
from .pictures import Picture

__all__ = ["ImageLayer"]


class ImageLayer(Layer):
    """A layer with one picture, which may repeat endlessly.

    See https://doc.mapeditor.org/en/stable/manual/layers/#image-layers.

    Attributes:
        picture: The image, or None.
        repeat: Whether it repeats along x and along y.
    """

    picture: Picture | None
    repeat: tuple[bool, bool]

    _content = "image"
    _checks: ClassVar[Mapping[str, Check]] = {**SETTINGS, "repeat": switches_of}

    @property
    def image_path(self) -> Path | None:
        """The image file; None if there is no image, or if it is embedded or named absolutely."""
        return None if self.picture is None else self.picture.path

    @cached_property
    def bounds(self) -> Bounds:
        """The box of the picture, without its repeats; reads the header of the image."""
        width, height = (self.picture and self.picture.size) or (0, 0)
        left, top = self.offset
        box = np.array([[left, top, left + width, top + height]], float)
        return Bounds(*self._frame.axes.boxes(box)[0].tolist())

    def _move(self, dx: float, dy: float) -> None:
        vars(self).pop("bounds", None)

    def __len__(self) -> int:
        """Return 1 if there is a picture, else 0."""
        return 0 if self.picture is None else 1

    def query(self, bounds: Sequence[float]) -> NDArray[np.int32]:
        """Return the id 0 if the picture or a repeat of it overlaps a box, else no id."""
        seen = Bounds.of(bounds, "bounds")
        own = self.bounds
        across = self.repeat[0] or (own.min_x <= seen.max_x and seen.min_x <= own.max_x)
        along = self.repeat[1] or (own.min_y <= seen.max_y and seen.min_y <= own.max_y)
        return np.zeros(1 if len(self) and across and along else 0, np.int32)

    def boxes(self, ids: Ids) -> NDArray[np.float64]:
        """Return the box of the picture, once for each id; IndexError for an id but 0."""
        boxes = np.array([self.bounds] * len(self), float).reshape(-1, 4)
        found: NDArray[np.float64] = boxes[ids_below(ids, len(self))]
        return found
