"""Make an image by picking pixels of another one."""

from __future__ import annotations

from functools import cached_property
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray
from PIL import Image

__all__ = ["Pixels", "Sources"]


# Where each pixel of a new image comes from, (height, width): row * width + column in the source
# image, or the number of its pixels if from nowhere. They serve all source images of one size.
Sources: TypeAlias = NDArray[np.int64]


class Pixels:
    """The pixels of an RGBA image as an array, to sample them again and again."""

    def __init__(self, image: Image.Image) -> None:
        self.width, self.height = image.size
        #: each as 32 bits, row by row; one more at the end is transparent
        self.values = np.zeros(self.width * self.height + 1, np.uint32)
        self.values[:-1] = np.asarray(image).view(np.uint32).ravel()

    @cached_property
    def crisp(self) -> bool:
        """Whether each pixel is either opaque or transparent."""
        alpha = self.values >> 24
        return bool(((alpha == 0) | (alpha == 255)).all())

    def sample(self, sources: Sources) -> Image.Image:
        """Return the image; it is transparent where there is no source pixel."""
        size = sources.shape[1], sources.shape[0]
        values = self.values.take(sources)
        return Image.frombuffer("RGBA", size, values, "raw", "RGBA", 0, 1)  # not copied
