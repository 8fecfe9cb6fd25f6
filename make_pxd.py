"""Writes what Cython compiles: for each file of the core a copy, and its C declarations next to it.

A file of the core imports the stand-in for `cython`. A name in it is one of C's if it is
    a class      with `@cython.cclass`; its `__slots__` is a dict, with the C type of each field
    a function   whose result says how C calls it: NoGil[T] and its like, which the stand-in
                 defines, or in full Annotated[T, "cpdef except? -2"]; or that has the one
                 decorator `@cython.inline`: C copies it to where its own file calls it
    a constant   at the top level whose annotation is a C type
    in a .pxd    that somebody has written, as layout.pxd
    beside that  in the .py, which is never compiled: a number, or a struct, which is a class whose
                 `__slots__` is a dict
An import of such a name becomes a cimport: in the copy, and in the .pxd if a declaration names it.
The copy keeps all lines, so an error in a compiled file names the line of the original.
"""

from __future__ import annotations

import ast
import re
import runpy
import sys
from functools import cache
from math import inf
from pathlib import Path

STAND_IN = Path("tilequad/_core/_cython.py")
IMPORT = "from tilequad._core import _cython as cython"
OBJECTS = {"bytes", "dict", "list", "object", "str", "tuple"}
LIBC = {name: name for name in ("fabs", "floor", "ldexp", "sqrt")}
LIBC |= {"inf": "INFINITY as inf", "nan": "NAN as nan"}
INLINE = ["@cython.cfunc", "@cython.inline", "@cython.nogil", "@cython.exceptval(check=False)"]
TYPES = {
    "longlong": "long long",
    "schar": "signed char",
    "uchar": "unsigned char",
    "uint": "unsigned int",
    "ulonglong": "unsigned long long",
    "ushort": "unsigned short",
}


def make(folders: tuple[str, ...], to: Path) -> None:
    """Write the C side of the core's files below some folders to the same places below another."""
    wanted = set()
    for path in sorted(file for folder in folders for file in Path(folder).rglob("*.py")):
        by_hand = path.with_suffix(".pxd")
        if is_core(path):
            texts = {path: source_of(path), by_hand: declarations_of(path)}
        elif by_hand.exists():
            texts = {path: "", by_hand: written_declarations_of(path)}
        else:
            texts = {path: ""} if path.name == "__init__.py" else {}
        for name, text in texts.items():
            write(to / name, text)
            wanted.add(to / name)
    for old in {*to.rglob("*.py"), *to.rglob("*.pxd")} - wanted:
        old.unlink()


def is_core(path: Path) -> bool:
    """Whether a file is one to compile."""
    return f"\n{IMPORT}\n" in path.read_text("utf-8")


def source_of(path: Path) -> str:
    """The file as Cython compiles it: with the real `cython`, and without imports of C's names."""
    lines = path.read_text("utf-8").splitlines()
    for node, module, names, others in cimports(path):
        kept = [f"from {node.module} import {', '.join(others)}"] if others else []
        if names and is_outermost(node):
            kept.append(f"from cython.cimports.{module} import {', '.join(names)}")
        height = node.end_lineno - node.lineno
        line = " " * node.col_offset + ("; ".join(kept) or "pass")
        lines[node.lineno - 1 : node.end_lineno] = [line] + [""] * height
    for node in parsed(path).body:
        if [ast.unparse(one) for one in getattr(node, "decorator_list", [])] == [INLINE[1][1:]]:
            write_inline(node, lines)
    return "\n".join("import cython" if line == IMPORT else line for line in lines) + "\n"


def write_inline(node: ast.FunctionDef, lines: list[str]) -> None:
    """Say in full how C takes an inline function, from the two lines above it to its docstring."""
    start, end = node.decorator_list[0].lineno - 3, node.body[0].end_lineno
    if any(line and not line.startswith("#") for line in lines[start : start + 2]):
        raise SyntaxError(f"{node.name} needs two lines above it for its decorators")
    head = f"def {node.name}({ast.unparse(node.args)}) -> {ast.unparse(node.returns)}:"
    lines[start:end] = [*INLINE, head, *[""] * (end - start - len(INLINE) - 1)]


def declarations_of(path: Path) -> str:
    """The text of a file's .pxd, with few cimports: whoever cimports from it reads those, too."""
    types, lines = set(exports(path)[1]), []
    for _, module, _, _ in cimports(path):
        types |= exports(file_of(module))[1]
    for node in parsed(path).body:
        if name := constant_of(node):
            lines.append(f"cdef {c_type(node.annotation, types)} {name}")
        elif isinstance(node, ast.ClassDef):
            lines += class_lines(path, node, types)
        else:
            lines += function_lines(node, types)
    used, imports = set(re.findall(r"\w+", "\n".join(lines))), ["cimport cython"]
    for node, module, names, _ in cimports(path):
        named = [name for name in names if name in used or not is_outermost(node)]
        imports += [f"from {module} cimport {', '.join(named)}"] * bool(named)
    return "\n".join([f"# Made from {path.name}.", *imports, *lines, ""])


@cache
def written_declarations_of(path: Path) -> str:
    """The text of a .pxd that somebody has written, below the numbers and structs of its file."""
    short, long, structs = ["cdef enum:"], ["cdef extern from *:"], []
    for name, value in runpy.run_path(str(path)).items():
        if name.isupper() and type(value) is int and abs(value) < 1 << 31:
            short.append(f"    {name} = {value}")
        elif name.isupper() and type(value) in (int, float):
            of = "double" if isinstance(value, float) else "long long"
            long.append(f'    const {of} {name} "(({of}){"INFINITY" if value == inf else value})"')
        elif isinstance(fields := getattr(value, "__slots__", None), dict):
            parts = [re.match(r"([^[]*)(.*)", of).groups() for of in fields.values()]
            inside = [f"    {of} {field}{n}" for field, (of, n) in zip(fields, parts, strict=True)]
            structs += [f"cdef struct {name}:", *inside]
    by_hand = path.with_suffix(".pxd").read_text("utf-8")
    return "\n".join([f"# Made from {path.name}.", *short, *long, *structs, "", by_hand])


def class_lines(path: Path, node: ast.ClassDef, types: set[str]) -> list[str]:
    """The declaration of a class, if it is one of C's."""
    fields = {}
    for line in node.body:
        if isinstance(line, ast.Assign) and ast.unparse(line.targets[0]) == "__slots__":
            fields = ast.literal_eval(line.value)
    if not has(node, "cython.cclass"):
        if isinstance(fields, dict) and fields:
            raise SyntaxError(f"{path}: {node.name} has C fields, but no @cython.cclass")
        return []
    base = f"({', '.join(map(ast.unparse, node.bases))})" if node.bases else ""
    lines = ["@cython.final"] * has(node, "cython.final") + [f"cdef class {node.name}{base}:"]
    inside = [f"cdef {of} {name}" for name, of in dict(fields).items()]
    for method in node.body:
        inside += function_lines(method, types, is_method=True)
    return lines + [f"    {line}" for line in inside or ["pass"]]


def function_lines(node: ast.stmt, types: set[str], is_method: bool = False) -> list[str]:
    """The declaration of a function, if it is one of C's."""
    found = call_of(node, types)
    if found is None:
        return []
    kind, result, flags = found
    arguments = node.args.args
    plain = len(arguments) - len(node.args.defaults)
    written = [
        f"{c_type(argument.annotation, types)} {argument.arg}{'=*' if i >= plain else ''}"
        for i, argument in enumerate(arguments)
    ]
    if is_method:
        written[0] = "self"
    line = f"{kind} {result} {node.name}({', '.join(written)}) {flags}".rstrip()
    return ["@cython.final"] * has(node, "cython.final") + [line]


def call_of(node: ast.stmt, types: set[str]) -> tuple[str, str, str] | None:
    """How C calls a function: cdef or cpdef, its result, and what follows; None if it does not."""
    match getattr(node, "returns", None):
        case ast.Subscript(ast.Name("Annotated"), ast.Tuple([of, how])):
            flags = ast.literal_eval(how)
        case ast.Subscript(ast.Name(name), of) if name in results():
            flags = results()[name]
        case _:
            return None
    kind, flags = ("cpdef", flags[5:].strip()) if flags.startswith("cpdef") else ("cdef", flags)
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
def cimports(path: Path) -> list[tuple[ast.ImportFrom, str, list[str], list[str]]]:
    """The imports with names of C's: each with its module in C, those names, and the others."""
    found = []
    for node in ast.walk(parsed(path)):
        if not isinstance(node, ast.ImportFrom) or node.level:
            continue
        known = LIBC if node.module == "math" else exports(file_of(node.module))[0]
        names = [name.name for name in node.names if name.name in known]
        others = [ast.unparse(name) for name in node.names if name.name not in names]
        if file_of(node.module) == STAND_IN:  # words for annotations
            found.append((node, node.module, [], []))
        elif names and node.module == "math":
            found.append((node, "libc.math", [LIBC[name] for name in names], others))
        elif names:
            found.append((node, node.module, names, others))
    return found


@cache
def exports(path: Path) -> tuple[set[str], set[str]]:
    """The names of C's in a file, and which of them are types."""
    if path.with_suffix(".pxd").exists():
        text = re.sub(r"#.*|\"\"\"[^\"]*\"\"\"", "", written_declarations_of(path))
        types = set(re.findall(r"^cdef (?:class|struct) (\w+)", text, re.MULTILINE))
        return set(re.findall(r"\b\w+\b", text)) - OBJECTS, types
    if not path.exists():
        return set(), set()
    body = parsed(path).body
    types = {node.name for node in body if has(node, "cython.cclass")}
    functions = {node.name for node in body if call_of(node, types)}
    return types | functions | {constant_of(node) for node in body} - {""}, types


def is_outermost(node: ast.stmt) -> bool:
    """Whether a line stands at the top level, where Cython takes a cimport."""
    return node.col_offset == 0


def has(node: ast.stmt, decorator: str) -> bool:
    """Whether a class or function has a decorator."""
    return decorator in map(ast.unparse, getattr(node, "decorator_list", []))


def file_of(module: str) -> Path:
    """The file of a module."""
    return Path(*module.split(".")).with_suffix(".py")


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
    make(("tilequad/_core", "tilequad/quadtree"), Path(sys.argv[1]))
