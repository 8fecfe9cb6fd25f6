# What type checkers see of hits.py: hits know the type of the units.

from typing import Any, Generic, NamedTuple

from typing_extensions import TypeVar

_Item = TypeVar("_Item", default=Any)

class Hit(NamedTuple, Generic[_Item]):
    item: _Item
    fraction: float
    x: float
    y: float
    nx: float
    ny: float
    depth: float
