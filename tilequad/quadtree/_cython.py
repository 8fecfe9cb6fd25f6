"""A stand-in for the `cython` module where Cython is not installed.

The `*_cy.py` files of this package are ordinary Python. They name C types in annotations, which
Python never evaluates, and use the few calls below, which here do what plain Python needs.
"""

from __future__ import annotations

from contextlib import nullcontext

__all__ = ["compiled", "declare", "double", "gil", "int", "nogil"]

compiled = False
gil = nogil = nullcontext()


class _CType:
    """A C type; `double[16]` names an array type of 16 items."""

    def __init__(self, length: int | None = None) -> None:
        self.length = length

    def __getitem__(self, length: int) -> _CType:
        return _CType(length)


_number = int  # the builtin, kept before the C type takes its name
double = _CType()
int = _CType()


def declare(ctype: _CType) -> list[_number]:
    """A local C array, as a list of zeros."""
    return [0] * (ctype.length or 0)
