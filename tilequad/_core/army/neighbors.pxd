# The C side of neighbors.py: its fields and signatures, in the order of that file.

cimport cython

from libc.math cimport sqrt

from tilequad._core.buffers cimport IntBuffer, sort_range
from tilequad._core.tree.layout cimport (
    CANDIDATES, ENTRY, RECORD, begin_question, end_question,
)
from tilequad._core.tree.questions cimport Questions
from tilequad._core.tree.units cimport UnitStore
from tilequad._core.tree.within cimport (
    MIN_SHARED, answer_one, copy_candidates, end_of_group,
)
from tilequad.quadtree.dynamic cimport DynamicQuadtree

cdef int SUMS
cdef int LINEAR
cdef int CONSTANT
cdef int INVERSE
cdef int INVERSE_SQUARE
cdef double NEAREST

@cython.final
cdef class FlockSums:
    cdef UnitStore store
    cdef int[::1] slots
    cdef Questions asked
    cdef double[:, ::1] velocity
    cdef double close
    cdef int falloff
    cdef double[:, ::1] ways
    cdef double[::1] sums

    cdef int sum_candidates(self, Py_ssize_t i, double* xs, double* ys, int* near,
                            Py_ssize_t candidates, int* hits) noexcept nogil
    cdef int sum_found(self, Py_ssize_t i, IntBuffer found, double* xs, double* ys, int* near,
                       int* hits) except -2 nogil
    cdef int sum_these(self, Py_ssize_t i, double* xs, double* ys, int* near, Py_ssize_t n,
                       int* hits) noexcept nogil
    cdef void clear(self) noexcept nogil
    cdef void write(self, Py_ssize_t i, int[::1] counts, double[:, ::1] cohesion,
                    double[:, ::1] alignment, double[:, ::1] separation) noexcept nogil

cdef void sort_by_slot(int* hits, Py_ssize_t n, int* slots) noexcept nogil
cdef int sum_up(double* xs, double* ys, int* near, Py_ssize_t n, int* hits, double x, double y,
                int own, double close, int falloff, double[:, ::1] velocity, double[:, ::1] ways,
                double[::1] sums) noexcept nogil
