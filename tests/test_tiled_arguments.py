"""Wrong arguments of maps, layers and selections: an error names them, in a line of 350 letters."""

import inspect
from pathlib import Path

import numpy as np
import pytest

from tilequad import load_map
from tilequad.tiled import ObjectLayer

MAP = load_map(Path(__file__).parent.parent / "maps" / "frontier.tmx")
TREES = MAP.layer("trees")
HOSTS = {
    "map": MAP,
    "layer": TREES,
    "selection": TREES.select({"resource": "wood"}),
    "brush": MAP.wang_set("water"),
    "objects": next(layer for layer in MAP.layers if isinstance(layer, ObjectLayer)),
}
RIGHT = {
    "bounds": (0, 0, 50, 50), "x": 100, "y": 100, "radius": 50.0, "column": 3, "row": 3, "gid": 1,
    "ids": [0], "cells": [(1, 1)], "gids": [1], "x0": 0, "y0": 0, "x1": 5, "y1": 5,
    "colors": [[0]], "color": 1, "name": "trees", "layer": TREES,
    "columns": 4, "rows": 4, "tile_size": (8, 8), "shape": "rectangle", "source": "no.png",
    "image": "no.png", "group": MAP.add_group("group"), "item": HOSTS["objects"].objects[0],
}  # fmt: skip
WRONG = ("x" * 9000, object(), [1, "a"], {"a": 1}, 1j)
FREE = {"class_name": str, "properties": dict, "text": str, "name": str}  # any of these is right
# told as they are
KEYS = {
    *(("layer", "name"), ("object", "object_id"), ("objects", "name")),
    *(("wang_set", "name"), ("wang_set", "tileset"), ("color", "name")),
    *(("new", "types"), ("add_tileset", "source"), ("template", "source")),
}
ALSO_NEEDED = {"add_object": ["shape"]}  # unless there is a template


def questions():
    """Every verb, and each argument of it that can be wrong."""
    for host, one in HOSTS.items():
        for verb in dir(type(one)):
            if verb.startswith("_") or verb == "save" or not callable(getattr(one, verb)):
                continue
            parameters = inspect.signature(getattr(one, verb)).parameters.values()
            needed = [each.name for each in parameters if each.default is each.empty]
            needed += ALSO_NEEDED.get(verb, [])
            for each in parameters:
                if each.kind is not each.VAR_KEYWORD and (verb, each.name) not in KEYS:
                    yield host, verb, each.name, needed


def asked(verb, arguments):
    """Call a verb, and take all that it yields."""
    found = verb(**arguments)
    return list(found) if inspect.isgenerator(found) else found


@pytest.mark.parametrize(("host", "verb", "name", "needed"), list(questions()))
def test_an_error_names_the_argument_and_ends(host, verb, name, needed):
    right = {one: RIGHT[one] for one in needed if one in RIGHT and one != name}
    for wrong in WRONG:
        if isinstance(wrong, FREE.get(name, ())):
            continue  # that fits nothing is no error
        with pytest.raises((TypeError, ValueError, KeyError, IndexError), match=name) as raised:
            asked(getattr(HOSTS[host], verb), {**right, name: wrong})
        assert len(str(raised.value)) <= 350


def test_cells_are_whole_numbers():
    for verb in (TREES.gid_of, TREES.id_of, TREES.clear_tile):
        for wrong in (3.5, "3", None):
            with pytest.raises(TypeError, match="column and row must be whole numbers"):
                verb(wrong, 3)
    assert TREES.gid_of(np.int64(3), np.int32(3)) == TREES.gid_of(3, 3)
