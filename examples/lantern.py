"""Lantern, a small game in pygame: lead the lost villagers home through a night full of goblins.

Walk with the arrow keys, WASD or the left mouse button held down; Space or the right button raises
the lantern, which drives goblins away. Needs `tilequad[pygame]`.

    python examples/lantern.py
    python examples/lantern.py --headless --frames 3600 --screenshot night.png

The second plays by itself, without a screen, and prints how it went. `lantern_game/night.py` has
the rules, and all that they ask of tilequad; `lantern_game/screen.py` draws.
"""

import argparse
import os
import sys
from math import hypot
from random import Random

os.environ.setdefault("PYGAME_HIDE_SUPPORT_PROMPT", "1")
try:
    import pygame
    from lantern_game.night import FOLLOWER, GOBLIN, LOST, Night
    from lantern_game.screen import Screen
except ImportError as problem:
    sys.exit(f'lantern: needs pip install "tilequad[pygame]" ({problem})')

SIZE = 1280, 720
WAYS = (
    (pygame.K_LEFT, pygame.K_a),
    (pygame.K_RIGHT, pygame.K_d),
    (pygame.K_UP, pygame.K_w),
    (pygame.K_DOWN, pygame.K_s),
)
KEYS = "Arrows, WASD or mouse: walk      Space or right button: raise the lantern      P: pause"
RESULT, AGAIN = "{home} came home, {taken} were taken.", "Enter or click: another night"
PAGES = {  # a title, and lines below it
    "title": (
        "Lantern",
        "Villagers are lost in the woods. Find them, and lead six of them to the town hall.",
        "Goblins hunt whom they see. They fear your lantern, when you raise it.",
        KEYS,
        "Enter or click to begin",
    ),
    "paused": ("Paused", KEYS, "P to go on, Esc to leave"),
    "won": (
        "The village sleeps in peace",
        "{home} came home, {taken} were taken.",
        "Enter or click: again",
    ),
    "lost": ("A long night", "{home} came home, {taken} were taken.", "Enter or click: again"),
}


class Game:
    """The window: a title, a night, its end, and another night."""

    def __init__(self, surface: pygame.Surface, seed: int) -> None:
        self.surface, self.page, self.raises = surface, "title", False
        self.begin(seed)

    def begin(self, seed: int) -> None:
        """Prepare a night."""
        self.seed, self.night = seed, Night(seed)
        self.screen = Screen(self.surface, self.night)

    def handle(self, event: pygame.event.Event) -> None:
        """React to a key or a button of the mouse that goes down."""
        key = event.key if event.type == pygame.KEYDOWN else None
        button = event.button if event.type == pygame.MOUSEBUTTONDOWN else None
        if key == pygame.K_ESCAPE:
            pygame.event.post(pygame.event.Event(pygame.QUIT))
        elif self.page in ("playing", "paused"):
            if key == pygame.K_p:
                self.page = "paused" if self.page == "playing" else "playing"
            self.raises = self.raises or key == pygame.K_SPACE or button == 3
        elif key in (pygame.K_RETURN, pygame.K_KP_ENTER) or button == 1:
            if self.page != "title":
                self.begin(self.seed + 1)
            self.page = "playing"

    def update(self) -> None:
        """Play a tick with the keys and the mouse as they are."""
        if self.page != "playing":
            return
        keys = pygame.key.get_pressed()
        left, right, up, down = (keys[arrow] or keys[letter] for arrow, letter in WAYS)
        way = pygame.Vector2(right - left, down - up)
        if pygame.mouse.get_pressed()[0]:
            place = self.screen.camera.to_world(*pygame.mouse.get_pos())
            way = pygame.Vector2(place) - self.night.units.position(self.night.hero)
            way = way if way.length() > 8 else pygame.Vector2()  # there already
        self.play(*way)

    def play(self, right: float, down: float) -> None:
        """Play a tick, and see whether the night is over."""
        self.night.step(right, down, self.raises)
        self.raises, self.page = False, self.night.result

    def draw(self) -> None:
        """Draw the night, and the page of text before it."""
        self.screen.draw()
        if self.page != "playing":
            counts = {"home": self.night.home, "taken": self.night.taken}
            title, *lines = (text.format(**counts) for text in PAGES[self.page])
            self.screen.draw_page(title, lines)


def play_alone(game: Game, frames: int) -> None:
    """Play without a player: fetch two, bring them home, and turn away from goblins."""
    night, game.page, chance = game.night, "playing", Random(game.seed)
    before, detour, aside = (0.0, 0.0), 0, (0.0, 0.0)
    for _ in range(frames):
        if game.page != "playing":
            break
        x, y = night.units.position(night.hero)
        lost = night.units.nearest(x, y, groups=LOST)
        if lost is None or len(night.of(FOLLOWER)) > 1:
            goal_x, goal_y = night.way_home.advance((x, y), 60)
        else:
            way = night.paths.find((x, y), night.units.position(lost))
            goal_x, goal_y = night.units.position(lost) if way is None else way[1]
        goblin = night.units.nearest(
            x, y, groups=GOBLIN, max_distance=110, where=lambda one: one.afraid_until < night.tick
        )
        if goblin is not None:
            game.raises = True
            goblin_x, goblin_y = night.units.position(goblin)
            goal_x, goal_y = 2 * x - goblin_x, 2 * y - goblin_y
        if hypot(x - before[0], y - before[1]) < 0.5:  # stuck at a corner
            detour, aside = 15, (chance.uniform(-99, 99), chance.uniform(-99, 99))
        if detour:
            detour, goal_x, goal_y = detour - 1, x + aside[0], y + aside[1]
        before = x, y
        game.play(goal_x - x, goal_y - y)


def main() -> None:
    """Read the command line, and play."""
    parser = argparse.ArgumentParser(description="A small game: lead lost villagers home.")
    parser.add_argument("--headless", action="store_true", help="play alone, without a screen")
    parser.add_argument("--frames", type=int, default=3600, help="with --headless: how long")
    parser.add_argument("--seed", type=int, default=1, help="of the first night (default: 1)")
    parser.add_argument("--screenshot", metavar="PNG", help="write the last frame to a picture")
    options = parser.parse_args()
    if options.headless:
        os.environ["SDL_VIDEODRIVER"] = "dummy"
    pygame.display.init()
    pygame.font.init()
    driver = pygame.display.get_driver()
    if driver in ("dummy", "offscreen") and not os.environ.get("SDL_VIDEODRIVER"):
        sys.exit("lantern: there is no display; --headless plays without one")
    pygame.display.set_caption("Lantern")
    game = Game(pygame.display.set_mode(SIZE), options.seed)
    if options.headless:
        play_alone(game, options.frames)
        night = game.night
        print(f"{game.page} after {night.tick} ticks: {night.home} home, {night.taken} taken")
    clock = pygame.time.Clock()
    while not (options.headless or pygame.event.get(pygame.QUIT)):
        for event in pygame.event.get(exclude=pygame.QUIT):
            game.handle(event)
        game.update()
        game.draw()
        pygame.display.flip()
        clock.tick(60)
    if options.screenshot:
        game.draw()
        pygame.image.save(game.surface, options.screenshot)


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        sys.exit(130)
