"""Public names that load on first use."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from importlib import import_module

__all__ = ["on_first_use"]


def on_first_use(
    package: str, modules: Mapping[str, str], *others: str
) -> tuple[Callable[[str], object], Callable[[], list[str]]]:
    """Return a package's `__getattr__` and `__dir__` (PEP 562).

    Call it where type checkers do not look, because they would accept any name.

    Args:
        package: Its `__name__`.
        modules: The module of each public name. A module of the package may be one of the names.
        others: More names for `dir`.
    """

    def load(name: str) -> object:
        """Import a public name when it is first used."""
        if name not in modules:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        module = import_module(modules[name])
        value = module if module.__name__ == f"{package}.{name}" else getattr(module, name)
        setattr(sys.modules[package], name, value)
        return value

    def names() -> list[str]:
        """List the public names, loaded or not."""
        return [*modules, *others]

    return load, names
