"""The verbs of a map and its parts that rooms above this one do, each loaded on first use.

This room imports none of them: they read, make and write what is here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tilequad._core.lazy import on_first_use

_MODULES = {
    "add_object": "tilequad.tiled.make.objects",
    "add_tileset": "tilequad.tiled.make.tilesets",
    "edit_object": "tilequad.tiled.make.objects",
    "make_template": "tilequad.tiled.make.objects",
    "make_tmx": "tilequad.tiled.pytmx_bridge.bridge",
    "new_map": "tilequad.tiled.make.new_map",
    "reload_if_changed": "tilequad.tiled.reload.reload",
    "reload_map": "tilequad.tiled.reload.reload",
    "save_map": "tilequad.tiled.write.save",
    "save_template": "tilequad.tiled.write.templates",
    "save_tileset": "tilequad.tiled.write.tilesets",
}

if TYPE_CHECKING:

    def __getattr__(name: str) -> Any: ...
else:
    __getattr__, __dir__ = on_first_use(__name__, _MODULES)
