"""The Python in README.md and the guides, as Sybil finds and runs it.

A page's blocks run in order and share their names, in a folder that holds a copy of
`maps` and `examples`. A comment `# -> value` after a statement promises the repr of its value.
"""

from __future__ import annotations

import ast
import re
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from sybil import Example, Sybil
from sybil.evaluators.python import pad
from sybil.parsers.markdown import CodeBlockParser

PROMISE = "# -> "
ARCADE = re.compile(r"^\s*(import (arcade|pyglet)|from (tilequad\.draw\.)?arcade)\b", re.MULTILINE)
FIRST = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)
OTHERS = (
    "esper",
    "fastquadtree",
    "mesa",
    "pygame",
    "pymunk",
    "pyqtree",
    "pyscroll",
    "pytiled_parser",
    "rtree",
    "scipy",
)


def draws_in_a_window(example: Example) -> bool:
    """Whether a block needs arcade, and so OpenGL; all of a page do whose first block does."""
    return bool(ARCADE.search(first_block(example)) or ARCADE.search(example.parsed))


def missing_package(example: Example) -> str | None:
    """The library that a block, or the first of its page, imports and that is not installed."""
    code = first_block(example) + example.parsed
    for name in OTHERS:
        used = re.search(rf"^(import|from) (tilequad\.draw\.)?{name}\b", code, re.MULTILINE)
        if used and find_spec(name) is None:
            return name
    return None


def first_block(example: Example) -> str:
    """The code with which a page begins, where its imports are."""
    found = FIRST.search(example.document.text)
    return found[1] if found else ""


def run(example: Example) -> str | None:
    """Run a block; the value of each statement that a promise follows must have that repr."""
    source = pad(example.parsed, example.line + example.parsed.line_offset)
    lines = source.splitlines()
    promised = {number for number, line in enumerate(lines, 1) if PROMISE in line}
    for statement in ast.parse(source).body:
        code: Any = ast.Module([statement], [])
        mode, end = "exec", statement.end_lineno
        if isinstance(statement, ast.Expr) and end in promised:
            code, mode = ast.Expression(statement.value), "eval"
        value = eval(compile(code, example.path, mode, dont_inherit=True), example.namespace)
        if mode == "eval":
            promised.remove(end)
            _, _, promise = lines[end - 1].partition(PROMISE)
            if repr(value) != promise:
                return f"line {end} promises {promise}\nand gives {value!r}"
    if promised:
        return f"line {min(promised)} promises a value, but no expression ends there"
    return None


pages = Sybil(
    parsers=[CodeBlockParser("python", run)],
    path=str(Path(__file__).parent.parent),
    patterns=["README.md", "docs/*.md", "docs/*/*.md"],
    setup=lambda names: names.update(__name__="page"),
    fixtures=["folder_with_maps"],
)
