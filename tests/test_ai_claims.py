"""Claims: who works where, how many seats there are, and what ends a claim.

test_ai_search_games has searches that claim, and the bits in the tree, beside brute force.
"""

import copy
import pickle
from operator import attrgetter
from random import Random

import numpy as np
import pytest

from tests.brute_goal_search import BruteClaims
from tests.brute_targeting import World
from tilequad import DynamicQuadtree
from tilequad.ai import Claims, Damage, Goal, GoalSearch, Targeting, pack, policies, unpack

VILLAGER, TREE, STUMP, TAKEN, ORC = 1, 2, 4, 8, 16
SQUARE = (0, 0, 1000, 1000)


@pytest.fixture
def units():
    tree = DynamicQuadtree(SQUARE)
    tree.add("anna", 100, 100, groups=VILLAGER)
    tree.add("bert", 104, 100, groups=VILLAGER)
    tree.add("oak", 150, 100, groups=TREE)
    tree.add("elm", 180, 100, groups=TREE)
    return tree


def taken(units):
    """The units that the tree shows as taken."""
    return sorted(units.query(SQUARE, groups=TAKEN))


# -- one seat ---


def test_a_claimed_item_is_free_for_its_holder_only(units):
    claims = Claims(units, TAKEN)
    claims.claim("anna", "oak")

    assert claims.held("anna") == "oak"
    assert claims.is_free("oak", "anna")
    assert not claims.is_free("oak", "bert")
    assert taken(units) == ["oak"]
    with pytest.raises(ValueError, match=r"'oak' has no free seat for 'bert'"):
        claims.claim("bert", "oak")
    assert claims.held("bert") is None
    assert units.groups("oak") == TREE | TAKEN


def test_an_item_may_be_its_own_claimant(units):
    claims = Claims(units, TAKEN)
    claims.claim("oak", "oak")

    assert claims.held("oak") == "oak"
    units.remove("oak")
    units.add("oak", 0, 0)
    assert claims.held("oak") is None
    assert repr(claims) == "<Claims: 0>"


def test_falsy_items_can_be_claimed():
    units = DynamicQuadtree(SQUARE)
    for item in (0, "", 1):
        units.add(item, 5, 5)
    claims = Claims(units, TAKEN)
    claims.claim(0, "")

    assert claims.held(0) == ""
    assert not claims.is_free("", 1)


# -- seats ---


@pytest.mark.parametrize("kind", ["number", "function", "array"])
def test_a_mine_has_seats_for_five(kind):
    units = DynamicQuadtree(SQUARE)
    for number in range(7):
        units.add(number, number, 0)
    units.add("mine", 5, 5, groups=TREE)
    units.add("oak", 6, 6, groups=TREE)
    by_slot = np.ones(9, np.int16)
    by_slot[units.slot("mine")] = 5
    by_item = {"mine": 5}.get
    seats = {"number": 5, "function": lambda item: by_item(item, 1), "array": by_slot}[kind]
    claims = Claims(units, TAKEN, seats)
    for number in range(5):
        assert claims.count("mine") == number
        assert taken(units) == []
        claims.claim(number, "mine")

    assert taken(units) == ["mine"]
    assert not claims.is_free("mine", 6)
    assert claims.is_free("mine", 3)
    claims.claim(3, "mine")
    claims.release(2)
    assert (claims.count("mine"), taken(units)) == (4, [])
    claims.claim(6, "mine")
    assert taken(units) == ["mine"]


def test_seats_may_change_for_those_who_come_later(units):
    seats = {"oak": 2, "elm": 2}
    claims = Claims(units, TAKEN, seats.get)
    for name in ("anna", "bert"):
        claims.claim(name, "oak")
    seats["oak"] = 1
    claims.release("anna")
    assert not claims.is_free("oak", "anna")
    with pytest.raises(ValueError, match="no free seat"):
        claims.claim("anna", "oak")
    assert GoalSearch(units, Goal(TREE, claim=True), claims=claims).search("anna", 0) == "elm"
    assert claims.held("bert") == "oak"
    claims.release("bert")
    seats["oak"] = 3
    for name in ("anna", "bert", "elm"):
        claims.claim(name, "oak")
    assert taken(units) == ["oak"]


# -- what ends a claim ---


def test_a_unit_whose_only_group_is_the_bit_keeps_it(units):
    claims = Claims(units, TAKEN)
    claims.claim("anna", "oak")
    units.set_groups("oak", TAKEN)
    claims.release("anna")

    assert units.groups("oak") == TAKEN
    units.check()


@pytest.mark.parametrize("removed", [[], ["bert"]], ids=["all live", "one removed"])
def test_a_tree_that_is_made_anew_ends_all_claims(units, removed):
    claims = Claims(units, TAKEN)
    claims.claim("anna", "oak")
    units.__init__(SQUARE)
    for name in ("anna", "bert", "oak"):  # in the same slots as before, and no elm
        units.add(name, 1, 1, groups=VILLAGER | TREE)
    for name in removed:
        units.remove(name)

    assert claims.held("anna") is None
    claims.release("anna")
    assert units.groups("oak") == VILLAGER | TREE
    claims.claim("anna", "oak")
    assert claims.held("anna") == "oak"


def test_two_kinds_of_claims_do_not_meddle(units):
    jobs, guards = Claims(units, TAKEN), Claims(units, 16)
    jobs.claim("anna", "oak")
    guards.claim("bert", "oak")

    assert units.groups("oak") == TREE | TAKEN | 16
    jobs.release("anna")
    assert units.groups("oak") == TREE | 16
    assert guards.held("bert") == "oak"


def test_removed_units_are_forgotten():
    units = DynamicQuadtree(SQUARE)
    claims = Claims(units, TAKEN)
    for number in range(3000):
        units.add(("villager", number), 1, 1)
        units.add(("tree", number), 2, 2)
        claims.claim(("villager", number), ("tree", number))
        units.remove(("villager", number))
        units.remove(("tree", number))

    assert len(pickle.dumps(claims._seats)) < 1000  # slots are used again


# -- by slots ---


def test_claims_by_slots(units):
    claims = Claims(units, TAKEN)
    claims.claim("anna", "elm")
    slots = [units.slot(name) for name in ("bert", "anna", "oak")]

    assert claims.held_many(slots).tolist() == [-1, units.slot("elm"), -1]
    assert claims.held_many([]).dtype == np.int32
    claims.release_many(slots)
    claims.release_many([])
    assert claims.held_many(slots).tolist() == [-1, -1, -1]
    assert taken(units) == []


# -- wrong arguments ---


@pytest.mark.parametrize(
    ("wrong", "error", "name"),
    [
        ({"taken": 0}, ValueError, "taken"),
        ({"taken": 6}, ValueError, "taken must be one bit of 32, got 6"),
        ({"taken": 1 << 32}, ValueError, "taken"),
        ({"taken": 2.0}, TypeError, "taken"),
        ({"seats": -1}, ValueError, "seats"),
        ({"seats": 1.5}, TypeError, "seats"),
        ({"seats": None}, TypeError, "seats"),
        ({"seats": np.ones(4)}, TypeError, "seats"),
        ({"seats": np.ones((4, 2), int)}, TypeError, "seats"),
        ({"units": {}}, TypeError, "units must be a DynamicQuadtree"),
    ],
)
def test_claims_refuse_wrong_arguments(units, wrong, error, name):
    with pytest.raises(error, match=name):
        Claims(**({"units": units, "taken": TAKEN} | wrong))


@pytest.mark.parametrize(
    ("answer", "error", "message"),
    [
        (-1, ValueError, "seats must be at least 0, got -1"),
        (None, TypeError, "seats must be a whole number, got None"),
        (1.0, TypeError, "seats must be a whole number"),
    ],
)
def test_a_wrong_number_of_seats_of_an_item_is_refused(units, answer, error, message):
    claims = Claims(units, TAKEN, seats=lambda item: answer)
    with pytest.raises(error, match=message):
        claims.claim("anna", "oak")
    with pytest.raises(error, match=message):
        GoalSearch(units, Goal(TREE, claim=True), claims=claims).search("anna", 0)

    assert repr(claims) == "<Claims: 0>"


def test_an_array_of_seats_must_reach_to_the_slot(units):
    claims = Claims(units, TAKEN, seats=np.ones(3, int))
    with pytest.raises(ValueError, match="seats has no number for slot 3"):
        claims.claim("anna", "elm")


@pytest.mark.parametrize(("claimant", "item"), [("anna", "ghost"), ("ghost", "oak")])
def test_claims_need_both_units_in_the_tree(units, claimant, item):
    claims = Claims(units, TAKEN)
    for ask in (claims.claim, lambda one, other: claims.is_free(other, one)):
        with pytest.raises(KeyError, match="ghost"):
            ask(claimant, item)
    for ask_one in (claims.count, claims.held, claims.release):
        with pytest.raises(KeyError, match="ghost"):
            ask_one("ghost")

    assert repr(claims) == "<Claims: 0>"


def test_a_claim_must_be_in_its_groups_and_they_must_be_a_mask(units):
    claims = Claims(units, TAKEN)
    claims.claim("anna", "elm")
    with pytest.raises(ValueError, match="'oak' is in none of the groups 4"):
        claims.claim("anna", "oak", groups=STUMP)
    with pytest.raises(TypeError, match=r"groups must be a whole number, got 2\.9"):
        claims.claim("anna", "oak", groups=2.9)

    assert claims.held("anna") == "elm"


# -- random claims ---


@pytest.mark.parametrize("seed", range(4))
def test_claims_agree_with_a_plain_list_of_lives(seed):
    """Random claims among units that die, come back and change their groups."""
    rng, units, world = Random(seed), DynamicQuadtree(SQUARE), World()
    claims, twin = Claims(units, 1 << 31), BruteClaims(world, lambda item: 1)

    def add(name):
        place, groups = (rng.uniform(0, 1000), 0), rng.choice((1, 2, 3))
        units.add(name, *place, groups=groups)
        world.add(name, *place, groups)

    for name in range(20):
        add(name)
    for _ in range(2500):
        name, item, action = rng.randrange(20), rng.randrange(20), rng.randrange(10)
        if action < 5 and name in units and item in units:
            groups = rng.choice((None, 1, 2, 3))
            is_free = twin.is_free(item, name)
            assert claims.is_free(item, name) == is_free
            if is_free and (groups is None or units.groups(item) & groups):
                claims.claim(name, item, groups)
                twin.claim(name, item, groups)
        elif action == 5 and name in units:
            claims.release(name)
            twin.release(name)
        elif action < 8 and name in units:
            units.remove(name)
            world.remove(name)
            if rng.random() < 0.5:
                add(name)
        elif action == 8 and name not in units:
            add(name)
        elif name in units:
            groups = world.bodies[name].groups = rng.choice((1, 2, 3))
            units.set_groups(name, groups)
        held, counts = [twin.held(one) for one in units], twin.counts()
        assert [claims.held(one) for one in units] == held
        slots = [units.slot(one) for one in units]
        assert claims.count_many(slots).tolist() == [counts[item] for item in units]
        assert units.items(claims.held_many(slots)) == held
        shuffled = rng.sample(slots, len(slots))
        assert claims.is_free_many(slots, shuffled).tolist() == [
            claims.is_free(*units.items(pair)) for pair in zip(slots, shuffled, strict=True)
        ]


@pytest.mark.parametrize("seed", range(4))
def test_few_changes_end_the_claims_that_a_look_at_all_of_them_ends(seed):
    rng, count = Random(seed), 40
    units = DynamicQuadtree(SQUARE)
    gone = [(kind, k) for k in range(count) for kind in "vt"]
    claims, beds = Claims(units, TAKEN, seats=2), Claims(units, 32)

    def change():
        while len(gone) > 5:
            kind, k = gone.pop(0)
            units.add((kind, k), k, 50, groups=VILLAGER if kind == "v" else TREE)
        kind, item = rng.choice(list(units))
        if rng.random() < 0.2:
            units.remove((kind, item))
            gone.insert(rng.randrange(len(gone) + 1), (kind, item))
        elif rng.random() < 0.3:
            units.set_groups((kind, item), rng.choice([VILLAGER, TREE, STUMP, TREE | 64]))
        elif kind == "v" and (tree := ("t", rng.randrange(count))) in units:
            book = rng.choice([claims, beds])
            if book.is_free(tree, (kind, item)):
                own = units.groups(tree) & (VILLAGER | TREE | STUMP)
                out = None if units.groups(tree) & 64 else 64
                book.claim((kind, item), tree, own or None, out)

    for _ in range(150):
        for _ in range(rng.choice([1, 1, 2, 5, 300])):
            change()
        anew, *books = copy.deepcopy((units, claims, beds))  # these look at all claims
        for own, other in zip((claims, beds), books, strict=True):
            slots = units.slots(units)
            assert own.held_many(slots).tolist() == other.held_many(slots).tolist()
            assert own.count_many(slots).tolist() == other.count_many(slots).tolist()
        if rng.random() < 0.3:  # writes the groups
            one = rng.choice(list(units))
            for book in (claims, beds, *books):
                book.release(one)
            assert units.groups_many(slots).tolist() == anew.groups_many(slots).tolist()
        assert pack(units, claims, beds) == pack(anew, *books)


def test_batches_of_claims_refuse_what_is_no_unit(units):
    claims = Claims(units, TAKEN)
    for ask in (
        claims.count_many,
        claims.held_many,
        claims.release_many,
        lambda slots: claims.is_free_many(slots, [0] * len(slots)),
        lambda slots: claims.is_free_many([0] * len(slots), slots),
    ):
        for slot in (-1, 99, 2**31 - 1):
            with pytest.raises(ValueError, match=f"must be slots of units, got {slot} in row"):
                ask(np.array([0, slot], np.int32))
        ask([])
    with pytest.raises(ValueError, match="claimants must be slots of units, got 99 in row 1"):
        claims.is_free_many([0, 0], [0, 99])
    with pytest.raises(ValueError, match="claimants must be 2 slots, got 1"):
        claims.is_free_many([0, 1], [0])


# -- saving ---


class Soldier:
    """A unit that knows the parts of its game, which read its attributes."""

    def __init__(self, name, walked=0.0, health=10.0):
        self.name, self.walked, self.health = name, walked, health

    def __repr__(self):
        return self.name


def likes(soldier, tree):
    return tree.name == "oak"


def test_units_may_refer_to_the_parts_of_their_game(again):
    units = DynamicQuadtree(SQUARE)
    anna, oak = Soldier("anna"), Soldier("oak")
    orc, imp = Soldier("orc", walked=9), Soldier("imp", health=3)
    for unit, groups in ((anna, VILLAGER), (orc, ORC), (imp, ORC), (oak, TREE)):
        units.add(unit, 500, 500, groups=groups)
    anna.shots = Damage(units, attrgetter("health"))
    walked = policies.first(attrgetter("walked"))
    anna.aim = Targeting(units, walked, max_distance=50, groups=ORC, damage=anna.shots)
    anna.claims = Claims(units, TAKEN)
    anna.work = GoalSearch(units, Goal(TREE, claim=True, where=likes), claims=anna.claims)
    assert anna.aim.target(anna, 0) is orc
    anna.shots.send(orc, 10)
    assert anna.work.search(anna, 0) is oak
    other = again(anna)

    assert repr(other.aim.target(other, 1)) == "imp"
    assert other.aim.target(other, 1) is not imp
    other.shots.send(other.aim.target(other, 1), 3)
    assert other.aim.target(other, 2) is None
    assert anna.aim.target(anna, 1) is imp
    assert repr(other.claims.held(other)) == "oak"
    assert other.claims.held(other) is not oak
    assert other.work.search(other, 1) is other.claims.held(other)
    assert other.work.claims is other.claims


@pytest.mark.parametrize("kept", ["as it was", "pickled", "copied", "unpacked"])
@pytest.mark.parametrize("many", [False, True])
def test_an_item_is_free_for_queries_once_its_holder_is_removed(units, kept, many):
    units.remove("elm")
    claims = Claims(units, TAKEN)
    claims.claim("anna", "oak")
    if kept == "pickled":
        units, claims = pickle.loads(pickle.dumps((units, claims)))
    elif kept == "copied":
        units, claims = copy.deepcopy((units, claims))
    elif kept == "unpacked":
        data, items = pack(units, claims), list(units)
        units = DynamicQuadtree(SQUARE)
        claims = Claims(units, TAKEN)
        unpack(data, items, units, claims)
    assert units.nearest(0, 0, groups=TREE, without=TAKEN) is None
    if many:
        units.remove_many(units.slots(["anna"]))
    else:
        units.remove("anna")
    assert units.nearest(0, 0, groups=TREE, without=TAKEN) == "oak"
    assert units.groups("oak") == TREE
    assert claims.count("oak") == 0


def test_an_item_with_two_seats_is_free_when_one_holder_is_removed(units):
    claims = Claims(units, TAKEN, seats=2)
    claims.claim("anna", "oak")
    claims.claim("bert", "oak")
    assert taken(units) == ["oak"]
    units.remove("anna")
    assert taken(units) == []
    assert claims.held("bert") == "oak"


def test_the_item_of_a_removed_holder_may_be_gone_too():
    units = DynamicQuadtree(SQUARE)
    claims = Claims(units, TAKEN)
    for first, second in ("oak", "anna"), ("anna", "oak"):
        units.add("oak", 60, 50, groups=TREE)
        units.add("anna", 50, 50)
        claims.claim("anna", "oak")
        units.remove(first)
        units.add("elm", 5, 5, groups=TREE | TAKEN)  # in the slot of the first
        units.remove(second)
        assert claims.count("elm") == 0
        units.remove("elm")
