"""A map as a Pillow picture: what Tiled draws, without a window or a GPU."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import ceil, cos, floor, radians, sin
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont

from tilequad.bounds import Bounds
from tilequad.draw.blending import MODES, blend
from tilequad.tiled import ImageLayer, MapError, MapObject, ObjectLayer, TileLayer, TileMap
from tilequad.tiled.layers import Layer
from tilequad.tiled.pictures import Picture

__all__ = ["TilePictures", "render"]

ACROSS, DOWN, DIAGONAL, TURN_120 = 8, 4, 2, 1  # the flip bits of a cell
TURNS = DIAGONAL | TURN_120  # those that turn the tiles of a hexagonal map

Matrix = NDArray[np.float64]


def render(
    world: TileMap,
    bounds: Sequence[float] | None = None,
    scale: float = 1,
    *,
    layers: Iterable[Layer] | None = None,
    objects: bool = True,
    time: float = 0,
) -> Image.Image:
    """Draw a map as Tiled's own renderer does: at rest, parallax left out, nothing smoothed.

    Args:
        world: The map.
        bounds: What to draw, in world units; Tiled's own canvas by default.
        scale: Pixels of the picture for one world unit.
        layers: The layers to draw, hidden or not; all visible ones by default.
        objects: False leaves object layers out.
        time: Milliseconds since the start, for animated tiles.

    Returns:
        An RGBA picture, transparent where the map is empty.

    Raises:
        ValueError: The bounds are no box, or the scale is not positive.
        MapError: The picture would be larger than the map's limit; an image is missing and the
            map was opened with `strict=True`.

    Example:
        >>> import tilequad  # doctest: +SKIP
        >>> world = tilequad.load_map("maps/frontier.tmx")  # doctest: +SKIP
        >>> tilequad.draw.image.render(world).save("frontier.png")  # doctest: +SKIP
    """
    view = world.canvas if bounds is None else Bounds.of(bounds)
    if not 0 < scale < float("inf"):
        raise ValueError(f"scale must be positive and finite, got {scale!r}")
    chosen = [layer for layer in world.layers if layer.visible] if layers is None else layers
    canvas = _Canvas(world, view, scale, time)
    for layer in chosen:
        canvas.mode = layer.mode
        if isinstance(layer, TileLayer):
            _draw_tiles(canvas, layer, view)
        elif isinstance(layer, ImageLayer):
            _draw_image(canvas, layer)
        elif isinstance(layer, ObjectLayer) and objects:
            _draw_objects(canvas, layer, view)
    return canvas.picture


class TilePictures:
    """The tiles of a map as Pillow images, each cut out once.

    Example:
        >>> TilePictures(world).tile(gid)  # doctest: +SKIP
    """

    def __init__(self, world: TileMap) -> None:
        # not the map itself: it would be kept alive by the pictures kept for it
        self._tilesets = world.tilesets
        self._cell = world.tile_size
        self._strict = world.strict
        self._warnings = world.warnings
        self._tiles: dict[tuple[int, int], Image.Image] = {}
        self._warned: set[Picture] = set()

    def tile(self, gid: int, time: float = 0) -> Image.Image:
        """The RGBA image of a tile, not flipped, the transparent colour made transparent.

        Args:
            gid: Tiled's number of the tile, without flip bits.
            time: Milliseconds since the start; an animated tile shows the frame of that moment.

        Returns:
            An image that is shared: copy it before you change it. Where the map has no image for
            the tile, Tiled's marker for that: a crossed-out box.

        Raises:
            MapError: The image cannot be read, and the map was opened with `strict=True`.
        """
        tileset = self._tilesets.owner(gid)
        local_id = tileset.frame_at(gid - tileset.first_gid, time)
        key = (tileset.first_gid, local_id)
        if key not in self._tiles:
            source = tileset.image_source(local_id)
            picture = None
            if source is not None:
                pixels = self.pixels(source.picture)
                if pixels is not None:
                    box = (source.left, source.top)
                    picture = pixels.crop(
                        (*box, source.left + source.width, source.top + source.height)
                    )
            self._tiles[key] = picture or _marker(self._cell)
        return self._tiles[key]

    def pixels(self, picture: Picture) -> Image.Image | None:
        """The whole of an image; None, and a warning in the map, where it cannot be read."""
        try:
            return picture.pixels
        except MapError as problem:
            if self._strict:
                raise
            if picture not in self._warned:
                self._warned.add(picture)
                if str(problem) not in self._warnings:
                    self._warnings.append(str(problem))
            return None


_EDGE = 1 / 128  # of a pixel: Tiled's toolkit sees the edges of a turned image so far up and left
_MARKER = 1024  # pixels along a side of the marker for a missing image; larger ones are stretched
_DOT = 4  # pixels: half the size of the dot that shows a point
_LARGEST_FONT = 500  # points; Pillow takes memory for the square of it
_GREY = (160, 160, 164, 255)  # Tiled's colour for shapes of a layer without one
_LARGE = 1 << 20  # pixels of a tile as drawn, from which on only what is seen of it is made
_FLAT = 1e-9  # pixels squared: an image pressed flatter than this shows nothing

# One set of tile images for each map, for as long as the map lives.
_PICTURES: WeakKeyDictionary[TileMap, TilePictures] = WeakKeyDictionary()


class _Canvas:
    """The picture being drawn, and where the world lies on it."""

    def __init__(self, world: TileMap, view: Bounds, scale: float, time: float) -> None:
        self.world = world
        self.scale = scale
        self.time = time
        self.mode = "normal"  # of the layer being drawn
        self.tiles = _PICTURES.setdefault(world, TilePictures(world))
        corner = world.axes.boxes(np.array([view], float))[0]
        self.left, self.top = float(corner[0]), float(corner[1])
        size = max(1, round(view.width * scale)), max(1, round(view.height * scale))
        if size[0] * size[1] > world.limits.pixels:
            reason = f"a picture of {size[0]} x {size[1]} pixels is larger than the limit"
            raise MapError(
                world.path, f"{reason} of {world.limits.pixels}; draw a part, or smaller"
            )
        self.picture = Image.new("RGBA", size)

    def boxes(self, boxes: NDArray[np.float64]) -> NDArray[np.int64]:
        """World boxes as whole pixels of the picture, y down; neighbours stay neighbours."""
        turned = self.world.axes.boxes(boxes) - (self.left, self.top, self.left, self.top)
        pixels: NDArray[np.int64] = np.floor(turned * self.scale + 0.5).astype(np.int64)
        return pixels

    def points(self, points: Matrix) -> Matrix:
        """World points as pixels of the picture, y down, fractions kept."""
        return (self.world.axes.points(points) - (self.left, self.top)) * self.scale

    def place(self, image: Image.Image, left: int, top: int) -> None:
        """Lay an image over what is there; what sticks out is cut off."""
        x, y = max(left, 0), max(top, 0)
        right = min(left + image.width, self.picture.width)
        bottom = min(top + image.height, self.picture.height)
        if x < right and y < bottom:
            source = (x - left, y - top, right - left, bottom - top)
            if self.mode in MODES:
                self._blend(image.crop(source), x, y)
            else:  # in place, without a copy
                self.picture.alpha_composite(image, (x, y), source)

    def stretch(
        self,
        image: Image.Image,
        box: Matrix,
        flags: int = 0,
        repeat: tuple[bool, bool] = (False, False),
    ) -> None:
        """Lay an image over a world box, sized to fill it; nearest pixels.

        Between two pixels the lower one is taken, the upper one where the flags have flipped the
        image. Where it repeats along x or y, the whole width or height of the picture is filled.
        """
        left, top, right, bottom = (
            self.world.axes.boxes(box[None])[0] * self.scale
            - (
                self.left * self.scale,
                self.top * self.scale,
            )
            * 2
        )
        size, canvas = image.size, self.picture.size
        x, columns = _sources((left, right), size[0], canvas[0], flags & ACROSS, repeat[0])
        y, rows = _sources((top, bottom), size[1], canvas[1], flags & DOWN, repeat[1])
        if columns.size and rows.size:
            pixels = np.asarray(image)[np.ix_(rows, columns)]
            self.place(Image.fromarray(pixels), x, y)

    def lay(self, image: Image.Image, matrix: Matrix, middle: Matrix) -> None:
        """Lay an image under a linear map, its middle at a point of the picture; nearest pixels."""
        half = np.abs(matrix) @ (np.array(image.size) / 2)
        corner = np.floor(np.maximum(middle - half, 0))
        end = np.ceil(np.minimum(middle + half, self.picture.size))
        width, height = (end - corner).astype(int).tolist()
        if width <= 0 or height <= 0 or abs(np.linalg.det(matrix)) < _FLAT:
            return
        rows, columns = np.mgrid[0:height, 0:width] + 0.5
        away = np.stack((columns + corner[0] - middle[0], rows + corner[1] - middle[1]))
        x, y = np.tensordot(np.linalg.inv(matrix), away, 1)
        x, y = x + image.width / 2, y + image.height / 2
        nudge_x, nudge_y = np.linalg.inv(matrix) @ (-_EDGE, -_EDGE)
        inside = (x >= nudge_x) & (x < image.width + nudge_x)
        inside &= (y >= nudge_y) & (y < image.height + nudge_y)
        pixels = np.asarray(image)[
            y.astype(int).clip(0, image.height - 1), x.astype(int).clip(0, image.width - 1)
        ]
        turned = Image.fromarray(pixels * inside[:, :, None].astype(np.uint8))
        self.place(turned, *corner.astype(int).tolist())

    def _blend(self, image: Image.Image, left: int, top: int) -> None:
        """Lay an image over what is there in the blend mode of its layer."""
        box = (left, top, left + image.width, top + image.height)
        self.picture.paste(blend(self.picture.crop(box), image, self.mode), box)


def _sources(
    span: tuple[float, float], length: int, limit: int, flipped: int, repeat: bool
) -> tuple[int, NDArray[np.int64]]:
    """Where the part that is seen begins, and for each of its pixels the pixel of the image."""
    start, end = span
    first = floor(start + 0.5)
    begin, stop = (0, limit) if repeat else (max(first, 0), min(floor(end + 0.5), limit))
    # Tiled's toolkit counts in steps of 1 / 65536 of a pixel, and so do we, to agree on ties.
    step = int(length / max(end - start, _FLAT) * 65536)
    place = (first + 0.5 - start) * step
    place = floor(place) if flipped else ceil(place) - 1
    sources = (place + (np.arange(begin, stop) - first) * step) >> 16
    return begin, sources % length if repeat else sources.clip(0, length - 1)


def _draw_tiles(canvas: _Canvas, layer: TileLayer, view: Bounds) -> None:
    ids = layer.query(view)
    world_boxes = layer.boxes(ids)
    boxes = canvas.boxes(world_boxes).tolist()
    middles = canvas.points((world_boxes[:, :2] + world_boxes[:, 2:]) / 2)
    turns = TURNS if canvas.world.orientation == "hexagonal" else 0
    between_pixels = canvas.scale == 1 and bool((world_boxes % 1).any())
    looks: dict[tuple[int, int, int, int], Image.Image] = {}
    gids, all_flags = layer.gids(ids).tolist(), layer.flags(ids).tolist()
    cells = zip(gids, all_flags, boxes, middles, world_boxes, strict=True)
    for gid, flags, (left, top, right, bottom), middle, box in cells:
        if flags & turns:
            image = _faded(_flipped(canvas.tiles.tile(gid, canvas.time), flags), layer)
            canvas.lay(image, _turn(flags) * canvas.scale, middle)
            continue
        key = (gid, flags, right - left, bottom - top)
        if key[2] * key[3] > _LARGE or (flags and between_pixels):
            # most of a large one may lie beside the picture
            image = _faded(_upright(canvas.tiles.tile(gid, canvas.time), flags), layer)
            canvas.stretch(image, box, flags)
            continue
        if key not in looks:
            image = _upright(canvas.tiles.tile(gid, canvas.time), flags)
            looks[key] = _faded(_sized(image, right - left, bottom - top), layer)
        canvas.place(looks[key], left, top)


def _upright(image: Image.Image, flags: int) -> Image.Image:
    """A tile under its flip bits, in a map whose tiles are not turned."""
    if flags & DIAGONAL:
        image = image.transpose(Image.Transpose.TRANSPOSE)
    return _flipped(image, flags)


def _flipped(image: Image.Image, flags: int) -> Image.Image:
    if flags & ACROSS:
        image = image.transpose(Image.Transpose.FLIP_LEFT_RIGHT)
    if flags & DOWN:
        image = image.transpose(Image.Transpose.FLIP_TOP_BOTTOM)
    return image


def _turn(flags: int) -> Matrix:
    """How the flags of a hexagonal tile turn it: by 60 and by 120 degrees."""
    angle = radians(60 * bool(flags & DIAGONAL) + 120 * bool(flags & TURN_120))
    return np.array([[cos(angle), -sin(angle)], [sin(angle), cos(angle)]])


def _sized(image: Image.Image, width: int, height: int) -> Image.Image:
    size = (max(width, 1), max(height, 1))
    return image if image.size == size else image.resize(size, Image.Resampling.NEAREST)


def _faded(image: Image.Image, layer: Layer, opacity: float = 1) -> Image.Image:
    """An image under the tint and the opacity of its layer, and an opacity of its own."""
    tint, opacity = layer.tint, layer.opacity * opacity
    if tint is None and opacity == 1:
        return image
    red, green, blue, alpha = tint or (255, 255, 255, 255)
    factors = np.array([red, green, blue, alpha * opacity]) / 255
    return Image.fromarray((np.asarray(image) * factors + 0.5).astype(np.uint8))


def _draw_image(canvas: _Canvas, layer: ImageLayer) -> None:
    if layer.picture is None:
        return
    pixels = canvas.tiles.pixels(layer.picture)
    if pixels is None:
        return
    canvas.stretch(_faded(pixels, layer), np.array(layer.bounds, float), repeat=layer.repeat)


def _draw_objects(canvas: _Canvas, layer: ObjectLayer, view: Bounds) -> None:
    for number in layer.query(view).tolist():
        item = layer.objects[number]
        if not item.visible:
            continue
        if item.shape == "tile":
            _draw_tile_object(canvas, layer, item)
        else:
            _draw_shape(canvas, layer, item)


def _draw_tile_object(canvas: _Canvas, layer: ObjectLayer, item: MapObject) -> None:
    turns = TURNS if canvas.world.orientation == "hexagonal" else 0
    image = canvas.tiles.tile(item.gid, canvas.time)
    image = _flipped(image, item.flags) if turns else _upright(image, item.flags)
    image = _faded(image, layer, item.opacity)
    if item.rotation % 360 == 0 and not item.flags & turns:
        canvas.stretch(image, np.array(item.bounds, float), item.flags)
        return
    corners = canvas.points(item.points)
    matrix = np.stack((corners[1] - corners[0], corners[3] - corners[0]), axis=1) / image.size
    canvas.lay(image, matrix @ _turn(item.flags & turns), corners.mean(axis=0))


def _draw_shape(canvas: _Canvas, layer: ObjectLayer, item: MapObject) -> None:
    """An outline with a light filling in the colour of its layer; words in their own."""
    points = canvas.points(item.points)
    size = np.array(canvas.picture.size)
    low = np.clip(np.floor(points.min(axis=0)) - _DOT, 0, size).astype(int)
    high = np.clip(np.ceil(points.max(axis=0)) + _DOT + 1, 0, size).astype(int)
    if (high <= low).any():
        return
    shade = Image.new("RGBA", (int(high[0] - low[0]), int(high[1] - low[1])))
    pen = ImageDraw.Draw(shade)
    outline = [(float(x), float(y)) for x, y in points - low]
    color = layer.color or _GREY
    if item.text is not None:
        _write(pen, item, outline[0], canvas.scale)
    elif len(outline) == 1:
        x, y = outline[0]
        pen.ellipse((x - _DOT, y - _DOT, x + _DOT, y + _DOT), fill=color)
    elif item.shape == "polyline":
        pen.line(outline, fill=color)
    else:
        pen.polygon(outline, fill=(*color[:3], 50), outline=color)
    canvas.place(_faded(shade, layer, item.opacity), *low.tolist())


def _write(
    pen: ImageDraw.ImageDraw, item: MapObject, corner: tuple[float, float], scale: float
) -> None:
    """Write the words of a text object, in the font that Pillow brings along."""
    text = item.text
    assert text is not None
    font = ImageFont.load_default(min(max(text.pixel_size * scale * 0.75, 1), _LARGEST_FONT))
    words = text.words
    if text.wrap:
        words = "\n".join(_wrapped(line, item.width * scale, font) for line in words.split("\n"))
    right, bottom = pen.multiline_textbbox((0, 0), words, font=font)[2:]
    spare_x, spare_y = item.width * scale - right, item.height * scale - bottom
    shares = {"center": 0.5, "right": 1.0, "bottom": 1.0}
    place = (
        corner[0] + spare_x * shares.get(text.horizontal, 0.0),
        corner[1] + spare_y * shares.get(text.vertical, 0.0),
    )
    align = text.horizontal if text.horizontal in ("center", "right") else "left"
    pen.multiline_text(place, words, fill=text.color, font=font, align=align)


def _wrapped(line: str, width: float, font: ImageFont.FreeTypeFont | ImageFont.ImageFont) -> str:
    """A line broken between words so that it is no wider than a text object."""
    lines = [""]
    for word in line.split(" "):
        longer = f"{lines[-1]} {word}".strip()
        if lines[-1] and font.getlength(longer) > width:
            lines.append(word)
        else:
            lines[-1] = longer
    return "\n".join(lines)


def _marker(size: tuple[int, int]) -> Image.Image:
    """What stands for an image that is missing: a dark box with a red cross, as in Tiled."""
    width, height = (min(max(side, 1), _MARKER) for side in size)
    alpha = np.zeros((height, width))
    alpha[1:, 1:] = 128 / 255
    red = np.zeros((height, width))
    right, bottom = width - 1, height - 1
    for x0, y0, x1, y1 in (
        (0, 0, right, 0),
        (right, 0, right, bottom),
        (0, bottom, right, bottom),
        (0, 0, 0, bottom),
        (0, 0, right, bottom),
        (right, 0, 0, bottom),
    ):
        line = _thin_line(width, height, x0, y0, x1, y1)
        red = line + red * (1 - line)
        alpha = line + alpha * (1 - line)
    pixels = np.zeros((height, width, 4))
    pixels[:, :, 0] = red / np.maximum(alpha, 1e-9)
    pixels[:, :, 3] = alpha
    return Image.fromarray((pixels * 255 + 0.5).astype(np.uint8))


def _thin_line(width: int, height: int, x0: int, y0: int, x1: int, y1: int) -> Matrix:
    """How much of each pixel a smoothed line of one pixel covers; half of its two end pixels.

    Every step along the longer axis is shared between two pixels of the other axis (Xiaolin Wu,
    "An efficient antialiasing technique", 1991), which is how Tiled's toolkit draws thin lines.
    """
    cover = np.zeros((height + 1, width + 1))
    steps = max(abs(x1 - x0), abs(y1 - y0), 1)
    x = x0 + np.arange(steps + 1) * ((x1 - x0) / steps)
    y = y0 + np.arange(steps + 1) * ((y1 - y0) / steps)
    left, top = np.floor(x + 1e-9).astype(int), np.floor(y + 1e-9).astype(int)
    beyond = np.clip((x - left) + (y - top), 0, 1)  # one of the two is whole
    ends = np.ones(steps + 1)
    ends[0] = ends[-1] = 0.5
    cover[top, left] = (1 - beyond) * ends
    down = int(abs(x1 - x0) >= abs(y1 - y0))
    cover[top + down, left + 1 - down] += beyond * ends
    return cover[:height, :width]
