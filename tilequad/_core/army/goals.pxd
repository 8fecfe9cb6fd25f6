# The C side of goals.py: its fields and signatures, in the order of that file.

cimport cython

from tilequad._core.army.free cimport find_free, unspend
from tilequad._core.army.lookups cimport entry_of, tree_of
from tilequad._core.army.seats cimport Seats
from tilequad._core.tree.layout cimport (
    ENTRY, INF, LEAF, MAX_COORDINATE, MAX_K, RECORD, Ranking, Walk, begin_change, begin_question, end_change,
    end_question,
)
from tilequad._core.tree.nearest cimport start_ranking
from tilequad._core.tree.units cimport UnitStore
from tilequad.quadtree.dynamic cimport DynamicQuadtree

cdef int NONE
cdef int UNASKED
cdef int MET
cdef int FAILED
cdef int OWN
cdef int POINT
cdef int BY_UNIT
cdef int BY_SLOT
cdef double NAN

@cython.final
cdef class Terms:
    cdef int groups
    cdef int without
    cdef double max_distance
    cdef bint claim
    cdef double retry
    cdef object where
    cdef object field
    cdef object near
    cdef double[:, ::1] places
    cdef int place
    cdef double x
    cdef double y
    cdef list fields
    cdef unsigned char[::1] spent

    cdef int forget(self) except -1
    cdef int find_place(self, DynamicQuadtree tree, Py_ssize_t seeker, double* place) except -1

@cython.final
cdef class Ranks:
    cdef object field
    cdef int[::1] slots
    cdef Py_ssize_t start
    cdef long long frees

@cython.final
cdef class Searches:
    cdef list terms
    cdef Seats seats
    cdef bint claims
    cdef bint remembers
    cdef int[::1] life
    cdef double[::1] failed_at
    cdef unsigned char[::1] nothing
    cdef UnitStore store

    cdef int run(self, DynamicQuadtree tree, int[::1] seekers, double now,
                 int[::1] found) except -1
    cdef int commit(self, UnitStore store) except -1
    cdef int begin(self, DynamicQuadtree tree, int[::1] seekers) except -1
    cdef int prepare(self, UnitStore store, int[::1] seekers) except -1
    cdef int plan(self, DynamicQuadtree tree, int[::1] seekers, Py_ssize_t i, double now,
                  unsigned char[::1] outcomes) except -2
    cdef bint needs_room(self, Terms terms) noexcept
    cdef int leave(self, UnitStore store, Py_ssize_t seeker) except -1
    cdef bint gave_up(self, UnitStore store, Py_ssize_t seeker, Py_ssize_t goal,
                      double now) except -1
    cdef int find(self, DynamicQuadtree tree, Terms terms, Py_ssize_t seeker, double x,
                  double y) except -2
    cdef int find_on_field(self, DynamicQuadtree tree, Terms terms, int[::1] seekers,
                           Py_ssize_t seeker, double x, double y) except -2
    cdef bint accepts(self, DynamicQuadtree tree, Terms terms, Py_ssize_t seeker,
                      Py_ssize_t slot) except -1
    cdef int remember(self, UnitStore store, int[::1] seekers, double now,
                      unsigned char[::1] outcomes) except -1
