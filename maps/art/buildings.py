"""Buildings, seen from the south and slightly above: a front wall under a roof."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from PIL import Image

from .paint import Array, Canvas, Color, common, darker, lighter, mix, union
from .terrain import DIRT, STONE, WOOD

RED: Color = (206, 92, 70)
BLUE: Color = (86, 122, 178)
THATCH: Color = (220, 182, 100)
FROST: Color = (176, 226, 238)
PLASTER: Color = (238, 222, 190)
GLASS: Color = (250, 214, 122)


def house(roof: Color, seed: int) -> Image.Image:
    """Draw a cottage of 96 x 96 pixels with two windows and a chimney."""
    rng = np.random.default_rng(seed)
    canvas = Canvas(96, 96)
    canvas.shadow(52, 84, 44, 12)
    _wall(canvas, 16, 50, 80, 86)
    _door(canvas, 48, 86, 8, 19)
    _window(canvas, 29, 69, 6, 6)
    _window(canvas, 67, 69, 6, 6)
    canvas.figure(canvas.box(64, 10, 74, 30, 1), darker(STONE, 0.1))
    canvas.fill(canvas.box(63, 8, 75, 13, 1), darker(STONE, 0.45))
    canvas.fill(canvas.box(65, 9, 73, 11, 1), (52, 44, 50))
    _roof(canvas, rng, [(19, 18), (77, 18), (89, 56), (7, 56)], roof)
    return canvas.image()


def town_hall() -> Image.Image:
    """Draw the town hall, 160 x 160 pixels: a hall, a gable, a clock tower and a flag."""
    rng = np.random.default_rng(9100)
    canvas = Canvas(160, 160)
    canvas.shadow(86, 142, 76, 18)
    _wall(canvas, 14, 88, 146, 144, stones=True)
    for x in (30, 50, 110, 130):
        _window(canvas, x, 118, 6, 9)
    _roof(canvas, rng, [(26, 52), (134, 52), (154, 96), (6, 96)], RED)
    _wall(canvas, 62, 74, 98, 146)
    gable = canvas.polygon([(80, 50), (106, 84), (54, 84)])
    canvas.figure(common(gable, canvas.y - 84), darker(RED, 0.05))
    inner = canvas.polygon([(80, 58), (97, 82), (63, 82)])
    canvas.figure(inner, PLASTER)
    _clock(canvas, 80, 73, 6)
    _door(canvas, 80, 146, 13, 30)
    for side in (-1, 1):
        _window(canvas, 80 + side * 12.5, 98, 3.6, 6)
    _tower_top(canvas, rng)
    for x in (64, 96):
        canvas.figure(canvas.box(x - 2, 130, x + 2, 147, 1), WOOD)
        canvas.glow(x, 127, 7, 7, (255, 214, 120), 0.5)
        canvas.figure(canvas.circle(x, 128, 2.6), (255, 226, 140))
    return canvas.image()


def lumber_camp() -> Image.Image:
    """Draw the lumber camp, 96 x 96 pixels: an open shed with logs."""
    rng = np.random.default_rng(9200)
    canvas = Canvas(96, 96)
    canvas.shadow(50, 84, 42, 11)
    canvas.fill(canvas.ellipse(48, 80, 40, 11), darker(DIRT, 0.12), 0.9, soft=3)
    for x in (18, 78):
        canvas.figure(canvas.box(x - 3, 46, x + 3, 76, 1), darker(WOOD, 0.2))
    _logs(canvas, 46, 74, 3, 6.4)
    for x in (12, 84):
        canvas.figure(canvas.box(x - 3, 52, x + 3, 88, 1), WOOD)
    _roof(canvas, rng, [(20, 18), (76, 18), (91, 54), (5, 54)], (172, 124, 84))
    canvas.figure(canvas.box(60, 78, 76, 88, 4), (168, 126, 86))
    canvas.figure(canvas.ellipse(68, 79, 8, 3.4), (222, 184, 130))
    canvas.figure(canvas.line(69, 76, 78, 62, 0.9), (190, 140, 90))
    canvas.figure(canvas.polygon([(64, 71), (71, 69), (73, 77), (66, 78)]), (196, 204, 212))
    return canvas.image()


def tower(roof: Color) -> Image.Image:
    """Draw a stone tower with a wooden gallery, 64 x 96 pixels."""
    rng = np.random.default_rng(9300)
    canvas = Canvas(64, 96)
    canvas.shadow(36, 86, 25, 8)
    body = canvas.polygon([(17, 34), (47, 34), (51, 90), (13, 90)])
    canvas.figure(body - 1, STONE)
    _stones(canvas, rng, body, 13, 34, 51, 90, STONE)
    canvas.fill(
        common(canvas.polygon([(38, 34), (52, 34), (56, 92), (41, 92)]), body),
        darker(STONE, 0.5),
        0.35,
        soft=2,
    )
    canvas.figure(canvas.box(29, 52, 35, 63, 3), (60, 52, 62))
    _door(canvas, 32, 91, 6, 14)
    canvas.figure(canvas.box(11, 28, 53, 40, 2), lighter(WOOD, 0.06))
    for x in range(15, 53, 7):
        canvas.fill(canvas.line(x, 30, x, 38, 0.4), darker(WOOD, 0.45))
    for x in (14, 50):
        canvas.figure(canvas.box(x - 1.6, 16, x + 1.6, 32), darker(WOOD, 0.1))
    canvas.fill(canvas.box(16, 19, 48, 28), (66, 54, 62))
    peak = [(32, 1), (58, 22), (6, 22)]
    _roof(canvas, rng, [(31, 1), (33, 1), (58, 22), (6, 22)], roof)
    canvas.fill(
        common(canvas.polygon([(32, 1), (60, 24), (36, 24)]), canvas.polygon(peak)),
        darker(roof, 0.5),
        0.35,
        soft=1,
    )
    canvas.figure(canvas.circle(32, 2.4, 1.6), (250, 210, 110))
    return canvas.image()


def mill(turn: float) -> Image.Image:
    """Draw a windmill, 96 x 128 pixels, with its sails rotated by some degrees."""
    rng = np.random.default_rng(9400)
    canvas = Canvas(96, 128)
    canvas.shadow(52, 116, 34, 10)
    body = canvas.polygon([(34, 52), (62, 52), (72, 120), (24, 120)])
    canvas.figure(body - 1, PLASTER)
    foot = common(body, 100 - canvas.y)
    _stones(canvas, rng, foot, 22, 100, 74, 121, STONE)
    shade = canvas.polygon([(54, 50), (66, 50), (78, 124), (60, 124)])
    canvas.fill(common(shade, body), darker(PLASTER, 0.5), 0.35, soft=2)
    _door(canvas, 48, 121, 8, 19)
    _window(canvas, 48, 80, 5, 6)
    _roof(canvas, rng, [(44, 28), (52, 28), (68, 56), (28, 56)], RED)
    for sail in range(4):
        angle = np.deg2rad(-40 + 90 * sail + turn)
        _sail(canvas, 48, 50, float(np.cos(angle)), float(np.sin(angle)))
    canvas.figure(canvas.circle(48, 50, 3.6), WOOD)
    return canvas.image()


def well() -> Image.Image:
    """Draw a roofed well, 64 x 64 pixels."""
    rng = np.random.default_rng(9500)
    canvas = Canvas(64, 64)
    canvas.shadow(34, 54, 20, 7)
    canvas.figure(canvas.ellipse(32, 50, 15, 8), darker(STONE, 0.2))
    canvas.figure(canvas.box(17, 42, 47, 51, 3), STONE)
    _stones(canvas, rng, canvas.box(17, 42, 47, 52, 3), 17, 42, 47, 52, STONE)
    canvas.figure(canvas.ellipse(32, 42, 15, 6), lighter(STONE, 0.2))
    canvas.fill(canvas.ellipse(32, 42.4, 11.5, 4), (52, 92, 128))
    canvas.fill(canvas.ellipse(30, 43, 5, 1.2), (140, 190, 214), soft=0.8)
    for x in (20, 44):
        canvas.figure(canvas.box(x - 1.6, 20, x + 1.6, 45), WOOD)
    canvas.fill(canvas.line(32, 22, 32, 36, 0.5), (90, 72, 60))
    canvas.figure(canvas.box(29, 33, 35, 39, 1), darker(WOOD, 0.1))
    _roof(canvas, rng, [(22, 8), (42, 8), (52, 25), (12, 25)], THATCH)
    return canvas.image()


def quarry() -> Image.Image:
    """Draw a quarry, 96 x 64 pixels: a rock with cut stone in front."""
    rng = np.random.default_rng(9600)
    canvas = Canvas(96, 64)
    canvas.shadow(50, 54, 44, 9)
    boulders = [(26, 30, 17), (62, 26, 20), (44, 34, 17), (78, 40, 12), (15, 42, 11), (48, 46, 12)]
    for x, y, radius in boulders:
        angles = np.sort(rng.uniform(0, 2 * np.pi, 10))
        corners = [(x + radius * np.cos(a), y + radius * 0.85 * np.sin(a)) for a in angles]
        rock = union(canvas.polygon(corners), canvas.ellipse(x, y, radius * 0.85, radius * 0.68))
        canvas.figure(rock, mix(STONE, (126, 132, 150), rng.uniform(0, 0.6)))
        top = canvas.ellipse(x - radius * 0.2, y - radius * 0.35, radius * 0.62, radius * 0.3)
        canvas.fill(common(top, rock + 1), lighter(STONE, 0.42), 0.8, soft=0.8)
        for _ in range(3):
            crack_x, crack_y = (
                x + rng.uniform(-0.4, 0.4) * radius,
                y + rng.uniform(-0.1, 0.5) * radius,
            )
            crack = canvas.line(crack_x, crack_y, crack_x + 3, crack_y + 4, 0.45)
            canvas.fill(common(crack, rock + 1), darker(STONE, 0.5), 0.8)
    for x, y in ((66, 55), (78, 56), (72, 49)):
        canvas.figure(canvas.box(x - 6, y - 4, x + 6, y + 4, 1), lighter(STONE, 0.25))
    return canvas.image()


def stall(color: Color) -> Image.Image:
    """Draw a market stall, 64 x 64 pixels, with a striped awning."""
    rng = np.random.default_rng(9700)
    canvas = Canvas(64, 64)
    canvas.shadow(34, 56, 27, 7)
    for x in (10, 54):
        canvas.figure(canvas.box(x - 1.6, 20, x + 1.6, 58), darker(WOOD, 0.15))
    canvas.figure(canvas.box(8, 42, 56, 58, 1), WOOD)
    for x in range(12, 56, 6):
        canvas.fill(canvas.line(x, 46, x, 57, 0.4), darker(WOOD, 0.4))
    canvas.figure(canvas.box(6, 38, 58, 44, 1), lighter(WOOD, 0.2))
    goods = ((222, 84, 70), (240, 176, 70), (120, 176, 84), (196, 120, 190))
    for pile, fruit in enumerate(goods):
        for _ in range(6):
            x, y = 13 + pile * 12.5 + rng.uniform(-3.5, 3.5), 37 + rng.uniform(-3, 1)
            canvas.figure(canvas.circle(x, y, 2.2), fruit, edge=0.7)
    awning = canvas.polygon([(11, 8), (53, 8), (60, 24), (4, 24)])
    scallops = [canvas.circle(8 + 8 * step, 24, 4.2) for step in range(7)]
    cloth = union(awning, *scallops)
    canvas.figure(cloth, (246, 238, 220))
    for step in range(0, 7, 2):
        left, right = 4 + step * 8, 12 + step * 8
        high_left, high_right = 11 + step * 6, 17 + step * 6
        stripe = [(high_left, 6), (high_right, 6), (right, 24), (right, 30), (left, 30), (left, 24)]
        canvas.fill(common(canvas.polygon(stripe), cloth), color)
    canvas.fill(common(canvas.box(-2, 20, 66, 31), cloth), darker(color, 0.6), 0.18, soft=3)
    return canvas.image()


def boat() -> Image.Image:
    """Draw a rowing boat, 64 x 32 pixels."""
    canvas = Canvas(64, 32)
    canvas.glow(32, 20, 30, 9, (220, 242, 240), 0.5)
    hull = canvas.polygon([(4, 13), (10, 9), (52, 9), (61, 15), (52, 25), (12, 25)])
    canvas.figure(hull - 1, darker(WOOD, 0.05))
    inside = canvas.polygon([(9, 13.5), (12, 12), (50, 12), (55, 15.4), (50, 20), (13, 20)])
    canvas.fill(inside, darker(WOOD, 0.5))
    for x in (19, 32, 44):
        canvas.figure(canvas.box(x - 2.2, 11, x + 2.2, 21), lighter(WOOD, 0.15), edge=0.8)
    canvas.figure(canvas.line(24, 16, 46, 28, 0.9), lighter(WOOD, 0.3), edge=0.8)
    canvas.figure(canvas.line(43, 26.6, 48, 29.2, 1.9), lighter(WOOD, 0.3), edge=0.8)
    return canvas.image()


def mortar() -> Image.Image:
    """Draw a mortar in a round of stones, 64 x 64 pixels."""
    rng = np.random.default_rng(9800)
    canvas = Canvas(64, 64)
    canvas.shadow(35, 54, 24, 8)
    ring = canvas.ellipse(32, 50, 22, 9)
    canvas.figure(ring, darker(STONE, 0.25))
    wall = union(canvas.box(10, 40, 54, 51, 3), ring)
    canvas.figure(wall - 0.5, STONE)
    _stones(canvas, rng, wall, 8, 40, 56, 60, STONE)
    canvas.figure(canvas.ellipse(32, 40, 22, 8), lighter(STONE, 0.2))
    canvas.fill(canvas.ellipse(32, 40, 17, 5.6), darker(WOOD, 0.45))
    for x in (20, 44):
        canvas.figure(canvas.circle(x, 37, 5), darker(WOOD, 0.1))
        canvas.fill(canvas.circle(x, 37, 1.6), (66, 54, 62))
    iron: Color = (92, 96, 112)
    canvas.figure(canvas.line(32, 38, 32, 22, 9.5), iron)
    canvas.fill(canvas.line(28, 36, 28, 22, 1.6), lighter(iron, 0.35))
    canvas.figure(canvas.ellipse(32, 15, 11.5, 5), lighter(iron, 0.12))
    canvas.fill(canvas.ellipse(32, 15, 7.5, 3), (38, 34, 44))
    for y in (24, 32):
        canvas.fill(canvas.box(22, y, 42, y + 2.4, 1), (208, 166, 88))
    return canvas.image()


def gold_mine() -> Image.Image:
    """Draw a gold mine, 64 x 64 pixels: a timbered hole in a rock with nuggets around it."""
    rng = np.random.default_rng(9900)
    canvas = Canvas(64, 64)
    canvas.shadow(34, 55, 29, 8)
    for x, y, radius in ((20, 34, 15), (42, 32, 17), (31, 26, 16), (12, 46, 9), (53, 46, 9)):
        angles = np.sort(rng.uniform(0, 2 * np.pi, 9))
        corners = [(x + radius * np.cos(a), y + radius * 0.9 * np.sin(a)) for a in angles]
        rock = union(canvas.polygon(corners), canvas.ellipse(x, y, radius * 0.85, radius * 0.75))
        canvas.figure(rock, mix((146, 128, 108), (118, 112, 116), rng.uniform(0, 0.7)))
        top = canvas.ellipse(x - radius * 0.2, y - radius * 0.4, radius * 0.6, radius * 0.3)
        canvas.fill(common(top, rock + 1), (184, 166, 140), 0.8, soft=0.8)
    canvas.fill(canvas.box(21, 34, 43, 58, 9), (38, 32, 38))
    for x in (20, 44):
        canvas.figure(canvas.box(x - 2.4, 34, x + 2.4, 57, 1), WOOD)
    canvas.figure(canvas.box(16, 30, 48, 35.5, 1), lighter(WOOD, 0.1))
    gold: Color = (250, 204, 72)
    for x, y, radius in ((28, 20, 2.6), (38, 17, 2), (47, 26, 2.2), (14, 30, 2), (10, 45, 2.2)):
        canvas.figure(canvas.circle(x, y, radius), gold, edge=0.7)
        canvas.fill(canvas.circle(x - 0.6, y - 0.8, radius * 0.4), (255, 244, 190))
    for x, y in ((50, 55), (55, 53), (53, 50), (12, 55)):
        canvas.figure(canvas.circle(x, y, 2.8), gold, edge=0.8)
        canvas.fill(canvas.circle(x - 0.7, y - 1, 1), (255, 244, 190))
    return canvas.image()


def palisade() -> Image.Image:
    """Draw a piece of a palisade, 32 x 48 pixels; pieces side by side make a fence."""
    canvas = Canvas(32, 48)
    canvas.shadow(18, 41, 15, 4)
    for y in (22, 34):
        canvas.figure(canvas.box(0, y, 32, y + 3), darker(WOOD, 0.3), edge=0.8)
    for x, top in ((4, 9), (12, 6), (20, 8), (28, 5)):
        stake = union(
            canvas.box(x - 3.4, top + 5, x + 3.4, 43, 1),
            canvas.polygon([(x - 3.4, top + 6), (x, top - 1), (x + 3.4, top + 6)]),
        )
        canvas.figure(stake, lighter(WOOD, 0.04 * (x % 3)))
        canvas.fill(canvas.line(x - 1.6, top + 6, x - 1.6, 40, 0.6), lighter(WOOD, 0.3))
        canvas.fill(canvas.line(x + 1.4, top + 9, x + 1.4, 40, 0.4), darker(WOOD, 0.4))
    return canvas.image()


BUILDINGS: dict[str, Callable[[], Image.Image]] = {
    "town_hall": town_hall,
    "house_red": lambda: house(RED, 9001),
    "house_blue": lambda: house(BLUE, 9002),
    "house_thatch": lambda: house(THATCH, 9003),
    "lumber_camp": lumber_camp,
    "tower": lambda: tower(BLUE),
    "fire_tower": lambda: tower(RED),
    "mill": lambda: mill(0),
    "well": well,
    "quarry": quarry,
    "stall_red": lambda: stall(RED),
    "stall_blue": lambda: stall(BLUE),
    "boat": boat,
    "mill_1": lambda: mill(22.5),
    "mill_2": lambda: mill(45),
    "mill_3": lambda: mill(67.5),
    "frost_tower": lambda: tower(FROST),
    "mortar": mortar,
    "gold_mine": gold_mine,
    "palisade": palisade,
}


# -- parts --


def _wall(
    canvas: Canvas, left: float, top: float, right: float, bottom: float, stones: bool = False
) -> None:
    """Paint a plaster wall between timbers on a stone base."""
    rng = np.random.default_rng(int(left * 7 + bottom))
    shape = canvas.box(left, top, right, bottom)
    canvas.figure(shape, PLASTER)
    canvas.fill(canvas.box(left, top, right, top + 12), darker(PLASTER, 0.4), 0.6, soft=5)
    if stones:
        _stones(canvas, rng, shape, left, top, right, bottom, (206, 194, 172))
    footing = canvas.box(left, bottom - 7, right, bottom)
    canvas.fill(footing, darker(STONE, 0.1))
    _stones(canvas, rng, footing, left, bottom - 7, right, bottom, STONE)
    posts = np.linspace(left + 2, right - 2, max(2, round((right - left) / 22)))
    for x in posts:
        canvas.fill(canvas.box(x - 2.4, top, x + 2.4, bottom - 1), darker(WOOD, 0.62))
        canvas.fill(canvas.box(x - 1.6, top, x + 1.6, bottom - 1), WOOD)
        canvas.fill(canvas.box(x - 1.6, top, x - 0.6, bottom - 1), lighter(WOOD, 0.25))


def _roof(
    canvas: Canvas, rng: np.random.Generator, corners: list[tuple[float, float]], color: Color
) -> None:
    """Paint rows of shingles between a ridge and an eave.

    Args:
        canvas: The canvas to paint on.
        rng: The source of randomness for the shingles.
        corners: Ridge left, ridge right, eave right, eave left.
        color: The color of the shingles.
    """
    shape = canvas.polygon(corners)
    top, eave = corners[0][1], corners[2][1]
    canvas.fill(shape - 1.6, mix((58, 44, 50), color, 0.15))
    canvas.fill(shape, color)
    courses = max(3, round((eave - top) / 5.5))
    height = (eave - top) / courses
    for course in range(courses):
        y = top + course * height
        band = common(shape, canvas.box(-9, y, canvas.width + 9, y + height))
        canvas.fill(band, mix(lighter(color, 0.16), darker(color, 0.12), course / (courses - 1)))
        for step in range(-1, canvas.width // 6 + 1):
            x = step * 6.4 + (course % 2) * 3.2
            share = rng.uniform(-0.13, 0.13)
            tone = lighter(color, share) if share > 0 else darker(color, -share)
            shingle = canvas.box(x + 0.3, y - 3, x + 6.1, y + height - 0.9, 2.4)
            canvas.fill(common(shingle, band + 0.2), tone, 0.75)
        canvas.fill(
            common(canvas.box(-9, y + height - 1.1, 999, y + height), shape),
            darker(color, 0.38),
            0.8,
        )
    ridge = canvas.line(corners[0][0], top + 0.5, corners[1][0], top + 0.5, 1.6)
    canvas.figure(ridge, lighter(color, 0.1))
    canvas.fill(
        canvas.box(corners[3][0], eave - 1, corners[2][0], eave + 1.6, 1), darker(color, 0.5)
    )


def _door(canvas: Canvas, x: float, foot: float, half: float, height: float) -> None:
    """Paint a plank door with a round top and a step."""
    frame = canvas.box(x - half - 1.6, foot - height - 1.6, x + half + 1.6, foot + half, half + 1)
    frame = common(frame, canvas.y - foot)
    canvas.fill(frame - 1, (58, 44, 50))
    canvas.fill(frame, lighter(STONE, 0.1))
    leaf = common(canvas.box(x - half, foot - height, x + half, foot + half, half), canvas.y - foot)
    canvas.fill(leaf, darker(WOOD, 0.5))
    canvas.fill(leaf + 0.8, darker(WOOD, 0.12))
    for step in (-0.4, 0.0, 0.4):
        grain = canvas.line(x + step * half * 1.3, foot - height, x + step * half * 1.3, foot, 0.4)
        canvas.fill(common(grain, leaf + 0.8), darker(WOOD, 0.5))
    canvas.fill(canvas.circle(x + half * 0.55, foot - height * 0.4, 1.1), (250, 214, 122))
    canvas.figure(canvas.box(x - half - 2, foot - 1, x + half + 2, foot + 2, 1), STONE)


def _window(canvas: Canvas, x: float, y: float, half_x: float, half_y: float) -> None:
    """Paint a lit window with a wide frame and a sill."""
    canvas.fill(
        canvas.box(x - half_x - 2, y - half_y - 2, x + half_x + 2, y + half_y + 2, 1),
        darker(WOOD, 0.62),
    )
    canvas.fill(canvas.box(x - half_x - 1, y - half_y - 1, x + half_x + 1, y + half_y + 1), WOOD)
    canvas.fill(canvas.box(x - half_x, y - half_y, x + half_x, y + half_y), (112, 92, 84))
    pane = canvas.box(x - half_x + 0.5, y - half_y + 1, x + half_x - 0.5, y + half_y - 0.5)
    canvas.fill(pane, GLASS)
    shine = canvas.polygon(
        [(x - half_x, y + half_y), (x - half_x, y - half_y), (x + half_x, y - half_y)]
    )
    canvas.fill(common(shine, pane), lighter(GLASS, 0.5), 0.7)
    canvas.fill(canvas.box(x - 0.6, y - half_y, x + 0.6, y + half_y), darker(WOOD, 0.3))
    canvas.fill(canvas.box(x - half_x, y - 0.6, x + half_x, y + 0.6), darker(WOOD, 0.3))
    canvas.fill(
        canvas.box(x - half_x - 3, y + half_y + 1, x + half_x + 3, y + half_y + 3.4, 1),
        darker(STONE, 0.1),
    )


def _stones(
    canvas: Canvas,
    rng: np.random.Generator,
    shape: Array,
    left: float,
    top: float,
    right: float,
    bottom: float,
    color: Color,
) -> None:
    """Paint rows of cut stone inside a shape."""
    y, row = top, 0
    while y < bottom:
        x = left - 3 - (row % 2) * 4
        while x < right:
            width = rng.uniform(7, 10)
            share = rng.uniform(-0.12, 0.14)
            tone = lighter(color, share) if share > 0 else darker(color, -share)
            canvas.fill(common(canvas.box(x, y, x + width, y + 5.6), shape), darker(color, 0.3))
            canvas.fill(
                common(canvas.box(x + 0.6, y + 0.5, x + width - 0.3, y + 5, 1), shape), tone
            )
            x += width
        y, row = y + 5.6, row + 1


def _clock(canvas: Canvas, x: float, y: float, radius: float) -> None:
    """Paint a clock that shows ten past ten."""
    canvas.figure(canvas.circle(x, y, radius), (250, 244, 226))
    canvas.fill(canvas.line(x, y, x - radius * 0.45, y - radius * 0.4, 0.7), (58, 44, 50))
    canvas.fill(canvas.line(x, y, x + radius * 0.6, y - radius * 0.35, 0.5), (58, 44, 50))


def _tower_top(canvas: Canvas, rng: np.random.Generator) -> None:
    """Paint the bell tower of the hall with its flag."""
    canvas.figure(canvas.box(68, 34, 92, 56), (226, 212, 184))
    _stones(canvas, rng, canvas.box(68, 34, 92, 56), 68, 34, 92, 56, (206, 194, 172))
    canvas.figure(canvas.box(75, 38, 85, 54, 5), (66, 54, 62))
    canvas.figure(canvas.circle(80, 46, 3), (244, 200, 98))
    _roof(canvas, rng, [(79, 14), (81, 14), (97, 36), (63, 36)], BLUE)
    canvas.figure(canvas.box(79.2, 2, 80.8, 15), (210, 180, 120))
    flag = canvas.polygon([(81, 3), (96, 5), (91, 8), (97, 12), (81, 11)])
    canvas.figure(flag, (228, 78, 72))


def _logs(canvas: Canvas, x: float, y: float, rows: int, radius: float) -> None:
    """Paint a pile of logs seen from their cut ends."""
    for row in range(rows):
        count = rows + 1 - row
        for index in range(count):
            cx = x + (index - (count - 1) / 2) * radius * 2.05
            cy = y - row * radius * 1.75
            canvas.figure(canvas.circle(cx, cy, radius), (134, 94, 64))
            canvas.fill(canvas.circle(cx, cy, radius * 0.78), (222, 182, 126))
            for ring in (0.5, 0.22):
                canvas.fill(np.abs(canvas.circle(cx, cy, radius * ring)) - 0.4, (176, 130, 84))


def _sail(canvas: Canvas, x: float, y: float, dx: float, dy: float) -> None:
    """Paint one sail of a mill: a spar, and cloth on a lattice."""
    reach, width = 42.0, 9.0
    side_x, side_y = -dy * width, dx * width
    near, far = (x + dx * 12, y + dy * 12), (x + dx * reach, y + dy * reach)
    cloth = canvas.polygon(
        [near, far, (far[0] + side_x, far[1] + side_y), (near[0] + side_x, near[1] + side_y)]
    )
    canvas.figure(cloth, (244, 234, 212))
    for step in range(1, 6):
        at = 12 + step * 5
        spar = canvas.line(
            x + dx * at, y + dy * at, x + dx * at + side_x, y + dy * at + side_y, 0.4
        )
        canvas.fill(spar, (190, 160, 120))
    canvas.figure(canvas.line(x, y, *far, 1.2), WOOD)
