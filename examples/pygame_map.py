"""Walk among wolves in pygame: arrow keys move, the wheel zooms. Needs `tilequad[pygame]`.

The sprites of a group are units of a tree, and the tree finds the wolves in range, which are
circled. T shows the tree.
"""

import random
import sys
from pathlib import Path

try:
    import pygame

    from pygame_window import play
    from tilequad import DynamicQuadtree, load_map
    from tilequad.draw.pygame import Camera, FollowedSprites, MapView, Minimap, TreeOverlay
except ImportError as problem:
    sys.exit(f'pygame_map: needs pip install "tilequad[pygame]" ({problem})')

MAP = Path(__file__).resolve().parent.parent / "maps" / "frontier.tmx"
WOLVES = 2_000
RANGE = 120  # world units
SPEED = 4  # world units a frame


class Unit(pygame.sprite.Sprite):
    """A dot that walks."""

    rect: pygame.Rect

    def __init__(self, color: str, x: float, y: float) -> None:
        super().__init__()
        self.image = pygame.Surface((16, 16), pygame.SRCALPHA)
        pygame.draw.circle(self.image, color, (8, 8), 7)
        pygame.draw.circle(self.image, "black", (8, 8), 7, 1)
        self.rect = self.image.get_rect(center=(x, y))


class Game:
    """The map, the wolves, and the one who walks among them."""

    def __init__(self, path: str | Path) -> None:
        self.screen = pygame.display.set_mode((1280, 720))
        tile_map = load_map(path, y_up=False)  # y points down in pygame
        self.map_view = MapView(tile_map)
        self.minimap = Minimap(self.map_view, 160)
        self.overlay, self.shows_tree = TreeOverlay(), False
        self.land = pygame.Rect(0, 0, tile_map.bounds.width, tile_map.bounds.height)
        x, y = tile_map.bounds.center
        self.camera = Camera(self.screen.get_size(), (x, y))
        self.chance = chance = random.Random(1)
        self.wolves: pygame.sprite.Group[Unit] = pygame.sprite.Group(
            Unit("gray", chance.gauss(x, 900), chance.gauss(y, 900)) for _ in range(WOLVES)
        )
        self.hero = Unit("orange", x, y)
        self.followed = FollowedSprites(DynamicQuadtree(tile_map.bounds))

    def handle(self, event: pygame.event.Event) -> None:
        """React to the mouse and the keys."""
        if event.type == pygame.MOUSEWHEEL:
            self.camera.zoom_at(*pygame.mouse.get_pos(), 1.1**event.y)
        elif event.type == pygame.KEYDOWN and event.key == pygame.K_t:
            self.shows_tree = not self.shows_tree

    def update(self) -> None:
        """Move everyone, and tell the tree."""
        keys = pygame.key.get_pressed()
        right = keys[pygame.K_RIGHT] - keys[pygame.K_LEFT]
        down = keys[pygame.K_DOWN] - keys[pygame.K_UP]
        self.hero.rect.move_ip(SPEED * right, SPEED * down)
        self.hero.rect.clamp_ip(self.land)
        for wolf in self.wolves:
            wolf.rect.move_ip(self.chance.choice((-1, 0, 1)), self.chance.choice((-1, 0, 1)))
        self.followed.sync(self.wolves)
        self.camera.position = self.hero.rect.center
        self.camera.keep_within(self.map_view.tile_map.bounds)

    def draw(self, time: int) -> None:
        """Draw what the camera sees."""
        screen, camera, view = self.screen, self.camera, self.camera.visible_bounds
        screen.fill("black")  # around the map
        self.map_view.set_time(time)
        self.map_view.draw(screen, view)
        self.followed.draw(screen, view)
        units, zoom = self.followed.units, camera.zoom
        asked = (*self.hero.rect.center, RANGE)
        for wolf in units.within(*asked):
            pygame.draw.circle(screen, "red", camera.to_screen(*wolf.rect.center), 12 * zoom, 2)
        place = camera.to_screen(*self.hero.rect.center)
        pygame.draw.circle(screen, "orange", place, 10 * zoom)
        pygame.draw.circle(screen, "orange", place, RANGE * zoom, 1)
        if self.shows_tree:
            self.overlay.draw(screen, view, units.nodes(), asked=asked)
        wolves = [wolf.rect.center for wolf in self.wolves]
        self.minimap.draw(screen, 1110, 10, view, wolves, colors=(200, 200, 200), dot=1)


if __name__ == "__main__":
    play("pygame_map", lambda: Game(sys.argv[1] if len(sys.argv) > 1 else MAP))
