"""The panels of a game: stock and waves at the top, buildings and what is chosen at the bottom."""

from __future__ import annotations

from collections import Counter

from tilequad import Bounds

from .advice import SIDES, TRADE_KEYS, cure
from .land import Building
from .pen import BAD, GOLD, GOOD, QUIET, TEXT, Button, Pen
from .session import SPEEDS, Session
from .settings import RESOURCES, HouseType, TowerType, due
from .sprites import Pictures
from .towers import Tower
from .villagers import Villager

TOP = 44.0  # height of the bar at the top, in pixels
SIDE = 66.0  # of a button to build
GAP = 6.0
LOW = 14.0  # distance of the lowest buttons to the edge
KEYS = "1234567"
EDGE = 170.0, 250.0, 170.0, 112.0  # where a warning stays: left, low, right, top, in pixels


class Panels:
    """Draws the panels, and returns their buttons.

    Args:
        session: What is played.
        pictures: The pictures of what can be built.
    """

    def __init__(self, session: Session, pictures: Pictures) -> None:
        self.session, self.pictures = session, pictures
        self.rate = 0.0

    def draw(
        self, pen: Pen, size: tuple[float, float], mouse: tuple[float, float], view: Bounds
    ) -> list[Button]:
        """Draw all panels of a game that runs, and from where the next wave comes into a view."""
        message = self.session.message
        self._short = self.session.short if message else set()
        self._warn(pen, size, view)
        buttons = self._build_bar(pen, mouse)
        buttons += self._top(pen, *size, mouse)
        buttons += self._chosen(pen, mouse)
        if message:
            x, y = size[0] / 2, size[1] - TOP - 34
            width = pen.text("message", message, x, y, GOLD, 14, "center")
            pen.rect(x - width / 2 - 14, y - 10, width + 28, 30, (28, 24, 34, 225))
        if self.session.paused:
            middle = size[0] / 2, size[1] / 2 + 110
            pen.panel(middle[0] - 90, middle[1] - 26, 180, 52)
            pen.text("paused", "Paused", middle[0], middle[1] - 9, GOLD, 22, "center", bold=True)
        return buttons

    # -- at the top --

    def _top(
        self, pen: Pen, width: float, height: float, mouse: tuple[float, float]
    ) -> list[Button]:
        session, game = self.session, self.session.game
        low = height - TOP
        pen.rect(0, low, width, TOP, (34, 30, 40, 235))
        pen.rect(0, low, width, 2, (122, 96, 66, 255))
        x = 18.0
        for name in RESOURCES:
            gid = self.pictures.gids[name]
            pen.picture(gid, x + 8, low + TOP / 2, 26, 26)
            color = BAD if name in self._short else TEXT
            amount = f"{game.stock[name]}"
            pen.text(f"stock {name}", amount, x + 26, low + 16, color, 14, bold=True)
            x += 84
        people = f"{len(game.village.villagers)} villagers"
        pen.text("villagers", people, x + 4, low + 16, QUIET, 12)
        x += 118
        left = max(game.settings.lives - game.breakthroughs, 0)
        few = left <= game.settings.lives / 4
        pen.text("lives", f"{left} lives", x, low + 16, BAD if few else GOOD, 14, bold=True)
        x += 96
        x = self._waves(pen, x, low, mouse)
        buttons = []
        if game.waves.is_pause:
            box = (x, low + 8, 118, 28)
            buttons.append(Button("wave", box, "Next wave (N)"))
        x = width - 14 - 34 * len(SPEEDS) - 42
        pen.text("rate", self._rate_text(), x - 14, low + 16, QUIET, 11, "right")
        buttons.append(Button("pause", (x, low + 8, 36, 28), "II", lit=session.paused))
        for number, speed in enumerate(SPEEDS):
            box = (x + 42 + 34 * number, low + 8, 32, 28)
            lit = session.speed == speed and not session.paused
            buttons.append(Button(f"speed {speed}", box, f"x{speed}", lit=lit))
        for button in buttons:
            button.draw(pen, mouse, 11)
        return buttons

    def _waves(self, pen: Pen, x: float, low: float, mouse: tuple[float, float]) -> float:
        game = self.session.game
        waves, total = game.waves, len(game.settings.waves)
        names = [f"the {SIDES[road]}" for road in waves.roads]
        sides = "both sides" if len(names) > 1 else "".join(names)
        if waves.is_pause:
            text = f"wave {waves.number + 1} of {total} in {waves.wait:.0f} s, from {sides}"
        else:
            count = len(game.horde)
            text = f"wave {waves.number} of {total}: {count:,} enem{'y' if count == 1 else 'ies'}"
            text += f", from {sides}" if sides else ""
        return x + pen.text("wave", text, x, low + 16, TEXT, 13) + 16

    def _warn(self, pen: Pen, size: tuple[float, float], view: Bounds) -> None:
        """Say at the edge of the screen, or on the land, from where the next wave comes."""
        game, (width, height) = self.session.game, size
        left, low, right, top = EDGE
        for road in game.waves.roads:
            x, y = game.horde.entry_at(road)
            x = (x - view.min_x) / view.width * width - width / 2
            y = (y - view.min_y) / view.height * height - height / 2
            # Along the ray from the middle of the screen, up to its edge.
            across = x / (width / 2 - (left if x < 0 else right))
            up = y / (height / 2 - (low if y < 0 else top))
            beyond = max(abs(across), abs(up), 1.0)
            arrow = "◄►"[x > 0] if abs(across) > abs(up) else "▼▲"[y > 0]
            if beyond == 1.0:
                arrow = "▼"
            x, y = width / 2 + x / beyond, height / 2 + y / beyond
            text = f"{arrow}  wave from the {SIDES[road]}"
            if game.waves.is_pause:
                text += f" in {game.waves.wait:.0f} s"
            color = BAD if game.now % 1.0 < 0.7 else GOLD
            wide = pen.text(f"warning {road}", text, x, y, color, 13, "center", bold=True)
            pen.rect(x - wide / 2 - 10, y - 10, wide + 20, 30, (28, 24, 34, 225))

    def _rate_text(self) -> str:
        slow = self.session.pace < 0.93 and not self.session.paused
        return "skips ticks" if slow else f"{self.rate:.0f} fps"

    # -- what can be built --

    def _build_bar(self, pen: Pen, mouse: tuple[float, float]) -> list[Button]:
        session, game = self.session, self.session.game
        kinds = list(game.settings.kinds.values())
        pen.panel(LOW - 6, LOW - 6, (SIDE + GAP) * (len(kinds) + 1) + 6, SIDE + 12)
        buttons = []
        for number, kind in enumerate(kinds):
            box = (LOW + number * (SIDE + GAP), LOW, SIDE, SIDE)
            short = game.construction.cannot_pay(game.settings.price(kind))
            button = Button(f"kind {kind.name}", box, "", not short, session.kind == kind.name)
            button.draw(pen, mouse)
            gid = self.pictures.gids[kind.picture]
            self._fit(pen, gid, box[0] + SIDE / 2, LOW + SIDE / 2 + 3, SIDE - 14, bool(short))
            pen.text(f"key {kind.name}", KEYS[number], box[0] + 6, LOW + SIDE - 16, QUIET, 10)
            buttons.append(button)
        box = (LOW + len(kinds) * (SIDE + GAP), LOW, SIDE, SIDE)
        button = Button("train", box, "", not game.can_train())
        button.draw(pen, mouse)
        gid = self.pictures.gids["villager_blue_down_0"]
        pen.picture(gid, box[0] + SIDE / 2, LOW + SIDE / 2, 60, 60, 255 if button.enabled else 90)
        pen.text("key train", "T", box[0] + 6, LOW + SIDE - 16, QUIET, 10)
        buttons.append(button)
        for button in buttons:
            if button.has(*mouse):
                self._tip(pen, button)
        return buttons

    def _fit(self, pen: Pen, gid: int, x: float, y: float, side: float, faint: bool) -> None:
        """Draw a picture as large as it fits into a square."""
        width, height = self.pictures.sizes[gid].tolist()
        scale = min(side / width, side / height, 1.5)
        pen.picture(gid, x, y, width * scale, height * scale, 90 if faint else 255)

    def _tip(self, pen: Pen, button: Button) -> None:
        """Say what a button is for, above it."""
        game = self.session.game
        word, _, name = button.name.partition(" ")
        lacks: dict[str, int] = {}
        if word == "train":
            price = due(game.settings.villager_price)
            title, about = "Villager", "fetches wood, stone or gold"
            reason = game.can_train()
        else:
            kind = game.settings.kinds[name]
            price, title = game.settings.price(kind), name.replace("_", " ").capitalize()
            about, reason = describe(kind), game.construction.cannot_pay(price)
            lacks = game.construction.lacks(price)
        self._short = self._short | set(lacks)
        cost = ", ".join(f"{amount} {what}" for what, amount in price.items())
        y = LOW + SIDE + 42
        width = pen.text("tip about", about, LOW + 12, y + 28, QUIET, 12)
        width = max(width, pen.text("tip title", f"{title}: {cost}", LOW + 12, y + 50, TEXT, 14))
        width = max(
            width,
            pen.text("tip reason", reason or "click, then choose a place" if word == "kind" else
                     reason or "comes out of the town hall", LOW + 12, y + 8,
                     BAD if reason else GOOD, 12),
        )  # fmt: skip
        help_y = y - 12 if lacks else y + 8
        if lacks:
            width = max(width, pen.text("tip cure", cure(lacks), LOW + 12, help_y, GOLD, 12))
        pen.panel(LOW - 6, help_y - 12, width + 36, y + 74 - help_y + 12)

    # -- what is chosen --

    def _chosen(self, pen: Pen, mouse: tuple[float, float]) -> list[Button]:
        session = self.session
        chosen = session.selected
        if not chosen:
            return []
        x, y = 2 * LOW + (SIDE + GAP) * (len(session.game.settings.kinds) + 1), LOW - 6
        towers = [one for one in chosen if isinstance(one, Tower)]
        villagers = [one for one in chosen if isinstance(one, Villager)]
        pen.panel(x, y, 404, 106)
        buttons = []
        if towers:
            first = towers[0].type
            names = Counter(one.type.name for one in towers)
            title = ", ".join(name + f" x {count}" * (count > 1) for name, count in names.items())
            about = describe(first, towers[0].range)
            policy = towers[0].policy.replace("_", " ")
            buttons.append(Button("policy", (x + 14, y + 12, 214, 32), f"Shoots {policy} (P)"))
        elif villagers:
            trades = Counter(one.trade for one in villagers)
            title = f"{len(villagers)} villager{'s' * (len(villagers) != 1)}"
            about = "fetch " + ", ".join(f"{what}: {trades[what]}" for what in RESOURCES)
            for number, (what, key) in enumerate(TRADE_KEYS.items()):
                box = (x + 14 + 127 * number, y + 12, 121, 32)
                lit = trades[what] == len(villagers)
                buttons.append(
                    Button(f"trade {what}", box, f"{what.capitalize()} ({key})", lit=lit)
                )
        else:
            title = chosen[0].type.name.replace("_", " ")
            about = describe(chosen[0].type)
        pen.text("chosen", title.capitalize(), x + 14, y + 80, TEXT, 15, bold=True)
        pen.text("about", about, x + 14, y + 58, QUIET, 12)
        if any(isinstance(one, Tower | Building) for one in chosen):
            buttons.append(Button("sell", (x + 240, y + 12, 150, 32), "Sell (Del)"))
        for button in buttons:
            button.draw(pen, mouse)
        return buttons


def describe(kind: TowerType | HouseType, reach: float | None = None) -> str:
    """Return what a building does, in a line; a tower may reach farther than others of its kind."""
    if isinstance(kind, HouseType):
        return {
            "shelter": "beds for villagers, and a shelter",
            "drop_off": "villagers bring their loads here",
            "wall": "shuts a way: enemies find another one",
        }[kind.role]
    reach = kind.range if reach is None else reach
    parts = [f"{kind.damage:g} damage every {kind.reload:g} s", f"range {reach:.0f}"]
    if kind.splash:
        parts.append("hurts all around")
    if kind.slow:
        parts.append("slows down")
    return ", ".join(parts)
