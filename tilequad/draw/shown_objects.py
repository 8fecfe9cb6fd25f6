"""Which objects of a map are drawn: all of them, those that are art, or none."""

from __future__ import annotations

from typing import Literal, get_args

from tilequad.tiled import MapObject

__all__ = ["Objects", "ShowsObjects", "checked_objects", "is_drawn"]

Objects = Literal["all", "art", "none"]


def checked_objects(objects: Objects) -> Objects:
    """Return which objects to draw; raise ValueError unless it is one of the three names."""
    if objects not in get_args(Objects):
        raise ValueError(f'objects must be "all", "art" or "none", got {objects!r}')
    return objects


def is_drawn(item: MapObject, objects: Objects) -> bool:
    """Return whether a choice draws an object; "art" leaves out objects that only mark a place."""
    return objects == "all" or (objects == "art" and bool(item.gid or item.text is not None))


class ShowsObjects:
    """The base of `MapView`: which objects it draws."""

    @property
    def objects(self) -> Objects:
        """Which objects are drawn: "all", "art" or "none"; may be set at any time."""
        return self._objects

    @objects.setter
    def objects(self, objects: Objects) -> None:
        self._objects = checked_objects(objects)
