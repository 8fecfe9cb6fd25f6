"""Draw a map: `arcade` and `pygame` into a window, `pillow` into a picture.

Each package knows one library, and has the same names where its host allows it. In pygame, drawing
methods first take the target and the bounds that a camera sees; in arcade they draw with the
camera in use.
"""

__all__: list[str] = []


def __dir__() -> list[str]:
    """List the public names: the packages are imported by their own names."""
    return list(__all__)
