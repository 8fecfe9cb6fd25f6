"""The frontier: a small game on a large map, driven by the quadtrees.

Enemies march down the road, towers shoot the one in front, villagers fetch wood and stone and run
for shelter. `python examples/frontier.py` opens a window; `F1` lists the keys. Without a screen:

    python examples/frontier.py --headless --frames 300 --seed 7 --screenshot frontier.png

plays the game and prints one line of JSON. If no window can be opened, the plain command plays
the same game without one and saves a picture.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from pathlib import Path
from time import perf_counter
from typing import Any

from frontier_game.game import Game
from frontier_game.hud import Hud
from frontier_game.scene import Scene
from tqdm import tqdm  # type: ignore[import-untyped]

from tilequad import COMPILED, load_map

MAP = Path(__file__).resolve().parent.parent / "maps" / "frontier.tmx"
SIZE = (1280, 720)
# How many frames to play if no window can be opened.
OFFSCREEN_FRAMES = 300
# What a window needs, for the message that says why there is none.
NEEDS = (
    '"apt install libgl1 libegl1 libfontconfig1 libxrender1" brings OpenGL to Debian and Ubuntu'
    if sys.platform == "linux"
    else "a screen and a driver for OpenGL 3.3 are needed"
)


def main() -> None:
    """Play the game."""
    options = _options()
    if options.headless:
        os.environ["ARCADE_HEADLESS"] = "True"  # arcade reads this on import
    else:
        os.environ.pop("ARCADE_HEADLESS", None)
    tile_map = load_map(MAP)
    game = Game(tile_map, options.seed)
    game.units.brute_force = options.brute_force
    scene = Scene(tile_map, game)
    hud = Hud(game, scene)
    window, problem = (None, "") if options.pillow else _open_window()
    if window is not None:
        window.stage(scene, hud)
        hud.live = True
    if options.headless:
        if problem:
            print(f"No window, drawing with Pillow; {problem}.", file=sys.stderr)
        report = _play_offscreen(window, scene, hud, options.frames, options.screenshot)
        print(json.dumps(report))
    elif window is not None:
        window.run()
    else:
        picture = options.screenshot or Path("frontier.png")
        _play_offscreen(None, scene, hud, OFFSCREEN_FRAMES, picture)
        reason = f"Cannot open a window ({problem}). " if problem else ""
        print(f"{reason}Played the game off screen and saved its last frame as {picture}.")


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="A small game on a large map; F1 lists its keys.")
    parser.add_argument("--seed", type=int, default=7, help="the same seed plays the same game")
    parser.add_argument("--headless", action="store_true", help="no window; print JSON")
    parser.add_argument(
        "--frames", type=int, default=300, help="frames to play headless (default: %(default)s)"
    )
    parser.add_argument("--screenshot", type=Path, metavar="FILE", help="save the last frame")
    parser.add_argument(
        "--brute-force", action="store_true", help="start without the quadtrees, as after B"
    )
    parser.add_argument(
        "--pillow", action="store_true", help="no window: draw with Pillow, even if OpenGL works"
    )
    options = parser.parse_args()
    if options.frames < 1:
        parser.error(f"--frames must be at least 1, got {options.frames}")
    return options


def _open_window() -> tuple[Any | None, str]:
    """Return a window; or None, the reason, and what to install."""
    try:
        from frontier_game.window import Window

        return Window(SIZE), ""
    except ModuleNotFoundError as error:
        if error.name != "arcade":
            raise
        return None, 'arcade is missing: pip install "tilequad[arcade]" brings it'
    except Exception as error:
        # Without a screen or a library, arcade and pyglet raise different errors on each system.
        reason = (str(error).splitlines() or [""])[0].strip().rstrip(".") or type(error).__name__
        if type(error).__name__ == "NoSuchDisplayException":
            reason = "there is no screen"
        return None, f"{reason}: {NEEDS}"


def _play_offscreen(
    window: Any | None, scene: Scene, hud: Hud, frames: int, screenshot: Path | None
) -> dict[str, object]:
    """Play `frames` frames; draw each with OpenGL, or the last one with Pillow."""
    from frontier_game.picture import paint, view_around

    started = perf_counter()
    # The progress bar shows on a terminal only.
    for _ in tqdm(range(frames), "playing", unit=" frames", leave=False, disable=None):
        began = perf_counter()
        scene.game.tick()
        if window is not None:
            window.show()
        else:
            scene.find_visible(view_around(scene.start, SIZE))
        hud.record(perf_counter() - began)
    if screenshot is not None and window is not None:
        window.picture().save(screenshot)
    elif screenshot is not None:
        paint(scene, hud, scene.start, SIZE).save(screenshot)
    return {
        "renderer": "opengl" if window is not None else "pillow",
        "compiled": COMPILED,
        "frames": frames,
        "seconds": round(perf_counter() - started, 3),
        **hud.as_json(),
        "screenshot": str(screenshot) if screenshot else None,
    }


if __name__ == "__main__":
    main()
