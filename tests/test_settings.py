"""What adjudicate.toml may say of labelling and colours; anything else is refused with what was expected."""

from __future__ import annotations

from pathlib import Path

import pytest

from adjudicate.errors import InputError
from adjudicate.settings import LabelSettings, make_workspace, read_settings


def test_a_new_workspace_suggests_a_break_after_fifty_minutes_and_copies_nothing_out(tmp_path: Path) -> None:
    read = read_settings(make_workspace(tmp_path / "ws", "audit"))
    assert (read.theme, read.label) == (None, LabelSettings())
    assert (read.label.break_minutes, read.label.copy_out, read.label.linear) == (50, False, False)


def test_what_is_commented_in_a_new_file_can_be_switched_on(tmp_path: Path) -> None:
    """Every commented key of the template is one that is read."""
    paths = make_workspace(tmp_path / "ws", "audit")
    lines = paths.settings.read_text(encoding="utf-8").split("\n")
    opened = [
        line.removeprefix("# ") if line.startswith("# ") and ("=" in line or line.startswith("# [")) else line for line in lines
    ]
    # The theme is a key of the file itself, and has to come before the first table.
    themes = [line for line in opened if line.startswith("theme")]
    rest = [line for line in opened if not line.startswith("theme") and "NAME" not in line]
    paths.settings.write_text("\n".join([*themes, *rest]), encoding="utf-8")
    read = read_settings(paths)
    assert read.theme == "safe-dark" and read.label.linear and read.keys["preset"] == "prodigy"


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("theme = 3", "theme: expected a name"),
        ("label = 3", "label is a table"),
        ("[label]\nbreak_minute = 5", "known are break_minutes"),
        ("[label]\nbreak_minutes = -1", "from 0 \\(never\\) to 1440"),
        ("[label]\nbreak_minutes = true", "from 0 \\(never\\) to 1440"),
        ('[label]\nveil = "violence"', "expected a list of names"),
        ("[label]\nveil = [1]", "expected a list of names"),
        ("[label]\nbreak_minutes = nan", "from 0 \\(never\\) to 1440"),
        ('[label]\nlinear = "yes"', "linear: expected true or false"),
        ("[keys]\nlabel = 3", "expected keys in quotation marks"),
    ],
)
def test_what_means_nothing_is_refused(tmp_path: Path, text: str, told: str) -> None:
    paths = make_workspace(tmp_path / "ws", "audit")
    paths.settings.write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match=told):
        read_settings(paths)
