"""Grading by rule: an answer is right or it is not, without a judge. Empty, long or hostile answers are wrong, never an error."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

from adjudicate.benchmarks.code_runner import run_function

LONGEST = 50_000
"""Characters of an answer that are looked at; a longer one is wrong: no task needs a hundredth of it."""

_ANSWER = re.compile(r"\banswer\b\W{0,6}(?:is\b\W{0,6})?([^\n]*)", re.IGNORECASE)
_NUMBER = re.compile(r"[-−]?\d[\d,]*(?:\.\d+)?(?:\s*/\s*\d+)?")
_BLOCK = re.compile(r"```[^\n`]*\n(.*?)```", re.DOTALL)
_FENCED = re.compile(r"\A```[^\n`]*\n(.*?)\n?```\Z", re.DOTALL)

Grader = Callable[[str, Mapping[str, Any]], bool]


def grade(answer: str, task: Mapping[str, Any]) -> bool:
    """Whether an answer is right.

    Args:
        answer: The model's whole answer.
        task: The ``grader`` of a task: its ``kind``, a row of `GRADERS`, and what that one needs.
    """
    return len(answer) <= LONGEST and GRADERS[task["kind"]](answer.strip(), task)


def _stated(answer: str) -> str:
    """What the last line with the word "answer" states; the whole answer where it is a single line without the word."""
    found = _ANSWER.findall(answer)
    if found:
        return str(found[-1]).strip(" *_`\"'.!")
    return answer.strip(" *_`\"'.!") if "\n" not in answer else ""


def _number(answer: str, task: Mapping[str, Any]) -> bool:
    numbers = {_value(text) for text in _NUMBER.findall(_stated(answer))}
    return numbers == {Fraction(task["value"])}


def _value(text: str) -> Fraction | None:
    try:
        return Fraction(re.sub(r"[,\s]", "", text).replace("−", "-"))
    except (ValueError, ZeroDivisionError):
        return None


def _word(answer: str, task: Mapping[str, Any]) -> bool:
    """One of the accepted words stands in what is stated, and no other of the possible ones, nor a "not" or a "no idea"."""
    words = set(re.findall(r"\w+", _stated(answer).lower()))
    possible = words & {*task["among"], *task["accept"]}
    denied = {"not", "neither", "never", "nor", "idea", "clue"} & words
    return bool(possible) and possible <= set(task["accept"]) and not denied


def _lines(answer: str, task: Mapping[str, Any]) -> bool:
    found = [line.strip() for line in _bare(answer).splitlines() if line.strip()]
    return found == list(task["lines"])


def _json(answer: str, task: Mapping[str, Any]) -> bool:
    try:
        found = json.loads(_bare(answer), object_pairs_hook=_pairs)
    except (ValueError, RecursionError):
        return False
    # True equals 1 in Python, and not in JSON.
    return json.dumps(found, sort_keys=True) == json.dumps(task["value"], sort_keys=True)


def _pairs(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    if len(dict(pairs)) != len(pairs):
        raise ValueError("a key occurs twice")
    return dict(pairs)


def _sentence(answer: str, task: Mapping[str, Any]) -> bool:
    words = re.findall(r"[^\W\d_]+(?:['’-][^\W\d_]+)*", answer)
    one = "\n" not in answer and len(re.findall(r"[.!?]", answer.strip(" *_\"'“”"))) <= 1
    about = any(word.lower().startswith(tuple(task["about"])) for word in words)
    return one and about and len(words) == task["words"]


def _function(answer: str, task: Mapping[str, Any]) -> bool:
    blocks = [block for block in _BLOCK.findall(answer) if f"def {task['function']}" in block]
    if not blocks and answer.startswith("def "):
        blocks = [answer]
    return len(blocks) == 1 and run_function(blocks[0], task["function"], task["cases"])


def _bare(answer: str) -> str:
    """The answer without a code fence around all of it."""
    fenced = _FENCED.match(answer)
    return fenced[1] if fenced else answer


GRADERS: Mapping[str, Grader] = {
    "number": _number,
    "word": _word,
    "lines": _lines,
    "json": _json,
    "sentence": _sentence,
    "function": _function,
}
"""Kinds of tasks."""
