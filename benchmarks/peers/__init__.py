"""Every index of the benchmarks behind the same few verbs: see `Index`.

Libraries that are far behind, or have few verbs, run as a check with small armies only.
"""

from benchmarks.peers import libraries
from benchmarks.peers.base import Index
from benchmarks.peers.engines import ArcadeHash, PygameRects, Pymunk
from benchmarks.peers.grid_floor import GridFloor
from benchmarks.peers.ours import Tilequad, TilequadOneByOne, TilequadStatic
from benchmarks.peers.scans import NumpyScan, PythonScan

STATIC = TilequadStatic.name
INDEXES: tuple[type[Index], ...] = (
    *(Tilequad, TilequadOneByOne, TilequadStatic),
    *(libraries.FastQuadTree, libraries.ScipyTree, libraries.PyKDTree),
    *(libraries.Shapely, libraries.Boostree, libraries.RstarPython),
    *(libraries.Rtree, libraries.Pyqtree),
    *(Pymunk, PygameRects, ArcadeHash, NumpyScan, PythonScan, GridFloor),
)
