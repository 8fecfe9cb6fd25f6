"""The steps from a .tmx file to a TileMap, in the order in which `load_map` takes them.

1. `documents.py`: a file to an ElementTree; 1a `json_document.py`
2. `grids.py`: <map>, its orientation and sizes
3. `externals.py`: tilesets and templates from other files are put in place; 3a `tilesets.py`,
   3b `collision_shapes.py`, 3c `wang_sets.py`, 3d ids, in `layers.py`
4. `layers.py`: the layers; 4a `cell_data.py`, 4b `objects.py`
5. `tile_map.py`: the map of all that
6. `custom_types.py`: the defaults of a project's classes

All steps use `attributes.py` and `properties.py`.
"""
