"""No package reads the private attributes of another: it asks a function, such as `ground_of`."""

import ast
from collections import defaultdict
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent / "tilequad"
# Those who follow something have these methods, and what they follow calls them.
CALLBACKS = {
    "_cells_changed",
    "_layer_changed",
    "_map_changed",
    "_object_changed",
    "_tiles_changed",
}
STANDARD = {"_replace", "_asdict", "_fields", "_make", "_is_owned"}  # named tuples; RLock


def package_of(path: Path) -> str:
    return "/".join(path.relative_to(ROOT).parts[:-1][: 2 if "_core" in path.parts else 1])


def private_names(tree: ast.AST) -> tuple[set[str], list[tuple[int, str]]]:
    """The private names that a module defines, and the lines that read one of another object."""
    defined, read = set(), []
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            defined.add(node.name)
        elif isinstance(node, ast.AnnAssign | ast.Assign):
            for target in node.targets if isinstance(node, ast.Assign) else [node.target]:
                defined |= {part.id for part in ast.walk(target) if isinstance(part, ast.Name)}
        elif isinstance(node, ast.Dict):  # the fields of a compiled class
            defined |= {str(key.value) for key in node.keys if isinstance(key, ast.Constant)}
        if isinstance(node, ast.Attribute) and node.attr[:1] == "_" and node.attr[:2] != "__":
            own = isinstance(node.value, ast.Name) and node.value.id in ("self", "cls")
            if isinstance(node.ctx, ast.Store):
                defined.add(node.attr)
            elif not own:
                read.append((node.lineno, node.attr))
    return defined, read


def foreign_reads(sources: dict[Path, str]) -> list[str]:
    defined: dict[str, set[str]] = defaultdict(set)
    reads = []
    for path, text in sources.items():
        own, read = private_names(ast.parse(text))
        defined[package_of(path)] |= own
        reads += [(path, line, name) for line, name in read]
    return [
        f"{path.relative_to(ROOT)}:{line}: {name}"
        for path, line, name in reads
        if name not in defined[package_of(path)] | CALLBACKS | STANDARD
    ]


@pytest.mark.slow
def test_no_package_reads_private_attributes_of_another():
    found = foreign_reads({path: path.read_text("utf-8") for path in ROOT.rglob("*.py")})
    assert found == []


@pytest.mark.parametrize(("reader", "is_foreign"), [("nav", True), ("tiled", False)])
def test_such_a_read_is_found(reader, is_foreign):
    sources = {
        ROOT / "tiled" / "layer.py": "class Layer:\n    def make(self):\n        self._tiles = 1\n",
        ROOT / reader / "reader.py": "def count(layer):\n    return layer._tiles\n",
    }
    assert foreign_reads(sources) == ([f"{reader}/reader.py:2: _tiles"] if is_foreign else [])
