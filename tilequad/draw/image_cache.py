"""Keep images up to a number of pixels."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Generic, Protocol, TypeVar

__all__ = ["ImageCache"]


class _Sized(Protocol):
    @property
    def width(self) -> int: ...

    @property
    def height(self) -> int: ...


Kept = TypeVar("Kept", bound=_Sized)


class ImageCache(Generic[Kept]):
    """Keeps images; forgets the least recently used ones to stay within a number of pixels.

    Args:
        max_pixels: The most pixels of all images together; a larger image is kept alone.
    """

    def __init__(self, max_pixels: int) -> None:
        self._max_pixels = max_pixels
        self._pixels = 0
        self._images: OrderedDict[Hashable, Kept] = OrderedDict()  # the least recently used first

    def __len__(self) -> int:
        """The number of images kept now."""
        return len(self._images)

    def get(self, key: Hashable, size: tuple[int, int], make: Callable[[], Kept]) -> Kept:
        """Return the image of a key; make it if it is not cached.

        Args:
            key: Identifies the image.
            size: Its width and height, to make room before the image is made.
            make: Makes the image.
        """
        image = self._images.get(key)
        if image is not None:
            self._images.move_to_end(key)
            return image
        self._make_room(size[0] * size[1])
        image = self._images[key] = make()
        self._pixels += image.width * image.height
        return image

    def _make_room(self, pixels: int) -> None:
        """Forget images until `pixels` more fit."""
        while self._images and self._pixels + pixels > self._max_pixels:
            _, image = self._images.popitem(last=False)
            self._pixels -= image.width * image.height
