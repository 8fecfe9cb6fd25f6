"""Draw the scene with Pillow, for machines without a screen or OpenGL."""

from __future__ import annotations

from PIL import Image, ImageChops, ImageDraw, ImageFont

from tilequad import Bounds
from tilequad.draw.pillow import render
from tilequad.draw.tile_pictures import TilePictures

from .hud import Hud
from .minimap import EDGE, FRAME, MARGIN, VIEW
from .scene import Scene
from .sprites import Sprites

PANEL = (28, 26, 34, 190)
TEXT = (250, 244, 226, 255)


def paint(
    scene: Scene, hud: Hud, center: tuple[float, float], size: tuple[int, int]
) -> Image.Image:
    """Draw the game around a point at zoom 1.

    Args:
        scene: The scene to draw.
        hud: The lines at the top of the picture.
        center: The center of the picture, in world units.
        size: Width and height of the picture in pixels.
    """
    view = view_around(center, size)
    visible = scene.find_visible(view)
    canvas = render(scene.tile_map, view, layers=[layer for layer, _ in visible.floor])
    tiles = TilePictures.of(scene.tile_map)
    _draw_sprites(canvas, tiles, view, visible.standing)
    _draw_sprites(canvas, tiles, view, visible.overhead)
    _draw_minimap(canvas, scene, view)
    _draw_text(canvas, hud)
    return canvas.convert("RGB")


def view_around(center: tuple[float, float], size: tuple[int, int]) -> Bounds:
    """Return the box that a picture shows around a point at zoom 1."""
    (x, y), (width, height) = center, size
    return Bounds(x - width / 2, y - height / 2, x + width / 2, y + height / 2)


def _draw_sprites(canvas: Image.Image, tiles: TilePictures, view: Bounds, sprites: Sprites) -> None:
    """Draw sprites, the first one lowest."""
    rows = zip(
        sprites.centers.tolist(),
        sprites.gids.tolist(),
        sprites.sizes.tolist(),
        sprites.angles.tolist(),
        sprites.colors.tolist(),
        strict=True,
    )
    for (x, y), gid, (width, height), angle, color in rows:
        picture = tiles.tile(gid)
        if width < 0:
            picture = picture.transpose(Image.Transpose.FLIP_LEFT_RIGHT)
        size = max(1, round(abs(width))), max(1, round(abs(height)))
        if picture.size != size:
            picture = picture.resize(size, Image.Resampling.NEAREST)
        if color != [255, 255, 255, 255]:
            picture = ImageChops.multiply(picture, Image.new("RGBA", picture.size, tuple(color)))
        if angle:
            picture = picture.rotate(-angle, Image.Resampling.BICUBIC, expand=True)
        left = round(x - view.min_x - picture.width / 2)
        top = round(view.max_y - y - picture.height / 2)
        _paste(canvas, picture, left, top)


def _paste(canvas: Image.Image, picture: Image.Image, left: int, top: int) -> None:
    """Blend a picture onto the canvas, clipped at its edges."""
    cut_left, cut_top = max(0, -left), max(0, -top)
    right = min(picture.width, canvas.width - left)
    bottom = min(picture.height, canvas.height - top)
    if cut_left < right and cut_top < bottom:
        spot = (left + cut_left, top + cut_top)
        canvas.alpha_composite(picture, spot, (cut_left, cut_top, right, bottom))


def _draw_minimap(canvas: Image.Image, scene: Scene, view: Bounds) -> None:
    """Draw the minimap at the lower right."""
    small = scene.minimap.image.copy()
    pen = ImageDraw.Draw(small)
    dots, sizes, colors = scene.minimap.dots(scene.game)
    rows = zip(dots.tolist(), sizes.tolist(), colors.tolist(), strict=True)
    for (x, y), (width, height), color in rows:
        left, top = x - width / 2, small.height - y - height / 2
        pen.rectangle((left, top, left + width - 1, top + height - 1), tuple(color))
    left, bottom, right, top = scene.minimap.frame(view)
    pen.rectangle((left, small.height - top, right, small.height - bottom), outline=VIEW)
    x, y = canvas.width - small.width - MARGIN, canvas.height - small.height - MARGIN
    edge = (x - 3, y - 3, x + small.width + 2, y + small.height + 2)
    ImageDraw.Draw(canvas).rectangle(edge, fill=FRAME)
    canvas.paste(small, (x, y))
    ImageDraw.Draw(canvas).rectangle(edge, outline=EDGE, width=2)


def _draw_text(canvas: Image.Image, hud: Hud) -> None:
    """Draw the two lines at the top."""
    font = ImageFont.load_default(15)
    shade = Image.new("RGBA", (canvas.width, 52), PANEL)
    canvas.alpha_composite(shade)
    pen = ImageDraw.Draw(canvas)
    pen.text((14, 6), hud.timings(), TEXT, font)
    pen.text((14, 28), hud.score(), (214, 226, 190, 255), font)
