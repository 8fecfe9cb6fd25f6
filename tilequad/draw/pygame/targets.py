"""Checks of drawing targets and of camera views, before anything is drawn."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pygame

from tilequad.bounds import Bounds

__all__ = ["seen_by", "size_of", "surface_size"]

_RECTS = pygame.Rect, getattr(pygame, "FRect", pygame.Rect)  # the second in pygame-ce only


def size_of(target: Any) -> tuple[int, int]:
    """Return width and height of a surface or a renderer; raise TypeError for anything else."""
    if isinstance(target, pygame.Surface):
        return target.get_size()
    if target is None:
        raise TypeError(
            "there is nothing to draw on: call pygame.display.set_mode((width, height)) first"
        )
    if hasattr(target, "get_viewport") and hasattr(target, "present"):
        viewport = target.get_viewport()
        return viewport.width, viewport.height
    raise TypeError(f"target must be a pygame.Surface or a Renderer, got {target!r}")


def surface_size(target: Any) -> tuple[int, int]:
    """Return width and height of a surface; raise TypeError if the target is something else."""
    size = size_of(target)
    if not isinstance(target, pygame.Surface):
        raise TypeError(f"target must be a pygame.Surface, got {target!r}")
    return size


def seen_by(bounds: Sequence[float]) -> Bounds:
    """Return what a camera sees as Bounds.

    Raise TypeError if it is a pygame Rect, and ValueError if it is not a box, or it is empty.
    """
    if isinstance(bounds, _RECTS):
        raise TypeError(
            f"bounds must be min_x, min_y, max_x, max_y, got {bounds!r}: "
            "use (*rect.topleft, *rect.bottomright)"
        )
    seen = Bounds.of(bounds)
    if not (seen.width > 0 and seen.height > 0):
        raise ValueError(f"bounds must not be empty, got {tuple(seen)}")
    return seen
