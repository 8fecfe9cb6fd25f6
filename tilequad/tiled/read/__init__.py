"""The steps from a .tmx file to a TileMap, in the order in which `load_map` takes them.

1. `documents.py`: a file to an ElementTree; 1a `json_document.py`
2. `externals.py`: tilesets and templates from other files are put in place; 2a `tilesets.py`,
   2b `wang_sets.py`
3. `tile_map.py`: the map, with its grid
4. `layers.py`: the layers, with ids; 4a `cell_data.py`, 4b `objects.py`
5. `custom_types.py`: the defaults of a project's classes

All steps use `attributes.py`, and take a `LoadContext`: it opens files, counts
what the limits cap, and names the layer or tileset in a warning or an error. Whatever is broken is
a MapError.
"""
