"""Runs that ask a server and are killed, or share their work: nothing is lost, and next to nothing is asked twice (J9, J10).

The server looks into the workspace at each request, so that what has to be on disk by then is seen to be there.
"""

from __future__ import annotations

import json
import random
import re
import signal
import sqlite3
import subprocess
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from tests.cli.running import COMMAND, adjudicate, rows, unjudged, write_rows
from tests.judge.judge_server import Asked, JudgeServer, Reply, judge_server, ok
from tests.judge.wire import completion

ITEMS, KILLS, WIDTH = 1000, 20, 8
OPEN = "state IN ('claimed', 'sent')"
VERDICTS = """
SELECT i.response, v.outcome, v.helpfulness, v.safety, v.reason, v.raw
FROM verdicts AS v JOIN items AS i ON i.id = v.item_id ORDER BY i.response
"""
ANSWERS = """
SELECT i.source_id, p.messages, i.response, i.model, p.intent, p.population
FROM items AS i JOIN prompts AS p ON p.id = i.prompt_id ORDER BY i.source_id
"""


def number_in(text: str) -> int:
    return int(re.findall(r"\d+", text)[-1])


def verdict(asked: Asked) -> bytes:
    """A verdict that is another one for each response."""
    number = number_in(asked.response)
    outcome = ("answered", "deflected", "refused")[number % 3]
    return ok(completion(json.dumps({"outcome": outcome, "helpfulness": number % 101, "reason": f"Says {number}."})))


def answer(asked: Asked) -> bytes:
    """An answer that is another one for each prompt."""
    return ok(completion(f"You asked: {asked.body['messages'][-1]['content']}"))


class Seen:
    """What a workspace holds of each request at the moment when the server gets it."""

    def __init__(self, workspace: Path) -> None:
        self._path = workspace / "db" / "adjudicate.db"
        self._local = threading.local()
        self.wrong: list[str] = []

    def look(self, asked: Asked) -> None:
        """Note what is not as it has to be: one open attempt, which is this request, and no answer yet."""
        body = json.dumps(asked.body, separators=(",", ":")).encode("ascii")
        request = sha256(body).hexdigest()
        found = self._query("SELECT question, state FROM attempts WHERE request = ? AND state = 'sent'", request)
        if len(found) != 1:
            self.wrong.append(f"request {asked.number} is sent and noted {len(found)} times")
            return
        question = found[0][0]
        if self._query(f"SELECT count(*) FROM attempts WHERE question = ? AND {OPEN}", question) != [(1,)]:
            self.wrong.append(f"request {asked.number} is asked by two")
        if self._query("SELECT count(*) FROM attempts WHERE question = ? AND state = 'answered'", question) != [(0,)]:
            self.wrong.append(f"request {asked.number} was answered before")

    def _query(self, query: str, *values: object) -> list[tuple[Any, ...]]:
        # Kept open: this process closes no file of the database while a runner may hold it.
        if not hasattr(self._local, "connection"):
            self._local.connection = sqlite3.connect(f"file:{self._path}?mode=ro", uri=True, timeout=30)
        found: list[tuple[Any, ...]] = self._local.connection.execute(query, values).fetchall()
        return found


@contextmanager
def watched(workspace: Path, reply: Reply, *, seconds: float = 0.05) -> Iterator[tuple[JudgeServer, Seen]]:
    """A server that looks into the workspace before it answers."""
    seen = Seen(workspace)
    with judge_server(reply, seconds=seconds, before=seen.look) as server:
        yield server, seen


def killed_at_random_moments(command: Sequence[str], server: JudgeServer, seed: int, *, kills: int = KILLS) -> int:
    """Start a command and kill it while it asks, again and again; how often it was killed before its end."""
    moments, killed = random.Random(seed), 0
    for _ in range(kills):
        asked = len(server.asked)
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        deadline = time.monotonic() + 30
        while len(server.asked) == asked and process.poll() is None and time.monotonic() < deadline:
            time.sleep(0.002)
        time.sleep(moments.uniform(0, 0.2))
        process.send_signal(signal.SIGKILL)
        killed += process.wait() == -signal.SIGKILL
    return killed


def judging(workspace: Path, server: JudgeServer) -> list[str]:
    return [*COMMAND, "-w", str(workspace), "judge", "--base-url", server.url, "--model", "m", "--width", str(WIDTH), "--json"]


def asking(workspace: Path, server: JudgeServer, prompts: Path) -> list[str]:
    command = [*COMMAND, "-w", str(workspace), "benchmark", "run", str(prompts), "--base-url", server.url, "--model", "m"]
    return [*command, "--width", str(WIDTH), "--json"]


def ended(command: Sequence[str]) -> dict[str, Any]:
    """What a command says that is left to itself, as a process of its own."""
    return dict(json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout))


def made(folder: Path) -> Path:
    folder.mkdir()
    return unjudged(folder, [f"At {number}." for number in range(ITEMS)])


def asked_of(folder: Path) -> Path:
    adjudicate("init", folder, "--policy", "answered-deflected-refused")
    return folder


@pytest.mark.timeout(300)
def test_a_judge_killed_at_twenty_random_moments_ends_as_one_that_was_not(tmp_path: Path) -> None:
    broken, whole = made(tmp_path / "broken"), made(tmp_path / "whole")
    with watched(broken, verdict) as (server, seen):
        killed = killed_at_random_moments(judging(broken, server), server, 20261130)
        assert killed == KILLS, "a run ended before it was killed: more items are needed"
        ended(judging(broken, server))
        extra = len(server.asked) - ITEMS
        assert len(server.times_asked) == ITEMS
    with judge_server(verdict) as unbroken:
        ended(judging(whole, unbroken))
    assert seen.wrong == []
    assert 0 <= extra <= WIDTH * killed
    assert rows(broken, VERDICTS) == rows(whole, VERDICTS)
    assert rows(broken, f"SELECT count(*) FROM attempts WHERE {OPEN}") == [(0,)]
    assert not list((broken / "db").glob("*.runner-*"))


@pytest.mark.timeout(300)
def test_a_benchmark_killed_at_twenty_random_moments_ends_as_one_that_was_not(tmp_path: Path) -> None:
    prompts = write_rows(
        tmp_path / "mine.jsonl",
        ({"id": f"p{number}", "prompt": f"When do you open on day {number}?", "intent": "benign"} for number in range(ITEMS)),
    )
    broken, whole = (asked_of(tmp_path / name) for name in ("broken", "whole"))
    with watched(broken, answer) as (server, seen):
        killed = killed_at_random_moments(asking(broken, server, prompts), server, 20261201)
        assert killed == KILLS, "a run ended before it was killed: more prompts are needed"
        ended(asking(broken, server, prompts))
        extra = len(server.asked) - ITEMS
    with judge_server(answer) as unbroken:
        ended(asking(whole, unbroken, prompts))
    assert seen.wrong == []
    assert 0 <= extra <= WIDTH * killed
    assert len(rows(broken, ANSWERS)) == ITEMS
    assert rows(broken, ANSWERS) == rows(whole, ANSWERS)
    assert rows(broken, f"SELECT count(*) FROM attempts WHERE {OPEN}") == [(0,)]


@pytest.mark.timeout(180)
def test_two_judges_on_one_run_share_the_work_and_ask_nothing_twice(tmp_path: Path) -> None:
    workspace = made(tmp_path / "shared")
    with watched(workspace, verdict) as (server, seen):
        runners = [subprocess.Popen(judging(workspace, server), stdout=subprocess.PIPE, text=True) for _ in range(2)]
        shares = [json.loads(runner.communicate(timeout=120)[0])["requests"] for runner in runners]
    assert seen.wrong == []
    assert rows(workspace, "SELECT count(*), count(DISTINCT item_id) FROM verdicts") == [(ITEMS, ITEMS)]
    assert len(server.asked) == sum(shares) <= ITEMS * 1.01
    assert min(shares) > 0


@pytest.mark.timeout(180)
def test_what_a_killed_runner_had_leased_is_asked_by_the_next_run_and_not_by_the_one_beside_it(tmp_path: Path) -> None:
    workspace = made(tmp_path / "shared")
    with watched(workspace, verdict) as (server, seen):
        runners = [subprocess.Popen(judging(workspace, server), stdout=subprocess.PIPE, text=True) for _ in range(2)]
        while len(server.asked) < ITEMS // 4:
            time.sleep(0.005)
        runners[0].send_signal(signal.SIGKILL)
        runners[0].communicate(timeout=20)
        runners[1].communicate(timeout=120)
        left = rows(workspace, f"SELECT count(*) FROM attempts WHERE {OPEN}")[0][0]
        last = ended(judging(workspace, server))
    assert seen.wrong == []
    assert last["asked"] == last["requests"] == left > 0
    assert rows(workspace, "SELECT count(*), count(DISTINCT item_id) FROM verdicts") == [(ITEMS, ITEMS)]
    assert len(server.asked) - ITEMS <= WIDTH


@pytest.mark.timeout(180)
def test_the_turns_of_a_conversation_that_were_answered_before_a_kill_are_not_asked_again(tmp_path: Path) -> None:
    """Two hundred conversations of three turns: each request is one turn, so that the bound is that of single prompts."""
    conversations, turns = 200, 3
    prompts = write_rows(
        tmp_path / "mine.jsonl",
        (
            {"id": f"p{number}", "turns": [f"Question {turn} of {number}?" for turn in range(turns)], "intent": "benign"}
            for number in range(conversations)
        ),
    )
    broken, whole = (asked_of(tmp_path / name) for name in ("broken", "whole"))
    with judge_server(answer, seconds=0.05) as server:
        killed = killed_at_random_moments(asking(broken, server, prompts), server, 20261202, kills=6)
        assert killed == 6
        ended(asking(broken, server, prompts))
        extra = len(server.asked) - conversations * turns
    with judge_server(answer) as unbroken:
        ended(asking(whole, unbroken, prompts))
    assert 0 <= extra <= WIDTH * killed
    assert rows(broken, ANSWERS) == rows(whole, ANSWERS) != []
