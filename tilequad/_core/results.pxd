# The C side of results.py: its signature.

cdef object ints_of(int* values, Py_ssize_t n)
