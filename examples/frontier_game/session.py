"""What the player sees and does: the game played, its pace, what is chosen. It draws nothing."""

from __future__ import annotations

import pickle
import zlib
from collections.abc import Callable, Sequence
from operator import attrgetter
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tilequad import DynamicQuadtree
from tilequad.tiled import TileMap

from .advice import cure
from .campaign import CAMPAIGN
from .game import Game
from .land import Building
from .play import Match, write_whole
from .settings import POLICIES, TICK, Settings
from .stress import Stress
from .towers import Tower
from .units import DROP_OFF, SHELTER, TOWER, VILLAGER, WALL
from .villagers import Villager

SPEEDS = (1, 2, 3, 4)
TICK_BUDGET = 0.08  # seconds a frame: a slow machine skips ticks instead of freezing
NOTE_SECONDS = 3.5
SAVE_NAME = "frontier.save"
# What reading a file raises that holds none, or one of another version of the game.
NO_GAME = zlib.error, pickle.UnpicklingError, EOFError, AttributeError, ImportError, TypeError
SHOWN_LEAF_SIZE, LEAST_LEAF, LARGEST_LEAF = 48, 1, 1024  # units in a leaf that is shown
REACH = 16.0  # how near to a villager a click chooses him or her, in pixels
TALL = 30.0  # how far above the ground of a building a click chooses it, in pixels


class Session:
    """A game as a player plays it.

    Args:
        tile_map: The map.
        seed: Of the first game; the next one has the next seed.
        settings: The numbers of the game.
        folder: Where a game is saved.

    Attributes:
        started: Whether the game is the player's; the title shows one that nobody plays.
        screen: "title", "help", "play", "won" or "lost".
        paused: Whether time stands still.
        speed: How many times as fast as the clock the game runs.
        kind: What is about to be built, or None.
        leaf_size: The most units in a leaf of the quadtree that is shown.
        selected: Towers, villagers and buildings that were chosen.
        stress: The stress test, while it runs.
        note: What just happened, for the player.
        short: The names of what is lacking for that.
        tick_budget: How long the ticks of a frame may take, in seconds; the others are skipped.
        costs: What the ticks of the last frame took, by part, in seconds.
        pace: How much of the speed was reached in the last frames; below 1 ticks are skipped.
    """

    def __init__(
        self,
        tile_map: TileMap,
        seed: int,
        settings: Settings = CAMPAIGN,
        folder: Path | None = None,
    ) -> None:
        self.tile_map, self.seed, self.settings = tile_map, seed, settings
        self.folder = Path() if folder is None else folder
        self.leaf_size = SHOWN_LEAF_SIZE
        self.shows = {"trees": False, "ranges": False, "fog": True}
        self.stress: Stress | None = None
        self.tick_budget = TICK_BUDGET
        self.note, self.short = "", set[str]()
        self.screen, self._before_help = "title", "title"
        self.started = False
        self._begin(Match(tile_map, seed, settings))

    def _begin(self, match: Match) -> None:
        self.match = match
        self.paused = False
        self.speed = 1
        self.kind: str | None = None
        self.selected: list[Any] = []
        self.pace = 1.0
        self.costs: dict[str, float] = {}
        self._clock = self._due = self._note_until = 0.0

    @property
    def game(self) -> Game:
        """The game that is played now."""
        return self.match.game if self.stress is None else self.stress.game

    @property
    def saved_game(self) -> Path:
        """The file that a game is saved as."""
        return self.folder / SAVE_NAME

    @property
    def message(self) -> str:
        """What the player is told now."""
        return self.note if self._clock < self._note_until else ""

    def tell(self, text: str) -> None:
        """Tell the player something for a few seconds."""
        self.note, self._note_until, self.short = text, self._clock + NOTE_SECONDS, set()

    # -- time --

    def play(self, seconds: float) -> None:
        """Play the ticks that are due after some seconds of the clock."""
        self._clock += seconds
        self.costs = {}
        playing = self.screen == "play" and not self.paused
        showing = self.screen == "title" and not self.started
        if not (playing or showing):
            return
        speed = self.speed if playing else 1
        self._due += seconds * speed / TICK
        wanted, played, started = int(self._due), 0, perf_counter()
        while played < wanted and perf_counter() - started < self.tick_budget:
            self._tick()
            played += 1
            for name, part in self.game.parts.items():
                self.costs[name] = self.costs.get(name, 0.0) + part
        self._due = self._due - played if played == wanted else 0.0  # the rest is skipped
        if wanted:
            self.pace += 0.1 * (played / wanted - self.pace)
        self.selected = [one for one in self.selected if one in self.game.units]

    def _tick(self) -> None:
        if self.stress is not None:
            self.stress.tick(self._clock)
        elif not self.match.is_over:
            self.match.tick()
            if self.match.is_over and self.screen == "play":
                self.screen = "won" if self.game.is_won else "lost"
                self.kind, self.selected, self.note = None, [], ""

    # -- what the player does --

    def do(self, name: str) -> None:
        """Do what a button or a key stands for; tell why, if it cannot be done."""
        word, _, rest = name.partition(" ")
        deed: Callable[..., None] = getattr(self, f"_do_{word}")
        try:
            deed(rest) if rest else deed()
        except OSError as problem:
            self.tell(f"{self.saved_game}: {problem.strerror or problem}")
        except ValueError as problem:
            self.tell(str(problem).partition(": ")[2] or str(problem))

    def _do_start(self) -> None:
        """Begin a new game."""
        self.stress = None
        if self.started:
            self.seed += 1
        self.started = True
        self._begin(Match(self.tile_map, self.seed, self.settings))
        self.screen = "play"

    def _do_title(self) -> None:
        self.stress, self.screen, self.kind, self.selected = None, "title", None, []

    def _do_back(self) -> None:
        """Go back to the game, from the title."""
        self.screen = "play"

    def _do_help(self) -> None:
        if self.screen == "help":
            self.screen = self._before_help
        else:
            self._before_help, self.screen = self.screen, "help"

    def _do_pause(self) -> None:
        self.paused = not self.paused

    def _do_speed(self, speed: str) -> None:
        self.speed, self.paused = min(max(int(speed), SPEEDS[0]), SPEEDS[-1]), False

    def _do_faster(self) -> None:
        self._do_speed(str(self.speed + 1))

    def _do_slower(self) -> None:
        self._do_speed(str(self.speed - 1))

    def _do_show(self, what: str) -> None:
        self.shows[what] = not self.shows[what]

    def _do_leaves(self, change: str) -> None:
        """Halve or double the leaf size of the quadtree that is shown; the game keeps its own."""
        wanted = 2 * self.leaf_size if change == "larger" else self.leaf_size // 2
        self.leaf_size = min(max(wanted, LEAST_LEAF), LARGEST_LEAF)
        self.shows["trees"] = True
        self.tell(f"the quadtree with at most {self.leaf_size} units in a leaf")

    def shown_nodes(self) -> NDArray[np.void]:
        """Return the nodes of the units' quadtree, as it would be with the leaf size chosen."""
        units = self.game.units
        if self.leaf_size == units.leaf_size:
            return units.nodes()
        tree = DynamicQuadtree[int](units.bounds, leaf_size=self.leaf_size)
        tree.add_many(range(len(units)), units.position_many(units.slots(units)))
        return tree.nodes()

    def _do_kind(self, kind: str) -> None:
        """Choose what to build, or put it away."""
        price = self.game.settings.price(self.game.settings.kinds[kind])
        reason = self.game.construction.cannot_pay(price)
        if reason and self.kind != kind:
            lacks = self.game.construction.lacks(price)
            self.tell(f"{kind.replace('_', ' ')}: {reason}; {cure(lacks)}")
            self.short = set(lacks)
        else:
            self.kind = None if self.kind == kind else kind
            self.selected = []

    def _do_train(self) -> None:
        self.game.train()

    def _do_wave(self) -> None:
        self.game.call_wave()

    def _do_policy(self) -> None:
        """Let the chosen towers shoot by the next policy."""
        towers = [one for one in self.selected if isinstance(one, Tower)]
        if towers:
            following = POLICIES[(POLICIES.index(towers[0].policy) + 1) % len(POLICIES)]
            for tower in towers:
                tower.policy = following

    def _do_trade(self, trade: str) -> None:
        """Let the chosen villagers fetch something else."""
        for one in self.selected:
            if isinstance(one, Villager):
                self.game.village.set_trade(one, trade)

    def _do_sell(self) -> None:
        for one in self.selected:
            if isinstance(one, Tower | Building):
                self.game.sell(one)
        self.selected = []

    def _do_cancel(self) -> None:
        """Put away what is chosen; with nothing chosen, go to the title."""
        if self.screen == "help":
            self._do_help()
        elif self.kind is not None or self.selected:
            self.kind, self.selected = None, []
        elif self.screen == "title":
            if self.started and not self.match.is_over:
                self._do_back()
        else:
            self._do_title()

    def _do_stress(self) -> None:
        """Begin or end the stress test."""
        if self.stress is not None:
            self._do_title()
            return
        self.stress = Stress(self.tile_map, self.seed)
        self.screen, self.paused, self.speed = "play", False, 1
        self.kind, self.selected = None, []

    def _do_brute(self, who: str = "") -> None:
        """Let "loops" or "trees" answer; without a word, those that do not now."""
        if self.stress is not None:
            queries = self.game.queries
            queries.brute_force = who == "loops" if who else not queries.brute_force

    def _do_enemies(self, count: str) -> None:
        if self.stress is not None:
            self.stress.wanted = int(count)

    def _do_save(self) -> None:
        if self.stress is None and self.screen == "play":
            write_whole(self.saved_game, self.match.save())
            self.tell(f"saved as {self.saved_game}")

    def _do_load(self) -> None:
        """Load what this game has saved; load no stranger's file."""
        path = self.saved_game
        if not path.exists():
            self.tell("nothing is saved yet")
            return
        try:
            match = Match.resume(path.read_bytes())
        except NO_GAME as problem:
            self.tell(f"{path} is not a saved game: {problem}")
            return
        self.stress = None
        self._begin(match)
        self.screen, self.started = "play", True
        self.tell(f"loaded {path}")

    # -- the mouse on the land --

    def press(self, place: Sequence[float], keep: bool = False) -> None:
        """Build what is chosen at a place, or choose what stands there.

        Args:
            place: In world units.
            keep: Whether to go on with building the same.
        """
        if self.kind is None:
            self.selected = self._at(place)
            return
        reason = self.game.can_build(self.kind, place)
        if reason is not None:
            self.tell(reason)
            return
        self.game.build(self.kind, place)
        price = self.game.settings.price(self.game.settings.kinds[self.kind])
        if not (keep or self.kind == "wall") or self.game.construction.cannot_pay(price):
            self.kind = None

    def _at(self, place: Sequence[float]) -> list[Any]:
        """Return what the player may choose at a place."""
        units, (x, y) = self.game.units, place
        # Nearest query: a villager below the mouse.
        found = units.nearest(x, y - 10, groups=VILLAGER, max_distance=REACH, where=_is_seen)
        if found is not None:
            return [found]
        # Box query: else the frontmost building on whose ground, or above, the mouse is. Those of
        # the map have no type.
        below = units.query((x, y - TALL, x, y), groups=TOWER | SHELTER | DROP_OFF | WALL)
        return sorted((one for one in below if one.type), key=attrgetter("y"))[:1]

    def select_box(self, bounds: tuple[float, float, float, float]) -> None:
        """Choose the villagers in a box; if there are none, the towers."""
        units = self.game.units
        # Box query: who is in the box that the mouse has drawn?
        villagers = filter(_is_seen, units.query(bounds, groups=VILLAGER))
        self.selected = list(villagers) or units.query(bounds, groups=TOWER)

    def select_all(self, kind: type) -> None:
        """Choose all towers, or all villagers."""
        game = self.game
        self.selected = list(game.village.villagers if kind is Villager else game.garrison.towers)


def _is_seen(villager: Villager) -> bool:
    """Whether a villager is not inside a building."""
    return villager.state != "hiding"
