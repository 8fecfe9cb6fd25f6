"""Tiled's blend modes.

All but "normal" and "add" are the separable modes of the W3C recommendation "Compositing and
Blending Level 1", which is also what Tiled's toolkit implements.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from tilequad.draw.tile_pictures import fade

__all__ = ["MODES", "blend"]

Colors = NDArray[np.float64]  # 0 to 1


def blend(below: Image.Image, above: Image.Image, mode: str, opacity: float = 1) -> Image.Image:
    """Blend two RGBA images of the same size.

    A mode that is no key of MODES blends as "normal", as in Tiled. The opacity is how much of the
    blended image shows. For "add" that is not the same as a fainter upper image: the sum is clipped
    before it fades.
    """
    if mode not in MODES:
        return Image.alpha_composite(below, fade(above, opacity))
    backdrop, source = (np.asarray(image) / 255 for image in (below, above))
    back_color, back_alpha = backdrop[:, :, :3], backdrop[:, :, 3:]
    color, alpha = source[:, :, :3], source[:, :, 3:]
    if mode == "add":
        total = np.minimum(back_alpha + alpha, 1)
        premultiplied = np.minimum(back_color * back_alpha + color * alpha, 1)
    else:
        total = back_alpha + alpha - back_alpha * alpha
        premultiplied = (
            color * alpha * (1 - back_alpha)
            + back_color * back_alpha * (1 - alpha)
            + MODES[mode](back_color, color) * (alpha * back_alpha)
        )
    if opacity < 1:
        total = back_alpha + (total - back_alpha) * opacity
        before = back_color * back_alpha
        premultiplied = before + (premultiplied - before) * opacity
    straight = np.minimum(premultiplied / np.maximum(total, 1e-9), 1)
    pixels = np.concatenate((straight, total), axis=2)
    return Image.fromarray((pixels * 255 + 0.5).astype(np.uint8))


def _hard_light(back: Colors, color: Colors) -> Colors:
    return np.where(color <= 0.5, back * 2 * color, _screen(back, 2 * color - 1))


def _screen(back: Colors, color: Colors) -> Colors:
    return back + color - back * color


def _color_dodge(back: Colors, color: Colors) -> Colors:
    lifted = np.minimum(1, back / np.maximum(1 - color, 1e-9))
    return np.where(back == 0, 0, np.where(color >= 1, 1, lifted))


def _color_burn(back: Colors, color: Colors) -> Colors:
    lowered = 1 - np.minimum(1, (1 - back) / np.maximum(color, 1e-9))
    return np.where(back >= 1, 1, np.where(color <= 0, 0, lowered))


def _soft_light(back: Colors, color: Colors) -> Colors:
    curve = np.where(back <= 0.25, ((16 * back - 12) * back + 4) * back, np.sqrt(back))
    darker = back - (1 - 2 * color) * back * (1 - back)
    return np.where(color <= 0.5, darker, back + (2 * color - 1) * (curve - back))


MODES: dict[str, Callable[[Colors, Colors], Colors]] = {
    "add": np.add,  # not called: `blend` adds up the alpha, too
    "multiply": lambda back, color: back * color,
    "screen": _screen,
    "overlay": lambda back, color: _hard_light(color, back),
    "darken": np.minimum,
    "lighten": np.maximum,
    "color-dodge": _color_dodge,
    "color-burn": _color_burn,
    "hard-light": _hard_light,
    "soft-light": _soft_light,
    "difference": lambda back, color: np.abs(back - color),
    "exclusion": lambda back, color: back + color - 2 * back * color,
}
