"""The inside of the trees keeps to itself."""

import inspect

import pytest

from tilequad import DynamicQuadtree, StaticQuadtree, quadtree
from tilequad._core import layout

DYNAMIC = (
    *("add", "add_many", "any_within", "bounds", "changed_since", "check", "count_within"),
    *("count_within_many", "digest", "explain", "from_bytes", "groups", "groups_many", "item"),
    *("items", "k_nearest", "k_nearest_many", "leaf_size", "mark", "max_depth", "meet", "move"),
    *("move_many", "nearest"),
    *("nearest_many", "nodes", "overlaps", "overlaps_many", "pairs", "pairs_many", "position"),
    *("position_many", "query"),
    *("query_many", "remove", "remove_many", "resize", "resize_many", "segment", "segment_hits"),
    *("segment_many", "serial", "serial_many", "set_groups", "set_groups_many", "slot", "slots"),
    *("stats", "sum_within", "sum_within_many", "sweep", "sweep_hits", "sweep_many", "to_bytes"),
    *("within", "within_many"),
)
STATIC = (
    *("boxes", "check", "digest", "explain", "from_bytes", "k_nearest", "leaf_size", "load"),
    *("max_depth", "nearest", "nodes", "query", "save", "segment", "stats", "to_bytes", "within"),
)


@pytest.mark.parametrize("q", [0, 1, 3, 4, 7, 402])
def test_places_of_quadrants_lie_side_by_side_in_a_block_of_sixteen(q):
    assert layout.place_of(q) == q // 4 * 16 + q % 4


@pytest.mark.parametrize(("tree", "names"), [(DynamicQuadtree, DYNAMIC), (StaticQuadtree, STATIC)])
def test_dir_lists_the_public_verbs_and_nothing_else(tree, names):
    assert [name for name in dir(tree) if not name.startswith("_")] == sorted(names)


@pytest.mark.parametrize(
    ("tree", "parameter", "leaf_size"),
    [
        (DynamicQuadtree([0, 0, 9, 9]), "bounds", 48),
        (StaticQuadtree([(0, 0, 1, 1)]), "boxes", 32),
    ],
)
def test_inspect_reads_how_a_tree_is_made_and_its_limits(tree, parameter, leaf_size):
    signature = inspect.signature(type(tree))
    assert str(signature) == f"({parameter}, *, leaf_size={leaf_size}, max_depth=40)"
    assert (tree.leaf_size, tree.max_depth) == (leaf_size, 40)


def test_what_is_private_is_no_name_of_the_package():
    with pytest.raises(AttributeError, match="'CellSet'"):
        quadtree.CellSet  # noqa: B018


def test_a_tree_names_its_items_in_annotations_at_run_time():
    assert DynamicQuadtree[str].__origin__ is DynamicQuadtree
