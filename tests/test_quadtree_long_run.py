"""The first steps of the long run, so that it is ready when it is wanted."""

from random import Random

import pytest

from tests import long_run

pytestmark = pytest.mark.slow


def test_a_short_walk(world):
    rng = Random(world.name)
    walk = long_run.Walk(world, rng)
    for number in range(1_000):
        walk.step(number)
    walk.tree.check()
    long_run.ask_static(world, rng)


def test_a_difference_ends_the_run(monkeypatch, capsys):
    class Forgetful(long_run.DynamicQuadtree):
        def k_nearest(self, *args, **options):
            return super().k_nearest(*args, **options)[1:]

    monkeypatch.setattr(long_run, "DynamicQuadtree", Forgetful)
    with pytest.raises(AssertionError, match="nearest"):
        long_run.run(2_000, seed=1)
    assert "seed 1, world 'uniform', operation" in capsys.readouterr().err
