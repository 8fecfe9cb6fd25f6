"""Every index of the benchmarks behind the same few verbs: see `Index`.

Libraries that are far behind, or have few verbs, run as a check with small armies only.
"""

from benchmarks.peers.arcade_hash import ArcadeHash
from benchmarks.peers.base import Index
from benchmarks.peers.boost import Boostree
from benchmarks.peers.fastquadtrees import FastQuadTree
from benchmarks.peers.grid_floor import GridFloor
from benchmarks.peers.kdtrees import PyKDTree, ScipyTree
from benchmarks.peers.ours import Tilequad, TilequadOneByOne, TilequadStatic
from benchmarks.peers.pygame_rects import PygameRects
from benchmarks.peers.pymunk_space import Pymunk
from benchmarks.peers.pyqtrees import Pyqtree
from benchmarks.peers.rstar import RstarPython
from benchmarks.peers.rtrees import Rtree
from benchmarks.peers.scans import NumpyScan, PythonScan
from benchmarks.peers.shapely_tree import Shapely

__all__ = [
    "FLOOR",
    "INDEXES",
    "OURS",
    "STATIC",
    "ArcadeHash",
    "FastQuadTree",
    "Index",
    "NumpyScan",
    "PygameRects",
    "Pymunk",
    "PythonScan",
    "Tilequad",
]

OURS, STATIC, FLOOR = Tilequad.name, TilequadStatic.name, GridFloor.name
INDEXES: tuple[type[Index], ...] = (
    Tilequad,
    TilequadOneByOne,
    TilequadStatic,
    FastQuadTree,
    ScipyTree,
    PyKDTree,
    Shapely,
    Boostree,
    RstarPython,
    Rtree,
    Pyqtree,
    Pymunk,
    PygameRects,
    ArcadeHash,
    NumpyScan,
    PythonScan,
    GridFloor,
)
