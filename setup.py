"""Compiles the core where there is a C compiler; pyproject.toml says all the rest.

TILEQUAD_PURE=1 leaves the core as plain Python; TILEQUAD_REQUIRE_COMPILED=1 makes a core that
does not compile an error. CFLAGS are added, and then decide whether there are debug symbols.
"""

from __future__ import annotations

import gc
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))  # a build from pip leaves it out
from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext
from setuptools.errors import CompileError

import home
import make_pyx

REQUIRED = os.environ.get("TILEQUAD_REQUIRE_COMPILED") == "1"
# Cython's own helpers, compiled once and not into every module: that halves the time of a build.
SHARED = "tilequad._core._cyutility"
# What Cython compiles, made from the sources.
MADE = Path("build/core")
# As fast as C: a file that needs Python's checks says so at its top.
DIRECTIVES = {
    "auto_pickle": False,  # a tenth of all code, and what is saved says how itself
    "binding": False,
    "boundscheck": False,
    "cdivision": True,
    "emit_code_comments": False,
    "freethreading_compatible": True,
    "infer_types": True,  # so that a local is declared only where C needs another type
    "initializedcheck": False,
    "language_level": 3,
    "show_performance_hints": False,
    "wraparound": False,
}
# Without fused multiply-adds, so that compiled and plain Python round alike. MSVC never fuses.
# Aligned, so that a change to one function does not slow down the loops of the next by a fifth.
FLAGS = ["-ffp-contract=off", "-falign-functions=64", "-falign-loops=32"]
FLAGS += [] if "CFLAGS" in os.environ else ["-g0"]
# Cython lets the compiler copy these helpers to each of the 700 places where an array becomes a
# field or an argument. One copy takes a tenth less time to compile, and a conversion as long.
COPIED = re.compile(
    r"^static CYTHON_INLINE (?=\S+ __Pyx_PyObject_to_MemoryviewSlice)", re.MULTILINE
)
# Where C says the name of a class or function: with that of its module.
NAME = re.compile(r'(?P<module>tilequad[.\w]*\._compiled)\.(?:"")?(?P<name>\w+)')
# Most of the C handles Python's objects: -O3 takes twice as long for it, and makes it no faster.
# GCC gives -O3 to kernels alone: the functions that C calls, and those with a loop in C. A kernel
# that handles objects, too, and never lets go of the GIL, gets -O1. All else gets -Og, which takes
# a quarter less time to compile than -O1, but for the faces of the trees: there -O1 makes each call
# 15% faster.
FUNCTION = re.compile(
    r"^static [^\n;=]*?\b__pyx_(?P<kind>f|pf)_\w+\([^\n;]*\{[^\n]*\n(?P<body>.*?)^\}",
    re.MULTILINE | re.DOTALL,
)
LOOP = re.compile(r"^ +(?:for \(__pyx_t_|while \(1\))", re.MULTILINE)
TAKES_OBJECT, LETS_GO = "__Pyx_GOTREF", "PyEval_SaveThread"
LEVEL = '__attribute__((optimize("{}", "fp-contract=off"))) '
# Cython 3.3 gives an item back here even if a list finds no memory for it, and then once more.
GIVEN_BACK = (
    "PyList_Append(list, x);\n    Py_DECREF(x);",
    "PyList_Append(list, x);\n    if (!result) Py_DECREF(x);",
)
# GCC copies a static function into its only caller. If that is a function of Python, a kernel there
# is a twelfth slower, so those that C calls are not static; no other module sees them.
CALLED = re.compile(
    r"^(?P<level>__attribute__\(\(optimize\([^)]*\)\)\) |)static (?!CYTHON_INLINE)"
    r"(?=[^\n;={]*?\b__pyx_f_\w+\()",
    re.MULTILINE,
)


def core() -> list[Extension]:
    """The modules to compile, the longest first, and Cython's helpers, which it writes itself."""
    files = sorted(make_pyx.modules().items(), key=lambda of: -sum(p.stat().st_size for p in of[1]))
    sources = {name: [path.as_posix() for path in paths] for name, paths in files}
    sources[SHARED] = [SHARED.replace(".", "/") + ".c"]
    return [Extension(name, paths, optional=not REQUIRED) for name, paths in sources.items()]


class BuildCore(build_ext):
    """Compiles on all cores, and either the whole core or nothing of it."""

    def build_extensions(self) -> None:
        """Turn the files into C, then into modules; one that fails takes the others with it."""
        if not self.finds_compiler():
            self.extensions = []
            return
        import numpy
        from Cython.Build import cythonize

        self.parallel = min(os.cpu_count() or 1, len(self.extensions))
        make_pyx.make(MADE)
        for extension in self.extensions:
            if extension.name != SHARED:
                module = make_pyx.file_of(extension.name).with_suffix(".pyx")
                extension.sources = [module.as_posix()]
        here, temporary = Path.cwd(), Path(self.build_temp).absolute()
        gc.disable()  # a fifth of Cython's time is a search for garbage
        os.chdir(MADE)  # so that errors and tracebacks name the files as they are called here
        try:
            translated = cythonize(
                self.extensions,
                nthreads=self.parallel,
                force=self.force,
                build_dir=str(temporary),
                compiler_directives=DIRECTIVES,
                shared_utility_qualified_name=SHARED,
            )
        finally:
            os.chdir(here)
        msvc = self.compiler.compiler_type == "msvc"
        gcc = not msvc and self.is_gcc()
        for extension, in_c in zip(self.extensions, translated, strict=True):
            extension.depends = ["make_pyx.py", "setup.py"]
            extension.sources = [os.path.relpath(path) for path in in_c.sources]
            finish(Path(extension.sources[0]), helpers=not msvc, kernels=gcc)
            if not msvc:
                glue = "-O1" if extension.name.startswith("tilequad.quadtree.") else "-Og"
                extension.extra_compile_args = [*FLAGS, glue if gcc else "-O3"]
            extension.include_dirs = [numpy.get_include()]
            extension.define_macros = [("NPY_NO_DEPRECATED_API", "NPY_1_7_API_VERSION")]
        self.done = 0
        super().build_extensions()
        built = [Path(self.get_ext_fullpath(extension.name)) for extension in self.extensions]
        if not all(path.exists() for path in built):
            for path in built:
                path.unlink(missing_ok=True)

    def build_extension(self, extension: Extension) -> None:
        """Compile one module, and show that the work goes on."""
        super().build_extension(extension)
        self.done += 1
        print(f"[{self.done}/{len(self.extensions)}] Compiled {extension.name}", flush=True)

    def is_gcc(self) -> bool:
        """Whether the compiler is GCC, and not one that only says so."""
        asked = [*self.compiler.compiler_so, "-dM", "-E", "-x", "c", os.devnull]
        macros = subprocess.run(asked, capture_output=True, text=True).stdout
        return "__GNUC__" in macros and "__clang__" not in macros

    def finds_compiler(self) -> bool:
        """Whether there is a compiler, asked before Cython takes a minute to write C for it."""
        if self.compiler.compiler_type == "msvc" or shutil.which(self.compiler.compiler_so[0]):
            return True
        words = f"there is no C compiler {self.compiler.compiler_so[0]!r}"
        if REQUIRED:
            raise CompileError(words)
        print(f"{words}: the core stays plain Python")
        return False


def finish(path: Path, *, helpers: bool, kernels: bool) -> None:
    """Name all as Python knows it in a C file, keep helpers once, and tell GCC what is a kernel."""
    text = path.read_text("utf-8")
    better = NAME.sub(named, text).replace('.pxi"', '.py"').replace(*GIVEN_BACK)
    if helpers:
        better = COPIED.sub("static __attribute__((cold)) ", better)
    if kernels and LEVEL.format("O3") not in text:
        better = FUNCTION.sub(marked, better)
        better = CALLED.sub(r'\g<level>__attribute__((visibility("hidden"))) ', better)
    if better != text:
        path.write_text(better, "utf-8")


def named(found: re.Match[str]) -> str:
    """The name of a class or function, with that of its file: so pickles and tracebacks have it."""
    file = make_pyx.places().get((found["module"], found["name"]))
    return f"{file}.{found['name']}" if file else found[0]


def marked(function: re.Match[str]) -> str:
    """A function of C; if it is a kernel, with the level at which GCC compiles it."""
    body = function["body"]
    if function["kind"] != "f" and not LOOP.search(body):
        return function[0]
    handles_objects = body.count(TAKES_OBJECT) > 5 and LETS_GO not in body
    return LEVEL.format("O1" if handles_objects else "O3") + function[0]


if __name__ == "__main__":
    pure = os.environ.get("TILEQUAD_PURE") == "1"
    address = home.home()
    setup(
        ext_modules=[] if pure else core(),
        cmdclass={"build_ext": BuildCore},
        long_description=home.readme(address),
        long_description_content_type="text/markdown",
        project_urls=home.urls(address),
    )
