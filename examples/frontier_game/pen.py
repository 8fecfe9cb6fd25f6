"""Draws rectangles, pictures and text on the screen: all of a screen in two calls."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

import arcade
import numpy as np
from pyglet.graphics import Batch

from tilequad.draw.arcade import SpriteBatch

Color: TypeAlias = tuple[int, int, int, int]

PAPER: Color = (34, 30, 40, 232)
EDGE: Color = (122, 96, 66, 255)
SHINE: Color = (196, 160, 104, 255)
TEXT: Color = (250, 244, 226, 255)
QUIET: Color = (196, 190, 176, 255)
GOLD: Color = (255, 214, 102, 255)
GOOD: Color = (150, 222, 112, 255)
BAD: Color = (255, 122, 104, 255)
FONT = ("DejaVu Sans", "Segoe UI", "Helvetica", "Arial")


class Pen:
    """Collects what a screen shows in a frame, and draws it at once.

    Texts are kept from frame to frame, each under a key, because making one costs more than drawing
    a hundred.

    Args:
        batch: Draws pictures by their numbers.
        numbers: The number of each picture in the batch, by its gid.
        white: The gid of a white picture, for rectangles.
    """

    def __init__(self, batch: SpriteBatch, numbers: np.ndarray, white: int) -> None:
        self._sprites, self._numbers, self._white = batch, numbers, white
        self._texts: dict[tuple[str, float], _Written] = {}
        self._used: set[tuple[str, float]] = set()
        self._labels = Batch()
        self._rows: list[tuple[float, float, int, float, float, Color]] = []

    # -- collecting --

    def rect(self, x: float, y: float, width: float, height: float, color: Color) -> None:
        """Draw a rectangle, given its lower left corner."""
        self._rows.append((x + width / 2, y + height / 2, self._white, width, height, color))

    def frame(self, x: float, y: float, width: float, height: float, color: Color = EDGE) -> None:
        """Draw the outline of a rectangle, two pixels wide."""
        self.rect(x, y, width, 2, color)
        self.rect(x, y + height - 2, width, 2, color)
        self.rect(x, y, 2, height, color)
        self.rect(x + width - 2, y, 2, height, color)

    def panel(self, x: float, y: float, width: float, height: float) -> None:
        """Draw the background of a panel, with its edge."""
        self.rect(x - 3, y - 3, width + 6, height + 6, (14, 12, 18, 200))
        self.rect(x, y, width, height, PAPER)
        self.frame(x, y, width, height)
        self.rect(x + 2, y + height - 3, width - 4, 1, SHINE)

    def picture(
        self, gid: int, x: float, y: float, width: float, height: float, alpha: int = 255
    ) -> None:
        """Draw a picture around a point."""
        self._rows.append((x, y, gid, width, height, (255, 255, 255, alpha)))

    def text(
        self,
        key: str,
        text: str,
        x: float,
        y: float,
        color: Color = TEXT,
        size: float = 12,
        anchor: str = "left",
        bold: bool = False,
    ) -> float:
        """Write a line whose baseline begins at a point; return its width."""
        written = self._texts.get((key, size))
        if written is None:
            label = arcade.Text(
                *(text, 0, 0, color, size), font_name=FONT, anchor_x=anchor, bold=bold,
                batch=self._labels,
            )  # fmt: skip
            written = self._texts[key, size] = _Written(label)
        self._used.add((key, size))
        written.show(text, round(x), round(y), color)
        return written.width

    def lines(
        self, key: str, lines: Sequence[str], x: float, y: float, step: float = 20, **style: object
    ) -> None:
        """Write lines below each other."""
        for number, line in enumerate(lines):
            self.text(f"{key}{number}", line, x, y - step * number, **style)  # type: ignore[arg-type]

    # -- drawing --

    def flush(self) -> None:
        """Draw everything, and begin the next screen."""
        if self._rows:
            x, y, gids, widths, heights, colors = zip(*self._rows, strict=True)
            self._sprites.draw(
                np.stack((x, y), 1),
                self._numbers[list(gids)],
                sizes=np.stack((widths, heights), 1),
                colors=np.array(colors, np.uint8),
            )
        for name, written in self._texts.items():
            if name not in self._used:
                written.hide()
        self._labels.draw()
        self._rows.clear()
        self._used.clear()


class _Written:
    """A text on the screen. It touches its label only where that changes, which is what costs."""

    def __init__(self, label: arcade.Text) -> None:
        self.label = label
        self.width = float(label.content_width)
        self._shown: tuple[str, int, int, Color] | None = None
        self._last = label.text

    def show(self, text: str, x: int, y: int, color: Color) -> None:
        """Show a text at a place."""
        state = text, x, y, color
        if state == self._shown:
            return
        if text != self._last:
            self.label.text = self._last = text
            self.width = float(self.label.content_width)
        self.label.color, self.label.position = color, (x, y)
        if self._shown is None:
            self.label.visible = True
        self._shown = state

    def hide(self) -> None:
        """Show nothing."""
        if self._shown is not None:
            self.label.visible, self._shown = False, None


class Button:
    """A button: a box with a word or a picture, that is pressed with the mouse.

    Args:
        name: What it does, for the window.
        box: Left, bottom, width, height in pixels.
        label: Its word.
        enabled: Whether it can be pressed now.
        lit: Whether it shows a choice that is made.
    """

    def __init__(
        self,
        name: str,
        box: tuple[float, float, float, float],
        label: str = "",
        enabled: bool = True,
        lit: bool = False,
    ) -> None:
        self.name, self.box, self.label = name, box, label
        self.enabled, self.lit = enabled, lit

    def has(self, x: float, y: float) -> bool:
        """Whether a point of the screen lies on it."""
        left, low, width, height = self.box
        return left <= x <= left + width and low <= y <= low + height

    def draw(self, pen: Pen, mouse: tuple[float, float], size: float = 13) -> None:
        """Draw it, brighter below the mouse."""
        left, low, width, height = self.box
        ground: Color = (66, 56, 62, 250) if self.enabled else (44, 40, 46, 235)
        if self.lit:
            ground = (112, 84, 48, 255)
        if self.enabled and self.has(*mouse):
            ground = (138, 104, 60, 255) if self.lit else (96, 80, 74, 255)
        pen.rect(left, low, width, height, ground)
        pen.frame(left, low, width, height, SHINE if self.enabled else EDGE)
        color = TEXT if self.enabled else (140, 132, 128, 255)
        pen.text(
            f"button {self.name}", self.label, left + width / 2, low + height / 2 - size * 0.38,
            color, size, "center",
        )  # fmt: skip
