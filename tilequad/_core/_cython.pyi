"""What type checkers see of `_cython.py`: `NoGil` and its kin by name, and every C type as Any."""

from typing import Annotated, Any, TypeVar

T = TypeVar("T")
NoGil = Annotated[T, "noexcept nogil"]
Gil = Annotated[T, "noexcept"]
Raises = Annotated[T, "except -1"]
RaisesNoGil = Annotated[T, "except -1 nogil"]
Object = Annotated[T, ""]

def __getattr__(name: str) -> Any: ...
