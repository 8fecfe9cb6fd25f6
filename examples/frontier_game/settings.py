"""The numbers of the game: who fights, what things cost, how many come."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf
from typing import Literal, TypeAlias

TICK = 1 / 60  # seconds
RESOURCES = ("wood", "stone", "gold")
Price: TypeAlias = tuple[int, ...]  # of wood, stone and gold; what is left out costs nothing
Policy: TypeAlias = Literal[
    "first", "last", "closest", "farthest", "strongest", "weakest", "most_clustered"
]
POLICIES: tuple[Policy, ...] = (
    "first", "last", "closest", "farthest", "strongest", "weakest", "most_clustered",
)  # fmt: skip


@dataclass(frozen=True)
class TowerType:
    """One type of tower: range in pixels, damage in points, seconds between two shots."""

    name: str
    picture: str
    shot: str
    range: float
    damage: float
    reload: float
    speed: float
    """Of its shots, in pixels a second."""
    splash: float = 0.0
    """Radius around the hit in which all enemies are hurt, in pixels."""
    policy: Policy = "first"
    """Whom it shoots at, until the player says otherwise."""
    min_distance: float = 0.0
    """It hits nobody nearer than that, in pixels."""
    slow: float = 0.0
    """For how many seconds those hit walk at half their speed."""
    lobbed: bool = False
    """Whether its shots fly over everybody, up to their aim."""
    muzzle: float = 50.0
    """Height above the middle of its ground at which shots start, in pixels."""
    price: Price | None = None
    """None means `Settings.tower_price`."""
    size: tuple[int, int] = (1, 1)
    """Cells from left to right and from front to back."""


@dataclass(frozen=True)
class HouseType:
    """A building that does not shoot."""

    name: str
    picture: str
    price: Price
    size: tuple[int, int]
    """Cells from left to right and from front to back."""
    role: Literal["shelter", "drop_off", "wall"]


@dataclass(frozen=True)
class EnemyType:
    """One type of enemy: health in points, speed in pixels a second, radius in pixels."""

    name: str
    health: float
    speed: float
    radius: float
    frequency: int


@dataclass(frozen=True)
class Wave:
    """Enemies that come together."""

    enemies: tuple[tuple[str, int], ...]
    """Names of types, and how many of each."""
    roads: tuple[int, ...] = (0,)
    """The numbers of the roads that they take in turn: 0 leads in from the east, 1 from west."""
    pause: float = 15.0
    """Seconds before it comes, counted from the end of the wave before."""
    every: float = 0.9
    """Seconds between two enemies."""


ARCHERS = TowerType("archers", "tower", "arrow", range=230, damage=9, reload=0.8, speed=460)
FIRE = TowerType(
    "fire", "fire_tower", "bolt", range=190, damage=12, reload=1.6, speed=300, splash=42
)
FROST = TowerType(
    *("frost", "frost_tower", "frost"), range=200, damage=5, reload=1.1, speed=360,
    policy="strongest", slow=2.5,
)  # fmt: skip
MORTAR = TowerType(
    *("mortar", "mortar", "ball"), range=420, damage=30, reload=3.2, speed=230, splash=58,
    policy="most_clustered", min_distance=130, lobbed=True, muzzle=26,
)  # fmt: skip

HOUSE = HouseType("house", "house_thatch", (60, 10), (3, 2), "shelter")
LUMBER_CAMP = HouseType("lumber_camp", "lumber_camp", (50,), (3, 2), "drop_off")
WALL = HouseType("wall", "palisade", (8,), (1, 1), "wall")

ENEMY_TYPES = (
    EnemyType("goblin", 32, 52, 7, frequency=10),
    EnemyType("skeleton", 46, 44, 7, frequency=7),
    EnemyType("orc", 80, 38, 9, frequency=5),
    EnemyType("ogre", 260, 28, 13, frequency=1),
)


@dataclass(frozen=True)
class Settings:
    """All numbers that a designer of the game may want to change. Times are in seconds.

    Raises:
        ValueError: A type is missing or named twice, a wave names an unknown one, or enemies come
            faster than the ticks.
    """

    towers: tuple[TowerType, ...] = (ARCHERS, ARCHERS, FIRE)
    """The types of towers that the steward builds in turn."""
    more_towers: tuple[TowerType, ...] = (ARCHERS, FIRE, FROST, MORTAR)
    """The types that a player may build, besides these."""
    houses: tuple[HouseType, ...] = (HOUSE, LUMBER_CAMP, WALL)
    """The other buildings that a player may build."""
    steward: bool = True
    """Whether towers and villagers are bought as soon as the stock covers them. Towers go to the
    sites that the map marks."""
    first_towers: int = 10
    """How many stand at the start, at most as many as the map has sites."""
    first_villagers: int = 7
    """How many villagers each drop-off has at the start."""
    first_stock: Price = ()
    """What the village has at the start."""
    tower_price: Price = (120, 6)
    villager_price: Price = (100, 0)
    high_ground: float = 1.0
    """How many times as far a tower on ringed stones reaches."""
    beds: int = 16
    """How many villagers a shelter has room for."""
    wood_reserve: int = 300
    """Wood that the steward saves for towers before a villager is bought."""
    refund: float = 0.5
    """The share of its price that a building brings when it is sold."""
    load: tuple[int, int, int] = (5, 3, 3)
    """How much wood, stone or gold a villager brings at once."""
    trades: tuple[float, float, float] = (0.8, 0.2, 0.0)
    """The shares of the villagers who fetch wood, stone and gold."""
    chop: int = 20
    """Wood that one load takes from a tree."""
    regrowth: float = 100.0
    """Until a stump is a tree again."""
    walk: float = 46.0
    """Of villagers, in pixels a second."""
    run: float = 84.0
    """Of villagers who flee."""
    enemies: tuple[EnemyType, ...] = ENEMY_TYPES
    first_enemies: int = 300
    spawn_every: float = 0.5
    """Between two new enemies on the first road; inf for none."""
    waves: tuple[Wave, ...] = ()
    """Those that come besides, one after the other."""
    approach: float = inf
    """How far from the village new enemies appear, in pixels along the road; inf for its start."""
    lives: int = 100
    """The village is lost when this many enemies have broken through."""
    duration: float = 60.0
    """The village has won when it holds out this long; inf if only the end of the waves counts."""
    fog: bool = False
    """Whether the village sees only what its people and towers see."""

    def __post_init__(self) -> None:
        """Refuse what no game can be played with."""
        for name in ("towers", "enemies"):
            if not getattr(self, name):
                raise ValueError(f"{name} must have at least one type")
        if not self.spawn_every >= TICK:
            raise ValueError(f"spawn_every must be at least {TICK:.4f}, got {self.spawn_every!r}")
        if not (self.waves or self.duration < inf):
            raise ValueError(f"duration must be finite where no waves end the game, got {inf}")
        known = {one.name for one in self.enemies}
        for number, wave in enumerate(self.waves):
            unknown = {name for name, _ in wave.enemies} - known
            if unknown or not wave.enemies or not wave.roads:
                raise ValueError(
                    f"waves must name roads and types of enemies, got {wave!r} at {number}"
                )
            if not (wave.every >= TICK and wave.pause >= 0):
                raise ValueError(f"waves must have times that can be played, got {wave!r}")

    def price(self, kind: TowerType | HouseType) -> dict[str, int]:
        """Return what a building costs, by resource."""
        return due(self.tower_price if kind.price is None else kind.price)

    @property
    def kinds(self) -> dict[str, TowerType | HouseType]:
        """All that can be built, by name."""
        kinds: list[TowerType | HouseType] = [*self.towers, *self.more_towers, *self.houses]
        return {one.name: one for one in kinds}


def due(price: Price) -> dict[str, int]:
    """Return a price by resource, without what costs nothing."""
    return {name: amount for name, amount in zip(RESOURCES, price, strict=False) if amount}
