"""What the files of tilesets and templates have in common: both formats, changed in place."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any
from xml.etree.ElementTree import Element

from tilequad._core.shown import shown

from ..context import LoadContext
from ..read.documents import is_json, parse_xml
from ..read.json_document import parse_json
from .json_document import with_changes
from .to_xml import map_to_xml
from .values import as_json

__all__ = ["in_format", "target_of"]

Convert = Callable[[Element, LoadContext], dict[str, Any]]


def target_of(path: str | os.PathLike[str], formats: Mapping[str, str]) -> tuple[Path, str]:
    """Return the path of a file to write, and its format by its suffix."""
    try:
        target = Path(path)
    except TypeError:
        raise TypeError(f"path must be a str or a Path, got {shown(path)}") from None
    wanted = formats.get(target.suffix.lower())
    if wanted is None:
        *names, last = (suffix for suffix in formats if suffix != ".xml")
        raise ValueError(f"path must end in {', '.join(names)} or {last}, got {shown(str(target))}")
    return target, wanted


def in_format(
    data: bytes,
    wanted: str,
    change: Callable[[bytes], bytes],
    convert: Convert,
    context: LoadContext,
) -> bytes:
    """Return a changed file in a format. It is changed as XML.

    Args:
        data: The file as it is.
        wanted: "XML" or "JSON".
        change: Changes the file as XML.
        convert: Returns the members that XML has in JSON.
        context: The file, for errors.
    """
    from_json = is_json(data, context.path)
    before = map_to_xml(parse_json(data, context.path, _anew(context))) if from_json else data
    after = change(before)
    if wanted == "XML":
        return after

    def content(text: bytes) -> dict[str, Any]:
        own = _anew(context)
        return convert(parse_xml(text, context.path, own), own)

    if from_json:
        return with_changes(data, content(before), content(after), _anew(context))
    return (as_json(content(after), "") + "\n").encode()


def _anew(context: LoadContext) -> LoadContext:
    """Return a context for a file that is read once more."""
    return LoadContext(context.path, context.root, context.limits)
