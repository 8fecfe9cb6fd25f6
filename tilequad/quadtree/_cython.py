"""A stand-in for the `cython` module where the files run as plain Python, Cython installed or not.

The `*_cy.py` files of this package are ordinary Python. They name C types in annotations, which
Python never evaluates, and use the few calls below, which here do what plain Python needs.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext
from typing import Any, TypeVar

__all__ = [
    "Py_ssize_t",
    "cast",
    "cfunc",
    "compiled",
    "declare",
    "double",
    "exceptval",
    "float",
    "gil",
    "inline",
    "int",
    "nogil",
]

F = TypeVar("F", bound=Callable[..., Any])

compiled = False
_number = int  # the builtin, kept before the C type takes its name


class _CType:
    """A C type; `double[16]` names an array type of 16 items."""

    def __init__(self, length: _number = 0) -> None:
        self.length = length

    def __getitem__(self, length: _number) -> _CType:
        return _CType(length)


class _NoGil(nullcontext[None]):
    """`with nogil:` and `@nogil` change nothing."""

    def __call__(self, function: F) -> F:
        return function


Py_ssize_t = _CType()
double = _CType()
float = _CType()
int = _CType()
gil = nogil = _NoGil()


def declare(ctype: _CType) -> list[_number]:
    """A local C array, as a list of zeros."""
    return [0] * ctype.length


def cast(ctype: _CType, value: Any) -> _number:
    """A C integer, cut off towards zero; the core casts to nothing else."""
    return _number(value)


def cfunc(function: F) -> F:
    """A C function is a Python function."""
    return function


inline = cfunc


def exceptval(check: bool) -> Callable[[F], F]:
    """How a C function tells of errors; Python needs no telling."""
    return cfunc
