"""Object layers: shapes, tiles and text at any position, in world units."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cached_property
from itertools import chain
from typing import TYPE_CHECKING, Any, ClassVar, TypedDict

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tilequad._core.shown import shown
from tilequad.bounds import Bounds
from tilequad.quadtree import StaticQuadtree

from ..cells import Floats, Ids
from ..checks import color_of, one_of
from ..filters import checked_filter, matches
from ..index.selection import Selection
from ..index.tile_store import ids_below
from . import verbs
from .layer import SETTINGS, Check, Layer, LayerAttributes
from .map_object import MapObject, Template, Text
from .properties import Color
from .tilesets import Tile

if TYPE_CHECKING:
    from typing_extensions import Unpack

__all__ = ["DRAW_ORDERS", "ObjectLayer", "ObjectSettings", "part_of"]


DRAW_ORDERS = ("topdown", "index")


class ObjectSettings(TypedDict, total=False):
    """What `add_object` and `edit_object` set, as keywords.

    Attributes:
        name: The name.
        class_name: The class; a tile has that of its tileset by default.
        properties: All of its own custom properties; it has those of its tile and its template as
            well.
        rotation: Degrees, clockwise on the screen, about its position.
        gid: The gid of a tile.
        flags: The flip bits of a tile.
        points: The outline of a polygon or polyline in world units, after rotation, as
            `MapObject.points` has it; shape (n, 2).
        text: The text of a text object, or a `Text` with a style.
        visible: Whether to draw it.
        opacity: From 0, invisible, to 1.
    """

    name: str
    class_name: str
    properties: Mapping[str, Any]
    rotation: float
    gid: int
    flags: int
    points: ArrayLike
    text: str | Text
    visible: bool
    opacity: float


class ObjectLayer(Layer):
    """Objects in draw order; an object's id in queries is its index in `objects`.

    See https://doc.mapeditor.org/en/stable/manual/layers/#object-layers.

    Attributes:
        objects: All objects in draw order.
        color: The color of outlines, or None.
        draw_order: "topdown", by y, or "index", in the order of `objects`. Set it: the first sorts
            them, the second keeps the order that they have.
        revision: Counts the changes of its objects by `add_object`, `edit_object` and
            `remove_object`, and those that move the layer; views follow it.
    """

    objects: list[MapObject]
    color: Color | None
    revision: int = 0

    _content = "object"
    _checks: ClassVar[Mapping[str, Check]] = {**SETTINGS, "color": color_of}

    @property
    def draw_order(self) -> str:
        """Which objects are drawn first: "topdown" or "index"."""
        found: str = vars(self)["draw_order"]
        return found

    @draw_order.setter
    def draw_order(self, draw_order: str) -> None:
        wanted = one_of(draw_order, "draw_order", DRAW_ORDERS)
        before, objects = self.draw_order, self.objects.copy()
        if wanted == before:
            return
        ordered = sorted(objects, key=self._y_in_file) if wanted == "topdown" else objects
        try:
            self._draw_in(wanted, ordered)
        except BaseException:  # such as Ctrl-C; some may know of it
            self._draw_in(before, objects)
            raise

    def _draw_in(self, draw_order: str, objects: list[MapObject]) -> None:
        """Give the objects an order, and let views follow."""
        vars(self)["draw_order"] = draw_order
        self.objects[:] = objects
        self._forget()
        self._frame.tools.followers.tell(lambda tile_map: tile_map._part_changed())

    def _y_in_file(self, item: MapObject) -> float:
        """Return the y of an object in the file, down and before projection."""
        return self._frame.place_in_file(item.x, item.y, self.offset)[1]

    def __len__(self) -> int:
        """Return the number of objects."""
        return len(self.objects)

    def query(self, bounds: Sequence[float]) -> NDArray[np.int32]:
        """Find the objects whose box overlaps another; touching counts.

        Cost: the first call, and the first after a change, builds a tree: half a microsecond to one
        per object.

        Args:
            bounds: Four numbers in world units: min_x, min_y, max_x, max_y.

        Returns:
            Indices into `objects`, in draw order; int32, shape (n,).

        Raises:
            ValueError: `bounds` is not four finite numbers, or a minimum exceeds its maximum.
        """
        found = self._tree.query(Bounds.of(bounds, "bounds"))
        return np.sort(found, kind="stable")  # usually in order already

    def boxes(self, ids: Ids) -> Floats:
        """Return the boxes around objects.

        Cost: the first call, and the first after a change, measures all: a microsecond for each.

        Args:
            ids: Indices into `objects`.

        Returns:
            min_x, min_y, max_x, max_y in world units; float64, shape (n, 4).

        Raises:
            TypeError: `ids` contains something other than whole numbers.
            IndexError: An object has not this index.
        """
        found: Floats = self._boxes[ids_below(ids, len(self))]
        return found

    def select(
        self, properties: Mapping[str, Any] | None = None, *, class_name: str | None = None
    ) -> Selection:
        """Select objects by properties and class, for spatial queries such as `nearest`.

        Cost: about a microsecond per object, so keep the selection.

        Args:
            properties: Names and values, such as `{"locked": True}`; an object must have all of
                them. None for any.
            class_name: The class of the objects; None for any.

        Returns:
            A selection whose ids are indices into `objects`. It follows the changes that a reload
            brings.

        Raises:
            TypeError: `properties` is not a dict, or `class_name` no text.
        """
        wanted = checked_filter(properties, "select(", class_name=class_name)
        selection = Selection._from(self, wanted, class_name)
        len(selection)  # looks for them now
        return selection

    def _matching(self, properties: dict[str, Any], class_name: str | None) -> NDArray[np.int32]:
        """Return the indices of the objects that have a class and some properties."""
        chosen = [matches(item, properties, class_name) for item in self.objects]
        return np.flatnonzero(chosen).astype(np.int32)

    def add_object(
        self,
        shape: str | None = None,
        x: float | None = None,
        y: float | None = None,
        size: tuple[float, float] | None = None,
        *,
        template: Template | None = None,
        **settings: Unpack[ObjectSettings],
    ) -> MapObject:
        """Add an object.

        Its id is the next one of the map. In a layer drawn "topdown" it takes its place by y.

        Cost: about a tenth of a millisecond; then the next query builds its tree anew.

        Args:
            shape: "rectangle", "point", "ellipse", "capsule", "polygon", "polyline", "tile" or
                "text"; by default that of the template.
            x: Its position, in world units: the top-left corner of a rectangle, ellipse, capsule
                or text, the bottom-left corner of a tile unless its tileset aligns it otherwise. A
                polygon or polyline is at its first point by default.
            y: See `x`.
            size: Width and height in pixels; none by default. It gives a tile the size of its
                image.
            template: The template that it is an instance of. What is given besides overrides it.
            **settings: All else; see `ObjectSettings`.

        Raises:
            KeyError: No tileset has the gid.
            TypeError: An argument is of the wrong type; or `x` and `y`, or the shape, are missing.
            ValueError: A number is not finite or out of range, an argument does not belong to the
                shape, or the template has no file yet or is that of another map.

        Example:
            >>> from tilequad import load_map
            >>> places = load_map("maps/frontier.tmx").add_object_layer("places")
            >>> river = places.add_object("polyline", points=[(0, 0), (64, 32)], name="river")
            >>> river.bounds
            Bounds(min_x=0.0, min_y=0.0, max_x=64.0, max_y=32.0)
            >>> places.add_object("point", 5, 5, properties={"gold": 3}).properties
            {'gold': 3}
        """
        made: MapObject = verbs.add_object(self, shape, x, y, template, size=size, **settings)
        return made

    def edit_object(
        self,
        item: MapObject,
        *,
        shape: str | None = None,
        x: float | None = None,
        y: float | None = None,
        size: tuple[float, float] | None = None,
        **settings: Unpack[ObjectSettings],
    ) -> None:
        """Change an object; outline, bounds, views and grids follow. What is not given stays.

        To set an attribute, such as `item.x`, changes no more than this number, which is saved,
        too: outline, bounds, queries, views and grids stay as they were.

        Cost: about a tenth of a millisecond, and 20 microseconds for each cell that the object
        touches in each grid with a rule for the layer; then the next query builds its tree anew,
        and a view makes the pictures of the layer anew; in pygame, of all layers that it draws
        together. So what moves in each frame is better a unit.

        Args:
            item: An object of this layer. In a layer drawn "topdown" it takes its new place by y.
            shape: Another shape, with what it needs: the gid of a tile, a text, points.
            x: Its position, in world units. The points of a polygon move along.
            y: See `x`.
            size: Width and height in pixels.
            **settings: All else; see `ObjectSettings`. A str as `text` keeps the style.

        Raises:
            KeyError: The layer does not have the object, or no tileset has the gid.
            TypeError: An argument is of the wrong type.
            ValueError: A number is not finite or out of range, or an argument does not belong to
                the shape.

        Example:
            >>> from tilequad import load_map
            >>> places = load_map("maps/frontier.tmx").add_object_layer("places")
            >>> camp = places.add_object("rectangle", 0, 50, (20, 10))
            >>> places.edit_object(camp, x=100, rotation=90)
            >>> tuple(round(side) for side in camp.bounds)
            (90, 30, 100, 50)
            >>> places.edit_object(camp, shape="polygon", points=[(0, 0), (9, 0), (9, 9)])
            >>> camp.shape, len(camp.points)
            ('polygon', 3)
        """
        verbs.edit_object(self, item, shape, x, y, size=size, **settings)

    def remove_object(self, item: MapObject) -> None:
        """Remove an object.

        Cost: about a tenth of a millisecond; then the next query builds its tree anew.

        Raises:
            KeyError: The layer does not have it.
        """
        number = self._number_of(item)
        with self._changing(item):
            del self.objects[number]

    def _number_of(self, item: MapObject) -> int:
        try:
            return self.objects.index(item)
        except ValueError:
            wrong = f"item must be an object of the layer, got {shown(item)}"
            raise KeyError(wrong) from None

    def _move(self, dx: float, dy: float) -> None:
        down = -dy if self._frame.axes.y_up else dy
        for item in self.objects:
            item._move(dx, down)
        self._forget()

    @contextmanager
    def _changing(self, item: MapObject) -> Iterator[None]:
        """Let views and grids follow a change of an object; half of a change is taken back."""
        right = self.objects.copy(), vars(item).copy()
        followers = self._frame.tools.followers
        try:
            yield
            right = self.objects.copy(), vars(item).copy()  # a fog may see it soon: it stays
            self._forget()
            followers.tell(lambda tile_map: tile_map._object_changed(self, item))
        except BaseException:  # such as Ctrl-C; some may not know yet
            self.objects[:], attributes = right
            vars(item).clear()
            vars(item).update(attributes)
            self._forget()
            followers.tell(lambda tile_map: tile_map._part_changed())
            raise

    def _tile_changed(self, gids: set[int], was: Tile, now: Tile) -> None:
        """Let the objects that show a tile have its class and its properties."""
        tools = self._frame.tools
        for item in self.objects:
            if item.gid in gids:
                properties = item.properties._without(was._own_properties(tools))
                if not item._has_class and item.class_name != now.class_name:
                    properties = tools.without_members(properties, item.class_name, "object")
                    item.class_name = now.class_name
                properties._inherit(now._own_properties(tools))
                tools.complete(properties, item.class_name, "object")
                item.properties = properties
                self._forget()

    def _forget(self) -> None:
        """Forget what was computed from the objects, and let views follow."""
        self.revision += 1
        for name in ("_boxes", "_tree"):
            vars(self).pop(name, None)

    def nodes(self) -> NDArray[np.void]:
        """Return the nodes of the tree behind `query`: bounds, depth, count; see StaticQuadtree.

        Cost: the first call, and the first after a change, builds the tree, as for `query`.
        """
        return self._tree.nodes()

    @property
    def nbytes(self) -> int:
        """The memory of the tree behind `query`, in bytes. Builds it if necessary, as `query`."""
        return int(self._tree.stats().nbytes)

    @cached_property
    def _boxes(self) -> Floats:
        numbers = chain.from_iterable(item.bounds for item in self.objects)
        return np.fromiter(numbers, float, 4 * len(self.objects)).reshape(-1, 4)

    @cached_property
    def _tree(self) -> StaticQuadtree:
        return StaticQuadtree(self._boxes)


def part_of(layer: ObjectLayer, numbers: list[int]) -> ObjectLayer:
    """Return some objects as a layer of their own, drawn as in theirs but for place and tint."""
    return ObjectLayer._make(
        LayerAttributes(opacity=layer.opacity),
        objects=[layer.objects[number] for number in numbers],
        color=layer.color,
        draw_order=layer.draw_order,
    )
