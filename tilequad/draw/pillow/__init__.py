"""Draw maps with Pillow: pictures as Tiled exports them, without a window or a GPU.

Example:
    >>> from tilequad import load_map
    >>> from tilequad.draw.pillow import render
    >>> picture = render(load_map("maps/frontier.tmx"), scale=0.125)
    >>> picture.size  # picture.save("frontier.png") writes it to a file
    (1024, 1024)
"""

from typing import TYPE_CHECKING

from tilequad._core.lazy import on_first_use
from tilequad._optional import needs

with needs("Pillow", "drawing to a picture", '"tilequad[pillow]"'):
    import PIL  # noqa: F401

__all__ = [
    "draw_field",
    "draw_fog",
    "draw_influence",
    "render",
]

_MODULES = {
    "draw_field": "tilequad.draw.pillow.overlays",
    "draw_fog": "tilequad.draw.pillow.overlays",
    "draw_influence": "tilequad.draw.pillow.overlays",
    "render": "tilequad.draw.pillow.renderer",
}

if TYPE_CHECKING:
    from tilequad.draw.pillow.overlays import draw_field, draw_fog, draw_influence
    from tilequad.draw.pillow.renderer import render
else:  # hidden from type checkers, which would otherwise accept any name
    __getattr__, __dir__ = on_first_use(__name__, _MODULES)
