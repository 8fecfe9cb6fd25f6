# The C side of checks.py: its signatures, in the order of that file.

from tilequad._core.tree.layout cimport ALL_GROUPS, MAX_COORDINATE

cdef int mask_of(object groups) except? -2
cdef int without_of(object without) except? -2
cdef Py_ssize_t checked_count(object value, str name) except -1
cdef int check_position(double value, str name) except -1
cdef int check_distance(double value, str name) except -1
cdef int check_limits(double min_distance, double max_distance) except -1
cdef int read_bounds(object bounds, double* box) except -1
