"""The screens around the game: title, help, and how it ended."""

from __future__ import annotations

from .advice import advice
from .pen import BAD, GOLD, QUIET, TEXT, Button, Pen
from .session import Session

AIM = (
    "Waves of enemies come down two roads. Too many at the town hall, and the village is lost.",
    "Villagers bring wood, stone and gold; they hide in houses while enemies are near.",
    "Place towers beside a road. Each kind costs something different: send villagers to fetch it.",
    "What stands on a road shuts it: the enemies find another way, past it or past you.",
    "The last way cannot be shut. Frost slows, fire and mortars hurt many at once.",
    "Ringed stones are high ground: a tower on them reaches a fifth farther.",
)
KEYS = (
    ("1 to 7, click", "choose a building, and place it; Shift keeps it in hand"),
    ("T", "train a villager"),
    ("click, drag", "choose a tower or a villager, or all in a box"),
    ("P, Del", "the next policy of the chosen towers; sell"),
    ("Z, X, C", "the chosen villagers fetch wood, stone, gold"),
    ("V, Shift+V", "choose all villagers, all towers"),
    ("N", "call the next wave"),
    ("right drag, arrows", "move the view; the wheel zooms"),
    ("Space, + and -", "pause; speed x1 to x4"),
    ("F5, F9", "save and load"),
    ("R, F, Q", "show ranges, the fog, the quadtrees"),
    ("[ and ]", "halve and double the leaves of the quadtree that is shown"),
    ("F2, B", "the stress test; brute force in it"),
    ("F1, F12, Esc", "this page; a picture; back"),
)


class Dialogs:
    """Draws the screens around the game, and returns their buttons.

    Args:
        session: What is played.
    """

    def __init__(self, session: Session) -> None:
        self.session = session

    def draw(self, pen: Pen, size: tuple[float, float], mouse: tuple[float, float]) -> list[Button]:
        """Draw the screen of the session."""
        draw = {"title": self._title, "help": self._help, "won": self._end, "lost": self._end}
        width, height = size
        pen.rect(0, 0, width, height, (16, 14, 24, 120))
        buttons = draw[self.session.screen](pen, width / 2, height / 2)
        for button in buttons:
            button.draw(pen, mouse, 15)
        if self.session.message:
            pen.text("message", self.session.message, width / 2, 18, GOLD, 13, "center")
        return buttons

    def _title(self, pen: Pen, x: float, y: float) -> list[Button]:
        pen.panel(x - 260, y - 240, 520, 480)
        pen.text("name", "THE FRONTIER", x, y + 168, GOLD, 38, "center", bold=True)
        waves = len(self.session.settings.waves)
        line = f"hold the village against {waves} wave{'s' * (waves > 1)}"
        pen.text("line", line, x, y + 132, TEXT, 15, "center")
        runs = self.session.started and not self.session.match.is_over
        entries = [("start", "New game"), ("load", "Load the saved game"), ("help", "How to play"),
                   ("stress", "Stress test: up to 50,000 enemies"), ("leave", "Leave")]  # fmt: skip
        if runs:
            entries.insert(0, ("back", "Back to the game"))
        saved = self.session.saved_game.exists()
        low = y + 64
        buttons = []
        for name, label in entries:
            buttons.append(Button(name, (x - 190, low, 380, 40), label, saved or name != "load"))
            low -= 50
        pen.text("below", "a game of tilequad's two quadtrees", x, y - 222, QUIET, 11, "center")
        return buttons

    def _help(self, pen: Pen, x: float, y: float) -> list[Button]:
        pen.panel(x - 400, y - 290, 800, 580)
        pen.text("name", "How to play", x, y + 244, GOLD, 24, "center", bold=True)
        pen.lines("aim", AIM, x - 372, y + 206, 23, size=12)
        for number, (keys, what) in enumerate(KEYS):
            low = y + 60 - 22 * number
            pen.text(f"keys{number}", keys, x - 372, low, GOLD, 12.5)
            pen.text(f"what{number}", what, x - 190, low, TEXT, 12.5)
        return [Button("help", (x - 90, y - 276, 180, 36), "Back")]

    def _end(self, pen: Pen, x: float, y: float) -> list[Button]:
        session, game = self.session, self.session.match.game
        won = session.screen == "won"
        pen.panel(x - 360, y - 140, 720, 340)
        title, color = ("Victory", GOLD) if won else ("The village is lost", BAD)
        pen.text("name", title, x, y + 138, color, 34, "center", bold=True)
        line = "All waves are beaten." if won else f"Wave {game.waves.number} broke through."
        pen.text("line", line, x, y + 100, TEXT, 15, "center")
        minutes, seconds = divmod(round(game.now), 60)
        gathered = ", ".join(f"{amount:,} {name}" for name, amount in game.gathered.items())
        left = max(game.settings.lives - game.breakthroughs, 0)
        figures = (
            f"{minutes}:{seconds:02d} min, {left} of {game.settings.lives} lives left",
            f"{game.slain:,} enemies slain, {game.breakthroughs:,} broke through",
            f"towers: {len(game.garrison.towers)}, villagers: {len(game.village.villagers)}",
            f"gathered {gathered}",
        )
        pen.lines("figure", figures, x - 200, y + 64, 26, size=14)
        if not won:
            pen.text("advice", advice(game), x, y - 54, GOLD, 12.5, "center")
        names = (("start", "Play again"), ("title", "Title"))
        return [
            Button(name, (x - 200 + 210 * number, y - 118, 190, 44), label)
            for number, (name, label) in enumerate(names)
        ]
