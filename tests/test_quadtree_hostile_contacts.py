"""Contacts whose update is cut short: the next one tells all that has happened."""

import sys
from random import Random

import pytest

from tilequad import DynamicQuadtree
from tilequad.quadtree import Contacts, contacts

BOX = (0, 0, 100, 100)


class Game:
    """Units that move about, and their contacts."""

    def __init__(self, seed):
        self.rng = Random(seed)
        self.tree = DynamicQuadtree(BOX)
        self.added = 0
        for _ in range(60):
            self.add()
        self.contacts = Contacts(self.tree)
        self.contacts.update()

    def add(self):
        place = self.rng.uniform(0, 100), self.rng.uniform(0, 100)
        self.tree.add(self.added, *place, radius=self.rng.uniform(1, 6))
        self.added += 1

    def step(self):
        for item in self.rng.sample(list(self.tree), self.rng.choice((2, 30))):
            self.tree.move(item, self.rng.uniform(0, 100), self.rng.uniform(0, 100))
        self.tree.remove(self.rng.choice(list(self.tree)))
        self.add()


def interrupted_at(number, call):
    """Call; raise KeyboardInterrupt at the n-th line that runs of contacts.py. True if it did.

    Lines of `update` itself do not count: once it has an answer, only the caller can lose it.
    """
    lines = 0

    def trace(frame, event, _):
        nonlocal lines
        if frame.f_code.co_filename != contacts.__file__:
            return None
        if event == "line" and frame.f_code.co_name != "update":
            lines += 1
            if lines == number:
                raise KeyboardInterrupt
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        call()
    except KeyboardInterrupt:
        return True
    finally:
        sys.settrace(before)
    return False


@pytest.mark.parametrize("seed", range(4))
def test_an_interrupted_update_is_made_by_the_next(seed):
    for number in range(1, 200):
        game, twin = Game(seed), Game(seed)
        game.step()
        twin.step()
        if not interrupted_at(number, game.contacts.update):
            break
        assert len(game.contacts) == len(twin.contacts)
        assert game.contacts.update() == twin.contacts.update(), number
        game.step()  # the tree is free again
        twin.step()
        assert game.contacts.update() == twin.contacts.update(), number
        game.tree.check()
    assert number > 20
