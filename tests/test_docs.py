"""The documentation is true: every command is described, every quoted command exists, and what pages show is what happens."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from doctest import ELLIPSIS, OutputChecker
from pathlib import Path
from typing import NamedTuple

import click
import pytest

from adjudicate.cli import COMMANDS, cli

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "CHANGELOG.md", *sorted((ROOT / "docs").glob("*.md"))]
FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
INLINE = re.compile(r"`(adjudicate [^`]+)`")
LINK = re.compile(r"\]\((?!https?://|#)([^)#]+)(?:#[^)]*)?\)")
MACHINE = re.compile(r"/(?:home|root|work|tmp|Users)/|\bpypi\.org|\bfiles\.pythonhosted", re.IGNORECASE)
XSTEST_FOLDERS = ("model_completions", "automated_evaluation_labels")


class Shown(NamedTuple):
    """A command of a console block with the output shown below it."""

    line: int
    command: str
    output: str


def text_of(page: Path) -> str:
    """The text of a page."""
    return page.read_text(encoding="utf-8")


def shown(page: Path) -> list[Shown]:
    """The commands of a page's console blocks: ``$`` begins one, ``>`` continues it, the rest is its output."""
    found: list[Shown] = []
    for fence in FENCE.finditer(text_of(page)):
        if fence[1] != "console":
            continue
        first = text_of(page)[: fence.start()].count("\n") + 2
        for number, line in enumerate(fence[2].splitlines(), start=first):
            if line.startswith("$ "):
                found.append(Shown(number, line[2:], ""))
            elif line.startswith("> ") and not found[-1].output:
                found[-1] = found[-1]._replace(command=f"{found[-1].command}\n{line[2:]}")
            else:
                found[-1] = found[-1]._replace(output=f"{found[-1].output}{line.rstrip()}\n")
    return found


def quoted(page: Path) -> Iterator[list[str]]:
    """Arguments of each `adjudicate ...` in a block of commands, comments left out."""
    lines = [each.command for each in shown(page)]
    for fence in FENCE.finditer(text_of(page)):
        if fence[1] == "sh":
            lines += fence[2].replace("\\\n", " ").splitlines()
    for line in lines:
        for part in re.split(r"&&|\||;", line.replace("\\\n", " ")):
            # Other words, such as those of a file that is written here, need no balanced quotes.
            if part.strip().startswith("adjudicate "):
                yield shlex.split(re.sub(r" \d?>.*", "", part), comments=True)[1:]


def parse(arguments: list[str]) -> None:
    """Parse a command line as the program does, without running it."""
    context = cli.make_context("adjudicate", list(arguments))
    group: click.Group = cli
    rest = [*context._protected_args, *context.args]
    while rest:
        command = group.get_command(context, rest[0])
        assert command is not None, f"there is no command {rest[0]!r}"
        context = command.make_context(rest[0], rest[1:], parent=context)
        if not isinstance(command, click.Group):
            return
        group, rest = command, [*context._protected_args, *context.args]


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with an `adjudicate` that runs this checkout."""
    folder = tmp_path_factory.mktemp("bin")
    script = folder / "adjudicate"
    script.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m adjudicate "$@"\n', encoding="utf-8")
    script.chmod(0o755)
    return folder


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_command_line_parses(page: Path) -> None:
    for arguments in quoted(page):
        parse(arguments)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_command_named_in_a_sentence_exists(page: Path) -> None:
    for words in INLINE.findall(text_of(page)):
        parts = re.sub(r"^adjudicate (-w \S+)?", "", words).split()
        if parts and parts[0].islower():
            assert parts[0] in COMMANDS, words


def test_every_command_is_described() -> None:
    """In a block that can be copied, or in a sentence of a page that people read."""
    readers = [page for page in PAGES if page.name not in ("CHANGELOG.md", "CONTRIBUTING.md")]
    text = "\n".join(text_of(page) for page in readers)
    missing = [name for name in COMMANDS if not re.search(rf"adjudicate (?:-w \S+ )?{name}\b", text)]
    assert not missing


def test_every_option_of_import_and_draw_is_described() -> None:
    for page, name in (("import.md", "import"), ("sample-and-rates.md", "draw"), ("sample-and-rates.md", "report")):
        command = cli.get_command(click.Context(cli), name)
        assert command is not None
        text = text_of(ROOT / "docs" / page)
        options = [each for parameter in command.params if isinstance(parameter, click.Option) for each in parameter.opts]
        assert not [option for option in options if option.startswith("--") and option not in text], page


@pytest.mark.parametrize("page", [page for page in PAGES if shown(page)], ids=lambda page: page.name)
def test_what_a_page_shows_is_what_happens(page: Path, program: Path, tmp_path: Path, request: pytest.FixtureRequest) -> None:
    """All commands of a page in order, in an empty folder, without a terminal; ``...`` stands for what may differ."""
    if page.name == "xstest.md":
        shared: Path = request.getfixturevalue("shared")
        for name in XSTEST_FOLDERS:
            shutil.copytree(shared / "data" / "xstest" / name, tmp_path / "xstest" / name)
        shutil.copy(shared / "data" / "xstest" / "xstest_prompts.csv", tmp_path / "xstest")
    kept = {name: value for name, value in os.environ.items() if name not in ("COLUMNS", "PYTHONPATH")}
    environment = {**kept, "PATH": f"{program}:{os.environ['PATH']}", "PYTHONPATH": str(ROOT), "HOME": str(tmp_path)}
    for each in shown(page):
        result = subprocess.run(
            ["bash", "-c", each.command],
            cwd=tmp_path,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
        got = "".join(f"{line.rstrip()}\n" for line in result.stdout.splitlines())
        place = f"{page.name}:{each.line}: {each.command}"
        assert OutputChecker().check_output(each.output, got, ELLIPSIS), f"{place}\nshown:\n{each.output}\nreal:\n{got}"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page: Path) -> None:
    for target in LINK.findall(text_of(page)):
        assert (page.parent / target).exists(), target


@pytest.mark.parametrize("page", [*PAGES, ROOT / "Makefile", ROOT / "exports" / "README.md"], ids=lambda page: page.name)
def test_no_place_of_one_machine_is_named(page: Path) -> None:
    assert not MACHINE.findall(text_of(page))
