"""What is called while a test runs."""

from __future__ import annotations

from typing import Any

import pytest

__all__ = ["noted"]


def noted(patch: pytest.MonkeyPatch, owner: Any, name: str) -> list[Any]:
    """Let a function of a module, or a method of a class, note what it is called with.

    Returns:
        The first argument of each call from now on; of a method, the one after `self`.
    """
    found: list[Any] = []
    function = getattr(owner, name)

    def call(*arguments: Any, **options: Any) -> Any:
        found.append(arguments[isinstance(owner, type)])
        return function(*arguments, **options)

    patch.setattr(owner, name, call)
    return found
