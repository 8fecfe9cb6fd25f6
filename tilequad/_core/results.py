"""Small arrays for answers, made with numpy's C API; `numpy.array` takes four times as long."""

from __future__ import annotations

import numpy as np

from tilequad._core import _cython as cython
from tilequad._core._cython import Object

if cython.compiled:
    from cython.cimports.libc.string import memcpy
    from cython.cimports.numpy import (
        NPY_INT32,
        PyArray_DATA,
        PyArray_SimpleNew,
        import_array,
        npy_intp,
    )

    import_array()  # required in each module that uses numpy's C API


def ints_of(values: cython.p_int, n: cython.Py_ssize_t) -> Object[np.ndarray]:
    """Return the first n values of a C array as a numpy array."""
    if cython.compiled:
        size: npy_intp = n
        found = PyArray_SimpleNew(1, cython.address(size), NPY_INT32)
        memcpy(PyArray_DATA(found), values, n * cython.sizeof(cython.int))
        return found
    return np.array(values[:n], np.int32)
