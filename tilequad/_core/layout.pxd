# What C does in another way than layout.py, below its numbers, structs and inline functions.

# cpython.list declares these, too, but Cython reads all of cpython.object with it, in each module.
cdef extern from "Python.h":
    list PyList_New(Py_ssize_t size)
    void* PyList_GET_ITEM(list items, Py_ssize_t at)
    void PyList_SET_ITEM(list items, Py_ssize_t at, object item)
    void Py_INCREF(object item)

cdef extern from *:
    """
    #ifdef Py_GIL_DISABLED  /* threads truly run at once */
      static inline int tilequad_enter(int *count) {
        int seen = _Py_atomic_load_int(count);
        do { if (seen < 0) return -1; }
        while (!_Py_atomic_compare_exchange_int(count, &seen, seen + 1));
        return 0;
      }
      static inline void tilequad_leave(int *count) { _Py_atomic_add_int(count, -1); }
      static inline int tilequad_claim(int *count) {
        int idle = 0;
        return _Py_atomic_compare_exchange_int(count, &idle, -1) ? 0 : -1;
      }
      static inline void tilequad_release(int *count, int to) { _Py_atomic_store_int(count, to); }
    #else
      static inline int tilequad_enter(int *count) {
        if (*count < 0) return -1;
        ++*count;
        return 0;
      }
      static inline void tilequad_leave(int *count) { --*count; }
      static inline int tilequad_claim(int *count) {
        if (*count != 0) return -1;
        *count = -1;
        return 0;
      }
      static inline void tilequad_release(int *count, int to) { *count = to; }
    #endif
    """
    int tilequad_enter(int* count) nogil
    void tilequad_leave(int* count) nogil
    int tilequad_claim(int* count) nogil
    void tilequad_release(int* count, int to) nogil

cdef struct Busy:
    int count  # questions being answered, -1 for a change, or LOST
    bint torn  # whether a change has written half of what it will write

cdef inline int begin_question(Busy* busy) except -1:
    if tilequad_enter(&busy.count) < 0:
        raise RuntimeError(
            "the tree is lost, because a change stopped half-way" if busy.count == LOST
            else "cannot query the tree while it is being modified")
    return 0

cdef inline void end_question(Busy* busy) noexcept:
    tilequad_leave(&busy.count)

cdef inline int begin_change(Busy* busy) except -1:
    if tilequad_claim(&busy.count) < 0:
        raise RuntimeError(
            "the tree is lost, because a change stopped half-way" if busy.count == LOST
            else "cannot modify the tree while it is being queried or modified")
    return 0

cdef inline void end_change(Busy* busy) noexcept:
    tilequad_release(&busy.count, LOST if busy.torn else 0)

cdef inline list items_at(list items, int* hits, Py_ssize_t n):
    cdef list found = PyList_New(n)
    cdef object item
    cdef Py_ssize_t i
    for i in range(n):
        item = <object> PyList_GET_ITEM(items, hits[i])
        Py_INCREF(item)
        PyList_SET_ITEM(found, i, item)
    return found
