"""The compiled core: whether it is there, how its files come by it, and what may hide it."""

from __future__ import annotations

import os
import sys
import warnings
from importlib import import_module
from importlib.machinery import EXTENSION_SUFFIXES, ModuleSpec
from importlib.util import module_from_spec
from pathlib import Path

__all__ = ["COMPILED", "is_compiled", "take_compiled", "warn_of_hidden_copy"]

_OWN = Path(__file__).parents[2]  # the folder that has these sources


def is_compiled(folder: str | Path) -> bool:
    """Whether a folder has a copy of the package that is compiled for this Python."""
    core = Path(folder, "tilequad", "_core")
    return any((core / f"checks{suffix}").is_file() for suffix in EXTENSION_SUFFIXES)


#: Whether the core is compiled. The build compiles all modules or none, so one speaks for all.
COMPILED = is_compiled(_OWN)


def take_compiled(package: str) -> None:
    """Take the files of a package from the module that they are compiled into.

    Call it when the package is imported: Python then finds its files among the loaded modules, and
    does not read them. Without a compiled core it does nothing.
    """
    if not COMPILED:
        return
    compiled = import_module(f"{package}._compiled")
    for file, names in compiled.FILES.items():
        name = f"{package}.{file}"
        plain = sys.modules.get(name)
        if plain is not None and plain.__file__ != compiled.__file__:
            raise ImportError(f"{name} was read as plain Python while {package} was imported")
        module = module_from_spec(ModuleSpec(name, None, origin=compiled.__file__))
        module.__file__ = compiled.__file__
        vars(module).update({name: getattr(compiled, name) for name in names})
        setattr(sys.modules[package], file, module)
        sys.modules[name] = module


def warn_of_hidden_copy() -> None:
    """Warn if a compiled copy is installed behind these sources, which run as plain Python.

    Python takes the first folder of `sys.path` that has a package: usually that of the script, or
    the current one. There is no warning without a compiled copy, or if the
    environment variable TILEQUAD_PURE is 1.
    """
    if os.environ.get("TILEQUAD_PURE") == "1" or COMPILED:
        return
    hidden = next(filter(is_compiled, sys.path), None)
    if hidden is not None:
        warnings.warn(
            f"tilequad runs as plain Python, about a hundred times slower: the sources in "
            f"{_OWN / 'tilequad'} hide the compiled copy in {Path(hidden, 'tilequad')}. Run Python "
            f"from another folder, or compile the sources: run pip install -e . in {_OWN} "
            "(TILEQUAD_PURE=1 runs them as they are, without this warning)",
            RuntimeWarning,
            stacklevel=3,
        )
