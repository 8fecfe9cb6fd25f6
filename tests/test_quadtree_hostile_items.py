"""Items whose hash or comparison fails, lies, or is interrupted: a change happens whole or not."""

import subprocess
import sys
from contextlib import suppress

import pytest

from tests.hostile_items import VERBS
from tilequad import DynamicQuadtree

pytestmark = pytest.mark.slow
BOX = (0, 0, 100, 100)


class Item:
    """An item that raises at its n-th hash or comparison from when it is armed."""

    left = -1  # calls until one raises; negative for never

    def __init__(self, number):
        self.number = number

    def _count(self):
        if Item.left == 0:
            Item.left = -1
            raise KeyboardInterrupt
        Item.left -= Item.left > 0

    def __hash__(self):
        self._count()
        return self.number % 7

    def __eq__(self, other):
        self._count()
        return isinstance(other, Item) and self.number == other.number

    def __repr__(self):
        return f"Item({self.number})"


@pytest.fixture(autouse=True)
def disarm():
    Item.left = -1
    yield
    Item.left = -1


def filled(count=60):
    tree = DynamicQuadtree(BOX)
    items = [Item(number) for number in range(count)]
    tree.add_many(items, [(i % 10 * 9, i // 10 * 9) for i in range(count)], radius=2)
    for item in items[3:30:4]:
        tree.remove(item)
    del items[3:30:4]
    return tree, items


def told(tree):
    """What a tree says of its units."""
    slots = [tree.slot(item) for item in tree]
    places = [tree.position(item) for item in tree]
    return list(map(id, tree)), slots, places, len(tree), len(tree.query(BOX))


def interrupted(change, tree):
    """Interrupt a change at each of its calls in turn, until it passes."""
    for call in range(10_000):
        before = told(tree)
        Item.left = call
        try:
            change()
        except KeyboardInterrupt:
            Item.left = -1
            tree.check()
            yield before
        else:
            Item.left = -1
            tree.check()
            assert call, "nothing was interrupted"
            return
    raise AssertionError("the change never passes")


@pytest.mark.parametrize("count", [1, 5, 30])
def test_add_many_interrupted_adds_nothing(count):
    tree, _ = filled()
    new = [Item(1000 + i) for i in range(count)]
    interrupts = 0
    for before in interrupted(lambda: tree.add_many(new, [(1, 1)] * count), tree):
        assert told(tree) == before
        interrupts += 1

    assert interrupts >= count
    assert len(tree.query((1, 1, 1, 1))) >= count


def test_add_interrupted_adds_nothing():
    tree, _ = filled()
    for before in interrupted(lambda: tree.add(Item(1000), 5, 5), tree):
        assert told(tree) == before
    assert Item(1000) in tree


def test_remove_interrupted_removes_nothing():
    tree, items = filled()
    for before in interrupted(lambda: tree.remove(Item(items[-1].number)), tree):
        assert told(tree) == before
    assert items[-1] not in tree


def test_remove_many_interrupted_removes_all_or_nothing():
    tree, items = filled()
    gone = items[5:25]
    slots = [tree.slot(item) for item in gone]
    for before in interrupted(lambda: tree.remove_many(slots), tree):
        if gone[0] not in tree:
            break  # then all of them are gone
        assert told(tree) == before
    assert list(tree) == [item for item in items if item not in gone]


def test_remove_many_of_an_item_whose_hash_has_changed_removes_nothing():
    tree, items = filled()
    slots = [tree.slot(item) for item in items[:8]]
    before = told(tree)
    items[4].number += 1
    with pytest.raises(KeyError):
        tree.remove_many(slots)
    items[4].number -= 1

    assert told(tree) == before
    tree.check()


class Liar:
    """Equal to nothing but, one time in so many, to everything."""

    asked, one_in = 0, 2

    def __hash__(self):
        return 1

    def __eq__(self, other):
        Liar.asked += 1
        return Liar.asked % Liar.one_in == 0


@pytest.mark.parametrize("one_in", [2, 40])
def test_items_that_lie_leave_a_whole_tree(monkeypatch, one_in):
    monkeypatch.setattr(Liar, "one_in", one_in)
    tree = DynamicQuadtree(BOX)
    for number in range(50):
        with suppress(ValueError):
            tree.add(Liar(), number, number)
        with suppress(ValueError):
            tree.add_many([Liar() for _ in range(number % 5)], [(1, 2)] * (number % 5))
        assert len(tree) == len(list(tree)) == len(tree.query(BOX))
    assert one_in / 2 < len(tree) < 150  # of 150, some were refused


@pytest.mark.parametrize("verb", ["add", "add_many"])
def test_a_comparison_that_changes_the_tree_is_refused(verb):
    tree = DynamicQuadtree(BOX)
    refused = []

    class Meddler:
        def __hash__(self):
            return 5

        def __eq__(self, other):
            for change in (tree.remove, lambda item: tree.add("x", 1, 1)):
                try:
                    change("a")
                except RuntimeError as error:
                    refused.append(str(error))
            return False

    tree.add("a", 1, 1)
    for _ in range(3):
        if verb == "add":
            tree.add(Meddler(), 2, 2)
        else:
            tree.add_many([Meddler(), Meddler()], [(2, 2)] * 2)

    assert refused
    assert all("modified" in message for message in refused)
    assert "a" in tree
    assert "x" not in tree
    tree.check()


def test_no_item_and_no_argument_makes_a_tree_anew_while_it_is_asked():
    run = [sys.executable, "-m", "tests.hostile_items"]
    result = subprocess.run(run, capture_output=True, text=True, timeout=300)

    assert result.returncode == 0, result.stderr[-2000:]
    said = [line.split() for line in result.stdout.splitlines()]
    assert len(said) == 4 * len(VERBS) + 2
    assert [line for line in said if line[-1] != "RuntimeError"] == []
