"""What type checkers see of the trees is what runs, and it knows the type of the units."""

from __future__ import annotations

import ast
import inspect
import subprocess
import sys
from pathlib import Path

import pytest

import tilequad
from tests.trees import DynamicQuadtree, StaticQuadtree

ROOT = Path(__file__).parent.parent
TREES = ROOT / "tilequad" / "quadtree"

TYPED = """
from dataclasses import dataclass
from typing import Any
from typing_extensions import assert_type

import numpy as np
from numpy.typing import NDArray

from tilequad import DynamicQuadtree, StaticQuadtree, load_map
from tilequad.ai import Goal, GoalSearch, Targeting, separate
from tilequad.nav import Slide, Walls
from tilequad.quadtree import Contacts
from tilequad.tiled import ObjectLayer, TileLayer


@dataclass(eq=False)
class Unit:
    x: float
    y: float


units: DynamicQuadtree[Unit] = DynamicQuadtree((0, 0, 10, 10))
orc = Unit(1, 2)
units.add(orc, orc.x, orc.y)
assert_type(units.query((0, 0, 5, 5)), list[Unit])
assert_type(units.within(0, 0, 5, exclude=orc), list[Unit])
assert_type(units.nearest(0, 0, where=lambda unit: unit.x > 1), Unit | None)
assert_type(units.pairs(), list[tuple[Unit, Unit]])
assert_type(list(units), list[Unit])
assert_type(DynamicQuadtree[Unit]((0, 0, 10, 10)), DynamicQuadtree[Unit])
assert_type(Contacts(units).update(), tuple[list[tuple[Unit, Unit]], list[tuple[Unit, Unit]]])
units.add("orc", 1, 2)  # refused: a string is not a Unit
units.remove(7)  # refused

loose = DynamicQuadtree((0, 0, 10, 10))
loose.add("orc", 1, 2)
loose.add(7, 1, 2)
[name.upper() for name in loose.query((0, 0, 5, 5))]


def count(tree: DynamicQuadtree) -> int:
    return len(tree)


Targeting(units, max_distance=5)
GoalSearch(units, Goal(1)).search(orc, now=0)
assert_type(separate(units, 1, walls=StaticQuadtree([(0, 0, 1, 1)])), NDArray[np.int32])

tree = StaticQuadtree([(0, 0, 1, 1)])
assert_type(tree.query((0, 0, 1, 1)), NDArray[np.int32])
assert_type(tree.boxes(), NDArray[np.float64])

tile_map = load_map("map.tmx")
ground = tile_map.layer("ground")
assert_type(ground.cells([1]), NDArray[np.int32] | Any)
ground.visible = False
ground.set_tyle(1, 2, 3)  # refused
woods = tile_map.layer("woods", TileLayer)
assert_type(woods, TileLayer)
woods.set_tile(1, 2, 3)
assert_type(tile_map.layer("places", ObjectLayer), ObjectLayer)
tile_map.layer("places", str)  # refused: not a layer
for solid in (tree, ground, woods, woods.select({"solid": True}), tile_map.layer("a", ObjectLayer)):
    assert_type(Walls(solid).move_and_slide((0, 0, 1, 1), 1, 1), Slide)
"""


def stub_of(name: str) -> ast.ClassDef:
    """The only class of a stub file."""
    module = ast.parse((TREES / f"{name}.pyi").read_text(encoding="utf-8"))
    [found] = [node for node in module.body if isinstance(node, ast.ClassDef)]
    return found


def described(arguments: ast.arguments) -> list[tuple[str, object]]:
    """Names and defaults of arguments, without self and cls; a * before those only by name."""
    names = [argument.arg for argument in (*arguments.posonlyargs, *arguments.args)]
    defaults = [ast.literal_eval(value) for value in arguments.defaults]
    pairs = list(zip(names, [...] * (len(names) - len(defaults)) + defaults, strict=True))
    by_name = [
        (f"*{argument.arg}", ... if value is None else ast.literal_eval(value))
        for argument, value in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)
    ]
    extra = [arguments.vararg, arguments.kwarg]
    return [
        *(pair for pair in pairs if pair[0] not in ("self", "cls")),
        *by_name,
        *((argument.arg, ...) for argument in extra if argument is not None),
    ]


@pytest.mark.parametrize(
    ("name", "tree"), [("dynamic", DynamicQuadtree), ("static", StaticQuadtree)]
)
def test_the_stub_of_a_tree_has_its_methods_with_their_arguments(name, tree):
    if tree.__module__ == "tests.oracle":
        pytest.skip("the stubs are those of the trees")
    functions = [node for node in stub_of(name).body if isinstance(node, ast.FunctionDef)]
    methods = {node.name: node.args for node in functions}
    properties = {
        node.name
        for node in functions
        if any(ast.unparse(mark) == "property" for mark in node.decorator_list)
    }
    public = {method for method in dir(tree) if not method.startswith("_")}

    assert {method for method in methods if not method.startswith("_")} == public
    assert all(inspect.isdatadescriptor(getattr(tree, name)) for name in properties)
    for method in methods.keys() - properties - {"__len__", "__iter__", "__contains__"}:
        call = tree if method == "__init__" else getattr(tree, method)
        signature = inspect.signature(call)
        parameters = [
            (
                "*" * (parameter.kind is parameter.KEYWORD_ONLY) + parameter.name,
                ... if parameter.default is parameter.empty else parameter.default,
            )
            for parameter in signature.parameters.values()
            if parameter.name != "self"
        ]
        assert described(methods[method]) == parameters, method


@pytest.mark.slow
def test_type_checkers_know_the_units_and_the_layers(tmp_path):
    pytest.importorskip("mypy", reason="needs a type checker")
    script = tmp_path / "typed.py"
    script.write_text(TYPED, encoding="utf-8")
    refused = [number for number, line in enumerate(TYPED.splitlines(), 1) if "# refused" in line]
    command = [sys.executable, "-m", "mypy", "--strict", "--no-error-summary", str(script)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    errors = [line for line in done.stdout.splitlines() if ": error: " in line]

    assert [int(line.removeprefix(str(script)).split(":")[1]) for line in errors] == refused, (
        done.stdout + done.stderr
    )


def test_the_trees_are_generic_when_they_run():
    assert tilequad.DynamicQuadtree[int]((0, 0, 1, 1)).query((0, 0, 1, 1)) == []
