"""The examples in pygame: they play, and say in one line what is missing."""

from shutil import copytree

import numpy as np
import pytest

from tests.programs import pygame_example
from tilequad import load_map

pygame = pytest.importorskip("pygame")


@pytest.fixture
def example(monkeypatch):
    with pygame_example("pygame_map", monkeypatch) as module:
        yield module


@pytest.mark.slow
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


def test_a_missing_map_is_named(example):
    with pytest.raises(SystemExit, match=r"^pygame_map: .*none\.tmx"):
        example.play("pygame_map", lambda: example.Game("none.tmx"))


def test_it_ends_with_its_window_and_with_ctrl_c(example):
    class Frames:
        """Counts them; the third one closes the window, or is interrupted."""

        def __init__(self, last):
            pygame.display.set_mode((9, 9))
            self.last, self.drawn, self.handled = last, [], []
            self.handle = self.handled.append

        def update(self):
            assert len(self.drawn) < 3

        def draw(self, time):
            self.drawn.append(time)
            if len(self.drawn) == 3:
                self.last()

    def interrupt():
        raise KeyboardInterrupt

    closed = Frames(lambda: pygame.event.post(pygame.event.Event(pygame.QUIT)))
    pygame.event.post(pygame.event.Event(pygame.KEYDOWN, key=pygame.K_t))
    example.play("closed", lambda: closed)
    assert len(closed.drawn) == 3
    assert pygame.K_t in [event.key for event in closed.handled if event.type == pygame.KEYDOWN]
    pygame.event.clear()
    with pytest.raises(SystemExit) as ended:
        example.play("interrupted", lambda: Frames(interrupt))
    assert ended.value.code == 130


@pytest.fixture
def editor(example, tmp_path):
    """The level editor, on a copy of a map."""
    module = pytest.importorskip("level_editor")
    pygame.font.init()
    copytree(module.MAP.parent, tmp_path / "maps")
    return module.Editor(tmp_path / "maps" / "frontier.tmx", tmp_path / "maps" / "frontier.tmx")


def send(editor, kind, **values):
    editor.handle(pygame.event.Event(kind, **values))


@pytest.mark.slow
def test_the_editor_paints_saves_and_follows(editor):
    path, [x, y] = editor.tile_map.path, (400, 300)
    cell = editor.layer.cell_at(*editor.camera.to_world(x, y))
    beside = editor.layer.cell_at(*editor.camera.to_world(x + 40, y))
    editor.draw(0)
    send(editor, pygame.MOUSEWHEEL, y=-1, pos=(1270, 9))
    send(
        editor, pygame.MOUSEBUTTONDOWN, pos=(1270, 9), button=5
    )  # as pygame tells of the wheel, too
    assert editor.gid == 1
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
    editor.draw(0)
    picture = pygame.surfarray.array3d(editor.screen)
    assert len(np.unique(picture.reshape(-1, 3), axis=0)) > 500
    send(editor, pygame.KEYDOWN, key=pygame.K_PAGEUP)
    assert editor.layer.name == "roads"
