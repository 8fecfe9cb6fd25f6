"""The game that the window plays: ten waves in about ten minutes, built by the player alone."""

from __future__ import annotations

from dataclasses import replace
from math import inf

from .settings import ARCHERS, FIRE, FROST, MORTAR, Settings, Wave

EAST, WEST, BOTH = (0,), (1,), (0, 1)

WAVES = (
    Wave((("goblin", 8),), EAST, pause=45.0, every=1.4),
    Wave((("goblin", 18),), EAST, every=0.8),
    Wave((("skeleton", 14), ("goblin", 10)), WEST, pause=25.0, every=0.8),
    Wave((("goblin", 26), ("skeleton", 16)), BOTH, every=0.6),
    Wave((("orc", 22), ("goblin", 12)), EAST, every=0.7),
    Wave((("goblin", 70),), WEST, every=0.25),
    Wave((("orc", 30), ("skeleton", 40)), BOTH, every=0.4),
    Wave((("ogre", 8), ("goblin", 50)), EAST, every=0.4),
    Wave((("orc", 50), ("skeleton", 60)), BOTH, every=0.3),
    Wave((("ogre", 20), ("orc", 50), ("goblin", 120)), BOTH, pause=25.0, every=0.2),
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
