"""The game in a python-arcade window."""

from __future__ import annotations

import sys
from pathlib import Path

import arcade
import numpy as np
from PIL import Image

from tilequad import Bounds
from tilequad.draw.arcade import MapView, SpriteBatch, TreeOverlay, pan, visible_bounds, zoom_at
from tilequad.draw.pillow import TilePictures

from .hud import KEYS, Hud
from .minimap import FRAME, MARGIN, VIEW
from .scene import Scene, Sprites
from .settings import TICK

PANEL = (28, 26, 34, 200)
TEXT = (250, 244, 226)
QUIET = (214, 226, 190)
PAN_SPEED = 900.0  # screen pixels a second, by the arrow keys
ZOOM_STEP = 1.15
ZOOM = (0.12, 6.0)  # least and greatest zoom
MAX_TICKS = 3  # per frame; a slow machine plays slower instead of falling behind
FONT = ("DejaVu Sans", "Segoe UI", "Helvetica", "Arial")


class Window(arcade.Window):
    """A window that shows a scene; the player can pan and zoom.

    Args:
        size: Width and height in pixels.
    """

    def __init__(self, size: tuple[int, int]) -> None:
        super().__init__(*size, "tilequad: the frontier", resizable=True)

    def stage(self, scene: Scene, hud: Hud) -> None:
        """Prepare to draw a scene.

        Args:
            scene: The scene to draw.
            hud: The lines at the top of the screen.
        """
        self.scene, self.game, self.hud = scene, scene.game, hud
        self.camera = arcade.Camera2D(position=scene.start)
        self.map_view = MapView(scene.tile_map)
        self.overlay = TreeOverlay()
        self._map_nodes = scene.trees.nodes()
        self._make_batch()
        self.shows = {"trees": False, "ranges": False, "keys": False}
        self._held: set[int] = set()
        self._unplayed_time = 0.0
        self._lines = [
            arcade.Text("", 14, 0, TEXT, 12, font_name=FONT),
            arcade.Text("", 14, 0, QUIET, 12, font_name=FONT),
        ]
        self._hint = arcade.Text("F1: keys", 0, 0, QUIET, 12, anchor_x="right", font_name=FONT)
        self._keys = [
            arcade.Text("\n".join(column), 0, 0, color, 13, 420, font_name=FONT, multiline=True)
            for column, color in zip(zip(*KEYS, strict=True), (TEXT, QUIET), strict=True)
        ]
        self._text_set_at = -1.0

    # -- arcade calls these methods --

    def on_update(self, delta_time: float) -> None:
        """Play the ticks that are due, and pan while arrow keys are held."""
        self._unplayed_time = min(self._unplayed_time + delta_time, MAX_TICKS * TICK)
        while self._unplayed_time >= TICK:
            self._unplayed_time -= TICK
            self.game.tick()
        right = (arcade.key.RIGHT in self._held) - (arcade.key.LEFT in self._held)
        up = (arcade.key.UP in self._held) - (arcade.key.DOWN in self._held)
        step = PAN_SPEED * delta_time
        pan(self.camera, -right * step, -up * step)
        self.hud.record(delta_time)

    def on_draw(self) -> None:
        """Draw the floor, standing and overhead sprites, the minimap and the HUD."""
        self.clear(self.scene.tile_map.background_color)
        with self.camera.activate():
            view = visible_bounds(self.camera)
            visible = self.scene.find_visible(view)
            self.map_view.set_time(self.game.now * 1000)
            for layer, _ in visible.floor:
                self.map_view.draw_layer(layer, None, view)
            if self.shows["ranges"]:
                self._draw_ranges()
            self._draw_sprites(visible.standing)
            self._draw_sprites(visible.overhead)
            if self.shows["trees"]:
                # Darken the picture, so that the lines stand out.
                left, low, right, high = view
                arcade.draw_lrbt_rectangle_filled(left, right, low, high, (20, 22, 34, 80))
                self.overlay.draw(self._map_nodes, color=(120, 214, 255, 200))
                self.overlay.draw(self.game.units.nodes(), color=(255, 226, 64, 230))
        with self.default_camera.activate():
            self._draw_minimap(view)
            self._draw_hud()

    def on_key_press(self, symbol: int, modifiers: int) -> None:
        """Handle the keys of `hud.KEYS`."""
        key = arcade.key
        toggles = {key.Q: "trees", key.R: "ranges", key.F1: "keys"}
        if symbol in toggles:
            self.shows[toggles[symbol]] = not self.shows[toggles[symbol]]
        elif symbol == key.B:
            self.game.queries.brute_force = not self.game.queries.brute_force
            self.hud.reset()
        elif symbol in (key.PLUS, key.NUM_ADD, key.EQUAL):  # + is shift and = on many keyboards
            self.game.reinforce(1000)
        elif symbol == key.F12:
            self._save()
        elif symbol == key.ESCAPE:
            self.close()
        else:
            self._held.add(symbol)

    def on_key_release(self, symbol: int, modifiers: int) -> None:
        """Stop panning when an arrow key is released."""
        self._held.discard(symbol)

    def on_mouse_drag(self, x: int, y: int, dx: int, dy: int, buttons: int, modifiers: int) -> None:
        """Pan: the map follows the mouse."""
        pan(self.camera, dx, dy)

    def on_mouse_scroll(self, x: int, y: int, scroll_x: float, scroll_y: float) -> None:
        """Zoom at the mouse."""
        wanted = self.camera.zoom * ZOOM_STEP**scroll_y
        zoom_at(self.camera, x, y, min(max(wanted, ZOOM[0]), ZOOM[1]) / self.camera.zoom)

    def on_resize(self, width: int, height: int) -> None:
        """Keep the same point at the centre."""
        super().on_resize(width, height)
        if hasattr(self, "camera"):  # some systems resize a window during construction
            self.camera.match_window()

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

    # -- parts --

    def _make_batch(self) -> None:
        """Upload the pictures of everything that stands or flies."""
        tiles = TilePictures.of(self.scene.tile_map)
        gids = self.scene.pictures
        self._texture_numbers = np.zeros(max(gids) + 1, np.int64)
        self._texture_numbers[gids] = np.arange(len(gids))
        self._minimap = arcade.Texture(self.scene.minimap.image)
        self._batch = SpriteBatch([arcade.Texture(tiles.tile(gid)) for gid in gids])

    def _draw_sprites(self, sprites: Sprites) -> None:
        if len(sprites):
            self._batch.draw(
                sprites.centers,
                self._texture_numbers[sprites.gids],
                sizes=sprites.sizes,
                angles=sprites.angles,
                colors=sprites.colors,
            )

    def _draw_ranges(self) -> None:
        for tower in self.game.garrison.towers:
            red, green, blue = (255, 150, 90) if tower.type.splash else (110, 190, 255)
            place = tower.x, tower.y, tower.type.range
            arcade.draw_circle_filled(*place, (red, green, blue, 34))
            arcade.draw_circle_outline(*place, (red, green, blue, 200), 2)

    def _draw_hud(self) -> None:
        # Setting a text costs more than drawing it, so set it four times a second.
        if abs(self.game.now - self._text_set_at) >= 0.25:
            self._text_set_at = self.game.now
            self._lines[0].text, self._lines[1].text = self.hud.timings(), self.hud.score()
        arcade.draw_lrbt_rectangle_filled(0, self.width, self.height - 52, self.height, PANEL)
        for number, line in enumerate(self._lines):
            line.y = self.height - 21 - 22 * number
            line.draw()
        self._hint.x, self._hint.y = self.width - 14, self.height - 43
        self._hint.draw()
        if self.shows["keys"]:
            self._draw_keys()

    def _draw_minimap(self, view: Bounds) -> None:
        """Draw the minimap at the lower right."""
        width, height = self._minimap.size
        x, y = self.width - width - MARGIN, MARGIN
        arcade.draw_lrbt_rectangle_filled(x - 3, x + width + 3, y - 3, y + height + 3, FRAME)
        arcade.draw_texture_rect(self._minimap, arcade.LBWH(x, y, width, height), pixelated=True)
        dots, colors = self.scene.minimap.dots(self.game)
        dot = self._texture_numbers[self.scene.gids["white"]]
        self._batch.draw(
            dots + np.array((x, y)), np.full(len(dots), dot), sizes=(2, 2), colors=colors
        )
        left, bottom, right, top = self.scene.minimap.frame(view)
        if left < right and bottom < top:
            arcade.draw_lrbt_rectangle_outline(x + left, x + right, y + bottom, y + top, VIEW)

    def _draw_keys(self) -> None:
        left, top = self.width / 2 - 230, self.height / 2 + 100
        arcade.draw_lrbt_rectangle_filled(left - 24, left + 500, top - 190, top + 34, PANEL)
        for column, text in enumerate(self._keys):
            text.x, text.y = left + 170 * column, top
            text.draw()

    def _save(self) -> None:
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
