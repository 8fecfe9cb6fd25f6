"""The game that the window plays: ten waves in about ten minutes, built by the player alone."""

from __future__ import annotations

from dataclasses import replace
from math import inf

from .settings import ARCHERS, FIRE, FROST, MORTAR, Settings, Wave

EAST, WEST, BOTH = (0,), (1,), (0, 1)

WAVES = (
    Wave((("goblin", 6),), EAST, pause=45.0, every=1.6),
    Wave((("goblin", 9),), WEST, pause=25.0, every=1.4),
    Wave((("goblin", 12), ("skeleton", 6)), EAST, pause=20.0, every=0.9),
    Wave((("goblin", 12), ("skeleton", 8)), BOTH, pause=20.0, every=0.9),
    Wave((("orc", 14), ("goblin", 10)), WEST, pause=20.0, every=0.8),
    Wave((("goblin", 80),), EAST, every=0.25),
    Wave((("orc", 56), ("skeleton", 80)), BOTH, every=0.35),
    Wave((("ogre", 21), ("goblin", 94)), EAST, every=0.4),
    Wave((("orc", 113), ("skeleton", 148)), BOTH, every=0.25),
    Wave((("ogre", 117), ("orc", 245), ("goblin", 488)), BOTH, pause=25.0, every=0.115),
)

CAMPAIGN = Settings(
    more_towers=(
        replace(ARCHERS, price=(60, 10)),
        replace(FIRE, price=(80, 30, 10)),
        replace(FROST, price=(70, 15, 25)),
        replace(MORTAR, price=(60, 60, 40)),
    ),
    steward=False,
    first_towers=0,
    first_villagers=2,
    first_stock=(220, 40, 10),
    villager_price=(40,),
    high_ground=1.2,
    beds=3,
    trades=(0.5, 0.25, 0.25),
    first_enemies=0,
    spawn_every=inf,
    waves=WAVES,
    approach=1700.0,
    lives=20,
    duration=inf,
    fog=True,
)
