"""What a layer draws while neither the camera nor the layer changes: a copy of the frame before.

To look up the cell of each pixel takes two to three times as long as to copy the pixel. So the
second frame that would be equal is drawn into a texture, and the next ones copy it.
"""

from __future__ import annotations

from collections.abc import Callable

from arcade import ArcadeContext
from arcade.gl import Framebuffer, Program, Texture2D, enums

from tilequad.draw.arcade.blending import blending
from tilequad.draw.arcade.screen import pixel_viewport
from tilequad.draw.arcade.shaders import SCREEN_VERTEX

__all__ = ["StillPicture"]

FRAGMENT = """#version 330
uniform sampler2D picture;
uniform ivec2 corner;  // of the viewport
out vec4 f_color;

void main() {
    f_color = texelFetch(picture, ivec2(gl_FragCoord.xy) - corner, 0);
}
"""
REPLACED = enums.ONE, enums.ZERO


class StillPicture:
    """The colors of a layer, before they are blended with what is below.

    Args:
        context: The arcade context to draw in.

    Attributes:
        drawn: The number of tiles in the picture.
    """

    def __init__(self, context: ArcadeContext) -> None:
        self._context = context
        self._state: object = None
        self._ready = False
        self.drawn = 0
        self._picture: tuple[Texture2D, Framebuffer] | None = None
        self._program: Program | None = None
        self._quad = context.geometry(mode=context.TRIANGLE_STRIP)

    @property
    def nbytes(self) -> int:
        """The memory of the picture on the GPU, in bytes."""
        return self._picture[0].width * self._picture[0].height * 4 if self._picture else 0

    def remember(self, state: object, drawn: int) -> None:
        """Note what a frame has shown without this picture, to copy the next one if it is equal.

        Args:
            state: All that it depends on.
            drawn: The number of tiles.
        """
        self._state, self._ready, self.drawn = state, False, drawn

    def draw(self, state: object, render: Callable[[], object]) -> bool:
        """Draw the picture, if it is the remembered one.

        Args:
            state: What it must show.
            render: Draws it over the viewport, each pixel at most once.

        Returns:
            False, and nothing is drawn, if another state was remembered last.
        """
        if state != self._state:
            return False
        if not self._ready:
            self._render(render)
            self._ready = True
        assert self._picture is not None
        assert self._program is not None
        left, bottom, _, _ = pixel_viewport(self._context)
        self._program["corner"] = left, bottom
        self._picture[0].use(0)
        self._quad.render(self._program, vertices=4)
        return True

    def drop(self) -> None:
        """Free the picture."""
        self._state, self._ready, self._picture = None, False, None

    def _render(self, render: Callable[[], object]) -> None:
        context = self._context
        _, _, width, height = pixel_viewport(context)
        size = width, height
        if self._program is None:
            self._program = context.program(vertex_shader=SCREEN_VERTEX, fragment_shader=FRAGMENT)
        if self._picture is None or self._picture[0].size != size:
            texture = context.texture(size, filter=(context.NEAREST, context.NEAREST))
            self._picture = texture, context.framebuffer(color_attachments=[texture])
        before = context.active_framebuffer
        self._picture[1].use()
        self._picture[1].clear()
        with blending(context, REPLACED):
            render()
        before.use(force=True)
