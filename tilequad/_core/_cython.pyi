"""What type checkers see of the stand-in: how C calls a function. A C type is any type to them."""

from typing import Annotated, Any, TypeVar

T = TypeVar("T")
NoGil = Annotated[T, "noexcept nogil"]
Gil = Annotated[T, "noexcept"]
Raises = Annotated[T, "except -1"]
RaisesNoGil = Annotated[T, "except -1 nogil"]
Object = Annotated[T, ""]

def __getattr__(name: str) -> Any: ...
