"""Draw maps, units and trees on the GPU with python-arcade.

Needs `pip install "tilequad[arcade]"`, OpenGL 3.3 and an open `arcade.Window`.

Example:
    >>> import arcade
    >>> from tilequad import load_map
    >>> from tilequad.draw.arcade import MapView, visible_bounds
    >>> class Game(arcade.Window):
    ...     def __init__(self, path: str) -> None:
    ...         super().__init__(1280, 720, "My game")
    ...         self.camera = arcade.Camera2D()
    ...         self.map_view = MapView(load_map(path))
    ...
    ...     def on_draw(self) -> None:
    ...         self.clear()
    ...         with self.camera.activate():
    ...             self.map_view.draw(visible_bounds(self.camera))
"""

from typing import TYPE_CHECKING

from tilequad._core.lazy import on_first_use
from tilequad._optional import needs

with needs("arcade", "drawing to a window", '"tilequad[arcade]"'):
    import arcade  # noqa: F401

__all__ = [
    "FieldOverlay",
    "FogOverlay",
    "FollowedSprites",
    "InfluenceOverlay",
    "MapView",
    "Minimap",
    "SpriteBatch",
    "StandingLayers",
    "TreeOverlay",
    "check_for_collision_with_list",
    "check_for_collision_with_lists",
    "get_closest_sprite",
    "move_sprite",
    "pan",
    "visible_bounds",
    "zoom_at",
]

_MODULES = {
    "FieldOverlay": "tilequad.draw.arcade.cell_overlays",
    "FogOverlay": "tilequad.draw.arcade.cell_overlays",
    "FollowedSprites": "tilequad.draw.arcade.followed_sprites",
    "InfluenceOverlay": "tilequad.draw.arcade.cell_overlays",
    "MapView": "tilequad.draw.arcade.map_view",
    "Minimap": "tilequad.draw.arcade.minimap",
    "SpriteBatch": "tilequad.draw.arcade.sprite_batch",
    "StandingLayers": "tilequad.draw.arcade.standing",
    "TreeOverlay": "tilequad.draw.arcade.tree_overlay",
    "check_for_collision_with_list": "tilequad.draw.arcade.collisions",
    "check_for_collision_with_lists": "tilequad.draw.arcade.collisions",
    "get_closest_sprite": "tilequad.draw.arcade.collisions",
    "move_sprite": "tilequad.draw.arcade.collisions",
    "pan": "tilequad.draw.arcade.camera",
    "visible_bounds": "tilequad.draw.arcade.camera",
    "zoom_at": "tilequad.draw.arcade.camera",
}

if TYPE_CHECKING:
    from tilequad.draw.arcade.camera import pan, visible_bounds, zoom_at
    from tilequad.draw.arcade.cell_overlays import FieldOverlay, FogOverlay, InfluenceOverlay
    from tilequad.draw.arcade.collisions import (
        check_for_collision_with_list,
        check_for_collision_with_lists,
        get_closest_sprite,
        move_sprite,
    )
    from tilequad.draw.arcade.followed_sprites import FollowedSprites
    from tilequad.draw.arcade.map_view import MapView
    from tilequad.draw.arcade.minimap import Minimap
    from tilequad.draw.arcade.sprite_batch import SpriteBatch
    from tilequad.draw.arcade.standing import StandingLayers
    from tilequad.draw.arcade.tree_overlay import TreeOverlay
else:  # hidden from type checkers, which would otherwise accept any name
    __getattr__, __dir__ = on_first_use(__name__, _MODULES)
