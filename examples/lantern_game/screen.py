"""What the player of Lantern sees."""

from __future__ import annotations

import pygame

from tilequad.draw.pygame import Camera, MapView, Minimap

from .night import DOOR, FOLLOWER, HEARTS, LOST, MAPS, NEEDED, RELOAD, Night, Person


class Screen:
    """Draws a night."""

    def __init__(self, surface: pygame.Surface, night: Night) -> None:
        self.surface, self.night = surface, night
        tile_map = night.tile_map
        self.map_view = MapView(tile_map)
        self.minimap = Minimap(self.map_view, 180)
        self.camera = Camera(surface.get_size())
        self.below = [tile_map.layer(name) for name in ("ground", "roads", "decor", "places")]
        self.above = [tile_map.layer("trees")]
        self.people = pygame.image.load(MAPS / "people.png").convert_alpha()
        self.small, self.large = (pygame.font.Font(None, size) for size in (28, 92))
        self.dark = pygame.Surface(surface.get_size(), pygame.SRCALPHA)
        self.lights = {radius: light(radius) for radius in (70, 180, 300, 420)}

    def draw(self) -> None:
        """Draw the map, the people, the dark, and what the player has to know."""
        night, surface, camera = self.night, self.surface, self.camera
        x, y = night.units.position(night.hero)
        camera.position = round(x), round(y)  # whole pixels, or the map would shiver
        view = camera.view
        self.map_view.set_time(night.tick * 1000 / 60)
        self.map_view.draw(surface, view, layers=self.below)
        shown = self.around(48)
        for person in sorted(shown, key=lambda one: night.units.position(one)[1]):
            left, top = camera.to_screen(*night.units.position(person))
            column = 3 * person.facing + int(person.steps) % 3
            blinks = person is night.hero and person.afraid_until > night.tick
            if not (blinks and night.tick // 6 % 2):
                picture = (48 * column, 48 * person.row, 48, 48)
                surface.blit(self.people, (left - 24, top - 38), picture)
        self.map_view.draw(surface, view, layers=self.above)

        self.dark.fill((8, 12, 40, 205))
        flares = night.ready_at - night.tick > RELOAD - 20
        self.shine(x, y, 420 if flares else 300)
        self.shine(*DOOR, 180)
        for villager in self.around(70, LOST):
            self.shine(*night.units.position(villager), 70)
        surface.blit(self.dark, (0, 0))
        self.draw_signs()

    def around(self, margin: int, groups: int | None = None) -> list[Person]:
        """Return who is in view, or whose picture may reach into it."""
        left, top, right, bottom = self.camera.view
        box = left - margin, top - margin, right + margin, bottom + margin
        return self.night.units.query(box, groups=groups)

    def shine(self, x: float, y: float, radius: int) -> None:
        """Take the dark away around a point of the world."""
        left, top = self.camera.to_screen(x, y)
        place = left - radius, top - radius
        self.dark.blit(self.lights[radius], place, special_flags=pygame.BLEND_RGBA_MIN)

    def draw_signs(self) -> None:
        """Draw the minimap, the counts, and where to go."""
        night, surface, camera = self.night, self.surface, self.camera
        (width, height), hero = camera.size, night.units.position(night.hero)
        lost, followers = night.of(LOST), night.of(FOLLOWER)
        dots = [night.units.position(person) for person in (*lost, *followers, night.hero)]
        colors = [(255, 220, 90)] * (len(dots) - 1) + [(255, 255, 255)]
        corner = width - self.minimap.width - 12, height - self.minimap.height - 12
        self.minimap.draw(surface, *corner, camera.view, dots, colors=colors)
        counts = f"following {len(followers)}    lost {len(lost)}    taken {night.taken}"
        words = f"home {night.home} of {NEEDED} needed    {counts}"
        self.write(words, self.small, (16, 14), "white", centered=False)
        for number in range(HEARTS):
            self.draw_heart(28 + 32 * number, 56, "crimson" if number < night.hearts else "gray25")
        charge = min(1 - (night.ready_at - night.tick) / RELOAD, 1)
        pygame.draw.rect(surface, "gray25", (124, 48, 140, 16))
        pygame.draw.rect(surface, "gold", (124, 48, round(140 * charge), 16))
        word = "lantern: Space" if charge == 1 else "lantern"
        self.write(word, self.small, (276, 47), "white", centered=False)
        nearest = night.units.nearest(*hero, groups=LOST)
        goal = DOOR if nearest is None or len(followers) > 3 else night.units.position(nearest)
        away = pygame.Vector2(goal) - hero
        if away.length() > 160:
            tip = pygame.Vector2(width / 2, height / 2) + away.normalize() * 150
            ends = [tip + away.normalize().rotate(turn) * 14 for turn in (0, 140, 220)]
            pygame.draw.polygon(surface, "gold", ends)

    def draw_heart(self, x: int, y: int, color: str) -> None:
        """Draw a heart around a point."""
        for side in (-5, 5):
            pygame.draw.circle(self.surface, color, (x + side, y - 3), 6)
        pygame.draw.polygon(self.surface, color, [(x - 10, y), (x + 10, y), (x, y + 12)])

    def write(self, text: str, font: pygame.font.Font, place: tuple[int, int], color: str,
              centered: bool = True) -> None:  # fmt: skip
        """Write a line with a shadow, around a point or from its upper left corner."""
        for shift, shade in ((2, "black"), (0, color)):
            line = font.render(text, True, shade)
            at = line.get_rect(center=place) if centered else line.get_rect(topleft=place)
            self.surface.blit(line, at.move(shift, shift))

    def draw_page(self, title: str, lines: list[str]) -> None:
        """Draw a page of text over the night."""
        veil = pygame.Surface(self.camera.size, pygame.SRCALPHA)
        veil.fill((0, 0, 10, 150))
        self.surface.blit(veil, (0, 0))
        width, height = self.camera.size
        self.write(title, self.large, (width // 2, height // 3), "gold")
        for number, text in enumerate(lines):
            self.write(text, self.small, (width // 2, height // 2 + 36 * number), "white")


def light(radius: int) -> pygame.Surface:
    """Return a disc without dark in its middle, for BLEND_RGBA_MIN."""
    disc = pygame.Surface((2 * radius, 2 * radius), pygame.SRCALPHA)
    disc.fill("white")
    for inner in range(radius, 0, -2):
        alpha = round(255 * (inner / radius) ** 2)
        pygame.draw.circle(disc, (255, 255, 255, alpha), (radius, radius), inner)
    return disc
