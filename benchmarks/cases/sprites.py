"""Collisions of sprites: our functions beside those of arcade and pygame, by number of sprites.

Each question is asked of every sprite of another group, as a game asks it. `sync` is not timed: a
game calls it once a frame, whatever it asks.
"""

from collections.abc import Callable
from functools import partial
from math import sqrt
from random import Random
from typing import Any

import arcade
import pygame

from benchmarks.plan import OURS, Plan, Race, Races, Runner, check
from tilequad import DynamicQuadtree
from tilequad.draw import arcade as for_arcade
from tilequad.draw import pygame as for_pygame

SIZES, QUICK_SIZES = (16, 32, 64, 128, 500, 2_000), (16, 500)
ASKING = 50  # sprites
SIDE, ROOM = 16, 48  # px of a sprite, and of the square that each has on average
WORLD = 0, 0, 2_400, 2_400


def races(plan: Plan) -> Races:
    """Each function, for lists of several sizes."""
    for count in QUICK_SIZES if plan.quick else SIZES:
        yield from with_pygame(count)
        yield from with_arcade(count)


def places(count: int, seed: int) -> list[tuple[int, int]]:
    """The corners of some sprites."""
    rng, side = Random(seed), int(sqrt(count) * ROOM)
    return [(rng.randrange(side), rng.randrange(side)) for _ in range(count)]


def with_pygame(count: int) -> Races:
    hunters, prey = pygame.sprite.Group(), pygame.sprite.Group()
    for seed, group in ((1, hunters), (2, prey)):
        for x, y in places(count, seed):
            pygame.sprite.Sprite(group).rect = pygame.Rect(x, y, SIDE, SIDE)
    followed = for_pygame.FollowedSprites(DynamicQuadtree(WORLD))
    followed.sync(prey)
    for name, *given in (("spritecollide", prey, False), ("spritecollideany", prey)):
        functions = {OURS: getattr(for_pygame, name), "pygame": getattr(pygame.sprite, name)}
        yield duel(name, count, hunters.sprites(), functions, *given)
    del followed  # groupcollide needs none
    functions = {OURS: for_pygame.groupcollide, "pygame": pygame.sprite.groupcollide}
    runners = {name: partial(f, hunters, prey, False, False) for name, f in functions.items()}
    check(runners[OURS]() == runners["pygame"](), "groupcollide")
    yield Race("groupcollide", "uniform", count, runners)


def with_arcade(count: int) -> Races:
    texture = arcade.make_soft_square_texture(SIDE, (255, 0, 0, 255), 255, 255)
    hashed = arcade.SpriteList(lazy=True, use_spatial_hash=True)
    listed = arcade.SpriteList(lazy=True)
    hunters = [arcade.Sprite(texture, center_x=x, center_y=y) for x, y in places(count, 1)]
    for x, y in places(count, 2):
        for sprites in (hashed, listed):
            sprites.append(arcade.Sprite(texture, center_x=x, center_y=y))
    followed = for_arcade.FollowedSprites(DynamicQuadtree(WORLD))
    followed.sync(listed)
    # Method 3 looks at each sprite; from 1,500 on arcade would ask the GPU.
    collide, name = arcade.check_for_collision_with_list, "check_for_collision_with_list"
    functions = {OURS: getattr(for_arcade, name), "arcade": partial(collide, method=3)}
    found = duel(name, count, hunters, functions, listed)
    found.runners["arcade, spatial hash"] = asked(collide, hunters, hashed)
    yield found
    functions = {OURS: for_arcade.get_closest_sprite, "arcade": arcade.get_closest_sprite}
    yield duel("get_closest_sprite", count, hunters, functions, listed)
    del followed


def duel(name: str, count: int, hunters: list, functions: dict[str, Callable], *given: Any) -> Race:
    """A function of ours and the one of the host, for each of some sprites."""
    for sprite in hunters[:ASKING]:
        ours, theirs = (function(sprite, *given) for function in functions.values())
        check(ours == theirs, name)
    runners = {whose: asked(function, hunters, *given) for whose, function in functions.items()}
    return Race(name, "uniform", count, runners, "call", min(count, ASKING))


def asked(function: Callable[..., Any], hunters: list, *given: Any) -> Runner:
    """A run of a function for each of some sprites."""
    asking = hunters[:ASKING]
    return lambda: [function(sprite, *given) for sprite in asking]
