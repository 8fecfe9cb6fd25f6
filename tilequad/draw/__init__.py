"""Draw a map: `arcade` and `pygame` into a window, `pillow` into a picture.

Each package knows one library, and has the same names where its host allows it. In pygame, drawing
methods first take the target and the bounds that a camera sees; in arcade they draw with the
camera in use. What they share lies beside them:

- `map_views`: what a `MapView` is in every host.
- `tile_pictures`: the tiles of a map as Pillow images, each cut out once; flips, tints and fades.
- `transforms`, `blending`: rotations as matrices, and blend modes.
- `cells`: the cells around a point and their weights, for soft edges.
- `overlays`: what overlays of fogs, fields and influence take, follow and show, and the nodes of a
  tree that a query visits.
- `minimaps`: what a small picture of the map shows, and how dark a fog makes it.
- `followed`: sprites as units of a tree.
- `arguments`: checks of arguments, and which objects are drawn.
"""

__all__: list[str] = []


def __dir__() -> list[str]:
    """List the public names: the packages are imported by their own names."""
    return list(__all__)
