"""The rules of the demo's game: who brings wood, flees, kills and grows again.

They do not run as plain Python, which gives the same answers.
"""

import numpy as np
import pytest

from frontier_game.game import Game
from frontier_game.land import Tree
from frontier_game.settings import Settings
from frontier_game.units import ENEMY, TREE, VILLAGER


def played(frontier, ticks, settings=None, by_loops=()):
    """A game after some ticks; in some of them, brute force answers."""
    game = Game(frontier, 5, settings)
    for tick in range(ticks):
        game.queries.brute_force = tick in by_loops
        game.tick()
    return game


@pytest.mark.slow
def test_brute_force_for_a_second_plays_the_same_game(frontier):
    by_loops = played(frontier, 240, by_loops=range(60, 120))
    assert by_loops.digest() == played(frontier, 240).digest()


@pytest.fixture(scope="module")
def veteran(frontier):
    """A game after 25 seconds; tests only look at it."""
    return played(frontier, 1500)


@pytest.mark.slow
def test_villagers_bring_wood_and_towers_kill(veteran):
    game = veteran

    assert game.slain > 10
    assert game.felled > 5
    assert game.stock["wood"] > 0
    assert any(villager.load for villager in game.village.villagers)
    game.units.check()


@pytest.mark.slow
def test_a_tower_is_built_as_soon_as_the_stock_covers_it(frontier):
    game = played(frontier, 1)
    game.stock = {"wood": 500, "stone": 50}
    for _ in range(600):
        game.tick()

    assert len(game.garrison.towers) > 10
    assert all(tower in game.units for tower in game.garrison.towers)


@pytest.mark.slow
def test_no_two_villagers_go_to_the_same_tree(frontier):
    game = played(frontier, 400)
    goals = [
        villager.goal
        for villager in game.village.villagers
        if villager.state in ("going", "working") and isinstance(villager.goal, Tree)
    ]

    assert len(goals) > 10
    assert len(goals) == len(set(goals))


@pytest.mark.slow
def test_villagers_flee_from_an_enemy_into_a_building(frontier):
    game = played(frontier, 120)
    villager = next(one for one in game.village.villagers if one.state in ("going", "working"))
    game.horde.spawn([0.0])
    enemy = list(game.horde)[-1]
    states = []
    for _ in range(600):
        x, y = game.units.position(villager)
        game.units.move(enemy, x + 60, y)
        game.village.update(game.now, game.ticks, 1 / 60)
        game.ticks += 1
        states.append(villager.state)

    assert "fleeing" in states
    assert states[-1] == "hiding"


@pytest.mark.slow
def test_felled_trees_become_stumps(frontier, veteran):
    game = veteran
    changed = np.flatnonzero(game.tree_gids != game.land.tree_gids)

    assert len(changed) == game.felled > 0
    for gid in game.tree_gids[changed].tolist():
        tileset = frontier.tileset_of(gid)
        assert "stump" in tileset.tile_class(gid - tileset.first_gid)


@pytest.mark.slow
def test_stumps_grow_into_trees_again(frontier):
    # A tree falls after one load.
    game = played(frontier, 800, settings=Settings(chop=80, regrowth=3.0))
    changed = game.tree_gids != game.land.tree_gids
    standing = sum(tree in game.units for tree in game.land.trees)

    assert 0 < changed.sum() < game.felled
    assert standing == len(game.land.trees) - changed.sum()


def test_reinforcements_arrive_at_once(frontier):
    game = played(frontier, 1)
    before = len(game.horde)
    game.horde.reinforce(1000)

    assert len(game.horde) == before + 1000


def test_brute_force_answers_as_the_tree_does(frontier):
    units = played(frontier, 100).queries
    answers = []
    for units.brute_force in (False, True):
        answers.append(
            [
                (
                    sorted(map(id, units.within(x, y, 300, groups=ENEMY | VILLAGER))),
                    sorted(map(id, units.query((x - 200, y - 200, x + 200, y + 200), TREE))),
                    id(units.nearest(x, y, groups=TREE)),
                    id(units.nearest(x, y, groups=ENEMY, min_distance=200)),
                )
                for x in range(0, 8192, 700)
                for y in range(0, 8192, 700)
            ]
        )

    assert answers[0] == answers[1]
