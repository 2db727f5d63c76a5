"""Starting must stay cheap: the numeric libraries wait until a statistic is asked for."""

from __future__ import annotations

import subprocess
import sys
from importlib import import_module

import pytest

from adjudicate.stats import STATISTICS


def test_importing_the_package_loads_no_numeric_library() -> None:
    command = [sys.executable, "-X", "importtime", "-c", "import adjudicate.stats"]
    loaded = subprocess.run(command, capture_output=True, text=True, check=True).stderr
    names = {line.rpartition("|")[2].strip().partition(".")[0] for line in loaded.splitlines()}
    assert "adjudicate" in names
    assert not names & {"numpy", "scipy", "sklearn", "krippendorff"}


def test_importing_every_module_of_the_package_loads_no_numeric_library() -> None:
    program = (
        "import sys, pkgutil, importlib, adjudicate.stats as s\n"
        "for m in pkgutil.iter_modules(s.__path__): importlib.import_module(f'adjudicate.stats.{m.name}')\n"
        "assert not {'numpy', 'scipy', 'sklearn', 'krippendorff'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", program], check=True)


@pytest.mark.parametrize("row", STATISTICS, ids=lambda row: row.name)
def test_every_row_of_the_table_names_a_function(row: object) -> None:
    module, _, name = row.function.partition(":")  # type: ignore[attr-defined]
    assert callable(getattr(import_module(module), name))
