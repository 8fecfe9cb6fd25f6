# The C side of cell_walk.py: its fields and signatures, in the order of that file.

cimport cython

from tilequad._core.cells.cell_blocks cimport CellBlocks

cdef Py_ssize_t FRONT
cdef int FULL
cdef unsigned long long EVERY_CELL
cdef Py_ssize_t EVERY_ROW
cdef unsigned long long LOW_HALF
cdef Py_ssize_t SLACK
cdef int[::1] RIGHTWARDS
cdef int[::1] LEFTWARDS

@cython.final
cdef class Part:
    cdef Py_ssize_t left
    cdef Py_ssize_t top
    cdef Py_ssize_t right
    cdef Py_ssize_t bottom
    cdef Py_ssize_t columns
    cdef Py_ssize_t rows

    cdef void clip(self, CellBlocks blocks) noexcept
    cdef Py_ssize_t size(self) noexcept
    cdef bint has_row(self, Py_ssize_t y) noexcept nogil

@cython.final
cdef class RowWalk:
    cdef CellBlocks blocks
    cdef Part first
    cdef Part second
    cdef Py_ssize_t left
    cdef Py_ssize_t top
    cdef Py_ssize_t right
    cdef Py_ssize_t bottom
    cdef bint leftwards
    cdef bint upwards
    cdef int* out
    cdef int* bits
    cdef Py_ssize_t at
    cdef bint writing

    cdef void begin(self, CellBlocks blocks, Part first, Part second, bint leftwards,
                    bint upwards) noexcept
    cdef listed(self)
    cdef counted(self)
    cdef run(self)
    cdef void walk(self, int* front, Py_ssize_t start, Py_ssize_t n, Py_ssize_t level,
                   Py_ssize_t y) noexcept
    cdef void write_block_rows(self, int* front, Py_ssize_t start, Py_ssize_t n,
                               Py_ssize_t y) noexcept
    cdef bint is_full(self, int* front, Py_ssize_t start, Py_ssize_t n) noexcept
    cdef void write_full_rows(self, Py_ssize_t block_x, Py_ssize_t n, Py_ssize_t y) noexcept
    cdef void copy_words(self, int* front, Py_ssize_t start, Py_ssize_t n, Py_ssize_t to,
                         Part part) noexcept
    cdef void write_row(self, int* front, Py_ssize_t start, Py_ssize_t n, Py_ssize_t words,
                        Py_ssize_t y) noexcept

cdef Py_ssize_t write_run(int* out, Py_ssize_t at, int id, int count) noexcept nogil
cdef Part part_of(Py_ssize_t left, Py_ssize_t top, Py_ssize_t right, Py_ssize_t bottom,
                  Py_ssize_t columns, Py_ssize_t rows)
cdef RowWalk walk_of(CellBlocks blocks, Part first, Part second, bint leftwards, bint upwards)

cdef diagonal_ids(CellBlocks blocks, Py_ssize_t first_step, Py_ssize_t first_line,
                  Py_ssize_t last_step, Py_ssize_t last_line)
cdef Py_ssize_t write_diagonals(CellBlocks blocks, int[::1] ids, Py_ssize_t first_step,
                                Py_ssize_t first_line, Py_ssize_t last_step,
                                Py_ssize_t last_line) noexcept
cdef slots_of(CellBlocks blocks, int[::1] columns, int[::1] rows)
cdef int signed(unsigned long long half) noexcept nogil
