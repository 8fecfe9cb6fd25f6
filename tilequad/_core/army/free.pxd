# The C side of free.py: its signatures, in the order of that file.

from tilequad._core.tree.layout cimport (
    CHILD, COUNT, FIRST, GROUPS, ORDER, RECORD, Ranking, Walk, place_of,
)
from tilequad._core.tree.nodes cimport Nodes
from tilequad._core.tree.units cimport UnitStore
from tilequad._core.tree.walk cimport write_distances2

cdef int find_free(UnitStore units, Walk* walk, Ranking* ranking, double x, double y,
                   double max_distance2, int groups, int without, unsigned char[::1] full,
                   unsigned char[::1] spent) noexcept nogil
cdef void push_free(Nodes nodes, Walk* walk, int n, double max_distance2,
                    unsigned char[::1] spent) noexcept nogil
cdef void spend(Nodes nodes, int q, int groups, int without,
                unsigned char[::1] spent) noexcept nogil
cdef void unspend(Nodes nodes, int q, unsigned char[::1] spent) noexcept nogil
cdef bint scan_free(UnitStore units, Ranking* ranking, Py_ssize_t at, double x, double y,
                    int groups, int without, unsigned char[::1] full) noexcept nogil
cdef void add_hit(Ranking* ranking, int hit, double distance2, int order) noexcept nogil
