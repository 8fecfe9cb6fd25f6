"""The C declarations that the build makes from the files of the core."""

import runpy
from pathlib import Path

import pytest

from tilequad._core import _cython
from tilequad._core.tree import layout as tree_layout
from tilequad._core.ways import layout as ways_layout

ROOT = Path(__file__).parent.parent
QUESTIONS = """\
# Made from questions.py.
cimport cython
@cython.final
cdef class Questions:
    cdef double[:, ::1] places
    cdef const double[:, :] limits
    cdef int[::1] order
    cdef int[:, ::1] picks
    cdef int groups
    cdef int without
    cdef bint mixed
    cdef object exclude
    cdef int test
    cdef int groups_of(self, Py_ssize_t i) noexcept nogil
    cdef int without_of(self, Py_ssize_t i) noexcept nogil
    cdef int exclude_of(self, Py_ssize_t i) noexcept nogil
"""
HEAD = "from typing import Annotated\nfrom tilequad._core import _cython as cython\n"


@pytest.fixture
def made(monkeypatch):
    """The names of make_pxd.py, run in the folder of the project."""
    monkeypatch.chdir(ROOT)
    return runpy.run_path("make_pxd.py")


def declared(made, tmp_path, text):
    """The declarations of a file with this text, but for the first two lines."""
    path = tmp_path / "some.py"
    path.write_text(HEAD + text)
    return made["declarations_of"](path).splitlines()[2:]


def test_the_declarations_of_a_whole_file(made):
    assert made["declarations_of"](Path("tilequad/_core/tree/questions.py")) == QUESTIONS


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("N: cython.longlong = 1 << 40", "cdef long long N"),
        ("N = 3", None),
        (
            "def f(x: cython.p_int, n: int = 2) -> NoGil[None]: ...",
            "cdef void f(int* x, object n=*) noexcept nogil",
        ),
        (
            "def f(x: cython.const_uchar[::1]) -> Raises[cython.int]: ...",
            "cdef int f(const unsigned char[::1] x) except -1",
        ),
        (
            "def f(walk: cython.pointer[cython.int]) -> Gil[cython.bint]: ...",
            "cdef bint f(int* walk) noexcept",
        ),
        ("def f(names: list[str]) -> Object[None]: ...", "cdef object f(list names)"),
        ('def f() -> Annotated[cython.int, "cpdef except? -2"]: ...', "cpdef int f() except? -2"),
        ("def f(x: cython.int) -> int: ...", None),
    ],
)
def test_each_spelling_has_its_declaration(text, line, made, tmp_path):
    assert declared(made, tmp_path, text) == ([line] if line else [])


def test_numbers_and_structs_of_a_plain_file_stand_above_what_is_written(made, tmp_path):
    (tmp_path / "plain.pxd").write_text("cdef int more\n")
    path = tmp_path / "plain.py"
    path.write_text("""
SIZE, FAR = 2 * 2, -(1 << 40)
INF = float("inf")
names = 3
class Spot:
    __slots__ = {"u": "double", "at": "int[SIZE]"}
class Other:
    __slots__ = ("x",)
""")
    assert made["written_declarations_of"](path).splitlines()[1:] == [
        "cdef enum:",
        "    SIZE = 4",
        "cdef extern from *:",
        '    const long long FAR "((long long)-1099511627776)"',
        '    const double INF "((double)INFINITY)"',
        "cdef struct Spot:",
        "    double u",
        "    int at[SIZE]",
        "",
        "cdef int more",
    ]
    assert made["exports"](path)[0] >= {"SIZE", "FAR", "INF", "Spot", "more"}
    assert made["exports"](path)[1] == {"Spot"}


@pytest.mark.parametrize(
    ("module", "struct"),
    [(tree_layout, name) for name in ("Walk", "Ranking")]
    + [(ways_layout, name) for name in ("Axes", "Spot", "Sector")],
)
def test_a_struct_begins_with_a_value_for_each_field(module, struct):
    one = getattr(module, struct)()
    for name, of in type(one).__slots__.items():
        value, length = getattr(one, name), of.partition("[")[2].rstrip("]")
        assert isinstance(value, list) == bool(length)
        assert not length or len(value) == getattr(module, length)


def test_a_final_method_of_a_class_that_can_be_derived_from(made, tmp_path):
    text = """
@cython.cclass
class A(B):
    __slots__ = {"x": "readonly double"}
    @cython.final
    def f(self, other: A) -> NoGil[cython.int]: ...
    def g(self) -> None: ...
"""
    assert declared(made, tmp_path, text) == [
        "cdef class A(B):",
        "    cdef readonly double x",
        "    @cython.final",
        "    cdef int f(self, A other) noexcept nogil",
    ]


def test_c_fields_without_a_c_class_are_refused(made, tmp_path):
    with pytest.raises(SyntaxError, match=r"some\.py: A has C fields, but no @cython\.cclass"):
        declared(made, tmp_path, 'class A:\n    __slots__ = {"x": "int"}\n')


def test_the_copy_keeps_every_line_and_lacks_what_c_imports(made):
    path = Path("tilequad/_core/tree/within.py")
    lines, copied = path.read_text().splitlines(), made["source_of"](path).splitlines()
    changed = [(line, copy) for line, copy in zip(lines, copied, strict=True) if line != copy]

    assert ("from tilequad._core import _cython as cython", "import cython") in changed
    assert "from tilequad._core.tree.walk import begin" not in "\n".join(copied)
    assert "from cython.cimports.tilequad._core.tree.walk import" in "\n".join(copied)
    assert all(copy in ("", "pass", "import cython") or "import" in copy for _, copy in changed)


def test_an_inline_function_is_spelled_out_in_as_many_lines(made, tmp_path):
    path, text = (
        tmp_path / "some.py",
        '@cython.inline\ndef f(\n    x: int,\n) -> T:\n    """F."""\n',
    )
    path.write_text(HEAD + "# it\n\n" + text + "    return x\n")
    copied = made["source_of"](path).splitlines()

    assert copied[2:7] == [*made["INLINE"], "def f(x: int) -> T:"]
    assert copied[7:] == ["", "", "    return x"]


def test_an_inline_function_needs_room_above_it(made, tmp_path):
    path = tmp_path / "some.py"
    path.write_text(HEAD + 'a = 1\n@cython.inline\ndef f() -> T:\n    """F."""\n')
    with pytest.raises(SyntaxError, match="f needs two lines above it"):
        made["source_of"](path)


@pytest.mark.slow
def test_what_has_not_changed_is_not_written_again(made, tmp_path):
    folder = ("tilequad/_core",)
    made["make"](folder, tmp_path)
    gone = tmp_path / "tilequad" / "_core" / "gone.pxd"
    gone.write_text("")
    times = {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*.p*") if path != gone}
    made["make"](folder, tmp_path)

    assert len(times) > 80
    assert times == {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*.p*")}


def test_the_stub_names_the_same_results(made):
    names = {"NoGil", "Gil", "Raises", "RaisesNoGil", "Object"}
    stub = (ROOT / "tilequad" / "_core" / "_cython.pyi").read_text().splitlines()
    source = (ROOT / "tilequad" / "_core" / "_cython.py").read_text().splitlines()

    assert set(made["results"]()) == names
    assert names < set(_cython.__all__)
    for name in names:
        [line] = [line for line in source if line.startswith(f"{name} = ")]
        assert line in stub
