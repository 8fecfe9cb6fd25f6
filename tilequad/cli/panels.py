"""The panels of the map viewer: a line of figures, and the list of keys."""

from __future__ import annotations

from time import perf_counter

import arcade

__all__ = ["FiguresPanel", "KeysPanel"]

KEYS = """\
drag, arrow keys   move
wheel, + and -     zoom
Home               show the whole map
1 to 9             show or hide a layer
O                  show the outlines of objects
Q                  show the trees that cull the layers
F12                save a picture
F1                 show these keys
Esc                quit"""

FONT = ("DejaVu Sans Mono", "Menlo", "Consolas", "Courier New")
FONT_SIZE = 11
TEXT_COLOR = (235, 240, 235, 255)
PANEL_COLOR = (20, 24, 28, 205)
UPDATE_INTERVAL = 0.25  # seconds
LINE_HEIGHT = 30  # pixels
KEYS_WIDTH = 520  # pixels


class FiguresPanel:
    """One line at the lower edge: tiles drawn, time for culling, frames per second, zoom."""

    def __init__(self) -> None:
        self._line = arcade.Text("", 10, 9, TEXT_COLOR, FONT_SIZE, font_name=FONT)
        self._started = perf_counter()
        self._frames = 0

    @property
    def text(self) -> str:
        """The line of figures."""
        return self._line.text

    def count_frame(self, drawn: int, visible: int, cull_time: float, zoom: float) -> None:
        """Count a frame, and rewrite the line four times a second.

        Args:
            drawn: Tiles, objects and images drawn in this frame.
            visible: All those of the visible layers.
            cull_time: Seconds that culling took.
            zoom: Of the camera.
        """
        self._frames += 1
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
        """Draw the line across a window of some width."""
        arcade.draw_lbwh_rectangle_filled(0, 0, width, LINE_HEIGHT, PANEL_COLOR)
        self._line.draw()


class KeysPanel:
    """The list of keys, above the line of figures."""

    def __init__(self) -> None:
        self._text = arcade.Text(
            KEYS, 24, LINE_HEIGHT + 10, TEXT_COLOR, FONT_SIZE,
            font_name=FONT, anchor_y="bottom", multiline=True, width=KEYS_WIDTH,
        )  # fmt: skip

    def draw(self) -> None:
        """Draw the list."""
        height = self._text.content_height + 8
        arcade.draw_lbwh_rectangle_filled(10, LINE_HEIGHT + 8, KEYS_WIDTH, height, PANEL_COLOR)
        self._text.draw()
