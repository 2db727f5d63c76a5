"""What a judge replied: one verdict read strictly, or the reason why there is none.

Nothing is repaired and nothing is guessed: a reply that does not hold exactly one complete verdict is *judge failed*.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

LONGEST_REASON = 500
"""Characters of a reason that are kept; judges are asked for one line."""
LONGEST_REPLY = 100_000
"""Characters of a reply that is read, thoughts before the verdict among them. The time to look for an object grows with the
square of the number of opened braces: megabytes of them would hold up a run for an hour."""
CUT_OFF = "length"
"""What a server calls the end of a reply that met its limit of tokens."""


@dataclass(frozen=True, slots=True)
class ReplyForm:
    """What a reply has to hold, and under which keys."""

    outcomes: tuple[str, ...]
    """The closed list; a reply names one of them, letter by letter."""
    scores: tuple[str, ...] = ()
    """Keys of the scores that were asked for; each a number from 0 to 100."""
    clauses: frozenset[str] = frozenset()
    """Clauses that the policy has."""
    outcome_key: str = "outcome"
    reason_key: str = "reason"
    clause_key: str = "clause"
    """May be left out, and null."""
    score_limits: tuple[float, float] = (0, 100)


@dataclass(frozen=True, slots=True)
class ReadReply:
    """A reply as read. Either `outcome` is one of the policy's, or it is None and `problem` says why."""

    outcome: str | None = None
    scores: Mapping[str, float] = field(default_factory=dict)
    reason: str = ""
    clause: str | None = None
    """A clause of the policy, where the judge cited one."""
    problem: str = ""
    """Why there is no verdict; empty with one. Holds no foreign text."""
    remark: str = ""
    """What is odd about a verdict that counts; empty where nothing is. Holds no foreign text."""


_SURROGATE = re.compile("[\ud800-\udfff]")
_FIRST_KEY = re.compile(r'\{\s*"')


class _NoVerdict(Exception):
    """Carries the reason."""


def read_reply(text: str | None, form: ReplyForm, *, finish_reason: str | None = None) -> ReadReply:
    """Read a judge's reply.

    The object may stand in a code fence or between sentences; two objects are two verdicts, whatever they say, because a
    judge that quotes a verdict out of the response must not have that one counted.

    Args:
        text: The content of the reply; None where the server sent none.
        form: What it has to hold.
        finish_reason: Why the server says that the reply ended.
    """
    try:
        return _read(text, form, finish_reason)
    except _NoVerdict as problem:
        return ReadReply(problem=str(problem))


def _read(text: str | None, form: ReplyForm, finish_reason: str | None) -> ReadReply:
    if text is None or not text.strip():
        raise _NoVerdict("the reply is empty")
    if finish_reason == CUT_OFF:
        raise _NoVerdict("truncated: the reply met the limit of tokens (raise --max-tokens)")
    if finish_reason == "content_filter":
        raise _NoVerdict("the server's filter withheld the reply")
    if len(text) > LONGEST_REPLY:
        raise _NoVerdict(f"the reply is longer than any verdict: more than {LONGEST_REPLY:,} characters")
    objects = list(_objects(text.rstrip()))
    if not objects:
        raise _NoVerdict("refusal or no verdict: the reply holds no JSON object")
    if len(objects) > 1:
        raise _NoVerdict("two verdicts: the reply holds more than one JSON object")
    return _verdict(objects[0], form)


def _objects(text: str) -> Iterator[dict[str, Any]]:
    """Every complete JSON object of a text that no other one holds, in order."""
    decoder = json.JSONDecoder(object_pairs_hook=_single_keys, parse_constant=_no_number)
    at = text.find("{")
    while at >= 0:
        try:
            found, end = decoder.raw_decode(text, at)
        except json.JSONDecodeError as error:
            if _is_open(text, at, error):
                raise _NoVerdict("truncated: the reply ends within its JSON object") from None
            # Braces of a sentence are no object; those of an object start with a key.
            end = at + 1
        except (RecursionError, ValueError):
            raise _NoVerdict("the JSON of the reply is nested too deeply, or holds a number that is none") from None
        else:
            yield found
        at = text.find("{", end)


def _is_open(text: str, start: int, error: json.JSONDecodeError) -> bool:
    """Whether an object begins here, with a key, that the end of the text leaves open."""
    begins = _FIRST_KEY.match(text, start)
    return begins is not None and (error.pos >= len(text) or error.msg.startswith("Unterminated"))


def _single_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise _NoVerdict("two verdicts: a key of the reply's JSON object occurs twice")
    return found


def _no_number(_: str) -> float:
    raise _NoVerdict("a score of the reply is no finite number")


def _verdict(found: dict[str, Any], form: ReplyForm) -> ReadReply:
    wanted = (form.outcome_key, *form.scores, form.reason_key)
    missing = [key for key in wanted if key not in found]
    if missing:
        raise _NoVerdict(f"the reply lacks {' and '.join(missing)}")
    if found.keys() - {*wanted, form.clause_key}:
        raise _NoVerdict(f"the reply holds keys beside {', '.join(wanted)}")
    outcome = found[form.outcome_key]
    if not isinstance(outcome, str) or outcome not in form.outcomes:
        raise _NoVerdict(f"{form.outcome_key} is none of {', '.join(form.outcomes)}")
    reason = found[form.reason_key]
    if not isinstance(reason, str):
        raise _NoVerdict(f"{form.reason_key} is no text")
    if _SURROGATE.search(reason):
        # JSON can say half of a character; nothing can store it.
        raise _NoVerdict(f"{form.reason_key} holds half of a character")
    clause, remark = _clause(found.get(form.clause_key), form)
    scores = {key: _score(key, found[key], form) for key in form.scores}
    return ReadReply(outcome, scores, _one_line(reason), clause, remark=remark)


def _score(key: str, value: object, form: ReplyForm) -> float:
    low, high = form.score_limits
    if isinstance(value, bool) or not isinstance(value, int | float) or not low <= value <= high:
        raise _NoVerdict(f"{key} is no number from {low:g} to {high:g}")
    return float(value)


def _clause(value: object, form: ReplyForm) -> tuple[str | None, str]:
    if value is None or value == "":
        return None, ""
    if isinstance(value, str) and value in form.clauses:
        return value, ""
    return None, f"{form.clause_key}: the judge cites a clause that the policy does not have"


def _one_line(reason: str) -> str:
    line = " ".join(reason.split())
    return line if len(line) <= LONGEST_REASON else line[: LONGEST_REASON - 1] + "…"
