"""arcade's functions for collisions, asked of a tree: the same answers in the same order."""

from __future__ import annotations

from importlib import import_module
from random import Random

import pytest

from tilequad import DynamicQuadtree

arcade = pytest.importorskip("arcade")
from tilequad.draw import arcade as ours  # noqa: E402
from tilequad.draw.arcade import collisions  # noqa: E402

TEXTURES = [arcade.make_soft_square_texture(side, (255, 0, 0, 255), 255, 255) for side in (8, 24)]
TEXTURES.append(arcade.make_circle_texture(30, (0, 0, 255, 255)))


def scene(seed: int, count: int) -> tuple[list[arcade.Sprite], arcade.SpriteList]:
    """Sprites of all sizes and turns, and a list with most of them and more."""
    rng = Random(seed)
    sprites = [
        arcade.Sprite(
            rng.choice(TEXTURES),
            scale=rng.uniform(0.3, 3),
            center_x=rng.randint(0, 150) * 4,
            center_y=rng.randint(0, 100) * 4,
            angle=rng.choice([0, rng.uniform(0, 360)]),
        )
        for _ in range(count)
    ]
    listed = arcade.SpriteList(lazy=True)
    listed.extend(rng.sample(sprites, count * 4 // 5))
    return sprites, listed


def followed(*lists: arcade.SpriteList) -> ours.FollowedSprites:
    found = ours.FollowedSprites(DynamicQuadtree((0, 0, 600, 400)))
    found.units.add("another unit", 300, 200, radius=100)
    for sprites in lists:
        found.sync(sprites)
    return found


@pytest.mark.parametrize("count", [1, 20, 150])
def test_sprites_collide_as_in_arcade(count):
    for seed in range(4):
        sprites, listed = scene(seed, count)
        _, others = scene(seed + 9, 60)
        index = followed(listed, others)
        for sprite in sprites[:40]:
            for name, given in (
                ("check_for_collision_with_list", listed),
                ("check_for_collision_with_lists", [listed, others]),
                ("get_closest_sprite", listed),
                ("get_closest_sprite", others),
            ):
                wanted = getattr(arcade, name)(sprite, given)
                assert getattr(ours, name)(sprite, given) == wanted
        del index


def test_arcade_is_not_asked_where_a_tree_can_answer(monkeypatch):
    sprites, listed = scene(3, 150)
    index = followed(listed)
    asked = [
        ("check_for_collision_with_list", listed),
        ("check_for_collision_with_lists", [listed]),
        ("get_closest_sprite", listed),
    ]
    wanted = [getattr(arcade, name)(sprites[0], given) for name, given in asked]
    for name in ("_check_for_collision_with_list", "_get_closest_sprite"):
        monkeypatch.delattr(collisions, name)
    assert [getattr(ours, name)(sprites[0], given) for name, given in asked] == wanted
    assert all(wanted)
    del index


def test_who_left_the_list_since_the_last_sync_is_not_found():
    sprites, listed = scene(3, 150)
    index = followed(listed)
    gone = ours.check_for_collision_with_list(sprites[0], listed)
    assert gone
    for sprite in gone:
        sprite.remove_from_sprite_lists()
    assert ours.check_for_collision_with_list(sprites[0], listed) == []
    closest = arcade.get_closest_sprite(sprites[0], listed)
    assert ours.get_closest_sprite(sprites[0], listed) == closest
    for sprite in list(listed):
        sprite.remove_from_sprite_lists()
    assert ours.get_closest_sprite(sprites[0], listed) is None
    del index


def test_the_closest_sprite_may_have_moved_or_joined_since_the_last_sync():
    hero = arcade.Sprite(TEXTURES[0], center_x=300, center_y=200)
    far, moved = (arcade.SpriteList(lazy=True) for _ in range(2))
    for number in range(40):
        far.append(arcade.Sprite(TEXTURES[0], center_x=1000 + number))
        moved.append(arcade.Sprite(TEXTURES[0], center_x=-1000 - number))
    index = followed(far, moved)
    for sprite in moved:
        sprite.position = hero.position  # nearer now than its unit is
    assert ours.get_closest_sprite(hero, moved)[1] == 0
    far.clear()
    far.append(moved[0])  # a unit of the tree, but of another list
    assert ours.get_closest_sprite(hero, far) == (moved[0], 0)
    del index


def test_a_method_of_arcade_answers_itself():
    sprites, listed = scene(3, 150)
    index = followed(listed)
    for sprite in sprites:
        sprite.center_x += 1000  # the tree does not know yet
    wanted = arcade.check_for_collision_with_list(sprites[0], listed, 3)
    assert ours.check_for_collision_with_list(sprites[0], listed, 3) == wanted
    assert wanted
    del index


def test_errors_are_those_of_arcade():
    sprites, listed = scene(1, 100)
    index = followed(listed)
    for call in (
        lambda module: module.check_for_collision_with_list("hero", listed),
        lambda module: module.check_for_collision_with_list(sprites[0], sprites[1]),
        lambda module: module.get_closest_sprite("hero", listed),
    ):
        errors = []
        for module in (arcade, ours):
            with pytest.raises((AttributeError, TypeError)) as info:
                call(module)
            errors.append((info.type, str(info.value)))
        assert errors[0] == errors[1]
    del index


@pytest.mark.gl
def test_an_example_of_arcade_runs_with_our_functions(window, monkeypatch):
    example = import_module("arcade.examples.sprite_collect_coins")
    calls = []

    def counted(*arguments):
        calls.append(arguments)
        return ours.check_for_collision_with_list(*arguments)

    monkeypatch.setattr(arcade, "check_for_collision_with_list", counted)
    game = example.GameView()
    game.setup()
    index = followed(game.coin_list)
    before = len(game.coin_list)
    for x in range(0, 1280, 40):
        for y in range(0, 720, 60):
            game.on_mouse_motion(x, y, 0, 0)
            game.on_update(1 / 60)
    assert len(game.coin_list) == before - game.score < before
    assert calls
    window.set_mouse_visible(True)
    del index
