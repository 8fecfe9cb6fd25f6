# What type checkers see of dynamic.py: the same signatures, generic in the type of the units.

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from typing import Any, Generic, SupportsIndex

import numpy as np
import numpy.typing as npt
from _typeshed import ReadableBuffer
from typing_extensions import Self, TypeVar

from tilequad._core.tree.inspection import TreeStats
from tilequad._core.tree.units import UnitStore
from tilequad.bounds import Bounds
from tilequad.quadtree.explain import Explanation
from tilequad.quadtree.hits import Hit

_Item = TypeVar("_Item", bound=Hashable, default=Any)

class DynamicQuadtree(Generic[_Item]):
    @property
    def bounds(self) -> Bounds: ...
    @property
    def leaf_size(self) -> int: ...
    @property
    def max_depth(self) -> int: ...
    def __init__(
        self,
        bounds: Sequence[float],
        *,
        leaf_size: SupportsIndex = 48,
        max_depth: SupportsIndex = 40,
    ) -> None: ...

    # -- changing --

    def add(
        self,
        item: _Item,
        x: float,
        y: float,
        radius: float = 0.0,
        size: Sequence[float] | None = None,
        groups: int = 1,
    ) -> None: ...
    def move(self, item: _Item, x: float, y: float) -> None: ...
    def remove(self, item: _Item) -> None: ...
    def set_groups(self, item: _Item, groups: int) -> None: ...
    def resize(
        self, item: _Item, radius: float = 0.0, size: Sequence[float] | None = None
    ) -> None: ...
    def __contains__(self, item: Hashable, /) -> bool: ...
    def __len__(self) -> int: ...
    def __iter__(self) -> Iterator[_Item]: ...
    def position(self, item: _Item) -> tuple[float, float]: ...
    def groups(self, item: _Item) -> int: ...

    # -- asking --

    def query(
        self,
        bounds: Sequence[float],
        groups: int | None = None,
        without: int | None = None,
    ) -> list[_Item]: ...
    def within(
        self,
        x: float,
        y: float,
        radius: float,
        groups: int | None = None,
        without: int | None = None,
        min_radius: float = 0.0,
        exclude: Hashable = None,
        to_edge: bool = False,
    ) -> list[_Item]: ...
    def any_within(
        self,
        x: float,
        y: float,
        radius: float,
        groups: int | None = None,
        without: int | None = None,
        min_radius: float = 0.0,
        exclude: Hashable = None,
        to_edge: bool = False,
    ) -> bool: ...
    def count_within(
        self,
        x: float,
        y: float,
        radius: float,
        groups: int | None = None,
        without: int | None = None,
        min_radius: float = 0.0,
        exclude: Hashable = None,
        to_edge: bool = False,
    ) -> int: ...
    def sum_within(
        self,
        x: float,
        y: float,
        radius: float,
        values: npt.ArrayLike,
        groups: int | None = None,
        without: int | None = None,
        min_radius: float = 0.0,
        exclude: Hashable = None,
        to_edge: bool = False,
    ) -> float: ...
    def nearest(
        self,
        x: float,
        y: float,
        groups: int | None = None,
        without: int | None = None,
        min_distance: float = 0.0,
        max_distance: float = 1e309,
        exclude: Hashable = None,
        to_edge: bool = False,
        where: Callable[[_Item], bool] | None = None,
    ) -> _Item | None: ...
    def k_nearest(
        self,
        x: float,
        y: float,
        k: int,
        groups: int | None = None,
        without: int | None = None,
        min_distance: float = 0.0,
        max_distance: float = 1e309,
        exclude: Hashable = None,
        to_edge: bool = False,
        where: Callable[[_Item], bool] | None = None,
    ) -> list[_Item]: ...
    def segment(
        self,
        x0: float,
        y0: float,
        x1: float,
        y1: float,
        width: float = 0.0,
        groups: int | None = None,
        without: int | None = None,
        exclude: Hashable = None,
    ) -> list[_Item]: ...
    def segment_hits(
        self,
        x0: float,
        y0: float,
        x1: float,
        y1: float,
        width: float = 0.0,
        groups: int | None = None,
        without: int | None = None,
        exclude: Hashable = None,
    ) -> list[Hit[_Item]]: ...
    def sweep(
        self,
        item: _Item,
        x: float,
        y: float,
        groups: int | None = None,
        without: int | None = None,
    ) -> list[_Item]: ...
    def sweep_hits(
        self,
        item: _Item,
        x: float,
        y: float,
        groups: int | None = None,
        without: int | None = None,
    ) -> list[Hit[_Item]]: ...
    def overlaps(
        self, item: _Item, groups: int | None = None, without: int | None = None
    ) -> list[Hit[_Item]]: ...
    def meet(
        self,
        item: _Item,
        x: float,
        y: float,
        other: _Item,
        other_x: float,
        other_y: float,
    ) -> float | None: ...
    def pairs(
        self, groups: int | None = None, without: int | None = None, against: int | None = None
    ) -> list[tuple[_Item, _Item]]: ...

    # -- slots and arrays --

    def slot(self, item: _Item) -> int: ...
    def slots(self, items: Iterable[_Item]) -> npt.NDArray[np.int32]: ...
    def item(self, slot: SupportsIndex) -> _Item: ...
    def items(self, slots: npt.ArrayLike) -> list[_Item | Any]: ...  # None for -1
    def position_many(self, slots: npt.ArrayLike) -> npt.NDArray[np.float64]: ...
    def groups_many(self, slots: npt.ArrayLike) -> npt.NDArray[np.uint32]: ...
    def serial(self, item: _Item) -> int: ...
    def serial_many(self, slots: npt.ArrayLike) -> npt.NDArray[np.int64]: ...
    def add_many(
        self,
        items: Iterable[_Item] | None,
        xy: npt.ArrayLike,
        radius: npt.ArrayLike = 0.0,
        size: npt.ArrayLike | None = None,
        groups: npt.ArrayLike = 1,
    ) -> npt.NDArray[np.int32]: ...
    def move_many(self, slots: npt.ArrayLike, xy: npt.ArrayLike) -> None: ...
    def set_groups_many(self, slots: npt.ArrayLike, groups: npt.ArrayLike) -> None: ...
    def resize_many(
        self,
        slots: npt.ArrayLike,
        radius: npt.ArrayLike = 0.0,
        size: npt.ArrayLike | None = None,
    ) -> None: ...
    def remove_many(self, slots: npt.ArrayLike) -> None: ...
    def query_many(
        self,
        bounds: npt.ArrayLike,
        groups: npt.ArrayLike | None = None,
        without: npt.ArrayLike | None = None,
        exclude: npt.ArrayLike | None = None,
        workers: int = 1,
        out: npt.NDArray[np.int32] | None = None,
    ) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int32]]: ...
    def within_many(
        self,
        xy: npt.ArrayLike,
        radius: npt.ArrayLike,
        groups: npt.ArrayLike | None = None,
        without: npt.ArrayLike | None = None,
        min_radius: npt.ArrayLike = 0.0,
        exclude: npt.ArrayLike | None = None,
        to_edge: bool = False,
        workers: int = 1,
        out: npt.NDArray[np.int32] | None = None,
    ) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int32]]: ...
    def count_within_many(
        self,
        xy: npt.ArrayLike,
        radius: npt.ArrayLike,
        groups: npt.ArrayLike | None = None,
        without: npt.ArrayLike | None = None,
        min_radius: npt.ArrayLike = 0.0,
        exclude: npt.ArrayLike | None = None,
        to_edge: bool = False,
        workers: int = 1,
    ) -> npt.NDArray[np.int64]: ...
    def sum_within_many(
        self,
        xy: npt.ArrayLike,
        radius: npt.ArrayLike,
        values: npt.ArrayLike,
        groups: npt.ArrayLike | None = None,
        without: npt.ArrayLike | None = None,
        min_radius: npt.ArrayLike = 0.0,
        exclude: npt.ArrayLike | None = None,
        to_edge: bool = False,
        workers: int = 1,
    ) -> npt.NDArray[np.float64]: ...
    def nearest_many(
        self,
        xy: npt.ArrayLike,
        groups: npt.ArrayLike | None = None,
        without: npt.ArrayLike | None = None,
        min_distance: npt.ArrayLike = 0.0,
        max_distance: npt.ArrayLike = 1e309,
        exclude: npt.ArrayLike | None = None,
        to_edge: bool = False,
        workers: int = 1,
        out: tuple[npt.NDArray[np.int32], npt.NDArray[np.float64]] | None = None,
    ) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.float64]]: ...
    def k_nearest_many(
        self,
        xy: npt.ArrayLike,
        k: int,
        groups: npt.ArrayLike | None = None,
        without: npt.ArrayLike | None = None,
        min_distance: npt.ArrayLike = 0.0,
        max_distance: npt.ArrayLike = 1e309,
        exclude: npt.ArrayLike | None = None,
        to_edge: bool = False,
        workers: int = 1,
    ) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.float64]]: ...
    def segment_many(
        self,
        xy0: npt.ArrayLike,
        xy1: npt.ArrayLike,
        width: npt.ArrayLike = 0.0,
        groups: npt.ArrayLike | None = None,
        without: npt.ArrayLike | None = None,
        exclude: npt.ArrayLike | None = None,
        workers: int = 1,
        out: npt.NDArray[np.int32] | None = None,
    ) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int32]]: ...
    def sweep_many(
        self,
        slots: npt.ArrayLike,
        xy: npt.ArrayLike,
        groups: npt.ArrayLike | None = None,
        without: npt.ArrayLike | None = None,
        workers: int = 1,
        out: npt.NDArray[np.int32] | None = None,
    ) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int32]]: ...
    def pairs_many(
        self, groups: int | None = None, without: int | None = None, against: int | None = None
    ) -> npt.NDArray[np.int32]: ...
    def overlaps_many(
        self,
        slots: npt.ArrayLike | None = None,
        groups: int | None = None,
        without: int | None = None,
    ) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.float64], npt.NDArray[np.float64]]: ...

    # -- what has changed --

    def mark(self) -> int: ...
    def changed_since(self, mark: int) -> npt.NDArray[np.int32]: ...

    # -- keeping --

    def digest(self) -> bytes: ...
    def to_bytes(self) -> bytes: ...
    @classmethod
    def from_bytes(cls, data: ReadableBuffer, items: Iterable[_Item]) -> Self: ...

    # -- inspecting --

    def nodes(self) -> npt.NDArray[np.void]: ...
    def stats(self) -> TreeStats: ...
    def explain(self, verb: str, *args: Any, **options: Any) -> Explanation: ...
    def check(self) -> None: ...

def store_of(tree: DynamicQuadtree[Any]) -> UnitStore: ...
def tell_of_removals(tree: DynamicQuadtree[Any], group: int, book: Any) -> None: ...
def items_of(tree: DynamicQuadtree[Any]) -> list[Any]: ...
