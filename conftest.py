"""What all tests share: markers, a window without a screen, the real maps, the pages to test.

A test marked `gl` needs an OpenGL library, one marked `corpus` needs the folder of real maps that
TILEQUAD_CORPUS names, one marked `docs` a library that a page is about, one marked `sweep` Dask and
Ray. Where they are missing such tests are skipped, with the reason. One marked `slow` tells less of
whether tilequad works on this machine: `python3 try.py tests` leaves it out, pytest does not.
TILEQUAD_REQUIRE="gl,corpus,docs,sweep" turns those skips into failures: continuous integration sets
it, so that no test drops out unseen.

This also collects the code in README.md and the guides: see `tests.documents`.
"""

from __future__ import annotations

import copy
import os
import pickle
import shutil
import sys
import traceback
import warnings
from collections.abc import Callable, Generator, Iterator
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, settings
from sybil.integration.pytest import SybilItem

import tilequad
from tests.documents import OTHERS, draws_in_a_window, missing_package, pages
from tests.worlds import WORLDS, World

if TYPE_CHECKING:
    import arcade

    from tilequad.tiled import TileMap

MARKERS = {
    "gl": "needs an OpenGL library: apt-get install libgl1 libegl1 libfontconfig1 libxrender1",
    "corpus": "needs the real maps in the folder that TILEQUAD_CORPUS names",
    "sweep": "needs Dask and Ray: pip install 'tilequad[sweep]'",
    "docs": 'needs the libraries that the guides compare with: pip install "tilequad[docs]"',
}
REQUIRED = frozenset(os.environ.get("TILEQUAD_REQUIRE", "").replace(",", " ").split())
ALONE = "runs in a child process, because it harms the process that it runs in"
SLOW = "a whole game or program, a long random run, another judge, lack of memory, signals"
ROOT = Path(__file__).parent
WINDOW_SIZE = (320, 240)

# A busy machine is slow, and that is no fault of what it tests.
settings.register_profile("busy", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("busy")

os.environ.setdefault("PYGAME_HIDE_SUPPORT_PROMPT", "1")
# Else each of the many programs that tests start would compile all it imports.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
if sys.platform == "linux":  # arcade reads it on import: draw to memory, ask for no screen
    os.environ["ARCADE_HEADLESS"] = "True"


pytest_collect_file = pages.pytest()


def pytest_configure(config: pytest.Config) -> None:
    config.option.loadscopereorder = False  # xdist would begin with the files of most tests
    if config.option.doctestmodules and why_no_gl():  # what draws with arcade cannot be imported
        config.option.doctest_ignore_import_errors = True
    if unknown := REQUIRED - MARKERS.keys():
        raise pytest.UsageError(f"TILEQUAD_REQUIRE names no marker: {', '.join(sorted(unknown))}")
    for name, meaning in MARKERS.items():
        config.addinivalue_line("markers", f"{name}: {meaning}")
    config.addinivalue_line("markers", f"alone: {ALONE}")
    config.addinivalue_line("markers", f"slow: {SLOW}; `python3 try.py tests` leaves it out")


def pytest_report_header() -> str:
    speed = "compiled" if tilequad.COMPILED else "not compiled, slower"
    required = ", ".join(sorted(REQUIRED)) or "none"
    return f"tilequad: core {speed}; required markers: {required}"


def pytest_sessionstart() -> None:
    for name in sorted(REQUIRED):
        if reason := MISSING[name]():
            pytest.exit(f"TILEQUAD_REQUIRE={name}, but: {reason}", returncode=1)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    # Files with slow tests go first: at the end one worker would wait for the other.
    slow = {item.path for item in items if item.get_closest_marker("slow")}
    items.sort(key=lambda item: item.path not in slow)
    for item in items:
        if isinstance(item, SybilItem):
            if draws_in_a_window(item.example):
                item.add_marker("gl")
            if missing_package(item.example):
                item.add_marker("docs")


def pytest_runtest_setup(item: pytest.Item) -> None:
    if item.get_closest_marker("alone") and not hasattr(os, "fork"):
        pytest.skip("this system cannot fork a process")
    for name, why_missing in MISSING.items():
        if item.get_closest_marker(name) and (reason := why_missing()):
            pytest.skip(reason)
    if isinstance(item, SybilItem) and item.get_closest_marker("gl"):
        open_window().switch_to()  # what ran before may have had a window of its own


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> bool | None:
    """Run a test marked `alone` in a child process, which has no other thread.

    What it takes from the process, all memory perhaps, is not taken from pytest's own threads: one
    of them would end, and the run would wait for it forever.
    """
    if not pyfuncitem.get_closest_marker("alone"):
        return None
    names = pyfuncitem._fixtureinfo.argnames
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # the threads that stay behind are idle
        child = os.fork()
    if child == 0:
        sys.settrace(None)  # coverage's would crash without memory
        try:
            pyfuncitem.obj(**{name: pyfuncitem.funcargs[name] for name in names})
        except BaseException:
            traceback.print_exc()
            sys.stderr.flush()
            os._exit(1)
        os._exit(0)
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    assert code == 0, f"the test ended with {code}; what it said is the captured stderr"
    return True


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item,
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    needs = [name for name in REQUIRED if item.get_closest_marker(name)]
    others = [name for name in MISSING.keys() - REQUIRED if item.get_closest_marker(name)]
    excused = hasattr(report, "wasxfail") or any(MISSING[name]() for name in others)
    if report.skipped and needs and not excused:
        reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else report.longrepr
        report.outcome = "failed"
        report.longrepr = f"{needs[0]} is required by TILEQUAD_REQUIRE, but: {reason}"
    return report


@pytest.fixture(params=WORLDS, ids=lambda world: world.name)
def world(request: pytest.FixtureRequest) -> World:
    """Each of the worlds that a tree must stand."""
    chosen: World = request.param
    return chosen


@pytest.fixture(
    params=[copy.deepcopy, lambda whole: pickle.loads(pickle.dumps(whole))], ids=["copy", "pickle"]
)
def again(request: pytest.FixtureRequest) -> Callable[[Any], Any]:
    """Each way to make a game again as it is: by a deep copy, and by a pickle."""
    chosen: Callable[[Any], Any] = request.param
    return chosen


@pytest.fixture(scope="session")
def frontier() -> Iterator[TileMap]:
    """The map of the demo; nobody changes it.

    Games on it get copies of one grid: to find out what is solid takes half a second.
    """
    from frontier_game import land

    tile_map = tilequad.load_map(ROOT / "maps" / "frontier.tmx")
    find_grid = cache(land._find_grid)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(land, "_find_grid", lambda any_map: copy.deepcopy(find_grid(any_map)))
        yield tile_map


@pytest.fixture
def window() -> Iterator[arcade.Window]:
    """The one window of the run, 320 x 240, cleared to black, with its default camera in use."""
    window = open_window()
    window.switch_to()
    window.default_camera.use()
    window.clear(color=(0, 0, 0, 255))
    yield window
    window.default_camera.use()


@pytest.fixture
def corpus() -> Path:
    """The folder of real maps; for tests marked `corpus`."""
    return Path(os.environ["TILEQUAD_CORPUS"])


@pytest.fixture
def quick_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    """Do not wait for the disk, where tests save thousands of maps."""
    monkeypatch.setattr(os, "fsync", lambda descriptor: None)


@pytest.fixture(scope="module")
def folder_with_maps(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The current folder while a page runs: a new one with a copy of the maps and the examples."""
    folder = tmp_path_factory.mktemp("page")
    for name in ("maps", "examples"):
        shutil.copytree(ROOT / name, folder / name)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SDL_VIDEODRIVER", "dummy")  # pygame's windows are for nobody
        patch.chdir(folder)
        yield folder


@cache
def open_window() -> arcade.Window:
    import arcade

    return arcade.Window(*WINDOW_SIZE, "tilequad tests", visible=False)


@cache
def why_no_gl() -> str:
    """Why the tests that draw cannot run here, or an empty string where they can."""
    try:
        open_window()
    except Exception as error:  # arcade missing, no GL or EGL library, a driver that gives up
        return f"{MARKERS['gl']} ({type(error).__name__}: {error})"
    return ""


def why_no_corpus() -> str:
    """Why the tests on real maps cannot run here, or an empty string where they can."""
    folder = os.environ.get("TILEQUAD_CORPUS", "")
    if not folder:
        return f"{MARKERS['corpus']} (unset)"
    return "" if Path(folder).is_dir() else f"{MARKERS['corpus']} ({folder} is no folder)"


def why_no_sweep() -> str:
    """Why the engines of the sweep cannot be started here, or an empty string where they can."""
    missing = [name for name in ("distributed", "ray") if find_spec(name) is None]
    return f"{MARKERS['sweep']} ({', '.join(missing)})" if missing else ""


def why_no_docs() -> str:
    """Why the pages about other libraries cannot run here, or an empty string where they can."""
    missing = [name for name in OTHERS if find_spec(name) is None]
    return f"{MARKERS['docs']} (no {', '.join(missing)})" if missing else ""


MISSING = {
    "gl": why_no_gl,
    "corpus": why_no_corpus,
    "docs": why_no_docs,
    "sweep": why_no_sweep,
}
