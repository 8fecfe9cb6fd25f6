"""The sweep as a program, on each engine: the same table, come what may.

Each test starts the engine for real, with two workers. `sweep` marks those that need Dask or Ray.
"""

from __future__ import annotations

import csv
import json
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from functools import partial
from pathlib import Path

import pytest

from frontier_sweep import engines
from frontier_sweep.program import run

pytestmark = pytest.mark.slow
ROOT = Path(__file__).resolve().parent.parent
EXAMPLES = ROOT / "examples"
SWEEP = EXAMPLES / "sweep.py"
ENGINES = [
    "processes",
    pytest.param("dask", marks=pytest.mark.sweep),
    pytest.param("ray", marks=pytest.mark.sweep),
]
# `nox -s coverage` would write files, too, where there is no room for any.
UNCOUNTED = {name: each for name, each in os.environ.items() if not name.startswith("COVERAGE_")}
# 16 games of a second, in chunks of two.
PLAN = [
    *("--set", "first_towers=4,8", "--set", "duration=1", "--set", "first_enemies=60"),
    *("--seeds", "8", "--chunk", "2"),
]
GAMES = 16
# 4 games of ten seconds: long enough for a digest of the whole game.
LONG = [*("--set", "first_towers=4,8", "--set", "duration=10"), *("--seeds", "2", "--chunk", "1")]
on_posix = pytest.mark.skipif(os.name == "nt", reason="sends signals as Linux and macOS have them")

# A sweep whose games do harm: its workers import this file, as they do the main program.
HARMFUL = """
import os, signal, sys, time
sys.path.insert(0, {examples!r})
from frontier_sweep import player, program

play = player.play

def harmful(tile_map, seed, settings):
    {harm}
    return play(tile_map, seed, settings)

player.play = harmful
if __name__ == "__main__":
    sys.exit(program.run())
"""


def sweep(*flags, output, program=SWEEP, **options):
    """Run a sweep to its end, and return what it did."""
    command = [sys.executable, str(program), "--output", str(output), "--workers", "2", *flags]
    return subprocess.run(
        command, capture_output=True, text=True, timeout=300, check=False, **options
    )


def harmful(folder, harm):
    """Write a sweep whose games do some harm before they are played."""
    program = folder / "harmful.py"
    program.write_text(HARMFUL.format(examples=str(EXAMPLES), harm=harm.strip()))
    return program


def start(*flags, output):
    """Start a sweep in a process group of its own, as a shell does."""
    command = [sys.executable, str(SWEEP), *flags, "--output", str(output), "--workers", "2"]
    pipe = subprocess.PIPE
    # What a shell starts in the background ignores Ctrl-C, and so would its children.
    listen = partial(signal.signal, signal.SIGINT, signal.default_int_handler)
    return subprocess.Popen(
        command, stdout=pipe, stderr=pipe, text=True, start_new_session=True, preexec_fn=listen
    )


def chunks_in(folder) -> list[dict]:
    """The chunks that a journal holds so far."""
    path = folder / "games.jsonl"
    lines = path.read_text().splitlines()[1:] if path.exists() else []
    return [json.loads(line) for line in lines]


def wait_for_chunks(folder, count, program) -> list[dict]:
    """Wait until a sweep has kept this many chunks."""
    while program.poll() is None:
        if len(found := chunks_in(folder)) >= count:
            return found
        time.sleep(0.02)
    raise AssertionError(program.communicate())


def times_kept(folder) -> Counter:
    """How often a journal has the result of each game."""
    return Counter(
        (chunk["variant"], game["seed"])
        for chunk in chunks_in(folder)
        for game in chunk["games"]
        if "result" in game
    )


def tables_of(folder) -> tuple[bytes, bytes]:
    return (folder / "games.csv").read_bytes(), (folder / "table.csv").read_bytes()


def tables_of_sweep(folder, plan):
    done = sweep(*plan, output=folder)
    assert done.returncode == 0, done.stderr
    return tables_of(folder)


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory):
    """The tables of the plan, when nothing comes in between."""
    return tables_of_sweep(tmp_path_factory.mktemp("sweep") / "undisturbed", PLAN)


@pytest.fixture(scope="module")
def long_games(tmp_path_factory):
    """The tables of the long games, by processes."""
    return tables_of_sweep(tmp_path_factory.mktemp("sweep") / "long", LONG)


@pytest.mark.parametrize("engine", ENGINES[1:])
def test_every_engine_gives_the_same_tables(engine, tmp_path, long_games):
    done = sweep(*LONG, "--engine", engine, output=tmp_path)

    assert done.returncode == 0, done.stderr
    assert tables_of(tmp_path) == long_games
    assert set(times_kept(tmp_path).values()) == {1}
    assert len({chunk["worker"] for chunk in chunks_in(tmp_path)}) == 2


def test_the_games_and_the_table_are_printed_and_kept(tmp_path):
    done = sweep(*LONG, "--workers", "1", output=tmp_path)

    first, *rows = done.stdout.splitlines()
    assert first.split()[:4] == ["first_towers", "duration", "games", "failed"]
    assert [row.split()[:4] for row in rows] == [["4", "10", "2", "0"], ["8", "10", "2", "0"]]
    with (tmp_path / "games.csv").open() as file:
        games = list(csv.DictReader(file))
    assert [(game["first_towers"], game["seed"]) for game in games] == [
        *(("4", "1"), ("4", "2"), ("8", "1"), ("8", "2")),
    ]
    assert len({game["digest"] for game in games} - {""}) == 4


@on_posix
@pytest.mark.parametrize("engine", ENGINES)
def test_ctrl_c_keeps_what_is_done_and_resume_goes_on(engine, tmp_path, undisturbed):
    program = start(*PLAN, "--engine", engine, output=tmp_path)
    wait_for_chunks(tmp_path, 2, program)
    os.killpg(program.pid, signal.SIGINT)
    _, errors = program.communicate(timeout=60)
    kept = times_kept(tmp_path)

    assert program.returncode == 130, errors
    assert f"sweep: interrupted; {len(kept)} of {GAMES} games are kept: go on" in errors
    assert "Traceback" not in errors
    assert 4 <= len(kept) < GAMES
    with (tmp_path / "games.csv").open() as file:
        assert len(list(csv.DictReader(file))) == len(kept)

    done = sweep("--resume", "--chunk", "2", "--engine", engine, output=tmp_path)

    assert done.returncode == 0, done.stderr
    assert tables_of(tmp_path) == undisturbed
    assert times_kept(tmp_path) == dict.fromkeys(times_kept(tmp_path), 1)
    assert len(times_kept(tmp_path)) == GAMES


@on_posix
@pytest.mark.parametrize("engine", ENGINES)
def test_a_killed_worker_loses_its_chunk_alone_and_that_is_run_again(engine, tmp_path, undisturbed):
    program = start(*PLAN, "--engine", engine, output=tmp_path)
    killed = wait_for_chunks(tmp_path, 1, program)[0]["worker"]
    os.kill(int(killed.rpartition("/")[2]), signal.SIGKILL)
    _, errors = program.communicate(timeout=120)

    assert program.returncode == 0, errors
    assert tables_of(tmp_path) == undisturbed
    assert times_kept(tmp_path) == dict.fromkeys(times_kept(tmp_path), 1)
    workers = {chunk["worker"] for chunk in chunks_in(tmp_path)}
    assert len(workers - {killed}) == 2  # another came in its place


@on_posix
@pytest.mark.parametrize("engine", ENGINES[:2])
def test_a_game_that_kills_every_worker_fails_alone(engine, tmp_path):
    harm = "if (seed, settings.first_towers) == (5, 8): os.kill(os.getpid(), signal.SIGKILL)"
    program = harmful(tmp_path, harm)
    done = sweep(*PLAN, "--engine", engine, output=tmp_path / "out", program=program)

    assert done.returncode == 1, done.stderr
    assert "sweep: failed: seed=5, first_towers=8, duration=1.0, first_enemies=60: " in done.stderr
    assert len(times_kept(tmp_path / "out")) == GAMES - 1
    assert set(times_kept(tmp_path / "out").values()) == {1}


@on_posix
def test_a_game_that_never_ends_fails_alone(tmp_path):
    harm = """
    while (seed, settings.first_towers) == (5, 8):
        try:
            time.sleep(9)
        except BaseException:
            pass
    if seed == 3:
        raise SystemExit(0)
"""
    program = harmful(tmp_path, harm)
    done = sweep(
        *PLAN[:6], "--seeds", "6", "--timeout", "10", output=tmp_path / "out", program=program
    )

    assert done.returncode == 1, done.stderr
    asked = "duration=1.0, first_enemies=60"
    failed = [line for line in done.stderr.splitlines() if line.startswith("sweep: failed")]
    assert failed == [
        f"sweep: failed: seed=3, first_towers=4, {asked}: SystemExit: 0",
        f"sweep: failed: seed=3, first_towers=8, {asked}: SystemExit: 0",
        f"sweep: failed: seed=5, first_towers=8, {asked}: TimeoutError: it did not end within "
        "10 seconds",
    ]
    assert len(times_kept(tmp_path / "out")) == 9


@pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_a_killed_sweep_leaves_no_process(tmp_path, number):
    with start(*PLAN, output=tmp_path) as program:
        wait_for_chunks(tmp_path, 1, program)
        assert len(processes_of(program.pid)) >= 4  # workers, fork server, tracker, and itself
        program.send_signal(number)

    deadline = time.monotonic() + 10
    while left := processes_of(program.pid):
        assert time.monotonic() < deadline, left
        time.sleep(0.1)


def processes_of(session: int) -> list[str]:
    """The processes of a session, but those that have ended."""
    found = []
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            state, _, _, its = path.read_text().rpartition(")")[2].split()[:4]
        except OSError:  # it has just ended
            continue
        if int(its) == session and state != "Z":
            found.append(path.parent.name)
    return found


@pytest.mark.parametrize("engine", ENGINES)
def test_a_game_that_raises_is_reported_and_the_others_go_on(engine, tmp_path, undisturbed):
    asked = [
        *("--set", "first_towers=4,8", "--set", "towers.range=230,-5", "--set", "duration=1"),
        *("--seeds", "2"),
    ]
    done = sweep(*asked, "--engine", engine, output=tmp_path)

    assert done.returncode == 1
    shown = [line for line in done.stderr.splitlines() if line.startswith("sweep: failed: ")]
    assert len(shown) == 4
    assert shown[0].startswith(
        "sweep: failed: seed=1, first_towers=4, towers.range=-5.0, duration=1.0: ValueError: "
    )
    with (tmp_path / "table.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert [(row["games"], row["failed"]) for row in rows] == [("2", "0"), ("0", "2")] * 2


@on_posix
@pytest.mark.parametrize(("room", "what"), [(2500, "{}/games.jsonl"), (12_000, "the tables to {}")])
def test_a_full_disk_is_one_line_and_resume_goes_on(tmp_path, undisturbed, room, what):
    import resource

    pytest.importorskip("matplotlib")

    def small_files():  # for some of the games, or for all but not for the plot
        resource.setrlimit(resource.RLIMIT_FSIZE, (room, resource.RLIM_INFINITY))

    done = sweep(*PLAN, output=tmp_path, preexec_fn=small_files, env=UNCOUNTED)

    assert done.returncode == 2
    kept = len(times_kept(tmp_path))
    assert done.stderr.splitlines() == [
        f"sweep: cannot write {what.format(tmp_path)}: File too large; "
        f"{kept} games are kept: make room, and go on with --resume"
    ]
    assert 0 < kept < GAMES if room == 2500 else kept == GAMES

    done = sweep("--resume", output=tmp_path)

    assert done.returncode == 0, done.stderr
    assert tables_of(tmp_path) == undisturbed
    assert (tmp_path / "win_rate.png").exists()
    assert len(times_kept(tmp_path)) == GAMES
    assert set(times_kept(tmp_path).values()) == {1}


@pytest.mark.parametrize(
    ("flags", "problem"),
    [
        (["--set", "luck=3"], "there is no setting 'luck'"),
        (["--set", "lives"], "--set takes NAME=VALUES, got 'lives'"),
        (["--set", "lives=1", "--set", "lives=2"], "lives is set twice"),
        (["--resume"], "there is nothing to resume"),
        (["--map", "missing.tmx"], "missing.tmx"),
        (["--output", "/dev/null/sweep"], "Not a directory"),
    ],
)
def test_what_cannot_be_played_is_one_line(flags, problem, tmp_path, capsys):
    status = run(["--output", str(tmp_path / "out"), *flags])
    said = capsys.readouterr()

    assert (status, said.out) == (2, "")
    [line] = said.err.splitlines()
    assert line.startswith("sweep: ")
    assert problem in line
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("engine", ["dask", "ray"])
def test_an_engine_that_is_not_installed_is_one_line(engine, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(engines, "find_spec", lambda name: None)
    status = run(["--engine", engine, "--output", str(tmp_path / "out")])

    line = f"sweep: {engine} is not installed: pip install 'tilequad[sweep]'\n"
    assert (status, capsys.readouterr().err) == (2, line)
