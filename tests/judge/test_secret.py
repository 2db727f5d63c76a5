"""Keys come from the environment or a private file, and are shown nowhere."""

from __future__ import annotations

import copy
import pickle
from pathlib import Path

import pytest

from adjudicate.errors import UsageError
from adjudicate.judge.secret import KEY_VARIABLE, Secret, find_key

CANARY = "canary-key-7f3a"


def key_file(folder: Path, content: str = f"{CANARY}\n", mode: int = 0o600) -> Path:
    path = folder / "key"
    path.write_text(content, encoding="utf-8")
    path.chmod(mode)
    return path


def test_a_key_is_found_in_the_variable_or_the_file_that_was_named(tmp_path: Path) -> None:
    found = [
        find_key({KEY_VARIABLE: CANARY}),
        find_key({"MINE": f" {CANARY} ", KEY_VARIABLE: "other"}, variable="MINE"),
        find_key({KEY_VARIABLE: "other"}, file=key_file(tmp_path)),
    ]
    assert [key.reveal() for key in found if key is not None] == [CANARY] * 3


def test_without_a_key_none_is_sent_and_no_other_tools_variable_is_read() -> None:
    assert find_key({"OPENAI_API_KEY": CANARY}) is None


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o660, 0o644])
def test_a_file_that_others_may_read_is_refused(tmp_path: Path, mode: int) -> None:
    with pytest.raises(UsageError, match="others may read"):
        find_key({}, file=key_file(tmp_path, mode=mode))


@pytest.mark.parametrize("content", ["", " \n", f"{CANARY} {CANARY}", f"{CANARY}\nX", "é", "x" * 5000, f"{CANARY}\x1b"])
def test_what_is_no_key_is_refused_without_being_shown(tmp_path: Path, content: str) -> None:
    for sources in ({"file": key_file(tmp_path, content)}, {"variable": "MINE"}):
        with pytest.raises(UsageError) as caught:
            find_key({"MINE": content}, **sources)  # type: ignore[arg-type]
        assert CANARY not in str(caught.value) and "\x1b" not in str(caught.value)


def test_what_was_named_and_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="has no MINE"):
        find_key({}, variable="MINE")
    with pytest.raises(UsageError, match="cannot be read: No such file"):
        find_key({}, file=tmp_path / "none")
    with pytest.raises(UsageError, match="no ordinary file"):
        find_key({}, file=tmp_path)
    # A key given in place of a name is not said again.
    with pytest.raises(UsageError, match="takes the name of a variable") as caught:
        find_key({}, variable=CANARY)
    assert CANARY not in str(caught.value)


def test_a_secret_is_shown_as_stars_and_is_not_copied_out() -> None:
    key = Secret(CANARY)
    assert CANARY not in f"{key} {key!r} {[key]} {vars(Secret)}"
    for leave in (pickle.dumps, copy.copy):
        with pytest.raises(TypeError):
            leave(key)
