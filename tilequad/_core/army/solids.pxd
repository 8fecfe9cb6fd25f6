# The C side of solids.py: its signatures, in the order of that file.

from libc.math cimport sqrt

from tilequad._core.tree.boxes cimport BoxStore
from tilequad._core.buffers cimport IntBuffer
from tilequad._core.tree.layout cimport INF, OVERLAPPING_BOX, Walk, start_counts
from tilequad._core.tree.motion cimport slab_time
from tilequad._core.tree.segment cimport begin_segment
from tilequad._core.tree.walk cimport begin, next_span

cdef double CLEARANCE
cdef double RELATIVE_CLEARANCE

cdef double clearance(double at) noexcept nogil
cdef bint gather_walls(BoxStore walls, double min_x, double min_y, double max_x, double max_y,
                       Py_ssize_t most, IntBuffer found) except -1 nogil
cdef Py_ssize_t holder_of(BoxStore walls, double x, double y) noexcept nogil
cdef bint holds(BoxStore walls, Py_ssize_t entry, double x, double y) noexcept nogil
cdef double way_time(BoxStore walls, Py_ssize_t entry, double x0, double y0, double x1,
                     double y1) noexcept nogil
cdef double first_time(BoxStore walls, double x0, double y0, double x1, double y1) noexcept nogil
cdef double press_of(BoxStore walls, Py_ssize_t entry, double x, double y, double half_w,
                     double half_h, double* push) noexcept nogil
cdef void find_way_out(BoxStore walls, double x, double y, double* place) noexcept nogil
