# The C side of nodes_cy.py: its fields and signatures, in the order of that file.

cdef double INF
cdef int LEAVES
cdef int MAX_DEPTH
cdef double ROUNDING

cdef class Nodes:
    cdef double[::1] box
    cdef int[::1] links
    cdef float[::1] reach
    cdef double[::1] cell
    cdef double[::1] split
    cdef int[::1] parent
    cdef int capacity
    cdef int used
    cdef int free
    cdef int live

    cdef int take_node(self, int q, double x, double y) except -1
    cdef void drop_node(self, int n) noexcept nogil
    cdef bint is_live(self, int n) noexcept nogil
    cdef void clear_leaf(self, int q) noexcept nogil
    cdef int leaf_at(self, double x, double y) noexcept nogil
    cdef int leaf_near(self, int q, double x, double y) noexcept nogil
    cdef int leaf_below(self, int n, double x, double y) noexcept nogil
    cdef Py_ssize_t descend(self, int* path, double* edges, double x, double y) noexcept nogil
    cdef Py_ssize_t place_of(self, Py_ssize_t q) noexcept nogil
    cdef bint in_cell(self, int q, double x, double y) noexcept nogil
    cdef void cell_of(self, int q, double* cell) noexcept nogil
    cdef bint may_divide(self, int q) noexcept nogil
    cdef void grow(self, int q, double x, double y, float reach, int groups) noexcept nogil
    cdef bint lift_once(self, int n) noexcept nogil
    cdef void lift(self, int n) noexcept nogil
    cdef int preorder(self, int[::1] order) noexcept nogil
    cdef int fit_all(self) except -1
    cdef void fit_leaf(self, int q) noexcept nogil
    cdef void refit(self, int[::1] order) noexcept nogil
    cdef void fit_box(self, int q, double[::1] xs, double[::1] ys) noexcept nogil
    cdef bint middle_of(self, double[::1] xs, double[::1] ys, int low, int high,
                        double* middle) noexcept nogil
    cdef void leaves_in_box(self, int* stack, int* leaves, double min_x, double min_y,
                            double max_x, double max_y, int groups) noexcept nogil
    cdef void leaves_in_circle(self, int* stack, int* leaves, double x, double y, double radius2,
                               int groups) noexcept nogil
    cdef void leaves_near(self, int* stack, int* leaves, double x, double y, double radius2,
                          int groups) noexcept nogil
    cdef void leaves_around(self, int* stack, int* leaves, double min_x, double min_y,
                            double max_x, double max_y, int groups) noexcept nogil
    cdef void leaves_in_reach(self, int* stack, int* leaves, double x, double y, double radius,
                              int groups) noexcept nogil
    cdef void leaves_on_segment(self, int* stack, int* leaves, double x0, double y0, double x1,
                                double y1, double reach, int groups) noexcept nogil
    cdef double beside(self, Py_ssize_t at, double x, double y, double dx,
                       double dy) noexcept nogil
    cdef int next_nearest(self, int* stack, double* bounds, double x, double y, double limit2,
                          int groups) noexcept nogil
    cdef void push_near(self, int* stack, double* bounds, int n, bint done, double x, double y,
                        double limit2, int groups) noexcept nogil
    cdef int sort_in(self, int* hits, double* distances, int* ranks, int n, int k, int hit,
                     double distance2, int rank) noexcept nogil
