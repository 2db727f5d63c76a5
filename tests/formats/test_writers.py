"""Writing a file whole or not at all."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from adjudicate.errors import InputError
from adjudicate.formats.writers import write_whole


def test_a_folder_in_the_way_is_told_and_nothing_is_left(tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    with pytest.raises(InputError, match="cannot be written"):
        write_whole(tmp_path / "out", ["text"])
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


def test_a_full_disk_is_told_and_the_old_file_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(_descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    (tmp_path / "out").write_text("old", encoding="utf-8")
    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(InputError, match="No space left"):
        write_whole(tmp_path / "out", ["new"])
    assert [(path.name, path.read_text(encoding="utf-8")) for path in tmp_path.iterdir()] == [("out", "old")]
