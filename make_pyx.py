"""Writes what Cython compiles: a module for each folder of the core, with its C declarations.

The files of a folder become one module, `_compiled`, because each module takes time. Those directly
in the core are modules of their own: much needs them that needs none of the rest, not even numpy.
A module is a .pyx that includes a copy of each of its files, so they share one set of names; it
ends with a table of what each offers to Python, for `tilequad/_core/compiled.py`.

A file of the core imports the stand-in for `cython`. A name in it is one of C's if it is
    a class      with `@cython.cclass`; its `__slots__` is a dict, with the C type of each field
    a function   whose result says how C calls it: NoGil[T] and its like, which the stand-in
                 defines, or in full Annotated[T, "cpdef except? -2"] or Annotated[T, "inline"];
                 or that has the one decorator `@cython.inline`: C copies it to where it is called
                 in its module
    a constant   at the top level whose annotation is a C type
    in layout.py which is never compiled: a number, a struct, which is a class whose `__slots__` is
                 a dict, or a function whose result is Annotated[T, "inline ..."]
    beside that  in a layout.pxd that somebody has written
A copy says `cdef` where the file says it as above, and lacks the imports of C's names: the .pxd of
the module has them. It keeps all lines, so an error or a traceback names the line of the original.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from functools import cache
from graphlib import TopologicalSorter
from math import inf
from pathlib import Path
from typing import Any

CORE, FACES = Path("tilequad/_core"), Path("tilequad/quadtree")
FOLDERS = CORE, FACES
STAND_IN = CORE / "_cython.py"
LAYOUT = "layout.py"
IMPORT = "from tilequad._core import _cython as cython"
INLINE = "cython.inline"
OBJECTS = {"bytes", "dict", "list", "object", "str", "tuple"}
LIBC = {name: name for name in ("fabs", "floor", "ldexp", "sqrt")}
LIBC |= {"inf": "INFINITY as inf", "nan": "NAN as nan"}
TYPES = {
    "longlong": "long long",
    "schar": "signed char",
    "uchar": "unsigned char",
    "uint": "unsigned int",
    "ulonglong": "unsigned long long",
    "ushort": "unsigned short",
}


def make(to: Path) -> None:
    """Write the modules, with all that they read, to the same places below a folder."""
    texts = {}
    for module, files in modules().items():
        texts |= {path.with_suffix(".pxi"): source_of(path) for path in files}
        texts[file_of(module).with_suffix(".pyx")] = text_of(files)
        texts[file_of(module).with_suffix(".pxd")] = declarations_of(module, files)
    for path in sources():
        if path.name == "__init__.py":
            texts[path] = ""
        elif path.name == LAYOUT:
            texts |= {path: "", path.with_suffix(".pxd"): layout_of(path)}
    for path, text in texts.items():
        write(to / path, text)
    for old in {path for ending in ("py", "pyx", "pxi", "pxd") for path in to.rglob(f"*.{ending}")}:
        if old.relative_to(to) not in texts:
            old.unlink()


@cache
def sources() -> list[Path]:
    """The files below the folders, of the core or not."""
    return sorted(path for folder in FOLDERS for path in folder.rglob("*.py"))


@cache
def modules() -> dict[str, list[Path]]:
    """The modules to compile, each with its files: what others import comes first."""
    found: dict[str, list[Path]] = {}
    for path in sources():
        if is_core(path):
            found.setdefault(module_of(path), []).append(path)
    for module, files in found.items():
        needed = {
            path: [file_of(node.module) for node, _, _ in imports(path) if not node.col_offset]
            for path in files
        }
        inside = {path: [one for one in needed[path] if one in needed] for path in files}
        found[module] = list(TopologicalSorter(inside).static_order())
    return found


@cache
def module_of(path: Path) -> str:
    """The module that a file is compiled into."""
    alone = not is_core(path) or path.parent == CORE
    return name_of(path if alone else path.with_name("_compiled.py"))


@cache
def is_core(path: Path) -> bool:
    """Whether a file is one to compile."""
    return path.exists() and f"\n{IMPORT}\n" in path.read_text("utf-8")


def directives_of(files: list[Path]) -> str:
    """The first line of the files of a module, if it holds directives for Cython."""
    first, *others = {path.read_text("utf-8").partition("\n")[0] for path in files}
    if others and any(line.startswith("# cython:") for line in (first, *others)):
        raise SyntaxError(f"{files[0].parent}: all files of a module need the same directives")
    return first if first.startswith("# cython:") else ""


def text_of(files: list[Path]) -> str:
    """The text of a module's .pyx."""
    check_names(files)
    includes = [f'include "{path.stem}.pxi"' for path in files]
    offers = [f'    "{path.stem}": {tuple(sorted(offered(path)))},' for path in files]
    lines = [*includes, "FILES = {", *offers, "}"]
    return "\n".join([directives_of(files), "from __future__ import annotations", *lines, ""])


@cache
def places() -> dict[tuple[str, str], str]:
    """The file of each name in a module, as Python names it."""
    found = {}
    for module, files in modules().items():
        for path in files:
            found |= {(module, name): name_of(path) for name in defined(path)}
    return found


def check_names(files: list[Path]) -> None:
    """Refuse a name that stands for two things in the files of one module."""
    origins: dict[str, str] = {}
    for path in files:
        named = {name: f"{name_of(path)}.{name}" for name in defined(path) - own_constants(path)}
        for node in filter(lambda one: isinstance(one, ast.ImportFrom), parsed(path).body):
            named |= {one.asname or one.name: f"{node.module}.{one.name}" for one in node.names}
        for name, origin in named.items():
            if origins.setdefault(name, origin) != origin:
                raise SyntaxError(f"{path}: {name} is {origin}, but also {origins[name]}")


def defined(path: Path) -> set[str]:
    """The names that the lines at the top level of a file define."""
    found = set()
    for node in parsed(path).body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            found.add(node.name)
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            for target in node.targets if isinstance(node, ast.Assign) else [node.target]:
                found |= {one.id for one in ast.walk(target) if isinstance(one, ast.Name)}
    return found


def offered(path: Path) -> set[str]:
    """The names of a file that Python sees when it is compiled."""
    hidden = set()
    for node in parsed(path).body:
        kind = (call_of(node, types_of(path)) or ("cpdef",))[0]
        hidden |= {constant_of(node)} if kind == "cpdef" else {node.name}
    return defined(path) - hidden


def own_constants(path: Path) -> set[str]:
    """C's constants that no other file imports: two files of a module may have one of a name."""
    constants = {constant_of(node) for node in parsed(path).body} - {""}
    return {name for name in constants if (path, name) not in users()}


def source_of(path: Path) -> str:
    """The copy of a file that its module includes."""
    lines = path.read_text("utf-8").splitlines()
    types = types_of(path)
    if path.is_relative_to(FACES):
        drop_numbers(path, lines)
    for node, names, others in imports(path):
        if names or not others:
            kept = f"from {node.module} import {', '.join(others)}" if others else "pass"
            put(lines, node, kept)
    for node in parsed(path).body:
        write_head(node, lines, types)
        for line in node.body if has(node, "cython.cclass") else []:
            write_head(line, lines, types)
            if is_slots(line):  # a dict of their types takes much more C, and the .pxd has those
                put(lines, line, f"__slots__ = {tuple(ast.literal_eval(line.value))}")
    text = "\n".join("import cython" if line == IMPORT else line for line in lines) + "\n"
    for name in own_constants(path):
        text = re.sub(rf"(?<![\w.]){name}\b", f"{name}_of_{path.stem}", text)
    return text


def write_head(node: ast.stmt, lines: list[str], types: set[str]) -> None:
    """Say `cdef` in the head of a class, function or constant, if it is one of C's."""
    call = call_of(node, types)
    for decorator in getattr(node, "decorator_list", []):
        if ast.unparse(decorator) in ("cython.cclass", INLINE):
            put(lines, decorator, "")
    if has(node, "cython.cclass"):
        lines[node.lineno - 1] = class_head(node)
    elif constant_of(node):
        name, _, value = lines[node.lineno - 1].partition(f": {ast.unparse(node.annotation)}")
        lines[node.lineno - 1] = f"cdef {c_type(node.annotation, types)} {name}{value}"
    elif call:
        height = node.body[0].lineno - node.lineno
        if not height:
            raise SyntaxError(f"the body of {node.name} needs a line of its own")
        head = " " * node.col_offset + head_of(node, types, with_values=True) + ":"
        lines[node.lineno - 1 : node.body[0].lineno - 1] = [head, *[""] * (height - 1)]


def drop_numbers(path: Path, lines: list[str]) -> None:
    """Drop `float` and `int` as annotations: Cython would convert, and its errors name nothing."""
    arguments = [node for node in ast.walk(parsed(path)) if isinstance(node, ast.arg)]
    for argument in sorted(arguments, key=lambda node: -node.col_offset):
        said = argument.annotation
        if said and {"float", "int"} & {getattr(one, "id", "") for one in ast.walk(said)}:
            line = lines[said.lineno - 1]
            end = argument.col_offset + len(argument.arg)
            lines[said.lineno - 1] = line[:end] + line[said.end_col_offset :]


def put(lines: list[str], node: ast.stmt | ast.expr, text: str) -> None:
    """Write one line in place of those of a statement, or of a decorator."""
    height = node.end_lineno - node.lineno
    indent = " " * node.col_offset if text else ""
    lines[node.lineno - 1 : node.end_lineno] = [indent + text, *[""] * height]


def declarations_of(module: str, files: list[Path]) -> str:
    """The text of a module's .pxd: what it cimports, its classes, and what others want of it."""
    cimported: dict[str, set[str]] = {}
    lines = []
    for path in files:
        types = types_of(path)
        for node, names, _ in imports(path):
            origin = "libc.math" if node.module == "math" else module_of(file_of(node.module))
            if names and origin != module:
                cimported.setdefault(origin, set()).update(LIBC.get(name, name) for name in names)
        for node in parsed(path).body:
            if isinstance(node, ast.ClassDef):
                lines += class_lines(path, node, types)
            elif is_wanted(path, constant_of(node)):
                lines.append(f"cdef {c_type(node.annotation, types)} {constant_of(node)}")
            elif call_of(node, types) and is_wanted(path, node.name):
                lines.append(head_of(node, types))
    named = ", ".join(path.name for path in files)
    cimports = [f"from {at} cimport {', '.join(sorted(of))}" for at, of in cimported.items()]
    return "\n".join([f"# Made from {named}.", "cimport cython", *cimports, *lines, ""])


@cache
def layout_of(path: Path) -> str:
    """The text of a layout.pxd: numbers, structs and inline functions, and what stands there."""
    short, long, structs, inline = ["cdef enum:"], ["cdef extern from *:"], [], []
    body = parsed(path).body
    names: dict[str, Any] = {}
    plain = [node for node in body if isinstance(node, ast.Assign | ast.ClassDef)]
    exec(compile(ast.Module(plain, []), path, "exec"), names)  # no import: this runs in a build
    for name, value in names.items():
        if name.isupper() and type(value) is int and abs(value) < 1 << 31:
            short.append(f"    {name} = {value}")
        elif name.isupper() and type(value) in (int, float):
            of = "double" if isinstance(value, float) else "long long"
            long.append(f'    const {of} {name} "(({of}){"INFINITY" if value == inf else value})"')
        elif isinstance(fields := getattr(value, "__slots__", None), dict):
            parts = [re.match(r"([^[]*)(.*)", of).groups() for of in fields.values()]
            inside = [f"    {of} {field}{n}" for field, (of, n) in zip(fields, parts, strict=True)]
            structs += [f"cdef struct {name}:", *inside]
    types = {node.name for node in body if isinstance(node, ast.ClassDef)}
    lines = path.read_text("utf-8").splitlines()
    for node in filter(lambda node: call_of(node, types), body):
        inline += [f"{head_of(node, types)}:", *lines[node.body[0].lineno - 1 : node.end_lineno]]
    written = path.with_suffix(".pxd")
    by_hand = written.read_text("utf-8") if written.exists() else ""
    head = [f"# Made from {path.name}.", "# cython: infer_types=True", "cimport cython"]
    return "\n".join([*head, *short, *long, *structs, *inline, "", by_hand])


def class_lines(path: Path, node: ast.ClassDef, types: set[str]) -> list[str]:
    """The declaration of a class, if it is one of C's."""
    fields = {}
    for line in filter(is_slots, node.body):
        fields = ast.literal_eval(line.value)
    if not has(node, "cython.cclass"):
        if isinstance(fields, dict) and fields:
            raise SyntaxError(f"{path}: {node.name} has C fields, but no @cython.cclass")
        return []
    lines = ["@cython.final"] * has(node, "cython.final") + [class_head(node)]
    inside = [f"cdef {of} {name}" for name, of in dict(fields).items()]
    for method in node.body:
        if call_of(method, types):
            inside += ["@cython.final"] * has(method, "cython.final") + [head_of(method, types)]
    return lines + [f"    {line}" for line in inside or ["pass"]]


def class_head(node: ast.ClassDef) -> str:
    """The head of one of C's classes; that it is generic is for type checkers."""
    bases = [base for base in map(ast.unparse, node.bases) if not base.startswith("Generic[")]
    return f"cdef class {node.name}" + (f"({', '.join(bases)}):" if bases else ":")


def head_of(node: ast.FunctionDef, types: set[str], with_values: bool = False) -> str:
    """The head of one of C's functions, as a .pxd has it, or with the values of its defaults."""
    kind, result, flags = call_of(node, types)
    arguments, written = node.args.args, []
    values = [None] * (len(arguments) - len(node.args.defaults)) + node.args.defaults
    for argument, value in zip(arguments, values, strict=True):
        of = "" if argument.arg == "self" else c_type(argument.annotation, types) + " "
        default = f"={ast.unparse(value) if with_values else '*'}" if value else ""
        written.append(of + argument.arg + default)
    return f"{kind} {result} {node.name}({', '.join(written)}) {flags}".rstrip()


def call_of(node: ast.stmt, types: set[str]) -> tuple[str, str, str] | None:
    """How C calls a function: cdef or cpdef, its result, and what follows; None if it does not."""
    if [ast.unparse(one) for one in getattr(node, "decorator_list", [])] == [INLINE]:
        return "cdef inline", c_type(node.returns, types), "noexcept nogil"
    match getattr(node, "returns", None):
        case ast.Subscript(ast.Name("Annotated"), ast.Tuple([of, how])):
            flags = ast.literal_eval(how)
        case ast.Subscript(ast.Name(name), of) if name in results():
            flags = results()[name]
        case _:
            return None
    kind = "cdef"
    for said, named in (("cpdef", "cpdef"), ("inline", "cdef inline")):
        if flags.startswith(said):
            kind, flags = named, flags.removeprefix(said).strip()
    result = c_type(of, types)
    return kind, result if flags or result != "void" else "object", flags


@cache
def results() -> dict[str, str]:
    """What follows the signature of a function, by the name around its result."""
    found = {}
    for node in parsed(STAND_IN).body:
        match node:
            case ast.Assign([ast.Name(name)], ast.Subscript(ast.Name("Annotated"), of)):
                found[name] = ast.literal_eval(of.elts[1])
    return found


def c_type(node: ast.expr | None, types: set[str]) -> str:
    """The C type that an annotation names; what C does not know is an object."""
    match node:
        case ast.Constant(None):
            return "void"
        case ast.Name(name) | ast.Subscript(ast.Name(name)) if name in OBJECTS or name in types:
            return name
        case ast.BinOp(of, ast.BitOr(), ast.Constant(None)):
            return c_type(of, types)
        case ast.Attribute(ast.Name("cython"), name):
            base = name.removeprefix("const_").removeprefix("p_")
            const = "const " * name.startswith("const_")
            return const + TYPES.get(base, base) + "*" * ("p_" in name[: -len(base)])
        case ast.Subscript(ast.Attribute(ast.Name("cython"), "pointer"), of):
            return c_type(of, types) + "*"
        case ast.Subscript(of) if ast.unparse(of).startswith("cython."):  # a view
            return c_type(of, types) + ast.unparse(node)[len(ast.unparse(of)) :]
    return "object"


def constant_of(node: ast.stmt) -> str:
    """The constant that a line at the top level gives a C type."""
    typed = isinstance(node, ast.AnnAssign) and ast.unparse(node.annotation).startswith("cython.")
    return node.target.id if typed else ""


@cache
def imports(path: Path) -> list[tuple[ast.ImportFrom, list[str], list[str]]]:
    """What a file imports: each with C's names, and those that Python imports from elsewhere."""
    found = []
    for node in statements(parsed(path)):
        if not isinstance(node, ast.ImportFrom):
            continue
        known = LIBC if node.module == "math" else exports(file_of(node.module))[0]
        names = [name.name for name in node.names if name.name in known]
        others = [ast.unparse(name) for name in node.names if name.name not in names]
        if file_of(node.module) == STAND_IN or node.module == "__future__":
            names, others = [], []
        elif module_of(file_of(node.module)) == module_of(path):
            if any(name.asname for name in node.names):
                raise SyntaxError(f"{path}: a name of {node.module} must stay as it is")
            names, others = [], []
        found.append((node, names, others))
    return found


def is_wanted(path: Path, name: str) -> bool:
    """Whether a file of another module imports a name of a file."""
    return bool(users().get((path, name), set()) - {module_of(path)})


@cache
def users() -> dict[tuple[Path, str], set[str]]:
    """The modules whose files import a name of a file."""
    found: dict[tuple[Path, str], set[str]] = {}
    for path in filter(is_core, sources()):
        for node, _, _ in imports(path):
            for name in node.names:
                found.setdefault((file_of(node.module), name.name), set()).add(module_of(path))
    return found


@cache
def exports(path: Path) -> tuple[set[str], set[str]]:
    """The names of C's in a file, and which of them are types."""
    if not path.exists():
        return set(), set()
    if path.name == LAYOUT:
        text = re.sub(r"#.*|\"\"\"[^\"]*\"\"\"", "", layout_of(path))
        types = set(re.findall(r"^cdef (?:class|struct) (\w+)", text, re.MULTILINE))
        return set(re.findall(r"\b\w+\b", text)) - OBJECTS, types
    body = parsed(path).body
    types = {node.name for node in body if has(node, "cython.cclass")}
    functions = {node.name for node in body if call_of(node, types)}
    return types | functions | {constant_of(node) for node in body} - {""}, types


@cache
def types_of(path: Path) -> set[str]:
    """The types of C's that a file defines or imports from files with such types."""
    types = set(exports(path)[1])
    for node, _, _ in imports(path):
        types |= exports(file_of(node.module))[1]
    return types


def is_slots(node: ast.stmt) -> bool:
    """Whether a line of a class names its fields."""
    return isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__slots__"


def has(node: ast.stmt, decorator: str) -> bool:
    """Whether a class or function has a decorator."""
    return decorator in map(ast.unparse, getattr(node, "decorator_list", []))


def name_of(path: Path) -> str:
    """The name by which Python imports a file."""
    return ".".join(path.with_suffix("").parts)


def file_of(module: str) -> Path:
    """The file of a module."""
    return Path(*module.split(".")).with_suffix(".py")


def statements(node: ast.AST) -> Iterator[ast.stmt]:
    """All statements inside a node, without their expressions, which are many."""
    for field in ("body", "handlers", "cases", "orelse", "finalbody"):
        for inner in getattr(node, field, []):
            yield inner
            yield from statements(inner)


@cache
def parsed(path: Path) -> ast.Module:
    """The tree of a file."""
    return ast.parse(path.read_text("utf-8"))


def write(path: Path, text: str) -> None:
    """Write a file, unless it has this text: its time decides what is compiled again."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if not path.exists() or path.read_text("utf-8") != text:
        path.write_text(text, "utf-8")


if __name__ == "__main__":
    make(Path(sys.argv[1]))
