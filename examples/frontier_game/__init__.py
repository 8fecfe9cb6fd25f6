"""The game of `examples/frontier.py`, a file for each part.

- `units`: everything that stands or walks, in one quadtree; and the same answers by brute force.
- `land`: what the game reads from the map: the road, the sites, the buildings, where water is.
- `enemies`, `towers`, `villagers`: who marches, who shoots, who works.
- `game`: all of it together, one tick after another. Nothing up to here draws or knows a screen.
- `minimap`: the whole land, small.
- `scene`: what is to be seen, as arrays of pictures and places.
- `window` shows a scene with python-arcade, `picture` draws it with Pillow.
"""
