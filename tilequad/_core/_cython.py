"""A stand-in for the `cython` module when the core runs as plain Python.

The files of the core are ordinary Python. They name C types in annotations, which Python never
evaluates, and make the few calls below, which this module defines for plain Python. It is used even
if Cython is installed, because Cython's own stand-in takes ten times as long.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext
from typing import Annotated, Any, TypeVar

from tilequad._core.compiled import warn_of_hidden_copy

F = TypeVar("F", bound=Callable[..., Any])
T = TypeVar("T")

# They wrap the type of a function's result, and say how C calls it. make_pyx.py reads these lines.
NoGil = Annotated[T, "noexcept nogil"]
Gil = Annotated[T, "noexcept"]
Raises = Annotated[T, "except -1"]
RaisesNoGil = Annotated[T, "except -1 nogil"]
Object = Annotated[T, ""]

compiled = False
_number = int  # the builtin, kept before the C type takes its name


class _CType:
    """A C type; `double[16]` names an array type of 16 items."""

    def __init__(self, length: _number = 0) -> None:
        self.length = length

    def __getitem__(self, length: _number) -> _CType:
        return _CType(length)


Py_ssize_t = _CType()
double = _CType()
float = _CType()
int = _CType()
longlong = _CType()
gil = nogil = nullcontext()  # `with nogil:` changes nothing


def declare(ctype: _CType | type) -> Any:
    """Declare a local C array, here a list of zeros, or a local C struct, here an object."""
    return [0] * ctype.length if isinstance(ctype, _CType) else ctype()


def address(value: Any) -> Any:
    """Return the object itself in place of a pointer."""
    return value


def cast(ctype: _CType, value: Any) -> _number:
    """Convert to a C integer, truncating; what the core casts to a double is a whole number."""
    return _number(value)


def inline(function: F) -> F:
    """A C function that needs no GIL, raises nothing, and that C copies to where it is called."""
    return function


cclass = final = inline  # a C class, of which there are no subclasses


def boundscheck(check: bool) -> Callable[[F], F]:
    """Whether an index outside an array is an IndexError in C too; in Python it always is."""
    return inline


warn_of_hidden_copy()  # where the core is compiled, it does not import this module
