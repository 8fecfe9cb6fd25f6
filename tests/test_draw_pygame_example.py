"""The example in pygame: it plays, and says in one line what is missing."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

os.environ.setdefault("PYGAME_HIDE_SUPPORT_PROMPT", "1")
pygame = pytest.importorskip("pygame")

EXAMPLES = Path(__file__).resolve().parent.parent / "examples"
PROGRAM = EXAMPLES / "pygame_map.py"
HIDE_PYGAME = """
import sys
class Refuse:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] == "pygame":
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
sys.meta_path.insert(0, Refuse())
"""


@pytest.fixture
def example(monkeypatch):
    """The example as a module, with a display that no one sees."""
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    monkeypatch.syspath_prepend(str(EXAMPLES))
    pygame.display.quit()
    pygame.display.init()
    yield pytest.importorskip("pygame_map")
    pygame.display.quit()


def test_it_plays(example):
    game = example.Game(example.MAP)
    for frame in range(3):
        game.update()
        game.draw(frame * 16)
    assert len(game.followed.units) == example.WOLVES
    near = game.followed.units.within(*game.hero.rect.center, example.RANGE)
    assert near
    picture = pygame.surfarray.array3d(game.screen).astype(int)
    assert len(np.unique(picture.reshape(-1, 3), axis=0)) > 500
    x, y = (round(side) for side in game.camera.to_screen(*near[0].rect.center))
    around = picture[x - 13 : x + 14, y - 13 : y + 14].reshape(-1, 3)
    assert (around == (255, 0, 0)).all(axis=1).sum() > 50  # its circle

    game.handle(pygame.event.Event(pygame.KEYDOWN, key=pygame.K_t))
    game.handle(pygame.event.Event(pygame.MOUSEWHEEL, y=-3))
    game.draw(100)
    assert game.shows_tree
    assert game.camera.zoom < 1


def run(folder: Path, hide: str = "", **environment: str) -> subprocess.CompletedProcess[str]:
    hidden = {"SDL_VIDEODRIVER", "DISPLAY", "WAYLAND_DISPLAY"}
    kept = {name: value for name, value in os.environ.items() if name not in hidden}
    (folder / "sitecustomize.py").write_text(hide)
    kept["PYTHONPATH"] = os.pathsep.join([str(folder), kept.get("PYTHONPATH", "")])
    command = [sys.executable, str(PROGRAM), str(folder / "none.tmx")]
    return subprocess.run(
        command, env=kept | environment, capture_output=True, text=True, check=False, timeout=60
    )


def test_without_pygame_it_says_what_to_install(tmp_path):
    done = run(tmp_path, HIDE_PYGAME)
    assert done.returncode == 1
    assert 'pip install "tilequad[pygame]"' in done.stderr.splitlines()[-1]
    assert "Traceback" not in done.stderr


def test_a_missing_map_is_named(tmp_path):
    done = run(tmp_path, SDL_VIDEODRIVER="dummy")
    assert done.returncode == 1
    assert "none.tmx" in done.stderr.splitlines()[-1]


@pytest.mark.skipif(sys.platform != "linux", reason="takes the display away as Linux knows it")
def test_without_a_display_it_says_so(tmp_path):
    done = run(tmp_path)
    assert done.returncode == 1
    assert "pygame_map: " in done.stderr.splitlines()[-1]
    assert "display" in done.stderr or "video" in done.stderr
