"""Keeps on disk what is played, so that a sweep can stop at any time and go on later."""

from __future__ import annotations

import json
from hashlib import blake2b
from pathlib import Path
from typing import Any, BinaryIO

import tilequad

from .plan import Chunk, Game, Plan
from .player import Outcome, Played

NAME = "games.jsonl"


class JournalError(Exception):
    """A journal that cannot be read or written."""


class Journal:
    """A text file: the plan in the first line, then one line of JSON for each chunk.

    A line is written as a whole and flushed. A last line that was cut off, by a full disk or a loss
    of power, is dropped, and its games are played again. A game that is in two lines counts once:
    as in the last of them.

    Args:
        folder: Where the journal lies.
        plan: What to play, or None to go on with the plan of a journal that is there.
        map_path: The map that is played on.
        resume: Whether to go on with a journal that is there. Failed games are played again.

    Raises:
        JournalError: There is a journal and `resume` is false, or the other way round; it is
            damaged, or it is of another plan, map or version.
        OSError: It cannot be read.

    Attributes:
        plan: What is to be played.
        outcomes: How each game went that was played, by variant and seed.
    """

    def __init__(self, folder: Path, plan: Plan | None, map_path: Path, resume: bool) -> None:
        self.path = folder / NAME
        self.outcomes: dict[Game, Outcome] = {}
        origin = {"version": tilequad.__version__, "map": _digest(map_path)}
        if resume and not self.path.exists():
            raise JournalError(f"there is nothing to resume: {self.path} does not exist")
        if self.path.exists() and not resume:
            raise JournalError(
                f"{self.path} holds a sweep already: go on with --resume, or name another --output"
            )
        if resume:
            self.plan = self._read(origin, plan)
        elif plan is None:
            raise JournalError("there is nothing to play")
        else:
            self.plan = plan
        folder.mkdir(parents=True, exist_ok=True)
        self._file: BinaryIO = self.path.open("ab", buffering=0)
        if not resume:
            self._write({"origin": origin, "plan": self.plan.to_json()})

    def __enter__(self) -> Journal:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()

    @property
    def done(self) -> set[Game]:
        """The games that were played to their end."""
        return {game for game, outcome in self.outcomes.items() if "result" in outcome}

    @property
    def failed(self) -> dict[Game, str]:
        """The error of each game that failed, in the order of the plan."""
        return {
            game: self.outcomes[game]["error"]
            for game in sorted(self.outcomes)
            if "error" in self.outcomes[game]
        }

    def add(self, chunk: Chunk, played: Played) -> None:
        """Keep a chunk.

        Raises:
            JournalError: It could not be written. The journal is as it was before.
        """
        self._write(
            {
                "variant": chunk.variant,
                "worker": played.worker,
                "seconds": round(played.seconds, 3),
                "games": played.outcomes,
            }
        )
        self._remember(chunk.variant, played.outcomes)

    def _remember(self, variant: int, outcomes: Any) -> None:
        self.outcomes |= {(variant, outcome["seed"]): outcome for outcome in outcomes}

    def _write(self, record: dict[str, Any]) -> None:
        """Append a line, or nothing."""
        line = (json.dumps(record) + "\n").encode()
        end = self._file.seek(0, 2)
        rest = memoryview(line)
        try:
            while rest:  # a disk that is almost full takes a part, and refuses the next
                rest = rest[self._file.write(rest) :]
        except BaseException as problem:
            self._file.truncate(end)
            if not end:
                self._file.close()
                self.path.unlink()
            if isinstance(problem, OSError):
                kept = f"; {len(self.done)} games are kept: make room, and go on with --resume"
                raise JournalError(
                    f"cannot write {self.path}: {problem.strerror}{kept if end else ''}"
                ) from None
            raise

    def _read(self, origin: dict[str, str], plan: Plan | None) -> Plan:
        """Read all lines, cut off a torn last one, and return the plan."""
        lines = self.path.read_bytes().splitlines(keepends=True)
        whole = [line for line in lines if line.endswith(b"\n")]
        if not whole:
            raise JournalError(f"{self.path} is empty: delete it, and begin again")
        try:
            head, *chunks = (json.loads(line) for line in whole)
            kept = Plan.from_json(head["plan"])
            for chunk in chunks:
                self._remember(chunk["variant"], chunk["games"])
            unknown = self.outcomes.keys() - set(kept.games)
            found = head["origin"]
        except (ValueError, KeyError, TypeError, AttributeError) as problem:
            raise JournalError(f"{self.path} is damaged: {problem!r}") from None
        if unknown:
            raise JournalError(f"{self.path} is damaged: it has games that its plan has not")
        if found != origin:
            what = "map" if found.get("version") == origin["version"] else "version of tilequad"
            raise JournalError(f"{self.path} was played with another {what}: begin a new sweep")
        if plan is not None and plan != kept:
            raise JournalError(
                f"{self.path} has another plan: --resume goes on with it if no other is given"
            )
        with self.path.open("r+b") as file:
            file.truncate(sum(map(len, whole)))
        return kept


def _digest(path: Path) -> str:
    return blake2b(path.read_bytes(), digest_size=8).hexdigest()
