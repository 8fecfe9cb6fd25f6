"""The parts of the sweep: what is played, what is kept of it, and what the table says."""

from __future__ import annotations

import csv
import json
import shutil
from dataclasses import replace
from pathlib import Path

import pytest
from PIL import Image

from frontier_game.settings import Settings
from frontier_sweep import report
from frontier_sweep.journal import GAME, Journal, JournalError
from frontier_sweep.plan import (
    BASES,
    Plan,
    PlanError,
    chunk_size,
    grid,
    names,
    sample,
    seeds,
    varied,
)
from frontier_sweep.player import Played, Player
from frontier_sweep.program import play_all
from tests.programs import MAP

pytestmark = pytest.mark.slow
PLAN = Plan(grid({"first_towers": "2,3", "lives": "10"}), (1, 2, 3))


def won(seed: int, winner: str = "village") -> dict:
    """The outcome of a game, as a player gives it."""
    result = {"seed": seed, "winner": winner, "ticks": 60 * seed, "gathered": {"wood": 5}}
    return {"seed": seed, "result": result | {"digests": ["a", f"b{seed}"]}}


def kept(folder, plan=PLAN, resume=False):
    return Journal(folder, plan, MAP, resume)


def played(*outcomes: dict) -> Played:
    return Played("here/1", 0.5, outcomes)


# -- what is played --


def test_a_grid_has_every_combination():
    assert grid({"lives": "5,10", "tower_price": "120/6,60/3"}) == (
        {"lives": 5, "tower_price": (120, 6)},
        {"lives": 5, "tower_price": (60, 3)},
        {"lives": 10, "tower_price": (120, 6)},
        {"lives": 10, "tower_price": (60, 3)},
    )
    assert grid({}) == ({},)


def test_a_sample_keeps_to_its_ranges_and_its_seed():
    asked = {"first_towers": "2:4", "walk": "40:50", "towers.policy": "first,last"}
    found = sample(asked, 60, seed=1)

    assert len(found) == 60
    assert {one["first_towers"] for one in found} == {2, 3, 4}
    assert {one["towers.policy"] for one in found} == {"first", "last"}
    assert all(40 <= one["walk"] <= 50 for one in found)
    assert found == sample(asked, 60, seed=1) != sample(asked, 60, seed=2)


def test_a_dotted_name_changes_every_type():
    settings = varied({"towers.policy": "weakest", "towers.range": 99.5, "lives": 3})

    assert [(one.policy, one.range) for one in settings.towers] == [("weakest", 99.5)] * 3
    assert settings.lives == 3
    assert [one.damage for one in settings.towers] == [one.damage for one in Settings().towers]


@pytest.mark.parametrize("base", BASES)
def test_every_setting_with_a_name_can_be_varied(base):
    for name in names(base):
        outer, _, inner = name.partition(".")
        value = getattr(BASES[base], outer)
        value = getattr(value[0], inner) if inner else value
        text = "/".join(map(str, value)) if isinstance(value, tuple) else str(value)
        if text:  # a price of nothing cannot be written
            [variant] = grid({name: text.lower() if isinstance(value, bool) else text}, base)
            assert variant == {name: value}
            varied(variant, base)


@pytest.mark.parametrize(
    ("asked", "problem"),
    [
        ({"luck": "3"}, "there is no setting 'luck'; there are .*lives"),
        ({"towers.walk": "3"}, "there is no setting 'towers.walk'"),
        ({"lives": "3.5"}, "lives=3.5: must be a whole number"),
        ({"walk": "fast"}, "walk=fast: must be a number"),
        ({"walk": "nan"}, "walk=nan: must be a number"),
        ({"fog": "yes"}, "fog=yes: must be one of true, false"),
        ({"load": "5"}, "load=5: must be 3 values"),
        ({"towers.policy": "any"}, "towers.policy=any: must be one of first, last"),
        ({"lives": "3:9"}, "lives=3:9 is a range"),
    ],
)
def test_what_cannot_be_read_is_refused_by_name(asked, problem):
    with pytest.raises(PlanError, match=f"^{problem}"):
        grid(asked)


def test_settings_that_cannot_be_played_are_refused_before_anything_is():
    with pytest.raises(PlanError, match=r"^spawn_every must be at least"):
        Plan(grid({"spawn_every": "0.5,0"}), (1,))
    with pytest.raises(PlanError, match=r"^load=1/2/3:3/4/5: a range must be of numbers"):
        sample({"load": "1/2/3:3/4/5"}, 1, 1)


@pytest.mark.parametrize(
    ("text", "found"), [("3", (1, 2, 3)), ("5:7", (5, 6, 7)), ("-1:1", (-1, 0, 1))]
)
def test_seeds_are_a_number_or_first_and_last(text, found):
    assert seeds(text) == found


@pytest.mark.parametrize("text", ["0", "x", "3:2", "1:", ""])
def test_wrong_seeds_are_refused(text):
    with pytest.raises(PlanError, match=r"^seeds must "):
        seeds(text)


@pytest.mark.parametrize("size", [1, 2, 3, 10])
def test_chunks_hold_each_game_once_but_those_that_are_done(size):
    done = {(0, 2), (1, 1)}
    chunks = list(PLAN.chunks(done, size))

    found = [game for chunk in chunks for game in chunk.games]
    assert sorted(found) == sorted(set(PLAN.games) - done)
    assert all(1 <= len(chunk.seeds) <= size for chunk in chunks)
    assert all(chunk.settings.first_towers == 2 + chunk.variant for chunk in chunks)
    assert [one.games for chunk in chunks for one in chunk.split()] == [[game] for game in found]


def test_chunks_are_small_enough_that_no_worker_waits_long_at_the_end():
    assert chunk_size(10_000, 2) == 8
    assert chunk_size(40, 2) == 2
    assert chunk_size(1, 64) == 1


# -- what is kept --


def test_a_journal_goes_on_where_it_ended(tmp_path):
    chunk = next(PLAN.chunks(set(), 2))
    with kept(tmp_path / "new") as journal:
        journal.add(chunk, played(won(1), {"seed": 2, "error": "ValueError: no"}))
    with kept(tmp_path / "new", plan=None, resume=True) as journal:
        assert journal.plan == PLAN
        assert journal.done == {(0, 1)}
        assert journal.failed == {(0, 2): "ValueError: no"}
        journal.add(chunk.split()[1], played(won(2)))  # played again, it counts once
    with kept(tmp_path / "new", resume=True) as journal:
        assert journal.done == {(0, 1), (0, 2)}
        assert journal.failed == {}
        assert len(report.game_rows(journal)) == 2


@pytest.mark.parametrize("torn", [1, 20, -1])
def test_a_line_that_was_cut_off_is_played_again(tmp_path, torn):
    first, second, *_ = PLAN.chunks(set(), 1)
    with kept(tmp_path) as journal:
        journal.add(first, played(won(1)))
        end = journal.path.stat().st_size
        journal.add(second, played(won(2)))
        whole = journal.path.read_bytes()
    journal.path.write_bytes(whole[: end + torn if torn > 0 else torn])

    with kept(tmp_path, resume=True) as journal:
        assert journal.done == {(0, 1)}
        journal.add(second, played(won(2)))
    assert journal.path.read_bytes() == whole


def test_a_folder_with_a_sweep_is_not_overwritten(tmp_path):
    kept(tmp_path).__exit__()
    with pytest.raises(JournalError, match=r"holds a sweep already: go on with --resume"):
        kept(tmp_path)
    with pytest.raises(JournalError, match=r"^there is nothing to resume"):
        kept(tmp_path / "other", resume=True)


def test_a_journal_of_something_else_is_refused(tmp_path, monkeypatch):
    kept(tmp_path).__exit__()
    with pytest.raises(JournalError, match="has another plan"):
        kept(tmp_path, plan=Plan(PLAN.variants, (1, 2)), resume=True)
    with pytest.raises(JournalError, match="with another map"):
        Journal(tmp_path, PLAN, Path(__file__), resume=True)
    monkeypatch.setattr("tilequad.__version__", "9.9")
    with pytest.raises(JournalError, match="with another version of tilequad: begin"):
        kept(tmp_path, resume=True)


def test_a_journal_of_a_game_with_other_rules_is_refused(tmp_path, monkeypatch):
    game = tmp_path / "game"
    shutil.copytree(GAME, game, ignore=shutil.ignore_patterns("__pycache__"))
    monkeypatch.setattr("frontier_sweep.journal.GAME", game)
    kept(tmp_path).__exit__()
    kept(tmp_path, resume=True).__exit__()
    (game / "notes.txt").write_text("no code of the game")
    kept(tmp_path, resume=True).__exit__()
    waves = game / "waves.py"
    waves.write_text(waves.read_text().replace("1", "2", 1))
    with pytest.raises(JournalError, match="with another code of the game: begin a new sweep"):
        kept(tmp_path, resume=True)


def test_two_sweeps_at_once_are_refused(tmp_path):
    with kept(tmp_path) as journal:
        for _ in range(2):
            with pytest.raises(JournalError, match=r"^another sweep plays on in .*: wait"):
                kept(tmp_path, plan=None, resume=True)
        journal.add(next(PLAN.chunks(set(), 1)), played(won(1)))
    with kept(tmp_path, plan=None, resume=True) as journal:
        assert journal.done == {(0, 1)}


def test_a_letter_that_changed_is_found_wherever_it_stands(tmp_path):
    with kept(tmp_path) as journal:
        for chunk in PLAN.chunks(set(), 2):
            journal.add(chunk, played(*map(won, chunk.seeds)))
    whole = journal.path.read_bytes()
    for place in range(0, len(whole), 7):
        wrong = bytes([whole[place] ^ 1])
        journal.path.write_bytes(whole[:place] + wrong + whole[place + 1 :])
        line = whole[:place].count(b"\n") + 1
        with pytest.raises(JournalError, match=f"is damaged: line {line} is not as it was written"):
            kept(tmp_path, resume=True)
    journal.path.write_bytes(whole)
    kept(tmp_path, resume=True).__exit__()


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        ("", "is empty"),
        ("{}\n", "is damaged: line 1 is not as it was written"),
        ("[]\n", "is damaged: line 1"),
        ("x\n", "is damaged: line 1"),
        ("HEAD{}\n", "is damaged: line 2"),
        ('HEAD{"variant": 7, "games": [{"seed": 1}]}\n', "is damaged: line 2"),
    ],
)
def test_a_damaged_journal_is_refused_and_left_alone(tmp_path, content, problem):
    kept(tmp_path).__exit__()
    path = tmp_path / "games.jsonl"
    content = content.replace("HEAD", path.read_text())
    path.write_text(content)
    with pytest.raises(JournalError, match=problem):
        kept(tmp_path, resume=True)
    assert path.read_text() == content


def test_games_that_the_plan_has_not_are_refused(tmp_path):
    with kept(tmp_path) as journal:
        journal.add(replace(next(PLAN.chunks(set(), 1)), variant=7), played(won(1)))
    with pytest.raises(JournalError, match="is damaged: it has games that its plan has not"):
        kept(tmp_path, resume=True)


class MuteError(Exception):
    def __str__(self) -> str:
        raise ValueError


@pytest.mark.parametrize(
    ("problem", "line"),
    [
        (ValueError("no"), "ValueError: no"),
        (ValueError("one\ntwo"), "ValueError: one"),
        (ValueError("\udc80 \x1b[31m \u2028"), r"ValueError: \udc80 \x1b[31m "),
        (ValueError("x" * 10**6), "ValueError: " + "x" * 288),
        (SystemExit(3), "SystemExit: 3"),
        (KeyboardInterrupt(), "KeyboardInterrupt: "),
        (MuteError(), "MuteError: ?"),
    ],
)
def test_whatever_a_game_raises_is_one_failed_game(tmp_path, monkeypatch, problem, line):
    def fail(*_: object) -> None:
        raise problem

    monkeypatch.setattr("frontier_sweep.player.play", fail)
    plan = Plan(PLAN.variants, (1,))
    with kept(tmp_path, plan) as journal:
        list(play_all(journal, engine_of(set()), MAP, 1, None, 1))
        assert journal.failed == {(0, 1): line, (1, 1): line}
        report.write(journal, tmp_path)
    assert line in (tmp_path / "games.csv").read_text("utf-8")


# -- what the table says --


@pytest.mark.parametrize("confidence", [0.8, 0.95, 0.99])
def test_the_interval_is_the_one_of_scipy(confidence):
    stats = pytest.importorskip("scipy.stats")
    for games in (1, 2, 7, 50, 1000):
        for wins in sorted({0, 1, games // 3, games - 1, games}):
            theirs = stats.binomtest(wins, games).proportion_ci(confidence, method="wilson")
            assert report.wilson(wins, games, confidence) == pytest.approx(tuple(theirs), abs=1e-12)
    assert report.wilson(0, 0) == (0.0, 1.0)


def test_the_table_counts_each_setting_in_any_order(tmp_path):
    chunks = list(PLAN.chunks(set(), 3))
    outcomes = [
        (chunks[1], [won(3), won(1, "horde"), {"seed": 2, "error": "ValueError: no"}]),
        (chunks[0], [won(2), won(1, "horde"), won(3)]),
    ]
    tables = []
    for name, order in (("a", outcomes), ("b", outcomes[::-1])):
        with kept(tmp_path / name) as journal:
            for chunk, found in order:
                journal.add(chunk, played(*found))
            report.write(journal, tmp_path / name)
            tables.append(report.table_rows(journal))
    first, second = tables[0]

    assert tables[0] == tables[1]
    assert (first["first_towers"], first["games"], first["failed"], first["won"]) == (2, 3, 0, 2)
    assert (second["games"], second["failed"], second["won"], second["win_rate"]) == (2, 1, 1, 0.5)
    assert first["win_rate"] == 2 / 3
    assert first["mean_ticks"] == 120
    assert first["mean_gathered_wood"] == 5
    for name in ("games.csv", "table.csv"):
        assert (tmp_path / "a" / name).read_bytes() == (tmp_path / "b" / name).read_bytes()
    with (tmp_path / "a" / "games.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert [(row["variant"], row["seed"]) for row in rows] == [
        *(("0", "1"), ("0", "2"), ("0", "3")),
        *(("1", "1"), ("1", "2"), ("1", "3")),
    ]
    assert rows[4]["error"] == "ValueError: no"
    assert rows[5]["digest"] == "b3"
    assert "0.667" in report.as_text(tables[0])


@pytest.mark.parametrize(
    "asked",
    [
        {"first_towers": "2,3"},
        {"towers.policy": "first,last", "lives": "1,2"},
        {"lives": "1,2,3", "first_towers": "1,2,3,4", "walk": "1,2,3"},
        {"lives": ",".join(map(str, range(1, 30)))},
        {},
    ],
)
def test_a_plot_of_every_shape_is_drawn(tmp_path, asked):
    pytest.importorskip("matplotlib")
    plan = Plan(grid(asked), (1,))
    with kept(tmp_path, plan) as journal:
        for chunk in list(plan.chunks(set(), 1))[:-1] or plan.chunks(set(), 1):
            journal.add(chunk, played(won(1)))
        report.plot(plan, report.table_rows(journal), tmp_path / "plot.png")
    assert (tmp_path / "plot.png").read_bytes().startswith(b"\x89PNG")


def test_settings_of_a_sample_are_dots_and_none_of_them_a_line(tmp_path):
    pytest.importorskip("matplotlib")
    plan = Plan(sample({"lives": "1:90", "walk": "40:50"}, 3, seed=1), (1,))
    with kept(tmp_path, plan) as journal:
        report.plot(plan, report.table_rows(journal), tmp_path / "nothing.png")  # not yet played
        for chunk in plan.chunks(set(), 1):
            journal.add(chunk, played(won(1)))
        report.plot(plan, report.table_rows(journal), tmp_path / "plot.png")
    assert (tmp_path / "nothing.png").exists()
    with Image.open(tmp_path / "plot.png") as picture:
        wide, high = picture.size
    assert wide > 1.5 * high  # a panel for each setting


# -- how chunks are played --


def engine_of(dies=(), log=None):
    """An engine in this process, whose workers die of some games."""

    def run(chunks, map_path, workers, address=None):
        player = Player(map_path)
        for chunk in chunks:
            if log is not None:
                log.append(chunk.games)
            if dies & set(chunk.games):
                yield chunk, RuntimeError("its worker died 3 times\nof hunger")
            else:
                yield chunk, player.play(chunk)

    return run


def test_a_game_that_costs_its_worker_its_life_takes_no_other_with_it(tmp_path):
    plan = Plan(grid({"first_towers": "2", "duration": "1"}), tuple(range(1, 8)))
    log: list = []
    with kept(tmp_path, plan) as journal:
        engine = engine_of({(0, 2), (0, 5)}, log)
        counts = list(play_all(journal, engine, MAP, 1, None, 3))

        assert sum(counts) == 7
        assert journal.failed == {
            (0, 2): "RuntimeError: its worker died 3 times",
            (0, 5): "RuntimeError: its worker died 3 times",
        }
        assert journal.done == {(0, seed) for seed in (1, 3, 4, 6, 7)}
        assert [len(games) for games in log] == [3, 3, 1, *[1] * 6]
        assert list(play_all(journal, engine_of(set()), MAP, 1, None, 3)) == [2]  # played again
        assert not journal.failed
    lines = [json.loads(line) for line in journal.path.read_text().splitlines()]
    assert sum(len(line.get("games", ())) for line in lines) == 9
