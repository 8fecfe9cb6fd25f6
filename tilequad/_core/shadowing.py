"""A warning for sources that hide a compiled copy, and so make everything slow unnoticed."""

from __future__ import annotations

import os
import sys
import warnings
from pathlib import Path

from tilequad._core.compiled import COMPILED, is_compiled

__all__ = ["warn_of_hidden_copy"]

_OWN = Path(__file__).parents[2]  # the folder that has these sources


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
