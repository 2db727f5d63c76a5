"""What is published works: sdist and wheel are built, and the wheel runs in an environment of its own, far from the checkout."""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
import sysconfig
import tarfile
import zipfile
from importlib.metadata import packages_distributions
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).parents[1]
POLICIES = ("answered-deflected-refused", "refusal-boundary", "xstest")
BROUGHT_ALONG = {
    "rich": "part of textual's own interface, pinned by it",
    "compression": "the standard library's, from 3.14 on; backports.zstd before",
    "backports": "a namespace that several distributions share; backports.zstd is the one declared",
    "inspect_ai": "the extra `inspect`; without it the export says how to install it",
    "pyarrow": "the extra `parquet`; without it the import says how to install it",
}
"""Modules imported without a dependency of ours on their distribution, with the reason."""


class Built(NamedTuple):
    """What `python -m build` made: the wheel was built from the sdist, not from the folder."""

    wheel: Path
    sdist: Path


class Installed(NamedTuple):
    """An environment that holds the wheel, and an empty folder to work in."""

    bin: Path
    site: Path
    home: Path

    def run(self, *arguments: str, folder: Path) -> subprocess.CompletedProcess[str]:
        """Run a program of the environment without a terminal, with an empty home."""
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "VIRTUAL_ENV", "COLUMNS"))}
        return subprocess.run(
            [str(self.bin / arguments[0]), *arguments[1:]],
            cwd=folder,
            env={**kept, "HOME": str(self.home), "PYTHONDONTWRITEBYTECODE": "1"},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
        )


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Built:
    """Both archives, built with the tools that are installed here."""
    folder = tmp_path_factory.mktemp("dist")
    command = [sys.executable, "-m", "build", "--no-isolation", "--outdir", str(folder), str(ROOT)]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stdout + result.stderr
    return Built(next(folder.glob("*.whl")), next(folder.glob("*.tar.gz")))


@pytest.fixture(scope="module")
def installed(built: Built, tmp_path_factory: pytest.TempPathFactory) -> Installed:
    """The wheel in a new environment. Only its dependencies come from the environment that runs this test."""
    folder = tmp_path_factory.mktemp("installed")
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(folder / "env")], check=True)
    python = folder / "env" / "bin" / "python"
    pip = [sys.executable, "-m", "pip", "--python", str(python), "--disable-pip-version-check", "install", "--quiet"]
    subprocess.run([*pip, "--no-deps", "--no-index", str(built.wheel)], check=True)
    asked = [str(python), "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"]
    site = Path(subprocess.run(asked, capture_output=True, text=True, check=True).stdout.strip())
    # A path in a .pth file is searched last, and the .pth files found there (an editable install of ours) are not read.
    site.joinpath("dependencies.pth").write_text(sysconfig.get_path("purelib") + "\n", encoding="utf-8")
    (folder / "home").mkdir()
    return Installed(python.parent, site, folder / "home")


def names_in(wheel: Path) -> set[str]:
    """The files of a wheel."""
    with zipfile.ZipFile(wheel) as archive:
        return set(archive.namelist())


def metadata(wheel: Path) -> str:
    """The METADATA of a wheel."""
    with zipfile.ZipFile(wheel) as archive:
        return archive.read(next(name for name in archive.namelist() if name.endswith("/METADATA"))).decode()


def test_policies_demo_and_licence_are_inside(built: Built) -> None:
    names = names_in(built.wheel)
    assert {f"adjudicate/_resources/policies/{name}.md" for name in (*POLICIES, "README")} <= names
    assert {f"adjudicate/demo/{name}" for name in ("items.jsonl", "labels.jsonl", "resolutions.jsonl")} <= names
    assert "adjudicate/py.typed" in names
    assert any(name.endswith("dist-info/licenses/LICENSE") for name in names)


def test_nothing_else_is_inside(built: Built) -> None:
    """No tests, no databases, no traces of the machine it was built on."""
    strange = [name for name in names_in(built.wheel) if not name.startswith(("adjudicate/", "adjudicate_tui-"))]
    assert not strange
    assert not [name for name in names_in(built.wheel) if "__pycache__" in name or ".db" in name]


def test_every_module_of_the_checkout_is_inside(built: Built) -> None:
    modules = {path.relative_to(ROOT).as_posix() for path in (ROOT / "adjudicate").rglob("*.py")}
    assert modules <= names_in(built.wheel)


def test_the_sdist_has_what_its_tests_need(built: Built) -> None:
    with tarfile.open(built.sdist) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    needed = {"pyproject.toml", "README.md", "CONTRIBUTING.md", "LICENSE", "Makefile", "db/schema.sql", "exports/README.md"}
    assert needed | {"policies/xstest.md", "tests/test_wheel.py", "docs/import.md"} <= names


def test_everything_imported_is_declared(built: Built) -> None:
    """An undeclared import would work here and nowhere else."""
    declared = {
        name.lower() for name in re.findall(r"^Requires-Dist: ([\w.-]+)(?!.*extra ==)", metadata(built.wheel), re.MULTILINE)
    }
    imported = set()
    for path in (ROOT / "adjudicate").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                imported |= {alias.name.partition(".")[0] for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and node.module:
                imported.add(node.module.partition(".")[0])
    foreign = imported - set(sys.stdlib_module_names) - {"adjudicate"} - BROUGHT_ALONG.keys()
    distributions = packages_distributions()
    undeclared = [name for name in foreign if not declared & {each.lower() for each in distributions.get(name, [])}]
    assert not undeclared


def test_the_program_comes_from_the_wheel(installed: Installed, tmp_path: Path) -> None:
    result = installed.run("python", "-c", "import adjudicate, textual; print(adjudicate.__file__)", folder=tmp_path)
    assert Path(result.stdout.strip()).is_relative_to(installed.site), result.stderr


def test_the_demo_prints_its_report(installed: Installed, tmp_path: Path) -> None:
    """Without a terminal; policies and data come out of the wheel; nothing is written elsewhere."""
    result = installed.run("adjudicate", "demo", folder=tmp_path)
    assert result.returncode == 0, result.stderr
    for words in ("Harmful compliance", "Benign refusal", "Judge against gold", "Agreement between annotators"):
        assert words in result.stdout
    assert "invented" in result.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["adjudicate-demo"]
    assert not list(installed.home.iterdir())


def test_the_shipped_policies_are_found(installed: Installed, tmp_path: Path) -> None:
    result = installed.run("adjudicate", "policy", "check", *POLICIES, folder=tmp_path)
    assert result.returncode == 0, result.stderr
    assert [line.split()[0] for line in result.stdout.splitlines()] == list(POLICIES)


@pytest.mark.parametrize("policy", POLICIES)
def test_a_workspace_is_made_with_a_shipped_policy(installed: Installed, tmp_path: Path, policy: str) -> None:
    made = installed.run("adjudicate", "init", "audit", "--policy", policy, folder=tmp_path)
    assert made.returncode == 0, made.stderr
    status = installed.run("adjudicate", "-w", "audit", "status", folder=tmp_path)
    assert f"policy {policy} " in status.stdout
