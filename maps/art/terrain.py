"""Ground tiles: grass, forest floor, water, roads, and the small things on them.

`TILES` has a painter for every 32 px tile; the place of its name is its id in terrain.tsx.
A tile of two grounds is named by the corners that have the second one: 1 top left, 2 top right,
4 bottom right, 8 bottom left.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from math import cos, pi, sin

import numpy as np
from PIL import Image

from .paint import Array, Canvas, Color, common, darker, lighter, mix, noise, union, without

SIZE = 32
COLUMNS = 16

#: Center and radius.
Ball = tuple[float, float, float]

GRASS: Color = (126, 174, 76)
MEADOW: Color = (148, 186, 84)
MOSS: Color = (98, 146, 68)
SAND: Color = (228, 208, 152)
WATER: Color = (72, 152, 188)
DEEP: Color = (52, 122, 168)
DIRT: Color = (200, 164, 114)
STONE: Color = (164, 164, 168)
WOOD: Color = (160, 110, 70)
LEAF: Color = (82, 138, 62)

#: Grounds with corner tiles, and the number of versions of each corner case.
CORNER_SETS = {"meadow": 1, "moss": 2, "water": 2, "deep": 1, "dirt": 2, "cobble": 1}
#: The number of versions of the tile covered by one ground.
WHOLE = {"meadow": 4, "moss": 4, "water": 3, "deep": 3, "dirt": 4, "cobble": 3}


# -- whole grounds --


def grass(version: int) -> Image.Image:
    """Draw short grass without direction, so that it may be rotated and mirrored."""
    canvas = Canvas(SIZE, SIZE)
    canvas.fill(canvas.box(-2, -2, 34, 34), GRASS)
    _speckle(canvas, np.random.default_rng(100 + version), GRASS, 5 + version % 4)
    return canvas.image()


def meadow(case: int, version: int) -> Image.Image:
    """Draw lighter grass in the sun with a faint border."""
    rng = np.random.default_rng(1000 + case * 10 + version)
    canvas = Canvas(SIZE, SIZE)
    canvas.fill(canvas.box(-2, -2, 34, 34), GRASS)
    amount = _amount(canvas, case, rng, ragged=0.34, cell=5)
    for step in range(1, 4):
        level = 0.22 + 0.16 * step
        canvas.fill((level - amount) * 20, mix(GRASS, MEADOW, step / 3), soft=1.2)
    _speckle(canvas, rng, MEADOW, 7, common((0.6 - amount) * 20, canvas.box(0, 0, 32, 32)))
    if case != 15:
        _speckle(canvas, rng, GRASS, 4, (amount - 0.3) * 20)
    return canvas.image()


def moss(case: int, version: int) -> Image.Image:
    """Draw dark forest floor with a ragged border."""
    rng = np.random.default_rng(2000 + case * 10 + version)
    canvas = Canvas(SIZE, SIZE)
    canvas.fill(canvas.box(-2, -2, 34, 34), GRASS)
    amount = _amount(canvas, case, rng, ragged=0.36, cell=4)
    canvas.fill((0.40 - amount) * 20, mix(GRASS, MOSS, 0.5), soft=0.5)
    canvas.fill((0.52 - amount) * 20, MOSS, soft=0.5)
    _speckle(canvas, rng, MOSS, 8, common((0.62 - amount) * 20, canvas.box(0, 0, 32, 32)))
    if case != 15:
        _speckle(canvas, rng, GRASS, 4, (amount - 0.3) * 20)
    return canvas.image()


def water(case: int, version: int, phase: int = 0) -> Image.Image:
    """Draw shallow water with a beach and a grass edge above; open water in animation phases."""
    rng = np.random.default_rng(3000 + case * 10 + version)
    canvas = Canvas(SIZE, SIZE)
    canvas.fill(canvas.box(-2, -2, 34, 34), GRASS)
    amount = _amount(canvas, case, rng, ragged=0.13, cell=7)
    if case != 15:
        _speckle(canvas, rng, GRASS, 5, (amount - 0.25) * 20)
    bands: list[tuple[float, Color, float]] = [
        (0.34, mix(GRASS, (70, 96, 50), 0.45), 0.6),
        (0.39, darker(SAND, 0.22), 0.5),
        (0.43, SAND, 0.5),
        (0.57, mix(SAND, WATER, 0.35), 1.0),
        (0.62, (226, 244, 238), 0.4),
        (0.67, lighter(WATER, 0.38), 0.5),
        (0.80, mix(WATER, lighter(WATER, 0.38), 0.4), 1.6),
        (0.93, WATER, 1.6),
    ]
    for level, color, soft in bands:
        canvas.fill((level - amount) * 20, color, soft=soft)
    if case == 15:
        _ripples(canvas, rng, WATER, 1 + version, phase)
    return canvas.image()


def deep(case: int, version: int) -> Image.Image:
    """Draw deep water, darker away from the shallows."""
    rng = np.random.default_rng(4000 + case * 10 + version)
    canvas = Canvas(SIZE, SIZE)
    canvas.fill(canvas.box(-2, -2, 34, 34), WATER)
    amount = _amount(canvas, case, rng, ragged=0.2, cell=9)
    for step in range(1, 5):
        level = 0.12 + 0.19 * step
        canvas.fill((level - amount) * 20, mix(WATER, DEEP, step / 4), soft=1.2)
    if case == 15:
        _ripples(canvas, rng, DEEP, version)
    return canvas.image()


def dirt(case: int, version: int) -> Image.Image:
    """Draw a dirt road with a dark edge, transparent where the grass shows."""
    rng = np.random.default_rng(5000 + case * 10 + version)
    canvas = Canvas(SIZE, SIZE)
    amount = _amount(canvas, case, rng, ragged=0.22, cell=5)
    canvas.fill((0.37 - amount) * 20, mix(GRASS, (84, 92, 44), 0.5), 0.75, soft=1.0)
    canvas.fill((0.43 - amount) * 20, darker(DIRT, 0.30), soft=0.5)
    canvas.fill((0.50 - amount) * 20, darker(DIRT, 0.10), soft=0.7)
    canvas.fill((0.66 - amount) * 20, DIRT, soft=2.0)
    inside = (0.62 - amount) * 20
    for _ in range(9):
        x, y = rng.uniform(3, 29, 2)
        spot = common(canvas.ellipse(x, y, rng.uniform(1.2, 4.5), rng.uniform(0.8, 1.8)), inside)
        canvas.fill(spot, _near(rng, DIRT, 0.10), 0.7, soft=0.5)
    for _ in range(rng.integers(1, 4)):
        x, y = rng.uniform(4, 28, 2)
        canvas.fill(common(canvas.circle(x + 0.4, y + 0.6, 1.3), inside), darker(DIRT, 0.32))
        canvas.fill(common(canvas.circle(x, y, 1.1), inside), lighter(STONE, 0.2))
    return canvas.image()


def cobble(case: int, version: int) -> Image.Image:
    """Draw the paving of the town square: rounded stones in rows that continue across tiles."""
    rng = np.random.default_rng(6000 + case * 10 + version)
    canvas = Canvas(SIZE, SIZE)
    amount = _amount(canvas, case, rng, ragged=0.1, cell=6)
    mortar = (128, 116, 106)
    canvas.fill((0.40 - amount) * 20, darker(mortar, 0.35), 0.8, soft=0.8)
    canvas.fill((0.44 - amount) * 20, mortar, soft=0.4)
    for row in range(4):
        for column in range(-1, 4):
            left = column * 8 + (row % 2) * 4
            stone = canvas.box(left + 0.6, row * 8 + 0.6, left + 7.4, row * 8 + 7.4, 2.4)
            # Stones on the edge belong to two tiles and must look the same in both.
            shared = np.random.default_rng(row) if column in (-1, 3) and row % 2 else rng
            color = _near(shared, (182, 174, 160), 0.12)
            seen = common(stone, (0.5 - amount) * 20)
            canvas.fill(seen, darker(color, 0.22))
            canvas.fill(common(stone + 0.9, (0.5 - amount) * 20), color, soft=0.8)
            shine = common(canvas.ellipse(left + 3.2, row * 8 + 3, 2, 1.2), (0.5 - amount) * 20)
            canvas.fill(shine, lighter(color, 0.3), 0.7, soft=0.8)
    return canvas.image()


CORNER_PAINTERS: dict[str, Callable[[int, int], Image.Image]] = {
    "meadow": meadow,
    "moss": moss,
    "water": water,
    "deep": deep,
    "dirt": dirt,
    "cobble": cobble,
}


# -- single tiles --


def bridge(part: int) -> Image.Image:
    """Draw part of a plank bridge from left to right: upper rail, middle or lower rail."""
    rng = np.random.default_rng(6500)
    canvas = Canvas(SIZE, SIZE)
    top, bottom = {0: (10, 33), 1: (-1, 33), 2: (-1, 20)}[part]
    if part == 2:
        canvas.fill(canvas.box(-2, 18, 34, 29), (30, 62, 96), 0.45, soft=3)
    for plank in range(4):
        left = plank * 8
        color = _near(rng, WOOD, 0.10)
        canvas.fill(canvas.box(left, top, left + 8, bottom), darker(WOOD, 0.5))
        canvas.fill(canvas.box(left + 0.5, top, left + 7.5, bottom), color)
        canvas.fill(canvas.box(left + 0.5, top, left + 2, bottom), lighter(color, 0.22), soft=0.7)
        canvas.fill(canvas.box(left + 5, top, left + 5.6, bottom), darker(color, 0.2), 0.6)
    if part != 1:
        rail = 8.0 if part == 0 else 17.0
        for post in (4, 20):
            canvas.figure(canvas.box(post - 2, rail - 5, post + 2, rail + 7, 1), darker(WOOD, 0.15))
        canvas.fill(canvas.box(-2, rail - 1.8, 34, rail + 2.8), darker(WOOD, 0.66))
        canvas.fill(canvas.box(-2, rail - 1, 34, rail + 1.8), lighter(WOOD, 0.12))
        canvas.fill(canvas.box(-2, rail - 1, 34, rail), lighter(WOOD, 0.4))
    return canvas.image()


def tuft(version: int) -> Image.Image:
    """Draw long grass."""
    rng = np.random.default_rng(7000 + version)
    canvas = Canvas(SIZE, SIZE)
    for _ in range(2 + version % 3):
        x, y = rng.uniform(7, 25, 2)
        _blades(canvas, rng, x, y, 3 + int(rng.integers(4)), GRASS)
    return canvas.image()


def flowers(petal: Color, version: int) -> Image.Image:
    """Draw some flowers in long grass."""
    rng = np.random.default_rng(7100 + version)
    canvas = Canvas(SIZE, SIZE)
    spots = sorted(
        ((rng.uniform(5, 27), rng.uniform(8, 26)) for _ in range(4 + version % 3)),
        key=lambda spot: spot[1],
    )
    for x, y in spots:
        _blades(canvas, rng, x, y + 3, 3, GRASS)
        radius = rng.uniform(1.2, 1.7)
        for leaf in range(5):
            angle = leaf * 2 * pi / 5 + x
            px, py = x + 1.7 * cos(angle), y - 1 + 1.7 * sin(angle)
            canvas.fill(canvas.circle(px, py + 0.5, radius), darker(petal, 0.35))
        for leaf in range(5):
            angle = leaf * 2 * pi / 5 + x
            canvas.fill(
                canvas.circle(x + 1.5 * cos(angle), y - 1 + 1.5 * sin(angle), radius), petal
            )
        middle = (250, 214, 92) if petal[2] > 90 else (140, 92, 50)
        canvas.fill(canvas.circle(x, y - 1, 1.1), middle)
    return canvas.image()


def bush(version: int) -> Image.Image:
    """Draw a round bush, optionally with berries."""
    rng = np.random.default_rng(7200 + version)
    canvas = Canvas(SIZE, SIZE)
    canvas.shadow(17, 26, 13, 5)
    balls: list[Ball] = [(9, 20, 6.5), (22, 20, 7), (15, 15, 8), (16, 22, 7)]
    leaf_mass(canvas, rng, balls, mix(LEAF, (60, 124, 84), 0.3 * version))
    if version:
        for _ in range(7):
            x, y = 15 + rng.normal(0, 5), 18 + rng.normal(0, 3.4)
            berry = (214, 66, 72) if version == 1 else (94, 92, 190)
            canvas.fill(canvas.circle(x, y, 1.7), darker(berry, 0.5))
            canvas.fill(canvas.circle(x, y, 1.2), berry)
            canvas.fill(canvas.circle(x - 0.4, y - 0.4, 0.4), (255, 236, 226))
    return canvas.image()


def rock(version: int) -> Image.Image:
    """Draw a boulder or a few stones."""
    rng = np.random.default_rng(7300 + version)
    canvas = Canvas(SIZE, SIZE)
    stones: list[Ball] = {
        0: [(16.0, 19.0, 9.0)],
        1: [(11, 17, 6), (21, 21, 5.5)],
        2: [(9, 12, 3), (19, 19, 3.6), (13, 24, 2.4), (24, 12, 2)],
    }[version]
    for x, y, radius in stones:
        canvas.shadow(x + 2, y + radius * 0.7, radius * 1.35, radius * 0.5)
    for x, y, radius in stones:
        angles = np.sort(rng.uniform(0, 2 * pi, 9))
        corners = [(x + radius * cos(a), y + radius * 0.8 * sin(a)) for a in angles]
        shape = union(
            canvas.polygon(corners) - 0.6, canvas.ellipse(x, y, radius * 0.8, radius * 0.6)
        )
        canvas.figure(shape, _near(rng, STONE, 0.05))
        top = common(
            canvas.ellipse(x - radius * 0.2, y - radius * 0.3, radius * 0.6, radius * 0.35),
            shape + 1,
        )
        canvas.fill(top, lighter(STONE, 0.4), 0.8, soft=0.8)
        if radius > 5:
            canvas.fill(
                common(canvas.line(x, y - 1, x + 3, y + 3, 0.4), shape), darker(STONE, 0.4), 0.8
            )
            foot = common(canvas.ellipse(x, y + radius * 0.8, radius, 2), shape)
            canvas.fill(foot, mix(STONE, LEAF, 0.5), 0.8, soft=0.8)
    return canvas.image()


def mushrooms() -> Image.Image:
    """Draw three mushrooms: two with red caps, one with a brown cap."""
    canvas = Canvas(SIZE, SIZE)
    rng = np.random.default_rng(7400)
    for x, y, size, cap in (
        (11, 17, 4.4, (206, 70, 60)),
        (21, 22, 3.4, (206, 70, 60)),
        (19, 13, 2.6, (170, 118, 78)),
    ):
        canvas.shadow(x + 1, y + size * 1.1, size * 1.2, size * 0.45)
        canvas.figure(
            canvas.box(x - size * 0.3, y - 1, x + size * 0.3, y + size, 1), (238, 226, 204)
        )
        head = common(canvas.ellipse(x, y, size, size * 0.85), canvas.y - y - size * 0.12)
        canvas.figure(head, cap)
        for _ in range(4):
            dot = canvas.circle(
                x + rng.uniform(-0.6, 0.6) * size, y - rng.uniform(0.1, 0.7) * size, 0.6
            )
            canvas.fill(common(dot, head + 0.3), (250, 240, 226))
    return canvas.image()


def reeds(version: int) -> Image.Image:
    """Draw reeds in shallow water."""
    rng = np.random.default_rng(7500 + version)
    canvas = Canvas(SIZE, SIZE)
    canvas.glow(16, 27, 11, 3, (214, 240, 236), 0.5)
    for _ in range(9):
        x, lean = rng.uniform(7, 25), rng.uniform(-3, 3)
        top = rng.uniform(3, 13)
        green = _near(rng, (110, 150, 74), 0.12)
        canvas.fill(canvas.line(x, 27, x + lean, top, 1.3), darker(green, 0.55))
        canvas.fill(canvas.line(x, 27, x + lean, top, 0.7), green)
        if rng.random() < 0.45:
            canvas.fill(canvas.line(x + lean, top, x + lean, top + 4, 1.9), (74, 48, 40))
            canvas.fill(canvas.line(x + lean, top, x + lean, top + 4, 1.3), (138, 88, 56))
    return canvas.image()


def lilies(version: int) -> Image.Image:
    """Draw lily pads, one in flower."""
    rng = np.random.default_rng(7600 + version)
    canvas = Canvas(SIZE, SIZE)
    for index in range(3 + version):
        x, y = 7 + index * 18 / (2 + version) + rng.uniform(-1, 1), rng.uniform(8, 24)
        radius = rng.uniform(3.4, 5.2)
        pad = canvas.ellipse(x, y, radius, radius * 0.72)
        notch = canvas.polygon([(x, y), (x + radius + 2, y - 2.4), (x + radius + 2, y + 0.4)])
        canvas.fill(
            canvas.ellipse(x + 0.6, y + 1.2, radius, radius * 0.72), (36, 88, 124), 0.6, soft=0.8
        )
        canvas.fill(without(pad, notch) - 0.7, (46, 96, 66))
        canvas.fill(without(pad, notch), (96, 164, 86))
        canvas.fill(
            common(canvas.ellipse(x - 1, y - 1, radius * 0.6, radius * 0.4), without(pad, notch)),
            (136, 192, 104),
            soft=1,
        )
        if index == 1:
            for leaf in range(6):
                angle = leaf * pi / 3
                canvas.fill(
                    canvas.circle(x + 1.8 * cos(angle), y - 1 + 1.3 * sin(angle), 1.5),
                    (206, 120, 158),
                )
                canvas.fill(
                    canvas.circle(x + 1.6 * cos(angle), y - 1.4 + 1.1 * sin(angle), 1.1),
                    (250, 206, 222),
                )
            canvas.fill(canvas.circle(x, y - 1.2, 0.9), (252, 224, 110))
    return canvas.image()


def fern() -> Image.Image:
    """Draw a fern."""
    canvas = Canvas(SIZE, SIZE)
    canvas.shadow(16, 24, 11, 4)
    for angle in (-2.9, -2.35, -1.57, -0.8, -0.25):
        for step in range(9):
            reach = 2 + step * 1.25
            x, y = 16 + reach * cos(angle), 24 + reach * sin(angle) + step * step * 0.06
            width = 2.7 * (1 - step / 10)
            canvas.fill(canvas.ellipse(x, y + 0.5, width, 1.4), darker(LEAF, 0.5))
        for step in range(9):
            reach = 2 + step * 1.25
            x, y = 16 + reach * cos(angle), 24 + reach * sin(angle) + step * step * 0.06
            width = 2.4 * (1 - step / 10)
            canvas.fill(canvas.ellipse(x, y, width, 0.9), lighter(LEAF, 0.06 + 0.02 * step))
    return canvas.image()


def log() -> Image.Image:
    """Draw a fallen trunk with moss."""
    canvas = Canvas(SIZE, SIZE)
    canvas.shadow(17, 23, 14, 5)
    canvas.figure(canvas.line(7, 19, 25, 19, 4.5), (138, 98, 66))
    for y in (17, 20, 21.5):
        canvas.fill(canvas.line(9, y, 21, y + 0.4, 0.35), (104, 70, 50), 0.9)
    canvas.figure(canvas.ellipse(25.5, 19, 3.2, 4.2), (214, 174, 122))
    canvas.fill(
        without(canvas.ellipse(25.5, 19, 2, 2.8), canvas.ellipse(25.5, 19, 1.4, 2.1)),
        (170, 126, 84),
    )
    canvas.fill(canvas.ellipse(13, 15.4, 5, 1.5), (116, 164, 78))
    canvas.fill(canvas.ellipse(12, 15, 3, 0.8), (154, 194, 98))
    return canvas.image()


def crop(kind: int) -> Image.Image:
    """Draw tilled soil with wheat, cabbage, or fresh seed."""
    rng = np.random.default_rng(7700 + kind)
    canvas = Canvas(SIZE, SIZE)
    soil = (146, 104, 70)
    canvas.fill(canvas.box(0.5, 0.5, 31.5, 31.5, 3), darker(soil, 0.3))
    canvas.fill(canvas.box(1.5, 1, 30.5, 30, 3), soil)
    for row in range(4):
        y = 5.5 + row * 7
        canvas.fill(canvas.box(3, y + 1.4, 29, y + 3.4, 1), darker(soil, 0.26), soft=0.6)
        canvas.fill(canvas.box(3, y - 1, 29, y + 0.6, 0.8), lighter(soil, 0.14), soft=0.6)
        for column in range(6 if kind == 0 else 4):
            x = (4.2 + column * 4.7 if kind == 0 else 6 + column * 6.7) + rng.uniform(-0.5, 0.5)
            if kind == 0:
                gold = _near(rng, (232, 192, 92), 0.1)
                canvas.fill(canvas.line(x, y + 2, x + 0.6, y - 3, 1.0), darker(gold, 0.42))
                canvas.fill(canvas.line(x, y + 2, x + 0.6, y - 3, 0.5), (190, 172, 84))
                canvas.fill(canvas.ellipse(x + 0.6, y - 3.4, 1.5, 2.6), darker(gold, 0.35))
                canvas.fill(canvas.ellipse(x + 0.4, y - 3.6, 1.0, 2.0), gold)
            elif kind == 1:
                canvas.fill(canvas.circle(x, y + 0.6, 3.0), (60, 100, 60))
                canvas.fill(canvas.circle(x, y, 2.6), (112, 170, 92))
                canvas.fill(canvas.circle(x - 0.4, y - 0.4, 1.5), (164, 208, 128))
            else:
                _blades(canvas, rng, x, y + 1, 3, (128, 182, 80), 2.6)
    return canvas.image()


def fence(upright: bool) -> Image.Image:
    """Draw a paddock fence, horizontal or vertical."""
    canvas = Canvas(SIZE, SIZE)
    wood = lighter(WOOD, 0.12)
    if upright:
        canvas.fill(canvas.box(14.6, -2, 20, 34), (32, 44, 40), 0.22, soft=1.5)
        canvas.fill(canvas.box(13, -2, 18.2, 34), darker(WOOD, 0.6))
        canvas.fill(canvas.box(14, -2, 17.2, 34), wood)
        for y in (5, 21):
            canvas.figure(canvas.box(13, y - 4, 18, y + 7, 1), wood)
    else:
        canvas.fill(canvas.box(-2, 23, 34, 27), (32, 44, 40), 0.25, soft=2)
        for y in (14, 20):
            canvas.fill(canvas.box(-2, y - 2, 34, y + 2.4), darker(WOOD, 0.6))
            canvas.fill(canvas.box(-2, y - 1.2, 34, y + 1.4), wood)
            canvas.fill(canvas.box(-2, y - 1.2, 34, y - 0.4), lighter(wood, 0.4))
        for x in (8, 24):
            canvas.figure(canvas.box(x - 2.4, 9, x + 2.4, 25, 1), wood)
    return canvas.image()


def hay() -> Image.Image:
    """Draw a bale of hay."""
    canvas = Canvas(SIZE, SIZE)
    canvas.shadow(17, 24, 13, 5)
    body = canvas.box(5, 9, 27, 25, 4)
    canvas.figure(body, (228, 188, 98))
    for y in (13, 17, 21):
        canvas.fill(canvas.line(8, y, 24, y + 0.6, 0.4), (186, 142, 66), 0.9)
    for x in (11, 21):
        canvas.fill(common(canvas.box(x - 0.8, 8, x + 0.8, 26), body), (150, 104, 62))
    return canvas.image()


def barrels() -> Image.Image:
    """Draw a barrel and a crate."""
    canvas = Canvas(SIZE, SIZE)
    canvas.shadow(11, 24, 9, 4)
    canvas.shadow(24, 25, 8, 4)
    canvas.figure(canvas.box(4, 9, 17, 25, 4), (168, 114, 70))
    for y in (13, 20):
        canvas.fill(canvas.box(3.6, y - 1, 17.4, y + 0.8), (112, 112, 122))
    canvas.fill(canvas.ellipse(10.5, 10.5, 5.6, 2), (104, 70, 48))
    canvas.fill(canvas.ellipse(10.5, 10.5, 4.6, 1.4), (196, 146, 96))
    canvas.figure(canvas.box(18.5, 14, 29.5, 26, 1), (198, 154, 100))
    canvas.fill(
        without(canvas.box(19.6, 15, 28.4, 25), canvas.box(21, 16.4, 27, 23.6)), (154, 110, 70)
    )
    canvas.fill(
        common(canvas.line(21, 24, 27, 16, 0.8), canvas.box(20, 15, 28, 25)), (154, 110, 70)
    )
    return canvas.image()


def foundation() -> Image.Image:
    """Draw the stone ring that marks the site of a tower."""
    canvas = Canvas(SIZE, SIZE)
    ring = without(canvas.ellipse(16, 17, 14, 11), canvas.ellipse(16, 17, 9.5, 7))
    canvas.fill(canvas.ellipse(16, 17.5, 14.6, 12), darker(DIRT, 0.25), 0.8, soft=1.5)
    canvas.fill(canvas.ellipse(16, 17, 10, 7.6), DIRT)
    canvas.figure(ring, STONE)
    for step in range(12):
        angle = step * pi / 6
        x0, y0 = 16 + 9 * cos(angle), 17 + 7 * sin(angle)
        x1, y1 = 16 + 15 * cos(angle), 17 + 12 * sin(angle)
        canvas.fill(common(canvas.line(x0, y0, x1, y1, 0.4), ring), darker(STONE, 0.5))
    return canvas.image()


RED: Color = (226, 84, 78)
WHITE: Color = (250, 246, 234)
YELLOW: Color = (250, 208, 74)
BLUE: Color = (126, 132, 226)
PINK: Color = (240, 150, 184)

SINGLES: dict[str, Callable[[], Image.Image]] = {
    "bridge_top": lambda: bridge(0),
    "bridge_middle": lambda: bridge(1),
    "bridge_bottom": lambda: bridge(2),
    "tuft_0": lambda: tuft(0),
    "tuft_1": lambda: tuft(1),
    "tuft_2": lambda: tuft(2),
    "tuft_3": lambda: tuft(3),
    "flowers_red": lambda: flowers(RED, 0),
    "flowers_white": lambda: flowers(WHITE, 1),
    "flowers_yellow": lambda: flowers(YELLOW, 2),
    "flowers_blue": lambda: flowers(BLUE, 3),
    "flowers_pink": lambda: flowers(PINK, 4),
    "bush": lambda: bush(0),
    "bush_red": lambda: bush(1),
    "bush_blue": lambda: bush(2),
    "rock": lambda: rock(0),
    "rocks": lambda: rock(1),
    "pebbles": lambda: rock(2),
    "mushrooms": mushrooms,
    "reeds_0": lambda: reeds(0),
    "reeds_1": lambda: reeds(1),
    "lilies_0": lambda: lilies(0),
    "lilies_1": lambda: lilies(1),
    "fern": fern,
    "log": log,
    "wheat": lambda: crop(0),
    "cabbage": lambda: crop(1),
    "sown": lambda: crop(2),
    "fence": lambda: fence(False),
    "fence_upright": lambda: fence(True),
    "hay": hay,
    "barrels": barrels,
    "foundation": foundation,
    **{
        f"ripples_{version}_{phase}": partial(water, 15, version, phase)
        for version in (1, 2)
        for phase in (1, 2, 3)
    },
}

TILES: dict[str, Callable[[], Image.Image]] = {
    f"grass_{version}": partial(grass, version) for version in range(8)
}
for _ground, _versions in CORNER_SETS.items():
    for _case in range(1, 16):
        for _version in range(WHOLE[_ground] if _case == 15 else _versions):
            TILES[f"{_ground}_{_case}_{_version}"] = partial(
                CORNER_PAINTERS[_ground], _case, _version
            )
TILES |= SINGLES


# -- helpers --


def leaf_mass(canvas: Canvas, rng: np.random.Generator, balls: list[Ball], color: Color) -> Array:
    """Paint a crown of leaf balls, lit from the upper left; return its outline.

    Args:
        canvas: The canvas to paint on.
        rng: The source of randomness for the leaves.
        balls: Center and radius of each ball, back to front.
        color: The color of the leaves in neutral light.
    """
    ragged = (noise(rng, canvas.x, canvas.y, 2.6) - 0.5) * 1.7
    shapes = [canvas.circle(x, y, radius) + ragged for x, y, radius in balls]
    crown = union(*shapes)
    canvas.fill(crown - 1, mix((34, 52, 44), color, 0.15))
    canvas.fill(crown, darker(color, 0.26))
    for (x, y, radius), shape in zip(balls, shapes, strict=True):
        canvas.fill(common(shape - 0.7, crown), darker(color, 0.36), soft=0.6)
        canvas.fill(common(shape, crown), darker(color, 0.16))
        lit = canvas.circle(x - radius * 0.16, y - radius * 0.2, radius * 0.82) + ragged * 1.2
        canvas.fill(common(lit, shape), color, soft=0.5)
        high = canvas.circle(x - radius * 0.3, y - radius * 0.38, radius * 0.48) + ragged * 1.5
        canvas.fill(common(high, shape), lighter(color, 0.2), soft=0.5)
        for _ in range(int(radius * 0.9)):
            angle, reach = rng.uniform(0, 2 * pi), radius * rng.uniform(0.1, 0.8)
            px, py = x + reach * cos(angle), y + reach * sin(angle)
            toward_light = -(cos(angle) + sin(angle)) * reach / radius
            tone = lighter(color, 0.34) if toward_light > 0.1 else darker(color, 0.3)
            canvas.fill(common(canvas.ellipse(px, py, 1.3, 0.7), crown + 0.5), tone, 0.85)
    return crown


def _amount(
    canvas: Canvas, case: int, rng: np.random.Generator, ragged: float, cell: float
) -> Array:
    """Return the amount of the ground at each sample, 0 to 1, from the corners that have it.

    The border crosses each edge of the tile at its center, at a right angle and without raggedness,
    so any two tiles with matching corners fit together.
    """
    u, v = canvas.x / SIZE, canvas.y / SIZE
    u, v = u * u * (3 - 2 * u), v * v * (3 - 2 * v)
    top_left, top_right, low_right, low_left = (float(case >> bit & 1) for bit in range(4))
    amount = (top_left * (1 - u) + top_right * u) * (1 - v) + (
        low_left * (1 - u) + low_right * u
    ) * v
    calm = np.sin(pi * canvas.x / SIZE) * np.sin(pi * canvas.y / SIZE)
    if case == 15:
        return np.asarray(amount + 1)
    return np.asarray(amount + (noise(rng, canvas.x, canvas.y, cell) - 0.5) * ragged * 2 * calm)


def _speckle(
    canvas: Canvas,
    rng: np.random.Generator,
    color: Color,
    count: int,
    inside: Array | None = None,
) -> None:
    """Paint blotches and blades of grass, none of them across the edge of the tile."""
    everywhere = canvas.box(1, 1, 31, 31) if inside is None else inside
    for _ in range(count // 2 + 1):
        x, y = rng.uniform(8, 24, 2)
        blotch = canvas.ellipse(x, y, rng.uniform(3, 7), rng.uniform(3, 6))
        tone = lighter(color, 0.05) if rng.random() < 0.5 else darker(color, 0.035)
        canvas.fill(common(blotch, everywhere), tone, soft=1.5)
    for _ in range(count):
        x, y = rng.uniform(3.5, 28.5, 2)
        tone = lighter(color, 0.22) if rng.random() < 0.55 else darker(color, 0.15)
        lean = rng.uniform(-1.4, 1.4)
        for side in (-1, 1):
            blade = canvas.line(x, y, x + side * 1.2 + lean * 0.3, y - 2.2 * side * lean, 0.45)
            canvas.fill(common(blade, everywhere), tone, 0.85)


def _blades(
    canvas: Canvas,
    rng: np.random.Generator,
    x: float,
    y: float,
    count: int,
    color: Color,
    height: float = 6,
) -> None:
    """Paint a tuft of blades that fan out from one point."""
    fan = [(index - (count - 1) / 2) * 1.5 + rng.uniform(-0.5, 0.5) for index in range(count)]
    tall = [height * rng.uniform(0.7, 1.1) * (1 - abs(lean) * 0.06) for lean in fan]
    for lean, up in zip(fan, tall, strict=True):
        canvas.fill(canvas.line(x + lean * 0.3, y, x + lean, y - up, 0.95), darker(color, 0.4))
    for lean, up in zip(fan, tall, strict=True):
        tone = lighter(color, 0.28) if lean <= 0 else lighter(color, 0.08)
        canvas.fill(canvas.line(x + lean * 0.3, y - 0.4, x + lean, y - up + 0.3, 0.5), tone)


def _ripples(
    canvas: Canvas, rng: np.random.Generator, color: Color, count: int, phase: int = 0
) -> None:
    """Paint short curved highlights that drift over the water, in four phases."""
    for _ in range(count):
        x, y, length = rng.uniform(9, 23), rng.uniform(6, 26), rng.uniform(3, 6)
        for step in range(-4, 5):
            along = step / 4
            wide = length * (1, 0.8, 0.5, 0.8)[phase]
            drift = (0, 0.6, 1.0, 0.4)[phase]
            dot = canvas.ellipse(x + along * wide + drift, y + 1.2 * along * along, 1.2, 0.55)
            canvas.fill(dot, lighter(color, 0.3), (0.6, 0.5, 0.35, 0.5)[phase])


def _near(rng: np.random.Generator, color: Color, spread: float) -> Color:
    """Return a color that is slightly lighter or darker."""
    amount = rng.uniform(-spread, spread)
    return lighter(color, amount) if amount > 0 else darker(color, -amount)
