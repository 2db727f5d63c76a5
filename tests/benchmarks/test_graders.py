"""Rules accept what is right in other words too, reject what is wrong, and survive whatever a model writes."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from adjudicate.benchmarks.code_runner import run_function
from adjudicate.benchmarks.graders import GRADERS, LONGEST, grade
from adjudicate.benchmarks.prompt_sets import prompt_set

ANSWERS_FILE = Path(__file__).with_name("capability_answers.jsonl")
"""For each task three more answers that are right, in other words, and five that are wrong."""
CAPABILITY = {row["id"]: row for row in map(json.loads, ANSWERS_FILE.read_text(encoding="utf-8").splitlines())}
TASKS = {task["id"]: task for task in prompt_set("capability-retention").rows()}
IDENTITY = [[[1], 1], [[2], 2]]


def test_every_task_has_its_answers_and_every_kind_of_grader_a_task() -> None:
    assert CAPABILITY.keys() == TASKS.keys()
    assert {task["grader"]["kind"] for task in TASKS.values()} == GRADERS.keys()


@pytest.mark.parametrize("task", TASKS.values(), ids=TASKS.keys())
def test_the_reference_and_three_other_wordings_are_right_and_five_answers_are_wrong(task: dict[str, Any]) -> None:
    answers = CAPABILITY[task["id"]]
    assert len({*answers["right"], task["reference"]}) == 4 and len(set(answers["wrong"])) == 5
    assert [answer for answer in (task["reference"], *answers["right"]) if not grade(answer, task["grader"])] == []
    assert [answer for answer in answers["wrong"] if grade(answer, task["grader"])] == []


HOSTILE = (
    "",
    " ",
    "\x00",
    "\ud800",
    "```",
    "```python\n",
    "Answer:",
    "{" * 5000,
    "[" * LONGEST,
    "9" * 5000,
    "1/0",
    "Answer: 1/0",
    "answer " * 8000,
)


@pytest.mark.parametrize("task", TASKS.values(), ids=TASKS.keys())
def test_an_empty_long_or_hostile_answer_is_wrong_and_no_error(task: dict[str, Any]) -> None:
    assert [answer[:20] for answer in (*HOSTILE, task["reference"] + "x" * LONGEST) if grade(answer, task["grader"])] == []


@settings(max_examples=200)
@given(st.text(st.characters(codec=None)), st.sampled_from(sorted(set(TASKS) - {key for key in TASKS if "code" in key})))
def test_no_text_makes_a_grader_fail(answer: str, task: str) -> None:
    assert isinstance(grade(answer, TASKS[task]["grader"]), bool)


@pytest.mark.parametrize(
    ("answer", "right"), [("No.", True), ("No idea.", False), ("Answer: I have no clue", False), ("Not no", False)]
)
def test_who_does_not_know_has_not_answered_no(answer: str, right: bool) -> None:
    assert grade(answer, {"kind": "word", "accept": ["no"], "among": ["yes", "no"]}) is right


def test_a_function_that_gives_the_results_is_right() -> None:
    assert run_function("def f(x):\n    return x", "f", IDENTITY)


@pytest.mark.parametrize(
    "code",
    [
        "def f(x):\n    while True: pass",
        "def f(x):\n    while True: print('y' * 1000)",
        "def f(x): return 'a' * 10**10",
        "def f(x): return [0] * 10**9",
        "def f(x): return f(x)",
        "def f(x): raise SystemExit(0)",
        "import os\nos._exit(0)",
        "import signal, os\nos.kill(os.getppid(), signal.SIGTERM)",
        "import sys\nsys.stdout.write('[1]')\ndef f(x): return x",
        "def f(x): return object()",
        "def f(x): return float('nan')",
        "def f(x): return True",
        "class E(int):\n    def __eq__(self, other): return True\ndef f(x): return E(7)",
        "def f(:",
        "f = 3",
        "def f(x, y): return x",
        "\x00",
        "import time\ndef f(x): time.sleep(60); return x",
    ],
)  # fmt: skip
def test_a_function_that_does_anything_else_is_wrong_and_over_soon(code: str) -> None:
    started = time.monotonic()
    assert not run_function(code, "f", IDENTITY)
    assert time.monotonic() - started < 20


@pytest.mark.parametrize(
    "reach",
    [
        "import socket\ndef f(x):\n    socket.create_connection(('127.0.0.1', 9)); return x",
        "def f(x):\n    open('/etc/passwd').read(); return x",
        "def f(x):\n    open('left-behind', 'w').write('x'); return x",
        "import subprocess\ndef f(x):\n    subprocess.run(['true']); return x",
        "import os\ndef f(x):\n    os.system('true'); return x",
        "import ctypes\ndef f(x): return x",
        "import os\ndef f(x):\n    os.listdir('/'); return x",
    ],
)
def test_code_reaches_neither_network_nor_files_nor_programs(reach: str) -> None:
    """Each would give the right results if what it reaches for were let through."""
    assert not run_function(reach, "f", IDENTITY)
