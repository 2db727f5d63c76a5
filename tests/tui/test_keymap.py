"""A person's own keys."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from adjudicate.errors import UsageError
from adjudicate.tui.keymap import keymap, presets
from adjudicate.tui.keys import COMMANDS, Place, help_rows
from tests.tui.conftest import MakeWorkspace
from tests.tui.driving import driven, press, text_of
from tests.tui.factory import Row


def test_keys_are_written_as_people_write_them() -> None:
    assert keymap({"label.skip": "z", "read.page": "ctrl+n, >"}) == {"label.skip": "z", "read.page": "ctrl+n,greater_than_sign"}


@pytest.mark.parametrize("preset", presets())
def test_every_preset_is_free_of_clashes_and_moves_what_its_file_says(preset: str) -> None:
    lines = tomllib.loads(presets()[preset].read_text(encoding="utf-8"))
    assert set(keymap({"preset": preset})) == set(lines)


def test_two_commands_of_one_screen_cannot_share_a_key() -> None:
    with pytest.raises(UsageError, match=r"f: both label\.skip \(skip\) and label\.flag \(flag\) would have it in label"):
        keymap({"label.skip": "f"})


@pytest.mark.parametrize("wrong", [{"label.fly": "z"}, {"back": "z"}, {"preset": "emacs"}], ids=str)
def test_what_cannot_be_moved_is_refused(wrong: dict[str, str]) -> None:
    with pytest.raises(UsageError):
        keymap(wrong)


def test_the_help_tells_the_moved_key() -> None:
    assert ("z", "Leave the item for now; recorded as no answer unless you label it later.") in list(
        help_rows("label", {"label.skip": "z"})
    )


def test_a_moved_key_is_told_as_people_write_it() -> None:
    """The preset vim has low confidence on a minus, which Textual calls by a word."""
    told = {sentence: keys for keys, sentence in help_rows("label", keymap({"preset": "vim", "label.skip": "_"}))}
    assert told["Mark your label as of low confidence, or not."] == "-"
    assert told["Leave the item for now; recorded as no answer unless you label it later."] == "_"


def test_a_sentence_of_the_help_that_names_another_key_follows_it() -> None:
    sentences = [sentence for _, sentence in help_rows("label", {"move.previous": "ctrl+p", "policy.show": "f4"})]
    assert "To the next open item, ctrl+p to the one before; decides nothing." in sentences
    assert any("For the policy: f4, then /." in sentence for sentence in sentences)


@pytest.mark.parametrize("place", sorted({place for command in COMMANDS for place in command.where}))
def test_no_sentence_of_the_help_names_a_command_that_there_is_not(place: Place) -> None:
    assert not [sentence for _, sentence in help_rows(place) if "{" in sentence]


def test_the_shipped_presets_are_the_three_of_the_documentation() -> None:
    assert set(presets()) == {"default", "prodigy", "vim"}
    assert keymap({"preset": "default"}) == {}


def test_a_file_of_ones_own_is_a_preset_and_single_lines_go_before_it(tmp_path: Path) -> None:
    (tmp_path / "mine.toml").write_text('"label.skip" = "z"\n"label.flag" = "!"\n', encoding="utf-8")
    assert keymap({"preset": "mine.toml", "label.skip": "Z"}, tmp_path) == {
        "label.skip": "Z,shift+z",
        "label.flag": "exclamation_mark",
    }


@pytest.mark.parametrize("text", ['"label.skip" = 3', "not toml", "\x1b]0;x\x07 ="], ids=["number", "words", "escape"])
def test_a_broken_file_of_ones_own_is_refused_in_one_clean_line(tmp_path: Path, text: str) -> None:
    (tmp_path / "mine.toml").write_text(text, encoding="utf-8")
    with pytest.raises(UsageError, match=r"preset = 'mine\.toml'") as refused:
        keymap({"preset": "mine.toml"}, tmp_path)
    assert str(refused.value).isprintable()


@pytest.mark.parametrize(
    ("keys", "told"),
    [
        ({"label.skip": "ctrl+i"}, "a terminal sends ctrl\\+i as tab"),
        ({"label.skip": "spcae"}, "there is no key 'spcae'"),
        ({"label.skip": ""}, "a command needs a key"),
        ({"note.save": "s"}, "s is text there"),
        ({"label.skip": "ctrl+q"}, "ctrl\\+q: both label.skip .* and quit"),
    ],
    ids=["lost", "misspelt", "none", "typed", "way out"],
)
def test_a_key_that_cannot_work_is_refused_with_the_reason(keys: dict[str, str], told: str) -> None:
    with pytest.raises(UsageError, match=told):
        keymap(keys)


def test_the_help_tells_every_key_of_a_family_once_one_of_it_has_moved() -> None:
    """Unmoved the row says 1-9; with the second outcome on `w` that would be a lie."""
    sentence = "Choose the outcome with that digit; in labelling it is saved at once."
    assert ("1-9", sentence) in list(help_rows("label"))
    assert ("1 w 3 4 5 6 7 8 9", sentence) in list(help_rows("label", {"outcome.2": "w"}))


async def test_a_border_tells_a_key_as_it_is_now(workspace: MakeWorkspace) -> None:
    """Prodigy's space leaves an item, so it is not said to turn a page."""
    app = workspace([Row(pair="7"), Row(pair="7", prompt="And in the cold?")]).app()
    app.set_keymap(keymap({"preset": "prodigy"}))
    async with driven(app) as pilot:
        await press(pilot, "w")
        assert "read-only · pgdn page · esc back" in text_of(app)
