"""The statistics at the top of the screen, and the list of keys."""

from __future__ import annotations

from tilequad import COMPILED

from .game import Game
from .scene import Scene

KEYS = (
    ("drag, arrow keys", "move the view"),
    ("wheel", "zoom at the mouse"),
    ("Q", "show the quadtrees of units and trees"),
    ("R", "show the range of each tower"),
    ("B", "brute force instead of quadtrees, and back"),
    ("+", "1,000 more enemies"),
    ("F12", "save a screenshot"),
    ("F1", "show or hide this list"),
    ("Esc", "leave"),
)


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
        self.query_ms += share * (self.game.query_seconds * 1000 - self.query_ms)

    def reset(self) -> None:
        """Start the averages afresh with the next frame."""
        self.fps = 0.0

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
            "wood": game.stock["wood"],
            "stone": game.stock["stone"],
            "state": game.digest(),
        }
