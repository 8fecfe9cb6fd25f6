"""The examples in pygame: they play, and say in one line what is missing."""

from __future__ import annotations

from shutil import copytree

import numpy as np
import pytest

from tests.programs import EXAMPLES
from tilequad import load_map

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


@pytest.fixture
def editor(example, tmp_path):
    """The level editor, on a copy of a map."""
    module = pytest.importorskip("level_editor")
    pygame.font.init()
    copytree(module.MAP.parent, tmp_path / "maps")
    return module.Editor(tmp_path / "maps" / "frontier.tmx", tmp_path / "maps" / "frontier.tmx")


def send(editor, kind, **values):
    editor.handle(pygame.event.Event(kind, **values))


def test_the_editor_paints_saves_and_follows(editor):
    path, [x, y] = editor.tile_map.path, (400, 300)
    cell = editor.layer.cell_at(*editor.camera.to_world(x, y))
    beside = editor.layer.cell_at(*editor.camera.to_world(x + 40, y))
    editor.draw()
    send(editor, pygame.MOUSEWHEEL, y=-1, pos=(1270, 9))
    send(editor, pygame.MOUSEBUTTONDOWN, pos=(1270, 9), button=1)
    assert editor.gid == editor.palette[15][0]
    send(editor, pygame.MOUSEBUTTONDOWN, pos=(x, y), button=1)
    send(editor, pygame.MOUSEMOTION, pos=(x + 40, y), rel=(40, 0), buttons=(1, 0, 0))
    send(editor, pygame.KEYDOWN, key=pygame.K_s)
    saved = load_map(path).layer("ground")
    assert saved.gid_of(*cell) == saved.gid_of(*beside) == editor.gid
    editor.update()
    assert "saved" in editor.message

    other = load_map(path)  # Tiled
    other.layer("ground").set_tile(*cell, 3)
    other.save(path)
    editor.update()
    assert "read" in editor.message
    send(editor, pygame.MOUSEBUTTONDOWN, pos=(x, y), button=3)
    assert editor.gid == 3
    editor.draw()
    picture = pygame.surfarray.array3d(editor.screen)
    assert len(np.unique(picture.reshape(-1, 3), axis=0)) > 500
    send(editor, pygame.KEYDOWN, key=pygame.K_PAGEUP)
    assert editor.layer.name == "roads"
