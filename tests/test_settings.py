"""What adjudicate.toml may say of labelling and colours; anything else is refused with what was expected."""

from __future__ import annotations

from pathlib import Path

import pytest

from adjudicate.errors import InputError
from adjudicate.settings import LabelSettings, WorkspacePaths, make_workspace, put_in_place, read_settings, state_folder


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


def made_apart(folder: Path) -> WorkspacePaths:
    paths = make_workspace(folder / ".apart", "audit")
    (paths.policies / "p.md").write_text("text", encoding="utf-8")
    paths.database.write_bytes(b"db")
    return paths


def test_a_workspace_made_apart_is_moved_to_its_place_beside_what_is_there(tmp_path: Path) -> None:
    (tmp_path / "policies").mkdir()
    (tmp_path / "policies" / "own.md").touch()
    paths = put_in_place(made_apart(tmp_path), tmp_path)
    assert read_settings(paths).name == "audit" and paths.database.read_bytes() == b"db"
    assert sorted(path.name for path in paths.policies.iterdir()) == ["own.md", "p.md"]


@pytest.mark.parametrize("taken", ["policies/p.md", "db/adjudicate.db", "adjudicate.toml"])
def test_where_something_is_in_the_way_nothing_is_moved(tmp_path: Path, taken: str) -> None:
    (tmp_path / taken).parent.mkdir(exist_ok=True)
    (tmp_path / taken).write_text("mine", encoding="utf-8")
    before = {path.relative_to(tmp_path) for path in tmp_path.rglob("*")}
    made = made_apart(tmp_path)
    with pytest.raises(InputError, match="is there already"):
        put_in_place(made, tmp_path)
    after = {path.relative_to(tmp_path) for path in tmp_path.rglob("*")}
    assert {path for path in after if path.parts[0] != ".apart"} == before
    assert (tmp_path / taken).read_text(encoding="utf-8") == "mine"


def test_what_is_remembered_between_runs_has_a_place_of_its_own() -> None:
    assert state_folder({"XDG_STATE_HOME": "/s", "HOME": "/h"}) == Path("/s/adjudicate")
    assert state_folder({"XDG_STATE_HOME": "not/absolute", "HOME": "/h"}) == Path("/h/.local/state/adjudicate")
    assert state_folder({}) is None
