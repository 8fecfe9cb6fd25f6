"""The game that the window plays: eleven waves in about ten minutes, built by the player alone."""

from __future__ import annotations

from dataclasses import replace
from math import inf

from .settings import ARCHERS, FIRE, FROST, MORTAR, Settings, Wave

EAST, WEST, BOTH = (0,), (1,), (0, 1)

WAVES = (
    Wave((("goblin", 8),), EAST, pause=45.0, every=1.4),
    Wave((("goblin", 14),), EAST, every=1.0),
    Wave((("skeleton", 10), ("goblin", 6)), WEST, pause=25.0),
    Wave((("goblin", 16), ("skeleton", 10)), BOTH, every=0.8),
    Wave((("orc", 10),), EAST, every=1.2),
    Wave((("goblin", 40),), WEST, every=0.4),
    Wave((("orc", 12), ("skeleton", 20)), BOTH, every=0.7),
    Wave((("ogre", 3), ("goblin", 24)), EAST, every=0.6),
    Wave((("orc", 20), ("skeleton", 30)), BOTH, every=0.55),
    Wave((("ogre", 5), ("orc", 16)), WEST, every=0.8),
    Wave((("ogre", 10), ("orc", 24), ("goblin", 50)), BOTH, pause=30.0, every=0.4),
)

CAMPAIGN = Settings(
    more_towers=(
        replace(ARCHERS, price=(60, 5)),
        replace(FIRE, price=(80, 20, 5)),
        replace(FROST, price=(70, 10, 15)),
        replace(MORTAR, price=(60, 40, 25)),
    ),
    steward=False,
    first_towers=0,
    first_villagers=2,
    first_stock=(220, 40, 10),
    villager_price=(40,),
    beds=3,
    trades=(0.55, 0.25, 0.2),
    first_enemies=0,
    spawn_every=inf,
    waves=WAVES,
    approach=2300.0,
    lives=20,
    duration=inf,
    fog=True,
)

# The game behind `--headless`, and of the panel of figures: it plays itself, and never stops.
SHOWCASE = Settings(trades=(0.7, 0.2, 0.1), fog=True)
