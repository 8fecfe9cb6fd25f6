"""Paint tiles in pygame, beside Tiled: `level_editor.py map.tmx`. Needs `tilequad[pygame]`.

The left button paints, with Shift it clears; the right one picks a tile. Arrows move, the wheel
zooms, over the palette it scrolls. Page Up and Page Down choose the layer, S saves. What Tiled
saves appears by itself. Without a map it edits that of the demo, and saves it as edited.tmx.
"""

import sys
from pathlib import Path

try:
    import pygame

    from pygame_window import play
    from tilequad import MapError, load_map
    from tilequad.draw.pygame import Camera, MapView
    from tilequad.tiled import TileLayer
except ImportError as problem:
    sys.exit(f'level_editor: needs pip install "tilequad[pygame]" ({problem})')

MAP = Path(__file__).resolve().parent.parent / "maps" / "frontier.tmx"
SIZE = WIDTH, HEIGHT = 1280, 720
SIDE, ACROSS = 36, 8  # of the palette: pixels of a tile, tiles in a row
LEFT = WIDTH - SIDE * ACROSS  # where the palette begins


class Editor:
    """The map, the palette, and what the mouse and the keys do to them."""

    def __init__(self, path: str | Path, target: str | Path) -> None:
        self.screen, self.target = pygame.display.set_mode(SIZE), target
        self.font = pygame.font.Font(None, 24)
        self.tile_map = load_map(path, y_up=False)  # y points down in pygame
        if not self.layers:
            raise MapError(str(path), "it has no tile layer to paint on")
        self.map_view = MapView(self.tile_map)
        self.camera = Camera((LEFT, HEIGHT), self.tile_map.bounds.center)
        self.chosen, self.gid, self.scroll, self.message = 0, 1, 0, str(path)
        self.make_palette()

    def make_palette(self) -> None:
        """Make a small picture of each tile."""
        self.palette: list[tuple[int, pygame.Surface]] = []
        for gid in self.tile_map.gids_with().tolist():
            picture = self.map_view.tile_picture(gid)
            small = pygame.transform.scale(picture, (SIDE - 2, SIDE - 2))
            self.palette.append((gid, small))

    @property
    def layers(self) -> list[TileLayer]:
        """The layers that can be painted on."""
        return [layer for layer in self.tile_map.layers if isinstance(layer, TileLayer)]

    @property
    def layer(self) -> TileLayer:
        """The one that is."""
        return self.layers[self.chosen % len(self.layers)]

    def handle(self, event: pygame.event.Event) -> None:
        """React to the mouse and the keys."""
        x, y = getattr(event, "pos", pygame.mouse.get_pos())
        if event.type == pygame.MOUSEWHEEL and x < LEFT:
            self.camera.zoom_at(x, y, 1.1**event.y)
        elif event.type == pygame.MOUSEWHEEL:
            last = (len(self.palette) - 1) // ACROSS
            self.scroll = min(max(self.scroll - event.y, 0), last)
        elif event.type == pygame.MOUSEBUTTONDOWN and x < LEFT:
            self.touch(x, y, event.button == 1, event.button == 3)
        elif event.type == pygame.MOUSEBUTTONDOWN and event.button == 1:  # the wheel is a button
            number = (y // SIDE + self.scroll) * ACROSS + (x - LEFT) // SIDE
            self.gid = self.palette[number][0] if number < len(self.palette) else self.gid
        elif event.type == pygame.MOUSEMOTION and x < LEFT:
            self.touch(x, y, event.buttons[0], False)
        elif event.type == pygame.KEYDOWN and event.key == pygame.K_s:
            self.save()
        elif event.type == pygame.KEYDOWN:
            self.chosen += (event.key == pygame.K_PAGEUP) - (event.key == pygame.K_PAGEDOWN)

    def touch(self, x: int, y: int, paints: bool, picks: bool) -> None:
        """Put the chosen tile into the cell under the mouse, or choose the tile there."""
        cell = self.layer.cell_at(*self.camera.to_world(x, y))
        if cell and paints:
            clears = pygame.key.get_mods() & pygame.KMOD_SHIFT
            self.layer.set_tiles([cell], 0 if clears else self.gid)
        elif cell and picks:
            self.gid = self.layer.gid_of(*cell) or self.gid

    def save(self) -> None:
        """Write the map."""
        try:
            self.tile_map.save(self.target)
            self.message = f"saved {self.target}"
        except (MapError, OSError) as problem:
            self.message = str(problem)

    def update(self) -> None:
        """Follow the file and the arrow keys."""
        if self.tile_map.reload_if_changed():
            self.message = "read what was saved"
            self.make_palette()
        keys = pygame.key.get_pressed()
        left, up = keys[pygame.K_LEFT], keys[pygame.K_UP]
        self.camera.pan(12 * (left - keys[pygame.K_RIGHT]), 12 * (up - keys[pygame.K_DOWN]))

    def draw(self, time: int) -> None:
        """Draw the map, and the palette beside it."""
        self.screen.fill("gray15")
        part = self.screen.subsurface((0, 0, LEFT, HEIGHT))
        self.map_view.set_time(time)
        self.map_view.draw(part, self.camera.visible_bounds)
        for number, (gid, picture) in enumerate(self.palette[self.scroll * ACROSS :]):
            x, y = LEFT + number % ACROSS * SIDE, number // ACROSS * SIDE
            self.screen.blit(picture, (x + 1, y + 1))
            if gid == self.gid:
                pygame.draw.rect(self.screen, "yellow", (x, y, SIDE, SIDE), 2)
        line = f" {self.layer.name}   {self.message} "
        self.screen.blit(self.font.render(line, True, "white", "black"), (0, HEIGHT - 20))


if __name__ == "__main__":
    paths = (sys.argv[1], sys.argv[1]) if len(sys.argv) > 1 else (MAP, "edited.tmx")
    play("level_editor", lambda: Editor(*paths))
