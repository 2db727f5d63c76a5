"""Paths are completed as shells do."""

from __future__ import annotations

from pathlib import Path

import pytest

from adjudicate.workflow.complete_path import complete


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in ("logs", "lost"):
        (tmp_path / name).mkdir()
    for name in ("logs/run-1.csv", "logs/run-2.csv", "letter.txt", ".hidden"):
        (tmp_path / name).touch()
    return tmp_path


@pytest.mark.parametrize(
    ("typed", "text", "names"),
    [
        ("lo", "lo", ("logs/", "lost/")),
        ("log", "logs/", ("logs/",)),
        ("logs/", "logs/run-", ("run-1.csv", "run-2.csv")),
        ("logs/run-2", "logs/run-2.csv", ("run-2.csv",)),
        ("", "l", ("letter.txt", "logs/", "lost/")),
        (".h", ".hidden", (".hidden",)),
        ("nothing", "nothing", ()),
        ("gone/x", "gone/x", ()),
        ("~nobody-of-this-name/", "~nobody-of-this-name/", ()),
        ("a\x00/b", "a\x00/b", ()),
        ("~", "~/", ()),
    ],
)
def test_the_certain_part_is_added(folder: Path, typed: str, text: str, names: tuple[str, ...]) -> None:
    found = complete(typed, folder)
    assert (found.text, found.names) == (text, names)


def test_folders_alone(folder: Path) -> None:
    assert complete("l", folder, folders_only=True).names == ("logs/", "lost/")


def test_absolute_paths_and_the_home_folder(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(folder))
    assert complete("~/lett", folder / "logs").text == "~/letter.txt"
    assert complete(f"{folder}/lett", folder / "logs").text == f"{folder}/letter.txt"
