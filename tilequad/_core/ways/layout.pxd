# The C side of layout.py: the same names and numbers, which C must know while it compiles.

cimport cython

cdef enum:
    HIDDEN = 0
    EXPLORED = 1
    VISIBLE = 2
    STATE = 3
    OPAQUE = 4
    CHANGED = 8
    SEEN = 16

    MARGIN = 2
    WEDGE = 4
    NOWHERE = -1

    BLOCK = 256
    LEVELS = 31

    INVERSE_LENGTH = 0
    FOOT = 1
    LEAN_SCALE = 2
    REACH = 3
    FRAME = 4

    AXIS = 0
    PLACE = 1
    LOW = 2
    HIGH = 3
    BEGIN = 4
    END = 5
    INVERSE = 6
    TO_X = 7
    TO_Y = 8
    EDGE = 9

    ANGLE = 0
    X = 1
    Y = 2
    TURN = 3

    NX = 0
    NY = 1
    X0 = 2
    Y0 = 3
    X1 = 4
    Y1 = 5
    FACE = 6
    FACES_ROOM = 384

    ALL_SOLIDS = 0
    SKIP_ENDS = 1

    BORDER = 2

    LATTICE = 0
    STAGGERED_ROWS = 1
    STAGGERED_COLUMNS = 2

    FAR = 0
    UNREACHED = 0

cdef extern from *:
    """
    #define TQ_ZERO (-1099511627776LL)
    #define TQ_SOURCE (-281474976710656LL)
    """
    const long long ZERO "TQ_ZERO"
    const long long SOURCE "TQ_SOURCE"

cdef struct Axes:
    double x
    double y
    double across_x
    double across_y
    double down_x
    double down_y
    double area
    Py_ssize_t columns
    Py_ssize_t rows

cdef struct Spot:
    double u
    double v

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

cdef struct Sector:
    int low_num
    int low_den
    int first
    int first_rest
    int high_num
    int high_den
    int last
    int last_rest

cdef struct LineWay:
    double x0
    double y0
    double x1
    double y1
    double p0
    double p1
    double q0
    double slope
    double low
    double high
    double low_by
    double high_by
    Py_ssize_t first
    Py_ssize_t last
    int step
    bint steep
