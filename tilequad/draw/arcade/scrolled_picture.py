"""What layers draw while they only scroll: the frame before, moved, and the strips that are new.

To look up the cell of each pixel takes two to three times as long as to copy the pixel, and that
for each layer. So the second frame that shows the same, farther on or not at all, is drawn into a
texture, all layers on one another. The next frames copy it. What comes into view overwrites what
leaves it: the texture holds the pixel (x, y) of the screen at (x, y) minus the way scrolled, modulo
its size. It is a little larger than the screen, and each strip that is drawn a little wider than
it must be: so most frames that scroll draw none.

A copy moves by whole pixels. Where a caller allows it, it lies at the nearest one while the camera
moves, at most half a pixel off along x and y, and is drawn anew once the camera rests.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from arcade import ArcadeContext
from arcade.gl import Framebuffer, enums

from tilequad.draw.arcade.screen import pixel_viewport
from tilequad.draw.arcade.shaders import (
    PLACED_VERTEX,
    blending,
    draw_quad,
    program_of,
    target_of,
)

__all__ = ["WHOLE", "Clip", "Place", "ScrolledPicture"]

FRAGMENT = """#version 330
uniform sampler2D picture;  // colors times alpha; it repeats
uniform vec2 start;         // where the corner of the viewport is in it
uniform vec2 part;          // how much of it the viewport shows
in vec2 v_uv;
out vec4 f_color;

void main() {
    f_color = texture(picture, v_uv * part + start);
}
"""
PREMULTIPLIED = enums.ONE, enums.ONE_MINUS_SRC_ALPHA
NEAR = 1 / 256  # how far from a whole pixel a camera may be: it is rounded in many ways

MARGIN = 32  # pixels beyond the screen that are drawn ahead
RESTED = 10  # equal frames; a game may move its camera in one frame of two or three only

Place = tuple[float, float]
Rect = tuple[int, int, int, int]  # left, bottom, right, top
Clip = tuple[float, float, float, float]  # left, bottom, right, top, from -1 to 1
Render = Callable[[Clip, Place], bool]
WHOLE: Clip = (-1.0, -1.0, 1.0, 1.0)


class ScrolledPicture:
    """The picture of some layers, before it is blended with what is below."""

    def __init__(self, context: ArcadeContext) -> None:
        self._context = context
        self._look: object = None  # what is remembered
        self._content: object = None
        self._place: Place = (0.0, 0.0)  # where it was
        self._scrolled = 0, 0  # pixels, since then
        self._held: Rect = (0, 0, 0, 0)  # what the picture holds, of the screen as it was then
        self._last: Place = (0.0, 0.0)  # where it was to be in the last frame
        self._rested = 0  # frames, since it moved
        self._ready = False
        self._picture: Framebuffer | None = None

    @property
    def nbytes(self) -> int:
        """The memory of the picture on the GPU, in bytes."""
        return self._picture.width * self._picture.height * 4 if self._picture else 0

    def remember(self, look: object, content: object, place: Place) -> None:
        """Note what a frame has shown without this picture, to copy the next one if it is equal."""
        if look != self._look:  # zooming, perhaps, for many frames
            self._picture = None
        self._look, self._content, self._place = look, content, place
        self._scrolled, self._ready = (0, 0), False

    def draw(
        self, look: object, content: object, place: Place, render: Render, nearest: bool
    ) -> bool:
        """Draw the picture, if what is remembered is the same but for a scroll.

        Args:
            look: How the layers are shown, apart from their place.
            content: What they show.
            place: Where a point of the world is on the screen, in pixels.
            render: Draws a part of it over the viewport, in clip coordinates, so many pixels to the
                right and up; what it draws of the rest is cut away. Returns False if it has not
                drawn everything.
            nearest: Whether a picture that moves may lie at the nearest whole pixel.

        Returns:
            False, and nothing is drawn, if another frame was remembered last.
        """
        if look != self._look or content != self._content:
            return False
        _, _, *size = pixel_viewport(self._context)
        moved = [now - before for now, before in zip(place, self._place, strict=True)]
        scrolled = round(moved[0]), round(moved[1])
        steps = [now - before for now, before in zip(scrolled, self._scrolled, strict=True)]
        if any(2 * abs(step) > length for step, length in zip(steps, size, strict=True)):
            return False
        self._rested = self._rested + 1 if are_near(place, self._last) else 0
        self._last = place
        if not are_near(moved, scrolled):
            if not nearest:
                return False
            self._ready &= self._rested < RESTED
        if not self._ready:
            self._place, self._scrolled, off = place, (0, 0), (0.0, 0.0)
            self._held = (0, 0, 0, 0)
        else:
            self._scrolled = scrolled
            off = scrolled[0] - moved[0], scrolled[1] - moved[1]
        if not self._update(off, render):
            self._look = None
            return False
        self._ready = True
        self._copy()
        return True

    def _update(self, off: Place, render: Render) -> bool:
        """Draw what the picture lacks of the screen, and a margin of it where that has moved."""
        context = self._context
        _, _, width, height = pixel_viewport(context)
        x, y = self._scrolled
        screen = -x, -y, width - x, height - y
        held = holding(self._held, screen)
        if held == self._held:
            return True
        size = width + MARGIN, height + MARGIN
        if self._picture is None or self._picture.size != size:
            self._picture = target_of(context, size)  # its texture repeats
        before, target = context.active_framebuffer, self._picture
        target.use()
        complete = True
        for left, bottom, right, top in beside(self._held, held):
            for at_x, from_x, wide in pieces(left, right, size[0], width):
                for at_y, from_y, high in pieces(bottom, top, size[1], height):
                    # moved so that the piece is on the screen
                    new_x = min(max(from_x + x, 0), width - wide)
                    new_y = min(max(from_y + y, 0), height - high)
                    low = 2 * new_x / width - 1, 2 * new_y / height - 1
                    clip = *low, low[0] + 2 * wide / width, low[1] + 2 * high / height
                    area = at_x, at_y, wide, high
                    target.viewport = at_x - new_x, at_y - new_y, width, height
                    target.clear(viewport=area)
                    target.scissor = area
                    shift = off[0] + new_x - from_x - x, off[1] + new_y - from_y - y
                    complete &= render(clip, shift)
                    target.use(force=True)  # what is rendered may have used another one
        target.scissor = None
        before.use(force=True)
        self._held = held
        return complete

    def _copy(self) -> None:
        assert self._picture is not None
        program = program_of(self._context, PLACED_VERTEX, FRAGMENT)
        program["corner"] = -1.0, -1.0, 0.0, 0.0
        program["sides"] = 2.0, 0.0, 0.0, 2.0
        width, height = self._picture.size
        x, y = self._scrolled
        program["start"] = -x % width / width, -y % height / height
        program["part"] = 1 - MARGIN / width, 1 - MARGIN / height
        self._picture.color_attachments[0].use(0)
        with blending(self._context, PREMULTIPLIED):
            draw_quad(self._context, program)


def are_near(one: Sequence[float], other: Sequence[float]) -> bool:
    """Return whether two places are the same, but for rounding."""
    return all(abs(a - b) <= NEAR for a, b in zip(one, other, strict=True))


def holding(held: Rect, screen: Rect) -> Rect:
    """Return what a picture shall hold to hold the screen: no more than it has room for."""
    if held[0] == held[2]:
        return screen
    found = list(held)
    for low, high in ((0, 2), (1, 3)):
        most = screen[high] - screen[low] + MARGIN
        if screen[low] < held[low]:
            found[low] = screen[low] - MARGIN
            found[high] = min(held[high], found[low] + most)
        elif screen[high] > held[high]:
            found[high] = screen[high] + MARGIN
            found[low] = max(held[low], found[high] - most)
    left, bottom, right, top = found
    return left, bottom, right, top


def beside(old: Rect, new: Rect) -> list[Rect]:
    """Return the parts of a rectangle that are not in another one, which may be empty."""
    left, right = max(old[0], new[0]), min(old[2], new[2])
    if left >= right:
        return [new]
    parts = [
        (new[0], new[1], left, new[3]),
        (right, new[1], new[2], new[3]),
        (left, new[1], right, old[1]),
        (left, old[3], right, new[3]),
    ]
    return [part for part in parts if part[0] < part[2] and part[1] < part[3]]


def pieces(start: int, end: int, size: int, most: int) -> list[tuple[int, int, int]]:
    """Cut a range of pixels where it leaves a picture of a size that repeats, and at a length.

    Return for each piece where it is in the picture, where it is in the range, and its length.
    """
    found = []
    while start < end:
        at = start % size
        length = min(end - start, size - at, most)
        found.append((at, start, length))
        start += length
    return found
