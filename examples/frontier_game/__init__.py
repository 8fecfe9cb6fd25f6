"""The game of `examples/frontier.py`, one part per file.

- `settings`: the numbers of the game: who fights, what things cost, how many come.
- `units`: the groups of units, and the same queries by the quadtree and by brute force.
- `land`: what the game reads from the map: road, sites, buildings, water.
- `enemies`, `towers`, `villagers`: one kind of unit each, and its rules.
- `game`: all of it together, tick by tick.
- `play`: a whole game in one call, saved and resumed at any tick. Nothing up to here draws or knows
  a screen.
- `minimap`: the whole map, small.
- `hud`: the statistics at the top of the screen, and the list of keys.
- `scene`: what to draw, as arrays of sprites.
- `window` shows a scene with python-arcade, `picture` draws it with Pillow.
- `program`: the command line.
"""
