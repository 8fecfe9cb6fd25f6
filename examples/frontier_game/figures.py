"""The line of figures at the top of the picture, and the keys."""

from __future__ import annotations

from .game import Game
from .scene import Scene

KEYS = (
    ("drag, arrow keys", "move the view"),
    ("wheel", "zoom at the mouse"),
    ("Q", "show the trees: of units, and of the woods"),
    ("R", "show how far the towers reach"),
    ("B", "brute force instead of trees, and back"),
    ("+", "1,000 more enemies"),
    ("F12", "save a picture"),
    ("F1", "show or hide this list"),
    ("Esc", "leave"),
)


class Figures:
    """Times and counts, smoothed so that they can be read.

    Args:
        game: The game.
        scene: What is shown of it.

    Attributes:
        live: Whether every frame is drawn; otherwise frames a second would say nothing.
    """

    def __init__(self, game: Game, scene: Scene) -> None:
        self.game, self.scene = game, scene
        self.live = False
        self.fps = self.cull_ms = self.query_ms = 0.0

    def note(self, frame_seconds: float) -> None:
        """Take a frame into account."""
        share = 0.08 if self.fps else 1.0
        self.fps += share * (1 / max(frame_seconds, 1e-6) - self.fps)
        self.cull_ms += share * (self.scene.cull_seconds * 1000 - self.cull_ms)
        self.query_ms += share * (self.game.query_seconds * 1000 - self.query_ms)

    def forget(self) -> None:
        """Begin anew with the next frame: the times before it were those of another way."""
        self.fps = 0.0

    def line(self) -> str:
        """The line of figures."""
        game, scene = self.game, self.scene
        rate = f"{self.fps:.0f} fps" if self.live else "a picture by Pillow"
        way = "brute force" if game.units.brute else "quadtrees"
        return (
            f"{rate}   tiles {scene.tiles_drawn:,} of {scene.tiles_total:,}   "
            f"units {scene.units_drawn:,} of {len(game.units):,}   "
            f"cull {self.cull_ms:.2f} ms   queries {self.query_ms:.2f} ms   {way}"
        )

    def story(self) -> str:
        """How the game stands."""
        game = self.game
        return (
            f"wood {game.stock['wood']}   stone {game.stock['stone']}   "
            f"towers {len(game.garrison.towers)}   villagers {len(game.village.villagers)}   "
            f"enemies {len(game.horde):,}   slain {game.slain:,}   broke through {game.raids:,}"
        )

    def as_json(self) -> dict[str, object]:
        """Everything, for programs."""
        game, scene = self.game, self.scene
        return {
            "ticks": game.ticks,
            "brute_force": game.units.brute,
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
            "broke_through": game.raids,
            "trees_felled": game.felled,
            "wood": game.stock["wood"],
            "stone": game.stock["stone"],
            "state": game.digest(),
        }
