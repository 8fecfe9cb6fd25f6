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
    ...         map_view.draw(screen, camera.view)
    ...         pygame.display.flip()
"""

from tilequad._optional import needs

with needs("pygame-ce", "drawing with pygame", '"tilequad[pygame]"'):
    from tilequad.draw.pygame.camera import Camera
    from tilequad.draw.pygame.fog_overlay import FogOverlay
    from tilequad.draw.pygame.followed_sprites import FollowedSprites
    from tilequad.draw.pygame.map_view import MapView
    from tilequad.draw.pygame.minimap import Minimap
    from tilequad.draw.pygame.tree_overlay import TreeOverlay

__all__ = ["Camera", "FogOverlay", "FollowedSprites", "MapView", "Minimap", "TreeOverlay"]
