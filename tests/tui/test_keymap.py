"""A person's own keys."""

from __future__ import annotations

import pytest

from adjudicate.errors import UsageError
from adjudicate.tui.keymap import PRESETS, keymap
from adjudicate.tui.keys import help_rows


def test_keys_are_written_as_people_write_them() -> None:
    assert keymap({"label.skip": "z", "read.page": "ctrl+n, >"}) == {"label.skip": "z", "read.page": "ctrl+n,greater_than_sign"}


@pytest.mark.parametrize("preset", PRESETS)
def test_every_preset_is_free_of_clashes(preset: str) -> None:
    assert keymap({"preset": preset}).items() >= PRESETS[preset].items()


def test_two_commands_of_one_screen_cannot_share_a_key() -> None:
    with pytest.raises(UsageError, match=r"label\.flag and .*|both .*label\.flag"):
        keymap({"label.skip": "f"})


@pytest.mark.parametrize("wrong", [{"label.fly": "z"}, {"back": "z"}, {"preset": "emacs"}], ids=str)
def test_what_cannot_be_moved_is_refused(wrong: dict[str, str]) -> None:
    with pytest.raises(UsageError):
        keymap(wrong)


def test_the_help_tells_the_moved_key() -> None:
    assert ("z", "Leave the item for now; recorded as no answer unless you label it later.") in list(
        help_rows("label", {"label.skip": "z"})
    )
