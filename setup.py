"""Compiles the core where there is a C compiler; pyproject.toml says all the rest.

TILEQUAD_PURE=1 leaves the core as plain Python; TILEQUAD_REQUIRE_COMPILED=1 makes a core that
does not compile an error. CFLAGS are added, and then decide whether there are debug symbols.
"""

from __future__ import annotations

import os
from pathlib import Path

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

FOLDERS = "tilequad/_core", "tilequad/quadtree"
REQUIRED = os.environ.get("TILEQUAD_REQUIRE_COMPILED") == "1"
# Cython's own helpers, compiled once and not into every module: that halves the time of a build.
SHARED = "tilequad._core._cyutility"
# Without fused multiply-adds, so that compiled and plain Python round alike. MSVC never fuses.
# Aligned, so that a change to one function does not slow down the loops of the next by a fifth.
FLAGS = ["-O3", "-ffp-contract=off", "-falign-functions=64", "-falign-loops=32"]
FLAGS += [] if "CFLAGS" in os.environ else ["-g0"]
# For a file that says so at its top, and for Cython's helpers: they handle Python's objects more
# than numbers. -O3 takes twice as long for them, and makes them no faster.
OBJECTS = ["-O1"]


def core() -> list[Extension]:
    """The files to compile, the longest first: each .py with a .pxd beside it, and the helpers."""
    declared = [path for folder in FOLDERS for path in Path(folder).rglob("*.pxd")]
    pairs = [path.with_suffix(".py") for path in declared]
    # What stands in layout.py are constants, which need no module.
    files = [path for path in pairs if path.exists() and path.name != "layout.py"]
    files.sort(key=lambda path: (-path.stat().st_size, path))
    modules = {SHARED: SHARED.replace(".", "/") + ".c"}  # Cython writes it
    modules |= {".".join(path.with_suffix("").parts): path.as_posix() for path in files}
    settings = {"depends": ["setup.py"], "optional": not REQUIRED}
    return [Extension(name, [source], **settings) for name, source in modules.items()]


class BuildCore(build_ext):
    """Compiles on all cores, and either the whole core or nothing of it."""

    def build_extensions(self) -> None:
        """Turn the files into C, then into modules; one that fails takes the others with it."""
        import numpy
        from Cython.Build import cythonize

        self.parallel = min(os.cpu_count() or 1, len(self.extensions))
        translated = cythonize(
            self.extensions,
            nthreads=self.parallel,
            force=self.force,
            build_dir=self.build_temp,
            compiler_directives={"show_performance_hints": False},
            shared_utility_qualified_name=SHARED,
        )
        for extension, in_c in zip(self.extensions, translated, strict=True):
            extension.sources = in_c.sources
            own = OBJECTS if extension.name == SHARED else in_c.extra_compile_args
            gcc = self.compiler.compiler_type != "msvc"
            extension.extra_compile_args = FLAGS + own if gcc else []
            extension.include_dirs = [numpy.get_include()]
            extension.define_macros = [("NPY_NO_DEPRECATED_API", "NPY_1_7_API_VERSION")]
        super().build_extensions()
        built = [Path(self.get_ext_fullpath(extension.name)) for extension in self.extensions]
        if not all(path.exists() for path in built):
            for path in built:
                path.unlink(missing_ok=True)


if __name__ == "__main__":
    pure = os.environ.get("TILEQUAD_PURE") == "1"
    setup(ext_modules=[] if pure else core(), cmdclass={"build_ext": BuildCore})
