"""Draw maps with Pillow: pictures as Tiled exports them, without a window or a GPU.

Example:
    >>> from tilequad import load_map
    >>> from tilequad.draw.pillow import render
    >>> picture = render(load_map("maps/frontier.tmx"), scale=0.125)
    >>> picture.size  # picture.save("frontier.png") writes it to a file
    (1024, 1024)
"""

from importlib import import_module
from typing import TYPE_CHECKING

from tilequad._optional import needs

with needs("Pillow", "drawing to a picture", '"tilequad[pillow]"'):
    import PIL  # noqa: F401

__all__ = [
    "draw_field",
    "draw_fog",
    "render",
]

_MODULES = {
    "draw_field": "tilequad.draw.pillow.field_overlay",
    "draw_fog": "tilequad.draw.pillow.fog_overlay",
    "render": "tilequad.draw.pillow.renderer",
}

if TYPE_CHECKING:
    from tilequad.draw.pillow.field_overlay import draw_field
    from tilequad.draw.pillow.fog_overlay import draw_fog
    from tilequad.draw.pillow.renderer import render
else:  # hidden from type checkers, which would otherwise accept any name

    def __getattr__(name: str) -> object:
        """Import a public name when it is first used (PEP 562)."""
        if name not in _MODULES:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        value = globals()[name] = getattr(import_module(_MODULES[name]), name)
        return value


def __dir__() -> list[str]:
    """List the public names, loaded or not."""
    return list(__all__)
