"""What was done on a screen, as commands; flags that are typed are read as the command line reads them."""

from __future__ import annotations

from pathlib import Path

import pytest

from adjudicate.errors import UsageError
from adjudicate.workflow.command_lines import draw_command, import_command, init_command, stated_from, written_flags
from adjudicate.workflow.draw_settings import DrawSettings

STATED = {"format": "csv", "map": {"prompt": "the question"}, "set": {"intent": "benign"}, "outcome": {"a=b": "full_refusal"}}


def test_commands_quote_what_a_shell_would_take_apart() -> None:
    assert import_command([Path("my log.csv")], {"set": {"model": "m'1"}}) == (
        "adjudicate import 'my log.csv' --set 'model=m'\"'\"'1'"
    )
    assert init_command("xstest") == "adjudicate init . --policy xstest"
    assert "\x1b" not in import_command([Path("a\x1b[31m.csv")], {})


def test_a_draw_says_only_what_is_not_usual() -> None:
    assert draw_command(DrawSettings(n=50)) == "adjudicate draw --n 50"
    settings = DrawSettings(n=50, by=("population",), annotators=("ann", "bo"), overlap=2)
    assert draw_command(settings) == "adjudicate draw --n 50 --by population --annotators ann,bo --overlap 2"


def test_flags_that_were_written_are_read_again() -> None:
    plain = {**STATED, "outcome": {"a": "full_refusal"}}
    assert stated_from(written_flags(plain)) == plain
    assert stated_from("--map prompt=a=b --set=intent=benign") == {"map": {"prompt": "a=b"}, "set": {"intent": "benign"}}
    assert stated_from("") == {}


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("prompt=a", "expected one of --map"),
        ("--mop a=b", "expected one of --map"),
        ("--map", "is missing"),
        ("--map prompt", "expected NAME=VALUE"),
        ("--set 'intent=benign", "quotation mark"),
    ],
)
def test_what_is_no_flag_is_said(text: str, told: str) -> None:
    with pytest.raises(UsageError, match=told):
        stated_from(text)
