"""One command for each check, in the environment that nox itself runs in: `nox --list`.

Nothing is installed: `pip install -e ".[arcade,bench,dev,docs]"` has done that. What follows `--`
goes to the tool, as in `nox -s test -- -k sweep`.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
from pathlib import Path

import nox

nox.options.default_venv_backend = "none"
nox.options.sessions = ["lint", "types", "test"]

ROOT = Path(__file__).parent
TESTS = sorted(Path("tests").glob("test_*.py"))
TREES = [str(path) for path in TESTS if path.name.startswith(("test_quadtree_", "test_bounds"))]
STUBBED = [path.with_suffix("").as_posix() for path in Path("tilequad").rglob("*.pyi")]
TWINS = [str(path) for path in TESTS if "from tests.trees import" in path.read_text("utf-8")]


def python(session: nox.Session, *arguments: str, **environment: str) -> None:
    """Run a module or script, and hand it what the command line has after `--`."""
    session.run(sys.executable, *arguments, *session.posargs, env=environment)


@nox.session
def build(session: nox.Session) -> None:
    """Compile again what has changed in the core, beside its sources."""
    python(session, "setup.py", "build_ext", "--inplace", TILEQUAD_REQUIRE_COMPILED="1")


@nox.session
def test(session: nox.Session) -> None:
    """Run the tests, and the code in README.md and the guides."""
    python(session, "-m", "pytest")


@nox.session
def oracle(session: nox.Session) -> None:
    """Prove the tests of the trees: brute force must pass them."""
    python(session, "-m", "pytest", *TWINS, TILEQUAD_TREES="oracle")


@nox.session
def uncompiled(session: nox.Session) -> None:
    """Run the tests of the trees and the examples in docstrings, on a copy as plain Python."""
    compiled = shutil.ignore_patterns(".*", "build", "*.so", "*.pyd", "__pycache__")
    with tempfile.TemporaryDirectory() as folder:
        copy = shutil.copytree(ROOT, Path(folder, "tilequad"), ignore=compiled)
        plain = {"PYTHONPATH": str(copy), "TILEQUAD_REQUIRE": "", "ARCADE_HEADLESS": "True"}
        with session.chdir(copy):
            assertion = "import tilequad; assert not tilequad.COMPILED, tilequad.__file__"
            session.run(sys.executable, "-c", assertion, env=plain)
            python(session, "-m", "pytest", *TREES, **plain)
            python(session, "-m", "pytest", "--doctest-modules", "tilequad", **plain)


@nox.session
def lint(session: nox.Session) -> None:
    """Look for mistakes, and at the layout of the code."""
    session.run(sys.executable, "-m", "ruff", "check")
    session.run(sys.executable, "-m", "ruff", "format", "--check")


@nox.session
def types(session: nox.Session) -> None:
    """Check the types."""
    python(session, "-m", "mypy")
    python(session, "-m", "mypy", "examples")
    # With stubs beside them mypy skips these sources, unless they are named.
    sources = [f"{path}.py" for path in STUBBED]
    python(session, "-m", "mypy", "--follow-imports=silent", *sources)
    modules = [path.replace("/", ".") for path in STUBBED]
    config = "--mypy-config-file", "pyproject.toml"
    python(session, "-m", "mypy.stubtest", *config, "--ignore-missing-stub", *modules)


@nox.session
def docs(session: nox.Session) -> None:
    """Check the spelling, and build the site in site/; a broken link is an error."""
    session.run(sys.executable, "-m", "codespell_lib")
    quiet = {"NO_MKDOCS_2_WARNING": "1"}
    python(session, "-m", "mkdocs", "build", "--strict", "--quiet", **quiet)


@nox.session
def bench(session: nox.Session) -> None:
    """Race the trees against their peers, and keep the report of this machine."""
    python(session, "-m", "benchmarks")
