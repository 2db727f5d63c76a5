"""The layout holds: every import contract is kept, each is seen to fail once, and starting loads nothing heavy."""

from __future__ import annotations

import pkgutil
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import NamedTuple

import pytest

import adjudicate.core

ROOT = Path(__file__).parents[1]
CONTRACTS = {
    contract["id"]: contract["name"]
    for contract in tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["importlinter"]["contracts"]
}
HEAVY = frozenset({
    "textual", "numpy", "scipy", "sklearn", "krippendorff", "matplotlib", "plotext", "sqlite_utils", "httpx2", "httpcore2",
    "tenacity",
})  # fmt: skip


class Violation(NamedTuple):
    """One import in a place where a contract forbids it."""

    contract: str
    module: str
    """File below the package."""
    line: str


VIOLATIONS = (
    Violation("layers", "core/gold.py", "import adjudicate.storage.rows"),
    Violation("layers", "formats/writers.py", "import adjudicate.stats.rates"),
    Violation("layers", "workflow/overview.py", "import adjudicate.tui"),
    Violation("textual", "cli/output.py", "import textual"),
    Violation("sqlite", "workflow/overview.py", "import sqlite_utils"),
    Violation("sqlite", "workflow/overview.py", "import sqlite3"),
    Violation("httpx", "workflow/overview.py", "import httpx2"),
    Violation("httpx", "workflow/overview.py", "import httpcore2"),
    Violation("numerics", "workflow/overview.py", "import numpy"),
    Violation("click", "workflow/overview.py", "import click"),
)


def lint(folder: Path) -> dict[str, str]:
    """KEPT or BROKEN by the name of each contract, as import-linter says of the package in a folder."""
    code = "import sys; from importlinter.cli import lint_imports_command; sys.exit(lint_imports_command())"
    command = [sys.executable, "-c", code, "--no-cache"]
    output = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    # Long names are wrapped; the state stands behind the name, and a report of broken contracts follows.
    section = " ".join(output.stdout.partition("Contracts:")[0].split())
    return {name: found[1] for name in CONTRACTS.values() if (found := re.search(re.escape(name) + " (KEPT|BROKEN)", section))}


def copied(folder: Path) -> Path:
    """A copy of the package and its contracts to break."""
    shutil.copytree(ROOT / "adjudicate", folder / "adjudicate", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "pyproject.toml", folder)
    return folder


def loaded_by(*arguments: str) -> set[str]:
    """Top-level modules that a fresh interpreter imports for these arguments."""
    command = [sys.executable, "-X", "importtime", *arguments]
    result = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    return {line.rpartition("|")[2].strip().partition(".")[0] for line in result.stderr.splitlines() if "import time:" in line}


def test_the_import_contracts_are_kept() -> None:
    assert lint(ROOT) == dict.fromkeys(CONTRACTS.values(), "KEPT")


@pytest.mark.parametrize("violation", VIOLATIONS, ids=lambda violation: f"{violation.contract}: {violation.line}")
def test_one_forbidden_import_breaks_its_contract_and_no_other(tmp_path: Path, violation: Violation) -> None:
    module = copied(tmp_path) / "adjudicate" / violation.module
    module.write_text(f"{module.read_text(encoding='utf-8')}\n{violation.line}\n", encoding="utf-8")
    states = lint(tmp_path)
    assert [name for name, state in states.items() if state == "BROKEN"] == [CONTRACTS[violation.contract]]
    assert len(states) == len(CONTRACTS)


def test_every_contract_is_seen_to_fail() -> None:
    assert {violation.contract for violation in VIOLATIONS} == set(CONTRACTS)


def test_an_import_hidden_in_a_function_breaks_its_contract_too(tmp_path: Path) -> None:
    """Deferred imports keep the start cheap; they are no way around a contract."""
    module = copied(tmp_path) / "adjudicate" / "workflow" / "overview.py"
    module.write_text(module.read_text(encoding="utf-8") + "\n\ndef late():\n    import numpy\n", encoding="utf-8")
    assert lint(tmp_path)[CONTRACTS["numerics"]] == "BROKEN"


def test_the_core_imports_nothing_but_the_standard_library() -> None:
    names = [f"adjudicate.core.{module.name}" for module in pkgutil.iter_modules(adjudicate.core.__path__)]
    assert len(names) > 5
    # -I and -S leave out site-packages, so that anything else could not be found.
    program = f"import sys; sys.path.insert(0, {str(ROOT)!r}); import {', '.join(names)}"
    subprocess.run([sys.executable, "-I", "-S", "-c", program], check=True)


@pytest.mark.parametrize("module", ["adjudicate.settings", "adjudicate.errors", "adjudicate.cli", "adjudicate.workflow"])
def test_importing_it_loads_nothing_heavy(module: str) -> None:
    loaded = loaded_by("-c", f"import {module}")
    assert "adjudicate" in loaded
    assert not loaded & (HEAVY | {"yaml", "rich", "sqlite3", "msgspec"})


@pytest.mark.parametrize(
    "arguments", [("--help",), ("--version",), ("report", "--help"), ("draw", "--help"), ("label", "--help")]
)
def test_asking_for_help_loads_nothing_heavy(arguments: tuple[str, ...]) -> None:
    loaded = loaded_by("-m", "adjudicate", *arguments)
    assert "click" in loaded
    assert not loaded & HEAVY


def test_opening_a_current_database_does_not_load_sqlite_utils(tmp_path: Path) -> None:
    """It is needed to migrate; opening a workspace that is up to date must stay cheap."""
    path = str(tmp_path / "adjudicate.db")
    program = "import sys; from pathlib import Path; from adjudicate.storage.sqlite_store import SqliteStore as S"
    subprocess.run([sys.executable, "-c", f"{program}; S.open(Path({path!r}), create=True).close()"], cwd=ROOT, check=True)
    assert not loaded_by("-c", f"{program}; S.open(Path({path!r})).close()") & HEAVY
