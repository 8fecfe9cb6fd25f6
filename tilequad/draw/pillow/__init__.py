"""Draw maps with Pillow: pictures as Tiled exports them, without a window or a GPU.

Example:
    >>> from tilequad import load_map
    >>> from tilequad.draw.pillow import render
    >>> picture = render(load_map("maps/frontier.tmx"), scale=0.125)
    >>> picture.size  # picture.save("frontier.png") writes it to a file
    (1024, 1024)
"""

from tilequad._optional import needs

with needs("Pillow", "drawing to a picture", '"tilequad[pillow]"'):
    from tilequad.draw.pillow.field_overlay import draw_field
    from tilequad.draw.pillow.fog_overlay import draw_fog
    from tilequad.draw.pillow.renderer import render
    from tilequad.draw.pillow.tile_pictures import TilePictures

__all__ = ["TilePictures", "draw_field", "draw_fog", "render"]
