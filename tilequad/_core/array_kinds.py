"""The kinds of arrays that signatures name, and an array of no cells."""

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

__all__ = ["NO_CELLS", "Bools", "Codes", "Floats", "Ints", "Numbers", "Rows", "Traits"]

Bools: TypeAlias = NDArray[np.bool_]
Codes: TypeAlias = NDArray[np.uint8]  # of costs
Floats: TypeAlias = NDArray[np.float64]
Ints: TypeAlias = NDArray[np.int32]
Numbers: TypeAlias = NDArray[np.int64]
Rows: TypeAlias = NDArray[np.intp]
Traits: TypeAlias = NDArray[np.uint64]  # of cells

NO_CELLS: Ints = np.empty(0, np.int32)
