# The C side of damage.py: its signatures, in the order of that file.

from tilequad._core.tree.layout cimport MAX_COORDINATE, MAX_DEPTH, MAX_LEAF_SIZE, RECORD
from tilequad._core.tree.rows cimport RowReader

cdef bint are_within(double[::1] numbers, double limit) noexcept nogil
cdef bint claim(unsigned char[::1] taken, Py_ssize_t start, Py_ssize_t size) noexcept nogil
