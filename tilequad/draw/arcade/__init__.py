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

from tilequad._optional import needs

with needs("arcade", "drawing to a window", '"tilequad[arcade]"'):
    from tilequad.draw.arcade.camera import pan, visible_bounds, zoom_at
    from tilequad.draw.arcade.field_overlay import FieldOverlay
    from tilequad.draw.arcade.fog_overlay import FogOverlay
    from tilequad.draw.arcade.followed_sprites import FollowedSprites
    from tilequad.draw.arcade.map_view import MapView
    from tilequad.draw.arcade.minimap import Minimap
    from tilequad.draw.arcade.sprite_batch import SpriteBatch
    from tilequad.draw.arcade.standing import StandingLayers
    from tilequad.draw.arcade.tree_overlay import TreeOverlay

__all__ = [
    "FieldOverlay",
    "FogOverlay",
    "FollowedSprites",
    "MapView",
    "Minimap",
    "SpriteBatch",
    "StandingLayers",
    "TreeOverlay",
    "pan",
    "visible_bounds",
    "zoom_at",
]
