"""Draw a Tiled map on a surface or with a renderer: only the part that the camera sees.

What a surface shows depends on the zoom; `painter` says how chunks are painted:

| zoom | shown | decided in |
|---|---|---|
| above 0.5, without lines | chunks of scale 1, at other zooms with their pixels picked | `Blocks` |
| others | chunks that are painted for this zoom | `Blocks` |
| one that has just changed | parts of these, made for one frame alone | `SurfaceBuffer.draw` |

Lines are those of shapes, texts, and markers of missing images.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Sequence
from math import ceil
from typing import TYPE_CHECKING

import pygame

from tilequad._core.checks import whole
from tilequad.bounds import Bounds
from tilequad.draw.arguments import Objects, checked_layers
from tilequad.draw.blending import MODES
from tilequad.draw.map_views import MapViewBase, look_of
from tilequad.draw.pygame.layer_group import LayerGroup
from tilequad.draw.pygame.painter import Frames
from tilequad.draw.pygame.surface_buffer import SurfaceBuffer, paint_ahead
from tilequad.draw.pygame.surfaces import seen_by, size_of
from tilequad.draw.pygame.textures import TextureBuffer
from tilequad.draw.tile_pictures import TilePictures
from tilequad.tiled import Layer, ObjectLayer, TileMap

if TYPE_CHECKING:
    from pygame._sdl2.video import Renderer

__all__ = ["MapView"]

_FARTHEST = 1 << 30  # in pixels from the origin; pygame uses 32-bit coordinates
_MOST_CHOICES = 8  # how many choices of layers keep their pictures in any case
_RECENT = 64  # in how many draws a choice must come again, to keep its pictures beyond these


class MapView(MapViewBase):
    """Draws a map, or some of its layers, on a surface or with a renderer of SDL2.

    The picture equals that of `tilequad.draw.pillow.render`, pixel for pixel at zoom 1: tiles of
    any size, flips and turns, opacity, tints, blend modes, parallax, shapes and texts, in all
    orientations. Its parts are kept from frame to frame, so a frame copies what is in view once,
    wherever the camera moves, and what comes next is painted ahead of it, a little in a frame.

    Enlarged, each pixel of a tile is a square, and shapes and texts are sharp, as in `render`.
    Zoomed out, the picture also equals `render` at the same scale: pixels are left out, never
    mixed. It moves by whole pixels of the screen, and does not shimmer as it moves. Tiles of two
    pixels or less are drawn in their mean color, so that a view of a million tiles costs no more
    than others.

    Layers with their own parallax get their own pictures. If such a layer blends as "add"
    or "multiply", pygame does it; any other mode then takes a third of a second a frame, or with a
    renderer looks like "normal".

    Args:
        tile_map: The map, with y down.
        objects: Which objects are drawn: "art" for objects with a tile or text, but not those that
            only mark a place or a shape; "all", as Tiled shows them; or "none".

    Attributes:
        tile_map: The map.

    Raises:
        TypeError: `tile_map` is not a map.
        ValueError: The map was loaded with `y_up=True`, or `objects` is none of these words.

    Example:
        >>> import pygame
        >>> from tilequad import load_map
        >>> from tilequad.draw.pygame import MapView
        >>> tile_map = load_map("maps/frontier.tmx", y_up=False)
        >>> map_view = MapView(tile_map)
        >>> screen = pygame.Surface((640, 360))  # in a game, pygame.display.set_mode((640, 360))
        >>> map_view.draw(screen, (3000, 3900, 3640, 4260))
        >>> screen.get_at((320, 180))[:3]
        (140, 176, 84)
    """

    _y_up = False
    _still = False  # whether layers lie where they are in the world, without parallax

    def _begin(self) -> None:
        self._revision = self.tile_map.revision
        self._choices: OrderedDict[tuple[Layer, ...] | None, _Choice] = OrderedDict()
        self._pictures = TilePictures.of(self.tile_map)
        self._frames: Frames = {}
        self._draws = 0

    def draw(
        self,
        target: pygame.Surface | Renderer,
        bounds: Sequence[float],
        layers: Iterable[Layer] | None = None,
    ) -> None:
        """Draw what a camera sees.

        Cost on a surface of 1280 x 720: 0.3 ms while the camera stays, little more while it moves,
        3 ms when the zoom changes; 0.1 ms for each layer of a part of 256 x 256 pixels that is seen
        for the first time, or at zooms below 0.5 up to 0.5 ms. A camera that moves steadily has a
        step of such a part painted in a frame; after a jump, all that are in view. At zooms up to
        0.5, and at all but 1 if there are shapes or texts, a change of the zoom paints all parts in
        view anew: 5 to 20 ms for each layer full of square tiles, 30 to 50 where a tile is a pixel
        or two; 5 to 100 ms for other layers, most where a tile is three pixels large.
        So do a changed look of a layer and another frame of animated tiles, in the parts that show
        them, until these have been painted for all frames.

        Args:
            target: The surface, or the renderer of an SDL2 window; a part of a surface is
                `surface.subsurface(rect)`. The zoom is its width divided by the width of `bounds`.
            bounds: What the camera sees, in world units: min_x, min_y, max_x, max_y.
            layers: The layers to draw, hidden or not; by default all visible ones. Draw some, then
                the units, and then the others, to have units between layers. A choice of layers
                keeps its pictures while it is among the last 8, or the last 64 draws.

        Raises:
            TypeError: The target is neither a surface nor a renderer, `bounds` is a Rect of
                pygame, whose last numbers are a size, or a layer is given by its name.
            KeyError: A layer belongs to another map.
            ValueError: `bounds` is not a box, or it is empty.
            MapError: An image cannot be read, and the map was loaded with `strict=True`.

        Example:
            >>> def draw(map_view, screen, bounds, units, ground, roofs):
            ...     map_view.draw(screen, bounds, [ground])
            ...     units.draw(screen, bounds)
            ...     map_view.draw(screen, bounds, [roofs])
        """
        size, seen = size_of(target), seen_by(bounds)
        if self._revision != self.tile_map.revision:  # it was reloaded
            self._begin()
            self._show_time()
        zoom = float(f"{size[0] / seen.width:.9g}")
        surface = target if isinstance(target, pygame.Surface) else None
        choice = self._chosen(layers)
        if not all(size):
            return
        if surface is None and not choice.textures:
            choice.textures = [TextureBuffer(group) for group in choice.groups]
        for number, group in enumerate(choice.groups):
            group.refresh(self._time, self._frames)
            corner = self._corner(group, seen, zoom)
            if surface is None:
                choice.textures[number].draw(target, size, zoom, *corner)
            else:
                choice.buffers[number].draw(surface, zoom, *corner)
        if surface is not None:
            paint_ahead(choice.buffers, self._draws, self._draws - choice.drawn or 1)
        choice.drawn = self._draws
        self._draws += 1

    def _corner(self, group: LayerGroup, seen: Bounds, zoom: float) -> tuple[int, int]:
        """Return the pixel of a group, from the origin of the world, at the target's corner."""
        dx, dy = 0.0, 0.0
        if group.layers[0].parallax != (1, 1) and not self._still:
            dx, dy = self.tile_map.parallax_shift(group.layers[0], seen)
        # as in render, an edge on the center of a pixel moves right and down
        left = ceil((seen.min_x - dx) * zoom - 0.5)
        top = ceil((seen.min_y - dy) * zoom - 0.5)
        if not (abs(left) < _FARTHEST and abs(top) < _FARTHEST):
            raise ValueError(f"bounds must be nearer to the origin at this zoom, got {tuple(seen)}")
        return left, top

    def tile_picture(self, gid: int) -> pygame.Surface:
        """Return the picture of a tile, for pieces and units that a game draws itself.

        Cost: some microseconds; keep what you draw often.

        Args:
            gid: The number of the tile, without flip flags; that of a tile object, for instance.

        Returns:
            A new surface with alpha. An animated tile shows its frame at the time of `set_time`.

        Raises:
            KeyError: No tileset has the gid.
            TypeError: It is not a whole number.

        Example:
            >>> from tilequad import load_map
            >>> tile_map = load_map("maps/frontier.tmx", y_up=False)
            >>> [hall] = tile_map.objects(class_name="town_hall")
            >>> MapView(tile_map).tile_picture(hall.gid).get_size()
            (160, 160)
        """
        image = self._pictures.tile(whole(gid, "gid"), self._time)
        return pygame.image.frombytes(image.tobytes(), image.size, "RGBA")

    def _show_time(self) -> None:
        frames = self._pictures.frames_at(self._time)
        if frames != self._frames:
            self._frames = frames

    @property
    def nbytes(self) -> int:
        """The memory of the pictures that are kept, on surfaces and as textures, in bytes."""
        return sum(
            part.nbytes
            for choice in self._choices.values()
            for parts in (choice.groups, choice.buffers, choice.textures)
            for part in parts
        )

    def _chosen(self, layers: Iterable[Layer] | None) -> _Choice:
        """Return the cached pictures of a choice of layers, remade if a layer looks different."""
        key = None if layers is None else checked_layers(layers)
        chosen = key
        if chosen is None:
            chosen = tuple(layer for layer in self.tile_map.layers if layer.visible)
        if self._objects == "none":
            chosen = tuple(layer for layer in chosen if not isinstance(layer, ObjectLayer))
        look: list[object] = [self._objects, *map(look_of, chosen)]
        choice = self._choices.get(key)
        if choice is None or choice.look != look:
            for layer in chosen:
                if layer not in self.tile_map.layers:
                    raise KeyError(f"{layer!r} belongs to another map")
            choice = self._choices[key] = _Choice(self.tile_map, chosen, look, self._objects)
        if len(self._choices) > 1:
            self._choices.move_to_end(key)
            self._forget()
        return choice

    def _forget(self) -> None:
        """Drop the least recently drawn choices, but those that are drawn by turns."""
        while len(self._choices) > _MOST_CHOICES:
            oldest = next(iter(self._choices))
            if self._draws - self._choices[oldest].drawn <= _RECENT:
                return
            del self._choices[oldest]


class _Choice:
    """The pictures of some layers."""

    def __init__(
        self, tile_map: TileMap, layers: Sequence[Layer], look: list[object], objects: Objects
    ) -> None:
        self.look = look
        self.groups = [LayerGroup(tile_map, *run, objects) for run in runs(layers)]
        self.buffers = [SurfaceBuffer(group) for group in self.groups]
        self.textures: list[TextureBuffer] = []  # made when a renderer draws first
        self.drawn = 0  # the number of the last draw that showed it


def runs(layers: Sequence[Layer]) -> list[tuple[list[Layer], str]]:
    """Split layers into runs that one picture can show, each with its blend mode.

    The lowest picture includes its blended layers. A layer that blends with a picture of another
    parallax cannot be part of a picture, so it is a run of its own.
    """
    found: list[tuple[list[Layer], str]] = []
    for layer in layers:
        moves = bool(found) and layer.parallax != found[0][0][0].parallax
        blends = layer.mode in MODES and (moves or len(found) > 1)
        run, mode = found[-1] if found else ([], "normal")
        if run and not blends and mode == "normal" and run[0].parallax == layer.parallax:
            run.append(layer)
        else:
            found.append(([layer], layer.mode if blends else "normal"))
    return found
