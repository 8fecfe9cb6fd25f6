# The C side of neighbours.py.

from libc.math cimport sqrt

from tilequad.quadtree._core.layout cimport ENTRY, RECORD
from tilequad.quadtree._core.unit_store cimport UnitStore
from tilequad.quadtree.dynamic cimport DynamicQuadtree
