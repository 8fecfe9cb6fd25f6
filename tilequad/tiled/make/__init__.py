"""Makes maps, and what a program adds to them.

- `new_map.py`: a map without layers
- `tilesets.py`, `objects.py`: parts that a file may have; the model makes layers itself

Everything is read by the reader, from elements such as `write/` writes; so a map that was made is
one that was loaded.
"""
