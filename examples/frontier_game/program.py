"""The demo's command line: play in a window, or off screen."""

from __future__ import annotations

import argparse
import gc
import json
import os
import sys
from dataclasses import replace
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING

from tqdm import tqdm  # type: ignore[import-untyped]

from frontier_game.campaign import CAMPAIGN
from frontier_game.game import Game
from frontier_game.hud import Hud
from frontier_game.scene import Scene
from frontier_game.session import Session
from tilequad import COMPILED, MapError, load_map
from tilequad.cli.common import RequestError
from tilequad.cli.render import check_output
from tilequad.cli.view import open_window

if TYPE_CHECKING:
    from frontier_game.window import Window

MAP = Path(__file__).resolve().parents[2] / "maps" / "frontier.tmx"
SIZE = (1280, 720)


def run() -> int:
    """Play the game that the command line asks for; return the exit status."""
    try:
        _play(_options())
    except (MapError, RequestError, OSError) as problem:
        print(f"frontier: {problem}", file=sys.stderr)
        return 2
    return 0


def _play(options: argparse.Namespace) -> None:
    """Play with a window, or off screen."""
    if options.screenshot is not None:
        check_output(options.screenshot)
    if not COMPILED:
        print("The trees are not compiled: queries are about 100 times slower.", file=sys.stderr)
    if options.headless:
        os.environ["ARCADE_HEADLESS"] = "True"  # arcade reads this on import
    else:
        os.environ.pop("ARCADE_HEADLESS", None)
    tile_map = load_map(MAP)
    settings = replace(CAMPAIGN, waves=CAMPAIGN.waves[: options.waves])
    session = None if options.headless else Session(tile_map, options.seed, settings)
    window, problem = (None, "") if options.pillow else _open_window()
    if session is not None and window is not None:
        game = session.game
    else:
        game, session = Game(tile_map, options.seed), None
        game.queries.brute_force = options.brute_force
    scene = Scene(tile_map, game)
    hud = Hud(game, scene)
    if window is not None:
        window.stage(scene, hud, session)
        hud.live = True
    if options.headless:
        if problem:
            print(f"No window, drawing with Pillow; {problem}.", file=sys.stderr)
        report = _play_offscreen(window, scene, hud, options.frames, options.screenshot)
        print(json.dumps(report))
    elif window is not None:
        # What is loaded by now stays: to look for garbage in it takes 60 ms of some frame.
        gc.freeze()
        window.run()
    else:
        picture = options.screenshot or Path("frontier.png")
        check_output(picture)
        _play_offscreen(None, scene, hud, options.frames, picture)
        reason = f"No window: {problem}. " if problem else ""
        print(f"{reason}Played the game off screen and saved its last frame as {picture}.")


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Hold the village; F1 says how to play.")
    parser.add_argument("--seed", type=int, default=7, help="the same seed plays the same game")
    parser.add_argument("--headless", action="store_true", help="no window; print JSON")
    parser.add_argument(
        "--frames", type=int, default=300, help="frames to play off screen (default: %(default)s)"
    )
    parser.add_argument(
        "--waves", type=int, default=len(CAMPAIGN.waves), metavar="N",
        help="end the game in the window after this many waves (default: %(default)s)",
    )  # fmt: skip
    parser.add_argument("--screenshot", type=Path, metavar="FILE", help="save the last frame")
    parser.add_argument(
        "--brute-force", action="store_true", help="headless: without the quadtrees"
    )
    parser.add_argument(
        "--pillow", action="store_true", help="no window: draw with Pillow, even if OpenGL works"
    )
    options = parser.parse_args()
    if options.frames < 1:
        parser.error(f"--frames must be at least 1, got {options.frames}")
    if not 1 <= options.waves <= len(CAMPAIGN.waves):
        parser.error(f"--waves must be from 1 to {len(CAMPAIGN.waves)}, got {options.waves}")
    return options


def _open_window() -> tuple[Window | None, str]:
    """Return a window; or None, the reason, and what to install."""

    def make() -> Window:
        import pyglet

        # To ask for errors after each call takes a tenth of a frame.
        pyglet.options.debug_gl = False
        from frontier_game.window import Window

        return Window(SIZE)

    try:
        return open_window(make, "the window"), ""
    except (ModuleNotFoundError, RequestError) as problem:
        return None, str(problem)


def _play_offscreen(
    window: Window | None, scene: Scene, hud: Hud, frames: int, screenshot: Path | None
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
