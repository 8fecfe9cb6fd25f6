"""Trees, taller than their cells, and their stumps.

Tall trees are 64 x 96 pixels, small ones 32 x 64. The trunk is at the center of the lower edge.
"""

from __future__ import annotations

from collections.abc import Callable
from math import cos, pi, sin

import numpy as np
from PIL import Image

from .paint import Array, Canvas, Color, common, darker, lighter, mix, noise
from .terrain import leaf_mass

TALL = (64, 96)
SMALL = (32, 64)
COLUMNS = 8

OAK: Color = (86, 146, 62)
LIME: Color = (124, 168, 66)
AUTUMN: Color = (222, 142, 62)
CHERRY: Color = (238, 160, 190)
BIRCH: Color = (158, 190, 82)
PINE: Color = (58, 118, 84)
FIR: Color = (70, 132, 100)
BARK: Color = (128, 88, 62)


def oak(color: Color, seed: int) -> Image.Image:
    """Draw a broad crown on a thick trunk."""
    rng = np.random.default_rng(seed)
    canvas = Canvas(*TALL)
    canvas.shadow(35, 88, 26, 7)
    _trunk(canvas, 32, 62, 91, 5.5, BARK)
    middle_x, middle_y = 32, 38
    ring = [
        (
            middle_x + 17 * cos(angle) + rng.uniform(-2, 2),
            middle_y + 20 * sin(angle) + rng.uniform(-2, 2),
            rng.uniform(10, 12.5),
        )
        for angle in (-pi / 2 + step * 2 * pi / 7 + rng.uniform(-0.2, 0.2) for step in range(7))
    ]
    balls = [*sorted(ring, key=lambda ball: ball[1]), (31.0, 34.0, 15.0), (25.0, 26.0, 10.0)]
    leaf_mass(canvas, rng, [_within(ball, TALL) for ball in balls], color)
    return canvas.image()


def apple() -> Image.Image:
    """Draw a small oak with fruit."""
    rng = np.random.default_rng(8130)
    canvas = Canvas(*TALL)
    canvas.shadow(35, 88, 22, 6)
    _trunk(canvas, 32, 66, 91, 4.5, BARK)
    balls = [(22, 50, 11), (43, 50, 11), (32, 36, 12), (24, 42, 9), (40, 41, 10), (32, 52, 13)]
    leaf_mass(canvas, rng, [(x, y + 4.0, float(r)) for x, y, r in balls], OAK)
    for _ in range(9):
        angle, reach = rng.uniform(0, 2 * pi), rng.uniform(3, 15)
        x, y = 32 + reach * cos(angle), 52 + reach * sin(angle)
        canvas.fill(canvas.circle(x, y + 0.3, 2.5), (96, 40, 44))
        canvas.fill(canvas.circle(x, y, 2), (216, 68, 62))
        canvas.fill(canvas.circle(x - 0.6, y - 0.6, 0.7), (252, 190, 160))
    return canvas.image()


def conifer(size: tuple[int, int], color: Color, tiers: int, seed: int) -> Image.Image:
    """Draw a conifer: tiers of drooping branches, each shaded by the one above."""
    rng = np.random.default_rng(seed)
    width, height = size
    canvas = Canvas(width, height)
    middle = width / 2
    canvas.shadow(middle + 2, height - 7, width * 0.38, 5)
    _trunk(canvas, middle, height - 24, height - 4, width * 0.055 + 1, darker(BARK, 0.1))
    top, low = 4.0, height - 14.0
    for tier in reversed(range(tiers)):
        share = (tier + 1) / tiers
        peak = top + (low - top) * (tier / tiers) * 0.86
        foot = top + (low - top) * share
        half = (width / 2 - 4) * (0.34 + 0.66 * share)
        shape = _tier(canvas, rng, middle, peak, foot, half)
        canvas.fill(shape - 1, mix((26, 44, 46), color, 0.15))
        canvas.fill(shape, darker(color, 0.16))
        grain = (noise(rng, canvas.x, canvas.y * 0.5, 2.2) - 0.5) * 5
        side = (canvas.x - middle) + (canvas.y - foot) * 0.25 + grain
        canvas.fill(common(shape, side + half * 0.05), color, soft=0.6)
        canvas.fill(common(shape + 0.8, side + half * 0.45), lighter(color, 0.18), soft=0.6)
        canvas.fill(common(shape, -side + half * 0.55), darker(color, 0.30), soft=0.6)
        under = common(shape, foot - 2.5 - canvas.y + grain * 0.4)
        canvas.fill(under, darker(color, 0.34), 0.8, soft=0.8)
    return canvas.image()


def birch(size: tuple[int, int], color: Color, seed: int) -> Image.Image:
    """Draw a birch: a white trunk and light leaves."""
    rng = np.random.default_rng(seed)
    width, height = size
    canvas = Canvas(width, height)
    middle = width / 2
    canvas.shadow(middle + 2, height - 7, width * 0.34, 4.5)
    white = (234, 228, 214)
    _trunk(canvas, middle, height * 0.42, height - 5, 2.4 + width * 0.02, white)
    for step in range(6):
        y = height * 0.56 + step * height * 0.065
        side = 1 if step % 2 else -1
        canvas.fill(canvas.line(middle + side * 0.4, y, middle + side * 2.3, y, 0.5), (78, 66, 66))
    reach = width * 0.26
    balls = []
    for step in range(6):
        y = height * (0.16 + 0.085 * step)
        x = middle + reach * (0.75 if step % 2 else -0.75) * min(1, 0.35 + step * 0.18)
        balls.append((x, y, width * (0.16 + 0.018 * step)))
    balls.append((middle, height * 0.34, width * 0.24))
    leaf_mass(canvas, rng, [_within(ball, size) for ball in balls], color)
    return canvas.image()


def sapling(color: Color, seed: int) -> Image.Image:
    """Draw a young tree with one round crown."""
    rng = np.random.default_rng(seed)
    canvas = Canvas(*SMALL)
    canvas.shadow(18, 58, 12, 4)
    _trunk(canvas, 16, 44, 60, 2.6, BARK)
    leaf_mass(canvas, rng, [(10, 38, 7), (22, 38, 7.5), (16, 27, 8.5), (16, 37, 9)], color)
    return canvas.image()


def stump(size: tuple[int, int], bark: Color, half: float) -> Image.Image:
    """Draw a stump."""
    width, height = size
    canvas = Canvas(width, height)
    middle, foot = width / 2, height - 7
    canvas.shadow(middle + 2, foot, half * 1.9, half * 0.7)
    for side in (-1, 0.2, 1):
        root = canvas.line(middle, foot - 3, middle + side * half * 1.25, foot + 1.5, half * 0.3)
        canvas.figure(root, bark)
    body = canvas.box(middle - half, foot - half * 1.15, middle + half, foot, half * 0.35)
    canvas.figure(body, bark)
    for step in range(3):
        x = middle - half * 0.5 + step * half * 0.55
        canvas.fill(canvas.line(x, foot - half * 0.7, x, foot - 1, 0.4), darker(bark, 0.35), 0.9)
    top = foot - half * 1.15
    canvas.figure(canvas.ellipse(middle, top, half, half * 0.5), (222, 182, 126))
    for ring in (0.66, 0.32):
        edge = np.abs(canvas.ellipse(middle, top, half * ring, half * 0.5 * ring)) - 0.35
        canvas.fill(edge, (176, 130, 84), 0.9)
    return canvas.image()


TALL_TREES: dict[str, Callable[[], Image.Image]] = {
    "oak_0": lambda: oak(OAK, 8100),
    "oak_1": lambda: oak(mix(OAK, PINE, 0.3), 8101),
    "lime": lambda: oak(LIME, 8102),
    "autumn_oak": lambda: oak(AUTUMN, 8103),
    "cherry": lambda: oak(CHERRY, 8104),
    "apple": apple,
    "pine_0": lambda: conifer(TALL, PINE, 4, 8110),
    "pine_1": lambda: conifer(TALL, mix(PINE, OAK, 0.3), 5, 8111),
    "fir": lambda: conifer(TALL, FIR, 5, 8112),
    "birch": lambda: birch(TALL, BIRCH, 8120),
    "stump": lambda: stump(TALL, BARK, 9),
    "birch_stump": lambda: stump(TALL, (226, 218, 204), 6),
}

SMALL_TREES: dict[str, Callable[[], Image.Image]] = {
    "small_pine": lambda: conifer(SMALL, PINE, 3, 8200),
    "small_fir": lambda: conifer(SMALL, FIR, 3, 8201),
    "small_birch": lambda: birch(SMALL, BIRCH, 8202),
    "sapling": lambda: sapling(OAK, 8203),
    "autumn_sapling": lambda: sapling((232, 176, 70), 8204),
    "small_stump": lambda: stump(SMALL, BARK, 5.5),
}

#: The stump of each type of tree.
STUMPS = (
    dict.fromkeys(TALL_TREES, "stump")
    | dict.fromkeys(SMALL_TREES, "small_stump")
    | {"birch": "birch_stump"}
)


def _trunk(canvas: Canvas, x: float, top: float, foot: float, half: float, bark: Color) -> None:
    """Paint a trunk that widens toward its roots."""
    shape = canvas.polygon(
        [
            (x - half * 0.72, top),
            (x + half * 0.72, top),
            (x + half * 0.8, foot - half),
            (x + half * 1.5, foot),
            (x + half * 0.3, foot - half * 0.25),
            (x, foot + half * 0.2),
            (x - half * 0.4, foot - half * 0.25),
            (x - half * 1.4, foot - half * 0.1),
            (x - half * 0.8, foot - half),
        ]
    )
    canvas.figure(shape - 0.4, bark)
    for step in (-0.3, 0.25):
        grain = canvas.line(x + step * half, top, x + step * half * 1.2, foot - half, 0.4)
        canvas.fill(common(grain, shape), darker(bark, 0.3), 0.7)


def _tier(
    canvas: Canvas, rng: np.random.Generator, x: float, peak: float, foot: float, half: float
) -> Array:
    """Paint one tier of a conifer with a pointed hem."""
    points = [(x, peak)]
    teeth = max(4, round(half / 3.4))
    for tooth in range(teeth + 1):
        share = tooth / teeth
        hem_x = x + half - 2 * half * share
        droop = foot - 3.2 * abs(2 * share - 1) ** 2 + rng.uniform(-0.8, 0.8)
        points.append((hem_x, droop + (1.2 if 0 < tooth < teeth else -0.6)))
        if tooth < teeth:
            points.append((hem_x - half / teeth, droop - 2.8))
    return canvas.polygon(points) - 0.5


def _within(ball: tuple[float, float, float], size: tuple[int, int]) -> tuple[float, float, float]:
    """Return the ball, moved clear of the edge of the picture."""
    x, y, radius = ball
    margin = radius + 2.5
    return min(max(x, margin), size[0] - margin), min(max(y, margin), size[1] - margin), radius
