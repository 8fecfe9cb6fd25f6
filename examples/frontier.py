"""The frontier: a small game on a large map, and what the quadtrees do for it.

Enemies march down the road, towers shoot whoever is first on it, villagers fetch wood and stone
and run for shelter. `python examples/frontier.py` opens a window; `F1` lists the keys. Without a
screen:

    python examples/frontier.py --headless --frames 300 --seed 7 --screenshot frontier.png

prints one line of JSON. Where no window can be opened, the plain command plays the same game
without one and leaves a picture.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from pathlib import Path
from time import perf_counter
from typing import Any

from frontier_game.figures import Figures
from frontier_game.game import Game
from frontier_game.scene import Scene

from tilequad import COMPILED, load_map

MAP = Path(__file__).resolve().parent.parent / "maps" / "frontier.tmx"
SIZE = (1280, 720)
# How long the game is played where no window can be opened, in frames.
UNSEEN_FRAMES = 480


def main() -> None:
    """Play the game."""
    options = _options()
    if options.headless:
        os.environ["ARCADE_HEADLESS"] = "True"  # arcade reads it when it is imported
    else:
        os.environ.pop("ARCADE_HEADLESS", None)
    world = load_map(MAP)
    game = Game(world, options.seed)
    game.units.brute = options.brute_force
    scene = Scene(world, game)
    figures = Figures(game, scene)
    window, problem = (None, "") if options.pillow else _open_window(scene, figures)
    if options.headless:
        report = _play_unseen(window, scene, figures, options.frames, options.screenshot)
        print(json.dumps(report))
    elif window is not None:
        window.run()
    else:
        picture = options.screenshot or Path("frontier.png")
        _play_unseen(None, scene, figures, UNSEEN_FRAMES, picture)
        print(f"{problem} The game was played without one: see {picture}.")


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="A small game on a large map; F1 lists its keys.")
    parser.add_argument("--seed", type=int, default=7, help="the same seed gives the same game")
    parser.add_argument("--headless", action="store_true", help="no window; print figures as JSON")
    parser.add_argument(
        "--frames", type=int, default=300, help="frames to play headless (default: %(default)s)"
    )
    parser.add_argument("--screenshot", type=Path, metavar="FILE", help="save the last frame")
    parser.add_argument(
        "--brute-force", action="store_true", help="begin without the quadtrees, as after B"
    )
    parser.add_argument(
        "--pillow", action="store_true", help="no window: draw with Pillow, even where there is GL"
    )
    options = parser.parse_args()
    if options.frames < 1:
        parser.error(f"--frames must be at least 1, got {options.frames}")
    return options


def _open_window(scene: Scene, figures: Figures) -> tuple[Any | None, str]:
    """A window, or None and a sentence that says why not and what to install."""
    try:
        import arcade
    except ModuleNotFoundError:
        return None, 'No window: arcade is missing; install it with pip install "tilequad[arcade]".'
    except ImportError as error:  # pyglet names the library that it did not find
        return None, _advice(error)
    from frontier_game.window import Window

    try:
        return Window(SIZE, scene, figures), ""
    except (ImportError, OSError) as error:
        return None, _advice(error)
    except Exception as error:
        # pyglet's own errors differ from system to system; what they mean here is one thing.
        if not type(error).__module__.startswith("pyglet"):
            raise
        del arcade
        return None, f"No window: {_first_line(error)} A screen and OpenGL 3.3 are needed."


def _advice(error: Exception) -> str:
    return (
        f"No window: {_first_line(error)} On Debian and Ubuntu, "
        "apt install libgl1 libegl1 libfontconfig1 brings what is missing."
    )


def _first_line(error: Exception) -> str:
    text = (str(error).splitlines() or [""])[0].strip() or type(error).__name__
    return text if text.endswith(".") else f"{text}."


def _play_unseen(
    window: Any | None, scene: Scene, figures: Figures, frames: int, screenshot: Path | None
) -> dict[str, object]:
    """Play so many frames; draw them all with OpenGL, or the last one with Pillow."""
    from frontier_game.picture import around, paint

    started = perf_counter()
    center = scene.start
    picture = None
    for frame in range(frames):
        began = perf_counter()
        scene.game.tick()
        if window is not None:
            window.show()
        elif frame == frames - 1:
            picture = paint(scene, figures, center, SIZE)
        else:
            scene.look(around(center, SIZE))
        figures.note(perf_counter() - began)
    if screenshot is not None:
        picture = window.picture() if window is not None else picture
        picture.save(screenshot)
    return {
        "renderer": "opengl" if window is not None else "pillow",
        "compiled": COMPILED,
        "frames": frames,
        "seconds": round(perf_counter() - started, 3),
        **figures.as_json(),
        "screenshot": str(screenshot) if screenshot else None,
    }


if __name__ == "__main__":
    sys.exit(main())
