"""Draw maps with Pillow: pictures as Tiled exports them, without a window or a GPU.

Example:
    >>> from tilequad import load_map
    >>> from tilequad.draw.pillow import render
    >>> render(load_map("maps/frontier.tmx"), scale=0.25).save("frontier.png")  # doctest: +SKIP
"""

from tilequad._optional import needs

with needs("Pillow", "drawing to a picture"):
    from tilequad.draw.pillow.renderer import render
    from tilequad.draw.pillow.tile_pictures import TilePictures

__all__ = ["TilePictures", "render"]
