"""The statistics of a game that nobody plays: at the top of its screen, and as JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tilequad import COMPILED

from .game import Game
from .scene import Scene

if TYPE_CHECKING:
    from .pen import Pen


class Hud:
    """Times and counts, smoothed so that they can be read.

    Args:
        game: The game.
        scene: The scene that shows it.

    Attributes:
        live: Whether every frame is drawn. If not, the frame rate means nothing and is left out.
    """

    def __init__(self, game: Game, scene: Scene) -> None:
        self.game, self.scene = game, scene
        self.live = False
        self.fps = self.cull_ms = self.query_ms = 0.0

    def record(self, frame_seconds: float) -> None:
        """Add a frame to the statistics."""
        share = 0.08 if self.fps else 1.0
        self.fps += share * (1 / max(frame_seconds, 1e-6) - self.fps)
        self.cull_ms += share * (self.scene.cull_seconds * 1000 - self.cull_ms)
        self.query_ms += share * (self.game.queries.seconds * 1000 - self.query_ms)

    def timings(self) -> str:
        """Return the line of times and counts."""
        game, scene = self.game, self.scene
        rate = f"{self.fps:.0f} fps" if self.live else "drawn by Pillow"
        method = "brute force" if game.queries.brute_force else "quadtrees"
        if not COMPILED:
            method += ", not compiled"
        return (
            f"{rate}   tiles {scene.tiles_drawn:,} of {scene.tiles_total:,}   "
            f"units {scene.units_drawn:,} of {len(game.units):,}   "
            f"cull {self.cull_ms:.2f} ms   queries {self.query_ms:.2f} ms   {method}"
        )

    def score(self) -> str:
        """Return the line of scores."""
        game = self.game
        return (
            f"wood {game.stock['wood']}   stone {game.stock['stone']}   "
            f"towers {len(game.garrison.towers)}   villagers {len(game.village.villagers)}   "
            f"enemies {len(game.horde):,}   slain {game.slain:,}   "
            f"broke through {game.breakthroughs:,}"
        )

    def draw(self, pen: Pen, size: tuple[float, float]) -> None:
        """Draw both lines."""
        width, height = size
        pen.rect(0, height - 52, width, 52, (28, 26, 34, 200))
        pen.text("timings", self.timings(), 14, height - 21)
        pen.text("score", self.score(), 14, height - 43, (214, 226, 190, 255))

    def as_json(self) -> dict[str, object]:
        """Return all statistics for programs, under stable names."""
        game, scene = self.game, self.scene
        return {
            "ticks": game.ticks,
            "brute_force": game.queries.brute_force,
            "fps": round(self.fps, 1) if self.live else None,
            "tiles_drawn": scene.tiles_drawn,
            "tiles_total": scene.tiles_total,
            "units_drawn": scene.units_drawn,
            "units_total": len(game.units),
            "cull_ms": round(self.cull_ms, 3),
            "query_ms": round(self.query_ms, 3),
            "enemies": len(game.horde),
            "villagers": len(game.village.villagers),
            "towers": len(game.garrison.towers),
            "slain": game.slain,
            "broke_through": game.breakthroughs,
            "trees_felled": game.felled,
            **game.stock,
            "state": game.digest(),
        }
