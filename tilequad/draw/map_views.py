"""What `MapView` is in every host."""

from __future__ import annotations

from tilequad._core.checks import finite_number
from tilequad.draw.arguments import Objects, checked_objects, checked_tile_map
from tilequad.tiled import ImageLayer, Layer, ObjectLayer, TileMap

__all__ = ["MapViewBase", "look_of"]


class MapViewBase:
    """A map, which of its objects are drawn, and the time that animated tiles show."""

    _y_up: bool  # how the host needs maps to be loaded
    _revision: int  # of the map that the pictures show

    def __init__(self, tile_map: TileMap, *, objects: Objects = "art") -> None:
        self.tile_map = checked_tile_map(tile_map, y_up=self._y_up)
        self.objects = objects
        self._time = 0.0
        self._begin()
        self._show_time()

    def _begin(self) -> None:
        """Forget all pictures, and make what the host needs for the map as it is now."""
        raise NotImplementedError

    def _show_time(self) -> None:
        """Let animated tiles show the time."""
        raise NotImplementedError

    @property
    def objects(self) -> Objects:
        """Which objects are drawn: "all", "art" or "none"; may be set at any time."""
        return self._objects

    @objects.setter
    def objects(self, objects: Objects) -> None:
        self._objects = checked_objects(objects)

    def set_time(self, time: float) -> None:
        """Set the time that animated tiles show; at first it is 0.

        Costs a microsecond for each kind of animated tile, however many tiles the map has.

        Args:
            time: Milliseconds since the map was opened.

        Raises:
            TypeError: `time` is not a number.
            ValueError: `time` is not finite.
        """
        self._time = finite_number(time, "time")
        if self._revision == self.tile_map.revision:  # else `draw` begins anew, and shows it
            self._show_time()


def look_of(layer: Layer) -> tuple[object, ...]:
    """Return what a layer looks like, without what is in it: equal to before if it is the same."""
    look = layer, layer.opacity, layer.tint, layer.mode, layer.parallax
    if isinstance(layer, ObjectLayer):
        return *look, layer.color
    if isinstance(layer, ImageLayer):
        return *look, layer.repeat
    return look
