"""The steps from a file that was saved again to the map that a game holds.

1. `reload.py`: the file is read into a map of its own, and as it was read last, into another
2. `differences.py`: what differs between the two, as changes of the game's map;
   2a `layer_changes.py`
3. `change_list.py`: all changes are made, or none

What the game has changed itself stays, unless the file changes it, too.
"""
