"""People and effects: villagers, enemies, shots.

Every figure is drawn in a cell of 48 x 48 pixels with its feet at (24, 43). It has three pictures
in each of four directions (down, left, right, up): standing, one foot forward, the other forward.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from math import cos, pi, sin

import numpy as np
from PIL import Image, ImageOps

from .paint import Canvas, Color, common, darker, lighter, mix

SIZE = 48
FACINGS = ("down", "left", "right", "up")
STEPS = 3
EFFECT_SIZE = 24
COLUMNS = len(FACINGS) * STEPS
#: Position of the feet in the cell.
FEET = (24.0, 43.0)

STEEL: Color = (182, 192, 204)
STONE: Color = (172, 172, 178)
LOG: Color = (146, 102, 68)
GOLD: Color = (246, 200, 74)


@dataclass(frozen=True)
class Look:
    """Body, clothes and tools of one type of figure."""

    skin: Color
    shirt: Color
    legs: Color
    hair: Color | None = None
    size: float = 1.0
    stout: float = 1.0
    hat: str = ""
    ears: bool = False
    tusks: bool = False
    eyes: Color = (46, 36, 44)
    bones: bool = False
    tool: str = ""
    dress: bool = False
    load: str = ""


SKIN: Color = (248, 206, 168)
ANGRY: Color = (206, 52, 40)

LOOKS: dict[str, Look] = {
    "villager_blue": Look(SKIN, (74, 128, 190), (112, 84, 70), hair=(120, 76, 48)),
    "villager_red": Look(
        (236, 184, 146), (196, 84, 74), (96, 90, 84), hair=(62, 48, 46), hat="straw"
    ),
    "villager_green": Look(
        SKIN, (96, 158, 98), (96, 158, 98), hair=(206, 116, 58), hat="scarf", dress=True
    ),
    "goblin": Look(
        (142, 186, 74),
        (150, 92, 58),
        (110, 74, 54),
        size=0.88,
        ears=True,
        eyes=ANGRY,
        tool="dagger",
    ),
    "orc": Look(
        (116, 146, 98),
        (104, 88, 92),
        (74, 62, 62),
        stout=1.22,
        hat="helmet",
        tusks=True,
        tool="axe",
    ),
    "skeleton": Look(
        (232, 226, 208), (206, 198, 178), (190, 182, 164), stout=0.82, bones=True, tool="sword"
    ),
    "ogre": Look(
        (164, 150, 196), (142, 92, 64), (104, 72, 60), size=1.36, stout=1.3, tusks=True, tool="club"
    ),
}
VILLAGERS = ("villager_blue", "villager_red", "villager_green")
LOOKS |= {
    f"{name}_{load}": replace(LOOKS[name], load=load)
    for load in ("wood", "stone", "gold")
    for name in VILLAGERS
}


def figure(look: Look, facing: str, step: int) -> Image.Image:
    """Draw one figure. Left is the mirror image of right."""
    if facing == "left":
        return ImageOps.mirror(figure(look, "right", step))
    canvas = Canvas(SIZE, SIZE)
    painter = _Figure(canvas, look, facing, step)
    painter.paint()
    return canvas.image()


class _Figure:
    """Paint one figure from the ground up."""

    def __init__(self, canvas: Canvas, look: Look, facing: str, step: int) -> None:
        self.canvas, self.look, self.facing = canvas, look, facing
        self.stride = (0, 1, -1)[step]
        self.scale = look.size
        self.bob = 0.0 if self.stride == 0 else -0.8

    def paint(self) -> None:
        """Paint legs, far arm, body, head and near arm."""
        canvas, look = self.canvas, self.look
        canvas.shadow(FEET[0] + 0.5, FEET[1], 9.5 * look.stout * self.scale, 3.6 * self.scale)
        self._legs()
        if self.facing == "up":
            self._tool()
        self._arm(far=True)
        self._body()
        if look.load and self.facing != "up":
            self._bundle()
        self._head()
        self._arm(far=False)
        if self.facing != "up":
            self._tool()
        elif look.load:
            self._bundle()

    def _at(self, x: float, up: float) -> tuple[float, float]:
        """Return a point in the cell, scaled: x from its center, `up` from the feet."""
        return FEET[0] + x * self.scale, FEET[1] - up * self.scale + self.bob

    def _ball(self, x: float, up: float, radius_x: float, radius_y: float, color: Color) -> None:
        px, py = self._at(x, up)
        shape = self.canvas.ellipse(px, py, radius_x * self.scale, radius_y * self.scale)
        self.canvas.figure(shape, color, edge=0.9)

    def _limb(
        self, a: tuple[float, float], b: tuple[float, float], half: float, color: Color
    ) -> None:
        shape = self.canvas.line(*self._at(*a), *self._at(*b), half * self.scale)
        self.canvas.figure(shape, color, edge=0.9)

    def _legs(self) -> None:
        stout = self.look.stout
        for side in (-1, 1):
            lift = max(0, self.stride * side)
            if self.facing == "right":
                foot = (self.stride * side * 3.6, 1.2 + lift * 0.8)
            else:
                foot = (side * 2.8 * stout, 1.0 + lift * 2.2)
            hip = (foot[0] * 0.5 if self.facing == "right" else foot[0], 7.0)
            self._limb(hip, foot, 1.7 * min(stout, 1.2), self.look.legs)
            shoe = (foot[0] + (0.9 if self.facing == "right" else 0), foot[1] - 0.2)
            self._ball(*shoe, 2.3, 1.5, darker(self.look.legs, 0.4))

    def _body(self) -> None:
        look, canvas = self.look, self.canvas
        x, y = self._at(0, 11)
        wide = (5.6 if self.facing != "right" else 4.7) * look.stout * self.scale
        high = 6.0 * self.scale
        if look.dress:
            shape = canvas.polygon(
                [
                    (x - wide * 0.7, y - high),
                    (x + wide * 0.7, y - high),
                    (x + wide * 1.25, y + high * 1.3),
                    (x - wide * 1.25, y + high * 1.3),
                ]
            )
            canvas.figure(shape - 1, look.shirt, edge=0.9)
            apron = canvas.box(x - wide * 0.55, y - 1, x + wide * 0.55, y + high * 1.2, 1)
            if self.facing == "down":
                canvas.fill(apron, (244, 238, 222))
            return
        shape = canvas.box(x - wide, y - high, x + wide, y + high, 3.6 * self.scale)
        canvas.figure(shape, look.shirt, edge=0.9)
        belt = canvas.box(x - 20, y + high * 0.42, x + 20, y + high * 0.42 + 2.0 * self.scale)
        canvas.fill(common(shape, belt), darker(look.shirt, 0.45))
        if look.bones:
            for row in range(3):
                rib = canvas.box(
                    x - wide + 1.2, y - 3.6 + row * 2.6, x + wide - 1.2, y - 2.6 + row * 2.6
                )
                canvas.fill(common(rib, shape), darker(look.shirt, 0.5))

    def _arm(self, far: bool) -> None:
        look = self.look
        swing = self.stride * (1 if far else -1)
        reach = 6.3 * look.stout
        if self.facing == "right":
            if far:
                return
            hand = (swing * 3.4 + 0.6, 7.4)
            shoulder = (0.0, 14.0)
        else:
            side = -1 if far else 1
            hand = (side * (reach + 0.6), 7.6 + swing * 1.3)
            shoulder = (side * (reach - 0.9), 14.0)
        if look.load:
            hand = (hand[0] * 0.75, 15.5)
        middle = ((shoulder[0] + hand[0]) / 2, (shoulder[1] + hand[1]) / 2)
        self._limb(shoulder, hand, 1.6 * min(look.stout, 1.2), look.skin)
        self._limb(shoulder, middle, 1.9 * min(look.stout, 1.2), look.shirt)

    def _head(self) -> None:
        look, radius = self.look, 7.3
        if look.ears:
            self._ears()
        self._ball(0, 22.5, radius, radius * 0.95, look.skin)
        if look.hair:
            self._hair(look.hair)
        if self.facing != "up":
            self._face()
        if look.hat:
            {"straw": self._straw_hat, "scarf": self._scarf, "helmet": self._helmet}[look.hat]()

    def _straw_hat(self) -> None:
        canvas = self.canvas
        x, y = self._at(0, 26.5)
        brim = canvas.ellipse(x, y, 10.4 * self.scale, 3.4 * self.scale)
        canvas.figure(brim, (232, 196, 112), edge=0.9)
        crown = common(canvas.ellipse(x, y - 1, 6, 6), canvas.y - y)
        canvas.figure(crown, (238, 206, 126), edge=0.9)
        canvas.fill(common(crown, canvas.box(x - 9, y - 2.4, x + 9, y - 0.4)), (190, 84, 70))

    def _scarf(self) -> None:
        canvas = self.canvas
        x, y = self._at(0, 23.0)
        dome = canvas.circle(x, y, 8.1)
        low = y + 6 if self.facing == "up" else y - 2
        canvas.figure(common(dome, canvas.y - low), (226, 90, 96), edge=0.9)
        for right, up in ((-3, 3), (2, 5), (5, 2.4), (-5.5, 0.6)):
            spot = canvas.circle(x + right, y - up, 0.9)
            canvas.fill(common(spot, dome, canvas.y - low), (252, 238, 226))

    def _helmet(self) -> None:
        canvas = self.canvas
        x, y = self._at(0, 22.6)
        low = y if self.facing == "up" else y - 2
        canvas.figure(
            common(canvas.circle(x, y, 8.2), canvas.y - low), darker(STEEL, 0.12), edge=0.9
        )
        canvas.fill(canvas.box(x - 8.2, y - 3.4, x + 8.2, y - 1.6, 1), darker(STEEL, 0.45))
        for side in (-1, 1):
            horn = [(6.6, -4.5), (11.6, -9.5), (7.4, -1.4)]
            shape = canvas.polygon([(x + side * right, y + down) for right, down in horn])
            canvas.figure(shape, (236, 222, 190), edge=0.9)

    def _ears(self) -> None:
        for side in (-1, 1):
            if self.facing == "right" and side > 0:
                continue
            tip = (side * 13.5, 25.5) if self.facing != "right" else (-10.5, 27.0)
            root = side * 5.0 if self.facing != "right" else -2.5
            points = [self._at(root, 26.0), self._at(*tip), self._at(root, 20.0)]
            self.canvas.figure(self.canvas.polygon(points) - 0.4, self.look.skin, edge=0.9)
            inner = [
                self._at(root, 24.0),
                self._at(tip[0] * 0.8, tip[1] - 0.8),
                self._at(root, 21.5),
            ]
            self.canvas.fill(self.canvas.polygon(inner), mix(self.look.skin, (214, 110, 96), 0.5))

    def _hair(self, color: Color) -> None:
        canvas = self.canvas
        x, y = self._at(0, 22.9)
        radius = 7.9 * self.scale
        dome = canvas.ellipse(x, y, radius, radius * 0.97)
        if self.facing == "up":
            lock = common(dome, canvas.y - y - 4.5 * self.scale)
        elif self.facing == "right":
            slope = (canvas.y - y) + (canvas.x - x) * 0.75
            lock = common(dome, slope + 0.6 * self.scale)
        else:
            fringe = np.abs(canvas.x - x + 1.6) * 0.34
            lock = common(dome, canvas.y - y + 3.4 * self.scale - fringe)
        canvas.figure(lock, color, edge=0.9)

    def _face(self) -> None:
        look, canvas = self.look, self.canvas
        eyes = (-2.9, 2.9) if self.facing == "down" else (4.0,)
        for eye in eyes:
            x, y = self._at(eye, 21.6)
            if look.bones:
                canvas.fill(canvas.ellipse(x, y, 1.9, 2.1), look.eyes)
                canvas.fill(canvas.circle(x + 0.2, y + 0.2, 0.7), (226, 74, 66))
            else:
                canvas.fill(canvas.ellipse(x, y, 1.15 * self.scale, 1.6 * self.scale), look.eyes)
                canvas.fill(canvas.circle(x - 0.4, y - 0.6, 0.45), (255, 250, 240))
            if look.tusks or look.ears:
                lean = 1 if eye > 0 else -1
                brow = canvas.line(x - lean * 1.8, y - 1.6, x + lean * 1.6, y - 3.0, 0.6)
                canvas.fill(brow, darker(look.skin, 0.65))
        if not (look.tusks or look.ears or look.bones):
            for eye in eyes:
                x, y = self._at(eye * 1.5, 19.2)
                canvas.fill(canvas.ellipse(x, y, 1.6, 1.0), (240, 142, 122), 0.55, soft=0.8)
        self._mouth()

    def _mouth(self) -> None:
        look, canvas = self.look, self.canvas
        mouth_x = 0.0 if self.facing == "down" else 4.6
        x, y = self._at(mouth_x, 18.0)
        if look.tusks:
            canvas.fill(canvas.line(x - 2.4, y, x + 2.4, y, 0.6), darker(look.skin, 0.7))
            for side in (-1, 1):
                tusk = [(x + side * 2.6 - 0.9, y + 0.6), (x + side * 2.6 + 0.9, y + 0.6)]
                canvas.fill(canvas.polygon([*tusk, (x + side * 2.8, y - 2.8)]) - 0.5, (92, 72, 66))
                canvas.fill(canvas.polygon([*tusk, (x + side * 2.8, y - 2.8)]), (252, 244, 222))
        elif look.bones:
            for tooth in (-2, 0, 2):
                canvas.fill(
                    canvas.box(x + tooth - 0.7, y - 0.9, x + tooth + 0.7, y + 1.2), (96, 84, 84)
                )
        elif look.ears:
            canvas.fill(
                canvas.line(x - 1.8, y + 0.4, x + 1.8, y - 0.4, 0.5), darker(look.skin, 0.7)
            )

    def _tool(self) -> None:
        if not self.look.tool:
            return
        side = 1 if self.facing == "down" else -1 if self.facing == "up" else 0
        swing = -self.stride
        x = side * 7.0 * self.look.stout if side else swing * 2.0 + 6.4
        up = 7.6 + (swing * 1.3 if side else 0)
        hand = self._at(x, up)
        PAINT_TOOL[self.look.tool](self.canvas, *hand, self.scale)

    def _bundle(self) -> None:
        """Paint logs, a block of stone or gold on the shoulders or in front of the chest."""
        canvas = self.canvas
        if self.look.load in ("stone", "gold"):
            color = STONE if self.look.load == "stone" else GOLD
            x, y = self._at(-5.2 if self.facing == "right" else 0, 14.0)
            half = 4.4 if self.facing == "right" else 7.0
            canvas.figure(canvas.box(x - half, y - 3.4, x + half, y + 3.6, 1.4), color, edge=0.9)
            canvas.fill(canvas.line(x - 1, y - 3, x, y + 3, 0.4), darker(color, 0.4))
            return
        if self.facing == "right":
            for x, up in ((-6.4, 16.2), (-7.0, 11.6), (-3.0, 13.6)):
                px, py = self._at(x, up)
                canvas.figure(canvas.circle(px, py, 2.7), LOG, edge=0.9)
                canvas.fill(canvas.circle(px, py, 2.0), (224, 184, 128))
                canvas.fill(np.abs(canvas.circle(px, py, 1.0)) - 0.3, (176, 130, 84))
            return
        for up in (12.6, 15.6):
            a, b = self._at(-8.6, up), self._at(8.6, up)
            canvas.figure(canvas.line(*a, *b, 1.9), LOG, edge=0.9)
            canvas.fill(canvas.circle(b[0] + 0.4, b[1], 1.5), (224, 184, 128))


def _dagger(canvas: Canvas, x: float, y: float, scale: float) -> None:
    canvas.figure(canvas.polygon([(x - 1, y), (x + 1.6, y), (x + 3.4, y - 9)]), STEEL, edge=0.8)
    canvas.figure(canvas.line(x - 1.6, y, x + 2, y, 0.8), (120, 84, 58), edge=0.7)


def _sword(canvas: Canvas, x: float, y: float, scale: float) -> None:
    canvas.figure(
        canvas.polygon([(x - 1, y), (x + 1.4, y), (x + 3.4, y - 14), (x + 1, y - 13)]),
        STEEL,
        edge=0.8,
    )
    canvas.figure(canvas.line(x - 2.4, y, x + 2.8, y, 0.9), (150, 116, 74), edge=0.7)


def _axe(canvas: Canvas, x: float, y: float, scale: float) -> None:
    canvas.figure(canvas.line(x, y + 4, x + 1.6, y - 11, 0.9), (140, 98, 66), edge=0.8)
    blade = [(x + 0.6, y - 12), (x + 6.4, y - 13), (x + 7.2, y - 6.5), (x + 1, y - 7.5)]
    canvas.figure(canvas.polygon(blade), STEEL, edge=0.8)


def _club(canvas: Canvas, x: float, y: float, scale: float) -> None:
    club = [
        (x - 1.2, y + 4),
        (x + 1.2, y + 4),
        (x + 5.4, y - 14),
        (x + 0.6, y - 16),
        (x - 2.4, y - 12),
    ]
    canvas.figure(canvas.polygon(club) - 0.8, (150, 108, 72), edge=0.9)
    for dx, dy in ((0.4, -13), (3.2, -11), (0.6, -8)):
        canvas.fill(canvas.circle(x + dx, y + dy, 1), (214, 210, 204))


PAINT_TOOL = {"dagger": _dagger, "sword": _sword, "axe": _axe, "club": _club}


# -- effects --


def _arrow() -> Image.Image:
    canvas = Canvas(EFFECT_SIZE, EFFECT_SIZE)
    canvas.figure(canvas.line(4, 12, 19, 12, 0.7), (176, 128, 84), edge=0.8)
    canvas.figure(canvas.polygon([(18, 9.4), (23, 12), (18, 14.6)]), STEEL, edge=0.7)
    for y in (10, 14):
        canvas.figure(canvas.line(2.4, y, 6, 12, 0.8), (244, 238, 226), edge=0.6)
    return canvas.image()


def _bolt() -> Image.Image:
    """Draw a glowing shot."""
    canvas = Canvas(EFFECT_SIZE, EFFECT_SIZE)
    canvas.glow(12, 12, 10, 10, (255, 184, 76), 0.5)
    canvas.fill(canvas.ellipse(12, 12, 6, 4), (255, 150, 60))
    canvas.fill(canvas.ellipse(13, 12, 4, 2.6), (255, 226, 130))
    return canvas.image()


def _felling_axe() -> Image.Image:
    """Draw an axe with the end of its handle at the center of the cell."""
    canvas = Canvas(EFFECT_SIZE, EFFECT_SIZE)
    canvas.figure(canvas.line(12, 12, 21, 12, 0.8), (176, 124, 78), edge=0.8)
    blade = canvas.polygon([(18, 11), (22, 11), (23, 17), (17, 17)])
    canvas.figure(blade, lighter(STEEL, 0.2), edge=0.8)
    return canvas.image()


def _wood() -> Image.Image:
    """Draw three logs, the icon for wood."""
    canvas = Canvas(EFFECT_SIZE, EFFECT_SIZE)
    for x, y in ((7, 15), (15.5, 15), (11.3, 8.4)):
        canvas.figure(canvas.line(x + 1.5, y - 1.5, x + 3, y - 3, 3.6), LOG)
        canvas.figure(canvas.circle(x, y, 3.8), (224, 184, 128))
        canvas.fill(np.abs(canvas.circle(x, y, 1.8)) - 0.4, (176, 130, 84))
    return canvas.image()


def _frost() -> Image.Image:
    canvas = Canvas(EFFECT_SIZE, EFFECT_SIZE)
    canvas.glow(12, 12, 9, 7, (150, 226, 255), 0.8)
    canvas.figure(canvas.polygon([(4, 12), (11, 8.5), (20, 12), (11, 15.5)]), (206, 244, 255))
    canvas.fill(canvas.polygon([(7, 12), (11, 10), (17, 12)]), (255, 255, 255))
    return canvas.image()


def _ball() -> Image.Image:
    canvas = Canvas(EFFECT_SIZE, EFFECT_SIZE)
    canvas.figure(canvas.circle(12, 12, 5), (66, 64, 78))
    canvas.fill(canvas.circle(10.2, 10.2, 1.6), (190, 194, 210))
    return canvas.image()


def _nugget() -> Image.Image:
    canvas = Canvas(EFFECT_SIZE, EFFECT_SIZE)
    for x, y, radius in ((9, 14, 4), (15, 14, 4), (12, 9.5, 4)):
        canvas.figure(canvas.circle(x, y, radius), GOLD)
        canvas.fill(canvas.circle(x - 1, y - 1.2, 1.3), (255, 246, 200))
    return canvas.image()


def _rock() -> Image.Image:
    canvas = Canvas(EFFECT_SIZE, EFFECT_SIZE)
    canvas.figure(canvas.polygon([(4, 16), (6, 9), (13, 6), (19, 11), (20, 17), (12, 19)]), STONE)
    canvas.fill(canvas.polygon([(7, 11), (13, 8), (16, 11), (10, 13)]), lighter(STONE, 0.4))
    return canvas.image()


def _white() -> Image.Image:
    """Draw a white cell to be tinted, for bars and dots."""
    canvas = Canvas(EFFECT_SIZE, EFFECT_SIZE)
    canvas.fill(canvas.box(-2, -2, 30, 30), (255, 255, 255))
    return canvas.image()


def _dust(step: int) -> Image.Image:
    canvas = Canvas(EFFECT_SIZE, EFFECT_SIZE)
    rng = np.random.default_rng(9700)
    for _ in range(7):
        angle = rng.uniform(0, 2 * pi)
        reach = (2.5 + step * 2.0) * rng.uniform(0.5, 1)
        x, y = 12 + reach * cos(angle), 12 + reach * sin(angle) * 0.8
        canvas.fill(
            canvas.circle(x, y, 3.6 - step * 0.6), (236, 224, 196), 0.75 - step * 0.15, soft=0.8
        )
    return canvas.image()


def _spark(step: int) -> Image.Image:
    canvas = Canvas(EFFECT_SIZE, EFFECT_SIZE)
    for ray in range(8):
        angle = ray * pi / 4 + 0.2
        near, far = 1.5 + step * 2.2, 4.5 + step * 2.4
        color = ((255, 250, 220), (255, 224, 120), (250, 160, 70))[step]
        canvas.fill(
            canvas.line(
                12 + near * cos(angle),
                12 + near * sin(angle),
                12 + far * cos(angle),
                12 + far * sin(angle),
                0.9 - step * 0.15,
            ),
            color,
        )
    return canvas.image()


#: Every picture of every figure, by name, in the order of the sheet.
FIGURES: dict[str, Callable[[], Image.Image]] = {
    f"{kind}_{facing}_{step}": partial(figure, look, facing, step)
    for kind, look in LOOKS.items()
    for facing in FACINGS
    for step in range(STEPS)
}

#: Small things that fly, fall and fade. Each is centered in its cell and points right.
EFFECTS: dict[str, Callable[[], Image.Image]] = {
    "arrow": _arrow,
    "bolt": _bolt,
    "axe": _felling_axe,
    "wood": _wood,
    **{f"dust_{step}": partial(_dust, step) for step in range(4)},
    **{f"spark_{step}": partial(_spark, step) for step in range(3)},
    "white": _white,
    "frost": _frost,
    "ball": _ball,
    "gold": _nugget,
    "stone": _rock,
}
