"""The panel of the stress test: both ways to answer, plotted, and what a frame costs."""

from __future__ import annotations

from collections import deque
from math import log10

from .pen import GOLD, QUIET, TEXT, Button, Color, Pen
from .session import Session
from .stress import LEVELS, LOOP_BUDGET, SECONDS

WIDTH, HEIGHT = 372.0, 470.0
TREE: Color = (110, 214, 255, 255)
LOOPS: Color = (255, 140, 92, 255)
PARTS: tuple[tuple[str, Color], ...] = (
    ("march", (118, 196, 108, 255)),
    ("towers", (240, 190, 92, 255)),
    ("villagers", (210, 150, 230, 255)),
    ("crowds", (232, 108, 100, 255)),
    ("culling", (110, 214, 255, 255)),
    ("drawing", (150, 150, 240, 255)),
    ("panels", (190, 186, 176, 255)),
    ("gpu", (92, 88, 104, 255)),
)
ANSWERS = {"trees": "Quadtrees", "loops": "Brute force (B)"}
LEAST, MOST = 0.1, 1000.0  # milliseconds at both ends of the plot
COLUMNS = 160
FRAMES = 300  # of which the worst is shown: software that draws in place of a GPU counts apart
BAR = 160.0  # where the bar of a frame begins, in pixels


class StressPanel:
    """Draws the panel, and returns its buttons.

    Args:
        session: What is played.
    """

    def __init__(self, session: Session) -> None:
        self.session = session
        self._means = {name: 0.0 for name, _ in PARTS}
        self._frames: deque[float] = deque(maxlen=FRAMES)  # milliseconds
        self._shown_at = -1.0
        self._look()

    def _look(self) -> None:
        """Take over the figures that are shown, now and then, so that they can be read."""
        stress = self.session.stress
        self.costs = dict(self._means)
        if stress is None:
            return
        queries = stress.game.queries
        self._note = f"questions in a tick: {queries.asked}"
        if queries.brute_force and 0 < queries.looped < queries.asked:
            share = f"{queries.looped} of {queries.asked}"
            self._note = f"loops: {share} in {LOOP_BUDGET * 1000:.0f} ms, then trees"
        self._recent = [stress.recent(by_loops) for by_loops in (False, True)]

    def record(self, parts: dict[str, float]) -> None:
        """Add the seconds of a frame, by part; what is shown are means, and the worst frame."""
        self._frames.append(1000 * (sum(parts.values()) - parts["gpu"]))
        for name in self._means:
            self._means[name] += 0.08 * (parts.get(name, 0.0) * 1000 - self._means[name])

    def draw(
        self, pen: Pen, size: tuple[float, float], mouse: tuple[float, float], rate: float
    ) -> list[Button]:
        """Draw the panel at the right."""
        stress = self.session.stress
        assert stress is not None
        clock = stress.history[-1][0] if stress.history else 0.0
        if not 0 <= clock - self._shown_at < 0.25:
            self._shown_at = clock
            self._look()
        x, top = size[0] - WIDTH - 14, size[1] - 14
        low = top - HEIGHT
        pen.panel(x, low, WIDTH, HEIGHT)
        pen.text("stress", "Stress test", x + 14, top - 30, GOLD, 17, bold=True)
        text = f"{rate:.0f} frames a second"
        pen.text("stress rate", text, x + WIDTH - 14, top - 28, QUIET, 11, "right")
        buttons = []
        for number, level in enumerate(LEVELS):
            box = (x + 14 + 70 * number, top - 76, 64, 30)
            lit = stress.wanted == level
            buttons.append(Button(f"enemies {level}", box, f"{level:,}", lit=lit))
        queries = stress.game.queries
        for number, (who, label) in enumerate(ANSWERS.items()):
            box = (x + 14 + 175 * number, top - 114, 168, 30)
            lit = queries.brute_force == (who == "loops")
            buttons.append(Button(f"brute {who}", box, label, lit=lit))
        shows = self.session.shows["trees"]
        box = (x + WIDTH - 92, top - 144, 78, 22)
        buttons.append(Button("show trees", box, "Nodes (Q)", lit=shows))
        self._plot(pen, x + 48, top - 276, WIDTH - 62, 128)
        self._figures(pen, x + 14, top - 300)
        self._costs(pen, x + 14, top - 356)
        for button in buttons:
            button.draw(pen, mouse, 10 if button.name == "show trees" else 11)
        leave = Button("stress", (x + 14, low + 10, WIDTH - 28, 28), "Leave the stress test (F2)")
        leave.draw(pen, mouse, 11)
        return [*buttons, leave]

    def _plot(self, pen: Pen, x: float, y: float, width: float, height: float) -> None:
        """Plot the milliseconds of all questions of a tick, over the last seconds."""
        pen.rect(x, y, width, height, (18, 16, 24, 255))
        for power in range(-1, 4):
            line = y + height * self._share(10.0**power)
            pen.rect(x, line, width, 1, (70, 64, 76, 255))
            pen.text(f"scale{power}", f"{10.0**power:g}", x - 6, line - 4, QUIET, 9, "right")
        text = f"ms a tick, all questions, {SECONDS:.0f} s"
        pen.text("plot", text, x + 4, y + height + 7, QUIET, 10)
        stress = self.session.stress
        assert stress is not None
        if not stress.history:
            return
        now = stress.history[-1][0]
        columns: dict[tuple[int, bool], list[float]] = {}
        for clock, by_loops, questions in stress.history:
            column = int((clock - now + SECONDS) / SECONDS * (COLUMNS - 1))
            columns.setdefault((column, by_loops), []).append(questions)
        for (column, by_loops), values in columns.items():
            share = self._share(sum(values) / len(values))
            place = x + column * (width - 3) / (COLUMNS - 1)
            color = LOOPS if by_loops else TREE
            pen.rect(place, y, 2.4, height * share, (*color[:3], 70))
            pen.rect(place, y + height * share - 1.5, 2.4, 3, color)

    def _share(self, milliseconds: float) -> float:
        value = min(max(milliseconds, LEAST), MOST)
        return log10(value / LEAST) / log10(MOST / LEAST)

    def _figures(self, pen: Pen, x: float, y: float) -> None:
        for number, (by_loops, name, color) in enumerate(
            ((False, "quadtrees", TREE), (True, "brute force", LOOPS))
        ):
            mean = self._recent[by_loops]
            text = f"{name} " + ("not yet" if mean is None else _milliseconds(mean))
            pen.rect(x + 172 * number, y, 10, 10, color)
            pen.text(f"mean{number}", text, x + 15 + 172 * number, y, TEXT, 11)
        pen.text("asked", self._note, x, y - 20, QUIET, 11)
        pace = self.session.pace
        text = f"pace {pace:.2f}, worst frame without gpu {max(self._frames, default=0.0):.0f} ms"
        pen.text("pace", text, x, y - 38, GOLD if pace < 0.93 else QUIET, 11)

    def _costs(self, pen: Pen, x: float, y: float) -> None:
        """Draw what a frame costs, by part, as one bar and a list."""
        total = max(sum(self.costs.values()), 1e-6)
        pen.text("frame", f"a frame: {total:.1f} ms", x, y, TEXT, 11)
        left = x + BAR
        for name, color in PARTS:
            width = (WIDTH - 28 - BAR) * self.costs[name] / total
            pen.rect(left, y - 2, width, 12, color)
            left += width
        for number, (name, color) in enumerate(PARTS):
            column, row = number % 3, number // 3
            place = x + 117 * column, y - 20 - 17 * row
            pen.rect(place[0], place[1], 8, 8, color)
            pen.text(
                f"part{name}", f"{name} {self.costs[name]:.1f}", place[0] + 13, place[1], QUIET, 10
            )


def _milliseconds(value: float) -> str:
    """Return a time with three digits that count."""
    return f"{value:,.{0 if value >= 100 else 1 if value >= 10 else 2}f} ms"
