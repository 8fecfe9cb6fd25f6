"""Lantern, the small game in pygame: its rules, its pages, and its command line."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from PIL import Image

os.environ.setdefault("PYGAME_HIDE_SUPPORT_PROMPT", "1")
pygame = pytest.importorskip("pygame")

EXAMPLES = Path(__file__).resolve().parent.parent / "examples"
sys.path.insert(0, str(EXAMPLES))

import lantern  # noqa: E402
from lantern_game import night as rules  # noqa: E402
from lantern_game.night import FOLLOWER, HEARTS, LOST, VILLAGERS, Night  # noqa: E402

HIDE_PYGAME = """
import sys
class Refuse:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] == "pygame":
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
sys.meta_path.insert(0, Refuse())
"""


@pytest.fixture
def game(monkeypatch):
    """A game on a display that no one sees."""
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    pygame.display.quit()
    pygame.display.init()
    pygame.font.init()
    yield lantern.Game(pygame.display.set_mode(lantern.SIZE), seed=1)
    pygame.display.quit()


def press(game, key=None, button=None):
    if key is not None:
        game.handle(pygame.event.Event(pygame.KEYDOWN, key=key))
    if button is not None:
        game.handle(pygame.event.Event(pygame.MOUSEBUTTONDOWN, button=button, pos=(0, 0)))


def put_beside_the_hero(night, person, dx):
    x, y = night.units.position(night.hero)
    night.units.move(person, x + dx, y)


def people(night):
    """Everyone, and where they are."""
    places = [night.units.position(one) for one in night.units]
    return places, night.home, night.taken, night.hearts


def test_the_seed_and_the_keys_decide_the_night():
    def play(seed, right):
        night = Night(seed)
        for tick in range(120):
            night.step(right, 0.5, flare=tick == 60)
        return people(night)

    first = play(3, -1)
    assert play(3, -1) == first
    assert play(3, 1) != first
    assert play(4, -1) != first


def test_the_hero_walks_and_walls_stop_the_hero():
    night = Night(1)
    x, y = night.units.position(night.hero)
    night.step(-3, 0)
    assert night.units.position(night.hero) == pytest.approx((x - rules.WALK, y))
    for _ in range(300):
        night.step(0, -1)
    _, end = night.units.position(night.hero)
    assert not night.grid.blocked[int(end // 32), int(x // 32)]
    assert y - 100 < end < y  # before the door of the town hall


def test_who_is_found_follows_home(monkeypatch):
    monkeypatch.setattr(rules, "GOBLINS", 0)
    night = Night(1)
    villager = night.of(LOST)[0]
    put_beside_the_hero(night, villager, 50)
    night.step(0, 0)
    assert night.of(FOLLOWER) == [villager]
    for _ in range(200):
        night.step(0, 0)
    assert (night.home, len(night.of(LOST))) == (1, VILLAGERS - 1)
    assert villager not in night.units


def test_goblins_flee_from_the_lantern_until_it_fades():
    night = Night(1)
    goblin = night.goblins[0]
    put_beside_the_hero(night, goblin, -100)
    night.step(0, 0, flare=True)
    for _ in range(30):
        night.step(0, 0, flare=True)  # it must be filled again before
    x, y = night.units.position(night.hero)
    place = pygame.Vector2(night.units.position(goblin))
    assert place.distance_to((x, y)) > 150
    assert night.ready_at == rules.RELOAD
    assert night.hearts == HEARTS


def test_goblins_hurt_the_hero_until_all_is_lost():
    night = Night(1)
    put_beside_the_hero(night, night.goblins[0], -15)
    night.step(0, 0)
    assert (night.hearts, night.result) == (HEARTS - 1, "playing")

    night.catch(night.goblins[1], night.hero)
    assert night.hearts == HEARTS - 1  # spared for a while
    for goblin in night.goblins[1:HEARTS]:
        night.tick += rules.UNHURT
        night.catch(goblin, night.hero)
    assert (night.hearts, night.result) == (0, "lost")


def test_a_goblin_that_was_afraid_does_not_jump():
    night = Night(1)
    goblin = night.goblins[0]
    for _ in range(30):
        night.step(0, 0)
    goblin.afraid_until = night.tick + 30
    for _ in range(60):
        before = pygame.Vector2(night.units.position(goblin))
        night.step(0, 0)
        assert before.distance_to(night.units.position(goblin)) < 8


def test_goblins_take_those_who_follow_and_too_many_are_a_loss():
    night = Night(1)
    for taken, villager in enumerate(night.of(LOST)[:4], 1):
        assert night.result == "playing"
        night.units.set_groups(villager, FOLLOWER)
        goblin = night.goblins[taken]
        x, y = night.units.position(villager)
        night.units.move(goblin, x + 5, y)
        night.catch(goblin, villager)
        assert (night.taken, villager in night.units) == (taken, False)
    assert night.result == "lost"


def test_a_player_who_takes_care_wins_where_no_goblin_is(game, monkeypatch):
    monkeypatch.setattr(rules, "GOBLINS", 0)
    game.begin(2)
    lantern.play_alone(game, 20_000)
    assert (game.page, game.night.home, game.night.of(LOST)) == ("won", VILLAGERS, [])
    game.draw()


def test_the_pages_lead_from_the_title_to_a_night_to_another(game):
    assert game.page == "title"
    game.draw()
    press(game, button=1)
    assert game.page == "playing"
    game.update()
    assert game.night.tick == 1

    press(game, pygame.K_p)
    game.update()
    assert (game.page, game.night.tick) == ("paused", 1)
    press(game, pygame.K_p)
    press(game, pygame.K_SPACE)
    game.update()
    assert game.night.ready_at == 1 + rules.RELOAD

    game.night.hearts = 0
    game.update()
    assert game.page == "lost"
    game.draw()
    press(game, pygame.K_RETURN)
    assert (game.page, game.seed, game.night.tick) == ("playing", 2, 0)


def test_there_is_light_around_the_hero_and_dark_elsewhere(game):
    game.page = "playing"
    game.draw()
    picture = pygame.surfarray.array3d(game.surface).astype(int).sum(axis=2)
    assert picture[540:740, 300:420].mean() > 2.5 * picture[20:220, 500:620].mean()


def run(folder, *arguments, hide=""):
    hidden = {"SDL_VIDEODRIVER", "DISPLAY", "WAYLAND_DISPLAY"}
    kept = {name: value for name, value in os.environ.items() if name not in hidden}
    (folder / "sitecustomize.py").write_text(hide)
    kept["PYTHONPATH"] = os.pathsep.join([str(folder), kept.get("PYTHONPATH", "")])
    command = [sys.executable, str(EXAMPLES / "lantern.py"), *arguments]
    return subprocess.run(
        command, env=kept, capture_output=True, text=True, check=False, timeout=120
    )


def test_it_plays_without_a_screen_and_keeps_a_picture(tmp_path):
    picture = tmp_path / "night.png"
    options = "--headless", "--frames", "40", "--seed", "5", "--screenshot", str(picture)
    done = run(tmp_path, *options)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines()[-1] == "playing after 40 ticks: 0 home, 0 taken"
    with Image.open(picture) as image:
        assert image.size == lantern.SIZE
        assert len(image.convert("RGB").getcolors(1 << 20)) > 500


def test_without_pygame_it_says_what_to_install(tmp_path):
    done = run(tmp_path, hide=HIDE_PYGAME)
    assert done.returncode == 1
    assert 'pip install "tilequad[pygame]"' in done.stderr.splitlines()[-1]
    assert "Traceback" not in done.stderr


@pytest.mark.skipif(sys.platform != "linux", reason="takes the display away as Linux knows it")
def test_without_a_display_it_says_so(tmp_path):
    done = run(tmp_path)
    assert done.returncode == 1
    assert "lantern: " in done.stderr.splitlines()[-1]
    assert "Traceback" not in done.stderr
