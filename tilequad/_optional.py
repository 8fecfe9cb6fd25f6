"""Packages that only some calls need, imported by those calls."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

__all__ = ["needs"]


@contextmanager
def needs(package: str, what: str, install: str = "") -> Iterator[None]:
    """Wrap the import of a package, and say in one sentence what to install if it is missing.

    Args:
        package: Its name on PyPI.
        what: What needs it; the start of the error's sentence.
        install: What to pass to `pip install`, if not the package itself.

    Raises:
        ModuleNotFoundError: The package is not installed.

    Example:
        >>> with needs("Pillow", "reading images", '"tilequad[pillow]"'):
        ...     from PIL import Image
        >>> with needs("no-such-package", "flying"):
        ...     import no_such_package
        Traceback (most recent call last):
            ...
        ModuleNotFoundError: flying needs no-such-package: pip install no-such-package
    """
    try:
        yield
    except ModuleNotFoundError as problem:
        message = f"{what} needs {package}: pip install {install or package}"
        raise ModuleNotFoundError(message, name=problem.name) from problem
