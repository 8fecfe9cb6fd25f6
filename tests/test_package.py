"""The package: what it builds, which names it has, what importing it needs."""

from __future__ import annotations

import ast
import importlib
import re
import runpy
import shutil
import subprocess
import sys
from importlib.metadata import metadata, version

import pytest

import tilequad
import tilequad.quadtree
from tests.programs import ROOT, copy_sources, hide_package, run

CORE = ROOT / "tilequad"
# Everything but numpy that some part of tilequad imports, and its command line.
OTHERS = ("Cython", "PIL", "arcade", "cython", "pygame", "pyglet", "pytmx", "tqdm", "zstandard")
REFUSE = hide_package(OTHERS)


def run_python(script: str) -> subprocess.CompletedProcess[str]:
    """Run a script in a process of its own, in the folder of the project."""
    return run("-c", script, folder=ROOT)


@pytest.mark.skipif(not tilequad.COMPILED, reason="this is plain Python")
def test_a_plain_copy_of_a_compiled_file_is_refused():
    script = (
        "import sys, types\n"
        "walk = types.ModuleType('walk')\n"
        "walk.__file__ = 'walk.py'\n"
        "sys.modules['tilequad._core.tree.walk'] = walk\n"
        "import tilequad._core.tree\n"
    )
    error = (
        "ImportError: tilequad._core.tree.walk was read as plain Python while tilequad._core.tree"
    )
    assert error in run_python(script).stderr


def test_the_whole_core_is_compiled_or_nothing_of_it(monkeypatch):
    monkeypatch.chdir(ROOT)
    setup = runpy.run_path("setup.py", run_name="not main")
    declared = {extension.name for extension in setup["core"]()} - {setup["SHARED"]}
    files = {path for of in setup["make_pyx"].modules().values() for path in of}
    classes = {
        path.relative_to(ROOT)
        for path in CORE.rglob("*.py")
        if "@cython.cclass" in path.read_text("utf-8")
    }
    modules = [importlib.import_module(setup["make_pyx"].name_of(path)) for path in files]
    plain = {module.__name__: str(module.__file__).endswith(".py") for module in modules}

    assert len(classes) > 20
    assert files >= classes
    assert {setup["make_pyx"].module_of(path) for path in files} == declared
    assert set(plain.values()) == {not tilequad.COMPILED}, plain


@pytest.mark.skipif(sys.platform == "win32", reason="MSVC is not looked for on the path")
@pytest.mark.parametrize("required", ["0", "1"])
def test_without_a_compiler_nothing_is_translated_to_c(required, tmp_path):
    for name in ("setup.py", "home.py", "make_pyx.py", "pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, tmp_path)
    copy_sources(tmp_path, "tilequad/quadtree")
    done = subprocess.run(
        [sys.executable, "setup.py", "build_ext", "--inplace"],
        cwd=tmp_path,
        env={"PATH": str(tmp_path), "TILEQUAD_REQUIRE_COMPILED": required},
        capture_output=True,
        text=True,
        check=False,
    )

    assert "there is no C compiler" in done.stdout + done.stderr
    assert done.returncode == int(required)
    assert not list(tmp_path.rglob("*.c"))


def test_a_tool_has_one_version():
    pinned = re.compile(r"\b(ruff|codespell|mypy)==([\d.]+)")
    texts = [
        (ROOT / name).read_text("utf-8") for name in ("pyproject.toml", ".pre-commit-config.yaml")
    ]
    versions = [dict(pinned.findall(text)) for text in texts]

    assert versions[0].keys() == {"ruff", "mypy", "codespell"}
    assert versions[0]["ruff"] == versions[1]["ruff"]
    assert len(set(pinned.findall("".join(texts)))) == 3


@pytest.mark.parametrize("name", tilequad.__all__)
def test_a_public_name_is_the_one_of_its_module(name):
    module = importlib.import_module(tilequad._MODULES[name])
    assert getattr(tilequad, name) is getattr(module, name)
    assert name in module.__all__


def test_type_checkers_see_the_names_that_load_on_first_use():
    tree = ast.parse((ROOT / "tilequad" / "__init__.py").read_text(encoding="utf-8"))
    [block] = [node for node in tree.body if isinstance(node, ast.If)]
    imported = {
        alias.name: line.module
        for line in block.body
        if isinstance(line, ast.ImportFrom)
        for alias in line.names
    }
    assert imported == tilequad._MODULES
    assert sorted(imported) == sorted(tilequad.__all__)


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="module 'tilequad' has no attribute 'Quadtree'"):
        tilequad.Quadtree  # noqa: B018
    with pytest.raises(ImportError, match="Quadtree"):
        exec("from tilequad import Quadtree")


def test_the_version_is_the_one_of_the_metadata():
    assert version("tilequad") == tilequad.__version__
    assert metadata("tilequad")["License-Expression"] == "MIT"
    assert (ROOT / "tilequad" / "py.typed").is_file()
    assert f"## [{tilequad.__version__}]" in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")


def test_a_tree_needs_numpy_and_nothing_else():
    done = run_python(
        REFUSE
        + """
from tilequad import Bounds, DynamicQuadtree, StaticQuadtree
units = DynamicQuadtree(Bounds(0, 0, 10, 10))
units.add("orc", 1, 1)
assert units.within(0, 0, 2) == ["orc"]
assert StaticQuadtree([(0, 0, 1, 1)]).query((0, 0, 5, 5)).tolist() == [0]
assert "tilequad.tiled" not in sys.modules
"""
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_a_tree_imports_only_what_it_needs():
    done = run_python(
        "import sys; from tilequad import DynamicQuadtree; print(*sys.modules, sep='\\n')"
    )
    imported = done.stdout.split()
    assert "numpy" in imported
    others = set(OTHERS)
    if not tilequad.COMPILED:  # plain sources take their types from Cython where it is installed
        others -= {"Cython", "cython"}
    assert not {name.partition(".")[0] for name in imported} & others
    rooms = {name.split(".")[1] for name in imported if name.startswith("tilequad.")}
    assert rooms == {"_core", "bounds", "quadtree"}
    kernels = {name.split(".")[2] for name in imported if name.startswith("tilequad._core.")}
    assert "tree" in kernels
    assert not kernels & {"army", "cells", "ways"}


def test_the_command_line_needs_no_pillow_to_show_its_help():
    done = run_python(f"{REFUSE}from tilequad.cli import main\nmain(['--version'])")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith(f"tilequad {tilequad.__version__}, ")


@pytest.mark.parametrize(
    ("module", "words"),
    [
        (
            "tilequad.draw.pillow",
            'needs Pillow: pip install "tilequad[pillow]"',
        ),
        ("tilequad.draw.arcade", 'needs arcade: pip install "tilequad[arcade]"'),
        ("tilequad.draw.pygame", 'needs pygame-ce: pip install "tilequad[pygame]"'),
    ],
)
def test_a_module_without_its_library_says_what_to_install(module, words):
    done = run_python(f"{REFUSE}import {module}")
    assert done.returncode == 1
    last = done.stderr.splitlines()[-1]
    assert last.startswith("ModuleNotFoundError: ")
    assert last.endswith(words)
