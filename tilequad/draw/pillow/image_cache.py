"""Keep images up to a number of pixels."""

from __future__ import annotations

from collections.abc import Callable

from PIL import Image

__all__ = ["ImageCache"]


class ImageCache:
    """Makes each image at its first request and keeps it.

    A small file can be cut into thousands of large tiles. So the cache forgets all its images
    before it exceeds its limit.

    Args:
        max_pixels: The most pixels to keep; a larger image is kept alone.
    """

    def __init__(self, max_pixels: int) -> None:
        self._max_pixels = max_pixels
        self._pixels = 0
        self._images: dict[tuple[int, ...], Image.Image] = {}

    def __len__(self) -> int:
        """The number of images kept now."""
        return len(self._images)

    def get(self, key: tuple[int, ...], make: Callable[[], Image.Image]) -> Image.Image:
        """Return the image of a key; call `make` if it is not kept."""
        if key not in self._images:
            image = make()
            self._pixels += image.width * image.height
            if self._pixels > self._max_pixels:
                self._images.clear()
                self._pixels = image.width * image.height
            self._images[key] = image
        return self._images[key]
