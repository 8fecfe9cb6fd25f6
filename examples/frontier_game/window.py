"""The game in a python-arcade window: what is drawn when, and what keys and mouse do."""

from __future__ import annotations

import sys
from pathlib import Path
from time import perf_counter

import arcade
from arcade import key
from PIL import Image

from .dialogs import Dialogs
from .hud import Hud
from .map_camera import MapCamera
from .painter import Painter
from .panels import TOP, Panels
from .pen import BAD, GOOD, Button, Pen
from .scene import Scene
from .session import Session
from .settings import TowerType
from .stress_panel import StressPanel
from .towers import Tower
from .villagers import Villager

PAN_SPEED = 900.0  # screen pixels a second, by the arrow keys
ZOOM_STEP = 1.15
LEAST_SIZE = 1232, 660  # of the window, in pixels: the panels fit
CLICK = 6  # a mouse that moves less while it is pressed has clicked, in pixels
KINDS = (key.KEY_1, key.KEY_2, key.KEY_3, key.KEY_4, key.KEY_5, key.KEY_6, key.KEY_7)
DEEDS = {  # of keys, as the session calls them
    key.T: "train", key.P: "policy", key.DELETE: "sell", key.BACKSPACE: "sell", key.N: "wave",
    key.Z: "trade wood", key.X: "trade stone", key.C: "trade gold", key.SPACE: "pause",
    key.PLUS: "faster", key.EQUAL: "faster", key.NUM_ADD: "faster", key.MINUS: "slower",
    key.NUM_SUBTRACT: "slower", key.F5: "save", key.F9: "load", key.R: "show ranges",
    key.F: "show fog", key.Q: "show trees", key.BRACKETLEFT: "leaves smaller",
    key.BRACKETRIGHT: "leaves larger", key.F1: "help", key.F2: "stress", key.B: "brute",
    key.ESCAPE: "cancel",
}  # fmt: skip
ANYWHERE = (key.F1, key.F2, key.F9, key.ESCAPE)  # keys that also work on the title


class Window(arcade.Window):
    """A window that shows a scene, and lets the player play a session.

    Args:
        size: Width and height in pixels.
    """

    def __init__(self, size: tuple[int, int]) -> None:
        super().__init__(*size, "tilequad: the frontier", resizable=True)
        if not self.headless:
            self.set_minimum_size(*LEAST_SIZE)

    def stage(self, scene: Scene, hud: Hud, session: Session | None = None) -> None:
        """Prepare to draw a scene.

        Args:
            scene: The scene to draw.
            hud: The lines at the top of the screen where nobody plays.
            session: What the player plays; None if nobody does.
        """
        self.scene, self.hud, self.session = scene, hud, session
        self.camera = MapCamera(scene.tile_map.bounds, scene.start)
        self.painter = Painter(self, scene)
        self.pen, self.ghost_pen = (
            Pen(self.painter.batch, self.painter.numbers, scene.pictures.gids["white"])
            for _ in range(2)
        )
        self.rate = 0.0
        self._due = 0.0  # seconds that are not played yet
        self._costs: dict[str, float] = {}  # the seconds of a frame, by part
        self.buttons: list[Button] = []
        self.pointer = (0.0, 0.0)
        self._held: set[int] = set()
        self._pressed_at: tuple[float, float] | None = None
        if session is not None:
            self.panels = Panels(session, scene.pictures)
            self.dialogs = Dialogs(session)
            self.stress_panel = StressPanel(session)

    # -- arcade calls these methods --

    def on_update(self, delta_time: float) -> None:
        """Pan while arrow keys are held. `on_refresh` plays the ticks of this time."""
        if self.session is None:
            return
        self._due += delta_time
        self.scene.game = self.session.game
        self.rate += 0.08 * (1 / max(delta_time, 1e-6) - self.rate)
        right = (key.RIGHT in self._held) - (key.LEFT in self._held)
        up = (key.UP in self._held) - (key.DOWN in self._held)
        step = PAN_SPEED * delta_time
        self.camera.drag(-right * step, -up * step)

    def on_draw(self) -> None:
        """Draw the land, and the panels of the screen."""
        started = perf_counter()
        self.clear(self.scene.tile_map.background_color)
        session, reason, view = self.session, None, self.camera.view
        with self.camera.camera.activate():
            self.painter.draw(view, session)
            if session is not None and self._places:
                reason = self.painter.draw_ghost(session, self.camera.world(*self.pointer))
        drawn = perf_counter()
        with self.default_camera.activate():
            if session is None:
                self.painter.draw_minimap(view)
                self.hud.draw(self.pen, self.size)
                self.pen.flush()
                return
            if session.screen == "play":
                self.painter.draw_minimap(view, session.shows["fog"])
                self._draw_play(reason)
            else:
                self.buttons = self.dialogs.draw(self.pen, self.size, self.pointer)
            self.pen.flush()
        panels, culling = perf_counter() - drawn, self.scene.cull_seconds
        drawing = drawn - started - culling
        self._costs = {"culling": culling, "drawing": drawing, "panels": panels}

    def on_refresh(self, delta_time: float) -> None:
        """Play the ticks that are due, while the GPU draws the frame that shows those before."""
        if self.session is None:
            return
        self.ctx.flush()  # it begins
        self.session.play(self._due)
        self._due = 0.0
        if self.session.stress is not None:  # the costs are shown
            started = perf_counter()
            self.ctx.finish()
            costs = self._costs | {"gpu": perf_counter() - started}
            self.stress_panel.record(self.session.costs | costs)

    def _draw_play(self, reason: str | None) -> None:
        """Draw the panels of a game, and the box of the mouse."""
        session = self.session
        assert session is not None
        self.panels.rate = self.rate
        if session.stress is not None:
            self.buttons = self.stress_panel.draw(self.pen, self.size, self.pointer, self.rate)
        else:
            view = self.camera.view
            self.buttons = self.panels.draw(self.pen, self.size, self.pointer, view)
        if self._places:
            text = reason or self._praise()
            x = min(max(self.pointer[0], 130), self.width - 150)
            y = max(self.pointer[1] - 48, 12)
            width = self.ghost_pen.text("why", text, x, y, BAD if reason else GOOD, 13, "center")
            self.ghost_pen.rect(x - width / 2 - 10, y - 9, width + 20, 28, (24, 20, 30, 235))
        if self._pressed_at is not None and self._is_drag:
            (x0, y0), (x1, y1) = self._pressed_at, self.pointer
            box = min(x0, x1), min(y0, y1), abs(x1 - x0), abs(y1 - y0)
            self.ghost_pen.rect(*box, (140, 255, 140, 40))
            self.ghost_pen.frame(*box, (160, 255, 150, 255))
        self.ghost_pen.flush()

    def _praise(self) -> str:
        """Say that a building may stand below the mouse, and that a tower stands well there."""
        game, kind = self.session.game, self.session.kind  # type: ignore[union-attr]
        box = game.construction.box(kind or "", self.camera.world(*self.pointer))
        is_tower = isinstance(game.settings.kinds[kind or ""], TowerType)
        if is_tower and game.construction.is_high(box):
            return "click to build: high ground, it reaches farther"
        return "click to build"

    @property
    def _places(self) -> bool:
        """Whether a building is in hand, and the mouse on the land."""
        session = self.session
        if session is None or session.kind is None or session.screen != "play":
            return False
        return not self._over_panel(*self.pointer)

    def _over_panel(self, x: float, y: float) -> bool:
        on_bar = y > self.height - TOP or any(button.has(x, y) for button in self.buttons)
        return on_bar or self.painter.minimap_place(x, y) is not None

    # -- keys --

    def on_key_press(self, symbol: int, modifiers: int) -> None:
        """Handle the keys of `dialogs.KEYS`."""
        session = self.session
        if symbol == key.F12:
            self._save_picture()
        elif session is None:
            return
        elif session.screen != "play" and symbol not in ANYWHERE:
            if symbol in (key.ENTER, key.NUM_ENTER) and session.screen != "help":
                session.do("start")
        elif symbol in KINDS and session.stress is None:
            kinds = list(session.game.settings.kinds)
            session.do(f"kind {kinds[KINDS.index(symbol)]}")
        elif symbol == key.V:
            session.select_all(Tower if modifiers & key.MOD_SHIFT else Villager)
        elif symbol in DEEDS:
            session.do(DEEDS[symbol])
        else:
            self._held.add(symbol)

    def on_key_release(self, symbol: int, modifiers: int) -> None:
        """Stop panning when an arrow key is released."""
        self._held.discard(symbol)

    # -- mouse --

    def on_mouse_motion(self, x: int, y: int, dx: int, dy: int) -> None:
        """Remember where the mouse is."""
        self.pointer = (x, y)

    def on_mouse_press(self, x: int, y: int, button: int, modifiers: int) -> None:
        """Press a button, look at a place of the minimap, or begin a box."""
        self.pointer = (x, y)
        if button != arcade.MOUSE_BUTTON_LEFT or self.session is None:
            return
        for one in self.buttons:
            if one.has(x, y):
                if one.enabled:
                    self._do(one.name)
                return
        if self.session.screen != "play":
            return
        place = self.painter.minimap_place(x, y)
        if place is not None:
            self.camera.look_at(*place)
        elif not self._over_panel(x, y):
            self._pressed_at = (x, y)

    def on_mouse_release(self, x: int, y: int, button: int, modifiers: int) -> None:
        """Build or choose at a click, or choose all in a box."""
        session, begun = self.session, self._pressed_at
        if session is None or session.screen != "play":
            return
        if button == arcade.MOUSE_BUTTON_LEFT and begun is not None:
            if self._is_drag and session.kind is None:
                a, b = self.camera.world(*begun), self.camera.world(x, y)
                box = min(a[0], b[0]), min(a[1], b[1]), max(a[0], b[0]), max(a[1], b[1])
                session.select_box(box)
            else:
                session.press(self.camera.world(x, y), bool(modifiers & key.MOD_SHIFT))
            self._pressed_at = None

    def on_mouse_drag(self, x: int, y: int, dx: int, dy: int, buttons: int, modifiers: int) -> None:
        """Pan with the right or the middle button; draw a box with the left one."""
        self.pointer = (x, y)
        if buttons & (arcade.MOUSE_BUTTON_RIGHT | arcade.MOUSE_BUTTON_MIDDLE):
            self.camera.drag(dx, dy)

    def on_mouse_scroll(self, x: int, y: int, scroll_x: float, scroll_y: float) -> None:
        """Zoom at the mouse."""
        self.camera.zoom(x, y, ZOOM_STEP**scroll_y)

    def on_resize(self, width: int, height: int) -> None:
        """Keep the same point at the center."""
        super().on_resize(width, height)
        if hasattr(self, "camera"):  # some systems resize a window during construction
            self.camera.camera.match_window()
            self.camera.keep()

    @property
    def _is_drag(self) -> bool:
        if self._pressed_at is None:
            return False
        (x, y), (mouse_x, mouse_y) = self._pressed_at, self.pointer
        return abs(mouse_x - x) > CLICK or abs(mouse_y - y) > CLICK

    def _do(self, name: str) -> None:
        """Do what a button stands for."""
        assert self.session is not None
        if name == "leave":
            self.close()
        else:
            self.session.do(name)
        self._pressed_at = None

    # -- off screen --

    def show(self) -> None:
        """Draw a frame and wait until the GPU has finished it, so that timings are honest."""
        self.switch_to()
        self.on_draw()
        self.flip()
        self.ctx.finish()

    def picture(self) -> Image.Image:
        """Return a screenshot."""
        self.switch_to()
        self.on_draw()
        return arcade.get_image().convert("RGB")

    def _save_picture(self) -> None:
        """Save a screenshot under the first free name."""
        number = 1
        while (path := Path(f"frontier-{number}.png")).exists():
            number += 1
        try:
            self.picture().save(path)
        except OSError as problem:
            print(f"cannot save {path}: {problem}", file=sys.stderr)
        else:
            print(f"saved {path}")
