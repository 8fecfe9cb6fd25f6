"""The example in pygame: it plays, and says in one line what is missing."""

from __future__ import annotations

import numpy as np
import pytest

from tests.programs import EXAMPLES

pygame = pytest.importorskip("pygame")


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


def test_a_missing_map_is_named(example, monkeypatch):
    monkeypatch.setattr("sys.argv", ["pygame_map.py", "none.tmx"])
    with pytest.raises(SystemExit, match=r"^pygame_map: .*none\.tmx"):
        example.main()
