"""Draws the land and everything on it with python-arcade."""

from __future__ import annotations

import arcade
import numpy as np

from tilequad import Bounds
from tilequad.draw.arcade import FogOverlay, MapView, SpriteBatch, TreeOverlay
from tilequad.draw.tile_pictures import TilePictures
from tilequad.nav import Fog

from .minimap import DOOR, EDGE, FRAME, MARGIN, VIEW
from .pen import Color
from .scene import Scene
from .session import Session
from .settings import TowerType
from .sprites import Sprites
from .towers import Tower

RANGE: Color = (110, 190, 255, 200)
YES, NO = (140, 230, 120), (255, 110, 96)
DARKNESS = 238, 120  # of land that nobody has seen, and that nobody sees now


class Painter:
    """Draws a scene on the screen.

    Args:
        window: The window.
        scene: What there is to draw.

    Attributes:
        numbers: The number of each picture in the batch, by its gid.
    """

    def __init__(self, window: arcade.Window, scene: Scene) -> None:
        self.window, self.scene = window, scene
        self.map_view = MapView(scene.tile_map)
        self.overlay = TreeOverlay()
        self._fog: FogOverlay | None = None
        self._map_nodes = scene.trees.nodes()
        tiles, gids = TilePictures.of(scene.tile_map), scene.pictures.all
        self.numbers = np.zeros(max(gids) + 1, np.int64)
        self.numbers[gids] = np.arange(len(gids))
        self.batch = SpriteBatch([arcade.Texture(tiles.tile(gid)) for gid in gids])
        self._minimap = arcade.Texture(scene.minimap.image)

    def draw(self, view: Bounds, session: Session | None) -> None:
        """Draw the land in view. The camera must be in use."""
        scene = self.scene
        shows = session.shows if session is not None else {}
        scene.through_fog = not shows.get("fog", True)
        visible = scene.find_visible(view)
        self.map_view.set_time(scene.game.now * 1000)
        self.map_view.draw(view, [layer for layer, _ in visible.floor])
        if session is not None:
            self._draw_chosen(session)
        if shows.get("ranges"):
            for tower in scene.game.garrison.towers:
                self._draw_range(tower.type, tower.range, tower.x, tower.y)
        self._draw_sprites(visible.standing)
        self._draw_sprites(visible.overhead)
        if scene.game.fog is not None and shows.get("fog", True):
            self._fog_over(scene.game.fog).draw()
        if shows.get("trees"):
            # Darken the picture, so that the lines stand out.
            left, low, right, high = view
            arcade.draw_lrbt_rectangle_filled(left, right, low, high, (20, 22, 34, 80))
            self.overlay.draw(self._map_nodes, color=(120, 214, 255, 200))
            nodes = scene.game.units.nodes() if session is None else session.shown_nodes()
            self.overlay.draw(nodes, color=(255, 226, 64, 230))

    def _fog_over(self, fog: Fog) -> FogOverlay:
        """Return the layer of a fog. Each game has a fog of its own."""
        if self._fog is None or self._fog.fog is not fog:
            self._fog = FogOverlay(fog, darkness=DARKNESS)
        return self._fog

    def _draw_sprites(self, sprites: Sprites) -> None:
        if len(sprites):
            self.batch.draw(
                sprites.centers,
                self.numbers[sprites.gids],
                sizes=sprites.sizes,
                angles=sprites.angles,
                colors=sprites.colors,
            )

    # -- what is chosen, and what is about to be built --

    def _draw_chosen(self, session: Session) -> None:
        """Draw a ring around each chosen unit, and the range of chosen towers."""
        units = session.game.units
        chosen = [one for one in session.selected if one in units]
        if not chosen:
            return
        for one in chosen:
            if isinstance(one, Tower) and len(chosen) <= 12:
                self._draw_range(one.type, one.range, one.x, one.y)
        xy = units.position_many(units.slots(chosen))
        radii = [11.0 if hasattr(one, "trade") else 26.0 for one in chosen]
        self.batch.draw_rings(xy, radii)

    def _draw_range(
        self, kind: TowerType, reach: float, x: float, y: float, color: Color = RANGE
    ) -> None:
        arcade.draw_circle_filled(x, y, reach, (*color[:3], 26))
        rings = [reach, kind.min_distance] if kind.min_distance else [reach]
        self.batch.draw_rings([(x, y)] * len(rings), rings, colors=color, flatness=1.0)

    def draw_ghost(self, session: Session, place: tuple[float, float]) -> str | None:
        """Draw what would be built at a place, with its range; return why it cannot be."""
        game, kind = session.game, session.game.settings.kinds[session.kind or ""]
        reason = game.can_build(kind.name, place)
        left, low, right, high = box = game.construction.box(kind.name, place)
        color = YES if reason is None else NO
        if isinstance(kind, TowerType):
            reach = game.construction.reach(kind, box)
            self._draw_range(kind, reach, *box.center, (*color, 220))
        arcade.draw_lrbt_rectangle_filled(left, right, low, high, (*color, 110))
        arcade.draw_lrbt_rectangle_outline(left, right, low, high, (*color, 255), 2)
        gid = self.scene.pictures.gids[kind.picture]
        height = float(self.scene.pictures.sizes[gid, 1])
        self.batch.draw(
            [(box.center[0], low + height / 2)],
            [self.numbers[gid]],
            colors=(255, 255, 255, 190) if reason is None else (255, 160, 150, 150),
        )
        return reason

    # -- the minimap --

    def minimap_place(self, x: float, y: float) -> tuple[float, float] | None:
        """Return the place of the land below a point of the screen, if that is on the minimap."""
        left = self.window.width - self._minimap.width - MARGIN
        return self.scene.minimap.world_at(x - left, y - MARGIN)

    def draw_minimap(self, view: Bounds, fog: bool = True) -> None:
        """Draw the minimap at the lower right. The camera of the screen must be in use."""
        width, height = self._minimap.size
        x, y = self.window.width - width - MARGIN, MARGIN
        arcade.draw_lrbt_rectangle_filled(x - 3, x + width + 3, y - 3, y + height + 3, FRAME)
        arcade.draw_texture_rect(self._minimap, arcade.LBWH(x, y, width, height), pixelated=True)
        game = self.scene.game
        if game.fog is not None and fog:
            land = self.scene.tile_map.bounds
            camera = arcade.Camera2D(
                viewport=arcade.LBWH(x, y, width, height),
                projection=arcade.XYWH(0, 0, land.width, land.height),
                position=land.center,
            )
            with camera.activate():
                self._fog_over(game.fog).draw()
        dots, sizes, colors = self.scene.minimap.dots(game, not fog)
        doors = self.scene.minimap.doors(game)
        sizes = np.concatenate((sizes, np.full((len(doors), 2), 9)))
        dots = np.concatenate((dots, doors))
        colors = np.concatenate((colors, np.full((len(doors), 4), DOOR, np.uint8)))
        dot = self.numbers[self.scene.pictures.gids["white"]]
        self.batch.draw(
            dots + np.array((x, y)), np.full(len(dots), dot), sizes=sizes, colors=colors
        )
        arcade.draw_lrbt_rectangle_outline(x - 2, x + width + 2, y - 2, y + height + 2, EDGE, 2)
        left, bottom, right, top = self.scene.minimap.frame(view)
        if left < right and bottom < top:
            arcade.draw_lrbt_rectangle_outline(x + left, x + right, y + bottom, y + top, VIEW)
