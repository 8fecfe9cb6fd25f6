"""pygame's functions for collisions, asked of a tree: the same answers in the same order."""

from __future__ import annotations

import runpy
from contextlib import suppress
from random import Random

import pytest

from tilequad import DynamicQuadtree

pygame = pytest.importorskip("pygame")
from tilequad.draw import pygame as ours  # noqa: E402
from tilequad.draw.pygame import collisions  # noqa: E402

Sprites = pygame.sprite
COLLIDED = [
    None,
    Sprites.collide_rect,
    Sprites.collide_circle,
    Sprites.collide_mask,
    Sprites.collide_rect_ratio(1.7),
    Sprites.collide_rect_ratio(0.4),
    Sprites.collide_circle_ratio(1.3),
    lambda left, right: left.rect.x == right.rect.x,
]


def sprite_of(rng: Random, number: int) -> pygame.sprite.Sprite:
    sprite = Sprites.Sprite()
    sprite.number = number
    size = rng.randint(0, 40), rng.randint(0, 40)
    kind = rng.choice([pygame.Rect, pygame.FRect])
    sprite.rect = kind(rng.uniform(-50, 600), rng.uniform(-50, 400), *size)
    sprite.image = pygame.Surface((rng.randint(1, 60), rng.randint(1, 60)), pygame.SRCALPHA)
    sprite.image.fill("white", pygame.Rect(0, 0, 30, 20))
    if rng.random() < 0.3:
        sprite.radius = rng.uniform(0, 70)
    if rng.random() < 0.5:
        sprite.mask = pygame.mask.from_surface(sprite.image)
    return sprite


def scene(seed: int, count: int) -> list[pygame.sprite.Group]:
    """Two groups that share some sprites."""
    rng = Random(seed)
    sprites = [sprite_of(rng, number) for number in range(2 * count)]
    rng.shuffle(sprites)
    return [Sprites.Group(sprites[: count + 9]), Sprites.Group(sprites[count:])]


def numbers(sprites: object) -> object:
    if isinstance(sprites, dict):
        return [(key.number, numbers(value)) for key, value in sprites.items()]
    return [sprite.number for sprite in sprites]


def followed(group: pygame.sprite.Group) -> ours.FollowedSprites:
    found = ours.FollowedSprites(DynamicQuadtree((0, 0, 600, 400)))
    found.units.add("another unit", 300, 200, radius=100)
    found.sync(group)
    return found


@pytest.mark.parametrize("count", [20, 300])
@pytest.mark.parametrize("collided", COLLIDED)
def test_sprites_collide_as_in_pygame(count, collided):
    for seed in range(3):
        hunters, prey = scene(seed, count)
        index = followed(prey)
        for hunter in hunters.sprites()[:40]:
            wanted = Sprites.spritecollide(hunter, prey, False, collided)
            assert ours.spritecollide(hunter, prey, False, collided) == wanted
            first = Sprites.spritecollideany(hunter, prey, collided)
            assert ours.spritecollideany(hunter, prey, collided) is first
        del index


@pytest.mark.parametrize("kept", [True, False])
@pytest.mark.parametrize("dokilla", [True, False])
@pytest.mark.parametrize("dokillb", [True, False])
def test_groups_collide_and_die_as_in_pygame(dokilla, dokillb, kept):
    for seed, collided in enumerate(COLLIDED):
        answers = []
        for module in (Sprites, ours):
            hunters, prey = scene(seed, 130)
            index = followed(prey) if kept else None
            found = module.groupcollide(hunters, prey, dokilla, dokillb, collided)
            answers.append((numbers(found), numbers(hunters), numbers(prey)))
            del index
        assert answers[0] == answers[1]
        assert answers[0][0]


@pytest.mark.parametrize("collided", COLLIDED[:-1])
def test_pygame_is_not_asked_where_a_tree_can_answer(monkeypatch, collided):
    hunters, prey = scene(1, 130)
    wanted = Sprites.groupcollide(hunters, prey, False, False, collided)
    assert wanted
    for name in ("_spritecollide", "_spritecollideany", "_groupcollide"):
        monkeypatch.delattr(collisions, name)
    assert ours.groupcollide(hunters, prey, False, False, collided) == wanted  # of this call alone
    index = followed(prey)
    assert ours.groupcollide(hunters, prey, False, False, collided) == wanted
    for hunter, found in wanted.items():
        assert ours.spritecollide(hunter, prey, False, collided) == found
        assert ours.spritecollideany(hunter, prey, collided) is found[0]
    del index


def test_who_died_or_left_since_the_last_sync_is_not_found():
    hunters, prey = scene(1, 200)
    index = followed(prey)
    hunter = max(hunters, key=lambda one: len(ours.spritecollide(one, prey, False)))
    killed = ours.spritecollide(hunter, prey, True)
    assert len(killed) > 1
    assert ours.spritecollide(hunter, prey, False) == []
    assert ours.spritecollideany(hunter, prey) is None
    prey.add(killed)
    assert set(ours.spritecollide(hunter, prey, False)) == set(killed)
    index.sync(prey)  # they are the last of the group now
    wanted = Sprites.spritecollide(hunter, prey, False)
    assert ours.spritecollide(hunter, prey, False) == wanted == killed
    del index


def test_errors_are_those_of_pygame():
    hunters, prey = scene(1, 100)
    hunter = hunters.sprites()[0]
    nobody = Sprites.Sprite()  # without a rect
    prey.add(nobody)

    def errors(module: object) -> list[type]:
        found = []
        for call in (
            lambda: module.groupcollide(hunters, prey, False, False),
            lambda: module.spritecollide(nobody, hunters, False),
            lambda: module.spritecollide(hunter, prey, False, "rect"),
        ):
            with pytest.raises((AttributeError, TypeError)) as info:
                call()
            found.append(info.type)
        return found

    index = followed(hunters)
    assert errors(ours) == errors(Sprites)
    del index


@pytest.mark.slow
def test_an_example_of_pygame_runs_with_our_functions(monkeypatch):
    """Aliens: shots that hit aliens, bombs that hit the player."""
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    monkeypatch.setenv("SDL_AUDIODRIVER", "dummy")
    calls = []
    for name in ("spritecollide", "groupcollide", "spritecollideany"):
        function = getattr(ours, name)

        def counted(*arguments, function=function, **named):
            calls.append(function.__name__)
            return function(*arguments, **named)

        monkeypatch.setattr(Sprites, name, counted)
    frames = iter(range(30))

    class Clock:
        def tick(self, rate: int) -> int:
            if next(frames, None) is None:
                raise KeyboardInterrupt
            return 25

    monkeypatch.setattr(pygame.time, "Clock", Clock)
    monkeypatch.setattr(pygame.time, "wait", lambda milliseconds: None)
    aliens = runpy.run_module("pygame.examples.aliens", run_name="aliens")
    with suppress(KeyboardInterrupt):  # unless the player is hit before
        aliens["main"]()
    pygame.quit()
    assert {"spritecollide", "groupcollide"} <= set(calls)
