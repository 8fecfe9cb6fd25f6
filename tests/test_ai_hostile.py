"""Callbacks that change the tree, raise, or return nonsense: a clear error, and nothing is lost."""

import gc
import os
import subprocess
import sys
from contextlib import suppress

import numpy as np
import pytest

from tests.by_slot import targets_of
from tests.test_ai_targeting import field
from tilequad import DynamicQuadtree
from tilequad.ai import Damage, RangeEvents, Targeting, policies

pytestmark = pytest.mark.slow
TOWER, ENEMY = 1, 2
SQUARE = (0, 0, 1000, 1000)

both = pytest.mark.parametrize("batch", [False, True], ids=["target", "targets"])


@pytest.fixture
def units():
    return field(orc=10, rat=20, ogre=30, imp=40)


def ask(aim, now, batch):
    return targets_of(aim, ["tower"], now)[0] if batch else aim.target("tower", now)


# -- policies ---


@both
@pytest.mark.parametrize("lock", [True, False])
def test_none_from_a_policy_means_hold_fire(units, batch, lock):
    say = ["orc"]
    archers = Targeting(units, lambda query: say[0], max_distance=100, groups=ENEMY, lock=lock)
    assert ask(archers, 0, batch) == "orc"
    say[0] = None

    assert ask(archers, 1, batch) == ("orc" if lock else None)


@both
def test_a_policy_keeps_what_it_may_while_nobody_is_in_range(units, batch):
    archers = Targeting(
        units, lambda query: query.nearest(), max_distance=12, lose_distance=30, groups=ENEMY
    )
    assert ask(archers, 0, batch) == "orc"
    units.move("orc", 529, 500)
    units.move("rat", 900, 900)

    assert ask(archers, 1, batch) == "orc"


@both
@pytest.mark.parametrize("wrong", ["ghost", "tower", "far", "friend", "hidden", 7, [1]])
def test_a_policy_must_choose_a_candidate(units, batch, wrong):
    units.add("far", 900, 900, groups=ENEMY)
    units.add("friend", 501, 500, groups=TOWER)
    units.add("hidden", 502, 500, groups=ENEMY)
    say = ["orc"]
    archers = Targeting(
        *(units, lambda query: say[0]),
        max_distance=100,
        groups=ENEMY,
        where=lambda seeker, unit: unit != "hidden",
    )
    assert ask(archers, 0, batch) == "orc"
    say[0] = wrong
    with pytest.raises((ValueError, TypeError), match=r"candidate|unhashable"):
        ask(archers, 1, batch)
    say[0] = "rat"

    assert ask(archers, 1, batch) == "rat"


# -- callbacks that raise ---


class Trap:
    """Calls a function in its n-th call, and otherwise answers as another function does."""

    def __init__(self, answer, n, action):
        self.answer, self.left, self.action = answer, n, action

    def __call__(self, *args):
        self.left -= 1
        if self.left == 0:
            self.action()
        return self.answer(*args)


def fail():
    raise OSError("in the callback")


@both
@pytest.mark.parametrize("n", range(1, 5))
@pytest.mark.parametrize("kind", ["where", "key", "policy", "health", "sight"])
def test_a_callback_that_raises_costs_neither_target_nor_beat(units, batch, n, kind):
    def make(n):
        trap = {name: Trap(answer, n if name == kind else 0, fail) for name, answer in (
            ("where", lambda seeker, unit: unit != "orc"),
            ("key", len),
            ("policy", policies.first(len)),
            ("health", lambda unit: 30),
            ("sight", lambda x0, y0, x1, y1: x1 != 520),
        )}  # fmt: skip
        policy = policies.first(trap["key"]) if kind == "key" else trap["policy"]
        shots = Damage(units, trap["health"])
        shots.send("ogre", 20)  # the best, so that its health is asked for
        return Targeting(
            *(units, policy if kind in ("key", "policy") else policies.first(len)),
            max_distance=100,
            groups=ENEMY,
            where=trap["where"],
            damage=shots,
            sight=type("Sight", (), {"clear": staticmethod(trap["sight"])})(),
            retarget_every=7,
        )

    hit, twin, raised = make(n), make(0), 0
    for now in range(40):
        expected = ask(twin, now, batch)
        try:
            seen = ask(hit, now, batch)
        except OSError:
            raised += 1
            seen = ask(hit, now, batch)  # the same tick again
        assert seen == expected
    assert raised == 1


# -- callbacks that change the tree ---


def changes(units):
    return {
        "remove all": lambda: [units.remove(name) for name in ("orc", "rat", "ogre", "imp")],
        "remove the seeker": lambda: units.remove("tower"),
        "add": lambda: units.add_many(map(str, range(300)), [(505, 505)] * 300, groups=ENEMY),
        "bring back": lambda: [(units.remove(name), units.add(name, 505, 505, groups=ENEMY))
                               for name in ("orc", "rat", "ogre", "imp")],
        "convert": lambda: [units.set_groups(name, TOWER) for name in ("orc", "rat")],
        "move": lambda: [units.move(name, 900, 900) for name in ("orc", "rat", "ogre")],
    }  # fmt: skip


@both
@pytest.mark.parametrize("change", changes(None))
@pytest.mark.parametrize("kind", ["key", "policy"])
def test_a_key_or_policy_that_changes_the_tree_breaks_nothing(units, batch, change, kind):
    policy = policies.first(Trap(len, 1, changes(units)[change]))
    if kind == "policy":
        policy = Trap(lambda query: query.nearest(), 1, changes(units)[change])
    archers = Targeting(units, policy, max_distance=100, groups=ENEMY)
    with suppress(RuntimeError, KeyError, ValueError):
        found = ask(archers, 0, batch)
        assert found is None or found in units
    units.check()
    if "tower" not in units:
        units.add("tower", 500, 500, groups=TOWER)
    fresh = Targeting(units, policies.first(len), max_distance=100, groups=ENEMY)
    archers.policy = policies.first(len)

    assert ask(archers, 1, batch) == ask(fresh, 1, batch)


@both
def test_a_chosen_unit_that_a_key_removed_is_a_runtime_error(units, batch):
    key = Trap(len, 1, lambda: units.remove("ogre"))
    archers = Targeting(units, policies.first(key), max_distance=100, groups=ENEMY)
    with pytest.raises(RuntimeError, match="added or removed"):
        ask(archers, 0, batch)


def test_a_where_may_ask_the_same_targeting(units):
    def where(seeker, unit):
        return seeker != "tower" or archers.target(unit, 0) is not None

    archers = Targeting(units, max_distance=15, where=where, retarget_every=9)

    assert archers.target("tower", 0) == "orc"
    assert archers.target("orc", 0) == "tower"  # as near as the rat, and added first


class Wrong:
    """A tree of another library, which has one slot for all units."""

    def __init__(self, tree, slot):
        self._tree, self._slot = tree, slot

    def __getattr__(self, name):
        return getattr(self._tree, name)

    def __contains__(self, unit):
        return True

    def slot(self, unit):
        return self._slot

    def item(self, slot):
        return "tower"


@pytest.mark.parametrize("slot", [-1, -(10**7), 1 << 31, 1 << 60])
def test_a_wrong_slot_of_another_library_is_refused(units, slot):
    archers = Targeting(Wrong(units, slot), max_distance=100)
    for now in range(3):
        with pytest.raises(ValueError, match="slot must be in 0"):
            archers.target("tower", now)
    with suppress(OverflowError):
        archers.drop("tower")


@pytest.mark.parametrize("wrong", [-5, -(10**9), 10**6])
def test_range_events_ask_the_tree_not_what_a_subclass_answers(wrong):
    class Liar(DynamicQuadtree):
        def slot(self, item):
            return wrong

        def within_many(self, xy, *args, **options):
            return np.arange(len(xy) + 1), np.full(len(xy), wrong, np.int32)

    tree = Liar(SQUARE)
    tree.add("tower", 500, 500)
    tree.add("orc", 510, 500)
    events = RangeEvents(tree)
    zone = events.follow("tower", 100)

    assert events.update() == [(zone, ["orc"], [])]
    tree.move("tower", 900, 900)
    assert events.update() == [(zone, [], ["orc"])]


@pytest.mark.parametrize("part", ["reentrance", "threads", "forks", "copies"])
def test_callbacks_and_items_that_do_everything_end_nothing(part):
    if part == "forks" and not hasattr(os, "fork"):
        pytest.skip("no fork")
    command = [sys.executable, "-X", "faulthandler", "-m", "tests.hostile_ai", part]
    ran = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (ran.returncode, ran.stdout.split()) == (0, ["done"]), ran.stderr[-3000:]


def test_zones_do_not_change_while_an_update_asks_for_sight(units):
    class Meddler:
        def clear_many(self, xy0, xy1):
            for change in (lambda: events.add(0, 0, 5), lambda: events.remove(zone), events.update):
                with pytest.raises(RuntimeError, match="zones must not change during an update"):
                    change()
            return np.ones(len(xy0), np.bool_)

    events = RangeEvents(units, sight=Meddler())
    zone = events.add(510, 500, 5)
    assert events.update() == [(zone, ["orc"], [])]
    events.remove(zone)


@pytest.mark.parametrize("wrong", [[1, 0], [[True] * 4], [True]])
def test_a_sight_must_answer_with_a_bool_for_each_line(units, wrong):
    sight = type("Sight", (), {"clear_many": lambda *_: wrong})()
    events = RangeEvents(units, sight=sight)
    events.add(520, 500, 50)
    with pytest.raises(ValueError, match=r"sight.clear_many must give 5 bools, got \w+ \("):
        events.update()


def test_events_are_right_about_a_tree_that_was_made_anew_with_fewer_units(units):
    events = RangeEvents(units)
    zone = events.add(520, 500, 25)
    assert events.update() == [(zone, ["tower", "orc", "rat", "ogre", "imp"], [])]
    units.__init__(SQUARE)
    units.add("tower", 520, 500)
    assert events.update() == [(zone, ["tower"], ["tower", "orc", "rat", "ogre", "imp"])]
    assert events.inside(zone) == ["tower"]


def test_what_runs_while_a_zone_begins_does_not_find_half_of_it():
    units = DynamicQuadtree((0, 0, 100, 100))
    units.add_many(range(40), [(i, i) for i in range(40)])
    events = RangeEvents(units)
    places = {}

    def meddle(phase, info):
        with suppress(RuntimeError):
            events.update()

    before = gc.get_threshold()
    gc.callbacks.append(meddle)
    try:
        for i in range(400):
            gc.disable()
            for j in range(40):
                units.move(j, (7 * i + j) % 40, (3 * i + j) % 40)
            gc.collect(0)
            gc.set_threshold(gc.get_count()[0] + i % 40 + 1)  # somewhere in `add`
            for j in range(40):
                units.move(j, (11 * i + j) % 40, (3 * i + j) % 40)
            gc.enable()
            places[events.add(i % 40, i % 40, 9)] = i % 40
    finally:
        gc.enable()
        gc.set_threshold(*before)
        gc.callbacks.remove(meddle)

    events.update()
    for zone, at in places.items():
        assert sorted(events.inside(zone)) == sorted(units.within(at, at, 9))
