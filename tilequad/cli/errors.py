"""The error of the command line."""

from __future__ import annotations

__all__ = ["RequestError"]


class RequestError(Exception):
    """The request cannot be fulfilled; the message is one line for the user."""
