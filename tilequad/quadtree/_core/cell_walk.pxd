# The C side of cell_walk.py: its fields and signatures, in the order of that file.

from tilequad.quadtree._core.cell_blocks cimport CellBlocks

cdef Py_ssize_t FRONT
cdef Py_ssize_t FULL
cdef Py_ssize_t SLACK

cdef class Part:
    cdef Py_ssize_t left
    cdef Py_ssize_t top
    cdef Py_ssize_t right
    cdef Py_ssize_t bottom
    cdef Py_ssize_t columns
    cdef Py_ssize_t rows

    cdef void clip(self, CellBlocks blocks) noexcept
    cdef Py_ssize_t size(self) noexcept

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
    cdef void write_row(self, int* front, Py_ssize_t start, Py_ssize_t n, Py_ssize_t y,
                        Part part) noexcept
    cdef void fill(self, Py_ssize_t at, int id, int count) noexcept

cdef Part part_of(Py_ssize_t left, Py_ssize_t top, Py_ssize_t right, Py_ssize_t bottom,
                  Py_ssize_t columns, Py_ssize_t rows)
cdef RowWalk walk_of(CellBlocks blocks, Part first, Part second, bint leftwards, bint upwards)

cdef diagonal_ids(CellBlocks blocks, Py_ssize_t first_step, Py_ssize_t first_line,
                  Py_ssize_t last_step, Py_ssize_t last_line)
cdef Py_ssize_t write_diagonals(CellBlocks blocks, int[::1] ids, Py_ssize_t first_step,
                                Py_ssize_t first_line, Py_ssize_t last_step,
                                Py_ssize_t last_line) noexcept
cdef slots_of(CellBlocks blocks, int[::1] columns, int[::1] rows)
cdef Py_ssize_t ones(Py_ssize_t held) noexcept nogil
