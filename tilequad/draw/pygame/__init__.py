"""Draw maps, sprites and trees with pygame, on surfaces or with SDL2's renderer.

Needs `pip install "tilequad[pygame]"`: pygame-ce, or pygame 2.6. Maps are loaded with
`y_up=False`, because y points down in pygame.

Example:
    >>> import pygame
    >>> from tilequad import load_map
    >>> from tilequad.draw.pygame import Camera, MapView
    >>> def main() -> None:
    ...     screen = pygame.display.set_mode((1280, 720))
    ...     camera = Camera(screen.get_size(), position=(3600, 4100))
    ...     map_view = MapView(load_map("maps/frontier.tmx", y_up=False))
    ...     while not pygame.event.get(pygame.QUIT):
    ...         map_view.draw(screen, camera.visible_bounds)
    ...         pygame.display.flip()
"""

from typing import TYPE_CHECKING

from tilequad._core.lazy import on_first_use
from tilequad._optional import needs

with needs("pygame-ce", "drawing with pygame", '"tilequad[pygame]"'):
    import pygame  # noqa: F401

__all__ = [
    "Camera",
    "FieldOverlay",
    "FogOverlay",
    "FollowedSprites",
    "InfluenceOverlay",
    "MapView",
    "Minimap",
    "TreeOverlay",
    "groupcollide",
    "move_sprite",
    "spritecollide",
    "spritecollideany",
]

_MODULES = {
    "Camera": "tilequad.draw.pygame.camera",
    "FieldOverlay": "tilequad.draw.pygame.cell_overlays",
    "FogOverlay": "tilequad.draw.pygame.cell_overlays",
    "FollowedSprites": "tilequad.draw.pygame.followed_sprites",
    "InfluenceOverlay": "tilequad.draw.pygame.cell_overlays",
    "MapView": "tilequad.draw.pygame.map_view",
    "Minimap": "tilequad.draw.pygame.minimap",
    "TreeOverlay": "tilequad.draw.pygame.tree_overlay",
    "groupcollide": "tilequad.draw.pygame.collisions",
    "move_sprite": "tilequad.draw.pygame.collisions",
    "spritecollide": "tilequad.draw.pygame.collisions",
    "spritecollideany": "tilequad.draw.pygame.collisions",
}

if TYPE_CHECKING:
    from tilequad.draw.pygame.camera import Camera
    from tilequad.draw.pygame.cell_overlays import FieldOverlay, FogOverlay, InfluenceOverlay
    from tilequad.draw.pygame.collisions import (
        groupcollide,
        move_sprite,
        spritecollide,
        spritecollideany,
    )
    from tilequad.draw.pygame.followed_sprites import FollowedSprites
    from tilequad.draw.pygame.map_view import MapView
    from tilequad.draw.pygame.minimap import Minimap
    from tilequad.draw.pygame.tree_overlay import TreeOverlay
else:  # hidden from type checkers, which would otherwise accept any name
    __getattr__, __dir__ = on_first_use(__name__, _MODULES)
