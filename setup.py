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
import make_pxd

FOLDERS = "tilequad/_core", "tilequad/quadtree"
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
# Most of the C handles Python's objects: -O3 takes twice as long for it, and makes it no faster.
# GCC gives -O3 to kernels alone: the functions that C calls, and those with a loop in C. All else
# gets -Og, which takes a quarter less time to compile than -O1, but for the faces of the trees:
# there -O1 makes each call 15% faster.
FUNCTION = re.compile(
    r"^static [^\n;=]*?\b__pyx_(?P<kind>f|pf)_\w+\([^\n;]*\{[^\n]*\n(?P<body>.*?)^\}",
    re.MULTILINE | re.DOTALL,
)
LOOP = re.compile(r"^ +(?:for \(__pyx_t_|while \(1\))", re.MULTILINE)
KERNEL = '__attribute__((optimize("O3", "fp-contract=off"))) '


def core() -> list[Extension]:
    """The files to compile, the longest first, and Cython's helpers."""
    paths = [path for folder in FOLDERS for path in Path(folder).rglob("*.py")]
    files = [path for path in paths if make_pxd.is_core(path)]
    files.sort(key=lambda path: (-path.stat().st_size, path))
    modules = {SHARED: SHARED.replace(".", "/") + ".c"}  # Cython writes it
    modules |= {".".join(path.with_suffix("").parts): path.as_posix() for path in files}
    return [Extension(name, [path], optional=not REQUIRED) for name, path in modules.items()]


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
        make_pxd.make(FOLDERS, MADE)
        here, temporary = Path.cwd(), Path(self.build_temp).absolute()
        gc.set_threshold(200_000)  # a fifth of Cython's time is a search for garbage
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
            extension.depends = ["make_pxd.py", "setup.py"]
            extension.sources = [os.path.relpath(path) for path in in_c.sources]
            if not msvc:
                mark_functions(Path(extension.sources[0]), kernels=gcc)
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


def mark_functions(path: Path, *, kernels: bool) -> None:
    """Keep Cython's helpers in one place of a C file, and tell GCC which functions are kernels."""
    text = path.read_text("utf-8")
    lighter = COPIED.sub("static __attribute__((cold)) ", text)
    if kernels and KERNEL not in text:
        lighter = FUNCTION.sub(marked, lighter)
    if lighter != text:
        path.write_text(lighter, "utf-8")


def marked(function: re.Match[str]) -> str:
    """A function of C, marked if it is a kernel."""
    is_kernel = function["kind"] == "f" or LOOP.search(function["body"])
    return KERNEL + function[0] if is_kernel else function[0]


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
