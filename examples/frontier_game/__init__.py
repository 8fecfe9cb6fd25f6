"""The game of `examples/frontier.py`, one part per file.

The game itself draws nothing and knows no screen:

- `settings`: the numbers of the game; `campaign`: the numbers of the game in the window.
- `units`: the groups of units, and the same questions by the quadtree and by brute force.
- `land`: what the game reads from the map; `ways`: where one can walk; `fog`: what is seen.
- `enemies`, `towers`, `shots`, `villagers`: one kind of thing each, and its rules.
- `waves`: who comes when; `construction`: what the player builds, and why not.
- `game`: all of it together, tick by tick; `effects`: what a tick leaves behind to be seen.
- `play`: a whole game in one call, saved and resumed at any tick.

What the player does and sees:

- `session`: pace, choices, saving; `stress`: thousands of enemies. Neither draws.
- `sprites`, `scene`: what a view shows, as arrays of sprites; `minimap`: the whole map, small.
- `painter` draws a scene with python-arcade, with `map_camera`; `pen` draws panels.
- `panels`, `dialogs`, `stress_panel`: what the screen shows around the land.
- `window`: keys and mouse. `hud` and `picture` show a game that nobody plays, also with Pillow.
- `program`: the command line.

Each use of a tree, or of what stands on one, has a comment that begins with its name: look for
"Static tree", "Dynamic tree", "Radius query", "Box query", "Nearest query", "Pairs", "Targeting",
"Projectiles", "Goal search", "Claims", "March", "Route", "Field", "Blocker", "Fog".
"""
