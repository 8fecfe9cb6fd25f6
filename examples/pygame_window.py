"""The window that the examples in pygame play in: open it, and go on until it is closed."""

import os
import sys
from collections.abc import Callable
from typing import Protocol

import pygame

from tilequad import MapError


class Game(Protocol):
    """What is played in the window."""

    def handle(self, event: pygame.event.Event) -> None:
        """React to the mouse and the keys."""

    def update(self) -> None:
        """Go on by one frame."""

    def draw(self, time: int) -> None:
        """Draw on the screen; `time` is in milliseconds."""


def open_display(name: str, advice: str = "SDL_VIDEODRIVER=dummy plays without one") -> None:
    """Get ready to open a window, or leave with a line that says why there can be none.

    Args:
        name: The name of the program.
        advice: What to do where there is no display.
    """
    pygame.display.init()
    pygame.font.init()
    hidden = pygame.display.get_driver() in ("dummy", "offscreen")
    if hidden and not os.environ.get("SDL_VIDEODRIVER"):
        sys.exit(f"{name}: there is no display; {advice}")


def play(name: str, make: Callable[[], Game]) -> None:
    """Play until the window is closed.

    Args:
        name: The name of the program, for errors.
        make: Makes the game, once there is a display.
    """
    open_display(name)
    try:
        game, clock = make(), pygame.time.Clock()
        while not pygame.event.peek(pygame.QUIT):
            for event in pygame.event.get(exclude=pygame.QUIT):  # all others, or they pile up
                game.handle(event)
            game.update()
            game.draw(pygame.time.get_ticks())
            pygame.display.flip()
            clock.tick(60)
    except (MapError, pygame.error) as problem:
        sys.exit(f"{name}: {problem}")
    except KeyboardInterrupt:
        sys.exit(130)
