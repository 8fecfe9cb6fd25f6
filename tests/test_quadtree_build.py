"""Bulk builds from difficult positions: almost equal ones, and ones of very different scale."""

import numpy as np
import pytest

from tests.trees import DynamicQuadtree, StaticQuadtree

COUNTS = (1, 2, 49, 600)  # leaf sizes are 48, and 32 in the static tree


def neighbors(rng, count):
    """Return adjacent floats: no split line fits between two of them."""
    return 1e9 + np.spacing(1e9) * rng.integers(0, 9, (count, 2))


def powers(rng, count):
    """Halve the distance to the corner each time: one level per point would be too deep."""
    return np.ldexp(1.0, -rng.integers(0, 900, (count, 2)))


def least_floats(rng, count):
    return 5e-324 * rng.integers(0, 5, (count, 2))


def strides(rng, count):
    """Return positions with gaps of every scale."""
    return np.cumsum(np.exp(rng.normal(0, 6, (count, 2))), axis=0)


def outlier(rng, count):
    return np.vstack([rng.random((count, 2)), [[1e12, -1e12]]])


def line(rng, count):
    return np.column_stack([rng.random(count), np.full(count, -3.0)])


def point(_, count):
    return np.full((count, 2), 7.0)


@pytest.mark.parametrize("count", COUNTS)
@pytest.mark.parametrize("spread", [neighbors, powers, least_floats, strides, outlier, line, point])
def test_every_unit_is_found_at_its_position(spread, count):
    xy = spread(np.random.default_rng(count), count)
    units, boxes = DynamicQuadtree((0, 0, 100, 100)), StaticQuadtree(np.hstack([xy, xy]))
    units.add_many(range(len(xy)), xy)
    units.check()
    boxes.check()
    for x, y in xy[:: max(1, len(xy) // 20)]:
        here = np.flatnonzero((xy == (x, y)).all(axis=1)).tolist()
        assert sorted(units.query((x, y, x, y))) == here
        assert boxes.query((x, y, x, y)).tolist() == here
        assert units.nearest(x, y) == nearest(xy, x, y)[0]
        assert units.k_nearest(x, y, 8) == nearest(xy, x, y)[:8]
        assert boxes.k_nearest(x, y, 8).tolist() == nearest(xy, x, y)[:8]


@pytest.mark.parametrize("spread", [neighbors, powers, strides, outlier, line, point])
def test_a_rebuilt_tree_keeps_its_units(spread):
    rng = np.random.default_rng(5)
    first, more = spread(rng, 200), spread(rng, 300)
    units = DynamicQuadtree((0, 0, 100, 100))
    slots = units.add_many(range(len(first)), first, radius=rng.choice([0, 2, 9], len(first)))
    units.remove_many(slots[::3])
    left = [unit for unit in range(len(first)) if unit % 3]
    units.add_many(range(1000, 1000 + len(more)), more, groups=2)
    units.check()
    assert list(units) == [*left, *range(1000, 1000 + len(more))]
    assert [units.position(unit) for unit in left] == [tuple(first[unit]) for unit in left]
    x, y = more[0]
    assert units.nearest(x, y, groups=2) == 1000 + nearest(more, x, y)[0]


def nearest(xy, x, y):
    """Return all rows, nearest first, ties in order."""
    squares = (xy[:, 0] - x) ** 2 + (xy[:, 1] - y) ** 2
    return np.argsort(squares, kind="stable").tolist()
