"""The panels of the map viewer: figures, keys, the list of layers, what is under the mouse."""

from __future__ import annotations

from collections.abc import Sequence
from time import perf_counter

import arcade

from tilequad.tiled import Layer

__all__ = ["FiguresPanel", "InspectionPanel", "KeysPanel", "LayersPanel"]

KEYS = """\
drag, arrow keys   move
wheel, + and -     zoom
Home               show the whole map
L                  list the layers; click one to show or hide it
1 to 9             show or hide a layer
O                  show all objects, or only tiles and texts
G                  show the grid
Q                  show the trees that cull the layers, and the nodes in view
I                  show the tile or object under the mouse
A                  stop and go on with animations
P                  stop and go on with parallax
R                  read the file again; it is read again by itself when it is saved
F12                save a picture
F1                 show these keys
Esc                quit"""

FONT = ("DejaVu Sans Mono", "Menlo", "Consolas", "Courier New")
FONT_SIZE = 11
TEXT_COLOR = (235, 240, 235, 255)
PANEL_COLOR = (20, 24, 28, 205)
UPDATE_INTERVAL = 0.25  # seconds
MESSAGE_TIME = 4.0  # seconds
LINE_HEIGHT = 30  # pixels
ROW_HEIGHT = 19
LAYERS_WIDTH = 420
INSPECTION_WIDTH = 340
LONGEST = 32  # letters of a name
KEYS_WIDTH = 760  # pixels


class FiguresPanel:
    """One line at the lower edge: tiles drawn, time for culling, frames per second, zoom."""

    def __init__(self) -> None:
        self._line = arcade.Text("", 10, 9, TEXT_COLOR, FONT_SIZE, font_name=FONT)
        self._started = perf_counter()
        self._frames = 0
        self._until = 0.0  # when the message ends

    @property
    def text(self) -> str:
        """The line of figures."""
        return self._line.text

    def say(self, message: str) -> None:
        """Show a message instead of the figures for some seconds."""
        self._until = perf_counter() + MESSAGE_TIME
        self._line.text = message

    def count_frame(self, drawn: int, visible: int, cull_time: float, zoom: float) -> None:
        """Count a frame, and rewrite the line four times a second.

        In it, some of the tiles, objects and images of all visible layers were drawn, culled in
        some seconds.
        """
        self._frames += 1
        if perf_counter() < self._until:
            return
        seconds = perf_counter() - self._started
        if self._line.text and seconds < UPDATE_INTERVAL:
            return
        rate = f"{self._frames / seconds:.0f}" if self._line.text else "-"
        self._line.text = (
            f"{drawn:,} of {visible:,} drawn   culled in {cull_time * 1000:.2f} ms   "
            f"{rate} fps   zoom {zoom:.2f}   F1 keys"
        )
        self._started, self._frames = perf_counter(), 0

    def draw(self, width: float) -> None:
        """Draw the line across a window of the given width."""
        arcade.draw_lbwh_rectangle_filled(0, 0, width, LINE_HEIGHT, PANEL_COLOR)
        self._line.draw()


class KeysPanel:
    """The list of keys, above the line of figures."""

    def __init__(self) -> None:
        self._text = lines_of(KEYS_WIDTH, KEYS, 24, LINE_HEIGHT + 10, "bottom")

    def draw(self) -> None:
        """Draw the list."""
        height = self._text.content_height + 8
        arcade.draw_lbwh_rectangle_filled(10, LINE_HEIGHT + 8, KEYS_WIDTH, height, PANEL_COLOR)
        self._text.draw()


class LayersPanel:
    """The list of layers, topmost first, each with a switch."""

    def __init__(self) -> None:
        self._text = lines_of(LAYERS_WIDTH, x=22)
        self._rows: list[Layer | None] = []  # None is the line that counts the others
        self._box = 0.0, 0.0, 0.0, 0.0  # left, bottom, right, top

    def draw(self, layers: Sequence[Layer], height: float) -> None:
        """Draw the list at the left edge of a window of the given height."""
        most = max(int((height - 2 * LINE_HEIGHT - 30) // ROW_HEIGHT), 1)
        topmost = list(reversed(layers))[:most]
        lines = [f"[{'x' if layer.visible else ' '}] {shown(layer)}" for layer in topmost]
        self._rows = [*topmost]
        if len(layers) > most:
            lines[-1] = f"    and {len(layers) - most + 1} more"
            self._rows[-1] = None
        text = "\n".join(lines) or "no layers"
        if self._text.text != text:
            self._text.text = text
        top = height - 12
        self._text.y = top - 6
        bottom = top - self._text.content_height - 12
        right = min(self._text.content_width, LAYERS_WIDTH) + 36
        arcade.draw_lbwh_rectangle_filled(12, bottom, right - 12, top - bottom, PANEL_COLOR)
        self._text.draw()
        self._box = 12, bottom, right, top

    def layer_at(self, x: float, y: float) -> Layer | None:
        """Return the layer whose line is at a point of the window."""
        left, bottom, right, top = self._box
        if not (left <= x <= right and bottom < y < top) or not self._rows:
            return None
        row = int((top - 6 - y) / (self._text.content_height / len(self._rows)))
        return self._rows[row] if 0 <= row < len(self._rows) else None


class InspectionPanel:
    """A description of what is under the mouse, at the right edge."""

    def __init__(self) -> None:
        self._text = lines_of(INSPECTION_WIDTH)

    @property
    def text(self) -> str:
        """The text of the panel."""
        return self._text.text

    def draw(self, text: str, width: float, height: float) -> None:
        """Draw a text in a window of the given size."""
        if self._text.text != text:
            self._text.text = text
        left, top = width - INSPECTION_WIDTH - 22, height - 12
        self._text.position = left + 10, top - 6
        high = self._text.content_height + 12
        arcade.draw_lbwh_rectangle_filled(
            left, top - high, INSPECTION_WIDTH + 10, high, PANEL_COLOR
        )
        self._text.draw()


def lines_of(
    width: int, words: str = "", x: float = 0, y: float = 0, anchor: str = "top"
) -> arcade.Text:
    """Return a text of some lines, no wider than a panel."""
    return arcade.Text(
        words, x, y, TEXT_COLOR, FONT_SIZE,
        font_name=FONT, anchor_y=anchor, multiline=True, width=width,
    )  # fmt: skip


def shown(layer: Layer) -> str:
    """The line of a layer."""
    name = layer.name if len(layer.name) <= LONGEST else layer.name[: LONGEST - 3] + "..."
    return f"{name} ({len(layer):,})"
