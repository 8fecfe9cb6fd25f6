# The C side of checks_cy.py.

cdef double FAR

cpdef int mask_of(object groups) except? -2
cpdef int check_position(double value, str name) except -1
cpdef int check_distance(double value, str name) except -1
cpdef int check_limits(double least, double most) except -1
cdef int read_bounds(object bounds, double* box) except -1
