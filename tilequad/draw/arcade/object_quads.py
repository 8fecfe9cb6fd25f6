"""Draw an object layer: tile objects as quads, shapes and texts as pictures that Pillow draws."""

from __future__ import annotations

from itertools import groupby
from math import ceil, cos, floor, log2, radians, sin

import numpy as np
from arcade.gl import Texture2D
from numpy.typing import NDArray

from tilequad.bounds import Bounds
from tilequad.draw.arcade.grid_shaders import GRID_BLOCK
from tilequad.draw.arcade.shaders import PLACED_VERTEX, Records, draw_quad, program_of, texture_of
from tilequad.draw.arcade.tile_grid import RECORD, GridPrograms, Look, write_view
from tilequad.draw.arcade.tile_kinds import SHARPNESS, flips_and_turn
from tilequad.draw.pillow.canvas import Canvas
from tilequad.draw.pillow.renderer import drawn_on, is_drawn, with_reach
from tilequad.tiled import Color, ObjectLayer
from tilequad.tiled.index.lattice_index import seen
from tilequad.tiled.model.object_layer import part_of

__all__ = ["ObjectQuads"]

MARGIN = 0.25  # margin around the view, as a share of it, for the next frames
MOST_PIXELS = 1 << 24

INSTANCE = np.dtype(
    [
        ("center", np.float32, 2),
        ("size", np.float32, 2),
        ("turn", np.float32, 4),
        ("kind", np.int32),
        ("opacity", np.float32),
    ]
)

FRAGMENT = """#version 330
uniform sampler2D pictures;
uniform int form;
in vec2 v_uv;
out vec4 f_color;

void main() {
    vec4 color = texture(pictures, v_uv);
    if (color.a == 0.0) discard;
    if (form == 1) color.rgb *= color.a;
    if (form == 2) color.rgb = mix(vec3(1.0), color.rgb, color.a);
    f_color = color;
}
"""


class ShapePicture:
    """Some shapes and texts of a layer, by their numbers, one after the other in draw order."""

    def __init__(
        self, programs: GridPrograms, layer: ObjectLayer, numbers: NDArray[np.int32]
    ) -> None:
        self._context = programs.context
        self._tile_map = programs.tile_map
        self._layer = layer
        boxes = layer.boxes(numbers)
        self._box = Bounds(*boxes[:, :2].min(axis=0).tolist(), *boxes[:, 2:].max(axis=0).tolist())
        self._texture: Texture2D | None = None
        self._covered: Bounds | None = None  # the box that the texture covers, in the world
        self._drawn: tuple[object, ...] = ()  # zoom, look and objects of the texture

    def prepare(self, look: Look, items: NDArray[np.int32]) -> bool:
        """Make sure that the texture shows those of some objects that are in view.

        Return whether there is anything to draw.
        """
        screen = look.screen
        zoom = round(screen.zoom, 9)  # rounding errors would show in the corners of ellipses
        dx, dy = look.shift
        # the whole screen, not only the view: Pillow's pixels start at its corner
        view = screen.box().shifted(-dx, -dy)
        box = with_reach(self._box, zoom)
        needed = meet(view, box)
        if needed is None:
            return False
        wanted = zoom, self._layer.opacity, self._layer.color, items.tobytes()
        covered = self._covered
        if covered is None or wanted != self._drawn or meet(covered, needed) != needed:
            self._paint(view, box, zoom, items)
            self._drawn = wanted
        return self._texture is not None

    def draw(self, look: Look) -> None:
        """Draw the texture."""
        assert self._texture is not None
        assert self._covered is not None
        a, b, c, d, e, f, width, height = look.screen
        box = self._covered.shifted(*look.shift)
        x, y = a * box.min_x + c * box.max_y + e, b * box.min_x + d * box.max_y + f
        if look.screen.upright:  # texels must lie on pixels
            x = round((x + 1) * width / 2) * 2 / width - 1
            y = round((y + 1) * height / 2) * 2 / height - 1
        program = program_of(self._context, PLACED_VERTEX, FRAGMENT)
        program["corner"] = x, y, 0, 0
        program["sides"] = a * box.width, b * box.width, -c * box.height, -d * box.height
        program["form"] = look.form
        self._texture.use(0)
        draw_quad(self._context, program)

    def _paint(self, view: Bounds, box: Bounds, zoom: float, items: NDArray[np.int32]) -> None:
        """Draw the objects around the view into a texture, in whole pixels from its corner."""
        across, along = view.width * MARGIN, view.height * MARGIN
        left = floor(max(box.min_x - view.min_x, -across) * zoom)
        right = ceil(min(box.max_x - view.min_x, view.width + across) * zoom)
        top = floor(max(view.max_y - box.max_y, -along) * zoom)
        bottom = ceil(min(view.max_y - box.min_y, view.height + along) * zoom)
        width, height = right - left, bottom - top
        if not 0 < width * height <= MOST_PIXELS:
            self._texture = self._covered = None
            return
        min_x, max_y = view.min_x + left / zoom, view.max_y - top / zoom
        bounds = Bounds(min_x, max_y - height / zoom, min_x + width / zoom, max_y)
        some = part_of(self._layer, items.tolist())
        picture = drawn_on(Canvas(self._tile_map, bounds, zoom, 0.0), bounds, [some])
        self._covered = bounds
        context = self._context
        if self._texture is None or self._texture.size != picture.size:
            self._texture = texture_of(context, picture.size, clamped=True)
        self._texture.write(picture.tobytes())


class ObjectQuads:
    """The objects of one layer.

    Attributes:
        only_art: Whether `draw` leaves out objects that have neither a tile nor text.
    """

    def __init__(self, programs: GridPrograms, layer: ObjectLayer) -> None:
        self._layer = layer
        self._programs = programs
        self.only_art = False
        self._begin()

    @property
    def edits(self) -> int:
        """How often the objects have changed."""
        return self._layer.revision

    def follow(self) -> None:
        """Follow changes of the objects."""
        if self._revision != self._layer.revision:
            self._begin()

    def _begin(self) -> None:
        """Measure all objects."""
        context, layer = self._programs.context, self._layer
        self._instances, self._centers = self._measure()
        self._boxes = layer.boxes(np.arange(len(layer)))
        self._is_art = np.array([is_drawn(item, "art") for item in layer.objects], bool)
        shown = [number for number, item in enumerate(layer.objects) if item.visible]
        # Objects of one kind in draw order, and the picture of those without tiles
        self._runs: list[tuple[NDArray[np.int32], ShapePicture | None]] = []
        for tiles, some in groupby(shown, lambda number: bool(layer.objects[number].gid)):
            run = np.array(list(some), np.int32)
            picture = None if tiles else ShapePicture(self._programs, layer, run)
            self._runs.append((run, picture))
        self._uniforms = context.buffer(reserve=RECORD.itemsize)
        self._record = np.zeros((), RECORD)
        self._shown: tuple[Look, bool, Color | None] | None = None
        self._parts: list[Records | ShapePicture] = []  # in view: quads, or a picture
        self._quads: list[Records] = []  # the first of these are among the parts
        self._revision = layer.revision  # not before: what fails is measured in the next frame

    def draw(self, look: Look) -> None:
        """Draw the objects in view; the tables must be bound."""
        asked = look, self.only_art, self._layer.color
        if asked != self._shown:
            self._prepare(look)
            self._shown = asked
        for part in self._parts:
            if isinstance(part, ShapePicture):
                part.draw(look)
                continue
            self._uniforms.bind_to_uniform_block(GRID_BLOCK)
            part.render(self._programs.objects(*look.variant))

    def _prepare(self, look: Look) -> None:
        (dx, dy), screen = look.shift, look.screen
        # All are tested: a layer has rarely so many objects that its tree would be faster.
        near = seen(self._boxes, look.view.shifted(-dx, -dy))
        if self.only_art:
            near &= self._is_art
        middle_x, middle_y = (floor(axis) for axis in screen.world(0.0, 0.0))
        self._parts, spare = [], iter(self._quads)
        for run, picture in self._runs:
            if picture is not None:
                some = run[self._is_art[run]] if self.only_art else run
                if len(some) and picture.prepare(look, some):
                    self._parts.append(picture)
            elif len(held := run[near[run]]):
                records = self._instances[held]
                middle = middle_x - dx, middle_y - dy
                records["center"] = (self._centers[held] - middle) * (1, -1)
                quads = next(spare, None)
                if quads is None:
                    quads = Records(self._programs.context, INSTANCE)
                    self._quads.append(quads)
                quads.write(records)
                self._parts.append(quads)
        write_view(self._record, screen, middle_x, middle_y)
        self._record["tint"] = look.tint
        self._record["look"] = log2(1 / screen.zoom) - SHARPNESS, 0, look.form, 0
        self._uniforms.write(self._record.tobytes())

    def _measure(self) -> tuple[np.ndarray, NDArray[np.float64]]:
        """Return the records of all objects, and their centers in the world."""
        hexagonal = self._programs.tile_map.orientation == "hexagonal"
        records = np.zeros(len(self._layer), INSTANCE)
        centers = np.zeros((len(self._layer), 2))
        for number, item in enumerate(self._layer.objects):
            if not item.gid:
                continue
            corners = item.points  # the corners of the turned image: top left, top right, ...
            width, height = (float(np.hypot(*(corners[i] - corners[0]))) for i in (1, 3))
            flips, turn = flips_and_turn(item.flags, hexagonal)
            angle = radians(turn + item.rotation)
            kind, shrunk = self._programs.kinds.of_object(item.gid, width, height)
            way = cos(angle), sin(angle), flips, shrunk
            records[number] = (0, 0), (width, height), way, kind, item.opacity
            centers[number] = corners.mean(axis=0)
        return records, centers


def meet(one: Bounds, other: Bounds) -> Bounds | None:
    """Return the box that two boxes share, if any."""
    low = max(one.min_x, other.min_x), max(one.min_y, other.min_y)
    high = min(one.max_x, other.max_x), min(one.max_y, other.max_y)
    return Bounds(*low, *high) if low[0] < high[0] and low[1] < high[1] else None
