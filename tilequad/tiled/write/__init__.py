"""The steps from a TileMap back to its file, in the order in which `save_map` takes them.

1. `map_document.py`: the file without the texts of its cells; `json_map.py` does so for a map that
   was read from JSON
2. `xml_document.py`: the file with its tree, the changes of its text, and what stands for cells
3. `cells.py`: changed cells; 3a `encodings.py`: as text
4. `changes.py`: what differs from the file, in the map and its layers; 4a `properties.py`,
   4b `objects.py`, 4c `tilesets.py`, 4d `arrangement.py`
5. `to_json.py`, `to_xml.py`: a map in the other format; 5a `json_document.py`: what changed of a
   map that was read from JSON, as changes of its text
6. `files.py`: all bytes at once, or none; relative paths, for another folder

`elements.py` makes objects and images that the file does not have. `templates.py` and
`tilesets.py` write also files that a map refers to.

`save.py` is the list of these steps. The file is read again, and where the model differs
from it, its text is changed. A map without a file begins with an empty one, to which all is added.

`document` is the file with its changes so far, `folder` the absolute path of the folder that it
will be in, `context` the limits and what an error names; `was` is a part as the file has it, and
`now` as it is to be written. What cannot be saved is a MapError.
"""
