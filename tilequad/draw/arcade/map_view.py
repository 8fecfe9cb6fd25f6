"""Draw a Tiled map: what the camera sees, in one draw call for most layers.

Which painter paints what is decided in `MapView.draw` and `TileLayerView.draw`:

| painter | paints | why |
|---|---|---|
| `tile_grid.TileGrid`, as quads | tiles of 15.5 pixels and more | they are few |
| `tile_grid.TileGrid`, by cells | smaller tiles | costs what the screen costs, however many |
| `overview.Overview` | tiles below 1.25 pixels | pages of means do not shimmer |
| `scrolled_picture.ScrolledPicture` | zoomed out or by cells, these while they scroll | a copy |
| `blended_layer.BlendedLayer` | layers in blend modes that a GPU lacks | reads what is below |
| `object_quads.ObjectQuads` | tile objects; `ShapePicture` shapes and texts | |
| `image_quad.ImageQuad` | image layers | |

Tile layers that overlap too far, or whose chunks lie too far apart, are quads at any size.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property

import arcade

from tilequad._core.checks import whole
from tilequad.bounds import Bounds
from tilequad.draw.arcade.blended_layer import BlendedLayer, is_blended
from tilequad.draw.arcade.grid_cells import GridCells
from tilequad.draw.arcade.image_quad import ImageQuad
from tilequad.draw.arcade.object_quads import ObjectQuads
from tilequad.draw.arcade.overview import FAR, Overview, PageMaker
from tilequad.draw.arcade.screen import Screen
from tilequad.draw.arcade.scrolled_picture import WHOLE, Clip, Place, ScrolledPicture
from tilequad.draw.arcade.shaders import NORMAL, InWindow, blending, form_and_function
from tilequad.draw.arcade.tile_grid import SMOOTH_BELOW, GridPrograms, Look, TileGrid
from tilequad.draw.arguments import checked_layers
from tilequad.draw.map_views import MapViewBase
from tilequad.draw.tile_pictures import is_tint
from tilequad.tiled import ImageLayer, Layer, TileLayer

__all__ = ["MapView"]

ALMOST_ONE = 1 - 2**-20  # to the eye it is 1


class MapView(InWindow, MapViewBase):
    """Draws a map, or single layers of it, through the camera in use.

    A view of any part of a map costs what the screen costs, whether it shows a hundred tiles or
    millions. The view uploads the map once: two bytes for each cell, in the blocks of 8 x 8 cells
    that hold tiles, and the pictures of its tiles. A frame uploads the cells that were set since
    the frame before. While neither the camera nor the map moves, nothing is queried and nothing is
    uploaded. Making a view takes about 25 ms for each million cells, and half a millisecond for
    each picture of a tile. Shaders are compiled when they are first needed, once for all views of a
    window: by a driver in software, 30 to 200 ms for each of the five or so that a new zoom needs.

    Pillow paints shapes and texts when they come into view, 0.1 ms each, which for thousands at
    once is a frozen frame. After a change of an object, the whole layer is measured again: of
    10,000 objects, some 20 ms.

    Zoomed out, while the camera stays or moves, all tile layers that lie on one another are one
    copy of the frame before, and only what comes into view is drawn: half of the time for one
    layer, a fifth for three, and four bytes for each pixel of the screen and of a small margin.
    While it moves, the copy lies at the nearest whole pixel of the screen, so at most half of one
    off. Ten frames after it stops, the layers are drawn where they belong. Units do not move with
    them: round the camera's position to `1 / zoom` to have both on whole pixels. From zoom 1 on,
    nothing is off. After a change of a tile, all are drawn anew in that frame and the next.

    All layers look as in Tiled, pixel by pixel at zoom 1: tiles of any size, offsets, flips and
    rotations, opacity, tint, parallax, blend modes, shapes and text. Zoomed out, tiles are
    smoothed, so they shimmer less than in `tilequad.draw.pillow.render`, which leaves pixels out.
    Fine patterns therefore look different. Where a tile is about a pixel or smaller, an animated
    one shows one frame, and a view that is new takes some frames to become sharp: each frame does
    no more for it than half a screen of tiles takes.

    Args:
        tile_map: The map, with y up.
        objects: Which objects are drawn: "art" for objects with a tile or text, but not those that
            only mark a place or a shape; "all", as Tiled shows them; or "none".

    Attributes:
        tile_map: The map.

    Raises:
        TypeError: `tile_map` is not a map.
        ValueError: The map was loaded with `y_up=False`, or `objects` is none of these words.
        MapError: The pictures of the tiles do not fit into a texture; or an image cannot be read,
            and the map was loaded with `strict=True`. Otherwise a missing image is a warning of
            the map, and a crossed-out box on the screen, as in Tiled.

    Example:
        >>> import arcade
        >>> from tilequad import load_map
        >>> from tilequad.draw.arcade import MapView, visible_bounds
        >>> def show(path: str, camera: arcade.Camera2D) -> None:  # with a window open
        ...     map_view = MapView(load_map(path))
        ...     with camera.activate():
        ...         map_view.draw(visible_bounds(camera))
    """

    _y_up = True

    @cached_property
    def _blended(self) -> BlendedLayer:
        return BlendedLayer(self._context)

    def _begin(self) -> None:
        """Upload the map."""
        context, tile_map = self._context, self.tile_map
        programs, maker = GridPrograms(context, tile_map), PageMaker(context)
        layers: dict[Layer, TileLayerView | ObjectQuads | ImageQuad | None] = {}
        for layer in tile_map.layers:
            if isinstance(layer, TileLayer):
                layers[layer] = TileLayerView(programs, layer, maker)
            elif not isinstance(layer, ImageLayer):
                layers[layer] = ObjectQuads(programs, layer)
            elif layer.picture and (pixels := programs.kinds.pictures.pixels(layer.picture)):
                layers[layer] = ImageQuad(context, layer, pixels)
            else:  # an image layer without a picture shows nothing
                layers[layer] = None
        self._programs, self._maker, self._layers = programs, maker, layers
        self._revision = tile_map.revision
        self._pictures: dict[Layer, ScrolledPicture] = {}  # of layers from this one on

    def draw(self, bounds: Sequence[float], layers: Iterable[Layer] | None = None) -> None:
        """Draw what the camera sees. The camera must be in use.

        Args:
            bounds: What the camera sees: `visible_bounds(camera)`.
            layers: The layers to draw, hidden or not; by default all visible ones. Draw some, then
                the units, and then the others, to have units between layers.

        Raises:
            TypeError: A layer is given by its name.
            KeyError: A layer belongs to another map.
            ValueError: `bounds` is not a box.

        Example:
            >>> from tilequad.draw.arcade import MapView, SpriteBatch
            >>> def show(map_view: MapView, bounds, units: SpriteBatch, positions) -> None:
            ...     ground, roofs = map(map_view.tile_map.layer, ("ground", "trees"))
            ...     map_view.draw(bounds, [ground])
            ...     units.draw(positions)
            ...     map_view.draw(bounds, [roofs])
        """
        seen = Bounds.of(bounds)
        screen = Screen.of(self._context)
        chosen = self._chosen(layers)
        with self._ready(chosen, screen):
            waiting: list[tuple[Layer, TileLayerView, Look]] = []  # that scroll together
            for layer in chosen:
                look = self._look(layer, seen, screen)
                view = self._scrolling(layer, look)
                if waiting and (view is None or waiting[-1][2].shift != look.shift):
                    self._draw_scrolled(waiting)
                    waiting = []
                if view is not None:
                    waiting.append((layer, view, look))
                else:
                    self._pictures.pop(layer, None)
                    self._draw(layer, look)
            self._draw_scrolled(waiting)

    def _scrolling(self, layer: Layer, look: Look) -> TileLayerView | None:
        """Return what shows a layer if it may be part of a picture that scrolls."""
        view = self._layers[layer]
        if isinstance(view, TileLayerView) and layer.mode == "normal" and view.can_scroll(look):
            return view
        return None

    def _draw_scrolled(self, parts: list[tuple[Layer, TileLayerView, Look]]) -> None:
        """Draw layers that lie on one another, and share a picture while they only scroll."""
        if not parts:
            return
        (first, _, one), *rest = parts
        for layer, _, _ in rest:
            self._pictures.pop(layer, None)
        if first not in self._pictures:
            self._pictures[first] = ScrolledPicture(self._context)
        picture, screen = self._pictures[first], one.screen
        place = screen.pixel(*one.shift)
        clip = tuple(round(edge, 6) for edge in screen.clip(one.view))
        still = None if clip == (-1, -1, 1, 1) else place  # the edge of a part does not scroll
        look = screen[:4], screen[6:], clip, still, [(view, part.tint) for _, view, part in parts]

        ready = [view.prepare(part) for _, view, part in parts]

        def content() -> list[object]:
            return [ready, *(view.content for _, view, _ in parts)]

        def render(clip: Clip, off: Place) -> bool:
            moved = screen.moved(*off) if any(off) else screen
            seen = moved.box() if any(off) else one.view
            found = [
                view.draw(part._replace(screen=moved, view=seen), clip=clip, ready=is_ready)
                for (_, view, part), is_ready in zip(parts, ready, strict=True)
            ]
            return all(found)

        nearest = screen.zoom < SMOOTH_BELOW
        if not picture.draw(look, content(), place, render, nearest) and render(WHOLE, (0.0, 0.0)):
            picture.remember(look, content(), place)
        for _, view, part in parts:
            view.look_ahead(part)

    def _chosen(self, layers: Iterable[Layer] | None) -> Sequence[Layer]:
        if self._revision != self.tile_map.revision:  # it was reloaded
            self._begin()
            self._show_time()
        if layers is None:
            return [layer for layer in self.tile_map.layers if layer.visible]
        chosen = checked_layers(layers)
        for layer in chosen:
            if layer not in self._layers:
                raise KeyError(f"{layer!r} belongs to another map")
        return chosen

    def _prepare_over(self, bounds: Bounds, screen: Screen) -> bool:
        """Make what `_draw_over` shows from far away, as far as half a frame allows.

        Return whether its picture would be final. It becomes so over some calls.
        """
        chosen = self._chosen(None)
        with self._ready(chosen, screen, 0.5):
            for layer in chosen:
                view = self._layers[layer]
                if isinstance(view, TileLayerView):
                    view.prepare(self._look(layer, bounds, screen, still=True))
        return not self._maker.unfinished

    def _draw_over(self, bounds: Bounds, screen: Screen) -> None:
        """Draw a part of the map as a screen shows it, without a camera and without parallax."""
        chosen = self._chosen(None)
        with self._ready(chosen, screen, 0.0):
            for layer in chosen:
                self._draw(layer, self._look(layer, bounds, screen, still=True))

    def tile_picture(self, gid: int) -> arcade.Texture:
        """Return the picture of a tile, for sprites that a game draws itself.

        Cost: some microseconds; sprites may share it.

        Args:
            gid: The number of the tile, without flip flags; that of a tile object, for instance.

        Returns:
            A new texture. An animated tile shows its frame at the time of `set_time`.

        Raises:
            KeyError: No tileset has the gid.
            TypeError: It is not a whole number.

        Example:
            >>> import arcade
            >>> from tilequad.draw.arcade import MapView
            >>> def hall_of(map_view: MapView) -> arcade.Sprite:
            ...     [hall] = map_view.tile_map.objects(class_name="town_hall")
            ...     x, y = hall.bounds.center
            ...     return arcade.Sprite(map_view.tile_picture(hall.gid), center_x=x, center_y=y)
        """
        image = self._programs.kinds.pictures.tile(whole(gid, "gid"), self._time)
        return arcade.Texture(image.copy())

    def _show_time(self) -> None:
        self._programs.kinds.set_time(self._time)

    @property
    def nbytes(self) -> int:
        """The memory on the GPU for cells, kinds of tiles, pictures and overviews, in bytes."""
        layers = (view.nbytes for view in self._layers.values() if isinstance(view, TileLayerView))
        pictures = (picture.nbytes for picture in self._pictures.values())
        return sum(layers) + sum(pictures) + self._programs.kinds.nbytes

    @property
    def _edits(self) -> list[int]:
        """How often the cells of each tile layer, and the objects of each layer, have changed."""
        views = self._layers.values()
        return [view.edits for view in views if isinstance(view, TileLayerView | ObjectQuads)]

    @contextmanager
    def _ready(self, layers: Sequence[Layer], screen: Screen, share: float = 1.0) -> Iterator[None]:
        """Apply the changes of layers, which may bring new pictures; bind the shared tables.

        Overviews may do a share of a frame's work.
        """
        for layer in layers:
            view = self._layers[layer]
            if isinstance(view, TileLayerView | ObjectQuads):
                view.follow()
        self._programs.kinds.use(smooth=screen.zoom < SMOOTH_BELOW)
        self._maker.begin(share)
        with blending(self._context):
            yield

    def _draw(self, layer: Layer, look: Look) -> None:
        view, mode = self._layers[layer], layer.mode
        if view is None:
            return
        if isinstance(view, ObjectQuads):
            if self._objects == "none":
                return
            view.only_art = self._objects == "art"
        if mode == "normal":
            view.draw(look)
        elif is_blended(mode, layer.opacity):
            with self._blended.collecting(mode, layer.opacity):
                view.draw(look._replace(tint=tint_of(layer), form=0))
        else:
            self._context.blend_func = form_and_function(mode)[1]
            view.draw(look)
            self._context.blend_func = NORMAL

    def _look(self, layer: Layer, seen: Bounds, screen: Screen, still: bool = False) -> Look:
        parallax = layer.parallax != (1, 1) and not still
        shift = self.tile_map.parallax_shift(layer, seen) if parallax else (0.0, 0.0)
        red, green, blue, alpha = tint_of(layer)
        form, _ = form_and_function(layer.mode)
        return Look(screen, seen, shift, (red, green, blue, alpha * layer.opacity), form)


def tint_of(layer: Layer) -> tuple[float, float, float, float]:
    """Return the tint of a layer, 0 to 1; the color is 1, 1, 1 only if it has none.

    White that fades is a tint as any other, which sees half-transparent pixels on white.
    """
    if not is_tint(layer.tint):
        return 1.0, 1.0, 1.0, 1.0
    red, green, blue, alpha = (channel / 255 for channel in layer.tint)
    return min(red, ALMOST_ONE), green, blue, alpha


class TileLayerView:
    """A tile layer: its tiles, or from far away its overview."""

    def __init__(self, programs: GridPrograms, layer: TileLayer, maker: PageMaker) -> None:
        self._programs = programs
        self._layer = layer
        self._maker = maker
        self._cells = GridCells(programs.context, layer, programs.kinds)
        self._grid = TileGrid(programs, layer, self._cells)
        self._overview: Overview | None = None

    @property
    def nbytes(self) -> int:
        """The memory of cells and pages on the GPU, in bytes."""
        pages = self._overview.nbytes if self._overview else 0
        return self._cells.nbytes + pages

    def follow(self) -> None:
        """Upload the changes of the layer since the last call."""
        self._cells.follow()

    @property
    def edits(self) -> int:
        """How often the cells have changed."""
        self.follow()
        return self._cells.revision

    def can_scroll(self, look: Look) -> bool:
        """Return whether a picture of the tiles takes less than to draw them."""
        return look.screen.zoom < SMOOTH_BELOW or self._grid.looks_up(look)

    @property
    def content(self) -> object:
        """What the tiles look like: it equals what it was before if nothing has changed."""
        renewed = self._overview.renewed if self._overview else 0
        return self._cells.revision, self._programs.kinds.revision, renewed

    def draw(self, look: Look, clip: Clip = WHOLE, ready: bool = True) -> bool:
        """Draw the tiles in view.

        Args:
            look: How to draw them.
            clip: The part of the screen that is not cut away, in clip coordinates.
            ready: What `prepare` has returned.

        Returns:
            Whether the same call shows the same again. From far away it does so after some calls.
        """
        if clip != WHOLE and not self._grid.looks_up(look):
            look = look._replace(view=look.screen.box(clip))  # each quad costs, seen or not
        if self._side(look) >= FAR:
            self._grid.draw(look)
            return True
        looked_up = self._grid.looks_up(look)
        if ready and self._far().draw(look, clip, partly=not looked_up):
            return True
        if looked_up:
            # until the pages are there; they shimmer a little for some frames
            self._grid.draw(look, self._grid.few(look))
        return not ready

    def prepare(self, look: Look) -> bool:
        """Make what `draw` shows from far away, as far as this frame allows.

        Return False if cells are to be looked up, because some of it is missing.
        """
        if self._side(look) >= FAR:
            return True
        return self._far().prepare(look) or not self._grid.looks_up(look)

    def look_ahead(self, look: Look) -> None:
        """Make what the next frames may need from far away, if this frame has time."""
        if self._side(look) < FAR:
            self._far().look_ahead(look)

    def _far(self) -> Overview:
        if self._overview is None:
            self._overview = Overview(self._programs, self._layer, self._maker, self._cells)
        return self._overview

    def _side(self, look: Look) -> float:
        """Return the side of a cell on the screen, in pixels."""
        return self._grid.cell_side * look.screen.zoom
