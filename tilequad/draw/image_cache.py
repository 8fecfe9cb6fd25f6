"""Keep images up to a number of pixels."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

__all__ = ["ImageCache"]


Kept = TypeVar("Kept")


class ImageCache(Generic[Kept]):
    """Keeps images; forgets the least recently used ones to stay within a number of pixels.

    A larger image is kept alone.
    """

    def __init__(self, max_pixels: int) -> None:
        self._max_pixels = max_pixels
        self._pixels = 0
        self._images: OrderedDict[Hashable, tuple[Kept, int]] = (
            OrderedDict()
        )  # the least recently used first

    def __len__(self) -> int:
        """The number of images kept now."""
        return len(self._images)

    def known(self, key: Hashable) -> Kept | None:
        """Return the image of a key if it is kept now."""
        found = self._images.get(key)
        if found is None:
            return None
        self._images.move_to_end(key)
        return found[0]

    def get(self, key: Hashable, size: tuple[int, int], make: Callable[[], Kept]) -> Kept:
        """Return the image of a key; make it if it is not cached, after room for its size."""
        known = self.known(key)
        if known is not None:
            return known
        pixels = size[0] * size[1]
        while self._images and self._pixels + pixels > self._max_pixels:
            self._pixels -= self._images.popitem(last=False)[1][1]
        image = make()
        self._images[key] = image, pixels
        self._pixels += pixels
        return image
