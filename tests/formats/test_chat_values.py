"""What was asked and answered, in the shapes of many tools."""

from __future__ import annotations

from typing import Any

import pytest

from adjudicate.formats.chat_values import answered, asked
from adjudicate.formats.problem import RowProblem

HI = {"role": "user", "content": "Hi"}


@pytest.mark.parametrize(
    ("value", "found"),
    [
        ("Hi", {"prompt": "Hi"}),
        ("[not a list", {"prompt": "[not a list"}),
        ('["a", "list"]', {"prompt": '["a", "list"]'}),
        ([HI], {"messages": [HI]}),
        ('[{"role": "user", "content": "Hi"}]', {"messages": [HI]}),
        ({"messages": [[HI]], "model": "m"}, {"messages": [HI]}),
        ({"question": "Hi"}, {"prompt": "Hi"}),
        ({"topic": "Hi"}, {"prompt": "Hi"}),
        ({"topic": "trees", "tone": "dry"}, {"prompt": '{"topic": "trees", "tone": "dry"}'}),
        ({"prompts": ["Hi"]}, {"prompt": "Hi"}),
        ([{"type": "human", "data": {"content": "Hi"}}], {"messages": [HI]}),
        (
            [{"role": "user", "parts": [{"text": "Hi"}]}],
            {"messages": [{"role": "user", "content": [{"type": "text", "text": "Hi"}]}]},
        ),
    ],
)
def test_what_was_asked(value: Any, found: dict[str, Any]) -> None:
    assert asked(value, "input") == found


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("Ho", "Ho"),
        ('{"a": 1}', '{"a": 1}'),
        ({"choices": [{"message": {"role": "assistant", "content": "Ho"}}]}, "Ho"),
        ({"choices": [{"text": "Ho"}]}, "Ho"),
        ({"generations": [[{"text": "Ho"}]]}, "Ho"),
        ({"messages": [HI, {"role": "assistant", "content": "Ho"}]}, "Ho"),
        (
            [{"type": "text", "text": "Ho"}, {"type": "tool_use", "name": "look", "input": {"at": 1}}],
            'Ho[tool call look({"at": 1})]',
        ),
        ({"content": None, "tool_calls": [{"function": {"name": "look", "arguments": "{}"}}]}, "[tool call look({})]"),
        ({"role": "assistant", "content": None, "function_call": {"name": "look", "arguments": "{}"}}, "[tool call look({})]"),
        ({"output": {"answer": "Ho"}}, "Ho"),
        ({"grade": 1, "why": "Ho"}, '{"grade": 1, "why": "Ho"}'),
        (True, "true"),
    ],
)
def test_what_was_answered(value: Any, text: str) -> None:
    assert answered(value, "output") == text


def test_several_answers_are_not_chosen_between() -> None:
    with pytest.raises(RowProblem, match="2 answers to one question"):
        answered({"choices": [{"text": "Ho"}, {"text": "He"}]}, "output")


@pytest.mark.parametrize("value", [None, [], {}])
def test_nothing_is_no_text(value: Any) -> None:
    with pytest.raises(RowProblem, match="--map prompt=PATH"):
        asked(value, "input")
    with pytest.raises(RowProblem, match="no answer"):
        answered(value, "output")
