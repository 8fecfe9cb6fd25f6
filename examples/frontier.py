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
from tqdm import tqdm

from tilequad import COMPILED, load_map

MAP = Path(__file__).resolve().parent.parent / "maps" / "frontier.tmx"
SIZE = (1280, 720)
# How long the game is played where no window can be opened, in frames.
UNSEEN_FRAMES = 300
# What a window takes, for the sentence that says why there is none.
NEEDS = (
    '"apt install libgl1 libegl1 libfontconfig1 libxrender1" brings OpenGL to Debian and Ubuntu'
    if sys.platform == "linux"
    else "a screen and a driver for OpenGL 3.3 are needed"
)


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
    window, problem = (None, "") if options.pillow else _open_window()
    if window is not None:
        window.stage(scene, figures)
        figures.live = True
    if options.headless:
        if problem:
            print(f"No window, drawn by Pillow; {problem}.", file=sys.stderr)
        report = _play_unseen(window, scene, figures, options.frames, options.screenshot)
        print(json.dumps(report))
    elif window is not None:
        window.run()
    else:
        picture = options.screenshot or Path("frontier.png")
        _play_unseen(None, scene, figures, UNSEEN_FRAMES, picture)
        reason = f"No window could be opened ({problem}), so the" if problem else "The"
        print(f"{reason} game was played unseen, and its last picture is {picture}.")


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


def _open_window() -> tuple[Any | None, str]:
    """A window, or None and half a sentence that says why not and what to install."""
    try:
        from frontier_game.window import Window

        return Window(SIZE), ""
    except ModuleNotFoundError as error:
        if error.name != "arcade":
            raise
        return None, 'arcade is missing: pip install "tilequad[arcade]" brings it'
    except Exception as error:
        # What arcade and pyglet raise without a screen or a library differs from system to system.
        reason = (str(error).splitlines() or [""])[0].strip().rstrip(".") or type(error).__name__
        if type(error).__name__ == "NoSuchDisplayException":
            reason = "there is no screen"
        return None, f"{reason}: {NEEDS}"


def _play_unseen(
    window: Any | None, scene: Scene, figures: Figures, frames: int, screenshot: Path | None
) -> dict[str, object]:
    """Play so many frames; draw them all with OpenGL, or the last one by Pillow."""
    from frontier_game.picture import around, paint

    started = perf_counter()
    # The bar shows on a terminal only.
    for _ in tqdm(range(frames), "playing", unit=" frames", leave=False, disable=None):
        began = perf_counter()
        scene.game.tick()
        if window is not None:
            window.show()
        else:
            scene.look(around(scene.start, SIZE))
        figures.note(perf_counter() - began)
    if screenshot is not None and window is not None:
        window.picture().save(screenshot)
    elif screenshot is not None:
        paint(scene, figures, scene.start, SIZE).save(screenshot)
    return {
        "renderer": "opengl" if window is not None else "pillow",
        "compiled": COMPILED,
        "frames": frames,
        "seconds": round(perf_counter() - started, 3),
        **figures.as_json(),
        "screenshot": str(screenshot) if screenshot else None,
    }


if __name__ == "__main__":
    main()
