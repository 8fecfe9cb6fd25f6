"""Paint parts of layers, pixel for pixel as `tilequad.draw.pillow.render` draws them.

Which painter paints what is decided in `Painter._shown` and `Painter._tiles_of`:

| painter | paints | why |
|---|---|---|
| `far_tiles.Overview` | tiles of two pixels or less | one color for each cell, however many |
| `_blits`, by pygame | cells of whole pixels | three times as fast |
| `_near_tiles` | other scales from 0.5 on | painted at scale 1, then pixels are picked |
| `_far_tiles` | others below 0.5: crisp tiles that fill their cells | pixels picked all at once |
| `pillow.renderer` | all else: other tiles, shapes, texts, images | `render` itself |

pygame rounds half-transparent colors differently from Pillow. So a layer with such tiles, or in a
blend mode, is blitted to a picture of its own, which Pillow then blends with the layers below. That
is right only if its tiles cannot overlap; otherwise Pillow draws the layer.

Pillow scales, turns and tints each tile once before pygame blits it.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from functools import cached_property, lru_cache, partial
from itertools import chain, compress, islice
from math import ceil, floor, inf
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import pygame
from numpy.typing import NDArray

from tilequad.bounds import Bounds
from tilequad.draw.arguments import Objects
from tilequad.draw.pillow.canvas import Canvas
from tilequad.draw.pillow.finished_tiles import FinishedTiles
from tilequad.draw.pillow.renderer import (
    LARGE_TILE,
    are_apart,
    draw_image,
    draw_objects,
    draw_tiles,
    grown,
    is_drawn,
    with_reach,
)
from tilequad.draw.pillow.sampling import Box
from tilequad.draw.pygame.far_tiles import Overview, TileSheet, distinct_in
from tilequad.draw.pygame.surfaces import (
    Blit,
    SpareSurfaces,
    alpha_range,
    blank,
    draw_all,
    picked,
    repeated,
    solid_part,
    ties,
    to_copy,
    to_image,
    to_surface,
)
from tilequad.draw.tile_pictures import TilePictures
from tilequad.draw.transforms import HEXAGON_TURNS
from tilequad.tiled import ImageLayer, Layer, MapObject, ObjectLayer, TileLayer, TileMap
from tilequad.tiled.cells import FLAG_SHIFT, GID_MASK
from tilequad.tiled.index.lattice_index import seen
from tilequad.tiled.model.tile_layer import TileWindow, places_of

__all__ = ["EMPTY", "Frames", "Painted", "Painter"]

Frames = Mapping[int, int]  # gid of an animated tile -> gid of the frame it shows

_TINY = 2  # pixels; tiles of this size and smaller are drawn in one color each
_PICKED_FROM = 0.5  # the scale from which on painting at scale 1 and picking pixels is faster
_STEP = 192  # tiles to draw in a step
_FIND_COST = 80  # to find a layer's tiles takes as long as to draw this many, at whole scales
_MOST_TILES = 1 << 14  # the most finished tiles to keep
_MOST_CELLS = 8  # wide and high; around larger tiles, cells are not looked up one by one
_EDGE = 1 / 64  # pixels; a tile that shows fewer only touches


class Painted(NamedTuple):
    """A part of some layers."""

    surface: pygame.Surface | None  #: None if nothing is there; without alpha perhaps if opaque
    solid: pygame.Rect | None  #: the opaque part, if all around it is empty; otherwise None


_NOTHING = pygame.Rect(0, 0, 0, 0)
EMPTY = Painted(None, _NOTHING)


class _Blits(NamedTuple):
    """The tiles of a layer for pygame to draw."""

    tiles: Iterable[Blit]  #: an empty list if there are none
    cover: bool  #: whether they only cover what is below; else they are blended as a whole


class _Even(NamedTuple):
    """Crisp tiles of one size, by gid with flags."""

    surfaces: dict[int, pygame.Surface]
    solid: set[int]  #: those that are opaque


# What shows a layer: tiles for pygame to draw in order, or what lets Pillow draw it.
_Shown: TypeAlias = Iterable[Blit] | Callable[[Canvas], None]


class _Found(NamedTuple):
    """What is seen of a part."""

    layers: list[tuple[Layer, _Shown]]  #: those that show something and are not covered
    is_full: bool  #: whether nothing below can be seen
    room: int  #: what is left of the step


class _Picture:
    """A part while it is painted: on a canvas by Pillow, or on a surface by pygame."""

    def __init__(self, canvas: Canvas, is_full: bool, spare: SpareSurfaces) -> None:
        self._canvas = canvas
        self._is_full = is_full
        self._spare = spare
        self._surface: pygame.Surface | None = None  # while pygame paints

    def for_pillow(self) -> Canvas:
        """Return the picture as a canvas."""
        if self._surface is not None:
            self._canvas.picture, self._surface = to_image(self._surface), None
        return self._canvas

    def for_pygame(self) -> pygame.Surface:
        """Return the picture as a surface."""
        if self._surface is None:
            if not self._canvas.is_empty:
                self._surface = to_surface(self._canvas.picture)
            elif self._is_full:
                self._surface = to_copy(self._canvas.size, alpha=False)
            else:
                self._surface = self._spare.take(self._canvas.size)
                self._surface.set_alpha(255)  # blended, as a new one
                self._surface.fill((0, 0, 0, 0))
        return self._surface

    def finished(self) -> pygame.Surface | None:
        """Return the picture as a surface that is copied, not blended; None if it is empty."""
        if self._surface is None and self._canvas.is_empty:
            return None
        surface = self.for_pygame()
        surface.set_alpha(None)
        return surface


class _Covered:
    """Which cells of a part are covered by tiles of the layers above, so that none need be drawn.

    Layers whose cells lie at the same pixels are compared; others neither cover nor are covered.
    """

    def __init__(self) -> None:
        self._place: tuple[range, range] | None = None
        self._cells: list[bool] = []

    def seen(self, kinds: list[int], place: tuple[range, range]) -> list[int]:
        """Return the kinds of tiles in cells at some columns and rows; 0 where one is covered."""
        if place != self._place:
            return kinds
        return [0 if held else kind for kind, held in zip(kinds, self._cells, strict=True)]

    def add(self, kinds: list[int], place: tuple[range, range], solid: set[int]) -> None:
        """Enter a layer below those before. Its tiles of the solid kinds cover their cells."""
        if solid.isdisjoint(kinds):
            return
        cells = [kind in solid for kind in kinds]
        if place == self._place:
            cells = [one or held for one, held in zip(cells, self._cells, strict=True)]
        self._place, self._cells = place, cells

    def fills(self, area: pygame.Rect) -> bool:
        """Return whether nothing of a part shows what is below."""
        if self._place is None or not all(self._cells):
            return False
        return all(
            places[0] <= 0 and places[-1] + places.step >= side
            for places, side in zip(self._place, area.size, strict=True)
        )


class _DrawnObjects:
    """The objects of a layer that are drawn.

    Each question tests all of them: building the tree of the layer takes far longer, and so does
    painting what is found.
    """

    def __init__(self, layer: ObjectLayer, objects: Objects) -> None:
        self.revision = layer.revision
        self.items = [item for item in layer.objects if is_drawn(item, objects)]
        self._looks = {id(item): look_of_object(item) for item in self.items}
        self.gids = {item.gid for item in self.items}
        self.has_shapes = any(item.shape != "tile" for item in self.items)
        numbers = chain.from_iterable(item.bounds for item in self.items)
        self._boxes = np.fromiter(numbers, float, 4 * len(self.items)).reshape(-1, 4)
        low = self._boxes[:, :2].min(axis=0, initial=inf)
        high = self._boxes[:, 2:].max(axis=0, initial=-inf)
        self._around = Bounds(*low.tolist(), *high.tolist())

    def differing(self, other: _DrawnObjects) -> list[Bounds]:
        """Return the boxes of those that are not the same in another state of the layer."""
        looks = self._looks, other._looks
        changed = [key for key in looks[0] | looks[1] if looks[0].get(key) != looks[1].get(key)]
        return [known[key][0] for key in changed for known in looks if key in known]

    def near(self, view: Bounds, scale: float) -> list[MapObject]:
        """Return those of which something may show in a view, in draw order."""
        wide = with_reach(view, scale)
        if not wide.overlaps(self._around):
            return []
        found = np.flatnonzero(seen(self._boxes, wide))
        return [self.items[number] for number in found.tolist()]


def look_of_object(item: MapObject) -> tuple[Any, ...]:
    """Return the bounds of an object, and what else makes its look."""
    outline = item.id, item.shape, item.width, item.height, item.rotation, item.points.tobytes()
    return item.bounds, outline, item.gid, item.flags, item.opacity, item.text


class Painter:
    """Paints parts of some layers of a map, the lowest first, at any scale.

    Attributes:
        spare: Surfaces to paint on, which the owner of a picture may give back.
        time: Milliseconds since the start, for animated tiles.
        frames: The frames that they show at that time.
    """

    def __init__(self, tile_map: TileMap, layers: Sequence[Layer], objects: Objects) -> None:
        self._tile_map = tile_map
        self._choice = objects
        self._objects = {
            layer: _DrawnObjects(layer, objects)
            for layer in layers
            if isinstance(layer, ObjectLayer)
        }
        self._layers = layers
        self.time = 0.0
        self.frames: Frames = {}
        pictures = TilePictures.of(tile_map)
        self._animated = pictures.animated
        for layer in layers:
            if isinstance(layer, TileLayer):
                read_sheets(tile_map, layer, pictures)
        # What makes the tiles of layers, by tint, opacity and mode of the layer
        self._tiles: dict[tuple[object, ...], FinishedTiles] = {}
        # Finished tiles, and whether each is crisp; None if Pillow must draw it. By what makes it,
        # gid, flags and offset to the pixel grid
        self._finished: dict[tuple[Any, ...], tuple[pygame.Surface, bool] | None] = {}
        # Crisp tiles without animation, by what makes them and their size
        self._even: dict[tuple[Any, ...], _Even] = {}
        # The pixels of tiles that fill their cells, by what makes these
        self._sheets: dict[FinishedTiles, TileSheet] = {}
        # The gids of tiles without an image: their markers are drawn anew at each scale
        self._markers: set[int] = set()
        self.spare = SpareSurfaces(blank)

    @property
    def has_shapes(self) -> bool:
        """Whether shapes or texts are drawn."""
        return any(drawn.has_shapes for drawn in self._objects.values())

    def follow_objects(self) -> list[Bounds]:
        """Follow changes of objects, and return the boxes of those that differ, before and now."""
        boxes: list[Bounds] = []
        for layer, drawn in self._objects.items():
            if drawn.revision != layer.revision:
                self._objects[layer] = now = _DrawnObjects(layer, self._choice)
                boxes += drawn.differing(now)
        return boxes

    def paint(self, area: pygame.Rect, scale: float) -> Painted:
        """Paint a part of the layers; see `steps`."""
        *_, painted = self.steps(area, scale)
        assert painted is not None
        return painted

    def steps(self, area: pygame.Rect, scale: float) -> Iterator[Painted | None]:
        """Paint a part of the layers, step by step, so that a frame need not wait for all of it.

        A step finds the tiles of some layers, or draws some of them, or both. The layers and the
        time must stay as they are. The area is in pixels from the origin of the world. Yield None
        after each step but the last; then the picture.
        """
        canvas = Canvas(self._tile_map, seen_in(area, scale), scale, self.time)
        layers, is_full, room = yield from self._find(canvas, area)
        picture = _Picture(canvas, is_full, self.spare)
        for layer, shown in layers:
            if not room:
                yield None
                room = _STEP
            if callable(shown):
                if room < _STEP:
                    yield None
                canvas = picture.for_pillow()
                canvas.use(layer)
                shown(canvas)
                room = 0
                continue
            left = iter(shown)
            while some := list(islice(left, room)):
                draw_all(picture.for_pygame(), some)
                room -= len(some)
                if not room:
                    yield None
                    room = _STEP
        surface = picture.finished()
        if surface is None:
            yield EMPTY
        elif is_full:
            yield Painted(surface, surface.get_rect())
        else:
            yield self.judged(surface, area, scale)

    def _find(self, canvas: Canvas, area: pygame.Rect) -> Generator[None, None, _Found]:
        """Find what shows the layers, from the highest down, until they hide what is below."""
        covered, room, layers = _Covered(), _STEP, []
        find_cost = _FIND_COST if self._is_whole(canvas.scale) else _STEP
        for layer in reversed(self._layers):
            if covered.fills(area):
                break
            if isinstance(layer, TileLayer) and not self._is_tiny(canvas.scale):
                if room < find_cost:
                    yield None
                    room = _STEP
                room -= find_cost
            canvas.use(layer)
            shown = self._shown(canvas, layer, area, covered)
            if shown is not None:
                layers.append((layer, shown))
        return _Found(layers[::-1], covered.fills(area), room)

    def _shown(
        self, canvas: Canvas, layer: Layer, area: pygame.Rect, covered: _Covered
    ) -> _Shown | None:
        """Return what shows a layer in a part; None if nothing does."""
        scale = canvas.scale
        if isinstance(layer, ObjectLayer):
            items = self._objects[layer].near(seen_in(area, scale), scale)
            return partial(draw_objects, layer=layer, items=items) if items else None
        if isinstance(layer, ImageLayer):
            is_near = len(layer.query(seen_in(area, scale))) > 0
            return partial(draw_image, layer=layer) if is_near else None
        assert isinstance(layer, TileLayer)
        if self._is_tiny(scale):
            return partial(self._paste_overview, layer=layer, area=area)
        blits = self._tiles_of(canvas, layer, area, covered)
        if blits is None:
            view = seen_in(area, scale)
            return lambda canvas: draw_tiles(
                canvas, layer, view, self._finished_tiles(canvas, layer)
            )
        if blits.cover or not blits.tiles:
            return blits.tiles or None
        return partial(paste_tiles, tiles=blits.tiles)

    def _paste_overview(self, canvas: Canvas, layer: TileLayer, area: pygame.Rect) -> None:
        image = self._overview.draw(layer, area, canvas.scale)
        if image is not None:
            canvas.paste(canvas.shown(layer, image), 0, 0)

    def judged(self, surface: pygame.Surface, area: pygame.Rect, scale: float) -> Painted:
        """Return the picture of a part with what is opaque of it.

        That is looked for only at the edges of the map, where it may be the part that the map
        covers. Elsewhere a picture with holes counts as not opaque.
        """
        low, high = alpha_range(surface)
        if not high:
            return EMPTY
        if low == 255:
            return Painted(surface, surface.get_rect())
        edges, (left, top, right, bottom) = self._tile_map.bounds, seen_in(area, scale)
        is_inside = edges.contains(left, top) and edges.contains(right, bottom)
        return Painted(surface, None if is_inside else solid_part(surface))

    def _tiles_of(
        self, canvas: Canvas, layer: TileLayer, area: pygame.Rect, covered: _Covered
    ) -> _Blits | None:
        """Return the tiles of a layer for pygame to draw, or None if Pillow must draw them."""
        scale = canvas.scale
        if self._is_whole(scale):
            return self._blits(canvas, layer, area, covered)
        pick = self._far_tiles if scale < _PICKED_FROM else self._near_tiles
        blits = pick(canvas, layer, area)
        if self._markers and blits is not None:
            shown = layer.gids(layer.query(seen_in(area, scale)))
            if not self._markers.isdisjoint(np.unique(shown).tolist()):
                return None
        return blits

    def _near_tiles(self, canvas: Canvas, layer: TileLayer, area: pygame.Rect) -> _Blits | None:
        """Return tiles between two whole scales as one surface, of pixels picked at scale 1."""
        columns = picked(range(area.left, area.right), canvas.scale)
        rows = picked(range(area.top, area.bottom), canvas.scale)
        left, top = int(columns[0]), int(rows[0])
        source = pygame.Rect(left, top, int(columns[-1]) + 1 - left, int(rows[-1]) + 1 - top)
        one = Canvas(self._tile_map, seen_in(source, 1), 1, canvas.time)
        one.use(layer)
        blits = self._blits(one, layer, source, _Covered())
        if blits is None or not blits.tiles:
            return blits
        whole = blank(source.size)
        draw_all(whole, blits.tiles)
        return _Blits([(repeated(whole, columns - left, rows - top), (0, 0))], blits.cover)

    def _far_tiles(self, canvas: Canvas, layer: TileLayer, area: pygame.Rect) -> _Blits | None:
        """Return crisp tiles that fill their cells as one surface; None if they are others."""
        size = self._tile_map.tile_size
        even = self._even_tiles(canvas, layer)
        if even is None or (even[2] - even[0], even[3] - even[1]) != size:
            return None
        window = layer.gids_in(grown(seen_in(area, canvas.scale), 1 / canvas.scale))
        if not window.gids.any():
            return _Blits([], True)
        x, y = self._corner_of(layer, window, even)
        across, down = range(area.left, area.right), range(area.top, area.bottom)
        tied = ties(across, canvas.scale) or ties(down, canvas.scale)
        if x % 1 or y % 1 or (tied and window.flags.any()):  # of two pixels, flips take the other
            return None
        one = Canvas(self._tile_map, seen_in(pygame.Rect(0, 0, 1, 1), 1), 1, canvas.time)
        one.use(layer)
        finished = self._finished_tiles(one, layer)
        sheet = self._sheets.setdefault(finished, TileSheet(size))
        part = 0.0, 0.0, float(size[0]), float(size[1])

        def make(gid: int, flags: int) -> pygame.Surface | None:
            tile = self._finish(finished, gid, flags, part)
            return tile[0] if tile is not None and tile[1] else None

        kinds, which = distinct_in(with_flags(window.gids, window.flags))
        numbers = []
        for raw in kinds:
            gid, flags = raw & GID_MASK, raw >> FLAG_SHIFT
            key = self.frames.get(gid, gid) | flags << FLAG_SHIFT
            number = sheet.number(key, partial(make, gid, flags)) if raw else 0
            if number is None:
                return None
            numbers.append(number)
        columns, rows = (picked(across, canvas.scale) - int(x), picked(down, canvas.scale) - int(y))
        surface = sheet.picked(np.array(numbers)[which], columns, rows)
        return _Blits([(surface, (0, 0))], True)

    def animated_in(self, area: pygame.Rect, scale: float) -> tuple[tuple[int, ...], pygame.Rect]:
        """Return the gids of the animated tiles in a part, ascending; see `paint`.

        And which pixels of the part they may change.
        """
        if not self._animated:
            return (), _NOTHING.copy()
        view = seen_in(area, scale)
        found: set[int] = set()
        moving = _NOTHING.copy()
        for layer in self._layers:
            if isinstance(layer, ObjectLayer):
                drawn = self._objects[layer]
                if self._animated.isdisjoint(drawn.gids):
                    continue
                items = [one for one in drawn.near(view, scale) if one.gid in self._animated]
                own = frozenset(item.gid for item in items)
                boxes = [item.bounds for item in items]
            elif isinstance(layer, TileLayer) and not self._is_tiny(scale):
                # a fifth of the time of what follows, which few parts need
                if self._animated.isdisjoint(layer.gids_in(view).gids.ravel().tolist()):
                    continue
                ids = layer.query(view)
                gids = layer.gids(ids)
                own = self._animated.intersection(np.unique(gids).tolist())
                boxes = layer.boxes(ids[np.isin(gids, list(own))]).tolist()
            else:
                continue
            found |= own
            for box in boxes:
                left, top = (floor(side * scale) - 1 for side in box[:2])
                right, bottom = (ceil(side * scale) + 1 for side in box[2:])
                changed = pygame.Rect(left, top, right - left, bottom - top).clip(area)
                moving = moving.union(changed) if moving.width else changed
        return tuple(sorted(found)), moving.move(-area.x, -area.y)

    @cached_property
    def _overview(self) -> Overview:
        return Overview(self._tile_map)

    def _is_tiny(self, scale: float) -> bool:
        """Return whether tiles are so small that the eye sees no more than their color."""
        return max(self._tile_map.tile_size) * scale <= _TINY

    def _is_whole(self, scale: float) -> bool:
        """Return whether a cell is a whole number of pixels wide and high."""
        return all(float(side * scale).is_integer() for side in self._tile_map.tile_size)

    def _finished_tiles(self, canvas: Canvas, layer: TileLayer) -> FinishedTiles:
        """Return what makes the tiles of a layer, with those that it has made before."""
        style = layer.tint, layer.opacity, layer.mode
        if style not in self._tiles:
            self._tiles[style] = FinishedTiles(canvas, layer)
        self._tiles[style].canvas = canvas
        return self._tiles[style]

    def _blits(
        self, canvas: Canvas, layer: TileLayer, area: pygame.Rect, covered: _Covered
    ) -> _Blits | None:
        """Return tiles as surfaces and where they go, or None if Pillow must draw one of them."""
        even = self._even_blits(canvas, layer, area, covered)
        if even is not None:
            return _Blits(even, True)
        ids = layer.query(seen_in(area, canvas.scale))
        if not len(ids):
            return _Blits([], True)
        boxes = layer.boxes(ids)
        _, corners, parts = canvas.places(boxes)
        raw = with_flags(layer.gids(ids), layer.flags(ids))
        kinds, first, which = np.unique(raw, return_index=True, return_inverse=True)
        if (parts != parts[first][which]).any():  # equal tiles, other offsets
            return None
        finished = self._finished_tiles(canvas, layer)
        surfaces, crisp = [], True
        for kind, part in zip(kinds.tolist(), parts[first].tolist(), strict=True):
            tile = self._finish(finished, kind & GID_MASK, kind >> FLAG_SHIFT, tuple(part))
            if tile is None:
                return None
            surfaces.append(tile[0])
            crisp = crisp and tile[1]
        cover = crisp and canvas.is_normal
        if not cover and not are_apart(self._tile_map, layer, ids, boxes):
            return None
        tiles = zip(which.tolist(), corners.tolist(), strict=True)
        return _Blits([(surfaces[at], corner) for at, corner in tiles], cover)

    def _even_blits(
        self, canvas: Canvas, layer: TileLayer, area: pygame.Rect, covered: _Covered
    ) -> Iterable[Blit] | None:
        """Return the crisp tiles of one size of an orthogonal map; None if they are others.

        Nearly all layers are like that, and it takes a sixth of the time.
        """
        even, scale = self._even_tiles(canvas, layer), canvas.scale
        if even is None:
            return None
        left, top, right, bottom = even
        wide, high = self._tile_map.tile_size
        if max((right - left) / wide, (bottom - top) / high) > _MOST_CELLS:
            return None
        window = layer.gids_in(grown(seen_in(area, scale), -_EDGE / scale))
        if not window.gids.any():
            return []
        x, y = self._corner_of(layer, window, even)
        x, y = round((x - canvas.left) * scale, 6), round((y - canvas.top) * scale, 6)
        if x % 1 or y % 1:  # then this is so for all, because cells are whole pixels
            return None
        raw = with_flags(window.gids, window.flags)
        across, down = int(wide * scale), int(high * scale)
        columns = range(int(x), int(x) + across * raw.shape[1], across)
        rows = range(int(y), int(y) + down * raw.shape[0], down)
        order = places_of(layer).tiles.order
        if order.leftwards:
            raw, columns = raw[:, ::-1], columns[::-1]
        if order.upwards:
            raw, rows = raw[::-1], rows[::-1]
        kinds = covered.seen(raw.ravel().tolist(), (columns, rows))
        part = 0.0, 0.0, (right - left) * scale, (bottom - top) * scale
        tiles = self._crisp_tiles(canvas, layer, set(kinds), part)
        if tiles is None:
            return None
        if (right - left, bottom - top) == (wide, high):
            covered.add(kinds, (columns, rows), tiles.solid)
        shown = map(tiles.surfaces.__getitem__, filter(None, kinds))
        return zip(shown, compress(corners(columns, rows), kinds), strict=True)

    def _even_tiles(self, canvas: Canvas, layer: TileLayer) -> Box | None:
        """Return the box of all tiles of a layer of an orthogonal map around their anchors.

        None if they have several sizes, or the layer is blended in a mode.
        """
        reaches = places_of(layer).reaches
        orthogonal = self._tile_map.orientation == "orthogonal"
        if not orthogonal or not canvas.is_normal or reaches.exact != [True]:
            return None
        left, top, right, bottom = reaches.size_classes[0].tolist()
        return left, top, right, bottom

    def _corner_of(self, layer: TileLayer, window: TileWindow, box: Box) -> tuple[float, float]:
        """Return the upper left corner of the first tile of a window, in pixels of the map.

        In an orthogonal map, whose anchors are the lower left corners of the cells.
        """
        column, row = places_of(layer).origin
        wide, high = self._tile_map.tile_size
        return (
            (column + window.column) * wide + box[0],
            (row + window.row + 1) * high + box[1],
        )

    def _crisp_tiles(
        self, canvas: Canvas, layer: TileLayer, kinds: set[int], part: Box
    ) -> _Even | None:
        """Return finished tiles of some kinds, perhaps of more; None if one is not crisp."""
        finished = self._finished_tiles(canvas, layer)
        known = self._even.setdefault((finished, *part), _Even({}, set()))
        if known.surfaces.keys() >= kinds - {0}:
            return known
        shown = _Even({}, known.solid)
        for raw in kinds:
            surface = known.surfaces.get(raw)
            if surface is None and raw:
                gid = raw & GID_MASK
                tile = self._finish(finished, gid, raw >> FLAG_SHIFT, part)
                if tile is None or not tile[1]:
                    return None
                surface = tile[0]
                if gid not in self._animated:
                    known.surfaces[raw] = surface
                    if surface.get_alpha() is None:
                        known.solid.add(raw)
            if surface is not None:
                shown.surfaces[raw] = surface
        return shown

    def _finish(
        self, finished: FinishedTiles, gid: int, flags: int, part: Box
    ) -> tuple[pygame.Surface, bool] | None:
        """Return a finished tile, and whether it is crisp; None if Pillow must draw it."""
        frame = self.frames.get(gid, gid)
        key = finished, frame, flags, *part
        if key not in self._finished:
            if len(self._finished) > _MOST_TILES:
                self._finished.clear()
                self._even.clear()
            size = ceil(part[2]), ceil(part[3])
            turns = HEXAGON_TURNS if self._tile_map.orientation == "hexagonal" else 0
            if flags & turns or max(size[0], 1) * max(size[1], 1) > LARGE_TILE:
                self._finished[key] = None
                return None
            image, crisp = finished.get(gid, flags, size, part)
            if finished.canvas.tiles.is_marker(frame):
                self._markers.add(gid)
            surface = to_surface(image)
            if alpha_range(surface)[0] == 255:
                surface.set_alpha(None)  # copied, not blended
            self._finished[key] = surface, crisp
        return self._finished[key]


def paste_tiles(canvas: Canvas, tiles: Iterable[Blit]) -> None:
    """Put tiles that pygame draws on a canvas, as a whole."""
    whole = blank(canvas.size)
    draw_all(whole, tiles)
    canvas.paste(to_image(whole), 0, 0)


@lru_cache(maxsize=4)
def corners(columns: range, rows: range) -> list[tuple[int, int]]:
    """Return the corners of tiles, row by row.

    They are kept, because most parts of a layer have the same, and the garbage collector would run
    for so many pairs.
    """
    return [(x, y) for y in rows for x in columns]


def read_sheets(tile_map: TileMap, layer: TileLayer, pictures: TilePictures) -> None:
    """Read the images of a layer's tilesets, which takes longer than a frame may."""
    gids = places_of(layer).tiles.kinds()[0] & np.uint32(GID_MASK)
    sheets = {tile_map.tilesets.owner(gid).picture for gid in gids.tolist()}
    for sheet in sheets:
        if sheet is not None:
            pictures.pixels(sheet)


def with_flags(gids: NDArray[np.uint32], flags: NDArray[np.uint8]) -> NDArray[np.uint32]:
    """Return gids with their flip bits."""
    if not flags.any():
        return gids
    return gids | flags.astype(np.uint32) << np.uint32(FLAG_SHIFT)


def seen_in(area: pygame.Rect, scale: float) -> Bounds:
    """Return the part of the world that some pixels show."""
    return Bounds(area.left / scale, area.top / scale, area.right / scale, area.bottom / scale)
