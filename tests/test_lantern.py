"""Lantern, the small game in pygame: its rules and its pages."""

import pytest

from tilequad.nav import Paths

pygame = pytest.importorskip("pygame")

import lantern  # noqa: E402
import pygame_window  # noqa: E402
from lantern import FOLLOWER, GOBLIN, HEARTS, LOST, VILLAGERS, Night  # noqa: E402

ENTER, ESCAPE = (
    pygame.event.Event(pygame.KEYDOWN, key=key) for key in (pygame.K_RETURN, pygame.K_ESCAPE)
)


@pytest.fixture
def game(monkeypatch):
    """A game on a display that no one sees."""
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    pygame.display.quit()
    pygame.display.init()
    pygame.font.init()
    yield lantern.Game(pygame.display.set_mode(lantern.SIZE), seed=1)
    pygame.display.quit()


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
    assert night.units.position(night.hero) == pytest.approx((x - lantern.WALK, y))
    for _ in range(300):
        night.step(0, -1)
    _, end = night.units.position(night.hero)
    [hall] = night.tile_map.objects(class_name="town_hall")
    assert end == pytest.approx(hall.bounds.max_y + 8)  # flush with the door of the town hall


@pytest.mark.parametrize(
    ("start", "right", "down", "end"),
    [((30, 4000), -3, 0, (8, 4000)), ((4000, 8160), 0, 3, (4000, 8184))],
)
def test_nobody_walks_off_the_map(start, right, down, end):
    night = Night(1)
    night.units.move(night.hero, *start)
    for _ in range(20):
        night.step(right, down)
    assert night.units.position(night.hero) == end


def test_who_is_found_follows_home(monkeypatch):
    monkeypatch.setattr(lantern, "GOBLINS", 0)
    night = Night(1)
    night.units.move(night.hero, lantern.DOOR[0] - 130, lantern.DOOR[1] + 10)
    villager = night.of(LOST)[0]
    put_beside_the_hero(night, villager, -50)
    night.step(0, 0)
    assert night.of(FOLLOWER) == [villager]
    for _ in range(120):
        x, _ = night.units.position(night.hero)
        night.step(lantern.DOOR[0] - x, 0)
    assert (night.home, len(night.of(LOST))) == (1, VILLAGERS - 1)
    assert villager not in night.units


def test_goblins_flee_from_the_lantern_until_it_fades():
    night = Night(1)
    goblin = night.of(GOBLIN)[0]
    put_beside_the_hero(night, goblin, -100)
    night.step(0, 0, flare=True)
    for _ in range(30):
        night.step(0, 0, flare=True)  # it must be filled again before
    x, y = night.units.position(night.hero)
    place = pygame.Vector2(night.units.position(goblin))
    assert place.distance_to((x, y)) > 150
    assert night.ready_at == lantern.RELOAD
    assert night.hearts == HEARTS


def test_goblins_hurt_the_hero_until_all_is_lost():
    night = Night(1)
    put_beside_the_hero(night, night.of(GOBLIN)[0], -15)
    night.step(0, 0)
    assert (night.hearts, night.result) == (HEARTS - 1, "playing")
    night.step(0, 0)
    assert night.hearts == HEARTS - 1  # whoever has hurt the hero runs away

    for _ in range(1, HEARTS):
        night.catch(night.hero)
    night.step(0, 0)
    assert (night.hearts, night.result) == (0, "lost")


def test_goblins_take_those_who_follow_and_too_many_are_a_loss():
    night = Night(1)
    goblins = night.of(GOBLIN)
    for taken, villager in enumerate(night.of(LOST)[:4], 1):
        assert night.result == "playing"
        night.units.set_groups(villager, FOLLOWER)
        x, y = night.units.position(villager)
        night.units.move(goblins[taken], x + 5, y)
        night.step(0, 0)
        assert (night.taken, villager in night.units) == (taken, False)
    assert night.result == "lost"


@pytest.mark.slow
def test_a_player_with_sense_wins_a_night():
    night = Night(2)
    paths = Paths(night.grid.with_clearance(10))
    while night.result == "playing" and night.tick < 10_000:
        x, y = night.units.position(night.hero)
        lost = night.units.nearest(x, y, groups=LOST)
        leads = lost is None or len(night.of(FOLLOWER)) > 1
        place = lantern.DOOR if leads else night.units.position(lost)
        corner = paths.find(x, y, *place)[:2][-1]
        seen = night.units.within(x, y, 120, groups=GOBLIN)
        afraid = all(goblin.afraid_until >= night.tick for goblin in seen)
        night.step(*(corner - (x, y)), flare=not afraid)
    assert (night.result, night.home) == ("won", lantern.NEEDED)


def test_the_pages_lead_from_the_title_to_a_night_to_another(game):
    assert game.page == "title"
    game.draw(0)
    game.update()
    assert game.night.tick == 0
    game.handle(ENTER)
    assert game.page == "playing"
    game.update()
    assert game.night.tick == 1

    game.night.hearts = 0
    game.update()
    assert game.page == "lost"
    game.draw(0)
    game.handle(ENTER)
    assert (game.page, game.seed, game.night.tick) == ("playing", 2, 0)


def test_there_is_light_around_the_hero_and_dark_elsewhere(game):
    game.page = "playing"
    game.draw(0)
    picture = pygame.surfarray.array3d(game.surface).astype(int).sum(axis=2)
    assert picture[540:740, 300:420].mean() > 2.5 * picture[20:220, 500:620].mean()


def test_the_window_takes_all_events_and_closes_at_escape(game, monkeypatch):
    mouse = pygame.event.Event(pygame.MOUSEMOTION, pos=(5, 5), rel=(1, 0), buttons=(0, 0, 0))
    ticks = []

    def update():
        ticks.append(len(pygame.event.get([pygame.MOUSEMOTION, pygame.KEYDOWN], pump=False)))
        pygame.event.post(ESCAPE if len(ticks) == 3 else mouse)

    monkeypatch.setattr(game, "update", update)
    pygame_window.play("lantern", lambda: game)
    assert ticks == [0, 0, 0, 0]  # what is left in the queue would fill it, and then keys are lost


def test_a_window_that_is_closed_between_two_looks_at_its_events_closes(game, monkeypatch):
    peek, ticks = pygame.event.peek, iter(range(2))

    def look(kind):
        found = peek(kind)
        pygame.event.post(pygame.event.Event(pygame.QUIT))
        return found

    monkeypatch.setattr(pygame.event, "peek", look)
    monkeypatch.setattr(game, "update", lambda: next(ticks))
    pygame_window.play("lantern", lambda: game)
    assert list(ticks) == [1]
