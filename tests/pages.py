"""Runs the code of a page of text, and holds its comments to what they promise."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

PROMISE = "# -> "


def blocks(page: Path) -> Iterator[str]:
    """Each block of Python, with an empty line for each line before it: errors name the line."""
    text = page.read_text(encoding="utf-8")
    for match in re.finditer(r"^```python\n(.*?)^```$", text, re.DOTALL | re.MULTILINE):
        yield "\n" * text[: match.start(1)].count("\n") + match[1]


def run(page: Path, block: str, names: dict[str, Any]) -> int:
    """Run a block among names; what follows `# ->` is what the line must give.

    Returns:
        How many such promises were kept.
    """
    lines = block.splitlines()
    promises = 0
    for statement in ast.parse(block).body:
        line = lines[statement.end_lineno - 1]
        _, _, promise = line.partition(PROMISE)
        if promise:
            code = compile(ast.Expression(statement.value), page, "eval", dont_inherit=True)
            given = repr(eval(code, names))
            assert given == promise, f"{page.name}:{statement.end_lineno}: {line} gives {given}"
            promises += 1
        else:
            exec(compile(ast.Module([statement], []), page, "exec", dont_inherit=True), names)
    return promises
