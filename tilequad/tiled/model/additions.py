"""What a program adds to a map, removes from it, or moves in it: tilesets, layers and groups."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import accumulate
from math import inf
from typing import TYPE_CHECKING, Any, TypedDict

from numpy.typing import ArrayLike

from tilequad._core.shown import shown

from ..checks import color_of, one_of, pair_of, path_of, ratio_of, switches_of, truth_of
from ..index.tile_edits import Observers
from ..limits import Limits
from . import verbs
from .frame import MapFrame
from .image_layer import ImageLayer
from .layer import Group, Layer, LayerAttributes, combined, passed_on
from .map_object import MapObject, Template
from .new_layers import ENCODINGS, blocks_of, settings_of
from .object_layer import DRAW_ORDERS, ObjectLayer
from .pictures import Picture
from .properties import Color
from .tile_layer import TileLayer
from .tilesets import Tile, Tileset, TilesetList

if TYPE_CHECKING:
    from typing_extensions import Unpack

__all__ = ["AnyLayer", "LayerSettings", "MapEdits"]

_WHITE = (255, 255, 255, 255)  # as a tint, it changes nothing

AnyLayer = TileLayer | ObjectLayer | ImageLayer


class LayerSettings(TypedDict, total=False):
    """The settings that all layers and groups have, as keywords of the verbs that add them.

    Attributes:
        class_name: The class, "" by default.
        properties: Custom properties.
        visible: Whether to draw it, True by default.
        opacity: From 0, invisible, to 1, the default.
        tint: The color to multiply with, (red, green, blue, alpha), each 0 to 255, or None.
        offset: Pixels by which it is moved, y down as in Tiled.
        parallax: How fast it scrolls along x and y; (1, 1) by default.
        mode: Blend mode as Tiled names it, "normal" by default.
        locked: Whether Tiled lets nobody edit it, False by default.
    """

    class_name: str
    properties: Mapping[str, Any]
    visible: bool
    opacity: float
    tint: Color | None
    offset: tuple[float, float]
    parallax: tuple[float, float]
    mode: str
    locked: bool


class MapEdits:
    """The verbs of a `TileMap` that change which parts it has."""

    layers: list[AnyLayer]
    groups: list[Group]
    tilesets: TilesetList
    limits: Limits
    revision: int
    _frame: MapFrame
    _observers: Observers

    def add_tileset(
        self,
        source: str | os.PathLike[str] | Sequence[str | os.PathLike[str]],
        *,
        tile_size: tuple[int, int] | None = None,
        name: str | None = None,
        margin: int = 0,
        spacing: int = 0,
        tile_offset: tuple[int, int] = (0, 0),
        transparent: tuple[int, int, int] | None = None,
        class_name: str = "",
        properties: Mapping[str, Any] | None = None,
    ) -> Tileset:
        """Add a tileset: an image cut into tiles, a collection of images, or a tileset's own file.

        Its gids begin above those of all tilesets and tiles of the map.

        Cost: reads the headers of the images, or the file.

        Args:
            source: The path of an image; or several paths, one for each tile of a collection; or
                a .tsx, .tsj or .json file, to which the map then refers. Relative to the working
                folder; what is saved is relative to the saved map.
            tile_size: Width and height of a tile in pixels; the cells of the map by default. Only
                for an image, like all that follows but `name`, `class_name`, and `properties`.
            name: Its name; that of the image by default.
            margin: Pixels around the grid of the image.
            spacing: Pixels between the tiles of the image.
            tile_offset: Pixels by which tiles are moved when drawn, (x, y), y down.
            transparent: The color to make transparent, (red, green, blue).
            class_name: The class of the tileset.
            properties: Custom properties of the tileset.

        Returns:
            The tileset. `tileset.first_gid + n` is the gid of its tile n.

        Raises:
            MapError: A file cannot be read, or is not what its suffix says.
            TypeError: An argument is of the wrong type.
            ValueError: A size or a color is wrong, the image holds no tile of that size, or an
                option does not belong to the source.

        Example:
            >>> from tilequad.tiled import TileMap
            >>> tile_map = TileMap.new(8, 6, (32, 32))
            >>> terrain = tile_map.add_tileset("maps/terrain.png")
            >>> terrain.first_gid, terrain.name, terrain.columns
            (1, 'terrain', 16)
        """
        made: Tileset = verbs.add_tileset(
            self,
            source,
            tile_size=tile_size,
            name=name,
            margin=margin,
            spacing=spacing,
            tile_offset=tile_offset,
            transparent=transparent,
            class_name=class_name,
            properties=properties,
        )
        return made

    def add_tile_layer(
        self,
        name: str,
        gids: ArrayLike | None = None,
        flags: ArrayLike = 0,
        *,
        column: int = 0,
        row: int = 0,
        before: Layer | Group | None = None,
        group: Group | None = None,
        encoding: str | None = None,
        **settings: Unpack[LayerSettings],
    ) -> TileLayer:
        """Add a tile layer, filled from an array of gids.

        Views, grids and selections that were made before do not have the layer; make them anew.

        Cost: that of reading a layer of this size, about 20 ms for a million cells.

        Args:
            name: The name of the layer.
            gids: Whole numbers, shape (rows, columns): the gid of each cell without flip bits, 0
                for an empty one. Row 0 is the top, as in Tiled. None for an empty layer.
            flags: The flip bits, of the same shape, or one number for all; as `layer.flags`
                returns them.
            column: The column of the array's first column; the array must lie inside the map,
                unless that is infinite.
            row: The row of the array's first row.
            before: Put it directly below this layer or group, and into the same group; on top by
                default.
            group: Put it into this group.
            encoding: How its cells are saved: "csv", "base64", "gzip", "zlib", "zstd" or "xml";
                by default as those of the other layers, else "csv". In a .tmj, both "csv" and
                "xml" make a list.
            **settings: Settings of all layers; see `LayerSettings`.

        Raises:
            KeyError: A gid is below the first tileset, or has more than 28 bits; or `before` or
                `group` does not belong to the map.
            TypeError: An array contains something other than whole numbers, or an argument is of
                the wrong type.
            ValueError: An array has a wrong shape, lies outside the map, or flags are not from 0
                to 15; a setting is wrong; `before` is not in `group`, or that nests too deeply.

        Example:
            >>> import numpy as np
            >>> from tilequad.tiled import TileMap
            >>> tile_map = TileMap.new(8, 6, (32, 32))
            >>> terrain = tile_map.add_tileset("maps/terrain.png")
            >>> gids = np.full((6, 8), terrain.first_gid)
            >>> ground = tile_map.add_tile_layer("ground", gids)
            >>> len(ground), ground.gid_of(7, 5)
            (48, 1)
        """
        own = settings_of(name, settings)
        place, groups = self._place(before, group)
        blocks = blocks_of(self._frame, gids, flags, column, row)
        others = [layer._encoding for layer in self.layers if isinstance(layer, TileLayer)]
        written = others[-1] if others else ("csv", "")
        if encoding is not None:
            written = ENCODINGS[one_of(encoding, "encoding", tuple(ENCODINGS))]
        layer = TileLayer._of(self._attributes(own, groups), blocks, (0, 0), self._frame)
        layer._encoding = written
        self._insert(layer, own, place, before)
        return layer

    def add_object_layer(
        self,
        name: str,
        *,
        draw_order: str = "topdown",
        color: Color | None = None,
        before: Layer | Group | None = None,
        group: Group | None = None,
        **settings: Unpack[LayerSettings],
    ) -> ObjectLayer:
        """Add an object layer; fill it with `layer.add_object`.

        Args:
            name: The name of the layer.
            draw_order: "topdown", by y, or "index", in the order of adding.
            color: The color of outlines, or None.
            before: Put it directly below this layer or group, and into the same group; on top by
                default.
            group: Put it into this group.
            **settings: Settings of all layers; see `LayerSettings`.

        Raises:
            KeyError: `before` or `group` does not belong to the map.
            TypeError: An argument is of the wrong type.
            ValueError: A setting is wrong, `before` is not in `group`, or that nests too deeply.

        Example:
            >>> from tilequad.tiled import TileMap
            >>> things = TileMap.new(8, 6, (32, 32)).add_object_layer("things")
            >>> chest = things.add_object("rectangle", 40, 60, (16, 16), name="chest")
            >>> chest.id, chest.bounds
            (1, Bounds(min_x=40.0, min_y=44.0, max_x=56.0, max_y=60.0))
        """
        own = settings_of(name, settings)
        place, groups = self._place(before, group)
        order, outline = one_of(draw_order, "draw_order", DRAW_ORDERS), color_of(color, "color")
        attributes = self._attributes(own, groups)
        layer = ObjectLayer._make(attributes, objects=[], color=outline, draw_order=order)
        self._insert(layer, own, place, before)
        return layer

    def add_image_layer(
        self,
        name: str,
        image: str | os.PathLike[str],
        *,
        repeat: tuple[bool, bool] = (False, False),
        before: Layer | Group | None = None,
        group: Group | None = None,
        **settings: Unpack[LayerSettings],
    ) -> ImageLayer:
        """Add an image layer.

        Args:
            name: The name of the layer.
            image: The path of its image.
            repeat: Whether it repeats along x and along y.
            before: Put it directly below this layer or group, and into the same group; on top by
                default.
            group: Put it into this group.
            **settings: Settings of all layers; see `LayerSettings`.

        Raises:
            KeyError: `before` or `group` does not belong to the map.
            MapError: The image cannot be read.
            TypeError: An argument is of the wrong type.
            ValueError: A setting is wrong, `before` is not in `group`, or that nests too deeply.

        Example:
            >>> from tilequad.tiled import TileMap
            >>> tile_map = TileMap.new(8, 6, (32, 32))
            >>> tile_map.add_image_layer("sky", "maps/terrain.png", parallax=(0.5, 0.5))
            <ImageLayer 'sky': 1 image>
        """
        own = settings_of(name, settings)
        place, groups = self._place(before, group)
        turns = switches_of(repeat, "repeat")
        picture = Picture._open(path_of(image, "image"))
        attributes = self._attributes(own, groups)
        layer = ImageLayer._make(attributes, picture=picture, repeat=turns)
        self._insert(layer, own, place, before)
        return layer

    def add_group(
        self, name: str, *, group: Group | None = None, **settings: Unpack[LayerSettings]
    ) -> Group:
        """Add a group of layers; give it to the verbs that add or move them.

        Its first layer puts it in its place, or `move_layer`; else it is saved on top. From then
        on it keeps its place, also without layers.

        Args:
            name: The name of the group.
            group: Put it into this group.
            **settings: Its own settings, which all layers in it get as well; see `LayerSettings`.

        Raises:
            KeyError: `group` does not belong to the map.
            TypeError: An argument is of the wrong type.
            ValueError: A setting is wrong, or `group` nests too deeply.

        Example:
            >>> from tilequad.tiled import TileMap
            >>> tile_map = TileMap.new(8, 6, (32, 32))
            >>> cellar = tile_map.add_group("cellar", opacity=0.5)
            >>> tile_map.add_tile_layer("floor", group=cellar).opacity
            0.5
        """
        own = settings_of(name, settings)
        _, groups = self._place(None, group)
        own.id = self._frame.take_layer_id()
        made = Group._of(own, groups)
        self._frame.tools.complete(made.properties, made.class_name, "layer")
        self.groups.append(made)
        self._sort_groups()
        return made

    def template(self, source: str | os.PathLike[str] | MapObject) -> Template:
        """Return the template of a file, or make one of an object.

        The map gets the tileset of a template that shows a tile, if it does not have it.

        Cost: reads the file at each call.

        Args:
            source: The path of a .tx or .tj file, relative to the working folder; or an object,
                which stays as it is. A template of an object has a file once it is saved.

        Raises:
            MapError: The file cannot be read, or is no template.
            TypeError: The source is neither a path nor an object.

        Example:
            >>> from tilequad.tiled import TileMap
            >>> tile_map = TileMap.new(8, 6, (32, 32))
            >>> chest = tile_map.add_object_layer("chests").add_object("point", 5, 5, name="chest")
            >>> tile_map.template(chest).object.name
            'chest'
        """
        made: Template = verbs.make_template(self, source)
        return made

    def set_group(
        self,
        group: Group,
        *,
        visible: bool | None = None,
        opacity: float | None = None,
        tint: Color | None = None,
        offset: tuple[float, float] | None = None,
        parallax: tuple[float, float] | None = None,
        locked: bool | None = None,
    ) -> None:
        """Show, hide, move, tint or lock a group, or set its opacity or parallax; layers follow.

        A layer that was given such a setting of its own since it was loaded keeps it; but an offset
        moves all of them. Pictures follow, and so do selections, grids and walls.

        Cost: some microseconds for each layer. An offset makes grids and pictures anew, as a reload
        does.

        Args:
            group: A group of this map.
            visible: Whether it is shown; None leaves it as it is.
            opacity: From 0, invisible, to 1; None leaves it as it is.
            tint: The color to multiply with, (red, green, blue, alpha); white is none. None leaves
                it as it is.
            offset: Pixels by which it is moved, y down as in Tiled; None leaves it as it is.
            parallax: How fast it scrolls along x and y; None leaves it as it is.
            locked: Whether Tiled lets nobody edit it; None leaves it as it is.

        Raises:
            KeyError: The group does not belong to this map.
            TypeError: An argument is of the wrong type.
            ValueError: A number is not finite or out of range.

        Example:
            >>> from tilequad.tiled import TileMap
            >>> tile_map = TileMap.new(8, 6, (32, 32))
            >>> cellar = tile_map.add_group("cellar")
            >>> floor = tile_map.add_tile_layer("floor", group=cellar)
            >>> tile_map.set_group(cellar, visible=False)
            >>> floor.visible
            False
        """
        inside = self._layers_in(group)
        changes: dict[str, Any] = {}
        if visible is not None:
            changes["visible"] = truth_of(visible, "visible")
        if opacity is not None:
            changes["opacity"] = ratio_of(opacity, "opacity")
        if tint is not None:
            color = color_of(tint, "tint")
            changes["tint"] = None if color == _WHITE else color
        if offset is not None:
            changes["offset"] = pair_of(offset, "offset")
        if parallax is not None:
            changes["parallax"] = pair_of(parallax, "parallax")
        if locked is not None:
            changes["locked"] = truth_of(locked, "locked")
        before = [passed_on(layer.groups).offset for layer in inside]
        with _following(inside):
            vars(group).update(changes)
        moved = False
        for layer, (left, top) in zip(inside, before, strict=True):
            x, y = passed_on(layer.groups).offset
            moved |= layer._place_at((layer.offset[0] + x - left, layer.offset[1] + y - top))
        if moved:
            self._part_changed()

    def remove_layer(self, layer: Layer | Group) -> None:
        """Remove a layer; or a group with all that is in it.

        Args:
            layer: A layer or a group of this map.

        Raises:
            KeyError: It does not belong to this map.

        Example:
            >>> from tilequad import load_map
            >>> tile_map = load_map("maps/frontier.tmx")
            >>> tile_map.remove_layer(tile_map.layer("trees"))
        """
        gone = self._layers_of(layer, "layer")
        self._keep_places(gone)
        if isinstance(layer, Group):
            self.groups[:] = [
                one for one in self.groups if one is not layer and layer not in one.groups
            ]
        self.layers[:] = [one for one in self.layers if one not in gone]
        self._part_changed()

    def move_layer(
        self,
        layer: Layer | Group,
        *,
        before: Layer | Group | None = None,
        group: Group | None = None,
    ) -> None:
        """Move a layer, or a group with all that is in it, to another place in the draw order.

        It takes over what its new groups set instead of the old ones, but stays in its place: its
        offset, which includes those of its groups, is kept.

        Args:
            layer: A layer or a group of this map.
            before: Put it directly below this layer or group, and into the same group; on top by
                default.
            group: Put it into this group; without it, and without `before`, into none.

        Raises:
            KeyError: An argument does not belong to this map.
            ValueError: `before` is not in `group`, that nests too deeply, or a group would be in
                itself.

        Example:
            >>> from tilequad import load_map
            >>> tile_map = load_map("maps/frontier.tmx")
            >>> tile_map.move_layer(tile_map.layer("trees"), before=tile_map.layer("ground"))
            >>> [layer.name for layer in tile_map.layers][:2]
            ['trees', 'ground']
        """
        moved = self._layers_of(layer, "layer")
        if before is not None:
            self._layers_of(before, "before")
        if group is not None:
            self._layers_in(group)
        for one in (before, group):
            if one is not None and layer in (one, *one.groups):
                raise ValueError(f"before and group must not be in the moved {shown(layer)}")
        place, groups = self._place(before, group, moved)
        depth = len(layer.groups)
        inside = [one for one in self.groups if one is layer or layer in one.groups]
        self._keep_places(moved, place, moved, before, groups, inside)
        for one in (layer, *groups):
            if isinstance(one, Group) and one._below is None:
                one._below = place
        with _following(moved):
            for part in (*inside, *moved):
                part.groups = (*groups, *part.groups[depth:])
        rest = [one for one in self.layers if one not in moved]
        self.layers[:] = [*rest[:place], *moved, *rest[place:]]
        if inside:
            others = [one for one in self.groups if one not in inside]
            at = others.index(before) if isinstance(before, Group) else len(others)
            self.groups[:] = [*others[:at], *inside, *others[at:]]
        self._sort_groups()
        self._part_changed()

    def _place(
        self,
        before: Layer | Group | None,
        group: Group | None,
        without: Sequence[Layer] = (),
    ) -> tuple[int, tuple[Group, ...]]:
        """Return where a layer is put, as an index into the layers but some, and its groups."""
        layers = [one for one in self.layers if one not in without]
        groups: tuple[Group, ...] = ()
        if before is not None:
            above = self._layers_of(before, "before")
            groups = before.groups
            if group is not None and group not in groups[-1:]:
                raise ValueError(f"before must be in the group {group!r}, got {shown(before)}")
            at = self.layers.index(above[0]) if above else None
            if isinstance(before, Group):
                at = self._places()[before]
            if at is not None:
                return at - self._counts_below(without)[at], groups
        elif group is not None:
            self._layers_in(group)
            groups = (*group.groups, group)
            if len(groups) > self.limits.depth - 2:  # the map and the layer nest, too
                limit = self.limits.depth
                raise ValueError(f"group must nest within the limit of {limit}, got {shown(group)}")
        places = self._places() if groups else {}
        for outer in reversed(groups):  # on top of the innermost one that has a place
            inside = [n for n, one in enumerate(layers) if outer in one.groups]
            if inside:
                return inside[-1] + 1, groups
            at = places[outer]
            if at is not None:
                return at - self._counts_below(without)[at], groups
        return len(layers), groups

    def _places(self) -> dict[Group, int | None]:
        """Return how many layers are below each group; None for one on top until it gets a place.

        That of all at once takes as long as that of one.
        """
        first: dict[Group, int] = {}
        for number, layer in enumerate(self.layers):
            for group in layer.groups:
                first.setdefault(group, number)
        for group in self.groups:
            if group._below is not None:
                first.setdefault(group, min(group._below, len(self.layers)))
        return {group: first.get(group) for group in self.groups}

    def _counts_below(self, layers: Sequence[Layer]) -> list[int]:
        """Return how many of some layers are below each place."""
        some = set(layers)
        return list(accumulate((one in some for one in self.layers), initial=0))

    def _keep_places(
        self,
        gone: Sequence[Layer],
        place: int = 0,
        added: Sequence[Layer] = (),
        before: Layer | Group | None = None,
        groups: Sequence[Group] = (),
        inside: Sequence[Group] = (),
    ) -> None:
        """Note where groups will be that are empty once layers are gone, and others are added.

        These come to a place among those that stay, into `groups`, below the layer or group
        `before`. The groups `inside` come there, too.
        """
        below, places = self._counts_below(gone), self._places()
        passed: list[Group] = []  # those that follow and are not in one of these are above
        for group in self.groups:
            at, chain = places[group], (*group.groups, group)
            passed += [group] if group is before or group in groups else []
            if at is not None and group in inside:
                group._below = place + below[at]
            elif at is not None:
                at -= below[at]
                is_above = before in chain or any(one not in chain for one in passed)
                group._below = at + len(added) * (at > place or (at == place and is_above))

    def _sort_groups(self) -> None:
        """Put the groups in the order of the file, each before those in it."""
        keys = {}
        for number, (group, at) in enumerate(self._places().items()):
            keys[group] = inf if at is None else at, number
        self.groups[:] = sorted(
            self.groups, key=lambda group: [keys[one] for one in (*group.groups, group)]
        )

    def _attributes(self, own: LayerAttributes, groups: tuple[Group, ...]) -> LayerAttributes:
        """Return the attributes of a new layer, combined with those of its groups."""
        own.id = self._frame.take_layer_id()
        return combined(own, passed_on(groups))

    def _insert(
        self,
        layer: AnyLayer,
        own: LayerAttributes,
        place: int,
        before: Layer | Group | None,
    ) -> None:
        layer._own, layer._frame = own, self._frame
        self._frame.tools.complete(layer.properties, layer.class_name, "layer")
        self._keep_places((), place, (layer,), before, layer.groups)
        self.layers.insert(place, layer)
        self._sort_groups()
        self._part_changed()

    def _layers_in(self, group: Group) -> list[AnyLayer]:
        if not isinstance(group, Group):
            raise TypeError(f"group must be a Group, got {shown(group)}")
        return self._layers_of(group, "group")

    def _layers_of(self, part: Layer | Group, name: str) -> list[AnyLayer]:
        """Return a layer, or the layers in a group; check that it belongs to the map."""
        if isinstance(part, Group):
            if part in self.groups:
                return [one for one in self.layers if part in one.groups]
        elif isinstance(part, Layer):
            found = [one for one in self.layers if one is part]
            if found:
                return found
        else:
            raise TypeError(f"{name} must be a layer or a group, got {shown(part)}")
        raise KeyError(f"{name} must belong to the map, got {shown(part)}")

    def _object_changed(self, layer: ObjectLayer, item: MapObject) -> None:
        """Let grids follow a change of an object."""
        self._observers.tell(lambda observer: observer._object_changed(layer, item))

    def _tile_changed(self, tileset: Tileset, local_id: int, was: Tile) -> None:
        """Let all follow a change of what a tileset says of a tile, as after a reload."""
        now = tileset.tiles[local_id]
        gids = {one.first_gid + local_id for one in self.tilesets if one.tiles is tileset.tiles}
        for layer in self.layers:
            if isinstance(layer, ObjectLayer):
                layer._tile_changed(gids, was, now)
            elif isinstance(layer, TileLayer):
                layer._edits.tell_moved()
        vars(self).pop("_brushes", None)  # they know of probabilities
        self._part_changed()

    def _part_changed(self) -> None:
        """Let views and grids follow a change of more than tiles."""
        self.revision += 1
        for name in ("_bounds", "_canvas", "tmx"):
            vars(self).pop(name, None)
        self._observers.tell(lambda observer: observer._map_changed(self))


@contextmanager
def _following(layers: Sequence[Layer]) -> Iterator[None]:
    """Let layers follow a change of their groups, except in settings that were set for them."""
    before = [combined(layer._own, passed_on(layer.groups)) for layer in layers]
    yield
    for layer, was in zip(layers, before, strict=True):
        now = combined(layer._own, passed_on(layer.groups))
        for name in ("visible", "opacity", "tint", "parallax", "locked"):
            if getattr(layer, name) == getattr(was, name):
                setattr(layer, name, getattr(now, name))
