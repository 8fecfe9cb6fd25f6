"""The steps from a TileMap back to its file, in the order in which `save_map` takes them.

1. `xml_document.py`: the file with its tree, and the changes of its text
2. `references.py`: relative paths, for another folder
3. `changes.py`: what differs from the file, in the map and its layers; 3a `properties.py`,
   3b `objects.py`
4. `cells.py`: changed cells, line by line or as a stream; 4a `encodings.py`
5. `to_json.py`, `to_xml.py`: a map in the other format; 5a `json_document.py`: what changed of a
   map that was read from JSON, as changes of its text
6. `files.py`: all bytes at once, or none

`save.py` is the list of these steps. Nothing is made anew from the model: the file is read again,
and where the model differs from it, its text is changed.
"""
