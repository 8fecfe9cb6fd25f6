"""Numbers, colors, paths and JSON as Tiled writes them."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from typing import Any, NamedTuple

from ..context import LoadContext
from ..model.properties import Color

__all__ = [
    "Cells",
    "as_json",
    "checked",
    "color_text",
    "exact_text",
    "json_file",
    "number_text",
    "relative",
]


class Cells(NamedTuple):
    """Cells as csv; JSON has a list of them."""

    text: str  #: or what stands for it
    length: int  #: how many there must be; the text may lack the last ones


def number_text(value: float) -> str:
    """Return a number without needless digits; 15 digits keep out the errors of rounding."""
    return f"{value:.15g}"


def exact_text(value: float) -> str:
    """Return a number as it is read again, to the last bit."""
    return repr(value).removesuffix(".0")


def checked(check: Callable[[Any, str], Any], value: Any, name: str, context: LoadContext) -> Any:
    """Return a value to save as `check` returns it; a wrong one is a MapError."""
    try:
        return check(value, name)
    except (TypeError, ValueError) as problem:
        raise context.error(str(problem)) from None


def color_text(color: Color | None) -> str:
    """Return a color as #rrggbb, or as #aarrggbb if it is not opaque; "" for None."""
    if color is None:
        return ""
    red, green, blue, alpha = color
    solid = f"{red:02x}{green:02x}{blue:02x}"
    return f"#{solid}" if alpha == 255 else f"#{alpha:02x}{solid}"


def relative(path: str | os.PathLike[str], folder: str) -> str:
    """Return how a file in a folder refers to a path."""
    return os.path.relpath(path, folder).replace(os.sep, "/")


def json_file(content: dict[str, Any]) -> bytes:
    """Return the bytes of a whole file of JSON."""
    return (as_json(content, "") + "\n").encode()


def as_json(value: Any, indent: str | None = None) -> str:
    """Return a value, with `Cells` in it, as JSON; in one line without an indent."""
    if isinstance(value, Cells) and value.text.startswith("\0"):  # as `CellTexts` marks it
        return f'["{value.text}"]'
    if isinstance(value, str) and value.startswith("\0"):
        return f'"{value}"'
    if isinstance(value, Cells):
        words = value.text.strip().rstrip(",").split(",")
        numbers = [word.strip().lstrip("0") or "0" for word in words]
        numbers += ["0"] * (value.length - len(numbers))
        return f"[{', '.join(numbers)}]"
    if not isinstance(value, dict | list) or not value:
        return json.dumps(value, ensure_ascii=False)
    inner = None if indent is None else f"{indent} "
    colon = ":" if indent is None else ": "
    if isinstance(value, dict):
        pieces = [
            f"{json.dumps(name, ensure_ascii=False)}{colon}{as_json(one, inner)}"
            for name, one in value.items()
        ]
    else:
        pieces = [as_json(one, inner) for one in value]
    opening, closing = "{}" if isinstance(value, dict) else "[]"
    if indent is None or (isinstance(value, list) and not isinstance(value[0], dict | list)):
        return f"{opening}{', '.join(pieces)}{closing}"
    lines = f",\n{inner}".join(pieces)
    return f"{opening}\n{inner}{lines}\n{indent}{closing}"
