"""Collisions of sprites: our functions beside those of arcade and pygame, by number of sprites.

Each question is asked of every sprite of another group, as a game asks it. `sync` is not timed: a
game calls it once a frame, whatever it asks.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from math import sqrt
from random import Random
from typing import Any

from benchmarks.peers import OURS
from benchmarks.plan import Plan
from benchmarks.timing import Race, Runner, check
from tilequad import DynamicQuadtree

SIZES, QUICK_SIZES = (16, 32, 64, 128, 500, 2_000), (16, 500)
ASKING = 50  # sprites
SIDE, ROOM = 16, 48  # px of a sprite, and of the square that each has on average
HASH = "arcade, spatial hash"


def races(plan: Plan) -> Iterator[Race]:
    """Each function, for lists of several sizes."""
    for count in QUICK_SIZES if plan.quick else SIZES:
        if plan.has("pygame"):
            yield from pygame_races(count)
        if plan.has("arcade"):
            yield from arcade_races(count)


def places(count: int, seed: int) -> list[tuple[int, int]]:
    """The corners of some sprites."""
    rng, side = Random(seed), int(sqrt(count) * ROOM)
    return [(rng.randrange(side), rng.randrange(side)) for _ in range(count)]


def pygame_races(count: int) -> Iterator[Race]:
    import pygame

    from tilequad.draw import pygame as ours

    def group_of(seed: int) -> Any:
        group = pygame.sprite.Group()
        for x, y in places(count, seed):
            pygame.sprite.Sprite(group).rect = pygame.Rect(x, y, SIDE, SIDE)
        return group

    hunters, prey = group_of(1), group_of(2)
    followed = ours.FollowedSprites(DynamicQuadtree((0, 0, 2_400, 2_400)))
    followed.sync(prey)
    asking = hunters.sprites()[:ASKING]
    hosts = pygame.sprite
    yield duel(
        "spritecollide", count, asking, ours.spritecollide, hosts.spritecollide, (prey, False)
    )
    yield duel(
        "spritecollideany", count, asking, ours.spritecollideany, hosts.spritecollideany, (prey,)
    )
    del followed  # groupcollide needs none
    runners = {
        name: partial(module.groupcollide, hunters, prey, False, False)
        for name, module in ((OURS, ours), ("pygame", hosts))
    }
    check(runners[OURS]() == runners["pygame"](), "groupcollide")
    yield Race("groupcollide", "uniform", count, "call", runners)


def arcade_races(count: int) -> Iterator[Race]:
    import arcade

    from tilequad.draw import arcade as ours

    texture = arcade.make_soft_square_texture(SIDE, (255, 0, 0, 255), 255, 255)
    hashed = arcade.SpriteList(lazy=True, use_spatial_hash=True)
    listed = arcade.SpriteList(lazy=True)
    for x, y in places(count, 2):
        for sprites in (hashed, listed):
            sprites.append(arcade.Sprite(texture, center_x=x, center_y=y))
    asking = [arcade.Sprite(texture, center_x=x, center_y=y) for x, y in places(count, 1)[:ASKING]]
    followed = ours.FollowedSprites(DynamicQuadtree((0, 0, 2_400, 2_400)))
    followed.sync(listed)
    name = "check_for_collision_with_list"
    mine, host = ours.check_for_collision_with_list, arcade.check_for_collision_with_list
    theirs = partial(host, method=3)  # each sprite; from 1,500 on arcade would ask the GPU
    found = duel(name, count, asking, mine, theirs, (listed,))
    found.runners[HASH] = asked(host, asking, (hashed,))
    yield found
    mine, theirs = ours.get_closest_sprite, arcade.get_closest_sprite
    yield duel("get_closest_sprite", count, asking, mine, theirs, (listed,))
    del followed


def duel(
    operation: str,
    count: int,
    asking: list[Any],
    ours: Callable[..., Any],
    theirs: Callable[..., Any],
    given: tuple[Any, ...],
) -> Race:
    """A function of ours and the one of the host, for each of some sprites."""
    for sprite in asking:
        check(ours(sprite, *given) == theirs(sprite, *given), operation)
    runners: dict[str, Runner] = {OURS: asked(ours, asking, given)}
    runners[ours.__module__.split(".")[2]] = asked(theirs, asking, given)
    return Race(operation, "uniform", count, "call", runners, share=len(asking))


def asked(function: Callable[..., Any], asking: list[Any], given: tuple[Any, ...]) -> Runner:
    """A run of a function for each of some sprites."""

    def run() -> None:
        for sprite in asking:
            function(sprite, *given)

    return run
