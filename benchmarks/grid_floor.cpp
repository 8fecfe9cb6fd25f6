// The least that a question can cost: a flat grid of cells behind the methods of a C extension.
//
// The units are sorted by cell, row by row, so the cells that a question covers are runs of two
// arrays. Nothing can be added, removed or moved afterwards, there are no groups and no options, and
// no instruction beyond what every processor has. Each cell's side is given; positions must not be
// negative, and those beyond the last cell belong to it.
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

namespace {

struct Grid {
    double scale = 1;  // cells per pixel
    int side = 1;      // cells in a row, and rows
    std::vector<int> start;  // where each cell's units begin; one more for the end
    std::vector<int> unit;   // the number of each unit, by cell
    std::vector<double> x, y;

    int cell(double place) const {
        return std::clamp(static_cast<int>(place * scale), 0, side - 1);
    }

    void sort(const double *xy, int count) {
        std::vector<int> cells(count);
        start.assign(static_cast<size_t>(side) * side + 2, 0);
        for (int i = 0; i < count; i++) {
            cells[i] = cell(xy[2 * i + 1]) * side + cell(xy[2 * i]);
            start[cells[i] + 2]++;
        }
        for (size_t i = 2; i < start.size(); i++) start[i] += start[i - 1];
        unit.resize(count), x.resize(count), y.resize(count);
        for (int i = 0; i < count; i++) {
            const int to = start[cells[i] + 1]++;
            unit[to] = i, x[to] = xy[2 * i], y[to] = xy[2 * i + 1];
        }
        start.pop_back();
    }

    // Write the units within a radius to `hits`, which has room for all units; return how many.
    template <typename Id>
    Py_ssize_t within(double px, double py, double radius, Id *hits) const {
        const int left = cell(px - radius), right = cell(px + radius);
        const int low = cell(py - radius), high = cell(py + radius);
        Py_ssize_t found = 0;
        for (int row = low; row <= high; row++) {
            const int *cells = &start[static_cast<size_t>(row) * side];
            for (int i = cells[left]; i < cells[right + 1]; i++) {
                const double dx = x[i] - px, dy = y[i] - py;
                hits[found] = unit[i];
                found += dx * dx + dy * dy <= radius * radius;
            }
        }
        return found;
    }

    // The nearest unit: rings of cells, until the next ring is farther away than what was found.
    int nearest(double px, double py, double *distance) const {
        const int column = cell(px), row = cell(py);
        double best = std::numeric_limits<double>::infinity();
        int found = -1;
        const auto look = [&](int line, int left, int right) {
            if (line < 0 || line >= side || right < 0 || left >= side) return;
            const int *cells = &start[static_cast<size_t>(line) * side];
            const int end = cells[std::min(right, side - 1) + 1];
            for (int i = cells[std::max(left, 0)]; i < end; i++) {
                const double dx = x[i] - px, dy = y[i] - py, d2 = dx * dx + dy * dy;
                if (d2 < best) best = d2, found = i;
            }
        };
        for (int line = row - 1; line <= row + 1; line++) look(line, column - 1, column + 1);
        for (int ring = 1; ring < side; ring++) {
            const double sure = std::min(
                {px - (column - ring) / scale, (column + ring + 1) / scale - px,
                 py - (row - ring) / scale, (row + ring + 1) / scale - py});
            if (sure > 0 && best <= sure * sure) break;
            const int next = ring + 1;
            look(row - next, column - next, column + next);
            look(row + next, column - next, column + next);
            for (int line = row - ring; line <= row + ring; line++) {
                look(line, column - next, column - next);
                look(line, column + next, column + next);
            }
        }
        *distance = std::sqrt(best);
        return found < 0 ? -1 : unit[found];
    }

    // Write the pairs of squares of one size that overlap to `out`, as far as it has room; a cell
    // must be as large as a square. Return how many pairs there are.
    Py_ssize_t pairs(double size, int64_t *out, Py_ssize_t room) const {
        Py_ssize_t found = 0;
        const auto match = [&](int i, int begin, int end) {
            for (int j = begin; j < end; j++) {
                if (found < room) out[2 * found] = unit[i], out[2 * found + 1] = unit[j];
                found += (std::fabs(x[i] - x[j]) <= size) & (std::fabs(y[i] - y[j]) <= size);
            }
        };
        for (int row = 0; row < side; row++) {
            const int *here = &start[static_cast<size_t>(row) * side];
            for (int column = 0; column < side; column++) {
                const int left = std::max(column - 1, 0), right = std::min(column + 2, side);
                for (int i = here[column]; i < here[column + 1]; i++) {
                    match(i, i + 1, here[right]);
                    if (row + 1 < side) match(i, here[side + left], here[side + right]);
                }
            }
        }
        return found;
    }
};

struct Object {
    PyObject_HEAD
    Grid *grid;
    PyObject *items, *slots;
    std::vector<int> *hits;
};

// The numbers of a method's arguments; false with an exception where one is none.
bool numbers(PyObject *const *args, Py_ssize_t given, Py_ssize_t wanted, double *out) {
    if (given != wanted) {
        PyErr_Format(PyExc_TypeError, "%zd arguments, not %zd", wanted, given);
        return false;
    }
    for (Py_ssize_t i = 0; i < wanted; i++) out[i] = PyFloat_AsDouble(args[i]);
    return !PyErr_Occurred();
}

PyObject *within(Object *self, PyObject *const *args, Py_ssize_t given) {
    double at[3];
    if (!numbers(args, given, 3, at)) return nullptr;
    int *hits = self->hits->data();
    const Py_ssize_t found = self->grid->within(at[0], at[1], at[2], hits);
    PyObject *list = PyList_New(found);
    for (Py_ssize_t i = 0; list && i < found; i++) {
        PyObject *item = PyList_GET_ITEM(self->items, hits[i]);
        Py_INCREF(item);
        PyList_SET_ITEM(list, i, item);
    }
    return list;
}

PyObject *nearest(Object *self, PyObject *const *args, Py_ssize_t given) {
    double at[2], distance;
    if (!numbers(args, given, 2, at)) return nullptr;
    const int found = self->grid->nearest(at[0], at[1], &distance);
    PyObject *item = found < 0 ? Py_None : PyList_GET_ITEM(self->items, found);
    Py_INCREF(item);
    return item;
}

// What no move can do without: the item is looked up, and two numbers are read.
PyObject *move(Object *self, PyObject *const *args, Py_ssize_t given) {
    double at[2];
    if (given < 1 || !numbers(args + 1, given - 1, 2, at)) return nullptr;
    PyObject *slot = PyDict_GetItemWithError(self->slots, args[0]);
    if (!slot) return PyErr_Occurred() ? nullptr : PyErr_Format(PyExc_KeyError, "unknown item");
    Py_RETURN_NONE;
}

// within_many(xy, radius, offsets, hits): how many hits there are, or -1 where `hits` is too short.
PyObject *within_many(Object *self, PyObject *args) {
    Py_buffer xy, offsets, hits;
    double radius;
    if (!PyArg_ParseTuple(args, "y*dw*w*", &xy, &radius, &offsets, &hits)) return nullptr;
    const auto *places = static_cast<const double *>(xy.buf);
    auto *ends = static_cast<int64_t *>(offsets.buf), *out = static_cast<int64_t *>(hits.buf);
    const Py_ssize_t count = xy.len / 16, room = hits.len / 8;
    const Py_ssize_t most = static_cast<Py_ssize_t>(self->hits->size());
    Py_ssize_t found = 0;
    ends[0] = 0;
    for (Py_ssize_t i = 0; i < count && found >= 0; i++) {
        if (found + most <= room) {
            found += self->grid->within(places[2 * i], places[2 * i + 1], radius, out + found);
        } else {  // near the end of the room
            int *own = self->hits->data();
            const Py_ssize_t more =
                self->grid->within(places[2 * i], places[2 * i + 1], radius, own);
            if (found + more > room) {
                found = -1;
                break;
            }
            std::copy(own, own + more, out + found);
            found += more;
        }
        ends[i + 1] = found;
    }
    PyBuffer_Release(&xy), PyBuffer_Release(&offsets), PyBuffer_Release(&hits);
    return PyLong_FromSsize_t(found);
}

// nearest_many(xy, units, distances)
PyObject *nearest_many(Object *self, PyObject *args) {
    Py_buffer xy, units, distances;
    if (!PyArg_ParseTuple(args, "y*w*w*", &xy, &units, &distances)) return nullptr;
    const auto *places = static_cast<const double *>(xy.buf);
    for (Py_ssize_t i = 0; i < xy.len / 16; i++) {
        static_cast<int64_t *>(units.buf)[i] = self->grid->nearest(
            places[2 * i], places[2 * i + 1], static_cast<double *>(distances.buf) + i);
    }
    PyBuffer_Release(&xy), PyBuffer_Release(&units), PyBuffer_Release(&distances);
    Py_RETURN_NONE;
}

// pairs(size, out): how many pairs there are, and as many in `out` as it has room for.
PyObject *pairs(Object *self, PyObject *args) {
    Py_buffer out;
    double size;
    if (!PyArg_ParseTuple(args, "dw*", &size, &out)) return nullptr;
    const Py_ssize_t found =
        self->grid->pairs(size, static_cast<int64_t *>(out.buf), out.len / 16);
    PyBuffer_Release(&out);
    return PyLong_FromSsize_t(found);
}

// Grid(items, xy, side, cell): the side of the world and that of a cell, in pixels.
PyObject *make(PyTypeObject *type, PyObject *args, PyObject *) {
    PyObject *items;
    Py_buffer xy;
    double side, cell;
    if (!PyArg_ParseTuple(args, "O!y*dd", &PyList_Type, &items, &xy, &side, &cell)) return nullptr;
    auto *self = reinterpret_cast<Object *>(PyType_GenericAlloc(type, 0));
    if (!self) return nullptr;
    const int count = static_cast<int>(xy.len / 16);
    self->grid = new Grid;
    self->grid->scale = 1 / cell;
    self->grid->side = static_cast<int>(side / cell) + 1;
    self->grid->sort(static_cast<const double *>(xy.buf), count);
    PyBuffer_Release(&xy);
    self->hits = new std::vector<int>(count + 1);
    Py_INCREF(items);
    self->items = items;
    self->slots = PyDict_New();
    for (int i = 0; i < count && self->slots; i++) {
        PyObject *number = PyLong_FromLong(i);
        if (!number || PyDict_SetItem(self->slots, PyList_GET_ITEM(items, i), number) < 0) {
            Py_XDECREF(number);
            Py_DECREF(self);
            return nullptr;
        }
        Py_DECREF(number);
    }
    return reinterpret_cast<PyObject *>(self);
}

void drop(Object *self) {
    PyTypeObject *type = Py_TYPE(self);
    Py_XDECREF(self->items);
    Py_XDECREF(self->slots);
    delete self->grid;
    delete self->hits;
    type->tp_free(self);
    Py_DECREF(type);
}

template <typename Function>
PyCFunction method(Function *function) {
    return reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(function));
}

PyMethodDef methods[] = {{"within", method(within), METH_FASTCALL, nullptr},
                         {"nearest", method(nearest), METH_FASTCALL, nullptr},
                         {"move", method(move), METH_FASTCALL, nullptr},
                         {"within_many", method(within_many), METH_VARARGS, nullptr},
                         {"nearest_many", method(nearest_many), METH_VARARGS, nullptr},
                         {"pairs", method(pairs), METH_VARARGS, nullptr},
                         {nullptr, nullptr, 0, nullptr}};

PyType_Slot slots[] = {{Py_tp_new, reinterpret_cast<void *>(make)},
                       {Py_tp_dealloc, reinterpret_cast<void *>(drop)},
                       {Py_tp_methods, methods},
                       {0, nullptr}};

PyType_Spec spec = {"grid_floor.Grid", sizeof(Object), 0, Py_TPFLAGS_DEFAULT, slots};
PyModuleDef module = {PyModuleDef_HEAD_INIT, "grid_floor", nullptr, -1, nullptr,
                      nullptr, nullptr, nullptr, nullptr};

}  // namespace

PyMODINIT_FUNC PyInit_grid_floor() {
    PyObject *made = PyModule_Create(&module);
    PyObject *type = made ? PyType_FromSpec(&spec) : nullptr;
    if (!type || PyModule_AddObject(made, "Grid", type) < 0) {
        Py_XDECREF(type);
        Py_XDECREF(made);
        return nullptr;
    }
    return made;
}
