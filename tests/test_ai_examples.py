"""The examples in the docstrings of tilequad.ai run and show what happens."""

import doctest
import importlib
import pkgutil

import pytest

import tilequad.ai

MODULES = sorted(
    module.name for module in pkgutil.iter_modules(tilequad.ai.__path__, "tilequad.ai.")
)
PRIVATE = {name for name in MODULES if name.rpartition(".")[2].startswith("_")}
WORDS_ONLY = {"tilequad.ai.protocols"}
BY_MODULE = {"tilequad.ai.policies", "tilequad.ai.protocols"}


@pytest.mark.parametrize("name", MODULES)
def test_the_examples_of_a_module_run_as_written(name):
    result = doctest.testmod(importlib.import_module(name), optionflags=doctest.FAIL_FAST)

    assert result.failed == 0
    assert result.attempted > 0 or name in PRIVATE | WORDS_ONLY


def test_every_public_name_is_listed_and_there():
    listed = [name for name in MODULES if name not in PRIVATE | BY_MODULE]
    modules = [importlib.import_module(name) for name in listed]
    offered = sorted(name for module in modules for name in module.__all__)

    assert sorted(tilequad.ai.__all__) == sorted([*offered, "policies", "protocols"])
    for name in offered:
        assert hasattr(tilequad.ai, name)
