"""The compiled core: whether it is there, and how its files come by it."""

from __future__ import annotations

import sys
from importlib import import_module
from importlib.machinery import EXTENSION_SUFFIXES, ModuleSpec
from importlib.util import module_from_spec
from pathlib import Path

__all__ = ["COMPILED", "is_compiled", "take_compiled"]


def is_compiled(folder: str | Path) -> bool:
    """Whether a folder has a copy of the package that is compiled for this Python."""
    core = Path(folder, "tilequad", "_core")
    return any((core / f"checks{suffix}").is_file() for suffix in EXTENSION_SUFFIXES)


#: Whether the core is compiled. The build compiles all modules or none, so one speaks for all.
COMPILED = is_compiled(Path(__file__).parents[2])


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
