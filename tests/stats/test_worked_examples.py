"""The worked examples in docstrings are right."""

from __future__ import annotations

import doctest
from importlib import import_module
from pkgutil import iter_modules

import pytest

import adjudicate.stats


@pytest.mark.parametrize("name", [module.name for module in iter_modules(adjudicate.stats.__path__)])
def test_examples_of_the_module_hold(name: str) -> None:
    assert doctest.testmod(import_module(f"adjudicate.stats.{name}")).failed == 0
