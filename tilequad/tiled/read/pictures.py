"""Steps 3 and 4: turn an <image> of a tileset, tile or image layer into a Picture."""

from __future__ import annotations

import base64
from pathlib import Path
from xml.etree.ElementTree import Element

from ..colors import parse_color
from ..context import LoadContext
from ..model.pictures import Picture
from .attributes import integer

__all__ = ["read_picture"]


def read_picture(image: Element, base: Path, context: LoadContext) -> Picture | None:
    """Read an <image>: a reference to a file, or base64 data inside it.

    See https://doc.mapeditor.org/en/stable/reference/tmx-map-format/#image.

    Args:
        image: The element.
        base: The folder that the reference is relative to.
        context: Finds the file, and opens it when it is first drawn.

    Returns:
        The picture; None if the element is empty. It is missing, with a warning, if the reference
        is absolute.

    Raises:
        MapError: The reference leads out of the root, or the data is not base64.
    """
    size = integer(image, "width", 0, context), integer(image, "height", 0, context)
    trans = image.get("trans")
    color = trans and parse_color("#" + trans.lstrip("#"))  # Tiled writes it without the #
    transparent = color[:3] if color else None
    declared = size if size[0] > 0 and size[1] > 0 else None
    data = image.find("data")
    if data is not None and data.text:
        try:
            content = base64.b64decode(data.text)
        except ValueError:
            raise context.error("an embedded image is not base64") from None
        return Picture._make(context, None, content, declared, transparent)
    source = image.get("source")
    if not source:
        return None
    path = context.find(source, base)
    if path is None:
        return Picture._make(context, None, None, declared, transparent, absolute=source)
    picture = Picture._make(context, path, None, declared, transparent)
    if picture.missing:
        context.warn("the image is missing", picture.path)
    return picture
