"""The code in docs/ai.md runs and gives what its comments say; the short examples run alone."""

from __future__ import annotations

import ast
import re
import runpy
from pathlib import Path

import pytest

import tilequad.ai

ROOT = Path(__file__).parent.parent
GUIDE = ROOT / "docs" / "ai.md"
EXAMPLES = {  # a line that each prints
    "towers.py": "100: north tower shoots goblin 1",
    "villagers.py": "day 2: bert goes to the house",
    "crowd.py": "frame 60: 300 soldiers moved",
}


def blocks():
    """Each block of Python in the guide, with the lines before it, so that errors name the line."""
    text = GUIDE.read_text(encoding="utf-8")
    for match in re.finditer(r"^```python\n(.*?)^```$", text, re.DOTALL | re.MULTILINE):
        yield "\n" * text[: match.start(1)].count("\n") + match[1]


def test_the_code_of_the_guide_runs_and_gives_what_its_comments_say():
    world = {"__name__": "guide"}
    promises = 0
    for block in blocks():
        lines = block.splitlines()
        for statement in ast.parse(block).body:
            _, _, promise = lines[statement.end_lineno - 1].partition("# -> ")
            if promise:
                promises += 1
                code = compile(ast.Expression(statement.value), GUIDE, "eval", dont_inherit=True)
                assert repr(eval(code, world)) == promise, lines[statement.end_lineno - 1]
            else:
                code = compile(ast.Module([statement], []), GUIDE, "exec", dont_inherit=True)
                exec(code, world)

    assert promises >= 10


def test_the_guide_speaks_of_every_public_name():
    text = GUIDE.read_text(encoding="utf-8")

    assert [name for name in tilequad.ai.__all__ if not re.search(rf"\b{name}\b", text)] == []


@pytest.mark.parametrize(("name", "line"), EXAMPLES.items())
def test_each_short_example_runs_alone_and_tells_its_story(name, line, capsys):
    runpy.run_path(str(ROOT / "examples" / name))

    assert line in capsys.readouterr().out
