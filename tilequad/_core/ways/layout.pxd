# The C side of layout.py, below its numbers and structs.

cimport cython

@cython.cdivision(True)
cdef inline void find_spot(Axes* axes, double x, double y, Spot* spot) noexcept nogil:
    x -= axes.x
    y -= axes.y
    spot.u = (x * axes.down_y - y * axes.down_x) / axes.area
    spot.v = (y * axes.across_x - x * axes.across_y) / axes.area

cdef inline Py_ssize_t lattice_at(Axes* axes, double x, double y, Spot* spot) noexcept nogil:
    cdef Py_ssize_t column
    cdef Py_ssize_t row
    find_spot(axes, x, y, spot)
    if not (0.0 <= spot.u <= axes.columns and 0.0 <= spot.v <= axes.rows):
        return -1
    column = min(<Py_ssize_t> spot.u, axes.columns - 1)
    row = min(<Py_ssize_t> spot.v, axes.rows - 1)
    spot.u -= column + 0.5
    spot.v -= row + 0.5
    return (row + BORDER) * (axes.columns + 2 * BORDER) + column + BORDER
