"""Make an image by picking pixels of another one."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from PIL import Image

__all__ = ["Pixels", "Sources"]


class Sources(NamedTuple):
    """The source pixel of each pixel of a new image; usable for all source images of one size."""

    #: (height, width): row * width + column in the source; its number of pixels means none
    places: NDArray[np.int64]

    @property
    def width(self) -> int:
        """Width of the image to make."""
        return int(self.places.shape[1])

    @property
    def height(self) -> int:
        """Height of the image to make."""
        return int(self.places.shape[0])


class Pixels:
    """The pixels of an RGBA image as an array, to sample them again and again."""

    def __init__(self, image: Image.Image) -> None:
        self.width, self.height = image.size
        #: each as 32 bits, row by row; one more at the end is transparent
        self.values = np.zeros(self.width * self.height + 1, np.uint32)
        self.values[:-1] = np.asarray(image).view(np.uint32).ravel()

    def sample(self, sources: Sources) -> Image.Image:
        """Return the image; it is transparent where there is no source pixel."""
        size = sources.width, sources.height
        values = self.values.take(sources.places)
        return Image.frombuffer("RGBA", size, values, "raw", "RGBA", 0, 1)  # not copied
