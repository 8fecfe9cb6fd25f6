"""The steps from a TileMap back to its file, in the order in which `save_map` takes them.

1. `xml_document.py`: the file with its tree, and the changes of its text
2. `references.py`: relative paths, for another folder
3. `changes.py`: what differs from the file, in the map and its layers; 3a `properties.py`,
   3b `settings.py`, 3c `objects.py`, 3d `tilesets.py`, 3e `arrangement.py`
4. `cells.py`: changed cells, line by line or as a stream; 4a `encodings.py`
5. `to_json.py`, `to_xml.py`: a map in the other format; 5a `json_document.py`: what changed of a
   map that was read from JSON, as changes of its text
6. `files.py`: all bytes at once, or none

`elements.py` makes objects and images that the file does not have; `new_map.py` an empty file.

`save.py` is the list of these steps. The file is read again, and where the model differs
from it, its text is changed. A map without a file begins with an empty one, to which all is added.
"""
