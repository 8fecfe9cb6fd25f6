"""The modules that the build makes from the files of the core."""

import runpy
from pathlib import Path

import pytest

from tilequad._core import _cython
from tilequad._core import layout as tree_layout
from tilequad._core.ways import layout as ways_layout

ROOT = Path(__file__).parent.parent
QUESTIONS = """\
from tilequad._core.layout cimport ALL_GROUPS, NEAR_POINT, NONE
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


@pytest.fixture(scope="module")
def names():
    """The names of make_pyx.py, which reads each file of the core once."""
    return runpy.run_path(str(ROOT / "make_pyx.py"))


@pytest.fixture
def made(names, monkeypatch):
    """The names of make_pyx.py, in the folder of the project, where it runs."""
    monkeypatch.chdir(ROOT)
    return names


@pytest.fixture
def written(tmp_path):
    """Write a file of the core with some text, below the lines that make it one."""

    def write(text, name="some.py"):
        path = tmp_path / name
        path.write_text(HEAD + text)
        return path

    return write


def copied(made, path):
    """The lines of the copy of a file, but for the first two."""
    return made["source_of"](path).splitlines()[2:]


def declared(made, path):
    """The declarations of a file, but for the first two lines."""
    return made["declarations_of"]("some", [path]).splitlines()[2:]


def test_the_declarations_of_a_whole_file(made):
    path = Path("tilequad/_core/tree/questions.py")
    module = made["module_of"](path)
    assert made["declarations_of"](module, [path]).splitlines()[2:] == QUESTIONS.splitlines()


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("N: cython.longlong = 1 << 40", "cdef long long N_of_some = 1 << 40"),
        ("N = 3", "N = 3"),
        (
            "def f(x: cython.p_int, n: int = 2) -> NoGil[None]:",
            "cdef void f(int* x, object n=2) noexcept nogil:",
        ),
        (
            "def f(x: cython.const_uchar[::1]) -> Raises[cython.int]:",
            "cdef int f(const unsigned char[::1] x) except -1:",
        ),
        (
            "def f(walk: cython.pointer[cython.int]) -> Gil[cython.bint]:",
            "cdef bint f(int* walk) noexcept:",
        ),
        ("def f(names: list[str]) -> Object[None]:", "cdef object f(list names):"),
        ('def f() -> Annotated[cython.int, "cpdef except? -2"]:', "cpdef int f() except? -2:"),
        ('def f() -> Annotated[cython.int, "inline except -2"]:', "cdef inline int f() except -2:"),
        ('def f(x: object) -> Annotated[object, "inline"]:', "cdef inline object f(object x):"),
        ("def f(x: cython.int) -> int:", "def f(x: cython.int) -> int:"),
    ],
)
def test_each_spelling_says_what_it_is_in_c(text, line, made, written):
    path = written(f"{text}\n    ...\n" if text.endswith(":") else text)
    assert copied(made, path)[0] == line


def test_a_number_of_a_face_is_what_a_caller_gives(made, written, monkeypatch):
    path = written("def f(x: float, n: int | None = 2, *, k: cython.int = 1) -> float:\n    ...\n")
    monkeypatch.setitem(made["source_of"].__globals__, "FACES", path.parent)
    assert copied(made, path)[0] == "def f(x, n = 2, *, k: cython.int = 1) -> float:"


def test_a_class_of_c_is_generic_for_type_checkers_alone(made, written):
    path = written("@cython.cclass\nclass Tree(Generic[Item]):\n    ...\n")
    assert copied(made, path)[1] == "cdef class Tree:"
    assert declared(made, path)[0] == "cdef class Tree:"


def test_a_layout_has_numbers_structs_and_inline_functions_above_what_is_written(made, tmp_path):
    (tmp_path / "layout.pxd").write_text("cdef int more\n")
    path = tmp_path / "layout.py"
    path.write_text("""
from nowhere import nothing
SIZE, FAR = 2 * 2, -(1 << 40)
INF = float("inf")
names = 3
class Spot:
    __slots__ = {"u": "double", "at": "int[SIZE]"}
class Other:
    __slots__ = ("x",)
def double(spot: cython.pointer[Spot]) -> Annotated[cython.double, "inline noexcept nogil"]:
    return 2.0 * spot.u
def plain(spot: Spot) -> float:
    return spot.u
""")
    assert made["layout_of"](path).splitlines()[3:] == [
        "cdef enum:",
        "    SIZE = 4",
        "cdef extern from *:",
        '    const long long FAR "((long long)-1099511627776)"',
        '    const double INF "((double)INFINITY)"',
        "cdef struct Spot:",
        "    double u",
        "    int at[SIZE]",
        "cdef inline double double(Spot* spot) noexcept nogil:",
        "    return 2.0 * spot.u",
        "",
        "cdef int more",
    ]
    assert made["exports"](path)[0] >= {"SIZE", "FAR", "INF", "Spot", "double", "more"}
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


def test_a_final_method_of_a_class_that_can_be_derived_from(made, written):
    path = written("""
@cython.cclass
class A(B):
    __slots__ = {"x": "readonly double"}
    @cython.final
    def f(self, other: A) -> NoGil[cython.int]:
        return 1
    def g(self) -> None: ...
""")
    assert declared(made, path) == [
        "cdef class A(B):",
        "    cdef readonly double x",
        "    @cython.final",
        "    cdef int f(self, A other) noexcept nogil",
    ]
    assert copied(made, path) == [
        "",
        "",
        "cdef class A(B):",
        "    __slots__ = ('x',)",
        "    @cython.final",
        "    cdef int f(self, A other) noexcept nogil:",
        "        return 1",
        "    def g(self) -> None: ...",
    ]


def test_c_fields_without_a_c_class_are_refused(made, written):
    path = written('class A:\n    __slots__ = {"x": "int"}\n')
    with pytest.raises(SyntaxError, match=r"some\.py: A has C fields, but no @cython\.cclass"):
        declared(made, path)


def test_the_copy_keeps_every_line_and_lacks_what_c_imports(made):
    path = Path("tilequad/_core/tree/within.py")
    lines = path.read_text().splitlines()
    copy = made["source_of"](path).replace("_of_within", "").splitlines()
    changed = [pair for pair in zip(lines, copy, strict=True) if pair[0] != pair[1]]

    assert ("from tilequad._core import _cython as cython", "import cython") in changed
    assert "tilequad._core.tree" not in "\n".join(copy)
    assert "tilequad._core.layout cimport" in "\n".join(declared(made, path))
    for line, text in changed:
        assert text in ("", "pass", "import cython") or text.startswith("cdef "), line


def test_an_inline_function_is_one_of_c_in_as_many_lines(made, written):
    text = '@cython.inline\ndef f(\n    x: cython.int,\n) -> cython.int:\n    """F."""\n'
    assert copied(made, written(text)) == [
        "",
        "cdef inline int f(int x) noexcept nogil:",
        "",
        "",
        '    """F."""',
    ]


def test_the_body_of_a_c_function_needs_a_line_of_its_own(made, written):
    with pytest.raises(SyntaxError, match="the body of f needs a line of its own"):
        made["source_of"](written("def f() -> NoGil[None]: ...\n"))


def test_a_module_offers_what_python_sees_of_each_file(made, written):
    path = written("""
N: cython.int = 1
SIZE = 2
def f() -> NoGil[None]: ...
def g() -> Annotated[cython.int, "cpdef except -1"]: ...
def h() -> None: ...
@cython.cclass
class A: ...
""")
    lines = made["text_of"]([path]).splitlines()

    assert 'include "some.pxi"' in lines
    assert lines[-3:] == ["FILES = {", "    \"some\": ('A', 'SIZE', 'g', 'h'),", "}"]


def test_a_name_stands_for_one_thing_in_a_module(made, written):
    one = written("N: cython.int = 1\nfrom math import pi\n", "one.py")
    fine = written("N: cython.int = 2\nfrom math import pi\n", "fine.py")
    other = written("def pi() -> None: ...\n", "other.py")

    made["check_names"]([one, fine])
    with pytest.raises(SyntaxError, match=r"other\.py: pi is \S*other\.pi, but also math\.pi"):
        made["check_names"]([one, fine, other])


def test_the_files_of_a_module_have_the_same_directives(made, tmp_path):
    one, alike, other = (tmp_path / f"{name}.py" for name in ("one", "alike", "other"))
    one.write_text("# cython: binding=False\nN = 1\n")
    alike.write_text("# cython: binding=False\nM = 1\n")
    other.write_text('"""Other."""\nK = 1\n')

    assert made["directives_of"]([one, alike]) == "# cython: binding=False"
    assert made["directives_of"]([other]) == ""
    with pytest.raises(SyntaxError, match="all files of a module need the same directives"):
        made["directives_of"]([one, other])


def test_a_file_stands_below_those_that_it_imports_in_its_module(made):
    for files in made["modules"]().values():
        seen = set()
        for path in files:
            needed = {made["file_of"](node.module) for node, _, _ in made["imports"](path)}
            assert needed.intersection(files) <= seen
            seen.add(path)


@pytest.mark.slow
def test_what_has_not_changed_is_not_written_again(made, tmp_path):
    made["make"](tmp_path)
    gone = tmp_path / "tilequad" / "_core" / "gone.pxd"
    gone.write_text("")
    times = {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*.p*") if path != gone}
    made["make"](tmp_path)

    assert len(times) > 80
    assert times == {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*.p*")}


def test_the_stub_names_the_same_results(made):
    names = {"NoGil", "Gil", "Raises", "RaisesNoGil", "Object"}
    stub = (ROOT / "tilequad" / "_core" / "_cython.pyi").read_text().splitlines()
    source = (ROOT / "tilequad" / "_core" / "_cython.py").read_text().splitlines()

    assert set(made["results"]()) == names
    assert names < vars(_cython).keys()
    for name in names:
        [line] = [line for line in source if line.startswith(f"{name} = ")]
        assert line in stub
