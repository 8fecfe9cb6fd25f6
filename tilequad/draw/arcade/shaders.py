"""What several renderers share: GLSL, programs, blend functions, buffers; in OpenGL 3.3."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import cached_property
from math import prod
from typing import Any

import arcade
import numpy as np
from arcade import ArcadeContext
from arcade.gl import Buffer, BufferDescription, Framebuffer, Program, Texture2D, enums
from arcade.gl.types import BlendFunction
from pyglet import gl

__all__ = [
    "NORMAL",
    "PLACED_VERTEX",
    "TIE",
    "VERTEX_HEADER",
    "InWindow",
    "Records",
    "blending",
    "draw_quad",
    "form_and_function",
    "program_of",
    "target_of",
    "texture_of",
    "upload",
]

# As in Pillow and Tiled, an edge on the center of a pixel goes right and down, and a sample between
# two texels takes the first one of the picture. OpenGL defines neither case. So edges and samples
# are moved by this much, in pixels and texels: enough to absorb a GPU's rounding, too small to see.
TIE = 1 / 64

# The camera in use fills arcade's WindowBlock.
VERTEX_HEADER = """#version 330
uniform WindowBlock {
    mat4 projection;
    mat4 view;
} window;

vec4 to_screen(vec2 point) {
    return window.projection * window.view * vec4(point, 0.0, 1.0);
}
"""

# A picture anywhere on the target, in clip coordinates.
PLACED_VERTEX = """#version 330
uniform vec4 corner;  // where its first texel is
uniform vec4 sides;   // the way along its rows, and along its columns
out vec2 v_uv;

void main() {
    v_uv = vec2(gl_VertexID & 1, gl_VertexID >> 1);
    gl_Position = vec4(corner.xy + v_uv.x * sides.xy + v_uv.y * sides.zw, 0.0, 1.0);
}
"""


VERSION = "#version 330\n"
NOWHERE: Mapping[str, int] = {}

_ALPHA = enums.ONE, enums.ONE_MINUS_SRC_ALPHA
# Alpha adds up. So on a clear target, colors end up multiplied by it.
NORMAL = (enums.SRC_ALPHA, enums.ONE_MINUS_SRC_ALPHA, *_ALPHA)

# For each mode, the source form and the blend function. All other modes need more than these two:
# see blended_layer.py.
_MODES: dict[str, tuple[int, BlendFunction]] = {
    "normal": (0, NORMAL),
    "add": (0, (enums.SRC_ALPHA, enums.ONE, *_ALPHA)),
    "screen": (1, (enums.ONE_MINUS_DST_COLOR, enums.ONE, *_ALPHA)),
    "multiply": (2, (enums.DST_COLOR, enums.ZERO, *_ALPHA)),
}


class InWindow:
    """What is made in one window, arcade's own then, and draws while that is in use."""

    @cached_property
    def _made_in(self) -> ArcadeContext:
        return arcade.get_window().ctx

    @property
    def _context(self) -> ArcadeContext:
        """The context of its window; a RuntimeError if another one is in use, or none."""
        context, in_use = self._made_in, gl.current_context
        if in_use is None or in_use is not context.window.context:
            kind = type(self).__name__
            raise RuntimeError(f"the {kind} was made in another window than the one in use")
        return context


def program_of(
    context: ArcadeContext,
    vertex: str,
    fragment: str,
    defined: tuple[str, ...] = (),
    places: Mapping[str, int] = NOWHERE,
) -> Program:
    """Return a program, compiled when it is first asked for and shared by all who ask.

    A driver takes milliseconds to compile one, in software a tenth of a second. What others have
    set is still set in it, so set every uniform before each draw, but for `places`: the texture
    units of samplers and the bindings of blocks, as far as it has them, which are the same for all
    who ask. The names are defined in the fragment shader.
    """
    # On the context, for a program keeps its context alive: a table of ours would do so for good.
    programs: dict[tuple[object, ...], Program] = vars(context).setdefault("_tilequad_programs", {})
    key = vertex, fragment, defined
    if key not in programs:
        lines = "".join(f"#define {name}\n" for name in defined)
        fragment = fragment.replace(VERSION, VERSION + lines)
        program = context.program(vertex_shader=vertex, fragment_shader=fragment)
        for name, place in places.items():
            program.set_uniform_safe(name, place)
        programs[key] = program
    return programs[key]


def draw_quad(context: ArcadeContext, program: Program) -> None:
    """Draw a quad, whose corners the vertex shader knows by their numbers, 0 to 3."""
    shared = vars(context)
    if "_tilequad_quad" not in shared:
        shared["_tilequad_quad"] = context.geometry(mode=context.TRIANGLE_STRIP)
    shared["_tilequad_quad"].render(program, vertices=4)


def texture_of(
    context: ArcadeContext,
    size: tuple[int, int],
    *,
    smooth: bool = False,
    clamped: bool = False,
    **given: Any,
) -> Texture2D:
    """Return a texture: whether it mixes neighboring texels, and whether it does not repeat."""
    filter_ = context.LINEAR if smooth else context.NEAREST
    wrap = context.CLAMP_TO_EDGE if clamped else context.REPEAT
    return context.texture(size, filter=(filter_, filter_), wrap_x=wrap, wrap_y=wrap, **given)


def target_of(context: ArcadeContext, size: tuple[int, int], **given: Any) -> Framebuffer:
    """Return what draws into a texture, see `texture_of`, which is its only attachment."""
    return context.framebuffer(color_attachments=[texture_of(context, size, **given)])


class Records:
    """Records in a buffer, each drawn as an instance of four vertices, all in one call."""

    def __init__(self, context: ArcadeContext, record: np.dtype, mode: int | None = None) -> None:
        self._context = context
        self._count = 0
        self._buffer = context.buffer(reserve=record.itemsize, usage="stream")
        self._geometry = context.geometry(
            [instances(self._buffer, record)],
            mode=context.TRIANGLE_STRIP if mode is None else mode,
        )

    @property
    def nbytes(self) -> int:
        """The memory on the GPU, in bytes."""
        return int(self._buffer.size)

    def write(self, records: np.ndarray) -> None:
        """Replace the records."""
        upload(self._buffer, records)
        self._count = len(records)

    def render(self, program: Program) -> None:
        """Draw the records."""
        self._geometry.render(program, vertices=4, instances=self._count)

    def draw(self, program: Program, records: np.ndarray) -> None:
        """Replace the records, and draw them, blended with what is below."""
        self.write(records)
        with blending(self._context):
            self.render(program)


def instances(buffer: Buffer, record: np.dtype) -> BufferDescription:
    """Describe a buffer of records to arcade: each field is an input, each record an instance."""
    kinds = {"f4": "f", "i4": "i", "u1": "f1"}  # bytes reach the shader as 0.0 to 1.0
    names = record.names or ()
    fields = [record[name] for name in names]
    formats = [f"{prod(field.shape)}{kinds[field.base.str[1:]]}" for field in fields]
    return BufferDescription(
        buffer, " ".join(formats), [f"in_{name}" for name in names], instanced=True
    )


def upload(buffer: Buffer, records: np.ndarray) -> None:
    """Replace the content of a buffer, in a new block: the GPU may still read the old one."""
    buffer.orphan(size=records.nbytes)
    buffer.write(records.view(np.uint8).data)


def form_and_function(mode: str) -> tuple[int, BlendFunction]:
    """Return the source form and the blend function of a mode; other modes blend as "normal".

    The forms: 0 the color as it is, 1 the color times its alpha, 2 a color that fades to white.
    """
    return _MODES.get(mode, _MODES["normal"])


@contextmanager
def blending(context: ArcadeContext, function: BlendFunction = NORMAL) -> Iterator[None]:
    """Enable blending, and restore the state afterwards."""
    before = context.blend_func
    context.blend_func = function
    try:
        with context.enabled(context.BLEND):
            yield
    finally:
        context.blend_func = before
