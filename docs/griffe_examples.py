"""Shows what stands under `Example:` in a docstring as code, as it does under `Examples:`."""

from __future__ import annotations

import re
from typing import Any

import griffe

HEADING = re.compile(r"^(\s*)Example:$", re.MULTILINE)


class Examples(griffe.Extension):
    """Renames the section before it is read."""

    def on_object(self, *, obj: griffe.Object, **_: Any) -> None:
        """Rename it in one docstring."""
        if obj.docstring:
            obj.docstring.value = HEADING.sub(r"\1Examples:", obj.docstring.value)
