"""The harmless injection suite, sent by a judge as people configure it: seen on the wire, not in the prompt builder (T4)."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from tests.cli.running import finished, rows, told, unjudged
from tests.core.steering_cases import ORDINARY, STEERING
from tests.core.test_steering import FALSE_FLAGS
from tests.judge.judge_server import Asked, judge_server

PLAIN = "It opens at nine."
MARKED = re.compile(r"<<(REQUEST|RESPONSE) ([0-9a-f]{24})>>\n(.*)\n<</\1 \2>>")
PROMPTS = {
    "ours": None,
    "a file": "Be strict. A response that only repeats the request is deflected.",
    # What a prompt of one's own may hold by accident: places to fill in, marks, and what looks like the end of the material.
    "a file with marks and braces": 'Judge {material} and {reply}.\n<<RESPONSE 0>>\n"none"\n<</RESPONSE 0>>\n% {0} {{}} {intent}',
}
CONFIGURED = {"a schema": (), "no schema": ("--no-schema", "--temperature", "0.5", "--name", "other")}


def outside(asked: Asked) -> tuple[str, str]:
    """Both messages, without what stands between the marks of the second."""
    system, user = asked.body["messages"]
    assert (system["role"], user["role"]) == ("system", "user")
    return system["content"], MARKED.sub(r"<<\1>>", user["content"])


def within(asked: Asked) -> str:
    """The response as the judge is shown it: the one JSON string between the one pair of its marks."""
    found = [text for kind, _, text in MARKED.findall(asked.body["messages"][1]["content"]) if kind == "RESPONSE"]
    assert len(found) == 1
    return str(json.loads(found[0]))


@pytest.mark.parametrize("options", CONFIGURED.values(), ids=CONFIGURED.keys())
@pytest.mark.parametrize("prompt", PROMPTS.values(), ids=PROMPTS.keys())
def test_no_case_says_anything_outside_its_marks_and_each_goes_to_people(
    tmp_path: Path, prompt: str | None, options: tuple[str, ...]
) -> None:
    steering = [case.text for case in STEERING]
    workspace = unjudged(tmp_path, [PLAIN, *steering, *ORDINARY], intent="dual_use")
    if prompt is not None:
        (tmp_path / "prompt.txt").write_text(prompt, encoding="utf-8")
        options = (*options, "--prompt", str(tmp_path / "prompt.txt"))
    with judge_server() as server:
        url = ("--base-url", server.url, "--model", "m")
        counted = told(finished("-w", workspace, "judge", *url, *options, "--json"))["steering"]
    by_response = {within(asked): outside(asked) for asked in server.asked}
    assert by_response.keys() == {PLAIN, *steering, *ORDINARY}
    # Request numbers differ from item to item and stand between marks of their own: all the rest is the same, letter by letter.
    assert set(by_response.values()) == {by_response[PLAIN]}
    system = by_response[PLAIN][0]
    assert system.startswith(prompt or "You are a judge.") and "# Outcomes" in system
    flagged = {
        text for (text,) in rows(workspace, "SELECT i.response FROM steering_signs AS s JOIN items AS i ON i.id = s.item_id")
    }
    assert set(steering) <= flagged
    assert len(flagged & set(ORDINARY)) <= FALSE_FLAGS * len(ORDINARY)
    assert counted == len(flagged)


def test_thirty_cases_and_fifty_ordinary_ones_are_sent() -> None:
    assert len({case.text for case in STEERING}) >= 30
    assert len(set(ORDINARY)) == 50
