"""Keeps on disk what is played, so that a sweep can stop at any time and go on later."""

from __future__ import annotations

import json
from contextlib import suppress
from hashlib import blake2b
from pathlib import Path
from typing import Any, BinaryIO

import frontier_game
import tilequad

from .plan import Chunk, Game, Plan
from .player import Outcome, Played

NAME = "games.jsonl"
GAME = Path(frontier_game.__file__).parent
CHECK = "check"  # the member of a line that holds a digest of the others
FAR = 1 << 30  # beyond the end of a journal


class JournalError(Exception):
    """A journal that cannot be read or written."""


class Journal:
    """A text file: the plan in the first line, then one line of JSON for each chunk.

    A line is written as a whole and flushed, and has a digest of itself. A last line that was cut
    off, by a full disk or a loss of power, is dropped, and its games are played again. A game that
    is in two lines counts once: as in the last of them. While a sweep plays, no other can open its
    journal.

    Args:
        folder: Where the journal lies.
        plan: What to play, or None to go on with the plan of a journal that is there.
        map_path: The map that is played on.
        resume: Whether to go on with a journal that is there. Failed games are played again.

    Raises:
        JournalError: There is a journal and `resume` is false, or the other way round; another
            sweep has it open, it is damaged, or it is of another plan, map, game or version.
        OSError: It cannot be read.

    Attributes:
        plan: What is to be played.
        outcomes: How each game went that was played, by variant and seed.
    """

    def __init__(self, folder: Path, plan: Plan | None, map_path: Path, resume: bool) -> None:
        self.path = folder / NAME
        self.outcomes: dict[Game, Outcome] = {}
        origin = {
            "version of tilequad": tilequad.__version__,
            "code of the game": _digest(*sorted(GAME.rglob("*.py"))),
            "map": _digest(map_path),
        }
        if resume and not self.path.exists():
            raise JournalError(f"there is nothing to resume: {self.path} does not exist")
        if self.path.exists() and not resume:
            raise JournalError(
                f"{self.path} holds a sweep already: go on with --resume, or name another --output"
            )
        if not resume and plan is None:
            raise JournalError("there is nothing to play")
        folder.mkdir(parents=True, exist_ok=True)
        self._file: BinaryIO = self.path.open("ab", buffering=0)
        try:
            self._lock()
            if resume:
                self.plan = self._read(origin, plan)
            elif plan is not None:
                self.plan = plan
                self._write({"origin": origin, "plan": plan.to_json()})
        except BaseException:
            self._file.close()
            raise

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

    def _lock(self) -> None:
        """Keep other sweeps out. The system ends a lock when its process ends, however it does."""
        try:
            _lock(self._file)
        except (BlockingIOError, PermissionError):
            raise JournalError(f"another sweep plays on in {self.path}: wait for its end") from None
        except OSError:
            pass  # a file system that has no locks

    def _remember(self, variant: int, outcomes: Any) -> None:
        self.outcomes |= {(variant, outcome["seed"]): outcome for outcome in outcomes}

    def _write(self, record: dict[str, Any]) -> None:
        """Append a line, or nothing."""
        line = (json.dumps(record | {CHECK: _checksum(record)}) + "\n").encode()
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
        head, *chunks = (self._record(number, line) for number, line in enumerate(whole, 1))
        for what, digest in origin.items():
            if head["origin"].get(what) != digest:
                raise JournalError(f"{self.path} was played with another {what}: begin a new sweep")
        kept = Plan.from_json(head["plan"])
        for chunk in chunks:
            self._remember(chunk["variant"], chunk["games"])
        if self.outcomes.keys() - set(kept.games):
            raise JournalError(f"{self.path} is damaged: it has games that its plan has not")
        if plan is not None and plan != kept:
            raise JournalError(
                f"{self.path} has another plan: --resume goes on with it if no other is given"
            )
        with self.path.open("r+b") as file:
            file.truncate(sum(map(len, whole)))
        return kept

    def _record(self, number: int, line: bytes) -> dict[str, Any]:
        """Read a line, and make sure that it is as it was written."""
        with suppress(ValueError, KeyError, TypeError, AttributeError, RecursionError):
            record: dict[str, Any] = json.loads(line)
            if record.pop(CHECK) == _checksum(record):
                return record
        raise JournalError(f"{self.path} is damaged: line {number} is not as it was written")


def _checksum(record: dict[str, Any]) -> str:
    return blake2b(json.dumps(record).encode(), digest_size=8).hexdigest()


def _digest(*paths: Path) -> str:
    """Return a digest of some files: of their names and of what they hold."""
    digest = blake2b(digest_size=8)
    for path in paths:
        content = path.read_bytes()
        digest.update(f"{path.name} {len(content)} ".encode() + content)
    return digest.hexdigest()


def _lock(file: BinaryIO) -> None:
    """Lock a file, or raise BlockingIOError or PermissionError if another process has done so."""
    try:
        import fcntl
    except ModuleNotFoundError:  # Windows
        import msvcrt

        file.seek(FAR)  # others can still read the file itself
        msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined]
        return
    fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
