"""The blend modes of Tiled that a GPU has."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from arcade import ArcadeContext
from arcade.gl import enums
from arcade.gl.types import BlendFunction

__all__ = ["NORMAL", "blending", "form_and_function"]

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
    with context.enabled(context.BLEND):
        yield
    context.blend_func = before
