"""The pixels of a map's images, kept up to a limit."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from PIL import Image

__all__ = ["ImageCache"]


class ImageCache:
    """Keeps images, and forgets those used longest ago to stay within a number of pixels.

    Args:
        max_pixels: The most pixels of all images together; a larger image is kept alone.
    """

    def __init__(self, max_pixels: int) -> None:
        self._max_pixels = max_pixels
        self._images: dict[Hashable, Image.Image] = {}  # the one used last is last

    def get(
        self, key: Hashable, size: tuple[int, int], make: Callable[[], Image.Image]
    ) -> Image.Image:
        """The image of a key; `make` makes it if it is not kept.

        Args:
            key: Whatever tells images apart.
            size: Width and height of the image; room is made before it is.
            make: Returns the image.
        """
        image = self._images.pop(key, None)
        if image is None:
            self._forget(self._max_pixels - size[0] * size[1])
            image = make()
        self._images[key] = image
        return image

    def _forget(self, max_pixels: int) -> None:
        """Forget images until those left have at most so many pixels."""
        pixels = sum(image.width * image.height for image in self._images.values())
        for key, image in list(self._images.items()):
            if pixels <= max_pixels:
                return
            del self._images[key]
            pixels -= image.width * image.height
