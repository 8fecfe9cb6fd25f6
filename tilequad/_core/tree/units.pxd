# The C side of unit_store.py: its fields and signatures, in the order of that file.

cimport cython

from tilequad._core.buffers cimport IntBuffer
from tilequad._core.corruption cimport claim
from tilequad._core.tree.layout cimport (
    ALL_GROUPS, COUNT, ENTRY, FIRST, GROUPS, INF, LEAF, MAX_X, MAX_Y, MIN_X, MIN_Y, ORDER, RECORD,
    Busy, place_of,
)
from tilequad._core.tree.nodes cimport Nodes, choose_split

cdef double REACH_MARGIN
cdef double TINY_REACH

@cython.final
cdef class UnitStore:
    cdef Busy busy
    cdef Nodes nodes
    cdef double[::1] expected
    cdef double[::1] xs
    cdef double[::1] ys
    cdef int[::1] slot_of
    cdef int[::1] masks
    cdef int leaf_size
    cdef int length
    cdef int count_when_packed
    cdef int[::1] free_spans
    cdef int[::1] span_size
    cdef int[::1] moves_since_fit
    cdef int[::1] record
    cdef double[::1] half_w
    cdef double[::1] half_h
    cdef int[::1] lives
    cdef float min_reach
    cdef float max_reach
    cdef int slots
    cdef int free_slot
    cdef int count
    cdef int next_order
    cdef long long turnover
    cdef list renumberings
    cdef int[::1] revisions
    cdef int revision

    cdef int next_slot(self) except -1
    cdef void take_slot(self, int slot) noexcept nogil
    cdef bint is_used(self, Py_ssize_t slot) noexcept nogil
    cdef int room_at(self, double x, double y) except -1
    cdef void insert(self, int q, int slot, double x, double y, int groups) noexcept nogil
    cdef void put(self, int q, int slot, double x, double y, int groups) noexcept nogil
    cdef void delete(self, int slot) noexcept
    cdef int move(self, int slot, double x, double y) except -1
    cdef int relocate(self, int slot, int q, double x, double y) except -1
    cdef void set_groups(self, int slot, int groups) noexcept nogil
    cdef void resize(self, int slot, double half_w, double half_h) noexcept nogil
    cdef void tidy(self, int q) noexcept
    cdef void remove_entry(self, int q, int entry) noexcept nogil
    cdef void note_change(self, Py_ssize_t slot) noexcept nogil
    cdef int insert_each(self, int[::1] slots, double[:, ::1] points, int[:] masks) except -1
    cdef void place_entries(self, int[::1] slots, double[:, ::1] points, int[:] masks,
                            int[::1] order) noexcept nogil
    cdef int move_all(self, int[::1] slots, double[:, ::1] points) except -1
    cdef int move_each(self, int[::1] slots, double[:, ::1] points) except -1
    cdef void write_positions(self, int[::1] slots, double[:, ::1] points) noexcept nogil
    cdef int move_most(self, int[::1] slots, double[:, ::1] points) except -1
    cdef int set_groups_all(self, int[::1] slots, int[:] masks) except -1
    cdef int resize_all(self, int[::1] slots, double[:] half_w, double[:] half_h) except -1
    cdef int count_leavers(self, int q) noexcept nogil
    cdef int reinsert_leavers(self, IntBuffer left, int n, int[::1] order) except -1
    cdef void remove_leavers(self, IntBuffer left, double[::1] xs, double[::1] ys, int[::1] slots,
                             int[::1] masks, int[::1] origin) noexcept nogil
    cdef void fit_leaf(self, int q) noexcept nogil
    cdef void fit_all(self, int[::1] order) noexcept nogil
    cdef float reach_of(self, Py_ssize_t slot) noexcept nogil
    cdef int make_room(self, int q, double x, double y) except -1
    cdef bint split_leaf(self, int q, double x, double y) except -1
    cdef void prefer_split(self, int q, double* split) noexcept nogil
    cdef void merge(self, int n) noexcept
    cdef void append_entry(self, int q, int slot, double x, double y, int groups) noexcept nogil
    cdef void copy_in(self, int entry, int slot, double x, double y, int groups) noexcept nogil
    cdef void copy_entry(self, Py_ssize_t entry, int to) noexcept nogil
    cdef int move_span(self, int q, int size) except -1
    cdef int reserve_for_spans(self, int count) except -1
    cdef bint has_spans(self, int count) noexcept
    cdef void forget_free_spans(self) noexcept nogil
    cdef int take_span(self, int size) noexcept nogil
    cdef void free_span(self, int start, int size) noexcept nogil
    cdef int flatten(self) except -1
    cdef void close_gaps(self) noexcept nogil
    cdef void swap_entries(self, int i, int j) noexcept nogil
    cdef int check_spans(self, IntBuffer leaves) except -1
    cdef bint link_slots(self, IntBuffer leaves) noexcept nogil
    cdef bint link_free(self, int[::1] free) noexcept nogil
    cdef long long serial_of(self, Py_ssize_t slot) noexcept nogil

cdef int round_up_span(int size) noexcept nogil
cdef int span_class(int size) noexcept nogil
